package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// The bundle of this platform holds a server that answers, and the manifests of all are
// valid by the program that its makers publish (as test-dist installs it).
func TestDistBundles(t *testing.T) {
	r := dist(t)
	for _, tt := range buildableTargets() {
		t.Run(tt.String(), func(t *testing.T) {
			at := t.TempDir()
			unpackZip(t, r.path(r.name(tt)+".mcpb"), at)
			text, err := os.ReadFile(filepath.Join(at, "manifest.json"))
			if err != nil {
				t.Fatal(err)
			}
			var m manifest
			if err := json.Unmarshal(text, &m); err != nil {
				t.Fatal(err)
			}
			if m.Version != r.version || len(m.Tools) < 20 {
				t.Errorf("version %s, %d tools", m.Version, len(m.Tools))
			}
			if info, err := os.Stat(filepath.Join(at, m.Server.EntryPoint)); err != nil || info.Mode()&0o100 == 0 {
				t.Errorf("the entry point: %v, %v", info, err)
			}
			if mcpb := os.Getenv("HENCE_MCPB"); mcpb != "" {
				within(t, exec.Command(mcpb, "validate", filepath.Join(at, "manifest.json")))
			} else {
				t.Error("HENCE_MCPB does not name the program that validates it")
			}
			if tt.isNative() {
				home := t.TempDir()
				converses(t, func(...string) *exec.Cmd {
					command := regexp.MustCompile(`^\$\{__dirname\}`).ReplaceAllString(m.Server.Config.Command, at)
					c := exec.Command(command, m.Server.Config.Args...)
					c.Env = alone(home)
					return c
				})
			}
		})
	}
}

// server.json has the form that the registry's newest release asks for.
func TestDistServerJSON(t *testing.T) {
	r := dist(t)
	said, err := output("go", "mod", "download", "-json", "github.com/modelcontextprotocol/registry@latest")
	if err != nil {
		t.Skip("the registry's module cannot be had: ", err)
	}
	var registry struct{ Dir, Version string }
	if err := json.Unmarshal([]byte(said), &registry); err != nil {
		t.Fatal(err)
	}
	schemas, err := filepath.Glob(filepath.Join(registry.Dir, "internal", "validators", "schemas", "20*.json"))
	if err != nil || len(schemas) == 0 {
		t.Fatalf("registry %s has its schemas elsewhere: %v", registry.Version, err)
	}
	newest := slices.Max(schemas)
	t.Logf("registry %s, schema %s", registry.Version, filepath.Base(newest))
	read := func(path string) any {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource(serverSchema, read(newest)); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile(serverSchema)
	if err != nil {
		t.Fatalf("the schema that server.json names is not the newest, %s: %v", newest, err)
	}
	server := read(r.path("server.json"))
	if err := schema.Validate(server); err != nil {
		t.Error(err)
	}
	bundles := 0
	for _, p := range server.(map[string]any)["packages"].([]any) {
		if p.(map[string]any)["registryType"] == "mcpb" {
			bundles++
		}
	}
	if bundles != len(buildableTargets()) {
		t.Errorf("it names %d bundles", bundles)
	}
	var p npmPackage
	text, err := os.ReadFile(r.path("npm", filepath.FromSlash(r.npm), "package.json"))
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	if err != nil || p.MCPName != server.(map[string]any)["name"] {
		t.Errorf("the npm package says that it is %s: %v", p.MCPName, err)
	}
}
