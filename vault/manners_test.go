package vault_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/ref"
	disk "hence/projection/folder"
	"hence/vault"
	"hence/vault/vaulttest"
)

func TestSettingsOfAVaultApplyAndComeIntoForceWhenTheyChange(t *testing.T) {
	f := newFolder(t, map[string]string{
		"a.md": "---\nfeeds: \"[[b]]\"\nup: \"[[c]]\"\n---\n[related:: [[b]]]", "b.md": "x", "c.md": "y", "drafts/d.md": "z", "e.tmp.md": "e",
	})
	f.Imports()
	f.Want("a part-of c", "a refers-to b", "a relates-to b")
	f.Write(".hence.yaml", "words:\n  feeds: causes\n  up: ignore\n  related: refers-to\nignore: [drafts/, '*.tmp.md']\n")
	report := f.Imports()
	f.Want("a causes b", "a refers-to b")
	if report.Removed != 2 || report.Notes != 3 {
		t.Errorf("report = %+v, want two notes left out", report)
	}
	if again := f.Imports(); again.HasChanged() {
		t.Errorf("the settings come into force twice: %+v", again)
	}
	f.Remove(".hence.yaml")
	f.Imports()
	f.Want("a part-of c", "a refers-to b", "a relates-to b")
}

func TestMistakeInTheSettingsStopsTheImport(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "[[b]]", "b.md": "x"})
	f.Imports()
	f.Write(".hence.yaml", "mentions: false\nwords:\n  a: nonsense\n")
	f.Write("a.md", "edited")
	_, err := f.Importer.Import(t.Context(), vault.ImportArgs{Dir: f.Dir})
	if fault.CodeOf(err) != fault.InvalidArgument || !strings.Contains(err.Error(), ".hence.yaml:3: ") {
		t.Errorf("Import: %v, want invalid_argument that names .hence.yaml:3", err)
	}
	f.Want("a links-to b")
}

func TestHenceignoreLeavesFilesOut(t *testing.T) {
	f := newFolder(t, map[string]string{
		".henceignore": "# private\n/private/\n*.bak.md\n!keep.bak.md\n", "a.md": "[[p]]", "private/p.md": "x", "sub/private/q.md": "y", "x.bak.md": "z", "keep.bak.md": "k",
	})
	if report := f.Imports(); report.Dangling != 1 {
		t.Errorf("report = %+v, want the link to what is left out to dangle", report)
	}
	if diff := cmp.Diff(uris("a.md", "keep.bak.md", "sub/private/q.md"), rows(t, f.Importer.DB, currentNotes)); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	f.Write(".henceignore", "")
	f.Imports()
	f.Want("a links-to p")
}

func TestTwoVaultsInOneStoreDoNotMix(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "[[b]] and Shared Name", "Shared Name.md": "x"})
	g := newFolder(t, map[string]string{"b.md": "[[a]] and Shared Name", "c.md": "---\nsupersedes: \"[[b]]\"\n---\n"})
	g.Importer.DB = f.Importer.DB
	imports := func(dir, name string) vault.Report {
		t.Helper()
		report, err := f.Importer.Import(t.Context(), vault.ImportArgs{Dir: dir, Name: name})
		if err != nil {
			t.Fatal(err)
		}
		return report
	}
	one, two := imports(f.Dir, "one"), imports(g.Dir, "two")
	if one.Dangling != 1 || two.Dangling != 1 || one.Mentions != 1 || two.Mentions != 0 {
		t.Errorf("reports %+v and %+v, want one dangling link in each and a mention in the first", one, two)
	}
	edges := []string{"a mentions Shared Name", "c supersedes b"}
	f.Want(edges...)
	f.Write("b.md", "now there is one here too")
	g.Remove("c.md")
	imports(f.Dir, "one")
	f.Want("a links-to b", "a mentions Shared Name", "c supersedes b")
	imports(g.Dir, "two")
	f.Want("a links-to b", "a mentions Shared Name")
	if again := imports(f.Dir, "one"); again.HasChanged() {
		t.Errorf("the second vault changes the first: %+v", again)
	}
}

