//go:build !linux

package dbtest

// freeBytes returns 0, so that folders are created on disk.
func freeBytes(string) uint64 { return 0 }
