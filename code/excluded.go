package code

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"hence/projection/folder"
	"hence/projection/folder/ignore"
)

const (
	gitIgnore = ".gitignore"
	ownIgnore = ".henceignore"

	// maxFile is the size in bytes of the largest file that is imported. A larger one is
	// rarely written by a person.
	maxFile = 1 << 20
	// maxIgnore is how many bytes of a file of patterns are read.
	maxIgnore = 1 << 20
)

// foreignFolders are the names of folders that hold code of other projects. A pattern that
// includes one, such as "!vendor", imports it.
var foreignFolders = []string{"node_modules", "vendor"}

// rules decide which files of a repository are left out: .henceignore at its root decides
// first, then the .gitignore of each folder, the deepest first, then the names of folders.
type rules struct {
	folder *folder.Folder
	own    ignore.Patterns // of .henceignore

	mu       sync.Mutex                 // guards patterns
	patterns map[string]ignore.Patterns // cache of .gitignore files, by folder
}

// setRules sets the rules of a repository on a folder.
func setRules(f *folder.Folder) {
	r := &rules{folder: f, patterns: map[string]ignore.Patterns{}}
	r.own = r.read(ownIgnore)
	f.Excluded, f.MaxSize = r.excludes, maxFile
	f.KindOf = func(path string) (kind string, read bool) { return "file", languageOf(path) != nil }
}

// read returns the patterns of a file; none if it cannot be read.
func (r *rules) read(name string) ignore.Patterns {
	text, _ := r.folder.Read(folder.Entry{Path: name}, maxIgnore)
	return ignore.Parse(string(text))
}

// readPatterns returns the patterns of the .gitignore of a folder.
func (r *rules) readPatterns(dir string) ignore.Patterns {
	r.mu.Lock()
	defer r.mu.Unlock()
	patterns, ok := r.patterns[dir]
	if !ok {
		patterns = r.read(path.Join(dir, gitIgnore))
		r.patterns[dir] = patterns
	}
	return patterns
}

// excludes reports whether the rules leave out a file or folder by its own path. It does
// not tell whether a folder around it is left out.
func (r *rules) excludes(name string, isFolder bool) bool {
	if excluded, decided := r.own.Decide(name, isFolder); decided {
		return excluded
	}
	for dir := path.Dir(name); ; dir = path.Dir(dir) {
		rest := name
		if dir != "." {
			rest = strings.TrimPrefix(name, dir+"/")
		}
		if excluded, decided := r.readPatterns(dir).Decide(rest, isFolder); decided {
			return excluded
		}
		if dir == "." {
			break
		}
	}
	if !isFolder || slices.Contains(foreignFolders, path.Base(name)) {
		return isFolder
	}
	_, err := fs.Stat(r.folder.Dir.FS(), path.Join(name, ".git"))
	return err == nil // a nested repository or worktree
}
