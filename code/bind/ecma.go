package bind

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"hence/code/syntax"
	"hence/internal/lists"
)

// ecmaExtensions are the extensions that ecmaFile tries, in this order.
var ecmaExtensions = []string{".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"}

// ecmaFile returns the file that the path of an import names, for the first of some paths that
// names one, or nil. It tries, in this order: the TypeScript source of a compiled file (x.ts for
// x.js), the path itself, the path with an extension added, and an index file in the folder of
// that path.
func (b *binder) ecmaFile(names ...string) *syntax.Places {
	for _, name := range names {
		if name == "" || name == ".." || strings.HasPrefix(name, "../") || strings.HasPrefix(name, "/") {
			continue
		}
		candidates := []string{}
		for _, swap := range [][2]string{{".js", ".ts"}, {".js", ".tsx"}, {".jsx", ".tsx"}, {".mjs", ".mts"}, {".cjs", ".cts"}, {".js", ".d.ts"}} {
			if bare, ok := strings.CutSuffix(name, swap[0]); ok {
				candidates = append(candidates, bare+swap[1])
			}
		}
		if slices.Contains(ecmaExtensions, path.Ext(name)) {
			candidates = append(candidates, name)
		}
		for _, bare := range []string{name, path.Join(name, "index")} {
			candidates = append(candidates, lists.Map(ecmaExtensions, func(extension string) string { return bare + extension })...)
		}
		if file := b.first(nil, candidates...); file != nil {
			return file
		}
	}
	return nil
}

// ecmaModule returns the file that an import in file names, or nil: by a relative path, by
// paths or baseUrl of the nearest tsconfig.json, or by the name of a package of the
// repository. It ignores a query ("?raw").
func (b *binder) ecmaModule(file *syntax.Places, from string) *syntax.Places {
	from, _, _ = strings.Cut(from, "?")
	return b.once("module "+file.Path+" "+from, 0, func() value { return value{file: b.findModule(file, from)} }).file
}

// once returns the value that find returns for a key, and keeps it. cost is the work of find.
func (b *binder) once(key string, cost int, find func() value) value {
	known, ok := b.known[key]
	if !ok {
		b.work += cost
		known = find()
		b.known[key] = known
	}
	return known
}

func (b *binder) findModule(file *syntax.Places, from string) *syntax.Places {
	if from == "." || from == ".." || strings.HasPrefix(from, "./") || strings.HasPrefix(from, "../") {
		module := path.Join(path.Dir(file.Path), from)
		if last := path.Base("/" + from); last == "." || last == ".." || strings.HasSuffix(from, "/") { // a folder, as Node says it
			module = path.Join(module, "index")
		}
		return b.ecmaFile(module)
	}
	settings := b.names[settingsKey]
	if len(settings) == 0 {
		return nil
	}
	if other := b.byCompiler(file, from); other != nil {
		return other
	}
	return b.once("package "+from, len(settings), func() value { return value{file: b.findPackage(settings, from)} }).file
}

// byCompiler returns the file that an import names by the nearest tsconfig.json or
// jsconfig.json with paths or baseUrl, of its own or of those that it extends; nil if there is none.
func (b *binder) byCompiler(file *syntax.Places, from string) *syntax.Places {
	for folder := path.Dir(file.Path); ; folder = path.Dir(folder) {
		for _, name := range []string{"tsconfig.json", "jsconfig.json"} {
			left := maxSettings
			if o := b.optionsOf(path.Join(folder, name), folder, &left); o.base != "" || o.paths != nil {
				return b.byPaths(o, from)
			}
		}
		if folder == "." || folder == "/" {
			return nil
		}
	}
}

// maxSettings limits how many tsconfig.json are read for one that extends them, also where they extend each other.
const maxSettings = 100

// compilerOptions decide what the import of a module names.
type compilerOptions struct {
	base   string              // folder; "" if there is none
	paths  map[string][]string // from base, or else from folder
	folder string              // of the file that has the paths
	origin string              // folder of the file in which the search began, for ${configDir}
}

