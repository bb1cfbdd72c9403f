package db

import (
	"errors"
	"path/filepath"
	"testing"
)

// After a bulk write, even a failed one, the writer has its usual settings.
func TestBulkSettingsEnd(t *testing.T) {
	d, err := Open(t.Context(), filepath.Join(t.TempDir(), "bulk.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	settings := func() (cache, checkpoint int) {
		err := d.engine.(*file).writing(t.Context(), func(c *conn) error {
			return errors.Join(
				c.QueryRowContext(t.Context(), "pragma cache_size").Scan(&cache),
				c.QueryRowContext(t.Context(), "pragma wal_autocheckpoint").Scan(&checkpoint))
		})
		if err != nil {
			t.Fatal(err)
		}
		return cache, checkpoint
	}
	cache, checkpoint := settings()
	failed := errors.New("failed")
	err = d.Bulk(t.Context(), func() error {
		bulkCache, bulkCheckpoint := settings()
		if bulkCache == cache || bulkCheckpoint == checkpoint {
			t.Errorf("in bulk: cache_size %d, wal_autocheckpoint %d, as without", bulkCache, bulkCheckpoint)
		}
		return failed
	})
	if !errors.Is(err, failed) {
		t.Errorf("Bulk: %v, want %v", err, failed)
	}
	if afterCache, afterCheckpoint := settings(); afterCache != cache || afterCheckpoint != checkpoint {
		t.Errorf("after: cache_size %d, wal_autocheckpoint %d; before: %d, %d", afterCache, afterCheckpoint, cache, checkpoint)
	}
}
