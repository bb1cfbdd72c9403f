package clients

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What an earlier release set up for each client, of which testdata/old.json has the files and the records,
// is brought up to date as if it were new, keeps what a person had turned on, and is taken out to the byte.
func TestApply_BringsAnOldSetUpUpToDate(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "old.json"))
	if err != nil {
		t.Fatal(err)
	}
	old := struct{ Before, After map[string]string }{}
	if err := json.Unmarshal(text, &old); err != nil {
		t.Fatal(err)
	}
	lay := func(files map[string]string) Places {
		p := someUser(t)
		root := filepath.Dir(p.Home)
		for file, text := range files {
			file, text := filepath.Join(root, file), strings.ReplaceAll(text, "ROOT", root)
			if filepath.Dir(filepath.Dir(file)) == p.State {
				r := record{}
				if err := json.Unmarshal([]byte(text), &r); err != nil {
					t.Fatal(err)
				}
				file = recordOf(p, r.File)
			}
			write(t, file, text)
		}
		return p
	}
	below := func(p Places) map[string]string {
		files := map[string]string{}
		for _, folder := range []string{p.Home, p.Project} {
			for file, text := range filesBelow(t, folder) {
				files[strings.TrimPrefix(file, filepath.Dir(p.Home))] = text
			}
		}
		delete(files, "/home/.config/") // of someUser; init had made it, and takes it out
		return files
	}
	of := func(user bool) Wish {
		w := Wish{Server: Server{"/usr/bin/hence", []string{"serve", "--db", "/x.db", "--project", "auto"}}, Program: "/usr/bin/hence", Flags: "--db /x.db --project auto", User: user}
		if !user {
			w.Name, w.Program = "hence", "hence"
		}
		return w
	}
	fresh := lay(old.Before)
	before := below(fresh)
	p := lay(old.After)
	for _, user := range []bool{false, true} {
		everything := of(user)
		everything.Optional = map[Optional]bool{Prompts: true, Checkpoints: true}
		states(t, All(), fresh, everything, Put)
		for file, state := range states(t, All(), p, of(user), Check) {
			if state == Same && !user {
				t.Errorf("the check calls %s %s", file, state)
			}
		}
		states(t, All(), p, of(user), Put)
	}
	// Copilot came later, and of it nobody has turned anything on.
	ignore := func(files map[string]string) map[string]string {
		for file := range files {
			if strings.HasSuffix(file, "hooks/hence.json") {
				delete(files, file)
			}
		}
		return files
	}
	if diff := cmp.Diff(ignore(below(fresh)), ignore(below(p))); diff != "" {
		t.Errorf("it is not as a new set-up is (-new +old):\n%s", diff)
	}
	for file, text := range filesBelow(t, p.Project) {
		if strings.Contains(text, "/hence hook") || strings.Contains(text, "/hence\"") {
			t.Errorf("%s of the project names a path:\n%s", file, text)
		}
	}
	for _, user := range []bool{false, true} {
		for file, state := range states(t, All(), p, of(user), Check) {
			if state != Same {
				t.Errorf("the check calls %s %s", file, state)
			}
		}
	}
	for _, user := range []bool{false, true} { // what both asked for goes with the second
		Apply(All(), p, of(user), Remove, false)
	}
	if diff := cmp.Diff(before, below(p)); diff != "" {
		t.Errorf("it is not as it was before (-was +is):\n%s", diff)
	}
}
