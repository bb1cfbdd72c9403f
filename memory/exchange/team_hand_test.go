package exchange_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/memory"
	"hence/memory/exchange/team"
	"hence/memory/journal"
)

// Every edit of a file is an edit of the memory, with stamps or without. It stays in the
// file, and everybody reads it.
func TestEditsByHandAreEdits(t *testing.T) {
	dbtest.SkipUnderRace(t)
	for name, c := range map[string]struct {
		edit func(text string) string
		ask  string // of the memory
		want string
	}{
		"Text":            {replaced("One.", "Another."), `content`, "Another."},
		"Title":           {setLine("title", `"Won"`), `title`, "Won"},
		"Kind":            {setLine("kind", `"decision"`), `kind`, "decision"},
		"KindUnquoted":    {setLine("kind", `decision`), `kind`, "decision"},
		"Importance":      {setLine("importance", `0.9`), `importance`, "0.9"},
		"ImportanceBack":  {setLine("importance", ``), `importance`, "0.5"},
		"Pinned":          {setLine("pinned", `true`), `pinned`, "1"},
		"Confidence":      {setLine("confidence", `0.2`), `confidence`, "0.2"},
		"ValidTo":         {setLine("valid_to", `"2031-01-01T00:00:00Z"`), `valid_to`, "2031-01-01T00:00:00.000Z"},
		"Aliases":         {setLine("aliases", `["uno"]`), `aliases`, `["uno"]`},
		"TagsAdded":       {setLine("tags", `["a","b","c"]`), `tags`, `["a","b","c"]`},
		"TagRemoved":      {setLine("tags", `["a"]`), `tags`, `["a"]`},
		"TagsUnquoted":    {setLine("tags", `[a, c d]`), `tags`, `["a","c d"]`},
		"NoTags":          {setLine("tags", ``), `tags`, `[]`},
		"Property":        {replaced(`"colour": "red"`, `"colour": "blue"`), `properties ->> '$.colour'`, "blue"},
		"PropertyPlain":   {replaced(`"colour": "red"`, `colour: deep blue`), `properties ->> '$.colour'`, "deep blue"},
		"PropertyRemoved": {replaced("  \"colour\": \"red\"\n", ""), `coalesce(properties ->> '$.colour', 'none')`, "none"},
		"PropertyAdded":   {replaced("properties:\n", "properties:\n  size: 3\n"), `properties ->> '$.size'`, "3"},
		"Forgotten":       {setLine("forgotten", `"2031-01-01T00:00:00Z"`), `status`, "forgotten"},
		"TextForgotten":   {func(text string) string { return setLine("forgotten", `"2031-01-01T00:00:00Z"`)(text + "More.\n") }, `status`, "forgotten"},
		"Source":          {setLine("source", `"web"`), `source`, "web"},
		"LineEnds": {func(text string) string {
			return strings.ReplaceAll(strings.Replace(text, "One.", "Two.", 1), "\n", "\r\n")
		}, `content`, "Two."},
		"ByteOrderMark": {func(text string) string { return "\uFEFF" + strings.Replace(text, "One.", "Two.", 1) }, `content`, "Two."},
		"NoLastLineEnd": {func(text string) string { return strings.TrimSuffix(strings.Replace(text, "One.", "Two.", 1), "\n") }, `content`, "Two."},
	} {
		for was, before := range map[string]func(f teamFolder){
			"": func(teamFolder) {},
			"Changed": func(f teamFolder) {
				f.edit("One", "Zero.")
				f.edit("One", "One.")
				f.revise(memory.UpdateArgs{Tags: &[]string{}, Importance: new(0.1), Properties: db.Properties{"colour": "green"}})
				f.revise(memory.UpdateArgs{Tags: &[]string{"a", "b"}, Importance: new(0.7), Properties: db.Properties{"colour": "red"}})
			},
		} {
			t.Run(name+was, func(t *testing.T) {
				f := newTeamFolder(t)
				f.store("One")
				f.revise(memory.UpdateArgs{Tags: &[]string{"a", "b"}, Importance: new(0.7), Properties: db.Properties{"colour": "red"}})
				before(f)
				f.sync()
				other := f.copied(newPerson(t))
				other.sync()
				id := f.texts(`select id from memories`)[0]
				f.change(f.path("one"), c.edit)
				edited := f.copied(newPerson(t)) // a person who reads the edit before anybody has synced it
				check := func(who string, of teamFolder) {
					t.Helper()
					of.syncTwice()
					of.sync()
					if got := of.texts(`select `+c.ask+` from memories where id = ?`, id); !cmp.Equal([]string{c.want}, got) {
						t.Errorf("%s has %q, want %q", who, got, c.want)
					}
					if again := of.sync(); again.Merged.Changes() || len(again.Written) > 0 {
						t.Errorf("%s: another sync changes %+v", who, again)
					}
				}
				check("a new store", edited)
				check("the store", f)
				check("somebody else", teamFolder{other.person, f.dir})
				check("somebody else, of another copy", teamFolder{other.person, edited.dir})
				check("the store, of another copy", teamFolder{f.person, edited.dir})
				if n := f.texts(`select count(*) from memories`)[0]; n != "1" {
					t.Errorf("there are %s memories", n)
				}
			})
		}
	}
}

