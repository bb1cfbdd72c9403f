package syntax

import (
	"encoding/json"
	"path"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/tailscale/hujson"
)

// readProject reads a settings file that decides how modules are named. The project is
// empty if the file cannot be parsed.
func readProject(filePath string, text []byte) *Places {
	var project *Project
	switch path.Base(filePath) {
	case "package.json":
		project = readPackage(text)
	case "Cargo.toml":
		project = readCargo(text)
	default:
		project = readCompiler(text)
	}
	return &Places{Path: filePath, Language: "settings", Project: project}
}

func readPackage(text []byte) *Project {
	var read struct {
		Name   string
		Main   any
		Module any
		Types  any
		Source any
	}
	if json.Unmarshal(text, &read) != nil {
		return &Project{}
	}
	p := &Project{Name: read.Name}
	for _, entry := range []any{read.Source, read.Types, read.Module, read.Main} {
		if file, ok := entry.(string); ok {
			p.Entry = append(p.Entry, file)
		}
	}
	return p
}

func readCompiler(text []byte) *Project {
	var read struct {
		Extends         json.RawMessage
		CompilerOptions struct {
			BaseURL string `json:"baseUrl"`
			Paths   map[string][]string
		} `json:"compilerOptions"`
	}
	plain, err := hujson.Standardize(text)
	if err != nil || json.Unmarshal(plain, &read) != nil {
		return &Project{}
	}
	p := &Project{Base: read.CompilerOptions.BaseURL, Paths: read.CompilerOptions.Paths, Extends: make([]string, 1)}
	if json.Unmarshal(read.Extends, &p.Extends[0]) != nil && json.Unmarshal(read.Extends, &p.Extends) != nil {
		p.Extends = nil
	}
	return p
}

func readCargo(text []byte) *Project {
	var read struct {
		Package struct{ Name string }
		Lib     struct{ Name, Path string }
	}
	if toml.Unmarshal(text, &read) != nil {
		return &Project{}
	}
	p := &Project{Name: strings.ReplaceAll(read.Package.Name, "-", "_"), Entry: []string{"src/lib.rs", "src/main.rs"}}
	if read.Lib.Name != "" {
		p.Name = read.Lib.Name
	}
	if read.Lib.Path != "" {
		p.Entry = []string{read.Lib.Path}
	}
	return p
}
