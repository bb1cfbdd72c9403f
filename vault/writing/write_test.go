package writing_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hence/internal/db/dbtest"
	"hence/internal/fault"
	disk "hence/projection/folder"
	"hence/vault"
	"hence/vault/reading"
	"hence/vault/writing"
)

func TestCreatedNoteIsInTheStoreAtOnce(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "see [[New One]] and [[nowhere]]"})
	f.Imports()
	r := must(t)(f.create("deep/er/New One", "---\ndepends-on: \"[[a]]\"\n---\nand [[gone]]\n"))
	if r.Path != "deep/er/New One.md" || r.ID != f.ID("deep/er/New One.md") || !r.Changed {
		t.Errorf("CreateNote = %+v", r)
	}
	want := []writing.EdgeChange{{From: "New One", Type: "depends-on", To: "a"}, {From: "a", Type: "links-to", To: "New One"}}
	if diff := cmp.Diff(want, r.Effect.EdgesAdded.Items); diff != "" || r.Effect.EdgesRemoved.TotalCount != 0 {
		t.Errorf("edges added (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]writing.DanglingLink{{LineNumber: 4, Target: "gone"}}, r.Effect.Dangling.Items); diff != "" {
		t.Errorf("dangling (-want +got):\n%s", diff)
	}
	f.Want("New One depends-on a", "a links-to New One")
	if again := f.Imports(); again.HasChanged() {
		t.Errorf("an import after it changes something: %+v", again)
	}
	read, err := f.reader().ReadNote(t.Context(), reading.ReadNoteArgs{Path: r.Path})
	if err != nil || read.ContentHash != r.ContentHash {
		t.Errorf("read_note gives the hash %s, %v; create_note gave %s", read.ContentHash, err, r.ContentHash)
	}
	f.noTempFiles()
}

func TestCreateRefusesWhatIsThere(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "x", "sub/Caf\u00e9.md": "x", "folder.md/x.md": "x"})
	f.Imports()
	if err := os.Symlink("nothing.md", filepath.Join(f.Dir, "link.md")); err != nil {
		t.Fatal(err)
	}
	before := snapshot(t, f.Dir)
	for _, path := range []string{"a", "a.md", "A.md", "./a", "sub//Cafe\u0301", "obsidian-fs://v/a", "folder", "link"} {
		if r, err := f.create(path, "y"); fault.CodeOf(err) != fault.Exists {
			t.Errorf("CreateNote(%q) = %+v, %v; want exists", path, r, err)
		}
	}
	for _, path := range []string{"a.md/b", "a|b", "a#b", "a[b]", "x/", "", " a", strings.Repeat("x", 300)} {
		if r, err := f.create(path, "y"); fault.CodeOf(err) != fault.InvalidArgument {
			t.Errorf("CreateNote(%q) = %+v, %v; want invalid_argument", path, r, err)
		}
	}
	if _, err := f.create("big", strings.Repeat("x", 8<<20+1)); fault.CodeOf(err) != fault.TooLarge {
		t.Errorf("%v, want too_large", err)
	}
	if diff := cmp.Diff(before, snapshot(t, f.Dir)); diff != "" {
		t.Errorf("the folder has changed:\n%s", diff)
	}
}

func TestPatchSaysHowManyPlacesItChanged(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "one one\none"})
	f.Imports()
	find, replace, content := "one", "two", "x"
	args := writing.UpdateNoteArgs{Path: "a", Mode: "patch", Find: &find, Replace: &replace, ReplaceAll: true, DryRun: true}
	if r := must(t)(f.update(args)); r.Replacements != 3 {
		t.Errorf("a dry run says %d replacements, want 3", r.Replacements)
	}
	args.DryRun = false
	if r := must(t)(f.update(args)); r.Replacements != 3 {
		t.Errorf("a patch says %d replacements, want 3", r.Replacements)
	}
	if r := must(t)(f.update(writing.UpdateNoteArgs{Path: "a", Mode: "append", Content: &content})); r.Replacements != 0 {
		t.Errorf("an append says %d replacements", r.Replacements)
	}
}

