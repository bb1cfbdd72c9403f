package explore

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/vault"
)

// importNotes imports notes by their path.
func importNotes(t *testing.T, d *db.DB, name, namespace string, notes map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for path, text := range notes {
		file := filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	i := vault.Importer{DB: d, Caller: person}
	if _, err := i.Import(t.Context(), vault.ImportArgs{Dir: dir, Name: name, Namespace: namespace}); err != nil {
		t.Fatal(err)
	}
}

func linksOf(t *testing.T, q reader, id string) map[string]string {
	t.Helper()
	result, err := q.Links(t.Context(), LinksArgs{ID: id})
	if err != nil || result.Truncated {
		t.Fatalf("%v, truncated %v", err, result.Truncated)
	}
	led := map[string]string{}
	for _, w := range result.Links {
		led[w.Target] += w.Title
	}
	return led
}

func TestLinksLeadWhereTheNoteSays(t *testing.T) {
	d := dbtest.New(t)
	importNotes(t, d, "v", "", map[string]string{
		"Home.md": "---\nup: \"[[Index]]\"\n---\nSee [[Seat Ledger#Capacity|seats]], [[deep/Same]], [[Same]], [a page](My%20Page.md), [[Ledger of seats]],\n" +
			"![[pic.png]], [[Nowhere]], [[#Here]], [[Home]]. Queue is named.\n",
		"Seat Ledger.md": "---\naliases: [Ledger of seats]\n---\nx", "Same.md": "top", "deep/Same.md": "below",
		"My Page.md": "x", "Index.md": "x", "Queue.md": "x", "pic.png": "",
	})
	if _, err := d.Write(t.Context(), "t", db.Now(), db.S(`
insert into memories (title) values ('Told'), ('Agent')`), db.S(`
insert into edges (from_key, to_key, kind)
select a.key, b.key, 'supports'
from memories a
join memories b on b.title = 'Agent'
where a.title = 'Told'`)); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"Seat Ledger": "Seat Ledger", "deep/Same": "Same", "Same": "Same", "My Page.md": "My Page", "Ledger of seats": "Seat Ledger", "pic.png": "pic.png", "Index": "Index",
	}
	q := reader{DB: d, Caller: person}
	if diff := gocmp.Diff(want, linksOf(t, q, "Home")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	result, err := q.Links(t.Context(), LinksArgs{ID: "Home"})
	deep, top := "", ""
	for _, w := range result.Links {
		if w.Target == "deep/Same" {
			deep = w.ID
		}
		if w.Target == "Same" {
			top = w.ID
		}
	}
	if err != nil || deep == top || deep == "" {
		t.Errorf("two notes of one name are %q and %q, %v", deep, top, err)
	}
	if diff := gocmp.Diff(map[string]string{"Agent": "Agent"}, linksOf(t, q, "Told")); diff != "" {
		t.Errorf("of a memory that is not a note (-want +got):\n%s", diff)
	}
}

// The links of a memory that was not imported lead to memories by name.
func TestLinksOfAStoredText(t *testing.T) {
	d := dbtest.New(t)
	importNotes(t, d, "v", "", map[string]string{"systems/Booking API.md": "x", "a/Same.md": "x", "b/Same.md": "y", "Seat Ledger.md": "x"})
	importNotes(t, d, "theirs", "theirs", map[string]string{"Only theirs.md": "x"})
	text := "[[Booking API]], [[booking api#Calls|it]], [[systems/Booking API]], [seats](Seat%20Ledger.md), [[Same]], [[Only theirs]], [[Nowhere]], [[ ]], [[#Here]] and `[[Told]]`"
	if _, err := d.Write(t.Context(), "t", db.Now(), db.S(`
insert into memories (title, content) values ('Told', ?)`, text)); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"Booking API": "Booking API", "booking api": "Booking API", "systems/Booking API": "Booking API", "Seat Ledger.md": "Seat Ledger"}
	if diff := gocmp.Diff(want, linksOf(t, reader{DB: d, Caller: person}, "Told")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// All links of a note with many edges are returned, not only those of one page of edges.
func TestLinksOfAHub(t *testing.T) {
	d := dbtest.New(t)
	notes, text := map[string]string{}, strings.Builder{}
	for i := range 700 {
		notes[fmt.Sprintf("n/%d.md", i)] = "x"
		fmt.Fprintf(&text, "- [[%d]] [[%d|again]]\n", i, i)
	}
	notes["Hub.md"] = text.String()
	importNotes(t, d, "v", "", notes)
	if led := linksOf(t, reader{DB: d, Caller: person}, "Hub"); len(led) != 700 || led["699"] != "699" {
		t.Errorf("%d links, and the last leads to %q", len(led), led["699"])
	}
}

func TestLinksOfOthersAreNotTold(t *testing.T) {
	d := dbtest.New(t)
	importNotes(t, d, "theirs", "theirs", map[string]string{"Home.md": "[[Other]]", "Other.md": "x"})
	q := reader{DB: d, Caller: ref.Caller{Namespace: "ours", Confined: true}}
	if got, err := q.Links(t.Context(), LinksArgs{ID: "Home"}); err == nil {
		t.Errorf("told %+v", got)
	}
}
