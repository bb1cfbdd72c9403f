package undolog

import (
	"hence/internal/db"
	"hence/internal/fault"
	"hence/memory"
	"hence/projection/folder"
)

// State is the state of a file on disk, compared with a batch's change of it.
type State int

const (
	AsBefore State = iota // as it was before the batch
	AsAfter               // as the batch left it
	AtBoth                // at both paths of a move that was interrupted
	Edited                // anything else
)

// Compare compares a change's file on disk with the change. It returns the hash of the
// bytes on disk, "" if there is no file or the change has no hashes.
func Compare(operation string, f *folder.Folder, c Change) (state State, hash string, err error) {
	before, hashBefore, err := hashAt(operation, f, c.Before, c)
	if err != nil {
		return Edited, "", err
	}
	after, hashAfter := before, hashBefore
	if c.After != c.Before {
		if after, hashAfter, err = hashAt(operation, f, c.After, c); err != nil {
			return Edited, "", err
		}
	}
	isBefore := c.Before == "" || before && (c.HashBefore == "" || c.HashBefore == hashBefore)
	isAfter := c.After == "" || after && (c.HashAfter == "" || c.HashAfter == hashAfter)
	hash = hashAfter
	if !after {
		hash = hashBefore
	}
	samePath := c.Before == c.After
	switch {
	case isAfter && (samePath || !before):
		return AsAfter, hash, nil
	case isBefore && (samePath || !after):
		return AsBefore, hash, nil
	case c.IsMove() && isBefore && isAfter:
		return AtBoth, hash, nil
	}
	return Edited, hash, nil
}

// hashAt reports whether a file is at a path, and returns the hash of its bytes if the
// change has hashes to compare.
func hashAt(operation string, f *folder.Folder, name string, c Change) (there bool, hash string, err error) {
	if name == "" {
		return false, "", nil
	}
	if !f.Hidden { // else its rules decide which hidden paths there are, and Spell asks them
		if _, err := folder.CheckPath(operation, name); err != nil {
			return false, "", err
		}
	}
	if spelled, err := f.Spell(operation, name); err != nil || spelled != name {
		return false, "", err
	}
	if there, err = f.IsFile(operation, name); err != nil || !there {
		return false, "", err
	}
	// A file system that ignores case finds a moved file by its old name too, if the two
	// names differ in case only.
	if c.IsMove() && folder.SameName(c.Before, c.After) && !f.Lists(name) {
		return false, "", nil
	}
	if c.HashBefore == "" && c.HashAfter == "" {
		return true, "", nil
	}
	source, err := f.Read(folder.Entry{Path: name}, memory.MaxContent)
	switch {
	case len(source) > memory.MaxContent:
		return true, "of more bytes than are read", nil
	case err != nil:
		return true, "", fault.Wrap(fault.Unavailable, err, "%s: %s cannot be read", operation, name)
	}
	return true, db.Hash(source), nil
}
