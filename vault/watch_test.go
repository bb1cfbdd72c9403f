package vault_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hence/internal/fault"
	"hence/vault"
	"hence/vault/writing"
)

// patience is the timeout of a test for an event that must happen. It is long enough for a
// busy machine.
const patience = 2 * time.Minute

// watch watches the folder until the test ends, and returns its reports.
func (f folder) watch() <-chan vault.Report {
	f.T.Helper()
	return f.watchFor(patience)
}

// watchFor is watch with a timeout for the first import.
func (f folder) watchFor(patience time.Duration) <-chan vault.Report {
	f.T.Helper()
	ctx, cancel := context.WithCancel(f.T.Context())
	reports, done := make(chan vault.Report, 1000), make(chan error, 1)
	go func() {
		done <- f.Importer.Watch(ctx, vault.ImportArgs{Dir: f.Dir}, func(r vault.Report, err error) {
			if err != nil {
				f.T.Logf("watch: %v", err)
				return
			}
			reports <- r
		})
	}()
	f.T.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			f.T.Errorf("Watch: %v", err)
		}
	})
	select {
	case <-reports:
	case <-time.After(patience):
		f.T.Fatal("the first import was never reported")
	}
	return reports
}

// until waits until a query returns some lines.
func (f folder) until(want []string, query string) {
	f.T.Helper()
	var got []string
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if got = rows(f.T, f.Importer.DB, query); slices.Equal(want, got) {
			return
		}
	}
	f.T.Errorf("%s (-want +got):\n%s", query, cmp.Diff(want, got))
}

const currentNotes = `select uri from memories where status <> 'forgotten' order by 1`

func uris(paths ...string) []string {
	all := []string{}
	for _, path := range paths {
		all = append(all, vault.URI("v", path))
	}
	return all
}

// save writes a file with the time of now, whole at once: a watcher may read a file while
// another writes it.
func (f folder) save(path, text string) {
	f.T.Helper()
	full, beside := filepath.Join(f.Dir, path), filepath.Join(filepath.Dir(f.Dir), "saved")
	err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o755), os.WriteFile(beside, []byte(text), 0o644))
	if err == nil {
		err = os.Rename(beside, full)
	}
	if err != nil {
		f.T.Fatal(err)
	}
}

func TestWatchSeesEditsAndWhatTheyConcern(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "[[b]] [[c]]", "b.md": "x"})
	f.watch()
	f.save("a.md", "now [[b]] only, and [[c]]")
	f.until([]string{"now [[b]] only, and [[c]]"}, `select content from memories where title = 'a'`)
	f.save("c.md", "new")
	f.until([]string{"b", "c"}, `select t.title from edges e join memories t on t.key = e.to_key order by 1`)
	f.Remove("b.md")
	f.until([]string{"c"}, `select t.title from edges e join memories t on t.key = e.to_key order by 1`)
	f.until(uris("a.md", "c.md"), currentNotes)
}

func TestWatchReportsOnlyWhatChanged(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "x", "b.md": "y", "c.md": "[[b]]"})
	reports := f.watch()
	f.save("a.md", "edited [[b]], [[b]] and [[none]]; and [[c]]")
	select {
	case r := <-reports:
		if r.Updated != 1 || r.Added+r.Moved+r.Removed != 0 || r.Links != 4 || r.Edges != 2 {
			t.Errorf("report = %+v, want one update with four links and two edges", r)
		}
	case <-time.After(patience):
		t.Error("no report came")
	}
}

func TestWatchFollowsNewFolders(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "x"})
	f.watch()
	f.save("new/deep/b.md", "at once")
	f.until(uris("a.md", "new/deep/b.md"), currentNotes)
	f.save("new/deep/c.md", "later")
	f.until(uris("a.md", "new/deep/b.md", "new/deep/c.md"), currentNotes)
	if err := os.RemoveAll(filepath.Join(f.Dir, "new")); err != nil {
		t.Fatal(err)
	}
	f.until(uris("a.md"), currentNotes)
}

