package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// installed returns the systems that are there; or only the one behind a program of somebody else.
func installed(binary, peers, other string) ([]system, error) {
	if other != "" {
		return []system{{Name: strings.TrimSuffix(filepath.Base(other), filepath.Ext(other)), open: func(folder string) (Adapter, error) {
			l, err := startLines(exec.Command(other, folder))
			return program{l}, err
		}}}, nil
	}
	version, err := exec.Command(binary, "version").Output()
	if err != nil {
		return nil, fmt.Errorf("%s version: %w; make build makes it, and -hence says where it is", binary, err)
	}
	if binary, err = filepath.Abs(binary); err != nil {
		return nil, err
	}
	if peers, err = filepath.Abs(peers); err != nil {
		return nil, err
	}
	systems := []system{
		{"Hence", strings.TrimSuffix(strings.Fields(string(version))[1], ","), opens(binary, openHence)},
		{"folder and grep", "", openFolder},
	}
	for _, peer := range []struct {
		name, module, program string
		open                  func(*server) (Adapter, error)
	}{
		{"server-memory", "@modelcontextprotocol/server-memory", "dist/index.js", openServerMemory},
		{"mcp-memory-libsql", "mcp-memory-libsql", "dist/index.js", openLibsql},
		{"agentmemory (reduced)", "@agentmemory/agentmemory", "dist/cli.mjs", openAgentmemory},
	} {
		folder := filepath.Join(peers, "node_modules", filepath.FromSlash(peer.module))
		file, err := os.ReadFile(filepath.Join(folder, "package.json"))
		if os.IsNotExist(err) {
			fmt.Fprintf(os.Stderr, "%s is left out: npm ci in %s installs it\n", peer.name, peers)
			continue
		}
		var module struct{ Version string }
		if err == nil {
			err = json.Unmarshal(file, &module)
		}
		if err != nil {
			return nil, err
		}
		systems = append(systems, system{peer.name, module.Version, opens(filepath.Join(folder, peer.program), peer.open)})
	}
	return systems, nil
}
