package exchange_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/exchange/team"
)

// clone is one person's clone of a repository with a team's folder.
type clone struct {
	t   *rapid.T
	dir string
	*db.DB
}

// git runs git in the clone.
func (c clone) git(mayFail bool, words ...string) {
	c.t.Helper()
	git := exec.Command("git", append([]string{"-C", c.dir, "-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"}, words...)...)
	git.Env = append(os.Environ(), "HOME="+c.dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
	if said, err := git.CombinedOutput(); err != nil && !mayFail {
		c.t.Fatalf("git %q: %v, %s", words, err, said)
	}
}

func (c clone) sync() team.Synced {
	c.t.Helper()
	done, err := team.Sync(context.Background(), ref.View{DB: c.DB, Caller: ref.Caller{Actor: "team"}}, team.Args{Dir: filepath.Join(c.dir, ".hence"), First: true})
	if err != nil {
		c.t.Fatal(err)
	}
	return done
}

// commit writes the folder and commits it.
func (c clone) commit() {
	c.t.Helper()
	c.sync()
	c.git(false, "add", "-A")
	c.git(false, "commit", "-q", "--allow-empty", "-m", "what we know")
}

// Two people edit their stores, write the folder and commit it; git merges the two commits,
// with conflict marks if needed. A sync after that has the same result as merging the stores.
func TestAMergeInGitIsAMergeOfTheStores(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dbtest.SkipOnCluster(t, "folders are read by a plain store too")
	dbtest.CheckTimes(t, 5)
	empty := dbtest.NewEmpties(t)
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		stores := []*db.DB{}
		for range 4 {
			d, remove := empty.Next(rt)
			defer remove()
			stores = append(stores, d)
		}
		root := filepath.Join(t.TempDir(), fmt.Sprint(n))
		defer os.RemoveAll(root)
		anna, bert := clone{rt, filepath.Join(root, "anna"), stores[0]}, clone{rt, filepath.Join(root, "bert"), stores[1]}
		if err := os.MkdirAll(anna.dir, 0o755); err != nil {
			rt.Fatal(err)
		}
		w := newWorld(rt, stores[:2]...)
		w.apart = true
		for range rapid.IntRange(0, 10).Draw(rt, "steps before") {
			w.stepIn(0)
		}
		anna.git(false, "init", "-q")
		anna.commit()
		anna.git(false, "clone", "-q", anna.dir, bert.dir)
		bert.sync()
		for range rapid.IntRange(1, 20).Draw(rt, "steps apart") {
			w.step()
		}
		for i, d := range stores[:2] { // the result of merging the stores
			if len(dbtest.Texts(rt, d, `select id from memories where id glob 'shared-*' and status = 'forgotten'`)) > 0 {
				return // the folder may lack information, see below
			}
			mergeFrom(rt, stores[2+i], d)
		}
		anna.commit()
		bert.commit()
		anna.git(false, "fetch", "-q", bert.dir, "HEAD")
		anna.git(true, "merge", "-q", "--no-edit", "FETCH_HEAD")
		anna.sync()
		mergeFrom(rt, stores[2], stores[3])
		// A memory that was forgotten before it was in the folder is not written there.
		there := dbtest.Texts(rt, anna.DB, `select id from memories`)
		never := slices.DeleteFunc(dbtest.Texts(rt, stores[2], `select id from memories where status = 'forgotten'`), func(id string) bool { return slices.Contains(there, id) })
		merged := export(rt, stores[2])
		if diff := cmp.Diff(besides(told(merged, never...)), besides(told(export(rt, anna.DB)))); diff != "" && !leavesTraces(merged, never) {
			rt.Fatalf("the stores merged, and git (-stores +git):\n%s", diff)
		}
		if again := anna.sync(); len(again.Written)+len(again.Removed)+len(again.Marks) > 0 || again.Merged.Changes() {
			rt.Fatalf("another sync changes %+v", again)
		}
		left, _ := filepath.Glob(filepath.Join(anna.dir, ".hence", "*"))
		for _, path := range left {
			if text, err := os.ReadFile(path); err != nil || regexp.MustCompile(`(?m)^(<<<<<<<|>>>>>>>)`).Match(text) {
				rt.Fatalf("%s: %v\n%s", path, err, text)
			}
		}
	})
}

