package golang_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"hence/code/golang"
	"hence/code/symbol"
)

// tree reads the files of a txtar archive.
func tree(archive string) map[string][]byte {
	files := map[string][]byte{}
	for _, f := range txtar.Parse([]byte(archive)).Files {
		files[f.Name] = f.Data
	}
	return files
}

// check returns a line for each reference of a tree, in the order of the alphabet.
func check(t testing.TB, files map[string][]byte) (lines []string) {
	t.Helper()
	references, err := golang.Check(t.Context(), files, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range references {
		lines = append(lines, line(r))
	}
	slices.Sort(lines)
	return lines
}

func line(r symbol.Reference) string {
	return strings.TrimSpace(string(r.From) + " " + r.Kind + " " + string(r.To) + " " + r.Rel)
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		name, files string
		want        []string
	}{
		{"a call within a package and one into another", `
-- go.mod --
module m
-- a.go --
package m
import "m/b"
func F() { g(); b.H() }
func g() {}
-- b/b.go --
package b
func H() {}
`, []string{".  imports b", ".#F calls .#g", ".#F calls b#H"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for i, l := range c.want {
				c.want[i] = strings.ReplaceAll(l, "  ", " ")
			}
			if diff := cmp.Diff(c.want, check(t, tree(c.files))); diff != "" {
				t.Error(diff)
			}
		})
	}
}
