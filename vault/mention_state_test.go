package vault_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/ref"
	_ "hence/internal/repeattest"
	"hence/vault"
	"hence/vault/vaulttest"
	"hence/vault/writing"
)

var (
	spokenPaths = []string{"Ledger.md", "ledger.md", "x/queue.md", "Git.md", "RSS.md", "東京.md", "Seat Ledger.md", "a.md", "b.md", "c.md"}
	spokenNames = []string{"ledger", "Ledger", "LEDGER", "queue", "Queue", "git", "Git", "RSS", "rss", "seat ledger", "Seat Ledger", "東京", "Kråkø", "kråkø"}
)

// spokenNote draws a note whose text has names of other notes, and which may have aliases.
func spokenNote(t *rapid.T) string {
	name := rapid.SampledFrom(spokenNames)
	var b strings.Builder
	b.WriteString("---\n")
	if rapid.Bool().Draw(t, "aliases?") {
		fmt.Fprintf(&b, "aliases: [%s]\n", name.Draw(t, "alias"))
	}
	if rapid.IntRange(0, 4).Draw(t, "wanted?") == 0 {
		b.WriteString("mentions: true\n")
	}
	b.WriteString("---\n")
	for range rapid.IntRange(1, 3).Draw(t, "lines") {
		fmt.Fprintf(&b, rapid.SampledFrom([]string{"the %s here\n\n", "## %s\n\n", "私は%sへ\n\n", "使用%s。\n\n", "`%s` and %[1]s\n\n", "- [[%s]]\n"}).Draw(t, "line"), name.Draw(t, "said"))
	}
	return b.String()
}

// fill brings the number of notes without names to n, so that the share of notes with a word
// changes although no text changes.
func (f folder) fill(n int) {
	f.T.Helper()
	for i := range 160 {
		path := fmt.Sprintf("fill/%d.md", i)
		_, err := os.Stat(filepath.Join(f.Dir, path))
		switch exists := err == nil; {
		case i < n && !exists:
			f.Write(path, fmt.Sprint(i))
		case i >= n && exists:
			f.Remove(path)
		}
	}
}

// TestMentionsAfterChangesAreThoseOfAFreshImport changes the names and texts of notes, by the
// writing tools and past them, until words become ordinary and cease to be ordinary.
func TestMentionsAfterChangesAreThoseOfAFreshImport(t *testing.T) {
	dbtest.CheckTimes(t, 5)
	rapid.Check(t, func(rt *rapid.T) {
		f := newFolder(t, map[string]string{"keep.md": "x"})
		f.Importer.DB = dbtest.New(rt)
		for range rapid.IntRange(2, 6).Draw(rt, "imports") {
			for range rapid.IntRange(1, 4).Draw(rt, "changes") {
				f.changeSpoken(rt)
			}
			f.Imports()
			if rapid.Bool().Draw(rt, "write?") { // a write imports only its own file
				path, text := rapid.SampledFrom(spokenPaths).Draw(rt, "path"), spokenNote(rt)
				_, err := f.writer().CreateNote(rt.Context(), writing.CreateNoteArgs{Path: path, Content: text})
				if fault.CodeOf(err) == fault.Exists {
					_, err = f.writer().UpdateNote(rt.Context(), writing.UpdateNoteArgs{Path: path, Mode: "replace", Content: &text})
				}
				if err != nil && fault.CodeOf(err) != fault.NotFound { // ledger.md and Ledger.md are one file on some systems
					rt.Fatal(err)
				}
			}
			fresh := folder{vaulttest.Folder{T: t, Dir: f.Dir, Importer: vault.Importer{DB: dbtest.New(rt), Caller: ref.Caller{Actor: "tester"}}}}
			fresh.Imports()
			if diff := cmp.Diff(contents(t, fresh.Importer.DB), contents(t, f.Importer.DB)); diff != "" {
				rt.Fatalf("the store after changes (-fresh +incremental):\n%s", diff)
			}
		}
	})
}

func (f folder) changeSpoken(t *rapid.T) {
	path := rapid.SampledFrom(spokenPaths).Draw(t, "path")
	_, err := os.Stat(filepath.Join(f.Dir, path))
	switch exists, action := err == nil, rapid.IntRange(0, 11).Draw(t, "what"); {
	case action == 0:
		f.fill(rapid.SampledFrom([]int{0, 140, 145, 150, 155}).Draw(t, "fill"))
	case action == 1:
		f.Write(".hence.yaml", rapid.SampledFrom([]string{"mute: [Ledger]", "mute: [rss, queue]", ""}).Draw(t, "settings"))
	case exists && action < 4:
		f.Remove(path)
	case exists && action < 6:
		f.Move(path, rapid.SampledFrom(spokenPaths).Draw(t, "to"))
	case exists && action < 7:
		f.Touch(path)
	default:
		f.Write(path, spokenNote(t))
	}
}

