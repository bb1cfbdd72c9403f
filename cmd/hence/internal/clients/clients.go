// Package clients edits the configuration of MCP clients: where it is, what the
// entry for a server looks like, and how to add it without changing the rest.
package clients

import (
	"cmp"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"hence/internal/fault"
)

// name is the name of Hence's entry in a configuration.
const name = "hence"

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
	State   string // where records of what was written are kept
	Getenv  func(string) string
}

// Client is a program that starts MCP servers.
type Client struct {
	Name string
	Note string // what else the user must do; may be empty

	user, project func(p Places) string // the file with the servers; nil: there is none
	inProject     bool                  // hence setup writes the project's file, not the user's
	path          []string              // the names that lead to the object with the servers
	typed         bool                  // the entry has the type stdio
	joined        bool                  // the entry has the command and its arguments in one list
	toml          bool                  // the file is TOML, else JSON with comments

	hooks             *hooksOf                // nil: no hook of the client reaches the model
	readsInstructions bool                    // it has no hooks, and reads a project's AGENTS.md or CLAUDE.md
	userInstructions  func(p Places) string   // the file of instructions of the user; nil: none
	programs          []string                // their presence shows that the client is installed
	traces            func(p Places) []string // files and folders that show that it is configured
}

// Names returns the names of all clients.
func Names() []string {
	names := []string{}
	for _, c := range all {
		names = append(names, c.Name)
	}
	return names
}

// All returns all clients.
func All() []Client { return slices.Clone(all) }

// Find returns the client with a name.
func Find(name string) (Client, error) {
	i := slices.IndexFunc(all, func(c Client) bool { return c.Name == name })
	if i < 0 {
		return Client{}, fault.New(fault.InvalidArgument, "there is no client %q; the clients are %s", name, strings.Join(Names(), ", "))
	}
	return all[i], nil
}

// File returns the path of the configuration that hence setup writes.
func (c Client) File(p Places) string { return c.server(p, !c.inProject) }

// server returns the path of the configuration for the user or for a project. If the client
// has only one of them, it returns that.
func (c Client) server(p Places, user bool) string {
	if c.hasUserFile(user) {
		return c.user(p)
	}
	return c.project(p)
}

// hasUserFile reports whether the path that server returns is a file of the user's.
func (c Client) hasUserFile(user bool) bool { return user && c.user != nil || c.project == nil }

// field is one line of an entry.
type field struct {
	name  string
	value any
}

func (c Client) fields(s Server) []field {
	if c.joined {
		return []field{{"type", "local"}, {"command", append([]string{s.Command}, s.Args...)}, {"enabled", true}}
	}
	fields := []field{{"command", s.Command}, {"args", s.Args}}
	if c.typed {
		fields = append([]field{{"type", "stdio"}}, fields...)
	}
	return fields
}

// Put adds the server to the text of a configuration. Everything else stays byte for byte:
// comments, order, other fields and flags of an existing entry.
func (c Client) Put(content []byte, s Server) ([]byte, error) {
	text, mark, err := splitMark(content)
	if err != nil {
		return nil, err
	}
	fields, path := c.fieldsIn(text, s), append(slices.Clone(c.path), name)
	if len(fields) == 0 {
		return content, nil
	}
	put := putJSON
	if c.toml {
		put = putTOML
	}
	changed, err := put([]byte(text), path, fields)
	return append([]byte(mark), changed...), err
}

// The time after which a client stops waiting for a hook, in the client's unit. Hence itself
// gives up much earlier.
const (
	seconds = 5
	millis  = 5000
)