func TestFoldersBehindSymbolicLinksAreNotFollowed(t *testing.T) {
	f := newFolder(t, map[string]string{"a/x.md": "x", "a/sub/y.md": "y"})
	for link, target := range map[string]string{"loop": ".", "again": "a", "dangling.md": "nowhere.md"} {
		symlink(t, target, filepath.Join(f.Dir, link))
	}
	report := f.Imports()
	if diff := cmp.Diff(uris("a/sub/y.md", "a/x.md"), rows(t, f.Importer.DB, currentNotes)); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	if len(report.Warnings) != 1 || report.Warnings[0].Path != "dangling.md" {
		t.Errorf("warnings = %+v, want one of dangling.md", report.Warnings)
	}
}

func TestMentions(t *testing.T) {
	mentions := func(f folder) []string {
		return rows(t, f.Importer.DB, `
select n.title, s.line, s.target, s.resolved_by, t.title
from sites s
join memories n on n.key = s.note
join edges e on e.key = s.edge and e.kind = 'mentions' and e.from_key = n.key
join memories t on t.key = e.to_key
where s.origin = 'mention'
order by n.title, s.line, s.target`)
	}
	f := newFolder(t, map[string]string{
		"Seat Ledger.md": "---\naliases: [the register]\n---\nI am the Seat Ledger.",
		"a.md":           "# Seat Ledger\n\nThe seat ledger, the SEAT LEDGER.\n[[Seat Ledger]] `Seat Ledger`\nAsk the Register.",
		"b.md":           "Nothing but the Queue and seat ledgers.",
		"Queue.png":      "x",
	})
	f.Imports()
	want := []string{"a | 1 | Seat Ledger | name | Seat Ledger", "a | 3 | seat ledger | name | Seat Ledger", "a | 5 | the Register | name | Seat Ledger"}
	if diff := cmp.Diff(want, mentions(f)); diff != "" {
		t.Errorf("mentions (-want +got):\n%s", diff)
	}
	f.Write("Queue.md", "A new note finds who spoke of it.")
	f.Imports()
	want = append(want, "b | 1 | Queue | name | Queue")
	if diff := cmp.Diff(want, mentions(f)); diff != "" {
		t.Errorf("mentions after a note came (-want +got):\n%s", diff)
	}
	f.Write("sub/Seat Ledger.md", "Of two of a name neither is meant.")
	f.Imports()
	want = want[2:]
	if diff := cmp.Diff(want, mentions(f)); diff != "" {
		t.Errorf("mentions after a namesake came (-want +got):\n%s", diff)
	}
	f.Write(".hence.yaml", "mentions: false")
	f.Imports()
	if diff := cmp.Diff([]string{}, mentions(f)); diff != "" {
		t.Errorf("mentions though the owner wants none (-want +got):\n%s", diff)
	}
}

func TestTwoWordsForOneSupersessionAreOneEdge(t *testing.T) {
	f := newFolder(t, map[string]string{
		"new.md": "---\nsupersedes: \"[[old]]\"\n---\n[replaces:: [[old]]]", "old.md": "---\nsuperseded_by: \"[[new]]\"\nstatus: superseded\n---\n",
	})
	if report := f.Imports(); report.Refused != 0 || report.Edges != 1 {
		t.Errorf("report = %+v, want one edge and nothing refused", report)
	}
	f.Want("new supersedes old")
	f.Write("new.md", "no more")
	f.Write("old.md", "---\nstatus: superseded\n---\n")
	f.Imports()
	f.Want()
	if got := rows(t, f.Importer.DB, `select title from memories where status = 'superseded'`); !slices.Equal(got, []string{"old"}) {
		t.Errorf("superseded: %v, want the note that says so itself", got)
	}
}

func TestAgentsDeclarationStandsBeforeTheVaults(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "---\ndepends-on: \"[[b]]\"\n---\n", "b.md": "x"})
	f.Imports()
	dbtest.Fill(t, f.Importer.DB,
		db.S(`delete from edges`),
		db.S(`insert into edges (from_key, to_key, kind) select b.key, a.key, 'depends-on' from memories a join memories b on b.title = 'b' where a.title = 'a'`))
	f.Write("a.md", "---\ndepends-on: \"[[b]]\"\n---\nedited")
	if report := f.Imports(); report.Refused != 1 || report.RefusedLinks[0].Why != "cycle" {
		t.Errorf("report = %+v, want the vault's dependence refused", report)
	}
	f.Want("b depends-on a")
}

