package db

import (
	"path/filepath"
	"testing"
)

// With synchronous = normal, a power cut loses the last batches; with full, none.
func TestDurableIsSynchronousFull(t *testing.T) {
	const normal, full = 1, 2
	for durable, want := range map[bool]int{false: normal, true: full} {
		d, err := Open(t.Context(), filepath.Join(t.TempDir(), "a.db"), Options{Durable: durable})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		err = d.engine.(*file).writing(t.Context(), func(c *conn) error {
			var synchronous int
			var journal string
			err := c.QueryRowContext(t.Context(), `select synchronous, journal_mode from pragma_synchronous, pragma_journal_mode`).Scan(&synchronous, &journal)
			if synchronous != want || journal != "wal" {
				t.Errorf("durable %v: synchronous is %d in mode %s, want %d in mode wal", durable, synchronous, journal, want)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
