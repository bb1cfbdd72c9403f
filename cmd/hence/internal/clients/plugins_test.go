package clients

import (
	"encoding/json"
	goflag "flag"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = goflag.Bool("update", false, "write the plugins")

// pluginsFolder has a folder for each form of the plugin. That of claude-code has the skills and the manifest
// from which the others are made.
const pluginsFolder = "../../../../plugins"

// plugins are the generated files of the plugins, by their paths. Hooks and servers are what init writes.
func plugins(t *testing.T) map[string]string {
	t.Helper()
	files, root := map[string]string{}, filepath.FromSlash(pluginsFolder)
	w := Wish{Program: name, Server: Server{name, []string{"serve", "--project", "auto"}}}
	add := func(path string, value any) {
		text, err := json.MarshalIndent(value, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		files[path] = string(text) + "\n"
	}
	put := func(path, client string, server bool) {
		c, err := Find(client)
		if err != nil {
			t.Fatal(err)
		}
		parts, text := c.hookParts(w), ""
		if server {
			parts = []part{c.serverPart(w.Server)}
		}
		for _, p := range parts {
			if text, err = p.put(text); err != nil {
				t.Fatal(err)
			}
		}
		files[path] = text
	}
	read := map[string]any{}
	text, err := os.ReadFile(filepath.Join(root, "claude-code", ".claude-plugin", "plugin.json"))
	if err == nil {
		err = json.Unmarshal(text, &read)
	}
	if err != nil {
		t.Fatal(err)
	}
	manifest := func(more map[string]any) map[string]any {
		all := maps.Clone(read)
		maps.Copy(all, more)
		return all
	}
	skills, err := filepath.Glob(filepath.Join(root, "claude-code", "skills", "*", "SKILL.md"))
	if err != nil || len(skills) == 0 {
		t.Fatalf("there are no skills: %v", err)
	}
	for _, skill := range skills {
		text, err := os.ReadFile(skill)
		if err != nil {
			t.Fatal(err)
		}
		for _, form := range []string{"open", "codex", "copilot", "cursor", "gemini"} {
			files[form+"/skills/"+filepath.Base(filepath.Dir(skill))+"/SKILL.md"] = string(text)
		}
	}

	put("claude-code/.mcp.json", "claude-code", true)
	put("claude-code/hooks/hooks.json", "claude-code", false)

	// https://github.com/agentplugins/agent-plugins-spec, spec/1.0.0.md; read on 2026-11-25.
	const schemas = "https://agent-plugins.org/schemas/1.0.0/"
	add("open/plugin.json", manifest(map[string]any{"$schema": schemas + "plugin.schema.json"}))
	add("open/mcp.json", map[string]any{"$schema": schemas + "mcp.schema.json", "mcpServers": map[string]any{
		name: map[string]any{"type": "stdio", "command": w.Server.Command, "args": w.Server.Args},
	}})

	// https://developers.openai.com/codex/plugins/build; read on 2026-11-25.
	add("codex/.codex-plugin/plugin.json", manifest(map[string]any{
		"skills": "./skills/", "mcpServers": "./.mcp.json", "hooks": "./hooks/hooks.json",
		"interface": map[string]any{"displayName": "Hence", "shortDescription": "A memory with its reasons", "category": "Productivity"},
	}))
	put("codex/.mcp.json", "claude-code", true)
	put("codex/hooks/hooks.json", "codex", false)
	add(".agents/plugins/marketplace.json", map[string]any{"name": name, "plugins": []any{map[string]any{
		"name": name, "source": map[string]any{"source": "local", "path": "./codex"},
		"policy": map[string]any{"installation": "AVAILABLE", "authentication": "ON_INSTALL"}, "category": "Productivity",
	}}})

	// https://docs.github.com/copilot/reference/copilot-cli-reference/cli-plugin-reference; read on 2026-11-26.
	add("copilot/plugin.json", manifest(map[string]any{"skills": "skills/", "mcpServers": ".mcp.json", "hooks": "hooks.json"}))
	put("copilot/.mcp.json", "copilot", true)
	put("copilot/hooks.json", "copilot", false)
	add(".github/plugin/marketplace.json", map[string]any{"name": name, "owner": map[string]any{"name": "Hence"}, "plugins": []any{
		map[string]any{"name": name, "source": "./copilot", "description": read["description"]},
	}})

	// https://cursor.com/docs/reference/plugins, and schemas/plugin.schema.json of https://github.com/cursor/plugins; read on 2026-11-27.
	add("cursor/.cursor-plugin/plugin.json", manifest(map[string]any{
		"displayName": "Hence", "skills": "./skills/", "mcpServers": "./mcp.json", "hooks": "./hooks/hooks.json", "category": "developer-tools",
	}))
	put("cursor/mcp.json", "cursor", true)
	put("cursor/hooks/hooks.json", "cursor", false)
	add(".cursor-plugin/marketplace.json", map[string]any{"name": name, "owner": map[string]any{"name": "Hence"}, "plugins": []any{
		map[string]any{"name": name, "source": "./cursor", "description": read["description"]},
	}})

	// https://github.com/google-gemini/gemini-cli, docs/extensions/reference.md; read on 2026-11-25.
	add("gemini/gemini-extension.json", map[string]any{
		"name": read["name"], "version": read["version"], "description": read["description"],
		"mcpServers": map[string]any{name: map[string]any{"command": w.Server.Command, "args": w.Server.Args}},
	})
	put("gemini/hooks/hooks.json", "gemini", false)
	return files
}

// The files of the plugins are made of the table of clients and of the plugin for Claude Code.
func TestThePluginsAreWhatTheTableMakes(t *testing.T) {
	want, root := plugins(t), filepath.FromSlash(pluginsFolder)
	if *update {
		for path, text := range want {
			write(t, filepath.Join(root, filepath.FromSlash(path)), text)
		}
	}
	got := map[string]string{}
	for _, path := range slices.Sorted(maps.Keys(want)) {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(path)))
		if err != nil {
			t.Error(err)
		}
		got[path] = string(text)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("go test ./cmd/hence/internal/clients -run Plugins -update writes them (-want +got):\n%s", diff)
	}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		below, err := filepath.Rel(root, path)
		below = filepath.ToSlash(below)
		_, isMade := want[below]
		isSource := below == ".claude-plugin/marketplace.json" || below == "claude-code/.claude-plugin/plugin.json" || filepath.Base(below) == "SKILL.md"
		if !isMade && !isSource {
			t.Errorf("%s is not made of anything; remove it", below)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	for path, client := range map[string]string{
		"claude-code/hooks/hooks.json": "claude-code/settings.json", "claude-code/.mcp.json": "claude-code/.mcp.json", "codex/hooks/hooks.json": "codex/hooks.json",
		"copilot/hooks.json": "copilot/hence.json", "copilot/.mcp.json": "copilot/mcp.json",
		"cursor/.cursor-plugin/plugin.json": "cursor/plugin.json", "cursor/mcp.json": "cursor/mcp.json", "cursor/hooks/hooks.json": "cursor/hooks.json",
	} {
		file := filepath.Join(t.TempDir(), filepath.Base(client))
		write(t, file, want[path])
		validate(t, filepath.Dir(client), file)
	}
}