// An edit by hand gets a time right after that of the text that it replaces. A later edit of
// that text in a store wins over it, no matter when the edit by hand is read.
func TestAnEditByHandGivesWayToLaterOnes(t *testing.T) {
	for name, c := range map[string]struct {
		edit func(text string) string
		next memory.UpdateArgs
		ask  string
		want string
	}{
		"Text": {replaced("One.", "v2 by hand"), memory.UpdateArgs{Content: new("v3")}, `content`, "v3"},
		"Kind": {setLine("kind", `"decision"`), memory.UpdateArgs{Kind: new("rule")}, `kind`, "rule"},
		"Tags": {setLine("tags", `["by-hand"]`), memory.UpdateArgs{Tags: &[]string{}}, `tags`, "[]"},
	} {
		t.Run(name, func(t *testing.T) {
			a := newTeamFolder(t)
			a.store("One")
			a.sync()
			b, late := a.copied(newPerson(t)), a.copied(newPerson(t))
			b.sync()
			late.sync()
			a.change(a.path("one"), c.edit)
			pulled := a.copied(b.person)
			pulled.sync()
			b.revise(c.next)
			pulled.sync()
			a.with(late.person).sync() // the edit by hand alone
			for _, f := range []teamFolder{pulled.with(late.person), pulled, pulled.with(a.person)} {
				if done := f.sync(); len(done.Merged.Settle) > 0 {
					t.Errorf("it is to be settled: %+v", done.Merged.Settle)
				}
				if got := f.texts(`select ` + c.ask + ` from memories`); !cmp.Equal([]string{c.want}, got) {
					t.Errorf("%q, want %q", got, c.want)
				}
			}
		})
	}
}

// The author and time of a memory cannot be edited by hand, and a warning says so.
func TestTheCreationStays(t *testing.T) {
	for name, edit := range map[string]func(text string) string{"Created": setLine("created", `"2034-01-01T00:00:00Z"`), "By": setLine("by", `"zoe"`)} {
		t.Run(name, func(t *testing.T) {
			f := newTeamFolder(t)
			f.store("One")
			f.sync()
			f.change(f.path("one"), edit)
			done := f.sync()
			if want := filepath.Base(f.path("one")) + ": created, by and origin stay as they were here"; !cmp.Equal([]string{want}, done.Merged.Warnings) || len(done.Written) != 1 {
				t.Errorf("%+v", done)
			}
			if again := f.sync(); len(again.Written)+len(again.Merged.Warnings) > 0 {
				t.Errorf("%+v", again)
			}
		})
	}
}

