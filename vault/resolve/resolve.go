// Package resolve finds the file of a vault that a link text means, as Obsidian does,
// by paths and aliases.
//
// A text is looked up as written, then with ".md" after it. Case does not matter, nor do
// Unicode's composed and decomposed forms. A text with "./" or "../" means only that path
// from the source's folder, and a text with "/" only that path from the vault's root. Any
// other text means, in this order: the file at that path from the root; a file below the
// source's folder whose path ends in the text; such a file anywhere. If there are several,
// the shortest path wins (in UTF-16 units), then, where Obsidian's choice is unstable, the
// path that is spelled as the text is, then the first in byte order.
package resolve

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// By is the way in which a link text resolves to its file.
type By string

// The ways a link resolves. All but ByAlias are Obsidian's own.
const (
	ByNone     By = ""         // dangling
	BySelf     By = "self"     // an empty text: the source itself
	ByPath     By = "path"     // the exact path from the vault's root
	ByRelative By = "relative" // ./ or ../ from the source's folder
	ByName     By = "name"     // the file's name
	BySuffix   By = "suffix"   // the end of the file's path, of several segments
	ByAlias    By = "alias"    // a bare alias, which Obsidian leaves dangling
)

// MaxCandidates bounds Result.Candidates.
const MaxCandidates = 20

// Result is the file that a link text means.
type Result struct {
	Path string // of the file, as it was added; "" for a dangling link
	By   By
	// Candidates are the other files that the text could mean, the likeliest first,
	// at most MaxCandidates. A text that can only name one path has none.
	Candidates []string
}

// Resolve returns the file that target, the part of a link before its '#', means in the file
// source. Aliases count only if no file has the name.
func (x *Index) Resolve(source, target string) Result {
	target = strings.TrimSpace(target)
	if target == "" {
		if source == "" {
			return Result{}
		}
		return Result{Path: source, By: BySelf}
	}
	switch {
	case isRelative(target) && slices.Contains([]string{"", ".", ".."}, base(target)):
		return Result{} // a folder, not the note with the folder's name
	case isRelative(target):
		// Join keeps a "../" that leads out of the vault, so that no file is found.
		return x.exact(path.Join(path.Dir(source), target), ByRelative)
	case strings.HasPrefix(target, "/"):
		return x.exact(strings.TrimLeft(target, "/"), ByPath)
	}
	if files, by := x.search(source, target, true); len(files) > 0 {
		return result(files, by)
	}
	if files := x.byAlias[fold(target)]; len(files) > 0 {
		return result(nearest(slices.Clone(files), source, target), ByAlias)
	}
	return Result{}
}

// relative reports whether a text is relative to its source's folder.
func isRelative(target string) bool {
	return strings.HasPrefix(target, "./") || strings.HasPrefix(target, "../")
}

// exact returns the file at one path, with or without ".md".
func (x *Index) exact(target string, by By) Result {
	if files, _ := x.search("", target, false); len(files) > 0 {
		return Result{Path: files[0].path, By: by}
	}
	return Result{}
}

// search returns the files whose path is the target, and then, if ending is true, those whose path ends in it,
// for the target as it is or with ".md". The best come first. by says how the first resolves.
func (x *Index) search(source, target string, ending bool) (files []*file, by By) {
	for _, want := range []string{fold(target), fold(target) + ".md"} {
		by = ByName
		if strings.Contains(want, "/") {
			by = BySuffix
		}
		var ends []*file
		for _, f := range x.byName[base(want)] {
			switch {
			case f.folded == want:
				files, by = append(files, f), ByPath
			case ending && strings.HasSuffix(f.folded, "/"+want):
				ends = append(ends, f)
			}
		}
		if len(files)+len(ends) > 0 {
			return append(nearest(files, source, target), nearest(ends, source, target)...), by
		}
	}
	return nil, ByNone
}

// FindByName returns the note with a name: the only one in the vault with this file name,
// else the only one with this alias. It returns none if several have the name.
func (x *Index) FindByName(text string) Result {
	name := fold(strings.TrimSpace(text))
	files, by := x.byName[name+".md"], ByName
	if len(files) == 0 {
		files, by = x.byAlias[name], ByAlias
	}
	if len(files) != 1 {
		return Result{}
	}
	return Result{Path: files[0].path, By: by}
}

// result returns the first of files, with the others as candidates.
func result(files []*file, by By) Result {
	r := Result{Path: files[0].path, By: by}
	for _, f := range files[1:min(len(files), MaxCandidates+1)] {
		r.Candidates = append(r.Candidates, f.path)
	}
	return r
}

// nearest sorts files by how well they match target in source, best first.
func nearest(files []*file, source, target string) []*file {
	if len(files) < 2 {
		return files
	}
	// Folders below the source's own count too. At the root every file is below it.
	folder := ""
	if dir := path.Dir(source); dir != "." {
		folder = fold(dir) + "/"
	}
	first := func(is bool) int {
		if is {
			return 0
		}
		return 1
	}
	outside := func(f *file) int { return first(strings.HasPrefix(f.folded, folder)) }
	spelledDifferently := func(f *file) int {
		return first(strings.HasSuffix(strings.TrimSuffix(f.path, ".md"), strings.TrimSuffix(target, ".md")))
	}
	slices.SortFunc(files, func(a, b *file) int {
		return cmp.Or(
			cmp.Compare(outside(a), outside(b)),
			cmp.Compare(a.length, b.length),
			cmp.Compare(spelledDifferently(a), spelledDifferently(b)),
			cmp.Compare(a.path, b.path),
		)
	})
	return files
}
