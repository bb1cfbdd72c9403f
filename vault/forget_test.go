package vault_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/memory"
	"hence/memory/journal"
	"hence/vault"
	"hence/vault/writing"
)

// rowsOutside returns the memories that are not of the vault v, and the edges among them.
func rowsOutside(t *testing.T, d *db.DB) []string {
	return append(dbtest.Texts(t, d, `
select json_array(id, uri, title, content, status, revision) from memories
where uri is null or uri not like 'obsidian-fs://v/%' order by id`), dbtest.Texts(t, d, `
select json_array(e.id, e.kind, f.title, t.title) from edges e join memories f on f.key = e.from_key join memories t on t.key = e.to_key
where coalesce(f.uri, '') not like 'obsidian-fs://v/%' and coalesce(t.uri, '') not like 'obsidian-fs://v/%' order by e.id`)...)
}

// twoVaults returns two imported vaults in one store: v, and v2 with the same notes in
// another namespace. A memory outside of them has an edge to a note of v.
func twoVaults(t *testing.T) (f folder, other folder) {
	notes := map[string]string{"a.md": "see [[b]] [[gone]]", "b.md": "depends-on:: [[a]]", "n/c.md": "of a", "p.png": "x", "old.md": "was here"}
	f = newFolder(t, notes)
	other = newFolder(t, notes)
	other.Importer.DB = f.Importer.DB
	f.Imports()
	if _, err := other.Importer.Import(t.Context(), vault.ImportArgs{Dir: other.Dir, Name: "v2", Namespace: "two"}); err != nil {
		t.Fatal(err)
	}
	f.Remove("old.md")
	f.Imports()
	store := memory.Store{DB: f.Importer.DB, Caller: f.Importer.Caller}
	title := "Decision"
	if _, err := store.Remember(t.Context(), memory.StoreArgs{Content: "rests on b", Title: &title, Links: []memory.NewLink{{To: f.ID("b.md"), Type: "depends-on"}}}, nil); err != nil {
		t.Fatal(err)
	}
	return f, other
}

func (f folder) forget(purge bool) (vault.ForgetVaultResult, error) {
	return f.Importer.ForgetVault(f.T.Context(), vault.ForgetVaultArgs{Vault: "v", Purge: purge})
}

func TestForgetVaultPutsItAwayAndAnImportBringsItBack(t *testing.T) {
	f, other := twoVaults(t)
	files, rest, store := snapshot(t, f.Dir), rowsOutside(t, f.Importer.DB), contents(t, f.Importer.DB)
	ids := dbtest.Texts(t, f.Importer.DB, `select id || uri from memories where uri is not null order by uri`)
	r, err := f.forget(false)
	if err != nil {
		t.Fatal(err)
	}
	want := vault.ForgetVaultResult{Vault: "v", Root: f.Dir, Memories: 4, Edges: r.Edges, Others: 1, Status: "forgotten", Again: f.Dir}
	if diff := cmp.Diff(want, r); diff != "" || r.Edges < 2 {
		t.Errorf("ForgetVault (-want +got):\n%s", diff)
	}
	if left := dbtest.Texts(t, f.Importer.DB, `select uri from memories where uri like 'obsidian-fs://v/%' and status <> 'forgotten'`); len(left) > 0 {
		t.Errorf("%q are left", left)
	}
	if n := dbtest.Count(t, f.Importer.DB, `select count(*) from mirrors where name = 'v'`); n != 0 {
		t.Error("the vault is left")
	}
	if stale := dbtest.Texts(t, f.Importer.DB, `select title || ' ' || reason from stale`); !cmp.Equal(stale, []string{"Decision forgotten"}) {
		t.Errorf("stale is %q", stale)
	}
	if diff := cmp.Diff(files, snapshot(t, f.Dir)) + cmp.Diff(rest, rowsOutside(t, f.Importer.DB)); diff != "" {
		t.Errorf("something else has changed:\n%s", diff)
	}
	if _, err := f.forget(false); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("ForgetVault again: %v, want not_found", err)
	}
	if _, _, err := f.writer().Undo(t.Context(), journal.UndoArgs{}); fault.CodeOf(err) != fault.InvalidArgument || !strings.Contains(err.Error(), "hence import "+f.Dir+" brings it back") {
		t.Errorf("Undo: %v", err)
	}
	f.Imports()
	if diff := cmp.Diff(ids, dbtest.Texts(t, f.Importer.DB, `select id || uri from memories where uri is not null order by uri`)); diff != "" {
		t.Errorf("the ids after another import:\n%s", diff)
	}
	after := contents(t, f.Importer.DB)
	slices.Sort(store["files"])
	slices.Sort(after["files"])
	if diff := cmp.Diff(store, after); diff != "" {
		t.Errorf("the store after another import:\n%s", diff)
	}
	other.Importer.Caller.Namespace = "two"
	if _, err := other.Importer.ForgetVault(t.Context(), vault.ForgetVaultArgs{Vault: "v"}); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("ForgetVault of another namespace: %v, want not_found", err)
	}
}