// Undo takes back the effects of an edit by hand.
func TestAnEditByHandIsUndone(t *testing.T) {
	f := newTeamFolder(t)
	f.store("One")
	f.store("Two", memory.NewLink{To: "One", Type: "depends-on"})
	f.sync()
	before := export(t, f.DB)
	f.change(f.path("two"), func(text string) string {
		return strings.NewReplacer("depends-on", "supports", "Two.", "By hand.").Replace(text)
	})
	f.sync()
	if _, err := (journal.Journal{DB: f.DB, Caller: f.caller()}).Undo(t.Context(), journal.UndoArgs{}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(settled(before), settled(export(t, f.DB))); diff != "" {
		t.Error("(-before +after):\n" + diff)
	}
}

// A file with a time in the far future would win every merge: it is left out with a warning,
// and then overwritten with the content of the store.
func TestAFileFromTheFarFutureIsLeftOut(t *testing.T) {
	f := newTeamFolder(t)
	f.store("One")
	f.sync()
	f.change(f.path("one"), replaced("---\nOne.", "changed:\n  \"content\": {\"at\":[\"9000-01-01T00:00:00.000Z~\"]}\n---\nFuture."))
	done := f.sync()
	if len(done.Merged.Warnings) != 1 || !strings.Contains(done.Merged.Warnings[0], `"One" was left out: its time 9000-`) {
		t.Errorf("%+v", done)
	}
	if got := f.texts(`select content from memories`); !cmp.Equal([]string{"One."}, got) {
		t.Error(got)
	}
	if again := f.sync(); len(again.Written)+len(again.Merged.Warnings) > 0 {
		t.Errorf("%+v", again)
	}
}

// Two edits of one text by hand count as separate edits, and both texts are kept.
func TestTwoEditsByHandAreBothKept(t *testing.T) {
	a := newTeamFolder(t)
	a.store("One")
	a.sync()
	b := a.copied(newPerson(t))
	b.sync()
	a.change(a.path("one"), replaced("One.", "Here."))
	b.change(b.path("one"), replaced("One.", "There."))
	a.sync()
	b.sync()
	syncBoth(t, a.DB, b.DB)
	if diff := cmp.Diff([]string{"Here.", "There."}, a.texts(`select content from memories order by content`)); diff != "" {
		t.Error("(-want +got):\n" + diff)
	}
}

// Editing the line of a link by hand changes the edge; another end or kind makes it another
// edge. A deleted line comes back, and a copied one makes a second edge.
func TestLinksAreEditedByHand(t *testing.T) {
	dbtest.SkipUnderRace(t)
	line := func(edit func(line string) string) func(text string) string {
		return func(text string) string {
			lines := strings.Split(text, "\n")
			for n, one := range lines {
				if strings.HasPrefix(one, "  - ") {
					lines[n] = edit(one)
				}
			}
			return strings.Join(lines, "\n")
		}
	}
	for name, c := range map[string]struct {
		edit func(line string) string
		want []string
	}{
		"Note":    {replaced(`"id":`, `"note":"why","id":`), []string{"depends-on One  why 1.0"}},
		"Weight":  {replaced(`"id":`, `"weight":0.5,"id":`), []string{"depends-on One   0.5"}},
		"Kind":    {replaced("depends-on", "supports"), []string{"supports One   1.0"}},
		"Word":    {replaced(`"id":`, `"rel":"needs","id":`), []string{"depends-on One needs  1.0"}},
		"Deleted": {func(string) string { return `  ` }, []string{"depends-on One   1.0"}},
		"Copied":  {func(line string) string { return line + "\n" + strings.Replace(line, "depends-on", "supports", 1) }, []string{"depends-on One   1.0", "supports One   1.0"}},
		"New": {func(line string) string {
			return line + "\n  - {\"type\":\"causes\",\"to\":\"ONE\",\"origin\":\"agent\"}"
		}, []string{"causes One   1.0", "depends-on One   1.0"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newTeamFolder(t)
			f.store("One")
			f.store("Two", memory.NewLink{To: "One", Type: "depends-on"})
			f.sync()
			one := f.texts(`select id from memories where title = 'One'`)[0]
			other := f.copied(newPerson(t))
			other.sync()
			f.change(f.path("two"), func(text string) string {
				return strings.ReplaceAll(line(c.edit)(text), `"ONE"`, `"`+one+`"`)
			})
			edited := f.copied(newPerson(t))
			fresh := f.copied(newPerson(t))
			for _, of := range []teamFolder{f, f.with(other.person), edited.with(other.person), edited.with(f.person), fresh, f.with(fresh.person), f.with(other.person)} {
				of.syncTwice()
				of.sync()
				got := of.texts(`
select kind || ' ' || (select title from memories where key = to_key) || ' ' || rel || ' ' || note || ' ' || weight
from edges
order by 1`)
				if name == "Deleted" && of == fresh && len(got) == 0 { // it never had it
					continue
				}
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Error("(-want +got):\n" + diff)
				}
				if again := of.sync(); again.Merged.Changes() || len(again.Written) > 0 {
					t.Errorf("another sync changes %+v", again)
				}
			}
		})
	}
}

