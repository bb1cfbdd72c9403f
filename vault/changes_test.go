package vault_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory"
	"hence/projection/projectiontest"
	"hence/vault"
	"hence/vault/reading"
	"hence/vault/vaulttest"
	"hence/vault/writing"
)

// folder is the vault of a test, with the helpers of this package.
type folder struct{ vaulttest.Folder }

func newFolder(t *testing.T, files map[string]string) folder {
	return folder{vaulttest.New(t, files)}
}

// The helpers that the tests of several packages share.
var (
	rows     = projectiontest.Rows
	symlink  = vaulttest.Symlink
	snapshot = vaulttest.Snapshot
	contents = projectiontest.Contents
)

func TestEditedNoteIsUpdatedAndTheRestIsNot(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "see [[b]]", "b.md": "x", "c.md": "y"})
	f.Imports()
	id := f.ID("a.md")
	f.Write("a.md", "see [[c]]")
	report := f.Imports()
	if report.Updated != 1 || report.Unchanged != 2 || report.Added != 0 {
		t.Errorf("report = %+v, want one update", report)
	}
	f.Want("a links-to c")
	if f.ID("a.md") != id {
		t.Error("the note has another id")
	}
}

// The names of files, and what stands in frontmatter and fields, may have control characters. The store has
// none in what is shown within a line.
func TestControlCharactersOfNotesAreTakenOut(t *testing.T) {
	f := newFolder(t, map[string]string{
		"a.md": "---\ntags: [\"one\\ttwo\", \"a\\x85b\", ok]\nkind: \"x\\ny\"\n\"needs\\tit\": \"[[b]]\"\n\"causes\\n\": \"[[b]]\"\n---\n\nin\tline:: [[b]]\n\n## Relations\n\n- rel\tword [[b]]\n",
		"b.md": "x", "odd\tname\n.md": "x", "\x01.md": "x", "fol\rder/c.md": "[[a]]", "pic\x7f.png": "x", "d\u0085.canvas": "{}",
	})
	f.Imports()
	if report := f.Imports(); report.HasChanged() {
		t.Errorf("a second import changed something: %+v", report)
	}
	for _, text := range rows(t, f.Importer.DB, `select title from memories union all select kind from memories union all select tags from memories union all select rel from edges`) {
		if db.WithoutControls(text) != text {
			t.Errorf("%q is in the store", text)
		}
	}
	for _, want := range []string{"odd name", "\uFFFD", "d .canvas", "c"} {
		if n := dbtest.Count(t, f.Importer.DB, `select count(*) from memories where title = '`+want+`'`); n != 1 {
			t.Errorf("%d notes are called %q", n, want)
		}
	}
	words := rows(t, f.Importer.DB, `select kind || ' ' || rel from edges where kind <> 'links-to' order by 1`)
	if diff := cmp.Diff([]string{"causes ", "refers-to in line", "refers-to needs it", "refers-to rel word"}, words); diff != "" {
		t.Errorf("edges (-want +got):\n%s", diff)
	}
}

func TestEdgeThatIsStillDeclaredStaysTheSameEdge(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "see [[b]]", "b.md": "x"})
	f.Imports()
	before := rows(t, f.Importer.DB, `select id from edges`)
	f.Write("a.md", "a longer text\n\nsee [[b]], and [[b]] again")
	f.Imports()
	if diff := cmp.Diff(before, rows(t, f.Importer.DB, `select id from edges`)); diff != "" {
		t.Errorf("edges (-before +after):\n%s", diff)
	}
	if n := dbtest.Count(t, f.Importer.DB, `select count(*) from sites where edge is not null`); n != 2 {
		t.Errorf("%d places declare the edge, want 2", n)
	}
}

func TestMovedNoteKeepsItsIdAndItsEdges(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "see [[b]]", "b.md": "some text"})
	f.Imports()
	id := f.ID("b.md")
	f.Move("b.md", "deep/b.md")
	report := f.Imports()
	if report.Moved != 1 || report.Added != 0 || report.Removed != 0 {
		t.Errorf("report = %+v, want one move", report)
	}
	if f.ID("deep/b.md") != id {
		t.Error("the note has another id")
	}
	f.Want("a links-to b")
}

func TestRenamedNoteLeavesItsLinksDangling(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "see [[b]]", "b.md": "some text"})
	f.Imports()
	f.Move("b.md", "c.md")
	if report := f.Imports(); report.Dangling != 1 || report.Moved != 1 {
		t.Errorf("report = %+v, want one move and one dangling link", report)
	}
	f.Want()
}