func TestUpdateChangesTheFileAndTheStore(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "---\nk: 1\n---\n[[b]]\n", "b.md": "x", "c.md": "y"})
	f.Imports()
	id := f.ID("a.md")
	text := func(s string) *string { return &s }
	for _, step := range []struct {
		args writing.UpdateNoteArgs
		want string
	}{
		{writing.UpdateNoteArgs{Mode: "append", Content: text("end")}, "---\nk: 1\n---\n[[b]]\nend"},
		{writing.UpdateNoteArgs{Mode: "prepend", Content: text("start")}, "---\nk: 1\n---\nstart\n[[b]]\nend"},
		{writing.UpdateNoteArgs{Mode: "patch", Find: text("[[b]]"), Replace: text("[[c]]")}, "---\nk: 1\n---\nstart\n[[c]]\nend"},
		{writing.UpdateNoteArgs{Mode: "patch", Find: text("st"), Replace: text(""), ReplaceAll: true}, "---\nk: 1\n---\nart\n[[c]]\nend"},
		{writing.UpdateNoteArgs{Mode: "replace", Content: text("[[b]] [[c]]")}, "[[b]] [[c]]"},
	} {
		step.args.Path = "a"
		r := must(t)(f.update(step.args))
		if got := f.text("a.md"); got != step.want || r.ID != id || !r.Changed {
			t.Errorf("%s: %q, want %q; %+v", step.args.Mode, got, step.want, r)
		}
		if again := f.Imports(); again.HasChanged() {
			t.Errorf("%s: an import after it changes something: %+v", step.args.Mode, again)
		}
	}
	f.Want("a links-to b", "a links-to c")
	r := must(t)(f.update(writing.UpdateNoteArgs{Path: "a", Mode: "replace", Content: text("[[b]] [[c]]")}))
	if r.Changed {
		t.Error("writing the same is a change")
	}
	f.noTempFiles()
}

func TestUpdateSaysWhatItTookAway(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "---\nup: \"[[b]]\"\nk: 1\n---\ntext", "b.md": "x"})
	f.Imports()
	content := "text [[b]]"
	r := must(t)(f.update(writing.UpdateNoteArgs{Path: "a", Mode: "replace", Content: &content}))
	if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "k, up") {
		t.Errorf("warnings = %q", r.Warnings)
	}
	if r.Effect.EdgesRemoved.TotalCount != 1 || r.Effect.EdgesAdded.TotalCount != 1 {
		t.Errorf("edges: %+v", r.Effect)
	}
}

func TestUpdateDoesNotBreakFrontmatterUnlessToldTo(t *testing.T) {
	const note, broken = "---\nk: 1\nl: [a]\n---\ntext", "---\nk: [\n---\ntext"
	patch := func(find, replace string) writing.UpdateNoteArgs {
		return writing.UpdateNoteArgs{Mode: "patch", Find: &find, Replace: &replace}
	}
	replace := func(content string) writing.UpdateNoteArgs {
		return writing.UpdateNoteArgs{Mode: "replace", Content: &content}
	}
	for _, c := range []struct {
		name, source string
		args         writing.UpdateNoteArgs
		line         int // of the mistake; 0: written
	}{
		{"a list left open", note, patch("[a]", "[a"), 3},
		{"a second colon", note, patch("k: 1", "k: 1: 2"), 2},
		{"a quote left open", note, patch("k: 1", "k: \"1"), 2},
		{"a tab", note, patch("l: [a]", "l:\n\t- a"), 4},
		{"an unknown anchor", note, patch("[a]", "*a"), 3},
		{"a property given twice", note, patch("l: [a]", "k: 2"), 3},
		{"the last fence taken away", note, patch("---\ntext", "text"), 1},
		{"the first fence taken away", note, patch("---\nk", "k"), 1},
		{"a text instead of properties", note, patch("k: 1\nl: [a]", "words"), 2},
		{"a document mark", note, patch("l: [a]", "...\nl: [a]"), 3},
		{"the whole file with a mistake", note, replace("---\nk: [1\n---\nnew"), 2},
		{"the whole file with a fence left open", note, replace("---\nk: 1\nnew"), 1},
		{"empty frontmatter", "---\n---\ntext", patch("---\n---", "---\n[\n---"), 2},
		{"the body", note, patch("text", "k: [1"), 0},
		{"another value", note, patch("[a]", "[a, b]"), 0},
		{"the whole file without properties", note, replace("new"), 0},
		{"frontmatter that is broken already", broken, patch("text", "new"), 0},
		{"a mistake that becomes another", broken, patch("k: [", "k: {"), 0},
		{"no frontmatter", "k: 1\n", patch("k: 1", "---\nk: [\n---"), 0},
		{"an append that looks like frontmatter", note, writing.UpdateNoteArgs{Mode: "append", Content: new("---\nk: [\n---")}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFolder(t, map[string]string{"a.md": c.source})
			f.Imports()
			c.args.Path = "a"
			for _, dry := range []bool{true, false} {
				c.args.DryRun = dry
				_, err := f.update(c.args)
				if c.line == 0 && err != nil {
					t.Errorf("dry run %v: %v", dry, err)
				}
				if c.line > 0 && (fault.CodeOf(err) != fault.InvalidArgument || !strings.Contains(fmt.Sprint(err), fmt.Sprintf("line %d: ", c.line)) || f.text("a.md") != c.source) {
					t.Errorf("dry run %v: %v, want a refusal that names line %d", dry, err, c.line)
				}
			}
			c.args.AllowBroken = true
			if c.line > 0 {
				if r := must(t)(f.update(c.args)); !r.Changed {
					t.Errorf("told to: %+v", r)
				}
			}
		})
	}
}

