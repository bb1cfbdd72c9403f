package db

import (
	"os"
	"path/filepath"
	"testing"
)

// A Windows path has a drive, backslashes, and characters that have another meaning in a URI.
func TestPathsOfWindowsAreOpened(t *testing.T) {
	for _, name := range []string{"a.db", "with space.db", "100% & #1.db", "日本.db", "a+b=c;d.db"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "below", name)
			d := openAt(t, path)
			if _, err := d.Write(t.Context(), "me", Now(), S(`insert into memories (title) values ('kept')`)); err != nil {
				t.Error(err)
			}
			if private, err := d.Private(); err != nil || !private {
				t.Errorf("Private: %v, %v; the rights of the folder decide here", private, err)
			}
			backup := path + ".backup"
			if err := d.Backup(t.Context(), backup); err != nil {
				t.Errorf("Backup: %v", err)
			}
			if err := d.Close(); err != nil {
				t.Error(err)
			}
			if info, err := os.Stat(path); err != nil || info.Size() == 0 {
				t.Errorf("the file of that name: %v, %v", info, err)
			}
			// The file must be closed, or Windows does not remove it.
			for _, path := range []string{path, backup} {
				if err := os.Remove(path); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
