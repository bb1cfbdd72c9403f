//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package folder

// TryLock locks a folder by a temporary file.
func TryLock(dir string) (unlock func(), ok bool, err error) {
	unlock, err = lockByFile(dir)
	return unlock, err == nil, err
}
