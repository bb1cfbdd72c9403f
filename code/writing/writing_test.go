package writing_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hence/code"
	"hence/code/suite"
	"hence/code/writing"
	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/journal"
	"hence/projection"
	"hence/projection/projectiontest"
)

// world is a repository on disk and a store that mirrors it.
type world struct {
	*testing.T
	dir string
	ref.View
}

const source = `// Package queue keeps jobs.
package queue

// Drain empties the queue.
func Drain() int { return drainOnce(1) }

func drainOnce(n int) int {
	return n + 1
}
`

func newWorld(t *testing.T) world {
	t.Helper()
	w := world{t, filepath.Join(dbtest.Folder(t), "repo"), ref.View{DB: dbtest.New(t), Caller: ref.Caller{Actor: "tester"}}}
	if err := os.Mkdir(w.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"go.mod":           "module example.com/repo\n",
		"queue/queue.go":   source,
		"queue/dos.go":     "package queue\r\n\r\nfunc Dos() int {\r\n\treturn 1\r\n}\r\n",
		".env":             "TOKEN=secret\n",
		"keys/server.pem":  "secret\n",
		".gitignore":       "ignored.go\n",
		"queue/ignored.go": "package queue\n\nfunc Ignored() {}\n",
		"notes.txt":        "plain text\n",
	} {
		projectiontest.Write(t, w.dir, name, text)
	}
	if _, err := (code.Importer{DB: w.DB, Caller: w.Caller}).Mirror().Import(t.Context(), projection.ImportArgs{Dir: w.dir}); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w world) writer() writing.Writer { return writing.New(w.View) }

func (w world) allowPatch() {
	w.Helper()
	if err := w.writer().AllowPatch(w.Context(), "", true); err != nil {
		w.Fatal(err)
	}
}

func (w world) text(name string) string {
	w.Helper()
	text, err := os.ReadFile(filepath.Join(w.dir, filepath.FromSlash(name)))
	if err != nil {
		w.Fatal(err)
	}
	return string(text)
}

// state is the state of a file that a refused patch or a dry run must not change.
type state struct {
	info os.FileInfo
	text string
}

func (w world) state(name string) state {
	w.Helper()
	info, err := os.Lstat(filepath.Join(w.dir, filepath.FromSlash(name)))
	if err != nil {
		w.Fatal(err)
	}
	return state{info, w.text(name)}
}

func (s state) equal(to state) bool {
	return os.SameFile(s.info, to.info) && s.info.Mode() == to.info.Mode() && s.info.ModTime().Equal(to.info.ModTime()) && s.text == to.text
}

func (w world) store(a memory.StoreArgs) memory.StoreResult {
	w.Helper()
	r, err := memory.Store(w.View).Remember(w.Context(), a, nil)
	if err != nil {
		w.Fatal(err)
	}
	return r
}

func write() *bool { return new(bool) }

func title(text string) *string { return &text }

func TestPatchIsADryRunUnlessToldOtherwise(t *testing.T) {
	w := newWorld(t)
	w.allowPatch()
	before := w.state("queue/queue.go")
	r, err := w.writer().Patch(t.Context(), writing.PatchArgs{Path: "queue/queue.go", Find: "n + 1", Replace: "n + 2"})
	if err != nil {
		t.Fatal(err)
	}
	if after := w.state("queue/queue.go"); !after.equal(before) {
		t.Errorf("a dry run has changed the file:\n%s\n%s", before, after)
	}
	if !r.DryRun || r.Replacements != 1 || !strings.Contains(r.Diff, "+\treturn n + 2") || r.ContentHash != db.Hash([]byte(strings.Replace(source, "n + 1", "n + 2", 1))) {
		t.Errorf("%+v", r)
	}
	if len(r.Symbols) != 1 || r.Symbols[0].Title != "queue.drainOnce" || r.Symbols[0].How != "changed" || r.Symbols[0].ID == "" {
		t.Errorf("symbols: %+v", r.Symbols)
	}
}

