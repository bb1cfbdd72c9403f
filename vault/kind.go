package vault

import (
	"path"
	"strings"
)

// Notes and canvases are read. Of every other file the store has only the name and the
// hash.
func IsNote(path string) bool   { return hasExtension(path, ".md") }
func IsCanvas(path string) bool { return hasExtension(path, ".canvas") }
func isRead(path string) bool   { return IsNote(path) || IsCanvas(path) }

func hasExtension(path, extension string) bool {
	return len(path) > len(extension) && strings.EqualFold(path[len(path)-len(extension):], extension)
}

// titleOf returns the file's name, without .md.
func titleOf(file string) string {
	name := path.Base(file)
	if IsNote(file) {
		name = name[:len(name)-len(".md")]
	}
	return strings.Join(strings.Fields(name), " ")
}

// kindOf returns the kind of a file's memory.
func kindOf(path string) string {
	switch {
	case IsNote(path):
		return "note"
	case IsCanvas(path):
		return "canvas"
	}
	return "file"
}
