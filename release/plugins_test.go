package main

import (
	"archive/zip"
	"io"
	"path"
	"slices"
	"strings"
	"testing"
	"time"
)

// Each form of the plugin is an archive with its manifest, of the version of the release, its server and the skills.
func TestThePluginsAreArchives(t *testing.T) {
	r := &release{root: "..", out: t.TempDir(), version: "9.8.7", time: time.Unix(1_800_000_000, 0).UTC()}
	if err := r.writePlugins(); err != nil {
		t.Fatal(err)
	}
	for form, manifest := range map[string]string{
		"claude-code": ".claude-plugin/plugin.json", "codex": ".codex-plugin/plugin.json", "copilot": "plugin.json", "cursor": ".cursor-plugin/plugin.json", "gemini": "gemini-extension.json", "open": "plugin.json",
	} {
		z, err := zip.OpenReader(r.path("hence-9.8.7-plugin-" + form + ".zip"))
		if err != nil {
			t.Fatal(err)
		}
		names, skills := []string{}, 0
		for _, f := range z.File {
			names = append(names, f.Name)
			if path.Base(f.Name) == "SKILL.md" {
				skills++
			}
			if f.Name != manifest {
				continue
			}
			in, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(in)
			if err != nil || !strings.Contains(string(text), `"version": "9.8.7"`) {
				t.Errorf("%s: %s, %v", form, text, err)
			}
		}
		if !slices.Contains(names, manifest) || skills != 4 || !slices.Contains(names, "LICENSE") {
			t.Errorf("%s has %q", form, names)
		}
		if err := z.Close(); err != nil {
			t.Error(err)
		}
	}
}