func TestPatchTellsWhatWouldBeStale(t *testing.T) {
	w := newWorld(t)
	w.allowPatch()
	w.store(memory.StoreArgs{Title: title("Drain once"), Content: "One pass is enough.", Kind: "decision", Links: []memory.NewLink{{To: "queue.drainOnce", Type: "depends-on"}}})
	w.store(memory.StoreArgs{Title: title("Plan"), Content: "Rests on the decision.", Links: []memory.NewLink{{To: "Drain once", Type: "depends-on"}}})
	a := writing.PatchArgs{ID: "queue.drainOnce", Find: "n + 1", Replace: "n + 2", ExpectedContentHash: db.Hash([]byte(source))}
	dry, err := w.writer().Patch(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	if len(dry.WouldBeStale) != 2 || dry.WouldBeStale[0].Title != "Drain once" || dry.WouldBeStale[1].Title != "Plan" || len(dry.WouldBeStale[1].Route) != 3 {
		t.Fatalf("would be stale: %+v", dry.WouldBeStale)
	}
	stale := func() int { return dbtest.Count(t, w.DB, `select count(distinct id) from stale`) }
	if n := stale(); n != 0 {
		t.Fatalf("%d are stale before", n)
	}
	a.DryRun = write()
	if _, err := w.writer().Patch(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	if n := stale(); n != 2 {
		t.Errorf("%d are stale after, want 2", n)
	}
	// A comment makes nothing stale.
	a = writing.PatchArgs{Path: "queue/queue.go", Find: "// Drain empties the queue.", Replace: "// Drain empties all of the queue."}
	if r, err := w.writer().Patch(t.Context(), a); err != nil || len(r.Symbols)+len(r.WouldBeStale) != 0 {
		t.Errorf("a comment: %+v, %v", r, err)
	}
	// But what rests on the file rests on its bytes.
	w.store(memory.StoreArgs{Title: title("Of the file"), Content: "It stays small.", Links: []memory.NewLink{{To: "queue/queue.go", Type: "depends-on"}}})
	if r, err := w.writer().Patch(t.Context(), a); err != nil || len(r.WouldBeStale) != 1 || r.WouldBeStale[0].Title != "Of the file" {
		t.Errorf("a comment of a file on which a memory rests: %+v, %v", r, err)
	}
}

func TestPatchWritesTakesInAndIsUndone(t *testing.T) {
	w := newWorld(t)
	w.allowPatch()
	if err := os.Chmod(filepath.Join(w.dir, "queue/queue.go"), 0o640); err != nil {
		t.Fatal(err)
	}
	a := writing.PatchArgs{Path: "queue/queue.go", Find: "drainOnce", Replace: "drainTwice", Count: 2, ExpectedContentHash: db.Hash([]byte(source)), DryRun: write()}
	if _, err := w.writer().Patch(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	if got := w.text("queue/queue.go"); got != strings.ReplaceAll(source, "drainOnce", "drainTwice") {
		t.Errorf("the file is %s", got)
	}
	if info, err := os.Stat(filepath.Join(w.dir, "queue/queue.go")); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if n := dbtest.Count(t, w.DB, `select count(*) from memories where title = 'queue.drainTwice' and status = 'current'`); n != 1 {
		t.Error("the store does not have the new name")
	}
	r, ok, err := w.writer().Undo(t.Context(), journal.UndoArgs{})
	if err != nil || !ok || r.Path != "queue/queue.go" {
		t.Fatalf("undo: %+v, %v, %v", r, ok, err)
	}
	if got := w.text("queue/queue.go"); got != source {
		t.Errorf("after undo the file is %s", got)
	}
	projectiontest.Write(t, w.dir, "queue/queue.go", source+"\n// edited\n")
	if _, ok, err := w.writer().Undo(t.Context(), journal.UndoArgs{Seq: r.By}); !ok || fault.CodeOf(err) != fault.Conflict {
		t.Errorf("undo of an undo after an edit: %v, %v", ok, err)
	}
}

func TestPatchKeepsLineEnds(t *testing.T) {
	w := newWorld(t)
	w.allowPatch()
	before := w.text("queue/dos.go")
	a := writing.PatchArgs{Path: "queue/dos.go", Find: "int {\n\treturn 1\n", Replace: "int {\n\treturn 2\n", ExpectedContentHash: db.Hash([]byte(before)), DryRun: write()}
	if _, err := w.writer().Patch(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	if got, want := w.text("queue/dos.go"), strings.Replace(before, "return 1", "return 2", 1); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestPatchRefuses(t *testing.T) {
	w := newWorld(t)
	hash := db.Hash([]byte(source))
	outside := filepath.Join(t.TempDir(), "outside.go")
	if err := os.WriteFile(outside, []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(w.dir, "queue/link.go")); err != nil {
		t.Fatal(err)
	}
	whole := writing.PatchArgs{Path: "queue/queue.go", Find: "n + 1", Replace: "n + 2", ExpectedContentHash: hash, DryRun: write()}
	if _, err := w.writer().Patch(t.Context(), whole); fault.CodeOf(err) != fault.ReadOnly || !strings.Contains(err.Error(), "hence code allow patch") {
		t.Errorf("without a permission: %v", err)
	}
	w.allowPatch()
	before := w.state("queue/queue.go")
	for name, c := range map[string]struct {
		change func(a *writing.PatchArgs)
		want   fault.Code
	}{
		"NoHash":              {func(a *writing.PatchArgs) { a.ExpectedContentHash = "" }, fault.InvalidArgument},
		"AnotherHash":         {func(a *writing.PatchArgs) { a.ExpectedContentHash = db.Hash([]byte("x")) }, fault.Conflict},
		"NothingToFind":       {func(a *writing.PatchArgs) { a.Find = "" }, fault.InvalidArgument},
		"TheSameText":         {func(a *writing.PatchArgs) { a.Replace = a.Find }, fault.InvalidArgument},
		"NotThere":            {func(a *writing.PatchArgs) { a.Find = "nowhere" }, fault.NotFound},
		"MoreThanCounted":     {func(a *writing.PatchArgs) { a.Find, a.Replace = "drainOnce", "x" }, fault.Conflict},
		"FewerThanCounted":    {func(a *writing.PatchArgs) { a.Count = 2 }, fault.Conflict},
		"WouldNotParse":       {func(a *writing.PatchArgs) { a.Find, a.Replace = "return n + 1", "return (n + 1" }, fault.InvalidArgument},
		"OutsideTheSymbol":    {func(a *writing.PatchArgs) { a.Path, a.ID = "", "queue.Drain" }, fault.NotFound},
		"PathAndID":           {func(a *writing.PatchArgs) { a.ID = "queue.Drain" }, fault.InvalidArgument},
		"Neither":             {func(a *writing.PatchArgs) { a.Path = "" }, fault.InvalidArgument},
		"TooLarge":            {func(a *writing.PatchArgs) { a.Replace = strings.Repeat("x", 2<<20) }, fault.TooLarge},
		"Parent":              {func(a *writing.PatchArgs) { a.Path = "../outside.go" }, fault.OutsideVault},
		"ParentWithin":        {func(a *writing.PatchArgs) { a.Path = "queue/../../outside.go" }, fault.OutsideVault},
		"Absolute":            {func(a *writing.PatchArgs) { a.Path = outside }, fault.OutsideVault},
		"AbsoluteWithin":      {func(a *writing.PatchArgs) { a.Path = filepath.Join(w.dir, "queue/queue.go") }, fault.OutsideVault},
		"ALinkThatLeadsOut":   {func(a *writing.PatchArgs) { a.Path = "queue/link.go" }, fault.NotFound},
		"Environment":         {func(a *writing.PatchArgs) { a.Path = ".env" }, fault.NotFound},
		"AKey":                {func(a *writing.PatchArgs) { a.Path = "keys/server.pem" }, fault.OutsideVault},
		"Git":                 {func(a *writing.PatchArgs) { a.Path = ".git/config" }, fault.NotFound},
		"AnIgnoredFile":       {func(a *writing.PatchArgs) { a.Path = "queue/ignored.go" }, fault.NotFound},
		"AMemory":             {func(a *writing.PatchArgs) { a.Path, a.ID = "", "Note" }, fault.InvalidArgument},
		"ARepositoryAsTarget": {func(a *writing.PatchArgs) { a.Path, a.ID = "", "repository repo" }, fault.InvalidArgument},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "AMemory" {
				w.store(memory.StoreArgs{Title: title("Note"), Content: "n + 1"})
			}
			for _, dryRun := range []bool{false, true} {
				a := whole
				a.DryRun = &dryRun
				c.change(&a)
				if name == "NoHash" && dryRun {
					continue
				}
				if _, err := w.writer().Patch(t.Context(), a); fault.CodeOf(err) != c.want {
					t.Errorf("dry run %v: %v, want %s", dryRun, err, c.want)
				}
			}
			if after := w.state("queue/queue.go"); !after.equal(before) {
				t.Errorf("a refused patch has changed the file:\n%s\n%s", before, after)
			}
			if text, err := os.ReadFile(outside); err != nil || string(text) != source {
				t.Errorf("a file outside has changed: %v", err)
			}
		})
	}
}

// A file that was replaced by a link out of the folder after its import is not followed.
func TestPatchDoesNotFollowASwappedLink(t *testing.T) {
	w := newWorld(t)
	w.allowPatch()
	outside := filepath.Join(t.TempDir(), "outside.go")
	if err := os.WriteFile(outside, []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	inside := filepath.Join(w.dir, "queue/queue.go")
	if err := os.Remove(inside); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, inside); err != nil {
		t.Fatal(err)
	}
	a := writing.PatchArgs{Path: "queue/queue.go", Find: "n + 1", Replace: "n + 2", ExpectedContentHash: db.Hash([]byte(source)), DryRun: write()}
	if _, err := w.writer().Patch(t.Context(), a); fault.CodeOf(err) != fault.OutsideVault {
		t.Errorf("%v, want outside_vault", err)
	}
	if text, err := os.ReadFile(outside); err != nil || string(text) != source {
		t.Errorf("the file outside has changed: %v", err)
	}
}

func TestTestRunsWhatIsAllowed(t *testing.T) {
	w := newWorld(t)
	if _, err := w.writer().Test(t.Context(), writing.TestArgs{Suite: "print"}); fault.CodeOf(err) != fault.NotFound || !strings.Contains(err.Error(), "hence code allow test") {
		t.Errorf("a suite that is not allowed: %v", err)
	}
	s := suite.Suite{Name: "print", Arguments: []string{"sh", "-c", "pwd; echo \"$1\"", "sh", "{run:nothing}"}, Folder: "queue", TimeoutS: 60}
	if err := w.writer().AllowSuite(t.Context(), "", s); err != nil {
		t.Fatal(err)
	}
	r, err := w.writer().Test(t.Context(), writing.TestArgs{Suite: "print", Run: "a b"})
	if err != nil || r.Exit != 0 || !strings.HasSuffix(strings.TrimSpace(r.Output), "a b") || !strings.Contains(r.Output, "repo/queue\n") {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := w.writer().Test(t.Context(), writing.TestArgs{Suite: "print", Run: "-c"}); fault.CodeOf(err) != fault.InvalidArgument {
		t.Errorf("an option: %v", err)
	}
	all, err := w.writer().Permissions(t.Context())
	if err != nil || len(all) != 1 || all[0].Patch || len(all[0].Suites) != 1 || all[0].Suites[0].Folder != "queue" {
		t.Errorf("allowed: %+v, %v", all, err)
	}
	if err := w.writer().ForbidSuite(t.Context(), "", "print"); err != nil {
		t.Fatal(err)
	}
	if err := w.writer().ForbidSuite(t.Context(), "", "print"); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("forbidden twice: %v", err)
	}
	if _, err := w.writer().Test(t.Context(), writing.TestArgs{Suite: "print"}); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("a suite that was taken back: %v", err)
	}
	s.Folder = "../elsewhere"
	if err := w.writer().AllowSuite(t.Context(), "", s); err != nil {
		t.Fatal(err)
	}
	if _, err := w.writer().Test(t.Context(), writing.TestArgs{Suite: "print"}); fault.CodeOf(err) != fault.OutsideVault {
		t.Errorf("a folder outside: %v", err)
	}
}

// Leave given for a repository that is gone does not hold for another one of its name.
func TestAnotherRepositoryOfTheNameIsAllowedNothing(t *testing.T) {
	w := newWorld(t)
	w.allowPatch()
	if err := w.writer().AllowSuite(t.Context(), "", suite.Suite{Name: "t", Arguments: []string{"sh", "t.sh"}, TimeoutS: 60}); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(w.dir); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(dbtest.Folder(t), "repo")
	projectiontest.Write(t, other, "queue/queue.go", source)
	report, err := (code.Importer{DB: w.DB, Caller: w.Caller}).Mirror().Import(t.Context(), projection.ImportArgs{Dir: other})
	if err != nil || report.Vault != "repo" {
		t.Fatalf("%+v, %v", report, err)
	}
	if all, err := w.writer().Permissions(t.Context()); err != nil || len(all) != 1 || all[0].Patch || len(all[0].Suites) > 0 {
		t.Errorf("allowed: %+v, %v", all, err)
	}
	if _, err := w.writer().Test(t.Context(), writing.TestArgs{Suite: "t"}); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("a suite of the other one: %v", err)
	}
}

// A caller with access to another namespace only sees no repository.
func TestAnotherNamespaceHasNoRepository(t *testing.T) {
	w := newWorld(t)
	w.allowPatch()
	other := writing.New(ref.View{DB: w.DB, Caller: ref.Caller{Actor: "other", Namespace: "other", Confined: true}})
	if _, err := other.Patch(t.Context(), writing.PatchArgs{Path: "queue/queue.go", Find: "n + 1", Replace: "n + 2"}); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("Patch: %v", err)
	}
	if all, err := other.Permissions(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("Allowed: %+v, %v", all, err)
	}
}

func TestTestEndsWithItsCaller(t *testing.T) {
	w := newWorld(t)
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("the suite is for a POSIX shell")
	}
	begun := filepath.Join(t.TempDir(), "begun")
	if err := w.writer().AllowSuite(t.Context(), "", suite.Suite{Name: "long", Arguments: []string{"sh", "-c", "echo > '" + begun + "'; sleep 600"}, TimeoutS: 3600}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	hasBegun := make(chan bool, 1)
	go func() {
		defer cancel()
		for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
			if _, err := os.Stat(begun); err == nil {
				hasBegun <- true
				return
			}
		}
		hasBegun <- false
	}()
	if _, err := w.writer().Test(ctx, writing.TestArgs{Suite: "long"}); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("%v, want unavailable", err)
	}
	if !<-hasBegun {
		t.Error("the suite has not begun")
	}
}
