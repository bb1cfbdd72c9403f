package checkout

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"time"
)

// IndexedFile is a file as the index of a working tree knows it.
type IndexedFile struct {
	Path      string
	Seconds   uint32 // its time, since 1970
	Nanos     uint32 // 0: unknown
	Size      uint32 // modulo 2^32
	Unwatched bool   // assume-unchanged or skip-worktree: not to be compared
}

// IsAt reports whether the file has a size and a time.
func (f IndexedFile) IsAt(size int64, at time.Time) bool {
	return f.Size == uint32(size) && f.Seconds == uint32(at.Unix()) && (f.Nanos == 0 || f.Nanos == uint32(at.Nanosecond()))
}

// errIndex says that an index is damaged, or of a form that is not read: in two files, with
// directories for files, or with hashes of SHA-256.
var errIndex = errors.New("the index is of a form that is not read")

const (
	indexHeader = 12 // DIRC, version, number of files
	indexHash   = 20
	indexFields = 40 // of a file, before its hash: two times, device, inode, mode, owners, size
	indexFixed  = indexFields + indexHash + 2
	nameMask    = 0xfff // of the flags: the length of the path; this value for longer ones
)

// ReadIndex reads the index in a git folder without git, whose process costs more than a
// start of a hook has. isWhole says that nothing was staged since the index was that of a
// commit: git keeps the hash of its tree in the index until then.
func ReadIndex(dir string) (files []IndexedFile, isWhole bool, err error) {
	text, err := os.ReadFile(filepath.Join(dir, "index"))
	if err != nil {
		return nil, false, err
	}
	return parseIndex(text)
}

func parseIndex(text []byte) (files []IndexedFile, isWhole bool, err error) {
	if len(text) < indexHeader+indexHash || string(text[:4]) != "DIRC" {
		return nil, false, errIndex
	}
	version, count := binary.BigEndian.Uint32(text[4:]), binary.BigEndian.Uint32(text[8:])
	rest, path := text[indexHeader:len(text)-indexHash], []byte{}
	for range count {
		if len(rest) < indexFixed+2 {
			return nil, false, errIndex
		}
		flags, head := binary.BigEndian.Uint16(rest[indexFixed-2:]), indexFixed
		f := IndexedFile{Seconds: binary.BigEndian.Uint32(rest[8:]), Nanos: binary.BigEndian.Uint32(rest[12:]), Size: binary.BigEndian.Uint32(rest[36:]), Unwatched: flags&0x8000 != 0}
		if flags&0x4000 != 0 { // more flags follow
			f.Unwatched = f.Unwatched || rest[head]&0x40 != 0
			head += 2
		}
		name, after, ok := cutPath(rest[head:], path, version)
		if path = name; !ok || len(path) != int(flags&nameMask) && (flags&nameMask != nameMask || len(path) < nameMask) {
			return nil, false, errIndex
		}
		f.Path = string(path)
		size := len(rest) - len(after)
		if version < 4 { // it ends with one to eight zeros, at a multiple of eight
			size = (size + 7) / 8 * 8
		}
		if size > len(rest) {
			return nil, false, errIndex
		}
		files, rest = append(files, f), rest[size:]
	}
	if isWhole, err = readExtensions(rest); err != nil {
		return nil, false, err
	}
	return files, isWhole, nil
}

// cutPath cuts the path of a file, which ends with a zero. In version 4 it is written as how
// many bytes of the path before it are left out at the end, and what follows.
func cutPath(text, before []byte, version uint32) (path, after []byte, ok bool) {
	if version == 4 {
		cut := 0
		for at := 0; ; at++ {
			if at == len(text) || cut > len(before) {
				return nil, nil, false
			}
			cut = cut<<7 | int(text[at]&0x7f)
			if text[at]&0x80 == 0 {
				text = text[at+1:]
				break
			}
			cut++
		}
		if cut > len(before) {
			return nil, nil, false
		}
		path = append(path, before[:len(before)-cut]...)
	}
	name, after, ok := bytes.Cut(text, []byte{0})
	return append(path, name...), after, ok && version >= 2 && version <= 4
}

// readExtensions reports whether the index has the hash of its whole tree. It fails on a part
// without which the files are not all.
func readExtensions(rest []byte) (isWhole bool, err error) {
	for len(rest) >= 8 {
		name, size := string(rest[:4]), binary.BigEndian.Uint32(rest[4:])
		if name[0] >= 'a' || int64(size) > int64(len(rest)-8) {
			return false, errIndex
		}
		if name == "TREE" { // the first entry: an empty path, the number of files or -1, …
			isWhole = size > 2 && rest[8] == 0 && rest[9] != '-'
		}
		rest = rest[8+size:]
	}
	return isWhole, nil
}
