package writing_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/ref"
	_ "hence/internal/repeattest"
	"hence/vault"
	"hence/vault/note"
	"hence/vault/resolve"
	"hence/vault/vaulttest"
	"hence/vault/writing"
)

// The names of the files and links of the test of moves. There are few names, so that they
// are often equal, in both forms of Unicode, with blanks, in several folders.
var (
	moveNames   = []string{"a", "b", "B", "it's", "Caf\u00e9", "Cafe\u0301", "two words", "v1.2", "R&D (x)"}
	moveFolders = []string{"", "", "n/", "m/", "n/deep/", "two words/", "Caf\u00e9/"}
	moveAliases = []string{"Nick", "a", "two words", "Other One"}
	moveAnchors = []string{"", "", "#H", "#H#Sub", "#^id"}
)

func movePath(t *rapid.T, ending string) string {
	return rapid.SampledFrom(moveFolders).Draw(t, "folder") + rapid.SampledFrom(moveNames).Draw(t, "name") + ending
}

// moveTarget draws the target of a link in the file source. It names mostly a file that
// exists.
func moveTarget(t *rapid.T, source string, paths []string) string {
	switch rapid.IntRange(0, 9).Draw(t, "whom") {
	case 0:
		return rapid.SampledFrom(moveAliases).Draw(t, "alias")
	case 1:
		return rapid.SampledFrom([]string{"nowhere", "n/nowhere", "../nowhere", ""}).Draw(t, "nothing")
	}
	target := rapid.SampledFrom(paths).Draw(t, "target")
	if rapid.Bool().Draw(t, "without .md") {
		target = strings.TrimSuffix(target, ".md")
	}
	parts := strings.Split(target, "/")
	switch rapid.IntRange(0, 4).Draw(t, "how") {
	case 0:
		return target
	case 1:
		return "/" + target
	case 2:
		relative, err := filepath.Rel(filepath.Dir(source), target)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(relative, "../") && rapid.Bool().Draw(t, "dot") {
			relative = "./" + relative
		}
		return relative
	}
	return strings.Join(parts[rapid.IntRange(0, len(parts)-1).Draw(t, "cut"):], "/")
}

func percent(text string) string {
	return strings.NewReplacer("%", "%25", " ", "%20", "(", "%28", ")", "%29", "#", "%23").Replace(text)
}

// moveText draws the text of a file.
func moveText(t *rapid.T, path string, paths []string) string {
	target := func() string { return moveTarget(t, path, paths) }
	anchor := func() string { return rapid.SampledFrom(moveAnchors).Draw(t, "anchor") }
	if filepath.Ext(path) == ".canvas" {
		text, _ := json.Marshal("---\nsee [[" + target() + anchor() + "]] \"é\" [x](<" + target() + ">)\n\n| [[" + target() + "\\|s]] |\n|---|")
		file, _ := json.Marshal(rapid.SampledFrom(paths).Draw(t, "node"))
		return fmt.Sprintf("{\"nodes\":[\n {\"id\":\"1\",\"type\":\"file\",\"file\":%s},\n {\"id\":\"2\",\"type\":\"text\",\"text\":%s}\n],\"edges\":[]}", file, text)
	}
	if filepath.Ext(path) == ".png" {
		return path + rapid.SampledFrom([]string{"", "2"}).Draw(t, "bytes")
	}
	var b strings.Builder
	b.WriteString(rapid.SampledFrom([]string{"", "", "\uFEFF"}).Draw(t, "mark"))
	if rapid.Bool().Draw(t, "frontmatter") {
		b.WriteString("---\n# comment\n")
		if rapid.IntRange(0, 2).Draw(t, "alias") == 0 {
			fmt.Fprintf(&b, "aliases: [%s]\n", rapid.SampledFrom(moveAliases).Draw(t, "alias"))
		}
		for n := range rapid.IntRange(0, 3).Draw(t, "properties") {
			fmt.Fprintf(&b, rapid.SampledFrom([]string{"p%d: \"[[%s%s]]\"\n", "p%d:\n  - \"[[%s%s|shown]]\" # why\n", "p%d: \"see [[%s%s]], there\"\n", "p%d: [[%s%s]]\n"}).Draw(t, "property"), n, target(), anchor())
		}
		b.WriteString("---\n")
	}
	b.WriteString("# H\n\n")
	for range rapid.IntRange(0, 4).Draw(t, "lines") {
		shape := rapid.SampledFrom([]string{
			"[[%s%s]] text\n\n", "![[%s%s]]\n\n", "[[ %s%s|shown *so*]]\n\n", "> [[%s%s]]\n> more\n\n", "- [ ] [[%s%s]] #tag\n\n", "| x | y |\n|---|---|\n| [[%s%s\\|shown]] | z |\n\n",
			"depends-on:: [[%s%s]]\n\n", "`[[%s%s]]` %%%% [[a]] %%%%\n\n",
		}).Draw(t, "line")
		if rapid.IntRange(0, 2).Draw(t, "markdown") > 0 {
			fmt.Fprintf(&b, shape, target(), anchor())
			continue
		}
		shape = rapid.SampledFrom([]string{"[text](%s%s) more\n\n", "![text](%s%s \"title\")\n\n", "[![pic](a.png)](%s%s)\n\n"}).Draw(t, "markdown line")
		to := target()
		if to == "" {
			to = "a.md"
		}
		if rapid.Bool().Draw(t, "angled") {
			fmt.Fprintf(&b, strings.NewReplacer("(%s%s", "(<%s%s>").Replace(shape), strings.ReplaceAll(to, "%", "%25"), anchor())
		} else {
			fmt.Fprintf(&b, shape, percent(to), anchor())
		}
	}
	return strings.ReplaceAll(b.String(), "\n", rapid.SampledFrom([]string{"\n", "\n", "\r\n"}).Draw(t, "line end"))
}