func TestStoppedImportGoesOn(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "[[Nick]] [[c]]", "b.md": "---\naliases: [Nick]\n---\n"})
	f.Imports()
	// The state of the store after an import was killed when it had written the names of the
	// notes, but had not yet resolved the links of other notes again.
	f.Write("b.md", "---\naliases: [Other]\n---\n")
	if _, err := f.Importer.DB.Write(t.Context(), "v", db.Now(),
		db.S(`update mirrors set extraction = 0`), db.S(`update memories set aliases = '["Other"]' where title = 'b'`), db.S(`update files set size = -1 where path = 'b.md'`)); err != nil {
		t.Fatal(err)
	}
	f.Imports()
	fresh := folder{vaulttest.Folder{T: t, Dir: f.Dir, Importer: vault.Importer{DB: newFolder(t, nil).Importer.DB, Caller: ref.Caller{Actor: "tester"}}}}
	fresh.Imports()
	if diff := cmp.Diff(contents(t, fresh.Importer.DB), contents(t, f.Importer.DB)); diff != "" {
		t.Errorf("the store after going on (-fresh +went on):\n%s", diff)
	}
}

// A folder that was imported under another name keeps that name: it does not become a second
// vault of the same notes.
func TestAFolderKeepsTheNameItWasImportedBy(t *testing.T) {
	f := newFolder(t, map[string]string{"One.md": "one"})
	i, dir := f.Importer, f.Dir
	for _, a := range []vault.ImportArgs{{Dir: dir, Name: "work"}, {Dir: dir}} {
		if _, err := i.Import(t.Context(), a); err != nil {
			t.Fatal(err)
		}
	}
	if all, err := i.Vaults(t.Context()); err != nil || len(all) != 1 || all[0].Name != "work" {
		t.Errorf("vaults %+v, %v; want work alone", all, err)
	}
	if _, err := i.Import(t.Context(), vault.ImportArgs{Dir: dir, Name: "home"}); err != nil {
		t.Fatal(err)
	}
	if _, err := i.Import(t.Context(), vault.ImportArgs{Dir: dir}); fault.CodeOf(err) != fault.Ambiguous {
		t.Errorf("a folder of two vaults: %v, want ambiguous", err)
	}
	if _, err := i.Import(t.Context(), vault.ImportArgs{Dir: dir, Name: filepath.Base(dir)}); err != nil {
		t.Fatal(err)
	}
	if _, err := i.Import(t.Context(), vault.ImportArgs{Dir: dir}); err != nil {
		t.Errorf("a folder of several vaults, one by its own name: %v", err)
	}
}

// A folder without notes is imported. The report warns that it has no note, and if it does
// not look like a vault.
func TestImportSaysThatThereIsNoNote(t *testing.T) {
	const none = "there is no note in the folder"
	for _, c := range []struct {
		name  string
		files map[string]string
		want  []disk.Warning
	}{
		{"Empty", map[string]string{}, []disk.Warning{{Text: none + ", and it does not look like a vault: it has no .obsidian folder"}}},
		{"OtherFilesOnly", map[string]string{"main.go": "package main"}, []disk.Warning{{Text: none + ", and it does not look like a vault: it has no .obsidian folder"}}},
		{"EmptyVault", map[string]string{".obsidian/app.json": "{}"}, []disk.Warning{{Text: none}}},
		{"EmptyFolderWithSettings", map[string]string{".hence.yaml": "mentions: false\n"}, []disk.Warning{{Text: none}}},
		{"OneNote", map[string]string{"a.md": "x"}, []disk.Warning{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFolder(t, c.files)
			for range 2 {
				if diff := cmp.Diff(c.want, f.Imports().Warnings); diff != "" {
					t.Errorf("warnings (-want +got):\n%s", diff)
				}
			}
		})
	}
}
