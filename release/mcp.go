package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// tool describes a tool of the server to people.
type tool struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// askTools starts a program as a client does, and returns the tools that it offers.
func askTools(program string) (tools []tool, err error) {
	home, err := os.MkdirTemp("", "hence-release-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(home)
	c := exec.Command(program, "serve", "--db", filepath.Join(home, "hence.db"), "--no-usage")
	c.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"release","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
`)
	c.Stderr = os.Stderr
	stdout, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewReader(stdout)
	for tools == nil {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return nil, errors.Join(fmt.Errorf("hence serve lists no tools: %w", err), c.Wait())
		}
		var answer struct {
			ID     int
			Result struct {
				Tools []struct{ Name, Title string }
			}
		}
		if err := json.Unmarshal(line, &answer); err != nil {
			return nil, errors.Join(err, c.Wait())
		}
		if answer.ID == 2 {
			for _, one := range answer.Result.Tools {
				tools = append(tools, tool{one.Name, one.Title})
			}
		}
	}
	return tools, c.Wait()
}

// manifest is the manifest.json of a bundle, in version 0.3 of its format.
type manifest struct {
	ManifestVersion string              `json:"manifest_version"`
	Name            string              `json:"name"`
	DisplayName     string              `json:"display_name"`
	Version         string              `json:"version"`
	Description     string              `json:"description"`
	LongDescription string              `json:"long_description"`
	Author          map[string]string   `json:"author"`
	Repository      map[string]string   `json:"repository"`
	Homepage        string              `json:"homepage"`
	License         string              `json:"license"`
	Icon            string              `json:"icon"`
	Keywords        []string            `json:"keywords"`
	Server          bundleServer        `json:"server"`
	Tools           []tool              `json:"tools"`
	ToolsGenerated  bool                `json:"tools_generated"` // the server may add those of notes and code
	PromptsToo      bool                `json:"prompts_generated"`
	Compatibility   map[string][]string `json:"compatibility"`
}

type bundleServer struct {
	Type       string `json:"type"`
	EntryPoint string `json:"entry_point"`
	Config     struct {
		Command string   `json:"command"`
		Args    []string `json:"args"`
	} `json:"mcp_config"`
}

const longDescription = "Memories tied together by typed edges (supersedes, causes, depends-on and a few more), and the notes of an Obsidian vault, " +
	"in one SQLite file on your machine. What rests on a memory that was replaced says so. The store is the same that the command line of Hence uses."

// writeBundle writes the bundle that a client such as Claude Desktop installs.
func (r *release) writeBundle(t target, program file, notice []byte, tools []tool) error {
	platform, _ := t.nodeNames()
	m := manifest{
		ManifestVersion: "0.3", Name: "hence", DisplayName: "Hence", Version: r.version,
		Description: description, LongDescription: longDescription,
		Author:     map[string]string{"name": r.owner, "url": "https://github.com/" + r.owner},
		Repository: map[string]string{"type": "git", "url": r.repository() + ".git"}, Homepage: r.repository(),
		License: "MIT", Icon: "icon.png", Keywords: []string{"memory", "knowledge graph", "obsidian"},
		Server: bundleServer{Type: "binary", EntryPoint: "server/" + t.program()},
		Tools:  tools, ToolsGenerated: true, PromptsToo: true,
		Compatibility: map[string][]string{"platforms": {platform}},
	}
	m.Server.Config.Command, m.Server.Config.Args = "${__dirname}/server/"+t.program(), []string{"serve"}
	text, err := asJSON(m)
	if err != nil {
		return err
	}
	program.name = "server/" + program.name
	files := []file{
		{name: "manifest.json", text: text, mode: 0o644}, program,
		{name: "icon.png", from: filepath.Join(r.root, "release", "mcp", "icon.png"), mode: 0o644},
		{name: "LICENSE", from: filepath.Join(r.root, "LICENSE"), mode: 0o644}, {name: "THIRD_PARTY.txt", text: notice, mode: 0o644},
	}
	return writeZip(r.path(r.name(t)+".mcpb"), files, r.time)
}

// serverSchema is the schema of server.json that the registry required on 2026-11-22.
const serverSchema = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"

// serverJSON returns the description of the release for the registry of MCP servers: the npm
// package, the image, and the bundles in sums.
func (r *release) serverJSON(sums []sum) any {
	stdio := map[string]string{"type": "stdio"}
	serve := []any{map[string]any{"type": "positional", "value": "serve"}}
	packages := []any{
		map[string]any{"registryType": "npm", "identifier": r.npm, "version": r.version, "runtimeHint": "npx", "transport": stdio, "packageArguments": serve},
		map[string]any{
			"registryType": "oci", "identifier": "ghcr.io/" + r.owner + "/hence:" + r.version, "runtimeHint": "docker", "transport": stdio, "packageArguments": serve,
			"runtimeArguments": []any{map[string]any{"type": "named", "name": "-v", "value": "hence:/data", "description": "keeps the store"}},
		},
	}
	for _, s := range sums {
		if strings.HasSuffix(s.name, ".mcpb") {
			packages = append(packages, map[string]any{
				"registryType": "mcpb", "identifier": r.repository() + "/releases/download/v" + r.version + "/" + s.name, "fileSha256": s.hash, "transport": stdio,
			})
		}
	}
	raw := "https://raw.githubusercontent.com/" + r.owner + "/hence/v" + r.version + "/release/mcp/"
	return map[string]any{
		"$schema": serverSchema, "name": r.mcpName(), "title": "Hence", "description": description, "version": r.version,
		"websiteUrl": r.repository(), "repository": map[string]string{"url": r.repository(), "source": "github"},
		"icons": []any{
			map[string]any{"src": raw + "icon.png", "mimeType": "image/png", "sizes": []string{"512x512"}},
			map[string]any{"src": raw + "icon.svg", "mimeType": "image/svg+xml", "sizes": []string{"any"}},
		},
		"packages": packages,
	}
}
