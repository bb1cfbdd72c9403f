package exchange_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/memory"
	"hence/memory/exchange/merge"
	"hence/memory/exchange/team"
)

// names returns the names of the files in the folder.
func (f teamFolder) names() []string {
	f.t.Helper()
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		f.t.Fatal(err)
	}
	names := []string{}
	for _, e := range entries {
		name := e.Name()
		if title, _, isMemory := strings.Cut(name, "-"); isMemory && filepath.Ext(name) == ".md" {
			name = title
		}
		names = append(names, name)
	}
	return names
}

func (f teamFolder) remember(a memory.StoreArgs) {
	f.t.Helper()
	a.Dedup = "off"
	if a.Content == "" {
		a.Content = *a.Title + "."
	}
	if _, err := (memory.Store{DB: f.DB, Caller: f.caller()}).Remember(f.t.Context(), a, nil); err != nil {
		f.t.Fatal(err)
	}
}

// A personal memory does not go into the folder, however its property private is spelled.
func TestWhatIsPrivateStaysOut(t *testing.T) {
	f := newTeamFolder(t)
	f.remember(memory.StoreArgs{Title: new("Shared"), Properties: db.Properties{"private": false}})
	for n, properties := range []db.Properties{{"private": true}, {"Private": true}, {"private": "on"}, {"PRIVATE": "Yes"}, {"private": 1}, {"private": "for me"}, {" private ": "y"}} {
		f.remember(memory.StoreArgs{Title: new(fmt.Sprint("secret", n)), Properties: properties})
	}
	for n, kind := range []string{"preference", "Preference", "session", "TURN"} {
		f.remember(memory.StoreArgs{Title: new(fmt.Sprint("own", n)), Kind: kind})
	}
	f.remember(memory.StoreArgs{Title: new("Elsewhere"), Tags: []string{"project/other"}})
	f.sync()
	if diff := cmp.Diff([]string{".gitattributes", "shared", "team.json"}, f.names()); diff != "" {
		t.Error("(-want +got):\n" + diff)
	}
}

// A shared memory that is made private leaves the folder for everybody: other people keep it
// in their stores, but do not write it again until somebody says that it is not private.
func TestWhatIsMadePrivateIsWithdrawn(t *testing.T) {
	for name, private := range map[string]memory.UpdateArgs{
		"Private": {Properties: db.Properties{"Private": "yes"}}, "Preference": {Kind: new("preference")},
	} {
		t.Run(name, func(t *testing.T) {
			f := newTeamFolder(t)
			f.store("One")
			f.store("Two", memory.NewLink{To: "One", Type: "depends-on"})
			f.sync()
			other := f.with(newPerson(t))
			other.sync()
			both := []string{".gitattributes", "one", "team.json", "two"}
			f.revise(private)
			if done := f.sync(); !cmp.Equal([]string{"One"}, done.Withdrawn) || len(done.Removed) != 1 {
				t.Errorf("%+v", done)
			}
			other.revise(memory.UpdateArgs{Content: new("as others see it")})
			for _, of := range []teamFolder{other, f, other} {
				if done := of.sync(); done.Merged.Changes() || len(done.Written)+len(done.Removed)+len(done.Withdrawn) > 0 {
					t.Errorf("%+v", done)
				}
				if diff := cmp.Diff([]string{".gitattributes", "removed.jsonl", "team.json", "two"}, of.names()); diff != "" {
					t.Error("(-want +got):\n" + diff)
				}
			}
			f.revise(memory.UpdateArgs{Kind: new("fact"), Properties: db.Properties{"Private": nil, "private": false}})
			for _, of := range []teamFolder{f, other} {
				of.sync()
				if diff := cmp.Diff(both, of.names()); diff != "" {
					t.Error("(-want +got):\n" + diff)
				}
			}
		})
	}
}

// A memory that somebody marks private in its file becomes private in stores that have it,
// and is not merged into others.
func TestAFileThatIsMarkedPrivateIsTakenOut(t *testing.T) {
	f := newTeamFolder(t)
	f.store("One")
	f.sync()
	f.change(f.path("one"), replaced("text:", "properties:\n  private: true\ntext:"))
	if stranger := f.copied(newPerson(t)); stranger.sync().Merged.Memories.Added > 0 {
		t.Error("a stranger has it")
	}
	if done := f.sync(); !cmp.Equal([]string{"One"}, done.Withdrawn) {
		t.Errorf("%+v", done)
	}
	if got := f.texts(`select content || properties from memories`); !cmp.Equal([]string{`One.{"private":true}`}, got) {
		t.Error(got)
	}
}

