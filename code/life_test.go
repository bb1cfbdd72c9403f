package code_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hence/code"
	"hence/internal/db/dbtest"
	"hence/memory/recall"
	"hence/projection"
	"hence/vault"
)

// TestAnImportCutOffAfterAnyTransactionGoesOn stops a first import, and an import of changes,
// before each of their transactions. After the next import the store is the same as after an
// import that was not stopped.
func TestAnImportCutOffAfterAnyTransactionGoesOn(t *testing.T) {
	dbtest.SkipUnderRace(t)
	change := func(w world) {
		w.write("db/write.go", "package db\n\nfunc Save(text string) error { return flush(text, len(text)+1) }\n\nfunc flush(text string, n int) error { return nil }\n")
		w.move("db/write_test.go", "db/save_test.go")
		w.remove("README.md")
		w.write("new/new.go", "package new\n\nfunc New() int { return 1 }\n")
	}
	for _, first := range []bool{true, false} {
		t.Run(map[bool]string{true: "First", false: "OfChanges"}[first], func(t *testing.T) {
			for n := 0; ; n++ {
				w := newWorld(t, small)
				if !first {
					w.imports()
					change(w)
				}
				end := dbtest.RefuseAfter(t, w.into.DB.Path(), n)
				_, err := w.into.Mirror().Import(t.Context(), projection.ImportArgs{Dir: w.dir})
				end()
				if err == nil {
					if n < 5 {
						t.Errorf("an import takes %d transactions only", n)
					}
					return
				}
				w.imports()
				fresh := w
				fresh.into = code.Importer{DB: dbtest.New(t), Caller: w.into.Caller}
				fresh.imports()
				if diff := cmp.Diff(fresh.contents(), w.contents()); diff != "" {
					t.Fatalf("cut off after %d transactions (-fresh +gone on):\n%s", n, diff)
				}
			}
		})
	}
}

func TestWatchTakesInWhatIsEdited(t *testing.T) {
	w := newWorld(t, small)
	ctx, cancel := context.WithCancel(t.Context())
	first, done := make(chan struct{}, 1000), make(chan error, 1)
	go func() {
		done <- w.into.Mirror().Watch(ctx, projection.ImportArgs{Dir: w.dir}, func(projection.Report, error) { first <- struct{}{} })
	}()
	defer func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Watch: %v", err)
		}
	}()
	<-first
	w.write("db/more.go", "package db\n\nfunc More() error { return Write(\"more\") }\n")
	w.until([]string{"repo/db#More calls repo/db#Write by types"}, "e.kind = 'calls' and f.title = 'db.More'")
	w.write("main.go", "package main\n\nimport \"example.com/small/db\"\n\nfunc main() { db.More() }\n")
	w.until([]string{"repo/.#main calls repo/db#More by types"}, "e.kind = 'calls' and f.title = 'main.main'")
	w.write(".gitignore", "more.go\n")
	w.until([]string{}, "e.kind = 'calls' and f.title in ('db.More', 'main.main')")
}

// until waits until some edges exist.
func (w world) until(want []string, where string) {
	w.Helper()
	var got []string
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if got = w.edges(where); slices.Equal(want, got) {
			return
		}
	}
	w.same(got, want)
}

// found returns the titles that a search finds.
func (w world) found(a recall.SearchArgs) []string {
	w.Helper()
	result, err := recall.Searcher{DB: w.into.DB, Caller: w.into.Caller}.Search(w.Context(), a)
	if err != nil {
		w.Fatal(err)
	}
	titles := []string{}
	for _, one := range result.Results {
		titles = append(titles, one.Title)
	}
	return titles
}

func TestCodeIsFoundWhereItIsAskedFor(t *testing.T) {
	w := newWorld(t, map[string]string{
		"go.mod": "module m\n", "a/a.go": "package a\n\n// resolveAgain binds.\nfunc resolveAgain() {}\n\n// Write writes.\nfunc Write() {}\n",
		"b/b.go": "package b\n\nfunc resolveOnce() {}\n", "c.py": "def resolve_again():\n    pass\n",
	})
	w.imports()
	w.rests("a#Write")
	for _, c := range []struct {
		asked recall.SearchArgs
		want  []string
	}{
		{recall.SearchArgs{Query: "resolve again tag:lang/go"}, []string{"a.resolveAgain", "b.resolveOnce"}}, // nothing else matches
		{recall.SearchArgs{Query: "resolve again", Kinds: []string{"decision"}}, nil},
		{recall.SearchArgs{Query: "write decision"}, []string{"A decision"}},
		{recall.SearchArgs{Query: "resolve again", Kinds: []string{"code"}, Tags: []string{"lang/go"}}, []string{"a.resolveAgain", "b.resolveOnce"}},
		{recall.SearchArgs{Query: "resolve again kind:code tag:lang/go", PathPrefix: []string{"b/", "none/"}}, []string{"b.resolveOnce"}},
		{recall.SearchArgs{Query: "resolve again kind:code", PathPrefix: []string{"code://repo/a"}}, []string{"a.resolveAgain"}},
	} {
		w.same(w.found(c.asked), append([]string{}, c.want...))
	}
	if got := w.found(recall.SearchArgs{Query: "resolve again", Kinds: []string{"code"}}); len(got) != 3 {
		t.Errorf("found %q in two languages", got)
	}
}

