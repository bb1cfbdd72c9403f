package vault

import (
	"context"

	"hence/projection/folder"
)

// MaxHashed is the size in bytes of the largest file without text that is hashed.
const MaxHashed = maxHashed

// IsLocked says whether somebody of ours holds a vault's folder.
func IsLocked(dir string) (bool, error) {
	unlock, ok, err := folder.TryLock(dir)
	if ok {
		unlock()
	}
	return !ok, err
}

// KeepWith is Keep where a function says which folders can be watched.
func (i Importer) KeepWith(ctx context.Context, each func(Vault, Report, error), watches func(dir string) error) *Keeper {
	return i.keep(ctx, each, watches)
}
