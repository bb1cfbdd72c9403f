package folder_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/internal/fault"
	"hence/projection/folder"
)

// open creates a folder with files, and opens it.
func open(t *testing.T, files map[string]string) (f *folder.Folder, dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range files {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	f, err := folder.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	f.Label = "pairs"
	f.Excluded = func(path string, _ bool) bool { return path == "drafts" }
	f.KindOf = func(path string) (kind string, read bool) {
		if strings.HasSuffix(path, ".kv") {
			return "table", true
		}
		return "file", false
	}
	return f, dir
}

func TestScanListsWhatIsNotLeftOut(t *testing.T) {
	f, dir := open(t, map[string]string{
		"b.kv": "x=1", "a/c.kv": "y=2", ".hidden/d.kv": "", "drafts/e.kv": "", "plain.txt": "",
	})
	for link, target := range map[string]string{"same.kv": "b.kv", "other.kv": "plain.txt", "left.kv": "drafts/e.kv", "out.kv": "../x.kv"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Skip(err)
		}
	}
	files, warnings, err := f.Scan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := []string{}
	for _, e := range files {
		got = append(got, e.Path)
	}
	if diff := cmp.Diff([]string{"a/c.kv", "b.kv", "plain.txt", "same.kv"}, got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	said := map[string]string{}
	for _, w := range warnings {
		said[w.Path] = w.Text
	}
	for path, part := range map[string]string{"other.kv": "which is not a table", "left.kv": "leaves out", "out.kv": "leads out"} {
		if !strings.Contains(said[path], part) {
			t.Errorf("of %s it says %q, not %q", path, said[path], part)
		}
	}
}

func TestScanAtListsTheSameAsScan(t *testing.T) {
	f, _ := open(t, map[string]string{"b.kv": "x=1", "a/c.kv": "y=2", "a/b/d.kv": "", "drafts/e.kv": ""})
	all, _, err := f.Scan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	some, _, err := f.ScanAt(t.Context(), []string{"a", "a/c.kv", "b.kv", "drafts/e.kv", "gone.kv"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(all, some); diff != "" {
		t.Errorf("files (-scan +at):\n%s", diff)
	}
}

func TestReplaceKeepsPermissionsAndLeavesNothingBeside(t *testing.T) {
	f, dir := open(t, map[string]string{"a/b.kv": "x=1"})
	before, err := os.Stat(filepath.Join(dir, "a", "b.kv"))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Replace("test", folder.Rewrite{Path: "a/b.kv", Source: []byte("x=1"), Content: []byte("x=2")}); err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(filepath.Join(dir, "a", "b.kv"))
	if err != nil {
		t.Fatal(err)
	}
	if before.Mode() != after.Mode() || !after.ModTime().After(before.ModTime()) {
		t.Errorf("mode %v and time %v became %v and %v", before.Mode(), before.ModTime(), after.Mode(), after.ModTime())
	}
	entries, err := os.ReadDir(filepath.Join(dir, "a"))
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder has %v, %v", entries, err)
	}
	if source, err := f.Read(folder.Entry{Path: "a/b.kv"}, 3); err != nil || string(source) != "x=2" {
		t.Errorf("it reads %q, %v", source, err)
	}
	if source, err := f.Read(folder.Entry{Path: "a/b.kv"}, 2); err == nil || len(source) != 3 {
		t.Errorf("over the limit it reads %q, %v", source, err)
	}
}

func TestCreateRefusesWhatIsThere(t *testing.T) {
	f, _ := open(t, map[string]string{"a.kv": "x=1"})
	if err := f.Create("test", folder.Rewrite{Path: "deep/b.kv", Content: []byte("y=2")}); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"Create":         f.Create("test", folder.Rewrite{Path: "a.kv"}),
		"Occupied":       f.CheckFree("test", "deep/b.kv"),
		"OccupiedByCase": f.CheckFree("test", "A.KV"),
	} {
		if fault.CodeOf(err) != fault.Exists {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := f.CheckFree("test", "deep/c.kv"); err != nil {
		t.Error(err)
	}
}

func TestSpellRefusesWhatTheOwnerLeavesOut(t *testing.T) {
	f, _ := open(t, map[string]string{"Cafe\u0301.kv": "", "drafts/e.kv": ""})
	if got, err := f.Spell("test", "Caf\u00e9.kv"); err != nil || got != "Cafe\u0301.kv" {
		t.Errorf("it is spelled %q, %v", got, err)
	}
	for _, name := range []string{"drafts/e.kv", "drafts/new/f.kv"} {
		if _, err := f.Spell("test", name); fault.CodeOf(err) != fault.OutsideVault {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLockIsHeldByOne(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a file stands for the lock there, and TryLock waits for it")
	}
	_, dir := open(t, nil)
	unlock, err := folder.Lock(t.Context(), "test", dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok, err := folder.TryLock(dir); ok || err != nil {
		t.Errorf("a second one got it: %v, %v", ok, err)
	}
	unlock()
	again, ok, err := folder.TryLock(dir)
	if !ok || err != nil {
		t.Fatalf("it is still held: %v", err)
	}
	again()
}

// Each reason has its own advice.
func TestCheckPathSaysWhatToDo(t *testing.T) {
	const relative = "give a path relative to the vault, such as folder/name.md"
	for _, c := range []struct{ name, want string }{
		{"../x", `"../x" leads out of the folder; ` + relative},
		{"/x", `"/x" is absolute; ` + relative},
		{"C:x", `"C:x" is absolute; ` + relative},
		{`a\b`, `"a\\b" holds a backslash; write / between folder and file`},
		{"a\tb", `"a\tb" holds a control character; leave it out`},
		{"a\xff", `"a\xff" is not valid UTF-8; give the path in UTF-8`},
		{".git/x", `".git/x" is hidden; hidden files are never read, choose another name`},
		{"%2E%2e/x", `"%2E%2e/x" leads out of the folder; ` + relative},
		{"%" + strings.Repeat("25", 9) + "41", `"%` + strings.Repeat("25", 9) + `41" is percent-encoded more than 8 times; write it without percent-encoding`},
	} {
		_, err := folder.CheckPath("read_note", c.name)
		if want := "read_note: " + c.want; fault.CodeOf(err) != fault.OutsideVault || err.Error() != want {
			t.Errorf("%s: %v, want %s", fault.CodeOf(err), err, want)
		}
	}
	if name, err := folder.CheckPath("read_note", "%"+strings.Repeat("25", 7)+"41"); err != nil {
		t.Errorf("%q: %v", name, err)
	}
}
