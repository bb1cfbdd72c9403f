package undolog_test

import (
	"os"
	"path/filepath"
	"testing"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/projection/folder"
	"hence/projection/undolog"
)

func TestCompareTellsHowFarAChangeCame(t *testing.T) {
	old, now := db.Hash("old"), db.Hash("new")
	create := undolog.Change{After: "n.md", HashAfter: now}
	replace := undolog.Change{Before: "n.md", After: "n.md", HashBefore: old, HashAfter: now}
	remove := undolog.Change{Before: "n.md", HashBefore: old}
	move := undolog.Change{Before: "n.md", After: "sub/m.md", HashBefore: old, HashAfter: now}
	carry := undolog.Change{Before: "p.png", After: "q.png"} // its bytes are not compared
	for _, c := range []struct {
		name   string
		change undolog.Change
		files  map[string]string
		want   undolog.State
	}{
		{"NotCreated", create, nil, undolog.AsBefore},
		{"Created", create, map[string]string{"n.md": "new"}, undolog.AsAfter},
		{"CreatedByAnother", create, map[string]string{"n.md": "other"}, undolog.Edited},
		{"NotReplaced", replace, map[string]string{"n.md": "old"}, undolog.AsBefore},
		{"Replaced", replace, map[string]string{"n.md": "new"}, undolog.AsAfter},
		{"EditedInstead", replace, map[string]string{"n.md": "other"}, undolog.Edited},
		{"GoneInstead", replace, nil, undolog.Edited},
		{"NotRemoved", remove, map[string]string{"n.md": "old"}, undolog.AsBefore},
		{"Removed", remove, nil, undolog.AsAfter},
		{"EditedBeforeItsRemoval", remove, map[string]string{"n.md": "other"}, undolog.Edited},
		{"NotMoved", move, map[string]string{"n.md": "old"}, undolog.AsBefore},
		{"Moved", move, map[string]string{"sub/m.md": "new"}, undolog.AsAfter},
		{"HalfMoved", move, map[string]string{"n.md": "old", "sub/m.md": "new"}, undolog.AtBoth},
		{"MovedAndEdited", move, map[string]string{"sub/m.md": "other"}, undolog.Edited},
		{"MovedAway", move, nil, undolog.Edited},
		{"Carried", carry, map[string]string{"q.png": "any"}, undolog.AsAfter},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range c.files {
				path := filepath.Join(dir, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			f, err := folder.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if got, hash, err := undolog.Compare("test", f, c.change); got != c.want || err != nil {
				t.Errorf("Compare = %v, %q, %v; want %v", got, hash, err, c.want)
			}
		})
	}
}

// A path in the log must not lead out of the folder.
func TestCompareStaysInTheFolder(t *testing.T) {
	f, err := folder.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, _, err := undolog.Compare("test", f, undolog.Change{After: "../secret"}); fault.CodeOf(err) != fault.OutsideVault {
		t.Errorf("Compare: %v, want outside_vault", err)
	}
}
