package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hence/code"
	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/projection"
)

// pairs are memories of which the acceptance of a proposal was acknowledged, by its key: not all are current any more.
type pairs map[string][]string

// tidies stores one text twice, and accepts what is proposed about some memories of one text.
func (a *agent) tidies(text string, promised *acknowledged) bool {
	for range 2 {
		if !promised.took(a.call("memory_store", map[string]any{"content": text, "dedup": "off"}, new(any))) {
			return false
		}
	}
	var found struct {
		Proposals []struct {
			Key      string
			Memories []struct{ ID string }
		}
	}
	if !promised.took(a.call("memory_tidy", map[string]any{"propose": []string{"same"}, "limit": 3}, &found)) {
		return false
	}
	for _, p := range found.Proposals {
		var done struct{ Accepted int }
		switch err := a.call("memory_tidy", map[string]any{"accept": []string{p.Key}}, &done); {
		case err == nil && done.Accepted == 1:
			ids := []string{}
			for _, m := range p.Memories {
				ids = append(ids, m.ID)
			}
			promised.keep(func() { promised.accepted[p.Key] = ids })
		case isConflict(err): // another agent was first
		case !promised.took(err):
			return false
		}
	}
	return true
}

// isConflict reports whether a tool refused a call because the store has moved on.
func isConflict(err error) bool {
	return err != nil && strings.Contains(err.Error(), `"code":"conflict"`)
}

// checkpoints stores a session with two memories that were learned in it.
func (a *agent) checkpoints(text string, promised *acknowledged) bool {
	learned := []string{"one thing learned in " + text, "another thing learned in " + text}
	var done struct {
		Session  struct{ ID string }
		Memories []struct{ ID string }
	}
	if !promised.took(a.call("memory_checkpoint", map[string]any{"goal": text, "learned": learned}, &done)) {
		return false
	}
	promised.keep(func() {
		for n, m := range done.Memories {
			promised.memories[m.ID] = learned[n]
			promised.sessions[m.ID] = done.Session.ID
		}
		if len(done.Memories) != len(learned) {
			promised.refused = append(promised.refused, fmt.Errorf("a checkpoint of %q has %d memories", learned, len(done.Memories)))
		}
	})
	return true
}

// beside are commands that write to a store, to files and to other stores, while agents write to the store.
type beside struct {
	hence, folder, file string
	commands            [][]string
}

// newBeside prepares what the commands need: source code, an export, another store, folders.
func newBeside(t *testing.T, hence, file string) *beside {
	b := &beside{hence: hence, folder: dbtest.Folder(t), file: file}
	path := func(name string) string { return filepath.Join(b.folder, name) }
	for n := range 60 {
		text := fmt.Sprintf("package p\n\n// F%d calls the one before.\nfunc F%d() int { return F%d() }\n", n, n, max(0, n-1))
		b.must(t, os.MkdirAll(path("src"), 0o700), os.WriteFile(path(fmt.Sprintf("src/f%02d.go", n)), []byte(text), 0o600))
	}
	b.must(t, os.WriteFile(path("src/go.mod"), []byte("module m\n\ngo 1.22\n"), 0o600), os.Mkdir(path("shared"), 0o700))
	for _, words := range [][]string{{"store", "a first memory"}, {"export", path("lines.jsonl")}, {"backup", path("other.db")}} {
		if out, err := b.command(words...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", words, out)
		}
	}
	b.commands = [][]string{
		{"sync", path("lines.jsonl")}, {"sync", path("other.db")}, {"sync", path("shared")}, {"sync", "--folder", path("team"), "--first"},
		{"import", "--code", path("src"), "--name", "src"},
	}
	return b
}

