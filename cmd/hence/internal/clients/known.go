package clients

import (
	"cmp"
	"os"
	"path/filepath"
	"runtime"
)

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
