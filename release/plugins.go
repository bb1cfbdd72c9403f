package main

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
)

// pluginForms are the folders of plugins/, each the plugin in the form of one client, or in the open form.
var pluginForms = []string{"claude-code", "codex", "copilot", "cursor", "gemini", "open"}

// writePlugins writes an archive for each form of the plugin, with the version of the release in place of
// that of the checkout.
func (r *release) writePlugins() error {
	for _, form := range pluginForms {
		files, err := folder("", filepath.Join(r.root, "plugins", form))
		if err != nil {
			return err
		}
		for i, f := range files {
			if base := path.Base(f.name); base != "plugin.json" && base != "gemini-extension.json" {
				continue
			}
			text, err := os.ReadFile(f.from)
			if err != nil {
				return err
			}
			files[i].from, files[i].text = "", bytes.Replace(text, []byte(`"version": "`+pluginVersion+`"`), []byte(`"version": "`+r.version+`"`), 1)
		}
		files = append(files, file{name: "LICENSE", from: filepath.Join(r.root, "LICENSE"), mode: 0o644})
		if err := writeZip(r.path("hence-"+r.version+"-plugin-"+form+".zip"), files, r.time); err != nil {
			return err
		}
	}
	return nil
}

// pluginVersion is the version in the manifests of the checkout.
const pluginVersion = "0.1.0"
