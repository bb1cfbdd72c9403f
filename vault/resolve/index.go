package resolve

import (
	"slices"
	"strings"
	"unicode/utf16"

	"golang.org/x/text/unicode/norm"
)

// Index knows the files of a vault and their aliases. Lookups may run at the
// same time as each other, not as a change.
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

// Add adds a file; it does nothing for one that is there, and for one that is
// hidden: Obsidian sees no file or folder whose name starts with a dot.
func (x *Index) Add(path string) {
	if path == "" || x.files[path] != nil || hidden(path) {
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

// Aliases sets the aliases of a file, in place of those it had. It does nothing
// for a file that was not added.
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

// Has says whether a file was added under exactly this path.
func (x *Index) Has(path string) bool { return x.files[path] != nil }

// Len returns the number of files.
func (x *Index) Len() int { return len(x.files) }

// drop removes f from a list, and the list when it was the last.
func drop(lists map[string][]*file, key string, f *file) {
	list := slices.DeleteFunc(lists[key], func(g *file) bool { return g == f })
	if len(list) == 0 {
		delete(lists, key)
		return
	}
	lists[key] = list
}

func hidden(path string) bool {
	return path[0] == '.' || strings.Contains(path, "/.")
}

// Key returns what a link text, a file's path and an alias have in common when
// one may lead to the other: the last segment, folded, without ".md". A link
// resolves only to files, or through aliases, of its own key, so a file that
// comes or goes concerns no links but those of its key. "" is the note itself.
func Key(target string) string {
	key := base(fold(strings.TrimSpace(target)))
	for strings.HasSuffix(key, ".md") {
		// All of them: [[n.md]] may mean the file n.md.md.
		key = strings.TrimSuffix(key, ".md")
	}
	return key
}

// noBreak are the spaces that Obsidian takes for plain ones in paths.
var noBreak = strings.NewReplacer("\u00a0", " ", "\u202f", " ")

// fold returns a path in the form in which paths are compared.
func fold(path string) string {
	if plain(path) {
		return path
	}
	return norm.NFC.String(strings.ToLower(noBreak.Replace(norm.NFC.String(path))))
}

// plain says that folding would change nothing.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 || s[i] >= 'A' && s[i] <= 'Z' {
			return false
		}
	}
	return true
}

// base returns the last segment of a path.
func base(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }
