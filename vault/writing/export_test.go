package writing

import "hence/projection/folder"

// On returns a writer that writes files by disk.
func (w Writer) On(disk folder.Disk) Writer {
	w.disk = disk
	return w
}
