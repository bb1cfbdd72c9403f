package writing_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hence/memory/journal"
	disk "hence/projection/folder"
	"hence/projection/projectiontest"
	"hence/vault/reading"
	"hence/vault/vaulttest"
	"hence/vault/writing"
)

// folder is the vault of a test, with the helpers of this package.
type folder struct {
	vaulttest.Folder
	disk disk.Disk // writes its notes
}

func newFolder(t *testing.T, files map[string]string) folder {
	return folder{Folder: vaulttest.New(t, files)}
}

// The helpers that the tests of several packages share.
var (
	rows     = projectiontest.Rows
	snapshot = vaulttest.Snapshot
	contents = projectiontest.Contents
)

func second[T any](_ T, err error) error { return err }

// reader and writer return a reader and a writer of the folder's store.
func (f folder) reader() reading.Reader { return reading.Reader(f.View()) }
func (f folder) writer() writing.Writer { return writing.New(f.View()).On(f.disk) }

// text returns the content of a file of the folder.
func (f folder) text(path string) string {
	f.T.Helper()
	source, err := os.ReadFile(filepath.Join(f.Dir, path))
	if err != nil {
		f.T.Fatal(err)
	}
	return string(source)
}

func (f folder) create(path, content string) (writing.WriteResult, error) {
	return f.writer().CreateNote(f.T.Context(), writing.CreateNoteArgs{Path: path, Content: content})
}

func (f folder) update(a writing.UpdateNoteArgs) (writing.WriteResult, error) {
	return f.writer().UpdateNote(f.T.Context(), a)
}

// noTempFiles fails the test if a write has left a hidden file.
func (f folder) noTempFiles() {
	f.T.Helper()
	for path := range snapshot(f.T, f.Dir) {
		if strings.Contains(path, ".hence-") {
			f.T.Errorf("%s is left", path)
		}
	}
}

func must(t *testing.T) func(writing.WriteResult, error) writing.WriteResult {
	return func(r writing.WriteResult, err error) writing.WriteResult {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
}

func (f folder) moveNote(from, to string) (writing.MoveNoteResult, error) {
	return f.writer().MoveNote(f.T.Context(), writing.MoveNoteArgs{FromPath: from, ToPath: to})
}

// moveBy is moveNote with rename in place of the disk's rename.
func (f folder) moveBy(from, to string, rename func(root *os.Root, from, to string) error) (writing.MoveNoteResult, error) {
	f.disk.Rename = rename
	return f.moveNote(from, to)
}

// files returns the contents of the files of the folder, by path.
func (f folder) files() map[string]string {
	files := map[string]string{}
	for path, text := range snapshot(f.T, f.Dir) {
		if source, ok := strings.CutPrefix(text, "file "); ok {
			files[strings.TrimPrefix(path, f.Dir+"/")] = source
		}
	}
	return files
}

func (f folder) undo(seq int64) (writing.UndoResult, error) {
	f.T.Helper()
	r, ok, err := f.writer().Undo(f.T.Context(), journal.UndoArgs{Seq: seq})
	if err == nil && !ok {
		f.T.Fatal("the undo is not the vault's")
	}
	return r, err
}

func (f folder) undoes(seq int64) writing.UndoResult {
	f.T.Helper()
	r, err := f.undo(seq)
	if err != nil {
		f.T.Fatal(err)
	}
	return r
}

// everything returns the contents of the folder and of the store, without the times of files.
func (f folder) everything() map[string][]string {
	all := contents(f.T, f.Importer.DB)
	delete(all, "files")
	for path, text := range snapshot(f.T, f.Dir) {
		all[strings.TrimPrefix(path, f.Dir)] = []string{text}
	}
	return all
}

func (f folder) setFrontmatter(path string, set map[string]any) error {
	_, err := f.writer().SetFrontmatter(f.T.Context(), writing.SetFrontmatterArgs{Path: path, Set: set})
	return err
}
