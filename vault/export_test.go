package vault

import (
	"hence/projection"
	"hence/projection/folder"
)

// MaxHashed is the size in bytes of the largest file without text that is hashed.
const MaxHashed = projection.MaxHashed

// IsLocked reports whether a process of Hence has the lock of a vault's folder.
func IsLocked(dir string) (bool, error) {
	unlock, ok, err := folder.TryLock(dir)
	if ok {
		unlock()
	}
	return !ok, err
}

// TimeOf and DateOfName are exported for tests.
var (
	TimeOf     = timeOf
	DateOfName = dateOfName
)
