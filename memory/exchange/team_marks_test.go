package exchange_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hence/memory"
)

// An editor changes the line ends of a file, so that git marks all of it if somebody else
// has edited the memory: edits of other fields by hand are kept.
func TestEditsByHandAreReadBetweenMarks(t *testing.T) {
	g := newTeamFolder(t)
	g.take(`{"type":"memory","id":"one","title":"One","content":"One.","tags":["a","b"],"properties":{"colour":"red"},"importance":0.7}`)
	g.sync()
	path := g.path("one")
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	other := g.copied(newPerson(t))
	other.sync()
	other.edit("One", "Two.")
	other.sync()
	theirs, err := os.ReadFile(other.path("one"))
	if err != nil {
		t.Fatal(err)
	}
	mine := string(before)
	for _, edit := range []func(text string) string{
		replaced("\nOne.", "\nBy hand."), setLine("kind", `decision`), setLine("tags", `[a, c]`), replaced(`"red"`, `"blue"`), setLine("importance", "0.9"),
		func(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") },
	} {
		mine = edit(mine)
	}
	g.change(path, func(string) string {
		return "<<<<<<< HEAD\n" + mine + "=======\n" + string(theirs) + ">>>>>>> theirs\n"
	})
	for name, of := range map[string]teamFolder{"mine": g, "theirs": g.copied(other.person)} {
		of.sync()
		want := []string{`decision ["a","c"] blue 0.9 Two.`}
		if diff := cmp.Diff(want, of.texts(`select kind || ' ' || tags || ' ' || (properties ->> '$.colour') || ' ' || importance || ' ' || content from memories where id = 'one'`)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if got := of.texts(`select content from memories where status = 'superseded'`); !cmp.Equal([]string{"By hand."}, got) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// One edits the text by hand and the other in the store: git marks the text alone and takes the other's mark and stamps for
// both sides. Neither has seen the other's, and both texts stay; the same for titles.
func TestAnEditByHandBetweenMarksHasNotSeenTheOther(t *testing.T) {
	for _, edits := range []int{1, 2} {
		g := newTeamFolder(t)
		g.store("One")
		g.sync()
		other := g.copied(newPerson(t))
		other.sync()
		for n := range edits {
			other.edit("One", fmt.Sprint("In the store ", n, "."))
		}
		other.sync()
		last := fmt.Sprint("In the store ", edits-1, ".")
		g.change(other.path("one"), replaced(last+"\n", "<<<<<<< HEAD\nBy hand.\n=======\n"+last+"\n>>>>>>> theirs\n"))
		for name, of := range map[string]teamFolder{"mine": other.copied(g.person), "theirs": other.copied(other.person)} {
			of.sync()
			if got, want := of.texts(`select content from memories order by content`), []string{"By hand.", last}; !cmp.Equal(got, want) {
				t.Errorf("%d edits, %s: %q, want %q", edits, name, got, want)
			}
		}
	}
}

// Two people change one field, and one of them changes it back. Git sees one change of the
// value and two of the stamps; the later value wins.
func TestAValueStaysWithItsStamps(t *testing.T) {
	for _, backIsLater := range []bool{true, false} {
		f := newTeamFolder(t)
		f.store("One")
		f.sync()
		other := f.copied(newPerson(t))
		other.sync()
		back := func() {
			f.revise(memory.UpdateArgs{Pinned: new(true)})
			f.revise(memory.UpdateArgs{Pinned: new(false)})
		}
		if !backIsLater {
			back()
		}
		time.Sleep(2 * time.Millisecond) // stamps are times
		other.revise(memory.UpdateArgs{Pinned: new(true)})
		if time.Sleep(2 * time.Millisecond); backIsLater {
			back()
		}
		f.sync()
		other.sync()
		entry := func(path string) string {
			text, err := os.ReadFile(path)
			_, after, isChanged := strings.Cut(string(text), "changed:\n")
			line, _, _ := strings.Cut(after, "\n")
			if err != nil || !isChanged {
				t.Fatalf("%v\n%s", err, text)
			}
			return line + "\n"
		}
		mine, theirs := entry(f.path("one")), entry(other.path("one"))
		other.change(other.path("one"), replaced(theirs, "<<<<<<< HEAD\n"+mine+"=======\n"+theirs+">>>>>>> theirs\n"))
		for _, of := range []teamFolder{other.copied(f.person), other.copied(newPerson(t)), other} {
			of.sync()
			want := []string{map[bool]string{true: "0", false: "1"}[backIsLater]}
			if got := of.texts(`select pinned from memories`); !cmp.Equal(want, got) {
				t.Errorf("pinned is %q, want %q", got, want)
			}
			if again := of.sync(); again.Merged.Changes() || len(again.Written) > 0 {
				t.Errorf("another sync changes %+v", again)
			}
		}
	}
}

// Two people create a memory separately, at the same moment or not, and git marks its file:
// the tags of both stay, as in a merge of the stores.
func TestMarksOfAMemoryCreatedApartKeepTheTagsOfBoth(t *testing.T) {
	line := `{"type":"memory","id":"alice","created_at":%q,"actor":%q,"title":"Alice","content":"of both","tags":[%q]}`
	for name, created := range map[string]string{"Later": "2031-01-02T00:00:00Z", "AtTheSameTime": "2031-01-01T00:00:00Z"} {
		t.Run(name, func(t *testing.T) {
			f := newTeamFolder(t)
			other := teamFolder{newPerson(t), t.TempDir()}
			f.take(fmt.Sprintf(line, "2031-01-01T00:00:00Z", "ann", "nuts"))
			other.take(fmt.Sprintf(line, created, "bert", "tea"))
			f.sync()
			other.sync()
			theirs, err := os.ReadFile(other.path("alice"))
			if err != nil {
				t.Fatal(err)
			}
			f.change(f.path("alice"), func(mine string) string {
				return "<<<<<<< HEAD\n" + mine + "=======\n" + string(theirs) + ">>>>>>> theirs\n"
			})
			for _, one := range []teamFolder{f, f.with(other.person)} {
				one.sync()
				if got := one.texts(`select value from memories, json_each(tags) order by 1`); !cmp.Equal(got, []string{"nuts", "tea"}) {
					t.Errorf("tags %q", got)
				}
			}
		})
	}
}