// The file of a memory with a likely secret in any place is not written, and the place is
// reported.
func TestSecretsAreRefusedWhereverTheyAre(t *testing.T) {
	const key = "ghp_R2D2c3po4lk5jh6gf7ds8ap9oi0uy1tr2ew3"
	for where, line := range map[string]string{
		"line 2":      `"content":"The key:\n` + key + `\n"`,
		"title":       `"title":"` + key + `"`,
		"kind":        `"kind":"` + key + `"`,
		"tags":        `"tags":["` + key + `"]`,
		"aliases":     `"aliases":["` + key + `"]`,
		"by":          `"actor":"` + key + `"`,
		"source_url":  `"source_url":"https://example.org/?key=` + key + `"`,
		"confirmed":   `"confirmed":"` + key + `"`,
		"properties":  `"properties":{"a":1,"deep":{"in":["` + key + `"]}}`,
		"verify_note": `"verify_note":"` + key + `"`,
		"id":          `"id":"` + key + `"`,
	} {
		t.Run(where, func(t *testing.T) {
			f := newTeamFolder(t)
			if where != "title" {
				line += `,"title":"Key"`
			}
			f.take(`{"type":"memory",` + line + `}`)
			done := f.sync()
			if len(done.Refused) != 1 || !strings.Contains(done.Refused[0], ": "+where+" looks like a secret (github-token)") || strings.Contains(done.Refused[0], key) {
				t.Errorf("%q", done.Refused)
			}
			if diff := cmp.Diff([]string{".gitattributes", "team.json"}, f.names()); diff != "" {
				t.Error("(-want +got):\n" + diff)
			}
		})
	}
	t.Run("Link", func(t *testing.T) {
		f := newTeamFolder(t)
		f.take(`{"type":"memory","id":"a","title":"A"}
{"type":"memory","id":"b","title":"B"}
{"type":"edge","from":"a","to":"b","edge_type":"supports","rel":"` + key + `"}
{"type":"edge","from":"a","to":"b","edge_type":"causes"}`)
		done := f.sync()
		if diff := cmp.Diff([]string{"A [from an import]: its link to B [from an import] looks like a secret (github-token)"}, done.Refused); diff != "" {
			t.Error("(-want +got):\n" + diff)
		}
		text, err := os.ReadFile(f.path("a"))
		if err != nil || strings.Contains(string(text), key) || !strings.Contains(string(text), `"causes"`) {
			t.Errorf("%v\n%s", err, text)
		}
	})
}

