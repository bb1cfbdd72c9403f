package vault_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory/exchange/lines"
	"hence/memory/exchange/notes"
	"hence/vault"
	"hence/vault/note"
)

var (
	ownNames = []string{
		"supersedes", "superseded_by", "Replaces", "depends-on", "contradicts", "up", "related", "source", "mentions", "status", "aliases", "alias", "tags", "tag",
		"kind", "created", "updated", "hence-id", "hence-properties", "hence-source", "owner", "author", "x y", "x-y", "meta", "a.supersedes", "<<", "?", "", "null", "1", "né", "...", "a: b",
	}
	ownValues = []any{
		"[[A]]", "see [[B]] and [[A|x]]", "[b](B.md)", "![[C]]", "A", "b", "Nick", "superseded", "open", "", ".inf", "2026-01-01", "a: b\n---\nc", "#tag",
		[]any{"[[A]]", "B", int64(1)}, []any{"A"}, []any{}, []any{[]any{"A"}}, []any{[]any{"[[A]]"}}, map[string]any{"supersedes": "[[A]]"}, map[string]any{"x": []any{"C"}}, map[string]any{},
		"https://example.com/x", int64(12345678901234567), 1.5, 1e21, true, nil,
	}
)

// Properties of a memory with any names and values survive an export as notes and an import,
// and make no edge, tag, alias or status.
func TestPropertiesOfAMemoryComeBackAsProperties(t *testing.T) {
	dbtest.CheckTimes(t, 12)
	empty := dbtest.NewEmpties(t)
	rapid.Check(t, func(rt *rapid.T) {
		store, remove := empty.Next(rt)
		defer remove()
		properties := map[string]map[string]any{}
		var given strings.Builder
		for _, title := range []string{"A", "B", "C"} {
			own := map[string]any{}
			for range rapid.IntRange(0, 4).Draw(rt, "properties") {
				own[rapid.SampledFrom(ownNames).Draw(rt, "name")] = rapid.SampledFrom(ownValues).Draw(rt, "value")
			}
			properties[title] = own
			line := map[string]any{"type": "memory", "id": title, "title": title, "content": "Text.", "properties": own}
			if rapid.Bool().Draw(rt, "tags?") {
				line["tags"], line["aliases"] = []string{"t/" + strings.ToLower(title)}, []string{"Nick of " + title}
			}
			writeLine(rt, &given, line)
		}
		for i, ends := range [][2]string{{"A", "B"}, {"B", "C"}, {"A", "C"}} {
			if kind := rapid.SampledFrom([]string{"", "", "supersedes", "depends-on", "part-of"}).Draw(rt, "edge"); kind != "" {
				writeLine(rt, &given, map[string]any{"type": "edge", "id": fmt.Sprint("e", i), "from": ends[0], "to": ends[1], "edge_type": kind})
			}
		}
		ctx := context.Background()
		if _, err := lines.Import(ctx, ref.View{DB: store}, strings.NewReader(given.String()), lines.ImportArgs{Name: "FILE"}); err != nil {
			if strings.Contains(err.Error(), "successor") {
				return // two successors of one memory
			}
			rt.Fatal(err)
		}
		dir, err := os.MkdirTemp(t.TempDir(), "notes")
		if err != nil {
			rt.Fatal(err)
		}
		if _, err := notes.Export(ctx, ref.View{DB: store}, dir); err != nil {
			rt.Fatal(err)
		}
		back, remove := empty.Next(rt)
		defer remove()
		if _, err := (vault.Importer{DB: back, Caller: ref.Caller{Actor: "tester"}}).Import(ctx, vault.ImportArgs{Dir: dir}); err != nil {
			rt.Fatal(err)
		}
		for name, query := range map[string]string{
			"edges":        `select f.title || ' ' || e.kind || ' ' || e.rel || ' ' || t.title from edges e join memories f on f.key = e.from_key join memories t on t.key = e.to_key order by 1`,
			"statuses":     `select title || ' ' || status from memories order by 1`,
			"times":        `select title || ' ' || created_at from memories order by 1`,
			"clippings":    `select title from memories where source = 'web' order by 1`,
			"tags":         `select title || ' ' || tags from memories order by 1`,
			"aliases":      `select title || ' ' || aliases from memories order by 1`,
			"dangling":     `select from_title || target from dangling_links order by 1`,
			"files":        `select m.title from files f join memories m on m.key = f.memory where f.warnings <> '[]' and f.warnings not like '%not a time that can be read%'`,
			"note's words": `select m.title from files f join memories m on m.key = f.memory where f.superseded and m.status <> 'superseded'`,
		} {
			if diff := cmp.Diff(dbtest.Texts(rt, store, query), dbtest.Texts(rt, back, query)); diff != "" {
				rt.Fatalf("%s (-store +back):\n%s\n%s", name, diff, writeNotes(dir))
			}
		}
		for title, own := range properties {
			got := db.Properties{}
			if err := json.Unmarshal([]byte(dbtest.Texts(rt, back, `select properties from memories where title = '`+title+`'`)[0]), &got); err != nil {
				rt.Fatal(err)
			}
			for name, value := range own {
				if diff := cmp.Diff(value, got[name]); diff != "" {
					rt.Fatalf("the property %q of %s (-store +back):\n%s\n%s", name, title, diff, writeNotes(dir))
				}
			}
			if _, there := got["hence-properties"]; there {
				if _, asked := own["hence-properties"]; !asked {
					rt.Fatalf("hence-properties is a property of %s itself: %v", title, got)
				}
			}
		}
	})
}

