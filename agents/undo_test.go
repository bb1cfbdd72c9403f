package agents_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/agents"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/journal"
	"hence/projection"
)

// files returns the bytes of all files of the home.
func (w world) files() map[string]string {
	w.Helper()
	all := map[string]string{}
	err := fs.WalkDir(os.DirFS(w.places.Home), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(w.path(name))
		all[name] = string(text)
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
	return all
}

func (w world) undoes() projection.UndoResult {
	w.Helper()
	r, ok, err := w.Mirror().Undo(w.Context(), journal.UndoArgs{})
	if err != nil || !ok {
		w.Fatalf("Undo: %v, %v", ok, err)
	}
	return r
}

func (w world) allow() {
	w.Helper()
	if _, err := w.AllowRestore(w.Context(), "", true); err != nil {
		w.Fatal(err)
	}
}

func (w world) remove(name string) {
	w.Helper()
	if err := os.Remove(w.path(name)); err != nil {
		w.Fatal(err)
	}
}

// A tidying run that deletes every memory file of a home is undone in each version's home. What lies beside, such
// as Codex's repository, is not touched.
func TestEachHomeComesBackAfterATidyingRun(t *testing.T) {
	for fixture, dir := range map[string]string{
		"claude-code-2.1.32": ".claude", "claude-code-2.1.59": ".claude", "claude-code-2.1.240": ".claude", "codex-0.156": ".codex", "gemini-0.56": ".gemini",
	} {
		t.Run(fixture, func(t *testing.T) {
			w := newWorld(t)
			if err := os.CopyFS(w.path(dir), os.DirFS(filepath.Join("testdata", fixture))); err != nil {
				t.Fatal(err)
			}
			w.write(dir+"/memories/.git/objects/ab/cd", "of the client")
			w.write(dir+"/other.json", "{}")
			w.take()
			w.allow()
			before := w.files()
			known := w.texts(`select path from files order by path`)
			for _, name := range known {
				w.remove(dir + "/" + name)
			}
			w.take()
			result, err := w.Diff(t.Context(), agents.DiffArgs{Since: "1d"})
			if err != nil || len(result.Changes) != len(known) || slices.ContainsFunc(result.Changes, func(c agents.FileChange) bool { return c.Change != "deleted" || c.Seq == 0 }) {
				t.Errorf("Diff = %+v, %v; want %d deleted", result, err, len(known))
			}
			if r := w.undoes(); len(r.Files) != len(known) || len(r.Warnings) > 0 {
				t.Errorf("Undo = %+v", r)
			}
			if diff := cmp.Diff(before, w.files()); diff != "" {
				t.Errorf("the home (-before +after):\n%s", diff)
			}
			w.expect("files", w.texts(`select path from files order by path`), known...)
		})
	}
}

// The rules of a repository may lie in folders that begin with a dot.
func TestRulesOfARepositoryComeBack(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"AGENTS.md", ".claude/rules/queue.md", ".github/copilot-instructions.md", ".cursorrules"} {
		w.write("src/queue/"+name, "Rules of "+name+"\r\n")
	}
	w.take()
	w.allow()
	before := w.files()
	w.remove("src/queue/.cursorrules")
	w.write("src/queue/.claude/rules/queue.md", "changed by nobody knows whom")
	if err := os.RemoveAll(w.path("src/queue/.github")); err != nil {
		t.Fatal(err)
	}
	w.take()
	w.undoes()
	if diff := cmp.Diff(before, w.files()); diff != "" {
		t.Errorf("the repository (-before +after):\n%s", diff)
	}
}

// The folder of a project gets another name, as for a worktree: memories keep their ids and versions.
func TestAProjectsFolderUnderAnotherNameKeepsIDsAndVersions(t *testing.T) {
	w := newWorld(t)
	w.write(".claude/"+memoryOf+"a.md", "Ship on Tuesdays.")
	w.write(".claude/"+memoryOf+"b.md", "Renew leases early.")
	w.take()
	w.allow()
	w.write(".claude/"+memoryOf+"a.md", "Ship on Wednesdays.")
	w.take()
	ids := w.texts(`select id from memories order by key`)
	if err := os.Rename(w.path(".claude/projects/-src-queue"), w.path(".claude/projects/-src-queue-tree")); err != nil {
		t.Fatal(err)
	}
	w.take()
	w.expect("ids", w.texts(`select id from memories where status = 'current' order by key`), ids...)
	w.expect("versions", w.texts(`select cast(v.bytes as text) from versions v join memories m on m.key = v.memory order by v.key`), "Ship on Tuesdays.", "Renew leases early.", "Ship on Wednesdays.")
	result, err := w.Diff(t.Context(), agents.DiffArgs{Since: "1d"})
	if err != nil || len(result.Changes) != 2 || result.Changes[0].Change != "moved" || result.Changes[1].From != memoryOf+"b.md" {
		t.Errorf("Diff = %+v, %v", result, err)
	}
	w.undoes()
	w.undoes()
	if got := w.files()[".claude/"+memoryOf+"a.md"]; got != "Ship on Tuesdays." {
		t.Errorf("a.md is %q", got)
	}
	w.expect("ids after the undo", w.texts(`select id from memories where status = 'current' order by key`), ids...)
}

