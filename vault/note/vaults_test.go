package note_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hence/vault/note"
)

func TestNotesOfRealVaultsAreReadWhole(t *testing.T) {
	notes, links := 0, 0
	err := filepath.WalkDir(shared(t, "vaults"), func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(name, ".md") {
			return err
		}
		src, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		n := note.Parse(src)
		notes, links = notes+1, links+len(n.Links)
		checkNote(t, src, n)
		checkSections(t, src, n)
		if t.Failed() {
			t.Fatalf("in %s", name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if notes == 0 || links == 0 {
		t.Errorf("%d notes, %d links", notes, links)
	}
	t.Logf("%d notes, %d links", notes, links)
}

func BenchmarkParse(b *testing.B) {
	src := []byte("---\ntags: [tree]\nup: \"[[Wood]]\"\n---\n# Oak\n\n" + strings.Repeat(
		"An oak is a tree of the genus *Quercus*, see [[Beech family|the family]] and [more](More%20trees.md) #tree.\n\n- part_of:: [[Wood]]\n- `code` and **words**\n\n## More\n\n", 8))
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		if len(note.Parse(src).Links) != 25 {
			b.Fatal("links")
		}
	}
}
