package writing_test

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/vault"
	"hence/vault/vaulttest"
	"hence/vault/writing"
)

func TestMoveRewritesOnlyWhatItMust(t *testing.T) {
	for _, c := range []struct {
		name     string
		files    map[string]string
		from, to string
		want     map[string]string // of the files that change
	}{
		{"ABareNameStaysBare", map[string]string{"a.md": "[[b]] [[b#H|shown]] ![[b]]", "b.md": "x"}, "b", "sub/c",
			map[string]string{"a.md": "[[c]] [[c#H|shown]] ![[c]]"}},
		{"NothingWhereTheNameStays", map[string]string{"a.md": "[[b]] [x](b.md)", "b.md": "x"}, "b", "sub/b", map[string]string{}},
		{"APathStaysAPath", map[string]string{"a.md": "[[sub/b]] [[sub/b.md]] [[/sub/b]]", "sub/b.md": "x"}, "sub/b", "far/off/c",
			map[string]string{"a.md": "[[far/off/c]] [[far/off/c.md]] [[/far/off/c]]"}},
		{"TheEndOfAPathStaysAnEnd", map[string]string{"a.md": "[[sub/b]]", "x/sub/b.md": "x"}, "x/sub/b", "y/on/c",
			map[string]string{"a.md": "[[on/c]]"}},
		{"ARelativePathStaysRelative", map[string]string{"n/a.md": "[[../sub/b]] [x](../sub/b.md) [y](./d.md)", "sub/b.md": "x", "n/d.md": "x"}, "sub/b", "n/c",
			map[string]string{"n/a.md": "[[c]] [x](c.md) [y](./d.md)"}},
		{"ItsOwnRelativeLinks", map[string]string{"n/a.md": "[x](../b.md) [y](./d.md) [z](d.md) [[d]]", "b.md": "x", "n/d.md": "x", "d.md": "y"}, "n/a", "m/deep/a",
			map[string]string{"m/deep/a.md": "[x](../../b.md) [y](../../n/d.md) [z](d.md) [[d]]"}},
		{"ItsOwnName", map[string]string{"a.md": "[[a]] [[a#H]] [[#H]]\n# H\n"}, "a", "b",
			map[string]string{"b.md": "[[b]] [[b#H]] [[#H]]\n# H\n"}},
		{"AnotherNoteOfTheNewName", map[string]string{"a.md": "[[c]] [[b]]", "n/c.md": "other", "b.md": "x"}, "b", "c",
			map[string]string{"a.md": "[[n/c]] [[c]]"}},
		{"TheMovedNoteIsNotTheNearestOfItsName", map[string]string{"a.md": "[[b]]", "b.md": "x", "c.md": "other"}, "b", "sub/c",
			map[string]string{"a.md": "[[sub/c]]"}},
		{"AnotherTakesItsName", map[string]string{"a.md": "[[b]]", "b.md": "x", "n/b.md": "other"}, "b", "n/m/b",
			map[string]string{"a.md": "[[m/b]]"}},
		{"Frontmatter", map[string]string{"a.md": "---\nup: \"[[b]]\"\nl:\n  - '[[b|x]]'\n  - \"see [[b]] there\"\nu: [[b]]\nm: \"[x](b.md)\"\n---\n"}, "", "", nil},
		{"InATable", map[string]string{"a.md": "| x | y |\n|---|---|\n| [[b\\|shown]] | ![[b]] |\n", "b.md": "x"}, "b", "c",
			map[string]string{"a.md": "| x | y |\n|---|---|\n| [[c\\|shown]] | ![[c]] |\n"}},
		{"WhatIsNoLinkStays", map[string]string{"a.md": "`[[b]]` <!-- [[b]] -->\n```\n[[b]]\n```\nb [[b]]", "b.md": "x"}, "b", "c",
			map[string]string{"a.md": "`[[b]]` <!-- [[b]] -->\n```\n[[b]]\n```\nb [[c]]"}},
		{"MarkdownEncoding", map[string]string{"a.md": "[x](my%20b.md#h%20i) [y](<my b.md>) ![z](my%20b.md \"t\")", "my b.md": "x"}, "my b", "my (c) d",
			map[string]string{"a.md": "[x](my%20%28c%29%20d.md#h%20i) [y](<my (c) d.md>) ![z](my%20%28c%29%20d.md \"t\")"}},
		{"AnAliasKeepsItsWords", map[string]string{"a.md": "[[Nick]]\n\n| [[Nick]] | x |\n|---|---|\n", "b.md": "---\naliases: [Nick]\n---\n", "n/d.md": "x"}, "n/d", "Nick",
			map[string]string{"a.md": "[[b|Nick]]\n\n| [[b\\|Nick]] | x |\n|---|---|\n"}},
		{"AnAliasThatTwoHave", map[string]string{"a.md": "[[Nick]]", "b.md": "---\naliases: [Nick]\n---\n", "zz/d.md": "---\naliases: [Nick]\n---\n"}, "b", "far/away/b",
			map[string]string{"a.md": "[[b|Nick]]"}},
		{"AnAttachment", map[string]string{"a.md": "![[p.png|300]] [x](p.png)", "p.png": "bytes"}, "p.png", "img/q",
			map[string]string{"a.md": "![[q.png|300]] [x](q.png)"}},
		{"ACanvas", map[string]string{
			"c.canvas": `{"nodes":[{"id":"1","type":"file","file":"b.md","x":1},{"id":"2","type":"text","text":"see [[b]] and \"[[b|q]]\"\n---"}],"edges":[]}`,
			"a.md":     "[[c.canvas]]", "b.md": "x"}, "b", "sub/b2",
			map[string]string{"c.canvas": `{"nodes":[{"id":"1","type":"file","file":"sub/b2.md","x":1},{"id":"2","type":"text","text":"see [[b2]] and \"[[b2|q]]\"\n---"}],"edges":[]}`}},
		{"ACanvasThatIsNotWhole", map[string]string{"c.canvas": "{\"nodes\":[{\"type\":\"text\",\"text\":\"up:: [[b]]\n# [[b|q]]\",},{\"type\":\"file\",\"file\":\"b.md\",},1],}", "b.md": "x"}, "b", "sub/b2",
			map[string]string{"c.canvas": "{\"nodes\":[{\"type\":\"text\",\"text\":\"up:: [[b2]]\\n# [[b2|q]]\",},{\"type\":\"file\",\"file\":\"sub/b2.md\",},1],}"}},
		{"ACanvasWantsTheWholePath", map[string]string{"c.canvas": `{"nodes":[{"id":"1","type":"file","file":"b.md"}]}`, "b.md": "x"}, "b", "sub/b",
			map[string]string{"c.canvas": `{"nodes":[{"id":"1","type":"file","file":"sub/b.md"}]}`}},
		{"TheCaseOfItsName", map[string]string{"a.md": "[[note]]", "note.md": "[[note]]"}, "note", "Note", map[string]string{}},
		{"LineEndsAndMarkStay", map[string]string{"a.md": "\uFEFFx\r\n[[b]]\r\n", "b.md": "x"}, "b", "c", map[string]string{"a.md": "\uFEFFx\r\n[[c]]\r\n"}},
		{"ADanglingLinkStays", map[string]string{"a.md": "[[c]] [[nowhere]]", "b.md": "x"}, "b", "c", map[string]string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.name == "Frontmatter" {
				c.files["b.md"], c.from, c.to = "x", "b", "it's c"
				c.want = map[string]string{"a.md": "---\nup: \"[[it's c]]\"\nl:\n  - '[[it''s c|x]]'\n  - \"see [[it's c]] there\"\nu: [[it's c]]\nm: \"[x](it's%20c.md)\"\n---\n"}
			}
			f := newFolder(t, c.files)
			f.Imports()
			f.movesTo(c.from, c.to, c.want)
		})
	}
}

