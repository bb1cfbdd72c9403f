package dbtest

import "syscall"

// freeBytes returns the free space of the file system of a path, 0 if the path does not exist. A
// container may have a /dev/shm of only 64 MB.
func freeBytes(path string) uint64 {
	var s syscall.Statfs_t
	if err := syscall.Statfs(path, &s); err != nil {
		return 0
	}
	return s.Bavail * uint64(s.Bsize)
}
