package exchange_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hence/edges"
	"hence/edges/belief"
	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/exchange/lines"
)

// words are texts that files and databases often mangle.
var words = []string{
	"plain", "ünïcödé", "日本語 テキスト", "👩‍👩‍👧‍👦 family", "e\u0301 beside é", "line\nbreak\r\n\ttab", "  spaces around  ",
	"quote \" and \\ and /", "<b>&amp;</b>", "\u2028\u2029", "\u0001\u007f\u0085", "\uFEFFmark", "\uFFFD", "' or 1=1 --", "null", "{}", "𝒳\U0010FFFF",
}

func text(t *rapid.T, name string) string {
	return rapid.OneOf(
		rapid.SampledFrom(words),
		rapid.Map(rapid.StringN(1, 20, -1), func(s string) string { return strings.ReplaceAll(s, "\x00", "0") }),
	).Draw(t, name)
}

// onOneLine is a text without line ends and other control characters, which no actor has.
func onOneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return '_'
		}
		return r
	}, text)
}

// allow ignores errors with these codes: the graph may refuse a random change.
func allow(t *rapid.T, err error, codes ...fault.Code) {
	for _, code := range codes {
		if fault.CodeOf(err) == code {
			return
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// fill fills a store with random memories and edges of all kinds.
func fill(t *rapid.T, d *db.DB) {
	ctx := context.Background()
	ids := map[string][]string{}
	namespaces := []string{"default", "tëam"}
	for n := range rapid.IntRange(1, 12).Draw(t, "memories") {
		namespace := rapid.SampledFrom(namespaces).Draw(t, "namespace")
		s := memory.Store{DB: d, Caller: ref.Caller{Actor: onOneLine(text(t, "actor")), Origin: "agent"}}
		a := memory.StoreArgs{
			Content: fmt.Sprint(n, text(t, "content")), Namespace: namespace, Kind: "fact", Pinned: rapid.Bool().Draw(t, "pinned"),
			Importance: new(rapid.Float64Range(0, 1).Draw(t, "importance")), Dedup: "off",
		}
		if rapid.Bool().Draw(t, "rich") {
			a.Confidence, a.Tags = new(rapid.Float64Range(0, 1).Draw(t, "confidence")), []string{"b/c", "ä"}
			a.Properties = map[string]any{"k " + strings.TrimSpace(text(t, "key")): []any{text(t, "value"), 1e21, nil, true}}
			a.ValidFrom, a.ValidTo = "2026-01-01T00:00:00.123Z", "2027-01-01T00:00:00+02:00"
		}
		stored, err := s.Remember(ctx, a, nil)
		allow(t, err)
		ids[namespace] = append(ids[namespace], stored.Memory.ID)
	}
	for _, namespace := range namespaces {
		if len(ids[namespace]) > 1 {
			tie(t, d, ids[namespace])
		}
	}
}

// tie links memories at random, and changes them.
func tie(t *rapid.T, d *db.DB, ids []string) {
	ctx := context.Background()
	c := ref.Caller{Actor: "tester", Origin: "person"}
	s, g := memory.Store{DB: d, Caller: c}, edges.Graph{DB: d, Caller: c}
	one := rapid.SampledFrom(ids)
	for range rapid.IntRange(0, 20).Draw(t, "steps") {
		id := one.Draw(t, "id")
		switch rapid.IntRange(0, 7).Draw(t, "step") {
		case 0:
			_, err := s.Forget(ctx, memory.ForgetArgs{ID: id, Reason: text(t, "reason")})
			allow(t, err)
		case 1:
			_, err := s.Revise(ctx, memory.UpdateArgs{ID: id, Content: new(text(t, "text") + "x")})
			allow(t, err, fault.InvalidArgument) // the text of a note is changed in its file
		case 2:
			_, err := s.Verify(ctx, belief.VerifyArgs{ID: id, Note: text(t, "found")})
			allow(t, err)
		case 3: // an edge with sites, as the vault's importer writes it
			allow(t, site(d, id, one.Draw(t, "target"), rapid.Bool().Draw(t, "backward"), text(t, "context")))
		case 4: // an edit in the sqlite3 shell
			if dbtest.OnCluster() {
				continue // edits by hand are refused there
			}
			_, err := d.Write(ctx, "", "", db.S(`update memories set content = content || 'by hand', aliases = '["ö"]', uri = ?2 where id = ?1`, id, "obsidian-fs://v/"+id+".md"))
			allow(t, err)
		default:
			kind := rapid.SampledFrom(edges.Kinds()).Draw(t, "kind")
			a := edges.LinkArgs{From: id, To: one.Draw(t, "to"), Type: string(kind), Note: text(t, "note"), Weight: new(rapid.Float64Range(0.001, 1).Draw(t, "weight"))}
			if rapid.Bool().Draw(t, "named") {
				a.Rel, a.ValidTo = text(t, "rel"), "2027-01-01T00:00:00Z"
			}
			_, err := g.Link(ctx, a)
			allow(t, err, fault.Cycle, fault.Conflict, fault.InvalidArgument)
		}
	}
}

// site declares a link of a note, twice.
func site(d *db.DB, from, to string, backward bool, surroundings string) error {
	if from == to {
		return nil
	}
	id := db.NewID()
	batch := []db.Stmt{db.S(`
insert or ignore into edges (id, from_key, to_key, kind, rel, origin, declared, created_at)
select ?3, f.key, t.key, 'refers-to', 'owner', 'frontmatter', 0, '2026-01-01T00:00:00.000Z'
from memories f
join memories t on t.id = ?2 and t.namespace = f.namespace
where f.id = ?1`, from, to, id)}
	for line := range 2 {
		batch = append(batch, db.S(`
insert into sites (note, edge, kind, rel, backward, origin, target, target_key, anchor, line, start_byte, end_byte, context, resolved_by)
select iif(?4, to_key, from_key), key, kind, rel, ?4, origin, 'T', 't', '#^a', ?2, 9, 12, ?3, 'path'
from edges
where id = ?1`, id, 3-line, surroundings, backward))
	}
	_, err := d.Write(context.Background(), "", "", batch...)
	return err
}

func export(t dbtest.TB, d *db.DB) string {
	var out bytes.Buffer
	done, err := lines.Export(context.Background(), ref.View{DB: d}, &out)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(out.Bytes(), []byte("\n")); n != done.Memories+done.Edges+done.Removed {
		t.Fatal(n, "lines, and the count is", done)
	}
	return out.String()
}

func take(d *db.DB, text string) (lines.Imported, error) {
	return lines.Import(context.Background(), ref.View{DB: d, Caller: ref.Caller{Actor: "importer"}}, strings.NewReader(text), lines.ImportArgs{Name: "FILE"})
}

// beyond returns what a store derives from its lines: the stale memories, and search results.
var beyond = map[string]string{
	"stale":    `select s.id || because_id || reason from stale s order by 1`,
	"sections": `select m.id || count(*) from sections s join memories m on m.key = s.memory group by m.id order by 1`,
	"words":    `select m.id from section_search f join sections s on s.key = f.rowid join memories m on m.key = s.memory where section_search match 'unicode OR "日本 本語" OR family' order by 1`,
}

func TestExportOfAnImportIsTheSameBytes(t *testing.T) {
	dbtest.CheckTimes(t, 20)
	empty := dbtest.NewEmpties(t)
	rapid.Check(t, func(t *rapid.T) {
		a, remove := empty.Next(t)
		defer remove()
		fill(t, a)
		lines := export(t, a)
		b, remove := empty.Next(t)
		defer remove()
		done, err := take(b, backToFront(lines))
		if err != nil {
			t.Fatal(err)
		}
		if again := export(t, b); again != lines {
			t.Fatalf("the second export differs (-first +second):\n%s", cmp.Diff(lines, again))
		}
		if n := strings.Count(lines, "\n"); done.Memories.Added+done.Edges.Added != n || done.Lines != n {
			t.Fatalf("imported %+v, want %d lines", done, n)
		}
		for _, d := range []*db.DB{a, b} { // as a search does
			if err := (memory.Store{DB: d}).CutSections(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		for name, query := range beyond {
			if diff := cmp.Diff(dbtest.Texts(t, a, query), dbtest.Texts(t, b, query)); diff != "" {
				t.Fatalf("%s (-first +second):\n%s", name, diff)
			}
		}
		done, err = take(b, lines)
		if err != nil || done.Memories.Added+done.Edges.Added != 0 {
			t.Fatalf("the second import: %+v, %v; want nothing new", done, err)
		}
		if again := export(t, b); again != lines {
			t.Fatal("the second import changed the store")
		}
	})
}

// backToFront reverses the order of lines, so that edges come before their ends.
func backToFront(lines string) string {
	var turned strings.Builder
	all := strings.SplitAfter(lines, "\n")
	for i := range all {
		turned.WriteString(all[len(all)-1-i])
	}
	return turned.String()
}
