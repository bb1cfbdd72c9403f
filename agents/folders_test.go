package agents_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"hence/code"
	"hence/projection"
)

func TestAFolderIsFoundWhereTheClientIsToldToKeepIt(t *testing.T) {
	w := newWorld(t)
	w.write("elsewhere/claude/projects/-x/memory/a.md", "x")
	w.write("elsewhere/claude/settings.json", `{"autoMemoryDirectory": "~/notes of agents"}`)
	w.write("notes of agents/b.md", "---\ntype: user\n---\nb")
	w.write("codex/AGENTS.md", "c")
	w.write(".claude/CLAUDE.md", "not this one")
	w.places.Getenv = func(name string) string {
		return map[string]string{"CLAUDE_CONFIG_DIR": w.path("elsewhere/claude"), "CODEX_HOME": w.path("codex")}[name]
	}
	w.take()
	w.expect("folders", w.texts(`select v.name || ' ' || f.path from files f join mirrors v on v.key = f.mirror order by 1`), "claude-code projects/-x/memory/a.md", "claude-code-memory b.md", "codex AGENTS.md")
	w.places.Getenv = func(string) string { return "" }
	w.take()
	w.expect("folders", w.texts(`select v.name || ' ' || f.path from files f join mirrors v on v.key = f.mirror order by 1`), "claude-code projects/-x/memory/a.md", "claude-code-2 CLAUDE.md", "claude-code-memory b.md", "codex AGENTS.md")
}

// A disk may not be mounted: what is gone as a whole stays in the store, and is said.
func TestAFolderThatIsGoneIsSaidAndForgetsNothing(t *testing.T) {
	for _, gone := range []string{".claude", ".codex", "src/queue", "notes of agents"} {
		t.Run(gone, func(t *testing.T) {
			w := newWorld(t)
			for _, file := range []string{".claude/CLAUDE.md", ".codex/AGENTS.md", "src/queue/AGENTS.md", "notes of agents/a.md"} {
				w.write(file, "Rules of "+file)
			}
			w.write(".claude/settings.json", `{"autoMemoryDirectory": "~/notes of agents"}`)
			w.take()
			before := w.texts(`select uri from memories where status = 'current'`)
			for n := range 2 {
				if err := os.Rename(w.path(gone), w.path("away")); n == 0 && err != nil {
					t.Fatal(err)
				}
				warned := ""
				for _, r := range w.take() {
					for _, one := range r.Warnings {
						warned += one.Text
					}
				}
				if !strings.Contains(warned, "the folder "+w.path(gone)+" is not there") {
					t.Errorf("warned %q", warned)
				}
				w.expect("what stays", w.texts(`select uri from memories where status = 'current'`), before...)
			}
			if err := os.Rename(w.path("away"), w.path(gone)); err != nil {
				t.Fatal(err)
			}
			for _, r := range w.take() {
				if r.HasChanged() || len(r.Warnings) > 0 {
					t.Errorf("once it is back: %+v", r)
				}
			}
		})
	}
}

func TestAnotherFolderMayHaveTheNameOfAClient(t *testing.T) {
	w := newWorld(t)
	w.write("claude-code/a.go", "package a\n")
	w.write(".claude/CLAUDE.md", "Answer shortly.")
	w.write("src/queue/AGENTS.md", "x")
	for _, name := range []string{"claude-code", "queue-rules"} {
		if _, err := (code.Importer{DB: w.DB, Caller: w.Caller}).Mirror().Import(t.Context(), projection.ImportArgs{Dir: w.path("claude-code"), Name: name}); err != nil {
			t.Fatal(err)
		}
	}
	w.take()
	w.take()
	w.expect("folders", w.texts(`select name || ' ' || form from mirrors order by 1`), "claude-code code", "claude-code-2 agents", "queue-rules code", "queue-rules-2 agents")
	w.expect("trust", w.texts(`select title || ' ' || own_rank from memories where uri like 'agents:%' order by 1`), "AGENTS.md of queue 3", "CLAUDE.md of claude-code 4")
}

func TestWhatIsAllowedOfAFolderIsNotOfTheNextOne(t *testing.T) {
	w := newWorld(t)
	w.write("src/queue/AGENTS.md", "x")
	w.take()
	if _, err := w.Trust(t.Context(), "queue-rules", true); err != nil {
		t.Fatal(err)
	}
	w.expect("trusted", w.texts(`select source from memories`), "note")
	if _, err := w.AllowRestore(t.Context(), "", true); err != nil {
		t.Fatal(err)
	}
	w.take()
	w.expect("trusted still", w.texts(`select source from memories`), "note")
	if err := os.Rename(w.places.Folder, w.path("src/elsewhere")); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Mirror().Import(t.Context(), projection.ImportArgs{Dir: w.path("src/elsewhere"), Name: "queue-rules"}); err != nil {
		t.Fatal(err)
	}
	if all, err := w.Permissions(t.Context()); err != nil || len(all) != 1 || all[0].Restore {
		t.Errorf("%+v, %v", all, err)
	}
	w.write("src/elsewhere/AGENTS.md", "y")
	w.take()
	if _, err := w.Mirror().Import(t.Context(), projection.ImportArgs{Dir: w.path("src/elsewhere"), Name: "queue-rules"}); err != nil {
		t.Fatal(err)
	}
	w.expect("not trusted", w.texts(`select source from memories where content = 'y'`), "import")
}