// optionsOf returns the options of a settings file, and of those that it extends where it has none. A package
// outside the repository has none. It counts the files that it reads down from left.
func (b *binder) optionsOf(settings, origin string, left *int) compilerOptions {
	o, folder := compilerOptions{origin: origin}, path.Dir(settings)
	file := b.files[settings]
	if file == nil || file.Project == nil || *left == 0 {
		return o
	}
	*left--
	for _, extended := range file.Project.Extends {
		if !strings.HasPrefix(extended, ".") {
			continue
		}
		above := b.optionsOf(path.Join(folder, strings.TrimSuffix(extended, ".json")+".json"), origin, left)
		o.base = cmp.Or(above.base, o.base)
		if above.paths != nil {
			o.paths, o.folder = above.paths, above.folder
		}
	}
	if file.Project.Base != "" {
		o.base = o.join(folder, file.Project.Base)
	}
	if file.Project.Paths != nil {
		o.paths, o.folder = file.Project.Paths, folder
	}
	return o
}

// join returns a path that settings in a folder name.
func (o compilerOptions) join(folder, name string) string {
	if rest, ok := strings.CutPrefix(name, "${configDir}"); ok {
		return path.Join(o.origin, rest)
	}
	return path.Join(folder, name)
}

// byPaths returns the file that an import names by paths, or else by baseUrl; nil if there is none. As
// in TypeScript (matchPatternOrExact), an exact pattern comes first, then the one with the longest text
// before its star.
func (b *binder) byPaths(o compilerOptions, specifier string) *syntax.Places {
	best, longest, targets := "", -1, []string(nil)
	for pattern, to := range o.paths {
		start, end, hasStar := strings.Cut(pattern, "*")
		length := len(start)
		switch {
		case specifier == pattern:
			length = len(specifier) + 1
		case !hasStar || len(specifier) < len(start)+len(end) || !strings.HasPrefix(specifier, start) || !strings.HasSuffix(specifier, end):
			continue
		}
		if length > longest || length == longest && pattern < best {
			best, longest, targets = pattern, length, to
		}
	}
	names := []string{}
	start, end, _ := strings.Cut(best, "*")
	for _, target := range targets {
		middle := strings.TrimSuffix(strings.TrimPrefix(specifier, start), end)
		names = append(names, o.join(cmp.Or(o.base, o.folder), strings.Replace(target, "*", middle, 1)))
	}
	if o.base != "" {
		names = append(names, path.Join(o.base, specifier))
	}
	return b.ecmaFile(names...)
}

// findPackage returns the file that an import names by the name of a package of the
// repository, or by that name and a path in the package; nil if there is none or several
// packages have the name. settings are the repository's settings files.
func (b *binder) findPackage(settings []*syntax.Places, from string) *syntax.Places {
	var owner *syntax.Places
	longest, isUnique := 0, false
	for _, one := range settings {
		p := one.Project
		if path.Base(one.Path) != "package.json" || from != p.Name && !strings.HasPrefix(from, p.Name+"/") {
			continue
		}
		if size := len(p.Name); size > longest {
			owner, longest, isUnique = one, size, true
		} else if size == longest {
			isUnique = false
		}
	}
	if !isUnique {
		return nil
	}
	p, folder := owner.Project, path.Dir(owner.Path)
	names := append(append([]string{"src/index"}, p.Entry...), "index")
	if inner := strings.Trim(strings.TrimPrefix(from, p.Name), "/"); inner != "" {
		names = []string{inner, path.Join("src", inner)}
	}
	return b.ecmaFile(lists.Map(names, func(name string) string { return path.Join(folder, name) })...)
}

// ecmaImport returns the value of a name that a file imports from a module. name is "*" for
// the whole module, and "=" for its export assignment (export = x), or else the whole
// module. A default import of a module without one is its export assignment too. The value
// is unknown if the module is not in the repository.
func (b *binder) ecmaImport(file *syntax.Places, from, name string) value {
	module := b.ecmaModule(file, from)
	if module == nil {
		return value{}
	}
	target, assigned := value{kind: isModule, file: module}, module.Exports["="]
	if name != "*" && name != "=" {
		target = b.exportOf(target, name)
	}
	if assigned != nil && (name == "=" || name == "default" && target.kind == isUnknown) {
		return b.eval(module, assigned)
	}
	return target
}