// A client's edit of what somebody has superseded in Hence leaves the succession, as for notes.
func TestAClientsEditLeavesWhatWasSaidInHence(t *testing.T) {
	w := newWorld(t)
	file := ".claude/" + memoryOf + "a.md"
	w.write(file, "Ship on Tuesdays.")
	w.take()
	w.allow()
	store := memory.Store{DB: w.DB, Caller: ref.Caller{Actor: "ada"}}
	said, err := store.Remember(t.Context(), memory.StoreArgs{Content: "Ship on Mondays.", Supersedes: w.texts(`select id from memories`)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []func(){
		func() { w.write(file, "Ship on Tuesdays, always."); w.take() },
		func() { w.remove(file); w.take() },
		func() { w.undoes() },
		func() { w.undoes() },
	} {
		step()
		w.expect("what a person said", w.texts(`select content || ' ' || status || ' ' || revision from memories where id = ?`, said.Memory.ID), "Ship on Mondays. current 1")
		w.expect("the succession", w.texts(`select count(*) from edges where kind = 'supersedes'`), "1")
		w.expect("what it replaced", w.texts(`select status from memories where uri is not null and status <> 'forgotten' and status <> 'superseded'`))
	}
	if got := w.files()[file]; got != "Ship on Tuesdays." {
		t.Errorf("the file is %q", got)
	}
}

// An agent cannot take the versions away by which its client's changes are undone.
func TestOnlyAPersonPurgesTheVersionsOfAFile(t *testing.T) {
	w := newWorld(t)
	file := ".claude/" + memoryOf + "a.md"
	w.write(file, "Ship on Tuesdays.")
	w.take()
	w.remove(file)
	w.take()
	id := w.texts(`select id from memories`)[0]
	for _, source := range []string{"", "person"} {
		_, err := (memory.Store{DB: w.DB, Caller: ref.Caller{Actor: "c", Origin: ref.Agent}}).Forget(t.Context(), memory.ForgetArgs{ID: id, Purge: true, Source: source})
		if fault.CodeOf(err) != fault.ReadOnly || !strings.Contains(err.Error(), "until a person purges it") {
			t.Errorf("a purge by an agent with the source %q: %v", source, err)
		}
	}
	if _, err := (memory.Store{DB: w.DB, Caller: ref.Caller{Actor: "ada"}}).Forget(t.Context(), memory.ForgetArgs{ID: id, Purge: true}); err != nil {
		t.Fatal(err)
	}
	w.expect("versions", w.texts(`select count(*) from versions`), "0")
}

// A file that is written and deleted within the time that is asked for has one line, wherever it went in between.
func TestADifferenceTellsOfFilesThatCameAndWent(t *testing.T) {
	for name, c := range map[string]struct {
		steps []string // files to write, to remove (-), to move (a>b); after each an import, but for the last
		want  []string
	}{
		"Gone":      {[]string{"n", "-n", ""}, []string{"deleted n"}},
		"Unseen":    {[]string{"n", "-n"}, []string{"deleted n"}},
		"Edited":    {[]string{"n", "n", "-n", ""}, []string{"deleted n"}},
		"Again":     {[]string{"n", "-n", "n", "-n", ""}, []string{"deleted n"}},
		"Back":      {[]string{"n", "-n", "n", ""}, []string{"added n"}},
		"Moved":     {[]string{"n", "n>m", ""}, []string{"added m"}},
		"MovedGone": {[]string{"n", "n>m", "-m", ""}, []string{"deleted m"}},
		"MovedNow":  {[]string{"n", "n>m"}, []string{"added m"}},
		"Old":       {[]string{"old>m", "-m", ""}, []string{"deleted old"}},
		"NeverSeen": {[]string{"n"}, []string{"added n"}},
		"Many":      {[]string{"n", "m", "-n", "-m", ""}, []string{"deleted m", "deleted n"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			dir := ".claude/" + memoryOf
			w.write(dir+"old.md", "An old one.")
			w.take()
			for n, step := range c.steps {
				if n > 0 {
					w.take()
				}
				from, to, moves := strings.Cut(step, ">")
				switch gone, removes := strings.CutPrefix(step, "-"); {
				case moves:
					if err := os.Rename(w.path(dir+from+".md"), w.path(dir+to+".md")); err != nil {
						t.Fatal(err)
					}
				case removes:
					w.remove(dir + gone + ".md")
				case step != "":
					w.write(dir+step+".md", "Of "+name+strings.Repeat("!", n))
				}
			}
			result, err := w.Diff(t.Context(), agents.DiffArgs{Since: "1d", Text: true})
			if err != nil {
				t.Fatal(err)
			}
			got := []string{}
			for _, c := range result.Changes {
				got = append(got, c.Change+" "+strings.TrimSuffix(strings.TrimPrefix(c.Path, memoryOf), ".md"))
				if c.Change == "deleted" && !strings.Contains(c.Diff, "-") {
					t.Errorf("%s does not say what is gone: %q", c.Path, c.Diff)
				}
			}
			w.expect("changes", got, c.want...)
		})
	}
}

func TestADifferenceShowsNoBytesThatAreNotText(t *testing.T) {
	w := newWorld(t)
	dir := ".claude/" + memoryOf
	w.write(dir+"a.png", "\x89PNG\x00\x1b[31m")
	w.write(dir+"b.txt", "text\n")
	w.write(dir+"c.md", "text\n")
	w.take()
	w.write(dir+"a.png", "\x89PNG\x00\x1b[32mmore")
	w.write(dir+"b.txt", "caf\xe9\n")
	w.write(dir+"c.md", "other\n")
	w.write(dir+"d.bin", "\x00")
	for n := range 2 {
		result, err := w.Diff(t.Context(), agents.DiffArgs{Since: "1d", Text: true})
		if err != nil || len(result.Changes) != 4 {
			t.Fatalf("Diff = %+v, %v", result, err)
		}
		for _, c := range result.Changes {
			if isText := strings.HasSuffix(c.Path, "c.md"); strings.Contains(c.Diff, "@@") != isText || strings.Contains(c.Diff, "is not text: it had") == isText || strings.ContainsAny(c.Diff, "\x00\x1b") {
				t.Errorf("%s: %q", c.Path, c.Diff)
			}
		}
		if n == 0 {
			w.take()
		}
	}
}
