package golang

import (
	"cmp"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"hence/code/symbol"
	"hence/internal/lists"
)

// tree holds all Go files of a repository.
type tree struct {
	set     *token.FileSet
	sources map[string]*source   // by path
	folders map[string][]*source // by folder, in the order of numbering; see the package comment
	modules []module             // the deepest first
	targets map[importKey]string // folders that imports refer to; "" if outside
	heavy   map[string]bool      // paths of files that are left out, see findHeavy
}

// importKey decides which folder an import refers to: the folder of the go.mod around it,
// and its path.
type importKey struct{ moduleRoot, path string }

// module is a module of the go command: a folder with a go.mod.
type module struct {
	folder string // "." for the root
	path   string
	local  map[string]string // module path → folder, of replace directives
}

// readTree reads all files, and finds the folders that their imports refer to. It leaves
// out files in folders named vendor.
func readTree(files map[string][]byte) *tree {
	t := &tree{set: token.NewFileSet(), sources: map[string]*source{}, folders: map[string][]*source{}, targets: map[importKey]string{}}
	names := []string{}
	for name, text := range files {
		switch {
		case strings.HasPrefix(name, "vendor/") || strings.Contains(name, "/vendor/"):
		case path.Base(name) == "go.mod":
			t.modules = append(t.modules, readModule(name, text))
		case strings.HasSuffix(name, ".go"):
			names = append(names, name)
		}
	}
	slices.Sort(names)
	slices.SortFunc(t.modules, func(a, b module) int {
		return cmp.Or(cmp.Compare(b.depth(), a.depth()), cmp.Compare(a.folder, b.folder))
	})
	read := make([]*source, len(names))
	lists.InParallel(len(names), func(i int) { read[i] = readSource(names[i], files[names[i]]) })
	for _, s := range read {
		if s != nil {
			t.sources[s.path] = s
			t.folders[s.folder] = append(t.folders[s.folder], s)
		}
	}
	for folder, sources := range t.folders {
		own, ok := t.moduleAround(folder)
		if !ok {
			continue
		}
		for _, s := range sources {
			s.moduleRoot = own.folder
			for _, i := range s.imports {
				key := importKey{own.folder, i.path}
				if _, known := t.targets[key]; !known {
					t.targets[key] = t.resolve(i.path, own)
				}
			}
		}
	}
	t.number()
	t.heavy = findHeavy(t)
	maps.DeleteFunc(t.heavy, func(_ string, isHeavy bool) bool { return !isHeavy })
	maps.DeleteFunc(t.sources, func(path string, _ *source) bool { return t.heavy[path] })
	for folder, sources := range t.folders {
		if t.folders[folder] = slices.DeleteFunc(sources, func(s *source) bool { return t.heavy[s.path] }); len(t.folders[folder]) == 0 {
			delete(t.folders, folder)
		}
	}
	return t
}

// depth is larger for a folder than for the folders around it.
func (m module) depth() int {
	if m.folder == "." {
		return 0
	}
	return len(m.folder)
}

func readModule(name string, text []byte) module {
	m := module{folder: path.Dir(name), path: modfile.ModulePath(text), local: map[string]string{}}
	parsed, err := modfile.Parse(name, text, nil)
	if err != nil {
		return m // only the replacements are unknown
	}
	for _, r := range parsed.Replace {
		if modfile.IsDirectoryPath(r.New.Path) {
			m.local[r.Old.Path] = path.Join(m.folder, strings.ReplaceAll(r.New.Path, `\`, "/"))
		}
	}
	return m
}

// number gives each declaration its key, by the same rule as Number.
func (t *tree) number() {
	for _, sources := range t.folders {
		slices.SortFunc(sources, func(a, b *source) int {
			return strings.Compare(rankOf(!a.limit.allows(reference), a.path), rankOf(!b.limit.allows(reference), b.path))
		})
	}
	files := []symbol.File{}
	for _, s := range t.sources {
		files = append(files, symbol.File{Path: s.path, Module: s.module, Elsewhere: !s.limit.allows(reference), Declarations: s.names})
	}
	Number(files)
	for _, f := range files {
		s := t.sources[f.Path]
		s.keys, s.names = make(map[int]symbol.Key, len(s.names)), nil
		for _, d := range f.Declarations {
			s.keys[d.Start] = symbol.KeyOf(s.module, d.Name)
		}
	}
}

// moduleAround returns the innermost module that a folder belongs to.
func (t *tree) moduleAround(folder string) (module, bool) {
	for _, m := range t.modules {
		if m.folder == "." || folder == m.folder || strings.HasPrefix(folder, m.folder+"/") {
			return m, true
		}
	}
	return module{}, false
}

// folderOf returns the folder that an import of a file refers to; "" if it is outside the
// repository.
func (t *tree) folderOf(imported string, s *source) string {
	return t.targets[importKey{s.moduleRoot, imported}]
}

// resolve returns the folder of an import path; "" if it is outside the repository. It
// looks in the import's own module, then in the folders of its replace directives, then in
// the other modules.
func (t *tree) resolve(imported string, own module) string {
	if folder := t.inModule(imported, own.path, own.folder); folder != "" {
		return folder
	}
	best, longest := "", -1
	for old, folder := range own.local {
		if dir := t.inModule(imported, old, folder); dir != "" && len(old) > longest {
			best, longest = dir, len(old)
		}
	}
	if best != "" {
		return best
	}
	for _, m := range slices.Backward(t.modules) { // the least deep of several with one path
		if dir := t.inModule(imported, m.path, m.folder); dir != "" && len(m.path) > longest {
			best, longest = dir, len(m.path)
		}
	}
	return best
}

// inModule returns the folder of a package within a module; "" if it has no Go files or
// belongs to a nested module. The import paths of module std have no prefix.
func (t *tree) inModule(imported, modulePath, root string) string {
	var rest string
	switch {
	case modulePath == "":
		return ""
	case modulePath == "std":
		rest = imported
	case imported == modulePath:
	case strings.HasPrefix(imported, modulePath+"/"):
		rest = imported[len(modulePath)+1:]
	default:
		return ""
	}
	folder := path.Join(root, rest)
	if len(t.folders[folder]) == 0 {
		return ""
	}
	if around, ok := t.moduleAround(folder); ok && around.folder != root {
		return ""
	}
	return folder
}
