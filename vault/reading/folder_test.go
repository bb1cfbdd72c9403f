package reading_test

import (
	"testing"

	"hence/vault/reading"
	"hence/vault/vaulttest"
)

// folder is the vault of a test, with the helpers of this package.
type folder struct{ vaulttest.Folder }

func newFolder(t *testing.T, files map[string]string) folder {
	return folder{vaulttest.New(t, files)}
}

// reader reads the notes of the folder's store.
func (f folder) reader() reading.Reader {
	return reading.Reader{DB: f.Importer.DB, Caller: f.Importer.Caller}
}
