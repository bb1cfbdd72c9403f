package exchange_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/exchange/team"
)

// teamFolder is one person's copy of a team's folder.
type teamFolder struct {
	person
	dir string
}

func newTeamFolder(t *testing.T) teamFolder {
	dbtest.SkipOnCluster(t, "folders are read by a plain store too")
	return teamFolder{newPerson(t), t.TempDir()}
}

// try syncs the folder with these arguments.
func (f teamFolder) try(a team.Args) (team.Synced, error) {
	a.Dir = f.dir
	return team.Sync(f.t.Context(), ref.View{DB: f.DB, Caller: f.caller()}, a)
}

func (f teamFolder) sync() team.Synced {
	f.t.Helper()
	done, err := f.try(team.Args{First: true})
	if err != nil {
		f.t.Fatal(err)
	}
	return done
}

// revise changes the memory One.
func (f teamFolder) revise(a memory.UpdateArgs) {
	f.t.Helper()
	a.ID = "One"
	if _, err := (memory.Store{DB: f.DB, Caller: f.caller()}).Revise(f.t.Context(), a); err != nil {
		f.t.Fatal(err)
	}
}

// path returns the path of the file whose name has this beginning.
func (f teamFolder) path(begin string) string {
	f.t.Helper()
	paths, err := filepath.Glob(filepath.Join(f.dir, begin+"-*.md"))
	if err != nil || len(paths) != 1 {
		f.t.Fatal(begin, paths, err)
	}
	return paths[0]
}

// change edits a file by hand.
func (f teamFolder) change(path string, edit func(text string) string) {
	f.t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		f.t.Fatal(err)
	}
	after := edit(string(text))
	if after == string(text) {
		f.t.Fatalf("the edit changes nothing in\n%s", text)
	}
	if err := os.WriteFile(path, []byte(after), 0o644); err != nil {
		f.t.Fatal(err)
	}
}

// with returns the same folder for another person, as after a pull.
func (f teamFolder) with(other person) teamFolder { return teamFolder{other, f.dir} }

// copied returns a copy of the folder for another person.
func (f teamFolder) copied(other person) teamFolder {
	f.t.Helper()
	dir := filepath.Join(f.t.TempDir(), "copy")
	if err := os.CopyFS(dir, os.DirFS(f.dir)); err != nil {
		f.t.Fatal(err)
	}
	return teamFolder{other, dir}
}

// syncTwice syncs twice without writing, as a person may who only reads, and checks that the
// second sync changes nothing.
func (f teamFolder) syncTwice() {
	f.t.Helper()
	for n := range 2 {
		done, err := f.try(team.Args{})
		if err != nil {
			f.t.Fatal(err)
		}
		if n == 1 && done.Merged.Changes() {
			f.t.Errorf("a second sync changes %+v", done.Merged)
		}
	}
}

func (f teamFolder) texts(query string, args ...any) []string {
	f.t.Helper()
	return dbtest.Texts(f.t, f.DB, query, args...)
}

// setLine returns an edit that sets a field of a file, or removes its line for the value "".
func setLine(name, value string) func(text string) string {
	return func(text string) string {
		lines := strings.Split(text, "\n")
		kept := []string{}
		for n, line := range lines {
			if !strings.HasPrefix(line, name+":") {
				kept = append(kept, line)
			}
			if n == 0 && value != "" {
				kept = append(kept, name+": "+value)
			}
		}
		return strings.Join(kept, "\n")
	}
}

func replaced(old, new string) func(text string) string {
	return func(text string) string { return strings.Replace(text, old, new, 1) }
}
