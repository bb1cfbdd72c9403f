package folder

import "syscall"

// isLocal is MNT_LOCAL of statfs(2): the file system is stored on this machine.
const isLocal = 0x1000

// OnNetwork reports whether other machines may change a folder, without an event on this one.
func OnNetwork(dir string) bool {
	var s syscall.Statfs_t
	return syscall.Statfs(dir, &s) == nil && s.Flags&isLocal == 0
}
