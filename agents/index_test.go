package agents_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

func TestAnIndexSaysNothingOfWhatItListsInAnyForm(t *testing.T) {
	for name, text := range map[string]string{
		"Link":         "- [Lease](lease.md) — renewed at two thirds",
		"Wiki":         "- [[lease]] — renewed at two thirds",
		"WikiLabel":    "- [[lease|Lease]]: renewed at two thirds",
		"WikiName":     "- [[Lease Renewal]]: renewed at two thirds",
		"Numbered":     "1. [Lease](lease.md) — renewed at two thirds\n2) `lease.md` renewed",
		"Code":         "- `lease.md`: renewed at two thirds",
		"Bare":         "* lease.md - renewed at two thirds",
		"Bold":         "- **[Lease](lease.md)**: renewed at two thirds",
		"BoldTitle":    "- **How the lease is renewed at night** (`lease.md`): at two thirds",
		"Title":        "- Lease renewal: `lease.md`, at two thirds",
		"Arrow":        "- Lease renewal → lease.md, at two thirds",
		"See":          "- See [lease](./lease.md \"Lease\") on how it is renewed",
		"Angles":       "- <lease.md> renewed at two thirds",
		"AngledLink":   "- [Lease](<lease.md>) renewed at two thirds",
		"Part":         "- [Lease](lease.md#renewal) renewed at two thirds",
		"Task":         "- [x] [Lease](lease.md) renewed at two thirds",
		"Table":        "| File | About |\n|------|:-----:|\n| [Lease](lease.md) | renewed at two thirds |\n| renewed | `lease.md` |",
		"Quote":        "> - [Lease](lease.md) renewed at two thirds",
		"NoBullet":     "[Lease](lease.md) — renewed at two thirds",
		"Tree":         "```\nmemory/\n├── lease.md  renewed at two thirds\n```",
		"Continued":    "- [Lease](lease.md)\n  renewed at two thirds\nof the term\n\n  and at night\n  - renewed twice",
		"SmallEnding":  "- [Lease](lease.MD): renewed",
		"CRLF":         "- [[lease]]: renewed\r\n\r\n| File |\r\n|---|\r\n| lease.md |\r\n",
		"Heads":        "Memory\n======\n\n## Topics\n---\n- [[lease]] renewed",
		"OtherNumbers": "- 2026-03: [[lease]] renewed",
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.write(".claude/"+memoryOf+"lease.md", "---\nname: Lease renewal\n---\nA lease is renewed at two thirds of its term.\n")
			w.write(".claude/"+memoryOf+"MEMORY.md", "# Memory\n\n"+text+"\n")
			report := w.take()["claude-code"]
			if name == "Tree" { // the line of the folder stays
				w.expect("what it says of the lease", w.texts(`select content from memories where title like '%MEMORY' and content like '%renewed%'`))
			} else {
				w.expect("the index", w.texts(`select kind || content from memories where title like '%MEMORY'`), "file")
			}
			for _, one := range report.Warnings {
				if strings.Contains(one.Text, "does not name") {
					t.Errorf("warned: %s", one.Text)
				}
			}
		})
	}
}

func TestAnIndexKeepsWhatItSaysItself(t *testing.T) {
	w := newWorld(t)
	w.write(".claude/"+memoryOf+"MEMORY.md", `# Memory
- [[lease]] gone
- Never merge on Fridays, see [release](release.md)
- Never edit CHANGELOG.md
- `+"`README.md`"+`: made by a program
- docs/api.md: never by hand
- [Guide](https://example.com/guide.md): read it first

Run the tests before lease.md is changed.

| Port | Use |
|------|-----|
| 7070 | queue |
- Drain with a deadline
  as in lease.md
`)
	w.take()
	kept := strings.Join(w.texts(`select content from memories where title like '%MEMORY'`), "")
	for _, want := range []string{"Never merge on Fridays", "Never edit CHANGELOG.md", "made by", "by hand", "read it first", "Run the tests", "| 7070 | queue |", "Drain with a deadline\n  as in"} {
		if !strings.Contains(kept, want) {
			t.Errorf("%q is gone from\n%s", want, kept)
		}
	}
	if strings.Contains(kept, "gone") {
		t.Errorf("what is listed is kept:\n%s", kept)
	}
}

// A link to a folder is not followed, wherever it leads and wherever it lies on the way to files of a rule.
func TestALinkOnTheWayToFilesOfARuleIsWarnedOf(t *testing.T) {
	for link, to := range map[string]string{
		".claude/rules": "shared", ".claude/rules/team": "shared", ".claude/projects": "shared", ".claude/projects/-a": "shared", ".claude/projects/-b/memory": ".claude/here", ".claude/agent-memory": "gone",
		"src/queue/.claude/rules": "shared", "src/queue/.cursor": "shared", "src/queue/result": "shared", "src/queue/README": "shared/x.md", ".claude/debug": "shared",
	} {
		t.Run(link, func(t *testing.T) {
			w := newWorld(t)
			w.write("shared/x.md", "Outside")
			w.write(".claude/here/x.md", "Beside")
			w.write(".claude/CLAUDE.md", "x")
			w.write("src/queue/CLAUDE.md", "x")
			w.write(link+".file", "so that the folder is there")
			if err := os.Symlink(w.path(to), w.path(link)); err != nil {
				t.Fatal(err)
			}
			warned := ""
			for _, r := range w.take() {
				for _, one := range r.Warnings {
					warned += one.Path + ": " + one.Text
				}
			}
			want := regexp.MustCompile(`^(\.claude|src/queue)/`).ReplaceAllString(link, "") + ": it is a link"
			if link == "src/queue/result" || link == "src/queue/README" || link == ".claude/debug" {
				want = ""
			}
			if !strings.HasPrefix(warned, want) || want == "" && warned != "" {
				t.Errorf("warned %q, want %q", warned, want)
			}
			w.expect("texts from outside", w.texts(`select title from memories where content like '%Outside%' or content like '%Beside%'`))
		})
	}
}
