// Package clients edits the configuration of MCP clients: where it is, what the
// entry for a server looks like, and how to add it without changing the rest.
package clients

import (
	"encoding/json"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"hence/internal/fault"
)

// Server is the program that a client starts.
type Server struct {
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

// Places are the folders of configuration files.
type Places struct {
	Home    string // the user's
	Config  string // os.UserConfigDir
	Project string // the current folder
	Getenv  func(string) string
}

// Client is a program that starts MCP servers.
type Client struct {
	Name  string
	Note  string // what else to do; may be empty
	file  func(p Places) string
	path  []string // to the object with the servers
	typed bool     // the entry has the type stdio
	toml  bool     // the file is TOML, else JSON with comments
}

// name is the name of the entry.
const name = "hence"

// all are the clients, with their documentation.
var all = []Client{
	{ // https://code.claude.com/docs/en/mcp (project scope)
		Name: "claude-code", path: []string{"mcpServers"}, typed: true,
		file: func(p Places) string { return filepath.Join(p.Project, ".mcp.json") },
		Note: `for every project: claude mcp add --scope user hence -- COMMAND; for hence prime at the start of each conversation, a SessionStart hook in .claude/settings.json`,
	},
	{ // https://modelcontextprotocol.io/docs/develop/connect-local-servers
		Name: "claude-desktop", path: []string{"mcpServers"},
		file: func(p Places) string { return filepath.Join(p.Config, "Claude", "claude_desktop_config.json") },
		Note: "restart Claude Desktop",
	},
	{ // https://cursor.com/docs/context/mcp
		Name: "cursor", path: []string{"mcpServers"}, typed: true,
		file: func(p Places) string { return filepath.Join(p.Home, ".cursor", "mcp.json") },
	},
	{ // https://code.visualstudio.com/docs/agents/reference/mcp-configuration
		Name: "vscode", path: []string{"servers"}, typed: true,
		file: func(p Places) string { return filepath.Join(p.Config, "Code", "User", "mcp.json") },
	},
	{ // https://developers.openai.com/codex/mcp
		Name: "codex", path: []string{"mcp_servers"}, toml: true,
		file: func(p Places) string {
			if home := p.Getenv("CODEX_HOME"); home != "" {
				return filepath.Join(home, "config.toml")
			}
			return filepath.Join(p.Home, ".codex", "config.toml")
		},
	},
	{ // https://github.com/google-gemini/gemini-cli/blob/main/docs/tools/mcp-server.md
		Name: "gemini", path: []string{"mcpServers"},
		file: func(p Places) string { return filepath.Join(p.Home, ".gemini", "settings.json") },
	},
	{ // https://zed.dev/docs/ai/mcp
		Name: "zed", path: []string{"context_servers"},
		file: func(p Places) string {
			switch runtime.GOOS {
			case "windows":
				return filepath.Join(p.Config, "Zed", "settings.json")
			case "darwin":
				return filepath.Join(p.Home, ".config", "zed", "settings.json")
			}
			return filepath.Join(p.Config, "zed", "settings.json")
		},
	},
}

// Names returns the names of all clients.
func Names() []string {
	names := []string{}
	for _, c := range all {
		names = append(names, c.Name)
	}
	return names
}

// Find returns the client of a name.
func Find(name string) (Client, error) {
	i := slices.IndexFunc(all, func(c Client) bool { return c.Name == name })
	if i < 0 {
		return Client{}, fault.New(fault.InvalidArgument, "setup: there is no client %q; the clients are %s", name, strings.Join(Names(), ", "))
	}
	return all[i], nil
}

// File returns the path of the client's configuration.
func (c Client) File(p Places) string { return c.file(p) }

// field is one line of an entry.
type field struct {
	name  string
	value any
}

func (c Client) fields(s Server) []field {
	fields := []field{{"command", s.Command}, {"args", s.Args}}
	if c.typed {
		fields = append([]field{{"type", "stdio"}}, fields...)
	}
	return fields
}

// Snippet returns the entry in an otherwise empty file.
func (c Client) Snippet(s Server) (string, error) {
	text, err := c.Put(nil, s)
	return string(text), err
}

// Put adds the server to the text of a configuration. Everything else stays
// byte for byte: comments, order, other fields of an existing entry.
func (c Client) Put(text []byte, s Server) ([]byte, error) {
	if c.toml {
		return putTOML(text, append(slices.Clone(c.path), name), c.fields(s))
	}
	return putJSON(text, append(slices.Clone(c.path), name), c.fields(s))
}

// quoted is a value as JSON and TOML both write it.
func quoted(value any) (string, error) {
	var text strings.Builder
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	err := e.Encode(value)
	return strings.TrimSpace(text.String()), err
}