func TestRuleFilesOfARepository(t *testing.T) {
	w := newWorld(t)
	for name, text := range map[string]string{
		"AGENTS.md": "a", "pkg/a/AGENTS.md": "a", "node_modules/x/AGENTS.md": "a", "GEMINI.md": "a", ".cursorrules": "a", ".clinerules/one.md": "a",
		".cursor/rules/deep/q.mdc": "---\nglobs: *.go, cmd/**\n---\na", ".kiro/steering/q.md": "---\ninclusion: always\n---\na", ".github/copilot-instructions.md": "a",
		".github/instructions/q.instructions.md": "---\napplyTo: \"internal/**\"\n---\na", ".github/workflows/README.md": "no", "README.md": "no", "memory-bank/progress.md": "a", ".claude/settings.json": "{}",
		".claude/rules/q.md": "---\npaths:\n  - \"a/*.go\"\n---\na", ".git/AGENTS.md": "no", ".claude/agent-memory/rev/x.md": "---\ntype: feedback\n---\nNever x.",
	} {
		w.write("src/queue/"+name, text)
	}
	report := w.take()["queue-rules"]
	w.expect("files", w.texts(`select f.path || ' ' || m.kind || ' ' || coalesce(m.properties ->> '$.globs', '') from files f join memories m on m.key = f.memory order by 1`),
		".claude/agent-memory/rev/x.md rule ", ".claude/rules/q.md instruction ", ".clinerules/one.md instruction ", ".cursor/rules/deep/q.mdc instruction *.go, cmd/**", ".cursorrules instruction ",
		".github/copilot-instructions.md instruction ", ".github/instructions/q.instructions.md instruction ", ".kiro/steering/q.md instruction ",
		"AGENTS.md instruction ", "GEMINI.md instruction ", "memory-bank/progress.md fact ", "pkg/a/AGENTS.md instruction ")
	w.expect("texts", w.texts(`select distinct trim(content, char(10)) from memories order by 1`), "Never x.", "a")
	w.expect("less trusted than an agent's", w.texts(`select title from memories where own_rank <> 3`))
	if len(report.Warnings) > 0 {
		t.Errorf("warnings: %v", report.Warnings)
	}
}

func TestWhichClientsLoadAFile(t *testing.T) {
	w := newWorld(t)
	for name, text := range map[string]string{
		"AGENTS.md": "a", "CLAUDE.md": "@AGENTS.md @docs/x.md", "GEMINI.md": "@docs/x.md", "docs/x.md": "x",
		".claude/rules/always.md": "a", ".claude/rules/some.md": "---\npaths: a/*.go\n---\na",
		".cursor/rules/always.mdc": "---\nglobs:\nalwaysApply: true\n---\na", ".cursor/rules/some.mdc": "---\nalwaysApply: false\n---\na",
		".github/instructions/always.instructions.md": "---\napplyTo: \"**\"\n---\na", ".github/instructions/some.instructions.md": "---\napplyTo: \"a/**\"\n---\na",
		".kiro/steering/always.md": "---\ninclusion: always\n---\na", ".kiro/steering/some.md": "---\ninclusion: manual\n---\na",
	} {
		w.write("src/queue/"+name, text)
	}
	w.take()
	w.expect("loaded", w.texts(`select f.path || ' ' || (m.properties ->> '$.loaded_by') from files f join memories m on m.key = f.memory where m.properties ->> '$.loaded_by' <> '' order by 1`),
		`.claude/rules/always.md ["claude-code"]`, `.cursor/rules/always.mdc ["cursor"]`, `.github/instructions/always.instructions.md ["copilot","vscode"]`, `.kiro/steering/always.md ["kiro"]`,
		`AGENTS.md ["claude-code","codex","copilot","cursor","kiro","opencode","vscode","windsurf","zed"]`, `CLAUDE.md ["claude-code"]`, `GEMINI.md ["gemini"]`, `docs/x.md ["claude-code","gemini"]`)
	if err := errors.Join(os.Remove(w.path("src/queue/CLAUDE.md")), os.Symlink("AGENTS.md", w.path("src/queue/CLAUDE.md"))); err != nil {
		t.Fatal(err)
	}
	w.write("src/queue/AGENTS.md", "changed")
	w.take()
	w.expect("loaded by a link", w.texts(`select title from memories where status = 'current' and properties ->> '$.loaded_by' like '%claude-code%codex%'`), "AGENTS.md of queue")
}