func TestWatchSurvivesEditorsThatWriteByRename(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "x", "b.md": "[[a]]"})
	f.Imports()
	id := f.ID("a.md")
	f.watch()
	for _, c := range []struct {
		name, text string
		save       func(text string)
	}{
		{"TemporaryFile", "through a temporary file", func(text string) {
			f.save(".a.md.tmp", text)
			f.Move(".a.md.tmp", "a.md")
		}},
		{"VisibleTemporaryFile", "through a visible one", func(text string) {
			f.save("a.md.new", text)
			f.Move("a.md.new", "a.md")
		}},
		{"Backup", "with a backup, as vim does", func(text string) {
			f.Move("a.md", "a.md~")
			f.save("a.md", text)
			f.Remove("a.md~")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.save(c.text)
			f.until([]string{c.text + " | " + id}, `select content, id from memories where uri = 'obsidian-fs://v/a.md'`)
			f.until(uris("a.md", "b.md"), currentNotes)
			f.until([]string{"b | a"}, `select f.title, t.title from edges e join memories f on f.key = e.from_key join memories t on t.key = e.to_key`)
		})
	}
}

func TestWatchKeepsTheIdOfARenamedNoteThatChangedToo(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "before", "dir/b.md": "before too", "dir/sub/c.md": "and this"})
	f.Imports()
	a, b, c := f.ID("a.md"), f.ID("dir/b.md"), f.ID("dir/sub/c.md")
	f.watch()
	f.Move("a.md", "renamed.md")
	f.save("renamed.md", "after")
	f.until([]string{"after | " + a}, `select content, id from memories where title = 'renamed'`)
	f.Move("dir", "moved")
	f.save("moved/b.md", "after too")
	f.until([]string{"after too | " + b}, `select content, id from memories where title = 'b' and status <> 'forgotten'`)
	f.until(uris("moved/b.md", "moved/sub/c.md", "renamed.md"), currentNotes)
	if f.ID("moved/sub/c.md") != c {
		t.Error("a note in a renamed folder has another id")
	}
	f.save("moved/sub/c.md", "still watched")
	f.until([]string{"still watched | " + c}, `select content, id from memories where title = 'c'`)
}

func TestWatchLeavesOutWhatIsHiddenOrIgnored(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "x", ".henceignore": "drafts/\n"})
	f.watch()
	f.save(".obsidian/x.md", "hidden")
	f.save("drafts/y.md", "ignored")
	f.save("z.md", "seen")
	f.until(uris("a.md", "z.md"), currentNotes)
	f.save(".henceignore", "z.md\n")
	f.until(uris("a.md", "drafts/y.md"), currentNotes)
	f.save("drafts/w.md", "now watched")
	f.until(uris("a.md", "drafts/w.md", "drafts/y.md"), currentNotes)
}

func TestWatchTakesNewSettings(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "---\nfeeds: \"[[b]]\"\n---\n", "b.md": "x"})
	f.watch()
	kinds := `select kind, rel from edges`
	f.until([]string{"refers-to | feeds"}, kinds)
	f.save(".hence.yaml", "words:\n  feeds: causes\n")
	f.until([]string{"causes | feeds"}, kinds)
	f.save(".hence.yaml", "words:\n  feeds: nonsense\n")
	f.save(".hence.yaml", "words:\n  feeds: supports\n")
	f.until([]string{"supports | feeds"}, kinds)
}

func TestWatchNoticesAnImportByAnother(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "[[b]]", "z.md": "z"})
	f.watch()
	f.save("b.md", "new")
	f.Imports() // this import may be earlier than that of the watcher
	f.save("z.md", "[[b]]")
	f.until([]string{"a", "z"}, `select f.title from edges e join memories f on f.key = e.from_key order by 1`)
	f.Imports()
	f.save("c.md", "[[b]]")
	f.until([]string{"a", "c", "z"}, `select f.title from edges e join memories f on f.key = e.from_key order by 1`)
}