func TestRemovedNoteIsForgottenAndComesBack(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "see [[b]]", "b.md": "see [[a]]"})
	f.Imports()
	id := f.ID("b.md")
	f.Remove("b.md")
	if report := f.Imports(); report.Removed != 1 || report.Dangling != 1 {
		t.Errorf("report = %+v, want one removed and one dangling", report)
	}
	f.Want()
	if got := rows(t, f.Importer.DB, `select status from memories where id = ?`, id); got[0] != "forgotten" {
		t.Errorf("the note is %s, want forgotten", got[0])
	}
	f.Write("b.md", "back again")
	f.Imports()
	f.Want("a links-to b")
	if f.ID("b.md") != id {
		t.Error("the note that came back has another id")
	}
}

func TestNewNoteResolvesWhatDangled(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "---\ndepends-on: \"[[B]]\"\n---\n![[b]]"})
	if report := f.Imports(); report.Dangling != 2 {
		t.Errorf("dangling = %d, want 2", report.Dangling)
	}
	f.Write("sub/B.md", "x")
	if report := f.Imports(); report.Dangling != 0 {
		t.Errorf("dangling = %d, want none", report.Dangling)
	}
	f.Want("a depends-on B", "a embeds B")
}

func TestNewNoteTakesALinkThatMeansItNow(t *testing.T) {
	f := newFolder(t, map[string]string{"s.md": "[[n]]", "a/n.md": "far"})
	f.Imports()
	f.Want("s links-to n")
	before := rows(t, f.Importer.DB, `select t.uri from edges e join memories t on t.key = e.to_key`)
	f.Write("n.md", "near")
	f.Imports()
	after := rows(t, f.Importer.DB, `select t.uri from edges e join memories t on t.key = e.to_key`)
	if diff := cmp.Diff([][]string{{"obsidian-fs://v/a/n.md"}, {"obsidian-fs://v/n.md"}}, [][]string{before, after}); diff != "" {
		t.Errorf("target before and after (-want +got):\n%s", diff)
	}
}

func TestAliasComesAndGoes(t *testing.T) {
	f := newFolder(t, map[string]string{"s.md": "[[Nick]]", "a.md": "---\naliases: [Nick]\n---\n"})
	f.Imports()
	f.Want("s links-to a")
	f.Write("a.md", "no more")
	f.Imports()
	f.Want()
}

func TestAgentsEdgeOutlivesTheNotesOwn(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "[[b]]", "b.md": "x"})
	f.Imports()
	if _, err := f.Importer.DB.Write(t.Context(), "agent", db.Now(), db.S(`update edges set declared = 'explicit'`)); err != nil {
		t.Fatal(err)
	}
	f.Write("a.md", "nothing")
	f.Imports()
	f.Want("a links-to b")
}

// If a note and an agent declare one edge, its origin is the agent, whoever declared it
// first, until one of them removes its declaration.
func TestEdgeOfANoteAndAnAgent(t *testing.T) {
	const said = "depends-on: \"[[b]]\"\nsuperseded_by: \"[[c]]\"\nrelates-to: \"[[b]]\"\n"
	note := "---\n" + said + "---\n"
	for _, c := range []struct{ name, before, after string }{
		{"NoteFirst", note, note},
		{"AgentFirst", "", note},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFolder(t, map[string]string{"a.md": c.before, "b.md": "", "c.md": ""})
			f.Imports()
			g := edges.Graph{DB: f.Importer.DB, Caller: ref.Caller{Actor: "robot", Origin: "agent"}}
			half := 0.5
			links := []edges.LinkArgs{
				{From: "a", To: "b", Type: "depends-on", Weight: &half, Note: "seen", ValidTo: "2020-01-01T00:00:00Z"},
				{From: "c", To: "a", Type: "supersedes", Note: "newer", ValidFrom: "2020-01-01T00:00:00Z"},
				{From: "b", To: "a", Type: "relates-to", Weight: &half},
			}
			link := func() {
				t.Helper()
				for _, a := range links {
					if _, err := g.Link(t.Context(), a); err != nil {
						t.Fatal(err)
					}
				}
			}
			unlink := func(stay int) {
				t.Helper()
				for _, a := range links {
					got, err := g.Unlink(t.Context(), edges.UnlinkArgs{From: a.From, To: a.To, Type: a.Type})
					if err != nil || len(got.Warnings) != stay || int(got.Removed) != 1-stay {
						t.Errorf("unlink %s: %+v, %v", a.Type, got, err)
					}
				}
			}
			link()
			f.Write("a.md", c.after)
			f.Imports()
			unlink(1)
			fresh := newFolder(t, nil)
			fresh.Dir = f.Dir
			fresh.Imports()
			if diff := cmp.Diff(contents(t, fresh.Importer.DB), contents(t, f.Importer.DB)); diff != "" {
				t.Errorf("once the agent has taken it back (-fresh +this):\n%s", diff)
			}
			link()
			f.Write("a.md", "nothing")
			f.Imports()
			if got := rows(t, f.Importer.DB, `select distinct origin, actor, declared from edges`); !slices.Equal(got, []string{"agent | robot | explicit"}) {
				t.Errorf("once the note has dropped it: %v, want the agent's", got)
			}
			unlink(0)
			f.Want()
		})
	}
}