func TestDryRunShowsTheDifferenceAndWritesNothing(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "one\r\ntwo\r\n"})
	f.Imports()
	before, store := snapshot(t, f.Dir), contents(t, f.Importer.DB)
	find, replace := "one\ntwo", "one\nthree"
	r := must(t)(f.update(writing.UpdateNoteArgs{Path: "a", Mode: "patch", Find: &find, Replace: &replace, DryRun: true}))
	want := "--- a/a.md\n+++ b/a.md\n@@ -1,2 +1,2 @@\n one\r\n-two\r\n+three\r\n"
	if r.Diff != want || !r.Changed {
		t.Errorf("the difference is %q, want %q", r.Diff, want)
	}
	set := must(t)(f.writer().SetFrontmatter(t.Context(), writing.SetFrontmatterArgs{Path: "a", Set: map[string]any{"k": 1}, DryRun: true}))
	if !strings.Contains(set.Diff, "+k: 1\r\n") {
		t.Errorf("the difference is %q", set.Diff)
	}
	if diff := cmp.Diff(before, snapshot(t, f.Dir)) + cmp.Diff(store, contents(t, f.Importer.DB)); diff != "" {
		t.Errorf("something has changed:\n%s", diff)
	}
}

func TestPatchNamesWhereItIs(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "x\ny x\n"})
	f.Imports()
	for find, want := range map[string]struct {
		code  fault.Code
		count int
		lines []int
	}{
		"x": {fault.Conflict, 2, []int{1, 2}},
		"z": {fault.NotFound, 0, []int{}},
	} {
		replace := "w"
		_, err := f.update(writing.UpdateNoteArgs{Path: "a", Mode: "patch", Find: &find, Replace: &replace})
		var e *fault.Error
		if !errors.As(err, &e) || e.Code != want.code || e.Details["count"] != want.count || !cmp.Equal(e.Details["lines"], want.lines) {
			t.Errorf("%q: %v, %+v; want %+v", find, err, e, want)
		}
	}
}

func TestPatchSaysThatATextHasAnotherUnicodeForm(t *testing.T) {
	f := newFolder(t, map[string]string{"apart.md": "a\r\ncafe\u0301\r\n", "whole.md": "caf\u00e9\n", "none.md": "cafe\n"})
	f.Imports()
	for _, c := range []struct {
		path, find string
		another    bool
	}{
		{"apart", "a\ncaf\u00e9", true},
		{"whole", "cafe\u0301", true},
		{"none", "caf\u00e9", false},
	} {
		replace := "w"
		_, err := f.update(writing.UpdateNoteArgs{Path: c.path, Mode: "patch", Find: &c.find, Replace: &replace})
		if fault.CodeOf(err) != fault.NotFound || strings.Contains(err.Error(), "another Unicode form") != c.another {
			t.Errorf("%s, %q: %v", c.path, c.find, err)
		}
	}
}