// movesTo moves a file. It fails the test unless the move gives only the files in changed,
// path → text, another text, and an import after it changes nothing.
func (f folder) movesTo(from, to string, changed map[string]string) {
	f.T.Helper()
	t, before := f.T, f.files()
	dry, err := f.writer().MoveNote(t.Context(), writing.MoveNoteArgs{FromPath: from, ToPath: to, DryRun: true})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, f.files()); diff != "" {
		t.Errorf("a dry run changes files:\n%s", diff)
	}
	id := f.ID(dry.FromPath)
	r, err := f.moveNote(from, to)
	if err != nil {
		t.Fatal(err)
	}
	want := maps.Clone(before)
	want[r.ToPath] = want[r.FromPath]
	if r.FromPath != r.ToPath {
		delete(want, r.FromPath)
	}
	maps.Copy(want, changed)
	if diff := cmp.Diff(want, f.files()); diff != "" {
		t.Errorf("the files (-want +got):\n%s", diff)
	}
	if r.FilesChanged != len(changed) || !r.Moved || dry.Moved || r.ID != id || f.ID(r.ToPath) != id {
		t.Errorf("MoveNote = %+v, want %d changed and the id %s", r, len(changed), id)
	}
	for i := range dry.Rewrites {
		if dry.Rewrites[i].Path == r.FromPath {
			dry.Rewrites[i].Path = r.ToPath
		}
	}
	if diff := cmp.Diff(dry.Rewrites, r.Rewrites); diff != "" {
		t.Errorf("the rewrites (-foreseen +done):\n%s", diff)
	}
	if again := f.Imports(); again.HasChanged() {
		t.Errorf("an import after it changes something: %+v", again)
	}
}