func TestDeclaredCycleAndSecondSuccessorAreKeptOutAndListed(t *testing.T) {
	f := newFolder(t, map[string]string{
		"a.md":   "---\ndepends-on: \"[[b]]\"\n---\n",
		"b.md":   "---\ndepends-on: \"[[a]]\"\n---\n",
		"new.md": "---\nsupersedes: \"[[old]]\"\n---\n",
		"old.md": "---\nsuperseded_by: \"[[z]]\"\n---\n",
		"z.md":   "z",
	})
	report := f.Imports()
	f.Want("a depends-on b", "new supersedes old")
	want := []vault.Place{
		{Path: "b.md", Line: 2, Target: "a", Rel: "depends-on", Why: "cycle"},
		{Path: "old.md", Line: 2, Target: "z", Rel: "superseded_by", Why: "successor"},
	}
	if diff := cmp.Diff(want, report.RefusedLinks); diff != "" {
		t.Errorf("refused (-want +got):\n%s", diff)
	}
	f.Write("a.md", "no more")
	if report := f.Imports(); report.Refused != 1 {
		t.Errorf("refused = %d, want only the second successor", report.Refused)
	}
	f.Want("b depends-on a", "new supersedes old")
}

// A link was refused because of an edge of an agent. If that edge is deleted, no file
// changes, but the next import accepts the link.
func TestRefusedDeclarationStandsOnceItsRivalIsGone(t *testing.T) {
	for _, c := range []struct {
		name, rival, gone string
		want              string
	}{
		{"Successor", "supersedes", `delete from edges where origin = 'agent'`, "new supersedes old"},
		{"Cycle", "depends-on", `delete from edges where origin = 'agent'`, "new depends-on old"},
		{"PurgedSuccessor", "supersedes", `delete from memories where title = 'rival'`, "new supersedes old"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFolder(t, map[string]string{"old.md": "", "other.md": ""})
			f.Imports()
			f.Exec(`insert into memories (title) values ('rival')`)
			from, to := "rival", "old"
			if c.rival == "depends-on" {
				from, to = "old", "new" // the reverse of the edge that the note will declare
				f.Write("new.md", "")
				f.Imports()
			}
			f.Exec(`
insert into edges (from_key, to_key, kind, origin)
select f.key, t.key, ?3, 'agent'
from memories f
join memories t on t.title = ?2
where f.title = ?1`, from, to, c.rival)
			f.Write("new.md", "---\n"+c.rival+": \"[[old]]\"\n---\n")
			if report := f.Imports(); report.Refused != 1 {
				t.Fatalf("refused = %d, want 1", report.Refused)
			}
			before := dbtest.Count(t, f.Importer.DB, `select batch from writer`)
			if report := f.Imports(); report.Refused != 1 || report.HasChanged() {
				t.Errorf("while the rival is there: %+v", report)
			}
			if after := dbtest.Count(t, f.Importer.DB, `select batch from writer`); after != before {
				t.Errorf("%d writes for an import that has nothing to decide", after-before)
			}
			f.Exec(c.gone)
			if report := f.Imports(); report.Refused != 0 || report.HasChanged() {
				t.Errorf("once it is gone: %+v", report)
			}
			f.Want(c.want)
			fresh := newFolder(t, nil)
			fresh.Dir = f.Dir
			fresh.Imports()
			f.Exec(`delete from memories where title = 'rival'`)
			if diff := cmp.Diff(contents(t, fresh.Importer.DB), contents(t, f.Importer.DB)); diff != "" {
				t.Errorf("the store (-fresh +this):\n%s", diff)
			}
		})
	}
}