func TestUpdateTakesTheArgumentsOfItsMode(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "x"})
	f.Imports()
	x, empty := "x", ""
	for name, a := range map[string]writing.UpdateNoteArgs{
		"NoMode":                 {Content: &x},
		"NoContent":              {Mode: "replace"},
		"AppendNothing":          {Mode: "append"},
		"ContentAndFind":         {Mode: "replace", Content: &x, Find: &x},
		"ReplaceAllWithoutPatch": {Mode: "replace", Content: &x, ReplaceAll: true},
		"PatchWithoutFind":       {Mode: "patch", Replace: &x},
		"PatchWithoutReplace":    {Mode: "patch", Find: &x},
		"PatchOfNothing":         {Mode: "patch", Find: &empty, Replace: &x},
		"PatchWithContent":       {Mode: "patch", Find: &x, Replace: &x, Content: &x},
		"UnknownMode":            {Mode: "insert", Content: &x},
	} {
		a.Path = "a"
		if _, err := f.update(a); fault.CodeOf(err) != fault.InvalidArgument {
			t.Errorf("%s: %v, want invalid_argument", name, err)
		}
	}
	_, err := f.update(writing.UpdateNoteArgs{Path: "a", Content: &x})
	if want := "update_note: mode is missing; give one of replace, append, prepend, patch"; err == nil || err.Error() != want || f.text("a.md") != "x" {
		t.Errorf("without a mode: %v, want %s", err, want)
	}
	must(t)(f.update(writing.UpdateNoteArgs{Path: "a", Mode: "replace", Content: &empty}))
	if f.text("a.md") != "" {
		t.Error("empty content does not empty the note")
	}
}

func TestExpectedContentHash(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "---\nk: 1\n---\none"})
	f.Imports()
	read, err := f.reader().ReadNote(t.Context(), reading.ReadNoteArgs{Path: "a"})
	if err != nil {
		t.Fatal(err)
	}
	stored := rows(t, f.Importer.DB, `select content_hash from memories`)[0]
	two, three := "two", "three"
	first := must(t)(f.update(writing.UpdateNoteArgs{Path: "a", Mode: "append", Content: &two, ExpectedContentHash: read.ContentHash}))
	_, err = f.update(writing.UpdateNoteArgs{Path: "a", Mode: "replace", Content: &three, ExpectedContentHash: read.ContentHash})
	var e *fault.Error
	if !errors.As(err, &e) || e.Code != fault.Conflict || e.Details["content_hash"] != first.ContentHash {
		t.Errorf("%v, want a conflict with the hash %s", err, first.ContentHash)
	}
	if _, err := f.writer().SetFrontmatter(t.Context(), writing.SetFrontmatterArgs{Path: "a", Remove: []string{"k"}, ExpectedContentHash: stored}); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("%v, want a conflict with the hash of the text as it was", err)
	}
	// The store's hash leaves out the frontmatter. It is accepted for a change of the
	// body alone, because another program may have changed the frontmatter.
	stored = rows(t, f.Importer.DB, `select content_hash from memories`)[0]
	if _, err := f.update(writing.UpdateNoteArgs{Path: "a", Mode: "replace", Content: &three, ExpectedContentHash: stored}); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("%v, want a conflict", err)
	}
	_, set := f.writer().SetFrontmatter(t.Context(), writing.SetFrontmatterArgs{Path: "a", Set: map[string]any{"k": 2}, ExpectedContentHash: stored})
	find, all := "k: 1", "k: 2"
	_, patched := f.update(writing.UpdateNoteArgs{Path: "a", Mode: "patch", Find: &find, Replace: &all, ExpectedContentHash: stored})
	if fault.CodeOf(set) != fault.Conflict || fault.CodeOf(patched) != fault.Conflict {
		t.Errorf("set_frontmatter: %v; a patch of the frontmatter: %v; want conflicts", set, patched)
	}
	find = "one"
	must(t)(f.update(writing.UpdateNoteArgs{Path: "a", Mode: "patch", Find: &find, Replace: &three, ExpectedContentHash: stored}))
	if got, want := f.text("a.md"), "---\nk: 1\n---\nthree\ntwo"; got != want {
		t.Errorf("the note is %q, want %q", got, want)
	}
}