func (b *beside) must(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

func (b *beside) command(words ...string) *exec.Cmd {
	return exec.Command(b.hence, append([]string{"--db", b.file}, words...)...)
}

// run runs one of the commands again and again, and kills it at random moments, a little later each time until one
// came through.
func (b *beside) run(words []string, promised *acknowledged, goesOn func() bool) {
	for patience := 50 * time.Millisecond; goesOn(); patience = patience * 3 / 2 {
		running, out := b.command(words...), bytes.Buffer{}
		running.Stdout, running.Stderr = &out, &out
		if err := running.Start(); err != nil {
			promised.took(err)
			return
		}
		death := time.AfterFunc(rand.N(patience), func() { _ = running.Process.Kill() })
		err := running.Wait()
		killed := !death.Stop()
		switch exit := running.ProcessState.ExitCode(); {
		case err == nil:
			patience = 50 * time.Millisecond
			promised.keep(func() { promised.through[strings.Join(words[:2], " ")]++ })
		case killed && exit == -1:
			promised.keep(func() { promised.kills++ })
		case exit != exitConflict: // too many others wrote
			promised.took(fmt.Errorf("%v: %w: %s", words, err, out.String()))
		}
	}
}

// exitConflict is the exit code of a command that others were faster than.
const exitConflict = 4

// check runs each command once more, and compares what there is with what should be.
func (b *beside) check(t *testing.T, d *db.DB) {
	for range 2 { // what comes from one side goes to the others
		for _, words := range b.commands {
			if out, err := b.command(words...).CombinedOutput(); err != nil {
				t.Errorf("%v: %v: %s", words, err, out)
			}
		}
	}
	const carried = `select id || ' ' || content_hash || ' ' || status from memories where uri is null order by 1`
	want := dbtest.Texts(t, d, carried)
	for name, import_ := range map[string]string{"lines.jsonl": "import", "shared/*.jsonl": "import", "other.db": ""} {
		files, err := filepath.Glob(filepath.Join(b.folder, name))
		if err != nil || len(files) != 1 {
			t.Errorf("%s: %q, %v", name, files, err)
			continue
		}
		file := files[0]
		if import_ != "" {
			file = filepath.Join(b.folder, strings.Trim(strings.ReplaceAll(name, "/", "-"), "*.jsonl")+".db")
			if out, err := exec.Command(b.hence, "--db", file, import_, files[0]).CombinedOutput(); err != nil {
				t.Errorf("%s: %v: %s", name, err, out)
			}
		}
		other, err := db.Open(t.Context(), file, db.Options{})
		b.must(t, err)
		if problems, err := other.Check(t.Context()); err != nil || len(problems) > 0 {
			t.Errorf("%s is not whole: %q, %v", name, problems, err)
		}
		if diff := cmp.Diff(want, dbtest.Texts(t, other, carried)); diff != "" {
			t.Errorf("%s (-store +other):\n%.2000s", name, diff)
		}
		b.must(t, other.Close())
	}
	b.checkCode(t, d)
	entries, err := os.ReadDir(filepath.Join(b.folder, "team"))
	b.must(t, err)
	files := slices.DeleteFunc(entries, func(e os.DirEntry) bool { return !strings.HasSuffix(e.Name(), ".md") })
	if shared := dbtest.Count(t, d, `select count(*) from memories where uri is null and kind not in ('session', 'turn', 'preference')`); len(files) != shared {
		t.Errorf("the team's folder has %d files, want %d", len(files), shared)
	}
}

// checkCode compares the source code in the store with what an import makes of it that was never killed.
func (b *beside) checkCode(t *testing.T, d *db.DB) {
	t.Helper()
	const symbols = `select json_array(uri, title, content_hash, status) from memories where uri is not null order by 1`
	const calls = `
select json_array(f.uri, e.kind, t.uri, e.rel)
from edges e
join memories f on f.key = e.from_key and f.uri is not null
join memories t on t.key = e.to_key and t.uri is not null
order by 1`
	unbroken := dbtest.New(t)
	into := code.Importer{DB: unbroken, Caller: ref.Caller{Actor: "importer", Origin: "person"}}
	if _, err := into.Mirror().Import(t.Context(), projection.ImportArgs{Dir: filepath.Join(b.folder, "src"), Name: "src"}); err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{symbols, calls} {
		if diff := cmp.Diff(dbtest.Texts(t, unbroken, query), dbtest.Texts(t, d, query)); diff != "" {
			t.Errorf("source code (-never killed +killed):\n%.2000s", diff)
		}
	}
}

// beside starts the commands, each on its own.
func (b *beside) start(running *sync.WaitGroup, promised *acknowledged, goesOn func() bool) {
	for _, words := range b.commands {
		running.Go(func() { b.run(words, promised, goesOn) })
	}
}