// all are the clients, with their documentation, read in November 2026.
var all = []Client{
	{ // https://code.claude.com/docs/en/mcp, /settings, /hooks
		Name: "claude-code", path: []string{"mcpServers"}, typed: true, inProject: true,
		user:    func(p Places) string { return filepath.Join(cmp.Or(claudeHome(p), p.Home), ".claude.json") },
		project: func(p Places) string { return filepath.Join(p.Project, ".mcp.json") },
		Note:    `for every project: claude mcp add --scope user hence -- COMMAND; hence init writes the hooks too`,
		hooks: &hooksOf{
			user: func(p Places) string {
				return filepath.Join(cmp.Or(claudeHome(p), filepath.Join(p.Home, ".claude")), "settings.json")
			},
			project: func(p Places) string { return filepath.Join(p.Project, ".claude", "settings.json") },
			timeout: seconds,
			events: []hook{
				{event: "SessionStart", matcher: "startup|resume|clear|compact"},
				{event: "UserPromptSubmit", when: Prompts},
				{event: "PostToolUse", matcher: "Edit|MultiEdit|NotebookEdit|Write", when: Checkpoints},
				{event: "Stop", when: Checkpoints},
			},
		},
		programs: []string{"claude"},
		traces: func(p Places) []string {
			return []string{filepath.Join(p.Home, ".claude"), filepath.Join(p.Home, ".claude.json"), claudeHome(p),
				filepath.Join(p.Project, ".claude"), filepath.Join(p.Project, ".mcp.json"), filepath.Join(p.Project, "CLAUDE.md")}
		},
	},
	{ // https://modelcontextprotocol.io/docs/develop/connect-local-servers
		Name: "claude-desktop", path: []string{"mcpServers"},
		user:   func(p Places) string { return filepath.Join(p.Config, "Claude", "claude_desktop_config.json") },
		Note:   "restart Claude Desktop",
		traces: func(p Places) []string { return []string{filepath.Join(p.Config, "Claude")} },
	},
	{ // https://cursor.com/docs/context/mcp, /docs/agent/hooks
		Name: "cursor", path: []string{"mcpServers"}, typed: true,
		user:    func(p Places) string { return filepath.Join(p.Home, ".cursor", "mcp.json") },
		project: func(p Places) string { return filepath.Join(p.Project, ".cursor", "mcp.json") },
		hooks: &hooksOf{
			user:    func(p Places) string { return filepath.Join(p.Home, ".cursor", "hooks.json") },
			project: func(p Places) string { return filepath.Join(p.Project, ".cursor", "hooks.json") },
			form:    flat, timeout: seconds, version: 1,
			events: []hook{
				{event: "sessionStart"},
				{event: "afterFileEdit", when: Checkpoints},
				{event: "stop", when: Checkpoints},
			},
		},
		programs: []string{"cursor", "cursor-agent"},
		traces: func(p Places) []string {
			return []string{filepath.Join(p.Home, ".cursor"), filepath.Join(p.Project, ".cursor")}
		},
	},
	{ // https://code.visualstudio.com/docs/agents/reference/mcp-configuration
		Name: "vscode", readsInstructions: true, path: []string{"servers"}, typed: true,
		user:     func(p Places) string { return filepath.Join(p.Config, "Code", "User", "mcp.json") },
		project:  func(p Places) string { return filepath.Join(p.Project, ".vscode", "mcp.json") },
		programs: []string{"code"},
		traces: func(p Places) []string {
			return []string{filepath.Join(p.Config, "Code", "User"), filepath.Join(p.Project, ".vscode", "mcp.json")}
		},
	},
	{ // https://developers.openai.com/codex/mcp, /codex/hooks
		Name: "codex", path: []string{"mcp_servers"}, toml: true,
		user:    func(p Places) string { return filepath.Join(codexHome(p), "config.toml") },
		project: func(p Places) string { return filepath.Join(p.Project, ".codex", "config.toml") },
		hooks: &hooksOf{
			user:    func(p Places) string { return filepath.Join(codexHome(p), "hooks.json") },
			project: func(p Places) string { return filepath.Join(p.Project, ".codex", "hooks.json") },
			timeout: seconds,
			events: []hook{
				{event: "SessionStart", matcher: "startup|resume|clear|compact"},
				{event: "UserPromptSubmit", when: Prompts},
				{event: "PostToolUse", matcher: "apply_patch|Edit|Write", when: Checkpoints},
				{event: "Stop", when: Checkpoints},
			},
		},
		programs: []string{"codex"},
		traces: func(p Places) []string {
			return []string{codexHome(p), filepath.Join(p.Project, ".codex")}
		},
	},
	{ // https://github.com/google-gemini/gemini-cli: docs/tools/mcp-server.md, docs/hooks/reference.md
		Name: "gemini", path: []string{"mcpServers"},
		user:    func(p Places) string { return filepath.Join(p.Home, ".gemini", "settings.json") },
		project: func(p Places) string { return filepath.Join(p.Project, ".gemini", "settings.json") },
		hooks: &hooksOf{
			user:    func(p Places) string { return filepath.Join(p.Home, ".gemini", "settings.json") },
			project: func(p Places) string { return filepath.Join(p.Project, ".gemini", "settings.json") },
			timeout: millis,
			events: []hook{
				{event: "SessionStart"},
				// After a compression, the first event whose answer reaches the model is the next prompt.
				{event: "PreCompress"},
				{event: "BeforeAgent", hasPromptsFlag: true},
				{event: "AfterTool", matcher: "write_file|replace", when: Checkpoints},
				{event: "AfterAgent", when: Checkpoints},
			},
		},
		programs: []string{"gemini"},
		traces: func(p Places) []string {
			return []string{filepath.Join(p.Home, ".gemini"), filepath.Join(p.Project, ".gemini"), filepath.Join(p.Project, "GEMINI.md")}
		},
	},
	{ // https://zed.dev/docs/ai/mcp
		Name: "zed", readsInstructions: true, path: []string{"context_servers"},
		user:     func(p Places) string { return filepath.Join(zedHome(p), "settings.json") },
		project:  func(p Places) string { return filepath.Join(p.Project, ".zed", "settings.json") },
		programs: []string{"zed", "zeditor"},
		traces:   func(p Places) []string { return []string{zedHome(p), filepath.Join(p.Project, ".zed")} },
	},
	{ // https://opencode.ai/docs/mcp-servers, /docs/config, /docs/rules
		Name: "opencode", readsInstructions: true, path: []string{"mcp"}, joined: true,
		user:             func(p Places) string { return either(opencodeHome(p), "opencode.jsonc", "opencode.json") },
		project:          func(p Places) string { return either(p.Project, "opencode.jsonc", "opencode.json") },
		userInstructions: func(p Places) string { return filepath.Join(opencodeHome(p), "AGENTS.md") },
		programs:         []string{"opencode"},
		traces: func(p Places) []string {
			return []string{opencodeHome(p), filepath.Join(p.Project, "opencode.json"), filepath.Join(p.Project, "opencode.jsonc"), filepath.Join(p.Project, ".opencode")}
		},
	},
	{ // https://docs.windsurf.com/windsurf/cascade/mcp; its hooks reach no model
		Name: "windsurf", readsInstructions: true, path: []string{"mcpServers"},
		user:     func(p Places) string { return filepath.Join(p.Home, ".codeium", "windsurf", "mcp_config.json") },
		programs: []string{"windsurf"},
		traces: func(p Places) []string {
			return []string{filepath.Join(p.Home, ".codeium", "windsurf"), filepath.Join(p.Project, ".windsurf")}
		},
	},
	{ // https://docs.cline.bot/mcp/configuring-mcp-servers
		Name: "cline", readsInstructions: true, path: []string{"mcpServers"},
		user:     clineFile,
		programs: []string{"cline"},
		traces: func(p Places) []string {
			return []string{filepath.Join(p.Home, ".cline"), clineExtension(p), filepath.Join(p.Project, ".clinerules")}
		},
	},
}