func TestUpdateGivesWayToAnEditor(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "one\n"})
	f.Imports()
	edited := "one\n"
	f.disk.Write = func(file *os.File, content []byte) (int, error) {
		edited += "of an editor\n"
		f.Write("a.md", edited)
		return file.Write(content)
	}
	two := "two"
	if _, err := f.update(writing.UpdateNoteArgs{Path: "a", Mode: "append", Content: &two}); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("UpdateNote: %v, want conflict", err)
	}
	if err := f.setFrontmatter("a", map[string]any{"k": 1}); fault.CodeOf(err) != fault.Conflict || f.text("a.md") != edited {
		t.Errorf("SetFrontmatter: %v, want conflict; the note is %q", err, f.text("a.md"))
	}
	f.noTempFiles()
}

func TestSetFrontmatterIsInTheStoreAtOnce(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "# one\n", "b.md": "---\na: [x\n---\n"})
	f.Imports()
	r := must(t)(f.writer().SetFrontmatter(t.Context(), writing.SetFrontmatterArgs{Path: "a", Set: map[string]any{"supersedes": "[[b]]", "aliases": []any{"Ay"}}}))
	if got, want := f.text("a.md"), "---\naliases:\n  - Ay\nsupersedes: \"[[b]]\"\n---\n# one\n"; got != want {
		t.Errorf("the note is %q, want %q", got, want)
	}
	f.Want("a supersedes b")
	if r.Effect.EdgesAdded.TotalCount != 1 {
		t.Errorf("edges: %+v", r.Effect.EdgesAdded)
	}
	must(t)(f.writer().SetFrontmatter(t.Context(), writing.SetFrontmatterArgs{Path: r.ID, Remove: []string{"supersedes", "aliases"}}))
}

func TestSetFrontmatterRefuses(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "x", "b.md": "---\na: 1\nc: d: e\n---\n"})
	f.Imports()
	for name, a := range map[string]writing.SetFrontmatterArgs{
		"Nothing":    {Path: "a"},
		"Both":       {Path: "a", Set: map[string]any{"k": 1}, Remove: []string{"k"}},
		"BrokenYAML": {Path: "b", Set: map[string]any{"k": 1}},
	} {
		_, err := f.writer().SetFrontmatter(t.Context(), a)
		var e *fault.Error
		if !errors.As(err, &e) || e.Code != fault.InvalidArgument || name == "BrokenYAML" && e.Details["line"] != 3 {
			t.Errorf("%s: %v, want invalid_argument", name, err)
		}
	}
}

func TestWriteKeepsPermissionsAndLinks(t *testing.T) {
	f := newFolder(t, map[string]string{"sub/real.md": "x"})
	if err := os.Chmod(filepath.Join(f.Dir, "sub/real.md"), 0o640); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"link.md": "sub/real.md", "sub/second.md": "../link.md"} {
		if err := os.Symlink(to, filepath.Join(f.Dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	f.Imports()
	content := "new"
	must(t)(f.update(writing.UpdateNoteArgs{Path: "sub/second", Mode: "replace", Content: &content}))
	if f.text("sub/real.md") != "new" {
		t.Error("the file behind the links is not written")
	}
	for _, link := range []string{"link.md", "sub/second.md"} {
		if info, err := os.Lstat(filepath.Join(f.Dir, link)); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s is not a link any more: %v, %v", link, info.Mode(), err)
		}
	}
	if info, err := os.Stat(filepath.Join(f.Dir, "sub/real.md")); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the permissions are %v, %v", info.Mode(), err)
	}
	if n := dbtest.Count(t, f.Importer.DB, `select count(*) from memories where content = 'new'`); n != 3 {
		t.Errorf("%d of the three notes say what they say", n)
	}
	f.noTempFiles()
}

