package projection_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/projection/projectiontest"
)

func TestFilesThatCannotBeReadForAMomentAreNotForgotten(t *testing.T) {
	hide := map[string]func(w world) (show func() error, hidden error){
		"TheFolder": func(w world) (func() error, error) {
			sub := filepath.Join(w.dir, "sub")
			if os.Getuid() == 0 {
				w.Skip("root reads everything")
			}
			return func() error { return os.Chmod(sub, 0o755) }, os.Chmod(sub, 0)
		},
		"ALinkToALongName": func(w world) (func() error, error) {
			file, aside := filepath.Join(w.dir, "sub/base.kv"), filepath.Join(filepath.Dir(w.dir), "aside")
			moved := os.Rename(file, aside)
			return func() error { return os.Rename(aside, file) }, errors.Join(moved, os.Symlink(strings.Repeat("x", 300), file))
		},
	}
	for name, hide := range hide {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"sub/base.kv": "port=80", "top.kv": "import=base", "sub/gone.kv": ""})
			w.imports()
			w.write("sub/base.kv", "port=81")
			w.remove("sub/gone.kv")
			if r := w.imports(); r.Updated != 1 || r.Removed != 1 {
				t.Fatalf("report %s, want one updated and one removed", count(r))
			}
			before := projectiontest.Contents(t, w.mirror.DB)
			show, hidden := hide(w)
			if hidden != nil {
				t.Fatal(hidden)
			}
			if r := w.imports(); r.Removed != 0 || len(r.Warnings) != 1 {
				t.Errorf("report %s with the warnings %v, want none removed and one warning", count(r), r.Warnings)
			}
			if diff := cmp.Diff(before, projectiontest.Contents(t, w.mirror.DB)); diff != "" {
				t.Errorf("while it cannot be read (-before +after):\n%s", diff)
			}
			if err := show(); err != nil {
				t.Fatal(err)
			}
			if r := w.imports(); r.Added+r.Updated+r.Removed != 0 {
				t.Errorf("once it is back: report %s, want no change", count(r))
			}
		})
	}
}