// leavesTraces reports whether memories replaced others, or others were verified against
// them, which is not written into the folder either.
func leavesTraces(lines string, ids []string) bool {
	for line := range strings.Lines(lines) {
		for _, id := range ids {
			isEdge := strings.HasPrefix(line, `{"type":"edge"`)
			if isEdge && strings.Contains(line, `"from":"`+id) && strings.Contains(line, `"supersedes"`) || !isEdge && strings.Contains(line, `"because":"`+id) {
				return true
			}
		}
	}
	return false
}

// besides returns lines in which a memory that keeps a losing text is reduced to its title:
// git merges files line by line, so that its other fields may mix both sides.
func besides(lines []string) []string {
	ids := []string{}
	named := regexp.MustCompile(`"id":"([^"]*)".*"title":"([^"]* \(other edit\))"`)
	for i, line := range lines {
		if m := named.FindStringSubmatch(line); m != nil {
			lines[i] = m[2]
			ids = append(ids, m[1], m[2])
		}
	}
	all := strings.Split(strings.NewReplacer(ids...).Replace(strings.Join(lines, "\n")), "\n")
	for i, line := range all {
		if strings.Contains(line, `"actor":"merge"`) { // its id is derived from the memory's
			all[i] = regexp.MustCompile(`"(id|created_at)":"[^"]*"`).ReplaceAllString(line, "")
		}
	}
	slices.Sort(all)
	return all
}

// told returns lines without the values that a team's files lack or that may differ: times
// and counts of edits, creation marks, which git may merge separately from a text, and
// purges that one side may not know. It drops lines that name one of the memories in but.
func told(lines string, but ...string) []string {
	plain := regexp.MustCompile(`"updated_at":"[^"]*"|"revision":\d+|,"#[0-9a-f]{14}"`).ReplaceAllString(lines, "")
	plain = strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(plain)                           // two spellings of one name
	plain = regexp.MustCompile(`\{("k":[^,{}]*),("<l>":[^,{}]*)\}`).ReplaceAllString(plain, "{$2,$1}") // a file has them sorted
	return slices.DeleteFunc(strings.Split(plain, "\n"), func(line string) bool {
		return strings.HasPrefix(line, `{"type":"purged"`) || slices.ContainsFunc(but, func(id string) bool { return strings.Contains(line, id) })
	})
}

// A file that is as the store would write it is not parsed. A sync notices every other change of
// the folder or the store, also one that leaves a file its size and its time.
func TestASyncNoticesEveryChange(t *testing.T) {
	dir := t.TempDir()
	p := newPerson(t)
	p.store("One")
	p.store("Two", memory.NewLink{To: "One", Type: "depends-on"})
	sync := func() team.Synced {
		t.Helper()
		done, err := team.Sync(t.Context(), ref.View{DB: p.DB, Caller: p.caller()}, team.Args{Dir: dir, First: true})
		if err != nil {
			t.Fatal(err)
		}
		return done
	}
	nothing := func(name string) {
		t.Helper()
		if done := sync(); len(done.Written)+len(done.Removed) > 0 || done.Merged.Changes() {
			t.Errorf("%s: %+v", name, done)
		}
	}
	sync()
	nothing("at once")
	nothing("again")
	file := func(begin string) string {
		t.Helper()
		paths, err := filepath.Glob(filepath.Join(dir, begin+"-*.md"))
		if err != nil || len(paths) != 1 {
			t.Fatal(paths, err)
		}
		return paths[0]
	}
	// The same size and the same time, right after it was written.
	replace := func(path, old, new string) {
		t.Helper()
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.Replace(string(text), old, new, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
			t.Fatal(err)
		}
	}
	replace(file("one"), "\nOne.", "\nOwn.")
	if done := sync(); done.Merged.Memories.Changed != 1 {
		t.Errorf("a file of the same size and time: %+v", done.Merged)
	}
	nothing("after it")
	for name, change := range map[string]func(){
		"text":     func() { p.edit("Two", "another text") },
		"link":     func() { p.link("One", "supports", "Two") },
		"unlink":   func() { p.unlink("Two", "depends-on", "One") },
		"verify":   func() { p.verify("Two") },
		"by hand":  func() { dbtest.Script(t, p.Path(), `update memories set importance = 0.9 where title = 'Two'`) },
		"new":      func() { p.store("Three") },
		"gone":     func() { _ = os.Remove(file("two")) },
		"lateEdit": func() { replace(file("one"), "\nOwn.", "\nOur.") },
	} {
		change()
		if done := sync(); len(done.Written) == 0 {
			t.Errorf("%s: nothing is written", name)
		}
		nothing("after " + name)
	}
}
