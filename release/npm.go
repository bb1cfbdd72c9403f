package main

import (
	"path/filepath"
	"strings"
)

// npmPackage is a package.json.
type npmPackage struct {
	Name                 string            `json:"name"`
	Version              string            `json:"version"`
	Description          string            `json:"description"`
	License              string            `json:"license"`
	Repository           map[string]string `json:"repository"`
	Homepage             string            `json:"homepage"`
	Keywords             []string          `json:"keywords,omitempty"`
	MCPName              string            `json:"mcpName,omitempty"`
	Bin                  map[string]string `json:"bin,omitempty"`
	Man                  []string          `json:"man,omitempty"`
	Files                []string          `json:"files"`
	OS                   []string          `json:"os,omitempty"`
	CPU                  []string          `json:"cpu,omitempty"`
	Engines              map[string]string `json:"engines,omitempty"`
	OptionalDependencies map[string]string `json:"optionalDependencies,omitempty"`
	PreferUnplugged      bool              `json:"preferUnplugged,omitempty"` // Yarn cannot run a program within an archive
}

const description = "A memory store for agents in which every memory keeps its reasons"

func (r *release) npmPackage() npmPackage {
	return npmPackage{
		Version: r.version, Description: description, License: "MIT", Homepage: r.repository(),
		Repository: map[string]string{"type": "git", "url": "git+" + r.repository() + ".git"},
	}
}

// platformPackage returns the name of the package with the program of a platform.
func (r *release) platformPackage(t target) string {
	platform, arch := t.nodeNames()
	return r.npm + "-" + platform + "-" + arch
}

func (r *release) writePlatformPackage(t target, program file, notice []byte) error {
	p := r.npmPackage()
	platform, arch := t.nodeNames()
	p.Name, p.OS, p.CPU, p.PreferUnplugged = r.platformPackage(t), []string{platform}, []string{arch}, true
	p.Description = "The program of " + r.npm + " for " + platform + " " + arch
	p.Files = []string{"bin", "THIRD_PARTY.txt"}
	program.name = "bin/" + program.name
	return r.writePackage(p, program, file{name: "THIRD_PARTY.txt", text: notice, mode: 0o644})
}

// writeMainPackage writes the package that people install: a launcher, and the manual pages,
// which npm links for man. Its optionalDependencies are the packages of all platforms, of
// which npm installs the one for the machine. It has no scripts.
func (r *release) writeMainPackage() error {
	manual, err := folder("man", r.path("manual", "man"))
	if err != nil {
		return err
	}
	p := r.npmPackage()
	for _, page := range manual {
		p.Man = append(p.Man, page.name)
	}
	p.Name, p.MCPName = r.npm, r.mcpName()
	p.Keywords = []string{"mcp", "memory", "agent", "knowledge-graph", "obsidian", "sqlite"}
	p.Bin, p.Files = map[string]string{"hence": "hence.js"}, []string{"hence.js", "man"}
	p.Engines = map[string]string{"node": ">=18"}
	p.OptionalDependencies = map[string]string{}
	for _, t := range allTargets {
		p.OptionalDependencies[r.platformPackage(t)] = r.version
	}
	return r.writePackage(p, append(manual,
		file{name: "hence.js", from: filepath.Join(r.root, "release", "npm", "hence.js"), mode: 0o755},
		file{name: "README.md", from: filepath.Join(r.root, "README.md"), mode: 0o644})...)
}

// writePackage writes the folder of a package, and the archive for npm publish, in which the
// modes of files survive copying.
func (r *release) writePackage(p npmPackage, files ...file) error {
	manifest, err := asJSON(p)
	if err != nil {
		return err
	}
	files = append(files,
		file{name: "package.json", text: manifest, mode: 0o644},
		file{name: "LICENSE", from: filepath.Join(r.root, "LICENSE"), mode: 0o644})
	if err := put(r.path("npm", filepath.FromSlash(p.Name)), files, r.time); err != nil {
		return err
	}
	name := strings.ReplaceAll(strings.TrimPrefix(p.Name, "@"), "/", "-") + "-" + p.Version + ".tgz" // as npm pack names it
	return writeTar(r.path("npm", name), underFolder("package", files), r.time)
}