// Nothing is written without First, even if the store or the folder is empty.
func TestNothingIsWrittenUnseen(t *testing.T) {
	f := newTeamFolder(t)
	own := filepath.Join(f.dir, ".gitattributes")
	if err := os.WriteFile(own, []byte("*.bin filter=lfs"), 0o644); err != nil {
		t.Fatal(err)
	}
	unseen := func(of teamFolder, want ...string) {
		t.Helper()
		before := of.names()
		done, err := of.try(team.Args{})
		if err != nil || !done.Waits || len(done.Written) != len(want) {
			t.Errorf("%+v, %v", done, err)
		}
		if diff := cmp.Diff(before, of.names()); diff != "" {
			t.Error("(-before +after):\n" + diff)
		}
	}
	unseen(f, ".gitattributes", "team.json")
	f.store("One")
	unseen(f, ".gitattributes", "one", "team.json")
	f.sync()
	if text, err := os.ReadFile(own); err != nil || string(text) != "*.bin filter=lfs\n*.md -text\nremoved.jsonl -text merge=union\n" {
		t.Errorf("%v, %q", err, text)
	}
	if done, err := f.try(team.Args{}); err != nil || done.Waits {
		t.Errorf("nothing is to be written: %+v, %v", done, err)
	}
	other := f.with(newPerson(t))
	if done, err := other.try(team.Args{}); err != nil || done.Waits || done.Merged.Memories.Added != 1 {
		t.Errorf("nothing is to be written: %+v, %v", done, err)
	}
	other.store("Letter")
	unseen(other, "letter")

	reader, err := db.Open(t.Context(), f.Path(), db.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	readOnly := teamFolder{person{t, reader}, f.dir}
	readOnly.sync()
	f.store("Two")
	before := f.names()
	if _, err := readOnly.try(team.Args{First: true}); fault.CodeOf(err) != fault.ReadOnly {
		t.Error(err)
	}
	if diff := cmp.Diff(before, f.names()); diff != "" {
		t.Error("(-before +after):\n" + diff)
	}
}

// A folder keeps the memories of one project in one namespace. A sync with another scope
// fails, and files of other memories stay unchanged.
func TestAFolderKeepsItsScope(t *testing.T) {
	f := newTeamFolder(t)
	f.remember(memory.StoreArgs{Title: new("Dock"), Tags: []string{"project/ferry"}})
	f.remember(memory.StoreArgs{Title: new("Letter")})
	f.remember(memory.StoreArgs{Title: new("Moved"), Tags: []string{"project/ferry"}})
	sync := func() team.Synced {
		t.Helper()
		done, err := f.try(team.Args{Project: "ferry", First: true})
		if err != nil {
			t.Fatal(err)
		}
		return done
	}
	sync()
	want := []string{".gitattributes", "dock", "moved", "team.json"}
	if diff := cmp.Diff(want, f.names()); diff != "" {
		t.Error("(-want +got):\n" + diff)
	}
	said, err := team.ReadScope(f.dir)
	if diff := cmp.Diff(&team.Scope{Namespace: "default", Project: "ferry"}, said); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for project, words := range map[string]string{"": "not of no project", "canal": "not of project canal"} {
		_, err := f.try(team.Args{Project: project, First: true})
		if want := "team.json: the folder keeps memories of project ferry, " + words; fault.CodeOf(err) != fault.InvalidArgument || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	// A memory that is of another project here is still the team's.
	if _, err := (memory.Store{DB: f.DB, Caller: f.caller()}).Revise(t.Context(), memory.UpdateArgs{ID: "Moved", Tags: &[]string{"project/canal"}}); err != nil {
		t.Fatal(err)
	}
	if done := sync(); len(done.Removed)+len(done.Written) > 0 {
		t.Errorf("%+v", done)
	}
	// With git's conflict marks in it, a person has to choose one scope.
	if err := os.WriteFile(filepath.Join(f.dir, "team.json"), []byte("<<<<<<< HEAD\n{\"namespace\":\"default\",\"project\":\"ferry\"}\n=======\n{}\n>>>>>>> x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := team.ReadScope(f.dir); fault.CodeOf(err) != fault.InvalidArgument {
		t.Error(err)
	}
}

// Git stores a symbolic link, and not the files to which it leads.
func TestAFolderThatIsALinkIsRefused(t *testing.T) {
	f := newTeamFolder(t)
	f.store("One")
	f.sync()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(f.dir, link); err != nil {
		t.Skip("no links here")
	}
	if _, err := (teamFolder{f.person, link}).try(team.Args{First: true}); fault.CodeOf(err) != fault.InvalidArgument || !strings.Contains(err.Error(), "it is a symbolic link") {
		t.Error(err)
	}
}

// A dry run reports what a sync would do, and changes nothing.
func TestADryRunSaysWhatASyncDoes(t *testing.T) {
	f := newTeamFolder(t)
	f.store("One")
	f.store("Two")
	f.sync()
	other := f.with(newPerson(t))
	other.sync()
	other.edit("One", "Theirs.")
	other.sync()
	f.edit("Two", "Mine.")
	f.store("Three")
	before, names := export(t, f.DB), f.names()
	dry, err := f.try(team.Args{DryRun: true})
	if err != nil || !dry.Merged.DryRun {
		t.Errorf("%+v, %v", dry, err)
	}
	if diff := cmp.Diff(before, export(t, f.DB)); diff != "" || !cmp.Equal(names, f.names()) {
		t.Errorf("it did something: %s, %q", diff, f.names())
	}
	done := f.sync()
	done.Merged.DryRun = true
	if diff := cmp.Diff(done, dry, cmpopts.IgnoreUnexported(merge.Merged{})); diff != "" || len(done.Written) != 2 {
		t.Errorf("(-done +said before):\n%s", diff)
	}
}
