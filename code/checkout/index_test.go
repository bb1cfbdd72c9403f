package checkout

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// repository makes one with the setting of an index, and returns a function that runs git there.
func repository(t testing.TB, version string) (root string, git func(words ...string) string) {
	t.Helper()
	root = t.TempDir()
	git = func(words ...string) string {
		t.Helper()
		c := exec.Command("git", append([]string{"-C", root, "-c", "user.name=ada", "-c", "user.email=ada@example.org", "-c", "index.version=" + version}, words...)...)
		c.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "HOME="+root)
		out, err := c.CombinedOutput()
		if err != nil {
			t.Skipf("git %v: %v: %s", words, err, out)
		}
		return string(out)
	}
	git("init", "-q")
	for _, name := range []string{"a.go", "a.go.txt", "b/c/d.go", "b/c/déjà vu.md", "b/e", strings.Repeat("long/", 30) + "f.go", "z"} {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root, git
}

// The index is read as git reads it, in each version, and says whether something is staged.
func TestReadIndex(t *testing.T) {
	for _, version := range []string{"2", "3", "4"} {
		t.Run(version, func(t *testing.T) {
			root, git := repository(t, version)
			read := func() ([]IndexedFile, bool) {
				t.Helper()
				files, isWhole, err := ReadIndex(filepath.Join(root, ".git"))
				if err != nil {
					t.Fatal(err)
				}
				return files, isWhole
			}
			git("add", ".")
			if _, isWhole := read(); isWhole {
				t.Error("before the first commit nothing is staged")
			}
			git("commit", "-qm", "Begin")
			if _, isWhole := read(); !isWhole {
				t.Error("something is staged after a commit")
			}
			git("update-index", "--assume-unchanged", "b/e")
			git("update-index", "--skip-worktree", "z")
			git("update-index", "--index-version", version)
			files, _ := read()
			names := []string{}
			for _, f := range files {
				names = append(names, f.Path)
				info, err := os.Stat(filepath.Join(root, filepath.FromSlash(f.Path)))
				if err != nil || !f.IsAt(info.Size(), info.ModTime()) || f.IsAt(info.Size()+1, info.ModTime()) || f.Unwatched != (f.Path == "b/e" || f.Path == "z") {
					t.Errorf("%+v, but the file is %v, %v", f, info, err)
				}
			}
			if diff := cmp.Diff(strings.Split(strings.TrimSuffix(git("ls-files", "-z"), "\x00"), "\x00"), names); diff != "" {
				t.Error(diff)
			}
			if err := os.WriteFile(filepath.Join(root, "a.go"), []byte("changed"), 0o600); err != nil {
				t.Fatal(err)
			}
			git("commit", "-qm", "Again", "--allow-empty")
			git("add", "a.go")
			if _, isWhole := read(); isWhole {
				t.Error("nothing is staged after git add")
			}
		})
	}
}

// FuzzParseIndex: any bytes are an index or an error.
func FuzzParseIndex(f *testing.F) {
	for _, version := range []string{"2", "4"} {
		root, git := repository(f, version)
		git("add", ".")
		text, err := os.ReadFile(filepath.Join(root, ".git", "index"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
		f.Add(text[:len(text)/2])
	}
	f.Add([]byte("DIRC\x00\x00\x00\x04\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, text []byte) {
		files, isWhole, err := parseIndex(text)
		if err != nil && isWhole || len(files) > len(text)/indexFixed {
			t.Errorf("%d files, %v, %v", len(files), isWhole, err)
		}
	})
}
