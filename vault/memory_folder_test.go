package vault_test

import (
	"slices"
	"strings"
	"testing"

	"hence/edges/walk"
	"hence/internal/db/dbtest"
	"hence/vault/vaulttest"
)

// byAgents returns the paths of the files that count as agents' memories.
func byAgents(f vaulttest.Folder) string {
	return strings.Join(dbtest.Texts(f.T, f.Importer.DB, `select replace(uri, 'obsidian-fs://v/', '') from memories where source = 'agent' and status <> 'forgotten' order by 1`), " ")
}

func TestNotesBelowTheFolderOfAgentsAreTheirMemories(t *testing.T) {
	files := map[string]string{
		"a.md": "x", "_memory/b.md": "x", "_memory/sub/c.md": "x", "_memory/d.canvas": "{}", "_memory/e.png": "", "team/_memory/f.md": "x",
		"_memory.md": "x", "_memory2/g.md": "x", "my_memory/h.md": "x", "agents/i.md": "x",
		"_memory/page.md": "---\nsource: https://a.example/x\n---\n", "_memory/tool.md": "---\nhence-source: tool\n---\n", "_memory/person.md": "---\nhence-source: person\n---\n",
		"exported.md": "---\nhence-source: agent\n---\n",
	}
	const byDefault = "_memory/b.md _memory/d.canvas _memory/e.png _memory/person.md _memory/sub/c.md exported.md team/_memory/f.md"
	for _, c := range []struct{ name, settings, want string }{
		{"ByDefault", "", byDefault},
		{"OtherSettings", "mute: [x]\n", byDefault},
		{"Named", "memory: [\"agents/**\"]\n", "agents/i.md exported.md"},
		{"NamedAsAFolder", "memory: [agents/]\n", "agents/i.md exported.md"},
		{"AtTheRootOnly", "memory: [\"_memory/**\"]\n", strings.TrimSuffix(byDefault, " team/_memory/f.md")},
		{"ButForOne", "memory: [\"_memory/**\", \"!_memory/sub/**\"]\n", strings.Replace(strings.TrimSuffix(byDefault, " team/_memory/f.md"), "_memory/sub/c.md ", "", 1)},
		{"None", "memory: []\n", "exported.md"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := vaulttest.New(t, files)
			if c.settings != "" {
				f.Write(".hence.yaml", c.settings)
			}
			f.Imports()
			if got := byAgents(f); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestANoteThatMovesOrWhoseFolderIsSetAnewChangesItsAuthor(t *testing.T) {
	f := vaulttest.New(t, map[string]string{"a.md": "one", "_memory/b.md": "two", "agents/c.md": "three"})
	f.Imports()
	f.Move("a.md", "_memory/a.md")
	f.Move("_memory/b.md", "b.md")
	f.Imports()
	if got := byAgents(f); got != "_memory/a.md" {
		t.Errorf("after the moves: %s", got)
	}
	f.Write(".hence.yaml", "memory: [agents/]\n")
	f.Imports()
	if got := byAgents(f); got != "agents/c.md" {
		t.Errorf("after the setting: %s", got)
	}
}

func TestExpandShowsAgentsNotesWhereANoteLinksToThem(t *testing.T) {
	f := vaulttest.New(t, map[string]string{
		"hub.md": "[[shown]] and [[note]]", "note.md": "x", "_memory/shown.md": "[[deep]]", "_memory/deep.md": "x",
		"_memory/asks.md": "[[hub]]", "_memory/board.canvas": `{"nodes":[{"type":"file","file":"hub.md"}]}`,
	})
	f.Imports()
	for memories, want := range map[string]string{"all": "asks board.canvas deep note shown", "linked": "note shown", "none": "note"} {
		result, err := walk.Graph(f.View()).Expand(t.Context(), walk.ExpandArgs{Seeds: []string{"hub"}, Hops: 2, Memories: memories})
		titles := []string{}
		for _, r := range result.Results {
			titles = append(titles, r.Title)
		}
		slices.Sort(titles)
		if got := strings.Join(titles, " "); err != nil || got != want {
			t.Errorf("%s: got %s (%v), want %s", memories, got, err, want)
		}
	}
}