func TestMoveListsTheRewrites(t *testing.T) {
	f := newFolder(t, map[string]string{
		"a.md": "# x\n\n[[b#h|s]] [x](b.md)\n", "b.md": "[[b]]",
		"c.canvas": "{\"nodes\":[\n{\"id\":\"1\",\"type\":\"file\",\"file\":\"b.md\"},\n{\"id\":\"2\",\"type\":\"text\",\"text\":\"x\\n\\n[[b]]\"}]}",
	})
	f.Imports()
	r, err := f.writer().MoveNote(t.Context(), writing.MoveNoteArgs{FromPath: "b", ToPath: "sub/c", Limit: 4})
	if err != nil {
		t.Fatal(err)
	}
	want := []writing.Rewrite{
		{Path: "a.md", LineNumber: 3, Before: "[[b#h|s]]", After: "[[c#h|s]]"},
		{Path: "a.md", LineNumber: 3, Before: "[x](b.md)", After: "[x](c.md)"},
		{Path: "sub/c.md", LineNumber: 1, Before: "[[b]]", After: "[[c]]"},
		{Path: "c.canvas", LineNumber: 2, Before: "b.md", After: "sub/c.md"},
	}
	if diff := cmp.Diff(want, r.Rewrites); diff != "" {
		t.Errorf("the rewrites (-want +got):\n%s", diff)
	}
	if r.TotalCount != 5 || r.ReturnedCount != 4 || !r.Truncated || r.Next != "limit" {
		t.Errorf("MoveNote = %+v", r)
	}
}

func TestMoveRefuses(t *testing.T) {
	files := map[string]string{"a.md": "see\n[[b]]", "b.md": "x", "n/c.md": "y", "p.png": "p", "e.md": "---\nup: \"[[\\u0062]]\"\n---\n"}
	for name, c := range map[string]struct {
		from, to string
		want     fault.Code
	}{
		"WhatIsThere":              {"a", "n/c", fault.Exists},
		"WhatIsThereInAnotherCase": {"a", "n/C", fault.Exists},
		"Itself":                   {"a", "a.md", fault.Exists},
		"AnotherExtension":         {"p.png", "p.jpg", fault.InvalidArgument},
		"APictureToANote":          {"p.png", "p.md", fault.InvalidArgument},
		"Nothing":                  {"nowhere", "x", fault.NotFound},
		"AFolder":                  {"n", "m", fault.NotFound},
		"IntoAFolder":              {"a", "n/", fault.InvalidArgument},
		"ALinkCannotNameIt":        {"a", "x#y", fault.InvalidArgument},
		"BelowAFile":               {"a", "b.md/x", fault.InvalidArgument},
		"ALinkWithEscapes":         {"b", "x", fault.Conflict},
		"ASymbolicLink":            {"link", "x", fault.InvalidArgument},
		"AnotherVault":             {"a", "obsidian-fs://w/a.md", fault.InvalidArgument},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFolder(t, files)
			if err := os.Symlink("a.md", filepath.Join(f.Dir, "link.md")); err != nil {
				t.Fatal(err)
			}
			f.Imports()
			before, store := snapshot(t, f.Dir), contents(t, f.Importer.DB)
			r, err := f.moveNote(c.from, c.to)
			if fault.CodeOf(err) != c.want {
				t.Errorf("MoveNote = %+v, %v; want %s", r, err, c.want)
			}
			if diff := cmp.Diff(before, snapshot(t, f.Dir)) + cmp.Diff(store, contents(t, f.Importer.DB)); diff != "" {
				t.Errorf("something has changed:\n%s", diff)
			}
		})
	}
}