// read parses a note or canvas.
func read(t *rapid.T, path, text string) *note.Note {
	if filepath.Ext(path) != ".canvas" {
		return note.Parse([]byte(text))
	}
	n, err := note.ParseCanvas([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// isText reports whether a file may have links.
func isText(path string) bool { return slices.Contains([]string{".md", ".canvas"}, filepath.Ext(path)) }

// indexOf returns the index of some files, made without the importer.
func indexOf(t *rapid.T, files map[string]string) *resolve.Index {
	x := resolve.New(slices.Collect(maps.Keys(files)))
	for path, text := range files {
		if isText(path) {
			x.Aliases(path, read(t, path, text).Aliases)
		}
	}
	return x
}

// TestAfterAMoveEveryLinkLeadsWhereItLed moves files in random vaults, and resolves every
// link of every file before and after the move.
func TestAfterAMoveEveryLinkLeadsWhereItLed(t *testing.T) {
	dbtest.CheckTimes(t, 12)
	refused := 0
	rapid.Check(t, func(rt *rapid.T) {
		f := newFolder(t, nil)
		f.Importer.DB = dbtest.New(rt)
		folded := map[string]bool{}
		paths := []string{}
		for range rapid.IntRange(2, 7).Draw(rt, "files") {
			path := movePath(rt, rapid.SampledFrom([]string{".md", ".md", ".md", ".md", ".png", ".canvas"}).Draw(rt, "ending"))
			// On some systems two such paths are one file.
			if key := strings.ToLower(norm.NFC.String(path)); !folded[key] {
				folded[key] = true
				paths = append(paths, path)
			}
		}
		for _, path := range paths {
			f.Write(path, moveText(rt, path, paths))
		}
		f.Imports()
		for range rapid.IntRange(1, 3).Draw(rt, "moves") {
			before := f.files()
			from := rapid.SampledFrom(slices.Sorted(maps.Keys(before))).Draw(rt, "from")
			to := movePath(rt, filepath.Ext(from))
			id := f.ID(from)
			r, err := f.moveNote(vault.URI("v", from), to)
			if code := fault.CodeOf(err); code == fault.Exists || code == fault.Conflict {
				if code == fault.Conflict {
					refused++
				}
				if diff := cmp.Diff(before, f.files()); diff != "" {
					rt.Fatalf("a move that was refused (%v) changes files:\n%s", err, diff)
				}
				continue
			}
			if err != nil {
				rt.Fatal(err)
			}
			if f.ID(r.ToPath) != id {
				rt.Fatalf("the moved file has another id")
			}
			checkMove(rt, r, before, f.files())
			f.noTempFiles()
			fresh := folder{Folder: vaulttest.Folder{T: t, Dir: f.Dir, Importer: vault.Importer{DB: dbtest.New(rt), Caller: ref.Caller{Actor: "tester"}}}}
			fresh.Imports()
			if diff := cmp.Diff(contents(t, fresh.Importer.DB), contents(t, f.Importer.DB)); diff != "" {
				rt.Fatalf("the store after the move (-fresh +moved):\n%s", diff)
			}
		}
	})
	t.Logf("%d moves were refused because of a link", refused)
}

// checkMove compares the files after a move with those before it.
func checkMove(t *rapid.T, r writing.MoveNoteResult, before, after map[string]string) {
	indexBefore, indexAfter := indexOf(t, before), indexOf(t, after)
	moved := func(path string) string {
		if path == r.FromPath {
			return r.ToPath
		}
		return path
	}
	if len(before) != len(after) {
		t.Fatalf("%d files became %d", len(before), len(after))
	}
	for path, text := range before {
		newText, ok := after[moved(path)]
		if !ok {
			t.Fatalf("%s is gone", moved(path))
		}
		if !isText(path) {
			if newText != text {
				t.Fatalf("%s has other bytes", path)
			}
			continue
		}
		old, fresh := read(t, path, text), read(t, path, newText)
		if len(old.Links) != len(fresh.Links) {
			t.Fatalf("%s has %d links, had %d:\n%s\nwas\n%s", path, len(fresh.Links), len(old.Links), newText, text)
		}
		untouched := 0
		for i, l := range old.Links {
			m := fresh.Links[i]
			oldTarget, newTarget := indexBefore.Resolve(path, l.Target), indexAfter.Resolve(moved(path), m.Target)
			if l.Form != m.Form || l.Anchor != m.Anchor || l.Key != m.Key || l.KeyKind != m.KeyKind || l.Lenient != m.Lenient {
				t.Fatalf("%s: the link %+v became %+v", path, l, m)
			}
			if oldTarget.Path == "" {
				if m.Target != l.Target || newTarget.Path != "" && newTarget.Path != r.ToPath {
					t.Fatalf("%s: the dangling %+v became %+v", path, l, m)
				}
			} else if newTarget.Path != moved(oldTarget.Path) {
				t.Fatalf("%s: %+v led to %s, and %+v leads to %q", path, l, oldTarget.Path, m, newTarget.Path)
			} else if oldTarget.By != resolve.ByAlias && newTarget.By == resolve.ByAlias {
				t.Fatalf("%s: %+v was found by name, and %+v is by alias alone", path, l, m)
			}
			if m.Target == l.Target {
				untouched++
			} else if indexAfter.Resolve(moved(path), l.Target).Path == moved(oldTarget.Path) && l.Form != note.CanvasFile && oldTarget.By != resolve.ByAlias && indexAfter.Resolve(moved(path), l.Target).By != resolve.ByAlias {
				t.Fatalf("%s: %+v was rewritten to %+v without need", path, l, m)
			}
		}
		if rewritten := len(old.Links) - untouched; rewritten == 0 && newText != text {
			t.Fatalf("%s has changed without a link:\n%q\nwas\n%q", path, newText, text)
		}
		if filepath.Ext(path) == ".md" {
			if withoutTargets(old) != withoutTargets(fresh) {
				t.Fatalf("%s has changed beside its links:\n%q\nwas\n%q", path, newText, text)
			}
		}
	}
}

// withoutTargets returns a note's text without the targets of its links.
func withoutTargets(n *note.Note) string {
	var b strings.Builder
	done := 0
	for _, l := range n.Links {
		start, end := l.Span.Start.Offset, l.Span.End.Offset
		if start < done {
			continue // within another link
		}
		b.WriteString(n.Text[done:start])
		fmt.Fprintf(&b, "<%s %s>", l.Anchor, l.Form)
		done = end
	}
	return b.String() + n.Text[done:]
}
