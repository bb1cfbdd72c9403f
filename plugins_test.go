package hence_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

const pluginFolder = "plugins/claude-code"

// readJSON reads a file of the plugin into a value that has all its fields.
func readJSON(t *testing.T, file string, into any) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		t.Errorf("%s: %v", file, err)
	}
}

// TestThePluginIsWellFormed holds the plugin for Claude Code against what
// https://code.claude.com/docs/en/plugins-reference says (read on 2026-11-22).
func TestThePluginIsWellFormed(t *testing.T) {
	var manifest struct {
		Name, Version, Description, License string
		Author                              struct{ Name string }
		Keywords                            []string
	}
	readJSON(t, filepath.Join(pluginFolder, ".claude-plugin", "plugin.json"), &manifest)
	if !regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`).MatchString(manifest.Name) || !regexp.MustCompile(`^\d+\.\d+\.\d+$`).MatchString(manifest.Version) || manifest.Description == "" {
		t.Errorf("the manifest is %+v", manifest)
	}
	var market struct {
		Name    string
		Owner   struct{ Name string }
		Plugins []struct{ Name, Source, Description string }
	}
	readJSON(t, "plugins/.claude-plugin/marketplace.json", &market)
	if len(market.Plugins) != 1 || market.Plugins[0].Name != manifest.Name || filepath.Join("plugins", market.Plugins[0].Source) != pluginFolder || market.Owner.Name == "" {
		t.Errorf("the marketplace is %+v", market)
	}
	var servers struct {
		Servers map[string]struct {
			Type, Command string
			Args          []string
		} `json:"mcpServers"`
	}
	readJSON(t, filepath.Join(pluginFolder, ".mcp.json"), &servers)
	if s := servers.Servers["hence"]; len(servers.Servers) != 1 || s.Command != "hence" || len(s.Args) == 0 || s.Args[0] != "serve" {
		t.Errorf("the server is %+v", servers)
	}
	var hooks struct {
		Hooks map[string][]struct {
			Matcher string
			Hooks   []struct {
				Type, Command string
				Timeout       int
			}
		}
	}
	readJSON(t, filepath.Join(pluginFolder, "hooks", "hooks.json"), &hooks)
	for event, groups := range hooks.Hooks {
		for _, g := range groups {
			for _, h := range g.Hooks {
				if h.Type != "command" || h.Command != "hence hook "+event+" --client claude-code" || h.Timeout <= 0 {
					t.Errorf("the hook of %s is %+v", event, h)
				}
			}
		}
	}
	if got := hooks.Hooks["SessionStart"]; len(got) != 1 || got[0].Matcher != "startup|resume|clear|compact|fork" {
		t.Errorf("the hook of a session's start is %+v", got)
	}
}

// TestTheSkillsAreShort: each has its name, says when to use it, and fits a page.
func TestTheSkillsAreShort(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(pluginFolder, "skills", "*", "SKILL.md"))
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		parts := strings.SplitN(string(text), "---\n", 3)
		if len(parts) != 3 || parts[0] != "" {
			t.Fatalf("%s has no frontmatter", file)
		}
		var head struct{ Name, Description string }
		d := yaml.NewDecoder(strings.NewReader(parts[1]))
		d.KnownFields(true)
		if err := d.Decode(&head); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		names = append(names, head.Name)
		if head.Name != filepath.Base(filepath.Dir(file)) || !strings.Contains(head.Description, "Use when") || len(head.Description) > 1024 {
			t.Errorf("%s: %+v", file, head)
		}
		if lines := strings.Count(parts[2], "\n"); lines > 12 {
			t.Errorf("%s has %d lines", file, lines)
		}
	}
	if want := []string{"checkpoint", "decide", "recall", "tidy"}; !slices.Equal(names, want) {
		t.Errorf("the skills are %v, want %v", names, want)
	}
}