// claudeHome returns the folder that the user chose for the settings of Claude Code; "" for
// the usual places.
func claudeHome(p Places) string { return p.Getenv("CLAUDE_CONFIG_DIR") }

func codexHome(p Places) string {
	return cmp.Or(p.Getenv("CODEX_HOME"), filepath.Join(p.Home, ".codex"))
}

// opencodeHome returns the folder of OpenCode's settings, in ~/.config on every system.
func opencodeHome(p Places) string {
	return filepath.Join(cmp.Or(p.Getenv("XDG_CONFIG_HOME"), filepath.Join(p.Home, ".config")), "opencode")
}

func zedHome(p Places) string {
	switch runtime.GOOS {
	case "windows":
		return filepath.Join(p.Config, "Zed")
	case "darwin":
		return filepath.Join(p.Home, ".config", "zed")
	}
	return filepath.Join(p.Config, "zed")
}

// clineExtension returns the folder of Cline's extension within Visual Studio Code.
func clineExtension(p Places) string {
	return filepath.Join(p.Config, "Code", "User", "globalStorage", "saoudrizwan.claude-dev")
}

// clineFile returns the settings of Cline's extension if that is installed, or else those of
// its command line.
func clineFile(p Places) string {
	if file := p.Getenv("CLINE_MCP_SETTINGS_PATH"); file != "" {
		return file
	}
	if exists(clineExtension(p)) {
		return filepath.Join(clineExtension(p), "settings", "cline_mcp_settings.json")
	}
	return filepath.Join(p.Home, ".cline", "data", "settings", "cline_mcp_settings.json")
}

// either returns the first of two files of a folder if it exists, else the second.
func either(folder, first, second string) string {
	if file := filepath.Join(folder, first); exists(file) {
		return file
	}
	return filepath.Join(folder, second)
}

func exists(path string) bool {
	if path == "" {
		return false
	}
	_, err := os.Stat(path)
	return err == nil
}
