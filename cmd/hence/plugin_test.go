package main

import (
	"os"
	"path/filepath"
	"testing"

	"hence/internal/db/dbtest"
)

// A server that a client starts in the folder of a plugin works in the project that the
// client names, or in none: never in the plugin's folder.
func TestLeavePlugin(t *testing.T) {
	for _, c := range []struct {
		name     string
		manifest string // in the current folder, with the name hence
		env      map[string]string
		below    string // the current folder, below that of the plugin
		project  string // what --project says afterwards
		where    string // the current folder afterwards: project, home, or plugin for the one before
	}{
		{"NoPlugin", "", nil, ".", "auto", "plugin"},
		{"NoPluginButAVariable", "", map[string]string{"CLAUDE_PROJECT_DIR": "project"}, ".", "auto", "plugin"},
		{"Claude", "", map[string]string{"CLAUDE_PLUGIN_ROOT": "plugin", "CLAUDE_PROJECT_DIR": "project"}, ".", "auto", "project"},
		{"ClaudeBelow", "", map[string]string{"CLAUDE_PLUGIN_ROOT": "plugin", "CLAUDE_PROJECT_DIR": "project"}, "bin", "auto", "project"},
		{"ElsewhereThanThePlugin", "", map[string]string{"CLAUDE_PLUGIN_ROOT": "project"}, ".", "auto", "plugin"},
		{"Open", "plugin.json", nil, ".", "", "home"},
		{"OpenAndVariable", "plugin.json", map[string]string{"CURSOR_PROJECT_DIR": "project"}, ".", "auto", "project"},
		{"PluginRoot", "", map[string]string{"PLUGIN_ROOT": "plugin"}, ".", "", "home"},
		{"Manifest", ".claude-plugin/plugin.json", nil, ".", "", "home"},
		{"Codex", ".codex-plugin/plugin.json", map[string]string{"CODEX_PROJECT_DIR": "project"}, ".", "auto", "project"},
		{"Cursor", ".cursor-plugin/plugin.json", map[string]string{"CURSOR_PROJECT_DIR": "project"}, ".", "auto", "project"},
		{"Copilot", ".github/plugin/plugin.json", nil, ".", "", "home"},
		{"Gemini", "gemini-extension.json", map[string]string{"GEMINI_PROJECT_DIR": "project"}, ".", "auto", "project"},
		{"TheVariableIsThePlugin", "", map[string]string{"CLAUDE_PLUGIN_ROOT": "plugin", "CLAUDE_PROJECT_DIR": "plugin"}, ".", "", "home"},
		{"NoSuchFolder", "", map[string]string{"PLUGIN_ROOT": "plugin", "CLAUDE_PROJECT_DIR": "/nowhere/at/all"}, ".", "", "home"},
		{"TheNextVariable", "", map[string]string{"PLUGIN_ROOT": "plugin", "CLAUDE_PROJECT_DIR": "/nowhere/at/all", "CURSOR_PROJECT_DIR": "project"}, ".", "auto", "project"},
		{"RelativeVariable", "", map[string]string{"PLUGIN_ROOT": "plugin", "CLAUDE_PROJECT_DIR": "./project"}, ".", "", "home"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root, err := filepath.EvalSymlinks(dbtest.Folder(t))
			if err != nil {
				t.Fatal(err)
			}
			folders := map[string]string{}
			for _, name := range []string{"plugin", "project", "home"} {
				folders[name] = filepath.Join(root, name)
				if err := os.MkdirAll(filepath.Join(folders[name], "bin"), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			if c.manifest != "" {
				file := filepath.Join(folders["plugin"], c.manifest)
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(`{"name": "hence"}`), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			for _, name := range append(projectVariables, "CLAUDE_PLUGIN_ROOT", "PLUGIN_ROOT", "HENCE_DB") {
				t.Setenv(name, "")
			}
			for name, value := range c.env {
				if folder, ok := folders[value]; ok {
					value = folder
				}
				t.Setenv(name, value)
			}
			t.Setenv("HOME", folders["home"])
			t.Setenv("USERPROFILE", folders["home"])
			t.Chdir(filepath.Join(folders["plugin"], c.below))
			s := session{project: "auto", file: "x.db"}
			if err := s.leavePlugin(); err != nil {
				t.Fatal(err)
			}
			here, err := os.Getwd()
			if err != nil || s.project != c.project || here != filepath.Clean(filepath.Join(folders[c.where], map[bool]string{true: c.below}[c.where == "plugin"])) {
				t.Errorf("the project is %q, the folder %s, %v", s.project, here, err)
			}
			if want := filepath.Join(folders["plugin"], c.below, "x.db"); c.where != "plugin" && s.file != want {
				t.Errorf("the store is %s, want %s", s.file, want)
			}
		})
	}
}