func TestForgottenVaultGoesIntoAnotherNamespace(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "see [[b]]", "b.md": "text", "c.md": "text"})
	f.Imports()
	ids := dbtest.Texts(t, f.Importer.DB, `select id || uri from memories order by uri`)
	if _, err := f.forget(false); err != nil {
		t.Fatal(err)
	}
	f.Write("new.md", "see [[a]]")
	args := vault.ImportArgs{Dir: f.Dir, Name: "v", Namespace: "two"}
	if _, err := f.Importer.Import(t.Context(), args); err != nil {
		t.Fatal(err)
	}
	if got := dbtest.Texts(t, f.Importer.DB, `select id || uri from memories where namespace = 'two' and status = 'current' and title <> 'new' order by uri`); !cmp.Equal(ids, got) {
		t.Errorf("the namespace two has %q, want %q", got, ids)
	}
	if n := dbtest.Count(t, f.Importer.DB, `select count(*) from edges where kind = 'links-to'`); n != 2 {
		t.Errorf("%d links, want 2", n)
	}
}

func TestForgottenVaultStaysWhereEdgesHoldIt(t *testing.T) {
	f, _ := twoVaults(t)
	if _, err := f.forget(false); err != nil {
		t.Fatal(err)
	}
	_, err := f.Importer.Import(t.Context(), vault.ImportArgs{Dir: f.Dir, Name: "v", Namespace: "three"})
	if fault.CodeOf(err) != fault.Conflict || !strings.Contains(err.Error(), "obsidian-fs://v/ are in another namespace than three") {
		t.Errorf("Import: %v", err)
	}
	f.Imports()
}

func TestForgetVaultPurgeLeavesNothing(t *testing.T) {
	f, _ := twoVaults(t)
	for _, text := range []string{"kept secret", "other"} {
		if _, err := f.writer().UpdateNote(t.Context(), writing.UpdateNoteArgs{Vault: "v", Path: "b", Mode: "replace", Content: &text}); err != nil {
			t.Fatal(err)
		}
	}
	files, rest := snapshot(t, f.Dir), rowsOutside(t, f.Importer.DB)
	dry, err := f.Importer.ForgetVault(t.Context(), vault.ForgetVaultArgs{Vault: "v", Purge: true, DryRun: true})
	if err != nil || !dry.DryRun || dry.Memories != 5 {
		t.Errorf("a dry run: %+v, %v; want the note that is gone among 5", dry, err)
	}
	if _, err := f.forget(true); err != nil {
		t.Fatal(err)
	}
	for what, query := range map[string]string{
		"memories":   `select count(*) from memories where uri like 'obsidian-fs://v/%'`,
		"kept files": `select count(*) from kept_files`,
		"journal":    `select count(*) from journal j where before is not null and not exists (select 1 from memories m where m.id = j.id) and thing = 'memory'`,
		"of edges":   `select count(*) from journal where instr(before, 'from') and not exists (select 1 from memories m where m.id = before ->> '$.from')`,
		"paths":      `select count(*) from batches where mirror = 'v' and what <> ''`,
		"vaults":     `select count(*) from mirrors where name = 'v'`,
		"sections":   `select count(*) from section_search where section_search match 'secret'`,
	} {
		if n := dbtest.Count(t, f.Importer.DB, query); n != 0 {
			t.Errorf("%s: %d are left", what, n)
		}
	}
	if diff := cmp.Diff(files, snapshot(t, f.Dir)) + cmp.Diff(rest, rowsOutside(t, f.Importer.DB)); diff != "" {
		t.Errorf("something else has changed:\n%s", diff)
	}
}

