//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package folder

import (
	"errors"
	"os"
	"syscall"
)

// TryLock locks a folder, and reports whether it has the lock. It locks the folder itself,
// which leaves no file in it, or, if the file system does not support that, a temporary
// file.
func TryLock(dir string) (unlock func(), ok bool, err error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, false, err
	}
	switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
	case err == nil:
		return func() { _ = f.Close() }, true, nil // Close unlocks
	case errors.Is(err, syscall.EWOULDBLOCK), errors.Is(err, syscall.EINTR):
		return nil, false, f.Close()
	}
	if err := f.Close(); err != nil {
		return nil, false, err
	}
	unlock, err = lockByFile(dir)
	return unlock, err == nil, err
}
