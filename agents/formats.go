package agents

import (
	"path"
	"slices"
	"strings"

	"hence/internal/lists"
	"hence/internal/pattern"
	"hence/projection/folder"
)

// rule says how the files of a glob are read. In a glob, ** stands for any folders; neither it nor *
// stands for a name that starts with a dot.
type rule struct {
	glob   string
	kind   string   // of the memories, or one of the three below
	loaded []string // clients that load such a file at the start of a session
}

// byType is the kind of files whose front matter has a type, and whose MEMORY.md is an index; byGroup that of a file each
// task group of which is a fact; unread that of files beside them, which are kept and not read.
const (
	byType  = ""
	byGroup = "group"
	unread  = "file"
)

// home is the folder of a client below the person's home.
type home struct {
	name    string // of the mirror
	dir     string // below the home
	env     string // variable that names another folder; "": none
	setting string // of settings.json in the folder, which names the folder that is meant; "": none
	rules   []rule
}

// The formats, with the version and the day of the last look at what the client's maker, or its
// source, says of them. docs/agents.md has the same.
var homes = []home{
	{"claude-code", ".claude", "CLAUDE_CONFIG_DIR", "", []rule{ // 2.1.240, 2026-08-22
		{"CLAUDE.md", "instruction", []string{"claude-code"}},
		{"rules/**/*.md", "instruction", []string{"claude-code"}},
		{"projects/*/memory/**/*.md", byType, nil},
		{"projects/*/memory/**/*", unread, nil},
		{"agent-memory/**/*.md", byType, nil},
	}},
	{"claude-code-memory", ".claude", "CLAUDE_CONFIG_DIR", "autoMemoryDirectory", []rule{{"**/*.md", byType, nil}}}, // 2.1.240, 2026-08-22
	{"codex", ".codex", "CODEX_HOME", "", []rule{ // 0.156, September 2026
		{"AGENTS.override.md", "instruction", []string{"codex"}},
		{"AGENTS.md", "instruction", []string{"codex"}},
		{"memories/memory_summary.md", "preference", []string{"codex"}},
		{"memories/MEMORY.md", byGroup, nil},
		{"memories/raw_memories.md", "summary", nil},
		{"memories/rollout_summaries/*.md", "summary", nil},
		{"memories/skills/**/*", unread, nil},
		{"memories/extensions/**/*", unread, nil},
	}},
	{"gemini", ".gemini", "", "", []rule{ // 0.56, 2026-08-21
		{"GEMINI.md", "instruction", []string{"gemini"}},
		{"tmp/*/memory/**/*.md", byType, nil},
	}},
	{"kiro", ".kiro", "", "", []rule{{"steering/**/*.md", "instruction", []string{"kiro"}}}}, // documentation of 2026
	{"windsurf", ".codeium/windsurf/memories", "", "", []rule{{"global_rules.md", "instruction", []string{"windsurf"}}}},
	{"zed", ".config/zed", "", "", []rule{{"AGENTS.md", "instruction", []string{"zed"}}}},
}

// ofRepository ends the name of the mirror of a repository's rules.
const ofRepository = "-rules"

// ofAny are the clients that load AGENTS.md of a repository.
var ofAny = []string{"codex", "cursor", "copilot", "vscode", "zed", "opencode", "windsurf", "kiro"}

var repository = []rule{
	{"AGENTS.md", "instruction", ofAny},
	{"*/AGENTS.md", "instruction", nil},
	{"*/*/AGENTS.md", "instruction", nil},
	{"CLAUDE.md", "instruction", []string{"claude-code"}},
	{"CLAUDE.local.md", "instruction", []string{"claude-code"}},
	{"*/CLAUDE.md", "instruction", nil},
	{"*/*/CLAUDE.md", "instruction", nil},
	{".claude/CLAUDE.md", "instruction", []string{"claude-code"}},
	{".claude/rules/**/*.md", "instruction", []string{"claude-code"}},
	{".claude/agent-memory/**/*.md", byType, nil},
	{".claude/agent-memory-local/**/*.md", byType, nil},
	{"GEMINI.md", "instruction", []string{"gemini"}},
	{".github/copilot-instructions.md", "instruction", []string{"copilot", "vscode"}},
	{".github/instructions/**/*.instructions.md", "instruction", []string{"copilot", "vscode"}},
	{".cursor/rules/**/*.mdc", "instruction", []string{"cursor"}},
	{".cursorrules", "instruction", []string{"cursor"}},
	{".kiro/steering/**/*.md", "instruction", []string{"kiro"}},
	{".windsurf/rules/**/*.md", "instruction", []string{"windsurf"}},
	{".devin/rules/**/*.md", "instruction", []string{"windsurf"}},
	{".clinerules", "instruction", []string{"cline"}},
	{".clinerules/**/*.md", "instruction", []string{"cline"}},
	{"memory-bank/**/*.md", "fact", nil},
	{".goosehints", "instruction", nil},
}

// imported is how a file is read that CLAUDE.md or GEMINI.md imports.
var imported = rule{kind: "instruction"}

var number = pattern.Lazy(`-[0-9]+$`)

// rulesOf returns the rules of a mirror by its name, and whether it is a repository's.
func rulesOf(name string) (rules []rule, isRepository bool) {
	name = number().ReplaceAllString(name, "")
	if n := slices.IndexFunc(homes, func(h home) bool { return h.name == name }); n >= 0 {
		return homes[n].rules, false
	}
	return repository, true
}

// everyRule has the rules of all folders.
var everyRule = slices.Concat(append(lists.Map(homes, func(h home) []rule { return h.rules }), repository)...)

// wants reports whether some client keeps a memory file at a path, or below it.
func wants(name string) bool {
	if !folder.IsHidden(name) && isProse(name) { // another file may import it
		return true
	}
	return slices.ContainsFunc(everyRule, func(r rule) bool {
		whole, above := match(strings.Split(r.glob, "/"), strings.Split(name, "/"))
		return whole || above
	})
}

// match compares a path with a glob: it is one of the glob's files, or a folder that may have some.
func match(glob, name []string) (whole, above bool) {
	switch {
	case len(name) == 0:
		return len(glob) == 0, len(glob) > 0
	case len(glob) == 0 || strings.HasPrefix(name[0], ".") && !strings.HasPrefix(glob[0], "."):
		return false, false
	case glob[0] == "**":
		whole, above = match(glob[1:], name)
		further, below := match(glob, name[1:])
		return whole || further, above || below
	}
	last := name[0]
	if ending := path.Ext(last); strings.HasPrefix(glob[0], "*") { // a name of its own is read as it is written
		last = strings.TrimSuffix(last, ending) + strings.ToLower(ending)
	}
	if ok, _ := path.Match(glob[0], last); !ok {
		return false, false
	}
	return match(glob[1:], name[1:])
}