// A vault is forgotten in several transactions. After any of them that is the last one,
// because of a crash, a second call finishes the work, and an import restores the vault.
func TestForgetVaultCutOffGoesOn(t *testing.T) {
	for _, purge := range []bool{false, true} {
		for _, mend := range []string{"forget", "import"} {
			for n := 1; ; n++ {
				f, _ := twoVaults(t)
				rest, store := rowsOutside(t, f.Importer.DB), contents(t, f.Importer.DB)
				slices.Sort(store["files"])
				end := dbtest.RefuseAfter(t, f.Importer.DB.Path(), n-1)
				_, err := f.forget(purge)
				end()
				if err == nil {
					if n < 4 {
						t.Errorf("only %d batches", n)
					}
					break
				}
				if mend == "import" {
					f.Imports()
					after := contents(t, f.Importer.DB)
					slices.Sort(after["files"])
					if purge { // a purge deletes edges of other memories to the notes too
						store["edges"] = slices.DeleteFunc(store["edges"], func(e string) bool { return strings.HasPrefix(e, " | depends-on") })
						after["edges"] = slices.DeleteFunc(after["edges"], func(e string) bool { return strings.HasPrefix(e, " | depends-on") })
					}
					if diff := cmp.Diff(store, after); diff != "" {
						t.Errorf("purge %v, cut off after %d, imported (-before +after):\n%s", purge, n, diff)
					}
					continue
				}
				if _, err := f.forget(purge); err != nil {
					t.Fatal(err)
				}
				if left := dbtest.Texts(t, f.Importer.DB, `select uri from memories where uri like 'obsidian-fs://v/%' and (?1 or status <> 'forgotten')`, purge); len(left) > 0 {
					t.Errorf("purge %v, cut off after %d: %q are left", purge, n, left)
				}
				if diff := cmp.Diff(rest, rowsOutside(t, f.Importer.DB)); diff != "" {
					t.Errorf("purge %v, cut off after %d: something else has changed:\n%s", purge, n, diff)
				}
			}
		}
	}
}

// An interrupted import and the import that continues it are one batch.
func TestAnImportThatGoesOnIsOneAct(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "see [[b]]", "b.md": "x"})
	end := dbtest.RefuseAfter(t, f.Importer.DB.Path(), 2)
	if _, err := f.Importer.Import(t.Context(), vault.ImportArgs{Dir: f.Dir}); err == nil {
		t.Fatal("it was not cut off")
	}
	end()
	f.Imports()
	if got := dbtest.Texts(t, f.Importer.DB, `select json_array(operation, mirror, what, first, done) from batches`); !cmp.Equal(got, []string{fmt.Sprintf(`["import","v",%q,1,1]`, f.Dir)}) {
		t.Errorf("the batches are %q", got)
	}
	if _, ok, err := f.writer().Undo(t.Context(), journal.UndoArgs{}); err != nil || !ok {
		t.Errorf("Undo: %v, %v", ok, err)
	}
}
