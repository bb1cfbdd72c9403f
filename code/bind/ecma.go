package bind

import (
	"path"
	"slices"
	"strings"

	"hence/code/syntax"
)

// ecmaEnds are tried, in this order, behind a path that an import names.
var ecmaEnds = []string{".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"}

// ecmaFile returns the file that a path without its end names, or the index of a folder.
func (b *binder) ecmaFile(named string) *syntax.Places {
	if named == "" || named == ".." || strings.HasPrefix(named, "../") || strings.HasPrefix(named, "/") {
		return nil
	}
	for _, swap := range [][2]string{{".js", ".ts"}, {".js", ".tsx"}, {".jsx", ".tsx"}, {".mjs", ".mts"}, {".cjs", ".cts"}, {".js", ".d.ts"}} {
		if bare, ok := strings.CutSuffix(named, swap[0]); ok {
			if file := b.files[bare+swap[1]]; file != nil {
				return file
			}
		}
	}
	if slices.Contains([]string{".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts"}, path.Ext(named)) {
		if file := b.files[named]; file != nil {
			return file
		}
	}
	for _, end := range ecmaEnds {
		if file := b.files[named+end]; file != nil {
			return file
		}
	}
	for _, end := range ecmaEnds {
		if file := b.files[path.Join(named, "index"+end)]; file != nil {
			return file
		}
	}
	return nil
}

// ecmaModule returns the file that an import names: relative, by paths or baseUrl of
// the nearest tsconfig.json, or by the name of a package of the repository.
func (b *binder) ecmaModule(file *syntax.Places, from string) *syntax.Places {
	from, _, _ = strings.Cut(from, "?")
	if from == "." || from == ".." || strings.HasPrefix(from, "./") || strings.HasPrefix(from, "../") {
		return b.ecmaFile(path.Join(path.Dir(file.Path), from))
	}
	settings := b.names[settingsKey]
	if len(settings) == 0 {
		return nil
	}
	if other := b.byCompiler(file, from); other != nil {
		return other
	}
	return b.byPackage(settings, from)
}

// byCompiler follows the nearest tsconfig.json that names modules.
func (b *binder) byCompiler(file *syntax.Places, from string) *syntax.Places {
	for folder := path.Dir(file.Path); ; folder = path.Dir(folder) {
		for _, name := range []string{"tsconfig.json", "jsconfig.json"} {
			settings := b.files[path.Join(folder, name)]
			if settings == nil || settings.Project == nil || settings.Project.Base == "" && settings.Project.Paths == nil {
				continue
			}
			return b.byPaths(settings.Project, folder, from)
		}
		if folder == "." || folder == "/" {
			return nil
		}
	}
}

func (b *binder) byPaths(project *syntax.Project, folder, from string) *syntax.Places {
	base := path.Join(folder, project.Base)
	best, targets := "", []string(nil)
	for pattern, to := range project.Paths {
		start, end, star := strings.Cut(pattern, "*")
		fits := from == pattern || star && len(from) >= len(start)+len(end) && strings.HasPrefix(from, start) && strings.HasSuffix(from, end)
		if fits && (len(pattern) > len(best) || len(pattern) == len(best) && pattern < best) {
			best, targets = pattern, to
		}
	}
	start, end, _ := strings.Cut(best, "*")
	for _, target := range targets {
		middle := strings.TrimSuffix(strings.TrimPrefix(from, start), end)
		if other := b.ecmaFile(path.Join(base, strings.Replace(target, "*", middle, 1))); other != nil {
			return other
		}
	}
	if project.Base != "" {
		return b.ecmaFile(path.Join(base, from))
	}
	return nil
}

// byPackage finds a package of the repository by its name.
func (b *binder) byPackage(settings map[string]bool, from string) *syntax.Places {
	owner := ""
	for filePath := range settings {
		p := b.files[filePath].Project
		if p.Name == "" || path.Base(filePath) != "package.json" || from != p.Name && !strings.HasPrefix(from, p.Name+"/") {
			continue
		}
		if owner != "" && len(b.files[owner].Project.Name) == len(p.Name) {
			return nil // two packages of one name
		}
		if owner == "" || len(b.files[owner].Project.Name) < len(p.Name) {
			owner = filePath
		}
	}
	if owner == "" {
		return nil
	}
	p, folder := b.files[owner].Project, path.Dir(owner)
	if inner := strings.TrimPrefix(strings.TrimPrefix(from, p.Name), "/"); inner != "" {
		for _, named := range []string{path.Join(folder, inner), path.Join(folder, "src", inner)} {
			if other := b.ecmaFile(named); other != nil {
				return other
			}
		}
		return nil
	}
	for _, named := range []string{path.Join(folder, "src/index"), path.Join(folder, "index")} {
		if other := b.ecmaFile(named); other != nil {
			return other
		}
	}
	for _, entry := range p.Entry {
		if other := b.ecmaFile(path.Join(folder, entry)); other != nil {
			return other
		}
	}
	return nil
}

// ecmaImport returns what a name that is imported from a module stands for.
func (b *binder) ecmaImport(file *syntax.Places, from, name string) value {
	module := b.ecmaModule(file, from)
	if module == nil {
		return value{}
	}
	of := value{kind: isModule, file: module}
	switch name {
	case "*":
		return of
	case "=":
		if whole := module.Exports["="]; whole != nil {
			return b.eval(module, whole)
		}
		return of
	}
	target := b.exportOf(of, name)
	if target.kind == isUnknown && name == "default" {
		if whole := module.Exports["="]; whole != nil {
			return b.eval(module, whole)
		}
	}
	return target
}

// ecmaExport returns what a module gives others under a name.
func (b *binder) ecmaExport(module *syntax.Places, name string, been map[string]bool) value {
	if been[module.Path] || b.fuel <= 0 {
		return value{}
	}
	been[module.Path] = true
	b.fuel--
	if holds := module.Exports[name]; holds != nil {
		return b.eval(module, holds)
	}
	if name == "default" {
		return value{}
	}
	if whole := module.Exports["="]; whole != nil {
		if of := b.eval(module, whole); of.kind != isModule || of.file != module {
			return b.lookup(of, name)
		}
	}
	for _, again := range module.Again {
		if next := b.ecmaModule(module, again.From); next != nil {
			if target := b.ecmaExport(next, name, been); target.kind != isUnknown {
				return target
			}
		}
	}
	return value{}
}
