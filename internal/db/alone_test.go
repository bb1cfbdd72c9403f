package db_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
)

// crowdedStore creates a store of one memory for which the engine cannot create the index of its
// log, as on a full disk: a link with that name exists, which the engine does not follow.
func crowdedStore(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "hence.db")
	d, err := db.Open(t.Context(), path, db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Write(t.Context(), "me", db.Now(), db.S(`insert into memories (title) values ('kept')`)); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("nowhere", path+"-shm"); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestABriefReaderNeedsNoRoom(t *testing.T) {
	for name, o := range map[string]db.Options{"ReadWrite": {Brief: true}, "ReadOnly": {Brief: true, ReadOnly: true}} {
		t.Run(name, func(t *testing.T) {
			path := crowdedStore(t)
			d, err := db.Open(t.Context(), path, o)
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			if got := dbtest.Texts(t, d, `select title from memories`); len(got) != 1 || got[0] != "kept" {
				t.Errorf("the memories are %q", got)
			}
			// Reads within reads need connections of their own.
			err = d.Read(t.Context(), func(*db.Reader) error {
				dbtest.Texts(t, d, `select title from memories`)
				return nil
			})
			if err != nil {
				t.Error(err)
			}
			if _, err := d.Write(t.Context(), "me", db.Now(), db.S(`insert into memories (title) values ('lost')`)); fault.CodeOf(err) != fault.ReadOnly {
				t.Errorf("Write: %v, want read_only", err)
			}
		})
	}
}

func TestABriefReaderKeepsWritersOut(t *testing.T) {
	path := crowdedStore(t)
	d, err := db.Open(t.Context(), path, db.Options{Brief: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path + "-shm"); err != nil { // there is room again
		t.Fatal(err)
	}
	open := func() error {
		other, err := db.Open(t.Context(), path, db.Options{Wait: 20 * time.Millisecond})
		if err == nil {
			err = other.Close()
		}
		return err
	}
	if err := open(); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("a writer beside the reader: %v, want unavailable", err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if err := open(); err != nil {
		t.Errorf("a writer after the reader: %v", err)
	}
}

func TestAStoreWithoutRoomSaysWhatToFree(t *testing.T) {
	path := crowdedStore(t)
	if err := os.WriteFile(path+"-wal", []byte("changes"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := db.Open(t.Context(), path, db.Options{Brief: true})
	if fault.CodeOf(err) != fault.Unavailable || !strings.Contains(err.Error(), "its log has changes that cannot be read without it; free 64 KB or more on that disk") {
		t.Errorf("with changes in the log: %v", err)
	}
	if err := os.Remove(path + "-wal"); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Open(t.Context(), path, db.Options{}); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("a process that stays: %v, want unavailable", err)
	}
}
