package bind

import (
	"path"
	"strings"

	"hence/code/syntax"
)

// rustChild returns the file of a module that a file declares; nil if there is none.
func (b *binder) rustChild(file *syntax.Places, name string) *syntax.Places {
	folders := []string{path.Dir(file.Path)}
	if base := path.Base(file.Path); base != "lib.rs" && base != "main.rs" && base != "mod.rs" { // their modules are in the same folder
		folders = []string{strings.TrimSuffix(file.Path, ".rs")}
		if b.rustParent(file) == nil { // the root file of a crate with another name
			folders = append(folders, path.Dir(file.Path))
		}
	}
	candidates := []string{}
	for _, folder := range folders {
		candidates = append(candidates, path.Join(folder, name+".rs"), path.Join(folder, name, "mod.rs"))
	}
	return b.first(file, candidates...)
}

// rustParent returns the file that declares the module of a file; nil if there is none.
func (b *binder) rustParent(file *syntax.Places) *syntax.Places {
	folder, base := path.Split(file.Path)
	folder = path.Clean(folder)
	switch base {
	case "lib.rs", "main.rs":
		return nil
	case "mod.rs":
		base = path.Base(folder)
		folder = path.Dir(folder)
	}
	name := strings.TrimSuffix(base, ".rs")
	for _, at := range []string{path.Join(folder, "mod.rs"), folder + ".rs", path.Join(folder, "lib.rs"), path.Join(folder, "main.rs")} {
		if up := b.files[at]; up != nil && up != file {
			if holds := up.Names[name]; holds != nil && holds.From == "mod "+name {
				return up
			}
		}
	}
	return nil
}

// rustImport returns the module that crate, self, "mod <name>", or super for each step up refers to
// in a file. Each parent is nearer to the root of the repository, so that the way to the crate's file ends.
func (b *binder) rustImport(file *syntax.Places, from string) value {
	other := file
	switch child, isChild := strings.CutPrefix(from, "mod "); {
	case isChild:
		other = b.rustChild(file, child)
	case from == "crate":
		for up := other; up != nil; up = b.rustParent(other) {
			other = up
		}
	default: // self, or super for each step
		for steps := strings.Count(from, "super"); steps > 0 && other != nil; steps-- {
			other = b.rustParent(other)
		}
	}
	if other == nil {
		return value{}
	}
	return value{kind: isModule, file: other}
}

// findCrate returns the main module of a crate; foreign if the repository does not have it.
func (b *binder) findCrate(name string) value {
	var owner *syntax.Places
	for _, one := range b.names[settingsKey] {
		if one.Project.Name == name && path.Base(one.Path) == "Cargo.toml" {
			if owner != nil {
				return value{} // two crates of one name
			}
			owner = one
		}
	}
	if owner != nil {
		for _, entry := range owner.Project.Entry {
			if other := b.files[path.Join(path.Dir(owner.Path), entry)]; other != nil {
				return value{kind: isModule, file: other}
			}
		}
	}
	return value{kind: isForeign, name: name}
}
