package projection_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/projection"
	"hence/projection/projectiontest"
)

// patience is the timeout of a test for an event that must happen. It is long enough for a
// busy machine.
const patience = 2 * time.Minute

// watch watches the folder until the test ends, and returns its errors.
func (f world) watch() <-chan error {
	f.Helper()
	ctx, cancel := context.WithCancel(f.Context())
	first, errs, done := make(chan struct{}, 1000), make(chan error, 1000), make(chan error, 1)
	go func() {
		done <- f.mirror.Watch(ctx, projection.ImportArgs{Dir: f.dir}, func(_ projection.Report, err error) {
			if err != nil {
				f.Logf("watch: %v", err)
				errs <- err
				return
			}
			first <- struct{}{}
		})
	}()
	f.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			f.Errorf("Watch: %v", err)
		}
	})
	select {
	case <-first:
	case <-time.After(patience):
		f.Fatal("the first import was never reported")
	}
	return errs
}

// until waits until a query returns some lines.
func (f world) until(want []string, query string) {
	f.Helper()
	var got []string
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if got = f.rows(query); slices.Equal(want, got) {
			return
		}
	}
	f.Errorf("%s (-want +got):\n%s", query, cmp.Diff(want, got))
}

const currentNotes = `select uri from memories where status <> 'forgotten' order by 1`

func uris(paths ...string) []string {
	all := []string{}
	for _, path := range paths {
		all = append(all, toy.URI("v", path))
	}
	return all
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

func TestWatchSeesEditsAndWhatTheyConcern(t *testing.T) {
	f := newWorld(t, map[string]string{"app.kv": "import=base\nref=base:port", "base.kv": "port=80", "net.kv": "port=8080"})
	f.watch()
	edges := `select f.title || ' ' || e.kind || ' ' || t.title from edges e join memories f on f.key = e.from_key join memories t on t.key = e.to_key order by 1`
	f.until([]string{"app depends-on base", "app refers-to base"}, edges)
	f.save("base.kv", "import=net")
	f.until([]string{"app depends-on base", "app refers-to net", "base depends-on net"}, edges)
	f.remove("net.kv")
	f.until([]string{"app depends-on base"}, edges)
	f.save("new/deep/net.kv", "port=1")
	f.until([]string{"app depends-on base", "app refers-to net", "base depends-on net"}, edges)
	f.save(".kvkind", "supports")
	f.until([]string{"app depends-on base", "app supports net", "base depends-on net"}, edges)
}

func TestWatchKeepsTheIDOfARenamedFileThatChangedToo(t *testing.T) {
	f := newWorld(t, map[string]string{"a.kv": "x=1", "dir/b.kv": "x=2", "dir/sub/c.kv": "x=3"})
	f.imports()
	a, b, c := f.id("a.kv"), f.id("dir/b.kv"), f.id("dir/sub/c.kv")
	f.watch()
	f.move("a.kv", "renamed.kv")
	f.save("renamed.kv", "x=4")
	f.until([]string{"x=4 | " + a}, `select content, id from memories where title = 'renamed'`)
	f.move("dir", "moved")
	f.save("moved/b.kv", "x=5")
	f.until([]string{"x=5 | " + b}, `select content, id from memories where title = 'b' and status <> 'forgotten'`)
	f.until(uris("moved/b.kv", "moved/sub/c.kv", "renamed.kv"), currentNotes)
	if f.id("moved/sub/c.kv") != c {
		t.Error("a file in a renamed folder has another id")
	}
}

// TestWatchEqualsAnImportFromNothing edits faster than the watcher imports.
func TestWatchEqualsAnImportFromNothing(t *testing.T) {
	f := newWorld(t, map[string]string{"a.kv": "supersedes=b\nimport=c", "b.kv": "like=c", "c.kv": "x=1\nowner=a"})
	f.watch()
	f.save("sub/d.kv", "supersedes=b\nx=c\nref=a:x")
	f.move("a.kv", "sub/a.kv")
	f.save("c.kv", "y=d\nimport=d")
	f.move("sub", "other")
	f.remove("b.kv")
	f.save("b.kv", "import=c\nref=c:x")
	f.save("last.kv", "end=1")
	f.until(uris("b.kv", "c.kv", "last.kv", "other/a.kv", "other/d.kv"), currentNotes)
	f.until([]string{"y=d\nimport=d | import=c\nref=c:x"}, `
select
  (select content from memories where title = 'c' and status <> 'forgotten'),
  (select content from memories where title = 'b' and status <> 'forgotten')`)
	want := f.fresh(dbtest.New(t))
	var diff string
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if diff = cmp.Diff(want, projectiontest.Contents(t, f.mirror.DB)); diff == "" {
			return
		}
	}
	t.Errorf("the watched store (-fresh +watched):\n%s", diff)
}

// If the vault's folder itself is moved or removed, the watcher continues with the folder in
// its place, and reports if there is none.
func TestWatchFollowsTheFolderThatTakesTheVaultsPlace(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(t *testing.T, root string, untilMissed func())
	}{
		{"RenamedAndCopiedBack", func(t *testing.T, root string, _ func()) {
			rename(t, root, root+" before")
			copyFolder(t, root+" before", root)
		}},
		{"RenamedAndBack", func(t *testing.T, root string, untilMissed func()) {
			rename(t, root, root+" before")
			untilMissed()
			rename(t, root+" before", root)
		}},
		{"RemovedAndMadeAnew", func(t *testing.T, root string, untilMissed func()) {
			copyFolder(t, root, root+" new")
			if err := os.RemoveAll(root); err != nil {
				t.Fatal(err)
			}
			untilMissed()
			rename(t, root+" new", root)
		}},
		{"FolderAboveReplaced", func(t *testing.T, root string, _ func()) {
			above := filepath.Dir(root)
			copyFolder(t, above, above+" new")
			rename(t, above, above+" before")
			rename(t, above+" new", above)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newWorld(t, nil)
			f.dir = filepath.Join(filepath.Dir(f.dir), "above", "v")
			f.write("sub/a.kv", "x=1")
			errs := f.watch()
			c.change(t, f.dir, func() {
				t.Helper()
				for missed := false; !missed; {
					select {
					case err := <-errs:
						missed = fault.CodeOf(err) == fault.NotFound
					case <-time.After(patience):
						t.Fatal("nobody says that the folder is gone")
					}
				}
			})
			f.save("b.kv", "x=2")
			f.until(uris("b.kv", "sub/a.kv"), currentNotes)
			f.save("sub/a.kv", "x=3")
			f.until([]string{"x=3"}, `select content from memories where title = 'a'`)
		})
	}
}

func copyFolder(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

func TestWatchRefusesAFolderThatIsNotThere(t *testing.T) {
	f := newWorld(t, nil)
	err := f.mirror.Watch(t.Context(), projection.ImportArgs{Dir: filepath.Join(f.dir, "none")}, func(projection.Report, error) {})
	if fault.CodeOf(err) != fault.NotFound {
		t.Errorf("Watch: %v, want not_found", err)
	}
}