// A move that fails in the middle leaves everything as it was.
func TestMoveIsAllOrNothing(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "[[b]]", "b.md": "[[b]] x", "n/c.md": "[[b]]", "z.md": "[[b]]"})
	f.Imports()
	before, store := snapshot(t, f.Dir), contents(t, f.Importer.DB)
	for n, at := range []string{"a.md", "n/c.md", "z.md"} {
		t.Run(at, func(t *testing.T) {
			renamed := 0
			_, err := f.moveBy("b", "deep/new/d", func(root *os.Root, from, to string) error {
				if to == at {
					return os.ErrInvalid
				}
				renamed++
				return root.Rename(from, to)
			})
			if fault.CodeOf(err) != fault.Unavailable || renamed != n {
				t.Errorf("MoveNote: %v after %d files, want unavailable after %d", err, renamed, n)
			}
			if diff := cmp.Diff(before, snapshot(t, f.Dir)); diff != "" {
				t.Errorf("the folder has changed:\n%s", diff)
			}
			if again := f.Imports(); again.HasChanged() {
				t.Errorf("an import after it changes something: %+v", again)
			}
			if diff := cmp.Diff(store, contents(t, f.Importer.DB)); diff != "" {
				t.Errorf("the store has changed:\n%s", diff)
			}
		})
	}
}

// A full disk leaves everything as it was, and the error reports only the full disk.
func TestMoveOnAFullDiskSaysOnlyThat(t *testing.T) {
	for room := range 4 { // number of files that still fit
		f := newFolder(t, map[string]string{"a.md": "[[b]]", "b.md": "[[b]] x", "n/c.md": "[[b]]", "z.md": "[[b]]"})
		f.Imports()
		before, store := snapshot(t, f.Dir), contents(t, f.Importer.DB)
		full := f
		written := 0
		full.disk.Write = func(file *os.File, content []byte) (int, error) {
			if written++; written <= room {
				return file.Write(content)
			}
			n, err := file.Write(content[:len(content)/2])
			return n, errors.Join(err, syscall.ENOSPC)
		}
		_, err := full.moveNote("b", "deep/d")
		if fault.CodeOf(err) != fault.Unavailable || !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("with room for %d: %v, want unavailable", room, err)
		}
		if strings.Contains(err.Error(), "put back") || strings.Contains(err.Error(), "no such file") {
			t.Errorf("with room for %d: %v", room, err)
		}
		if diff := cmp.Diff(before, snapshot(t, f.Dir)) + cmp.Diff(store, contents(t, f.Importer.DB)); diff != "" {
			t.Errorf("with room for %d something has changed:\n%s", room, diff)
		}
	}
}

// After a crash at any moment of a move, the next import finds every file whole, and every
// link leads to the note, by the old name or the new one.
func TestMoveThatIsCutOffLeavesWholeFiles(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "[[b]]", "b.md": "[[b]] x", "n/c.md": "[[b]]", "z.md": "[[b]]"})
	f.Imports()
	cut := 0
	_, err := f.moveBy("b", "deep/d", func(root *os.Root, from, to string) error {
		left := folder{Folder: vaulttest.Folder{T: t, Dir: filepath.Join(t.TempDir(), "v"), Importer: vault.Importer{DB: dbtest.New(t), Caller: f.Importer.Caller}}}
		if err := os.CopyFS(left.Dir, os.DirFS(f.Dir)); err != nil {
			t.Fatal(err)
		}
		report := left.Imports()
		if report.Dangling != 0 || report.Notes != 5 || len(report.Warnings) != 0 {
			t.Errorf("before %s takes its place: %+v", to, report)
		}
		cut++
		return root.Rename(from, to)
	})
	if err != nil || cut != 3 {
		t.Errorf("MoveNote: %v, %d moments", err, cut)
	}
}