func TestNoteThatSaysItIsSuperseded(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "---\nstatus: Superseded\n---\n"})
	status := func() string { return rows(t, f.Importer.DB, `select status from memories`)[0] }
	f.Imports()
	if got := status(); got != memory.Superseded {
		t.Errorf("status = %s", got)
	}
	f.Write("a.md", "taken back")
	f.Imports()
	if got := status(); got != memory.Current {
		t.Errorf("status = %s", got)
	}
}

func TestANoteKeepsAsManyTagsAsAMemoryMayHave(t *testing.T) {
	var tags strings.Builder
	for n := range 400 {
		fmt.Fprintf(&tags, "#t%03d #t%03d ", n, n/2)
	}
	f := newFolder(t, map[string]string{"many.md": tags.String() + "\n\n#" + strings.Repeat("l", 201), "few.md": "#t000 #" + strings.Repeat("l", 200)})
	report := f.Imports()
	got := dbtest.Texts(t, f.Importer.DB, `select json_array_length(tags) || ' ' || (tags ->> 0) || ' ' || (tags ->> 199) from memories where title = 'many'`)
	if diff := cmp.Diff([]string{"200 t000 t199"}, got); diff != "" {
		t.Errorf("tags (-want +got):\n%s", diff)
	}
	texts := []string{}
	for _, w := range report.Warnings {
		texts = append(texts, w.Path+": "+w.Text)
	}
	if diff := cmp.Diff([]string{
		"many.md: tags of more than 200 characters were left out: 1",
		"many.md: it has more than 200 tags; the rest was left out: 200",
	}, texts); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
	if n := dbtest.Count(t, f.Importer.DB, `select json_array_length(tags) from memories where title = 'few'`); n != 2 {
		t.Errorf("%d tags, want 2", n)
	}
}

func TestBadNotesAreWarningsAndLoseNothing(t *testing.T) {
	f := newFolder(t, map[string]string{
		"yaml.md":    "---\nkey: [unclosed\n---\nbody with [[good]]\n",
		"good.md":    "fine",
		"nul.md":     "a\x00b [[good]]",
		"latin1.md":  "caf\xe9 [[good]]",
		"bad.canvas": "{",
		"empty.md":   "",
	})
	report := f.Imports()
	warned := map[string]bool{}
	for _, w := range report.Warnings {
		warned[w.Path] = true
		if w.Text == "" || strings.Contains(w.Text, f.Dir) {
			t.Errorf("warning %+v says nothing, or the folder's path", w)
		}
	}
	if diff := cmp.Diff([]string{"bad.canvas", "latin1.md", "nul.md", "yaml.md"}, slices.Sorted(maps.Keys(warned))); diff != "" {
		t.Errorf("files with warnings (-want +got):\n%s", diff)
	}
	f.Want("latin1 links-to good", "nul links-to good", "yaml links-to good")
	if report.Notes != 5 || report.Files != 1 {
		t.Errorf("%d notes and %d files, want 5 and 1", report.Notes, report.Files)
	}
}

func TestLargeNoteIsImportedWhole(t *testing.T) {
	text := bytes.Repeat([]byte(strings.Repeat("a line with words\n", 40)+"and one with [[b]]\n"), 1<<20/720)
	f := newFolder(t, map[string]string{"big.md": string(text), "b.md": ""})
	report := f.Imports()
	if report.Links != bytes.Count(text, []byte("[[")) || report.Edges != 1 {
		t.Errorf("%d links and %d edges", report.Links, report.Edges)
	}
	if n := dbtest.Count(t, f.Importer.DB, `select length(content) from memories where title = 'big'`); n != len(text) {
		t.Errorf("%d bytes of %d were kept", n, len(text))
	}
}

func TestTooLargeNoteIsAWarningAndWhatWasKnownStays(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "small", "b.md": "[[a]]"})
	f.Imports()
	f.Write("a.md", strings.Repeat("x", memory.MaxContent+1))
	report := f.Imports()
	if len(report.Warnings) != 1 || report.Removed != 0 {
		t.Errorf("report = %+v, want one warning", report)
	}
	if got := rows(t, f.Importer.DB, `select content from memories where title = 'a'`); got[0] != "small" {
		t.Errorf("content has %d bytes", len(got[0]))
	}
	f.Want("b links-to a")
}

func TestHiddenFilesAndLinksOutOfTheVaultAreLeftOut(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "x", ".obsidian/x.md": "x", ".trash/y.md": "x", ".hidden.md": "x"})
	outside := filepath.Join(t.TempDir(), "secret.md")
	if err := os.WriteFile(outside, []byte("secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(f.Dir, "out.md")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a.md", filepath.Join(f.Dir, "in.md")); err != nil {
		t.Fatal(err)
	}
	report := f.Imports()
	if got := rows(t, f.Importer.DB, `select title from memories order by 1`); !slices.Equal(got, []string{"a", "in"}) {
		t.Errorf("memories = %v, want a and in", got)
	}
	if len(report.Warnings) != 1 || report.Warnings[0].Path != "out.md" {
		t.Errorf("warnings = %+v, want one of out.md", report.Warnings)
	}
}