// TestWatchEqualsAFreshImport edits faster than the watcher imports.
func TestWatchEqualsAFreshImport(t *testing.T) {
	f := newFolder(t, map[string]string{"Anna.md": "---\nsupersedes: \"[[Berta]]\"\n---\n", "Berta.md": "says Clara", "Clara.md": "[[Anna]]"})
	f.watch()
	f.save("sub/Dora.md", "---\nsupersedes: \"[[Berta]]\"\naliases: [Emil]\n---\nClara, Berta")
	f.Move("Anna.md", "sub/Anna.md")
	f.save("Clara.md", "Emil and [[Emil]]")
	f.Move("sub", "other")
	f.Remove("Berta.md")
	f.save("Berta.md", "depends on [requires:: [[Clara]]]")
	f.save("last.md", "end")
	f.until(uris("Berta.md", "Clara.md", "last.md", "other/Anna.md", "other/Dora.md"), currentNotes)
	f.until([]string{"Emil and [[Emil]] | depends on [requires:: [[Clara]]]"}, `
select
  (select content from memories where title = 'Clara' and status <> 'forgotten'),
  (select content from memories where title = 'Berta' and status <> 'forgotten')`)
	fresh := newFolder(t, nil)
	fresh.Dir = f.Dir
	fresh.Imports()
	want := contents(t, fresh.Importer.DB)
	var diff string
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if diff = cmp.Diff(want, contents(t, f.Importer.DB)); diff == "" {
			return
		}
	}
	t.Errorf("the watched store (-fresh +watched):\n%s", diff)
}

func TestWatchRefusesWhatImportRefuses(t *testing.T) {
	f := newFolder(t, nil)
	err := f.Importer.Watch(t.Context(), vault.ImportArgs{Dir: filepath.Join(f.Dir, "none")}, func(vault.Report, error) {})
	if fault.CodeOf(err) != fault.NotFound {
		t.Errorf("Watch: %v, want not_found", err)
	}
}

// A watcher of a forgotten vault does not import it again.
func TestWatchEndsWhenTheVaultIsPutAway(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "x"})
	imported, ended := make(chan struct{}, 100), make(chan error, 1)
	go func() {
		ended <- f.Importer.Watch(t.Context(), vault.ImportArgs{Dir: f.Dir}, func(vault.Report, error) { imported <- struct{}{} })
	}()
	<-imported
	if _, err := f.Importer.ForgetVault(t.Context(), vault.ForgetVaultArgs{Vault: "v"}); err != nil {
		t.Fatal(err)
	}
	f.save("a.md", "edited")
	select {
	case err := <-ended:
		if fault.CodeOf(err) != fault.NotFound {
			t.Errorf("Watch: %v, want not_found", err)
		}
	case <-time.After(patience):
		t.Fatal("the watcher goes on")
	}
	if left := rows(t, f.Importer.DB, `select name from mirrors union all select uri from memories where status <> 'forgotten'`); len(left) > 0 {
		t.Errorf("%q are back", left)
	}
}

func TestWritesOfAWatchedVaultAreTakenInOnce(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "[[b]] [[../x]]", "b.md": "x", "sub/keep.md": "y"})
	reports := f.watch()
	id := f.ID("b.md")
	for n := range 5 {
		line := strings.Repeat("z", n+1)
		if _, err := f.writer().UpdateNote(t.Context(), writing.UpdateNoteArgs{Path: "a", Mode: "append", Content: &line}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := f.writer().MoveNote(t.Context(), writing.MoveNoteArgs{FromPath: "b", ToPath: "sub/c"}); err != nil {
		t.Fatal(err)
	}
	if f.ID("sub/c.md") != id {
		t.Error("the moved note has another id")
	}
	// The watcher sees a later change, and does not import the earlier ones again.
	f.save("last.md", "l")
	f.until(uris("a.md", "last.md", "sub/c.md", "sub/keep.md"), currentNotes)
	if f.ID("sub/c.md") != id {
		t.Error("the watcher took the moved note for another")
	}
	for {
		select {
		case r := <-reports:
			if r.Added > 1 || r.Updated+r.Moved+r.Removed > 0 {
				t.Errorf("the watcher did again what was done: %+v", r)
			}
			if r.Added == 1 {
				return
			}
		case <-time.After(patience):
			t.Fatal("the watcher does not report the last file")
		}
	}
}

// A watcher has the vault's lock while it imports, so that it does not see half of a move.
func TestWatcherHoldsTheVaultWhileItImports(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "x"})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	first, held := true, false
	err := f.Importer.Watch(ctx, vault.ImportArgs{Dir: f.Dir}, func(_ vault.Report, err error) {
		if err != nil {
			t.Error(err)
		}
		if first {
			first = false
			f.save("b.md", "y")
			return
		}
		if held, err = vault.IsLocked(f.Dir); err != nil {
			t.Error(err)
		}
		cancel()
	})
	if err != nil || !held {
		t.Errorf("Watch: %v; held: %v", err, held)
	}
}