// Notes name symbols by their titles, before and after the symbols are imported.
func TestNotesNameCode(t *testing.T) {
	for _, notesFirst := range []bool{true, false} {
		t.Run(fmt.Sprintf("notes first %v", notesFirst), func(t *testing.T) {
			w := newWorld(t, small)
			notes := filepath.Join(filepath.Dir(w.dir), "notes")
			if err := os.Mkdir(notes, 0o755); err != nil {
				t.Fatal(err)
			}
			v := world{t, notes, w.into}
			v.write("Batches.md", "---\ndepends-on: code:db.Write\ncauses: \"[[code:db.none]]\"\n---\nSee [[code:main.main]].\n")
			importNotes := func() {
				if _, err := (vault.Importer{DB: w.into.DB, Caller: w.into.Caller}).Import(t.Context(), vault.ImportArgs{Dir: notes}); err != nil {
					t.Fatal(err)
				}
			}
			if notesFirst {
				importNotes()
				w.imports()
			} else {
				w.imports()
				importNotes()
			}
			w.same(w.rows(`
select e.kind || ' ' || t.title || ' ' || e.origin || ' ' || e.declared
from edges e
join memories f on f.key = e.from_key
join memories t on t.key = e.to_key
where f.title = 'Batches'
order by 1`), []string{"depends-on db.Write frontmatter site", "links-to main.main wikilink site"})
			w.same(w.rows(`select target from dangling_links`), []string{"code:db.none"})
			w.write("db/write.go", "package db\n\nfunc Write(text string) error { return flush(text, 2) }\n\nfunc flush(text string, n int) error { return nil }\n")
			w.imports()
			stale := []string{"Batches db.Write changed"}
			w.same(w.rows(`select title || ' ' || because_title || ' ' || reason from stale`), stale)
			w.remove("db/write.go")
			w.imports()
			w.same(w.rows(`select title || ' ' || because_title || ' ' || reason from stale order by 1`), []string{"Batches db.Write changed", "Batches db.Write forgotten"})
		})
	}
}

// A note and a symbol with an edge relates-to do not get a second one, in whichever direction
// the edge is stored.
func TestANoteJoinsTheEdgeThatASymbolHas(t *testing.T) {
	w := newWorld(t, small)
	notes := filepath.Join(filepath.Dir(w.dir), "notes")
	if err := os.Mkdir(notes, 0o755); err != nil {
		t.Fatal(err)
	}
	world{t, notes, w.into}.write("Batches.md", "---\nrelates-to: code:db.Write\n---\n")
	importNotes := func() {
		if _, err := (vault.Importer{DB: w.into.DB, Caller: w.into.Caller}).Import(t.Context(), vault.ImportArgs{Dir: notes}); err != nil {
			t.Fatal(err)
		}
	}
	importNotes()
	w.imports()
	related := `select f.title || ' ' || t.title from edges e join memories f on f.key = e.from_key join memories t on t.key = e.to_key where e.kind = 'relates-to'`
	w.same(w.rows(related), []string{"Batches db.Write"})
	dbtest.Script(t, w.into.DB.Path(), `
update sites set edge = null, resolved_by = '';
delete from edges where kind = 'relates-to';
insert into edges (from_key, to_key, kind, rel)
select f.key, t.key, 'relates-to', s.rel
from memories f, memories t, sites s
where f.title = 'db.Write' and t.title = 'Batches' and s.kind = 'relates-to';`)
	w.write("db/write.go", small["db/write.go"]+"// More.\n")
	w.imports()
	w.same(w.rows(related), []string{"db.Write Batches"})
	w.same(w.rows(`select count(*) from sites where target like 'code:%' and edge is null`), []string{"0"})
}

func TestARepositoryIsPutAwayAndComesBack(t *testing.T) {
	w := newWorld(t, small)
	w.imports()
	before, id := w.contents(), w.id("db#Write")
	all, err := w.into.Mirror().Vaults(t.Context())
	if err != nil || len(all) != 1 {
		t.Fatalf("Repositories: %v, %v", all, err)
	}
	if vaults, err := (vault.Importer{DB: w.into.DB, Caller: w.into.Caller}).Vaults(t.Context()); err != nil || len(vaults) != 0 {
		t.Errorf("among the vaults are %v, %v", vaults, err)
	}
	notes := vault.Importer{DB: w.into.DB, Caller: w.into.Caller}
	if _, err := notes.ForgetVault(t.Context(), vault.ForgetVaultArgs{Vault: "repo"}); err != nil {
		t.Fatal(err)
	}
	w.same(w.rows(`select count(*) from symbols union all select count(*) from memories where status <> 'forgotten'`), []string{"0", "0"})
	w.imports()
	w.same(w.contents(), before)
	if got := w.id("db#Write"); got != id {
		t.Errorf("the symbol came back as %s, was %s", got, id)
	}
	if _, err := notes.ForgetVault(t.Context(), vault.ForgetVaultArgs{Vault: "repo", Purge: true}); err != nil {
		t.Fatal(err)
	}
	w.same(w.rows(`select count(*) from symbols union all select count(*) from memories`), []string{"0", "0"})
}
