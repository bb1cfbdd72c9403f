package resolve

import (
	"slices"
	"strings"
	"unicode/utf16"

	"golang.org/x/text/unicode/norm"
)

// Index holds the files of a vault and their aliases. Lookups may run concurrently,
// but not with changes.
type Index struct {
	files   map[string]*file   // by path, as added
	byName  map[string][]*file // by folded file name, extension included
	byAlias map[string][]*file // by folded alias
}

// file is one file of the vault.
type file struct {
	path    string   // as added
	folded  string   // for comparison
	length  int      // of path, in UTF-16 units
	aliases []string // folded
}

// New returns an index of files, each a path from the vault's root with
// slashes, as it is on disk.
func New(files []string) *Index {
	x := &Index{
		files:   make(map[string]*file, len(files)),
		byName:  make(map[string][]*file, len(files)),
		byAlias: map[string][]*file{},
	}
	for _, f := range files {
		x.Add(f)
	}
	return x
}

// Add adds a file, unless it is there or hidden: Obsidian ignores files and folders
// whose names start with a dot.
func (x *Index) Add(path string) {
	if path == "" || x.files[path] != nil || path[0] == '.' || strings.Contains(path, "/.") {
		return
	}
	f := &file{path: path, folded: fold(path), length: len(utf16.Encode([]rune(path)))}
	x.files[path] = f
	name := base(f.folded)
	x.byName[name] = append(x.byName[name], f)
}

// Remove removes a file and its aliases, if it is there.
func (x *Index) Remove(path string) {
	f := x.files[path]
	if f == nil {
		return
	}
	x.Aliases(path, nil)
	drop(x.byName, base(f.folded), f)
	delete(x.files, path)
}

// Aliases replaces the aliases of a file. It does nothing for a file that was not
// added.
func (x *Index) Aliases(path string, names []string) {
	f := x.files[path]
	if f == nil {
		return
	}
	for _, a := range f.aliases {
		drop(x.byAlias, a, f)
	}
	f.aliases = nil
	for _, name := range names {
		a := fold(strings.TrimSpace(name))
		if a == "" || slices.Contains(f.aliases, a) {
			continue
		}
		f.aliases = append(f.aliases, a)
		x.byAlias[a] = append(x.byAlias[a], f)
	}
}

// Has reports whether a file was added with exactly this path.
func (x *Index) Has(path string) bool { return x.files[path] != nil }

// Len returns the number of files.
func (x *Index) Len() int { return len(x.files) }

// drop removes f from lists[key], and the list itself if it becomes empty.
func drop(lists map[string][]*file, key string, f *file) {
	list := slices.DeleteFunc(lists[key], func(g *file) bool { return g == f })
	if len(list) == 0 {
		delete(lists, key)
		return
	}
	lists[key] = list
}

// Key returns the key of a link text, a path or an alias: its last segment, folded, without
// ".md". A link text resolves only to a file of which the path or an alias has the same key,
// so that a file that is added or removed affects only links with its keys. The key of a
// link to its own note is "".
func Key(target string) string {
	key := base(fold(strings.TrimSpace(target)))
	for strings.HasSuffix(key, ".md") {
		// Every ".md" is removed, because [[n.md]] may mean the file n.md.md.
		key = strings.TrimSuffix(key, ".md")
	}
	return key
}

// noBreak replaces no-break spaces by plain spaces, as Obsidian does in paths.
var noBreak = strings.NewReplacer("\u00a0", " ", "\u202f", " ")

// fold returns a path in the form in which paths are compared.
func fold(path string) string {
	isFolded := true
	for i := range len(path) {
		isFolded = isFolded && path[i] < 0x80 && (path[i] < 'A' || path[i] > 'Z')
	}
	if isFolded {
		return path
	}
	return norm.NFC.String(strings.ToLower(noBreak.Replace(norm.NFC.String(path))))
}

// base returns the last segment of a path.
func base(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }
