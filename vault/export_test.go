package vault

import (
	"context"
	"os"
	"strings"

	"hence/projection/folder"

	"golang.org/x/text/unicode/norm"
)

// MaxHashed is the size in bytes of the largest file without text that is hashed.
const MaxHashed = maxHashed

// FoldedName is a path in a form that is the same for all that some file system
// takes for it.
func FoldedName(path string) string { return strings.ToLower(norm.NFC.String(path)) }

// MoveNoteWith is MoveNote with another way for a file to take one's place.
func (i Importer) MoveNoteWith(ctx context.Context, a MoveNoteArgs, rename func(root *os.Root, from, to string) error) (MoveNoteResult, error) {
	i.disk.Rename = rename
	return i.MoveNote(ctx, a)
}

// WritingWith returns an importer that writes files by another way.
func (i Importer) WritingWith(write func(f *os.File, content []byte) (int, error)) Importer {
	i.disk.Write = write
	return i
}

// IsLocked says whether somebody of ours holds a vault's folder.
func IsLocked(dir string) (bool, error) {
	unlock, ok, err := folder.TryLock(dir)
	if ok {
		unlock()
	}
	return !ok, err
}

// Lock takes the lock of a vault's folder.
func Lock(ctx context.Context, dir string) (unlock func(), err error) {
	return folder.Lock(ctx, "test", dir)
}

// KeepWith is Keep where a function says which folders can be watched.
func (i Importer) KeepWith(ctx context.Context, each func(Vault, Report, error), watches func(dir string) error) *Keeper {
	return i.keep(ctx, each, watches)
}