// A file system may give two successive writes the same time.
func TestWriteIsYoungerThanWhatItReplaces(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "1"})
	ahead := time.Now().Add(time.Hour)
	if err := os.Chtimes(filepath.Join(f.Dir, "a.md"), ahead, ahead); err != nil {
		t.Fatal(err)
	}
	f.Imports()
	content := "2"
	must(t)(f.update(writing.UpdateNoteArgs{Path: "a", Mode: "replace", Content: &content}))
	if n := dbtest.Count(t, f.Importer.DB, `select count(*) from memories where content = '2'`); n != 1 {
		t.Error("the store does not know the new text")
	}
}

func TestWritersOfOneNoteTakeTurns(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "start\n"})
	f.Imports()
	const writers = 8
	read, err := f.reader().ReadNote(t.Context(), reading.ReadNoteArgs{Path: "a"})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	outcomes := make(chan error, 2*writers)
	for n := range writers {
		all.Go(func() {
			line := strings.Repeat("x", n+1) + "\n"
			_, err := f.update(writing.UpdateNoteArgs{Path: "a", Mode: "append", Content: &line, ExpectedContentHash: read.ContentHash})
			outcomes <- err
		})
	}
	all.Wait()
	won := 0
	for range writers {
		switch err := <-outcomes; {
		case err == nil:
			won++
		case fault.CodeOf(err) != fault.Conflict:
			t.Errorf("a writer failed with %v", err)
		}
	}
	if won != 1 {
		t.Errorf("%d writers had the note that they had read", won)
	}
	// Without an expected hash no write is lost.
	for n := range writers {
		all.Go(func() {
			line := strings.Repeat("y", n+1) + "\n"
			_, err := f.update(writing.UpdateNoteArgs{Path: "a", Mode: "append", Content: &line})
			outcomes <- err
		})
	}
	all.Wait()
	for range writers {
		if err := <-outcomes; err != nil {
			t.Error(err)
		}
	}
	if n := strings.Count(f.text("a.md"), "\n"); n != 2+writers {
		t.Errorf("the note has %d lines:\n%s", n, f.text("a.md"))
	}
	if again := f.Imports(); again.HasChanged() {
		t.Errorf("an import after it changes something: %+v", again)
	}
}

// An import and a write of one vault run one after the other, also in different processes.
func TestImportsAndWritesTakeTurns(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "x"})
	f.Imports()
	unlock, err := disk.Lock(t.Context(), "test", f.Dir)
	if err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	before := f.files()
	content := "y"
	for name, err := range map[string]error{
		"Import":         second(f.Importer.Import(gone, vault.ImportArgs{Dir: f.Dir})),
		"CreateNote":     second(f.writer().CreateNote(gone, writing.CreateNoteArgs{Path: "b"})),
		"UpdateNote":     second(f.writer().UpdateNote(gone, writing.UpdateNoteArgs{Path: "a", Mode: "replace", Content: &content})),
		"SetFrontmatter": second(f.writer().SetFrontmatter(gone, writing.SetFrontmatterArgs{Path: "a", Remove: []string{"k"}})),
		"MoveNote":       second(f.writer().MoveNote(gone, writing.MoveNoteArgs{FromPath: "a", ToPath: "b"})),
	} {
		if fault.CodeOf(err) != fault.Unavailable {
			t.Errorf("%s beside another: %v, want unavailable", name, err)
		}
	}
	if diff := cmp.Diff(before, f.files()); diff != "" {
		t.Errorf("something was written:\n%s", diff)
	}
	if _, err := f.Importer.Import(gone, vault.ImportArgs{Dir: f.Dir, DryRun: true}); err != nil && strings.Contains(err.Error(), "another write") {
		t.Errorf("a dry run waits: %v", err)
	}
	unlock()
	if _, err := f.Importer.Import(t.Context(), vault.ImportArgs{Dir: f.Dir}); err != nil {
		t.Error(err)
	}
}