func writeLine(t rapid.TB, out *strings.Builder, line map[string]any) {
	text, err := json.Marshal(line)
	if err != nil {
		t.Fatal(err)
	}
	out.Write(append(text, '\n'))
}

// notes returns the names and texts of the notes in a folder.
func writeNotes(dir string) string {
	all, _ := filepath.Glob(filepath.Join(dir, "*.md"))
	texts := []string{}
	for _, path := range all {
		text, _ := os.ReadFile(path)
		texts = append(texts, filepath.Base(path)+"\n"+string(text))
	}
	return strings.Join(texts, "\n")
}

// A member status of OwnProperties does not set the status of the note, also after its
// successor is removed.
func TestAnOwnStatusDoesNotOutliveASuccessor(t *testing.T) {
	own := "---\nhence-properties:\n  status: superseded\n  supersedes: \"[[new]]\"\n---\n"
	f := newFolder(t, map[string]string{"old.md": own, "new.md": "---\nsupersedes: \"[[old]]\"\n---\n"})
	f.Imports()
	f.Want("new supersedes old")
	f.Write("new.md", "no more")
	f.Imports()
	f.Want()
	if got := rows(t, f.Importer.DB, `select title from memories where status = 'superseded'`); len(got) > 0 {
		t.Errorf("superseded: %v, want none", got)
	}
	if got := rows(t, f.Importer.DB, `select properties from memories where title = 'old'`); !slices.Equal(got, []string{`{"status":"superseded","supersedes":"[[new]]"}`}) {
		t.Errorf("the properties are %v", got)
	}
}

func TestImportCountsNotesWhoseTagsObsidianReadsAsNone(t *testing.T) {
	for _, c := range []struct {
		tags string
		none bool
	}{
		{"a, b", true}, {"a b", true}, {"\"#a, #b\"", true}, {"2024", true}, {"[good, a.b]", true}, {"\n  - good\n  - two words", true}, {"a,", true}, {"[a, 1984]", true},
		{"a", false}, {"[a, b]", false}, {"\"#a\"", false}, {"a/b", false}, {"", false}, {"[]", false}, {"\n  - a\n  - b-c_d", false}, {"größe", false},
	} {
		f := newFolder(t, map[string]string{"n.md": "---\ntags: " + c.tags + "\n---\n"})
		if warnings := f.Imports().Warnings; (len(warnings) == 1 && strings.HasSuffix(warnings[0].Text, note.UnreadTags)) != c.none || len(warnings) > 1 {
			t.Errorf("tags: %s: the warnings %v, want one: %v", c.tags, warnings, c.none)
		}
	}
	files := map[string]string{"good.md": "---\ntags: [a]\n---\n"}
	for i := range 12 {
		files[fmt.Sprintf("%02d.md", i)] = "---\ntitle: x\ntags: a, b\n---\n"
	}
	got := newFolder(t, files).Imports().Warnings
	if len(got) != 4 || got[0].Line != 3 || got[3].Text != "notes whose tags Obsidian reads as none: 12 in all; check_vault lists them" {
		t.Errorf("%v", got)
	}
}