// A change by another program during a move is not overwritten.
func TestMoveGivesWayToAnEditor(t *testing.T) {
	for _, edited := range []string{"b.md", "z.md"} {
		t.Run(edited, func(t *testing.T) {
			f := newFolder(t, map[string]string{"a.md": "[[b]]", "b.md": "[[b]]", "z.md": "[[b]]"})
			f.Imports()
			_, err := f.moveBy("b", "c", func(root *os.Root, from, to string) error {
				f.Write(edited, "edited")
				return root.Rename(from, to)
			})
			if fault.CodeOf(err) != fault.Conflict {
				t.Errorf("MoveNote: %v, want conflict", err)
			}
			want := map[string]string{"a.md": "[[b]]", "b.md": "[[b]]", "z.md": "[[b]]"}
			want[edited] = "edited"
			if diff := cmp.Diff(want, f.files()); diff != "" {
				t.Errorf("the files (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMoveMakesNothingStale(t *testing.T) {
	f := newFolder(t, map[string]string{
		"a.md": "[[a]] itself", "b.md": "[[a]]", "edited.md": "[[a]]", "c.canvas": `{"nodes":[{"id":"1","type":"file","file":"a.md"}]}`,
		"on.md": "---\ndepends-on: [\"[[a]]\", \"[[b]]\", \"[[c.canvas]]\"]\n---\n", "on edited.md": "---\ndepends-on: \"[[edited]]\"\n---\n",
	})
	f.Imports()
	f.Write("edited.md", "[[a]], edited")
	stale := func() []string { return rows(t, f.Importer.DB, `select title from stale`) }
	for _, to := range []string{"n/d", "e"} {
		if _, err := f.moveNote("a", to); err != nil {
			t.Fatal(err)
		}
		f.undoes(0)
		if got := stale(); !slices.Equal(got, []string{"on edited"}) {
			t.Errorf("after a move to %s and its undo %q is stale", to, got)
		}
	}
	if _, err := f.moveNote("a", "n/d"); err != nil || !slices.Equal(stale(), []string{"on edited"}) {
		t.Errorf("%v; after a move %q is stale", err, stale())
	}
}

func TestMoveSeesWhatWasNotImportedYet(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "x", "b.md": "x", ".hence.yaml": "words:\n  seen: ignore\n"})
	f.Imports()
	f.Write("a.md", "[[b]] now")
	f.Write("new.md", "---\nseen: \"[[b]]\"\n---\n[[b]]")
	f.movesTo("b", "c", map[string]string{"a.md": "[[c]] now", "new.md": "---\nseen: \"[[c]]\"\n---\n[[c]]"})
}

func TestMoveLeavesSymbolicLinksAndSaysSo(t *testing.T) {
	f := newFolder(t, map[string]string{"n/a.md": "[[b]]", "b.md": "x"})
	if err := os.Symlink("n/a.md", filepath.Join(f.Dir, "link.md")); err != nil {
		t.Fatal(err)
	}
	f.Imports()
	r, err := f.moveNote("b", "c")
	if err != nil || f.text("n/a.md") != "[[c]]" || f.text("link.md") != "[[c]]" {
		t.Errorf("%v: %q", err, f.text("n/a.md"))
	}
	if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "link.md is a symbolic link") {
		t.Errorf("warnings = %q", r.Warnings)
	}
	if r, err = f.moveNote("n/a", "n/d"); err != nil || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "link.md is a symbolic link to n/a.md, and leads nowhere now") {
		t.Errorf("warnings = %q, %v", r.Warnings, err)
	}
}
