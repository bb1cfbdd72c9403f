//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package vault

// tryLock locks a file that stands for the folder.
func tryLock(dir string) (unlock func(), ok bool, err error) {
	unlock, err = lockByFile(dir)
	return unlock, err == nil, err
}
