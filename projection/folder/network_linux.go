package folder

import (
	"slices"
	"syscall"
)

// networks are the types of the file systems that other machines, or other programs, can
// change without an event of inotify. The numbers are those of statfs(2) and linux/magic.h.
var networks = []uint32{
	0x6969,     // NFS
	0x517b,     // SMB
	0xff534d42, // CIFS
	0xfe534d42, // SMB2
	0x564c,     // NCP
	0x73757245, // Coda
	0x5346414f, // AFS
	0x6b414653, // AFS of the kernel
	0x00c36400, // Ceph
	0x01021997, // 9P: folders of Windows in WSL, of a host in a virtual machine
	0x65735546, // FUSE: sshfs, rclone, shared folders of containers
	0x0bd00bd0, // Lustre
	0x01161970, // GFS2
	0x7461636f, // OCFS2
	0x786f4256, // VirtualBox
	0xbacbacbc, // VMware
	0x7c7c6673, // Parallels
}

// OnNetwork reports whether a folder may change without an event of inotify.
func OnNetwork(dir string) bool {
	var s syscall.Statfs_t
	return syscall.Statfs(dir, &s) == nil && slices.Contains(networks, uint32(s.Type))
}
