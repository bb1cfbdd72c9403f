package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"hence/internal/db"
)

// projectVariables name the folder of the project in the environment of what a client starts.
var projectVariables = []string{"CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CURSOR_PROJECT_DIR", "CODEX_PROJECT_DIR", "COPILOT_PROJECT_DIR", "QWEN_PROJECT_DIR"}

// manifests are the files that make a folder a plugin.
var manifests = []string{"plugin.json", ".plugin/plugin.json", ".claude-plugin/plugin.json", ".codex-plugin/plugin.json", ".cursor-plugin/plugin.json", ".github/plugin/plugin.json", "gemini-extension.json"}

// leavePlugin makes the folder of the project the current one if that is the plugin's, where
// clients start the server of a plugin. Where the client does not name the project, there is
// none, and the home is the current folder.
func (s *session) leavePlugin() error {
	here, err := os.Getwd()
	if err != nil || !isPlugin(here, os.Environ()) {
		return nil
	}
	for _, name := range projectVariables {
		folder := os.Getenv(name)
		if info, err := os.Stat(folder); filepath.IsAbs(folder) && err == nil && info.IsDir() && !isPlugin(folder, os.Environ()) {
			return s.goTo(folder)
		}
	}
	if s.project == "auto" {
		s.project = ""
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return nil // nothing else is known
	}
	return s.goTo(home)
}

// isPlugin reports whether a folder is within that of a plugin: one that a variable of the
// environment names, or one with a manifest of Hence's own plugin.
func isPlugin(folder string, environment []string) bool {
	for _, variable := range environment {
		name, root, _ := strings.Cut(variable, "=")
		if !strings.HasSuffix(name, "PLUGIN_ROOT") || !filepath.IsAbs(root) {
			continue
		}
		if below, err := filepath.Rel(root, folder); err == nil && filepath.IsLocal(below) {
			return true
		}
	}
	for _, file := range manifests {
		var manifest struct{ Name string }
		text, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(file)))
		if err == nil && json.Unmarshal(text, &manifest) == nil && manifest.Name == "hence" {
			return true
		}
	}
	return false
}

// goTo makes a folder the current one. A relative path of the store keeps its meaning.
func (s *session) goTo(folder string) error {
	path, err := s.path()
	if err != nil {
		return err
	}
	if s.file, err = db.AbsoluteName(path); err != nil {
		return err
	}
	_ = os.Chdir(folder) // a deleted folder has no project
	return nil
}
