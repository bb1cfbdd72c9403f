package clients

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/tailscale/hujson"
)

// Each file that init writes, as a new one or into existing settings, is as its client wants
// it: testdata/schemas has CLIENT.FILE, each with its source and the day it was read.
func TestApply_WritesWhatClientsRead(t *testing.T) {
	for _, user := range []bool{false, true} {
		for _, filled := range []bool{false, true} {
			for _, c := range All() {
				p, w := someUser(t), wish
				w.User, w.Optional = user, map[Optional]bool{Prompts: true, Checkpoints: true, Actions: true, Helpers: true}
				files := targets([]Client{c}, p, w)
				for _, f := range files {
					if filled && f.format == asJSON {
						write(t, f.file, "{\n  // theirs\n  \"theme\": \"x\",\n}\n")
					}
				}
				if filled && c.Name == "cursor" { // its file of hooks is closed
					write(t, files[1].file, `{"version": 1, "hooks": {"stop": [{"command": "x"}]}}`)
				}
				states(t, []Client{c}, p, w, Put)
				for _, f := range files {
					if f.format != asText {
						validate(t, c.Name, f.file)
					}
				}
			}
		}
	}
}

// validate compares a file with the schema of its client.
func validate(t *testing.T, client, file string) {
	t.Helper()
	name := filepath.Base(file)
	if name == ".claude.json" { // has the servers in the same form
		name = ".mcp.json"
	}
	text, err := os.ReadFile(filepath.Join("testdata", "schemas", client+"."+name))
	if err != nil {
		t.Fatal(err)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	compiled, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	if text, err = os.ReadFile(file); err != nil {
		t.Fatal(err)
	}
	var value any
	if filepath.Ext(file) == ".toml" {
		var table map[string]any
		if err := toml.Unmarshal(text, &table); err != nil {
			t.Fatal(err)
		}
		if text, err = json.Marshal(table); err != nil {
			t.Fatal(err)
		}
	}
	if text, err = hujson.Standardize(text); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	if err := compiled.Validate(value); err != nil {
		t.Errorf("%s of %s: %v\n%s", name, client, err, text)
	}
}
