package vault

import (
	"context"
	"os"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// FoldedName is a path in a form that is the same for all that some file system
// takes for it.
func FoldedName(path string) string { return strings.ToLower(norm.NFC.String(path)) }

// MoveNoteWith is MoveNote with another way for a file to take one's place.
func (i Importer) MoveNoteWith(ctx context.Context, a MoveNoteArgs, rename func(root *os.Root, from, to string) error) (MoveNoteResult, error) {
	return i.moveNote(ctx, a, rename)
}

// IsLocked says whether somebody of ours holds a vault's folder.
func IsLocked(dir string) (bool, error) {
	unlock, ok, err := tryLock(dir)
	if ok {
		unlock()
	}
	return !ok, err
}

// Lock takes the lock of a vault's folder.
func Lock(ctx context.Context, dir string) (unlock func(), err error) {
	return lockVault(ctx, "test", dir)
}