// mentionsOf lists the mentions in a vault: the note, the line, the text, the note mentioned.
func (f folder) mentionsOf() []string {
	return rows(f.T, f.Importer.DB, `
select n.title || ' ' || s.line || ' ' || s.target || ' ' || t.title
from sites s
join memories n on n.key = s.note
join edges e on e.key = s.edge
join memories t on t.key = e.to_key
where s.origin = 'mention'
order by 1`)
}

// Programs such as git may give an unchanged file a new time.
func TestAFileThatWasOnlyTouchedMentionsANewName(t *testing.T) {
	f := newFolder(t, map[string]string{"said.md": "the crane is here\n", "keep.md": "x"})
	f.Imports()
	f.Touch("said.md")
	f.Write("new.md", "---\naliases: [crane]\nmentions: true\n---\n")
	f.Imports()
	if diff := cmp.Diff([]string{"said 1 crane new"}, f.mentionsOf()); diff != "" {
		t.Errorf("mentions (-want +got):\n%s", diff)
	}
}

func TestOrdinaryWordsMakeNoMentions(t *testing.T) {
	f := newFolder(t, map[string]string{
		"Note.md": "", "Android.md": "", "changelog.md": "",
		"one.md": "a note on Android\n\n# Changelog\n", "two.md": "another note\n\n# Changelog\n",
	})
	for i := range 95 {
		f.Write(fmt.Sprintf("fill/%d.md", i), "Android")
	}
	f.Imports()
	said := func() (kept []string) {
		for _, m := range f.mentionsOf() {
			if !strings.HasSuffix(m, " Android") {
				kept = append(kept, m)
			}
		}
		return kept
	}
	want := []string{"one 1 note Note", "one 3 Changelog changelog", "two 1 note Note", "two 3 Changelog changelog"}
	if diff := cmp.Diff(want, said()); diff != "" {
		t.Errorf("words in two of a hundred notes (-want +got):\n%s", diff)
	}
	f.Write("three.md", "one more note, with a Changelog")
	f.Imports()
	if diff := cmp.Diff([]string(nil), said()); diff != "" {
		t.Errorf("words in three of 101 (-want +got):\n%s", diff)
	}
	f.Write("Note.md", "---\nmentions: true\n---\n")
	f.Imports()
	want = []string{"one 1 note Note", "three 1 note Note", "two 1 note Note"}
	if diff := cmp.Diff(want, said()); diff != "" {
		t.Errorf("a note that wants to be mentioned (-want +got):\n%s", diff)
	}
	for i := range 60 {
		f.Write(fmt.Sprintf("more/%d.md", i), "x")
	}
	f.Imports()
	want = []string{"one 1 note Note", "one 3 Changelog changelog", "three 1 note Note", "three 1 Changelog changelog", "two 1 note Note", "two 3 Changelog changelog"}
	if diff := cmp.Diff(len(want), len(said())); diff != "" {
		t.Errorf("words in three of 161: %q", said())
	}
	if n := len(f.mentionsOf()) - len(want); n != 96 {
		t.Errorf("%d mentions of Android, want 96: a name in capitals is not an ordinary word, however often it stands", n)
	}
}

func TestANewNoteIsMentionedInEveryScript(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "数据库设计很重要。\n\n대기열을 비워야 한다\n\nเรือข้ามฟากออก\n\n第3章 plan"})
	f.Imports()
	for _, name := range []string{"库设计", "대기열", "ข้ามฟาก", "章 Plan"} {
		f.Write(name+".md", "")
	}
	f.Imports()
	want := []string{"a 1 库设计 库设计", "a 3 대기열 대기열", "a 5 ข้ามฟาก ข้ามฟาก", "a 7 章 plan 章 Plan"}
	if diff := cmp.Diff(want, f.mentionsOf()); diff != "" {
		t.Errorf("mentions (-want +got):\n%s", diff)
	}
}

func TestShortNamesCapitalsAndMutedOnes(t *testing.T) {
	f := newFolder(t, map[string]string{
		"RSS.md": "", "IT.md": "", "Git.md": "", "東京.md": "", "README.md": "", "Daily.md": "",
		"a.md": "## About RSS\n\nit is IT, with rss, Git and a readme\n\n私は東京へ。 My daily README.",
	})
	f.Imports()
	want := []string{"a 1 RSS RSS", "a 3 IT IT", "a 5 README README", "a 5 daily Daily", "a 5 東京 東京"}
	if diff := cmp.Diff(want, f.mentionsOf()); diff != "" {
		t.Errorf("mentions (-want +got):\n%s", diff)
	}
	f.Write("Git.md", "---\nmentions: true\n---\n")
	f.Write(".hence.yaml", "mute: [DAILY, readme]\n")
	f.Imports()
	want = []string{"a 1 RSS RSS", "a 3 Git Git", "a 3 IT IT", "a 5 東京 東京"}
	if diff := cmp.Diff(want, f.mentionsOf()); diff != "" {
		t.Errorf("mentions with a note that wants them and muted names (-want +got):\n%s", diff)
	}
}