func TestImportRefusesWhatIsNoVault(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "x"})
	f.Imports()
	file := filepath.Join(f.Dir, "a.md")
	other := filepath.Join(t.TempDir(), "v")
	empty := filepath.Join(t.TempDir(), "empty")
	for _, dir := range []string{other, empty} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name string
		args vault.ImportArgs
		want fault.Code
	}{
		{"MissingFolder", vault.ImportArgs{Dir: filepath.Join(f.Dir, "none")}, fault.NotFound},
		{"File", vault.ImportArgs{Dir: file}, fault.InvalidArgument},
		{"NoFolder", vault.ImportArgs{}, fault.InvalidArgument},
		{"BlankFolder", vault.ImportArgs{Dir: " ", Name: "v"}, fault.InvalidArgument},
		{"NameWithSlash", vault.ImportArgs{Dir: f.Dir, Name: "a/b"}, fault.InvalidArgument},
		{"AnotherFolderOfTheSameName", vault.ImportArgs{Dir: other}, fault.Conflict},
		{"KnownVaultNowEmpty", vault.ImportArgs{Dir: empty, Name: "v"}, fault.Conflict},
		{"AnotherNamespace", vault.ImportArgs{Dir: f.Dir, Namespace: "elsewhere"}, fault.Conflict},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := f.Importer.Import(t.Context(), c.args); fault.CodeOf(err) != c.want {
				t.Errorf("Import: %v, want %s", err, c.want)
			}
		})
	}
	if n := dbtest.Count(t, f.Importer.DB, `select count(*) from memories where status = 'current'`); n != 1 {
		t.Errorf("%d memories are current after the refusals, want 1", n)
	}
}

func TestDryRunWritesNothingAndForetellsTheReport(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "[[b]] [[none]]", "b.md": "x"})
	dry, err := f.Importer.Import(t.Context(), vault.ImportArgs{Dir: f.Dir, DryRun: true})
	if err != nil {
		t.Fatal(err)
	}
	if n := dbtest.Count(t, f.Importer.DB, `select count(*) from journal`) + dbtest.Count(t, f.Importer.DB, `select count(*) from mirrors`); n != 0 {
		t.Errorf("a dry run wrote %d rows", n)
	}
	real := f.Imports()
	real.DryRun, dry.Edges = true, real.Edges
	if diff := cmp.Diff(real, dry); diff != "" {
		t.Errorf("dry run (-real +dry):\n%s", diff)
	}
	dry, err = f.Importer.Import(t.Context(), vault.ImportArgs{Dir: f.Dir, DryRun: true})
	if err != nil {
		t.Fatal(err)
	}
	real = f.Imports()
	real.DryRun = true
	if diff := cmp.Diff(real, dry); diff != "" || dry.Links != 2 {
		t.Errorf("dry run where nothing has changed (-real +dry):\n%s", diff)
	}
}

// In one import, one link ceases to declare an edge and another link begins to declare it.
// The edge must not be deleted in between.
func TestLinkTakesTheEdgeThatAnotherLeaves(t *testing.T) {
	f := newFolder(t, map[string]string{"n.md": "[[x]] and [[zed/x]]", "a/x.md": "the old one"})
	f.Imports()
	edge := rows(t, f.Importer.DB, `select id from edges`)
	f.Move("a/x.md", "q/zed/x.md")
	f.Write("x.md", "the new one")
	f.Imports()
	want := []string{"[[x]] obsidian-fs://v/x.md", "[[zed/x]] obsidian-fs://v/q/zed/x.md"}
	got := rows(t, f.Importer.DB, `
select '[[' || s.target || ']] ' || t.uri
from sites s
join edges e on e.key = s.edge
join memories t on t.key = e.to_key
order by 1`)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
	if kept := rows(t, f.Importer.DB, `select id from edges where id = ?`, edge[0]); len(kept) != 1 {
		t.Error("the edge that is still declared is another one")
	}
}

// reader and writer return a reader and a writer of the folder's store.
func (f folder) reader() reading.Reader { return reading.Reader(f.View()) }
func (f folder) writer() writing.Writer { return writing.New(f.View()) }
