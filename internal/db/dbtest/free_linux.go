package dbtest

import "syscall"

// freeBytes is the room in a file system, 0 where there is none of that name.
// A container may have a /dev/shm of 64 MB.
func freeBytes(path string) uint64 {
	var s syscall.Statfs_t
	if err := syscall.Statfs(path, &s); err != nil {
		return 0
	}
	return s.Bavail * uint64(s.Bsize)
}