// A malformed file is reported with the problem, and nothing is merged or written.
func TestWhatIsWrongInAFileIsNamed(t *testing.T) {
	for name, c := range map[string]struct {
		edit func(text string) string
		want string
	}{
		"Value":     {setLine("importance", `7`), "importance is 7, and must be from 0 to 1"},
		"Type":      {setLine("pinned", `maybe`), "line 2: pinned has the wrong type, string"},
		"Time":      {setLine("valid_to", `soon`), `valid_to is "soon", and must be a full RFC 3339 time`},
		"NoTime":    {setLine("valid_to", `""`), `line 2: valid_to is "", and must be a full RFC 3339 time`},
		"LinkTime":  {replaced(`"id":"`, `"valid_from":"","id":"`), `line 10: valid_from is "", and must be a full RFC 3339 time`},
		"LinkEnd":   {replaced(`"id":"`, `"valid_to":"","id":"`), `line 10: valid_to is "", and must be a full RFC 3339 time`},
		"Field":     {setLine("colour", `red`), `line 2: "colour" is not a field of a memory`},
		"Link":      {replaced("depends-on", "adores"), `the link to One: `},
		"Weight":    {replaced(`"id":"`, `"weight":3,"id":"`), `the link to One: weight is 3`},
		"Stamp":     {replaced("links:", "changed:\n  \"kind\": {\"at\":[\"now\"]}\nlinks:"), `changed has the stamp "now"`},
		"Bytes":     {replaced("Two.", "Tw\xff."), "it is not valid UTF-8"},
		"Unclosed":  {func(text string) string { return strings.Replace(text, "\n---\n", "\n", 1) }, "it does not begin with fields between two lines of ---"},
		"NoSecond":  {func(string) string { return "---\n" }, "it does not begin with fields"},
		"Control":   {setLine("source", `"nobody"`), `source is "nobody"`},
		"NoTextEnd": {setLine("origin", `"elsewhere"`), `origin is "elsewhere"`},
	} {
		t.Run(name, func(t *testing.T) {
			f := newTeamFolder(t)
			f.store("One")
			f.store("Two", memory.NewLink{To: "One", Type: "depends-on"})
			f.sync()
			path := f.path("two")
			f.change(path, c.edit)
			f.edit("One", "changed")
			_, err := f.try(team.Args{First: true})
			if want := "nothing was merged; " + filepath.Base(path) + ": " + c.want; err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %s", err, want)
			}
			if text, err := os.ReadFile(f.path("one")); err != nil || !strings.HasSuffix(string(text), "One.\n") {
				t.Errorf("%v\n%s", err, text)
			}
		})
	}
}

// The damaged file of a memory and a README are not overwritten.
func TestAFileThatIsNotOfAMemoryStays(t *testing.T) {
	f := newTeamFolder(t)
	f.store("One")
	readme := filepath.Join(f.dir, "README.md")
	if err := os.WriteFile(readme, []byte("# What we know\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	f.sync()
	path := f.path("one")
	f.change(path, func(string) string { return "My new text.\n" })
	done := f.sync()
	if len(done.Written) > 0 || len(done.Merged.Warnings) != 1 || !strings.Contains(done.Merged.Warnings[0], filepath.Base(path)+" does not begin with ---") {
		t.Errorf("%+v", done)
	}
	for file, want := range map[string]string{path: "My new text.\n", readme: "# What we know\n"} {
		if text, err := os.ReadFile(file); err != nil || string(text) != want {
			t.Errorf("%s: %v, %q", file, err, text)
		}
	}
}

// A new file that somebody writes by hand becomes a memory.
func TestAFileByHandIsAMemory(t *testing.T) {
	f := newTeamFolder(t)
	path := filepath.Join(f.dir, "mine.md")
	if err := os.WriteFile(path, []byte("---\ntitle: Mine\ntags: [new]\n---\nWritten by hand.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	other := f.copied(newPerson(t))
	for _, of := range []teamFolder{f, other} {
		if done := of.sync(); done.Merged.Memories.Added != 1 {
			t.Errorf("%+v", done)
		}
	}
	syncBoth(t, f.DB, other.DB)
	if diff := cmp.Diff([]string{`Mine ["new"] Written by hand.`}, f.texts(`select title || ' ' || tags || ' ' || content from memories`)); diff != "" {
		t.Error("(-want +got):\n" + diff)
	}
	if again := f.sync(); again.Merged.Changes() || len(again.Written) > 0 {
		t.Errorf("another sync changes %+v", again)
	}
}

// Somebody edits the file of a memory by hand that a third person's store created separately.
// That person's values are kept.
func TestAnEditByHandHasNotSeenWhatAnotherStoreCreated(t *testing.T) {
	line := `{"type":"memory","id":"alice","created_at":%q,"title":"Alice","content":%q,"properties":{"likes":%q}}`
	for name, edit := range map[string]func(text string) string{
		"Text": replaced("\nnuts\n", "\nmilk\n"), "Property": replaced(`"likes": "nuts"`, `"likes": "milk"`),
	} {
		t.Run(name, func(t *testing.T) {
			f := newTeamFolder(t)
			f.take(fmt.Sprintf(line, "2031-01-01T00:00:00Z", "nuts", "nuts"))
			f.sync()
			f.change(f.path("alice"), edit)
			cyd := newPerson(t)
			cyd.take(fmt.Sprintf(line, "2031-01-02T00:00:00Z", "tea", "tea"))
			f.with(cyd).sync()
			f.sync()
			f.with(cyd).sync()
			for _, p := range []person{f.person, cyd} {
				for _, words := range []string{"milk", "tea"} {
					if got := dbtest.Texts(t, p.DB, `select id from memories where ?1 in (content, properties ->> '$.likes')`, words); len(got) == 0 {
						t.Errorf("%q is gone:\n%s", words, export(t, p.DB))
					}
				}
			}
		})
	}
}
