// Package resolve says which file of a vault a link text means, as Obsidian
// does. It knows paths and aliases, nothing of what the files hold and nothing
// of any database.
//
// A text is looked up as written, then with ".md" after it; upper and lower
// case and Unicode's composed and decomposed forms are the same. "./" and "../"
// start from the source's folder and "/" from the vault's root, and both mean
// that path alone. Any other text means, in this order: the file at that path
// from the root; a file whose path ends in the text, below the source's folder;
// such a file anywhere. Of several the shortest path wins (in UTF-16 units),
// then, where Obsidian's choice is unstable, the path that is spelled as the
// text is, then the first in byte order.
package resolve

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// By says how a link text found its file.
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

// Result is what a link text means.
type Result struct {
	Path string // the file as it was added; "" when dangling
	By   By
	// Candidates are the other files the text could have meant, the likeliest
	// first, at most MaxCandidates. A text that names one path alone has none.
	Candidates []string
}

// Resolve says what target, the part of a link before its '#', means in the
// file source. Only where no file answers may an alias do so, with ByAlias.
func (x *Index) Resolve(source, target string) Result {
	target = strings.TrimSpace(target)
	if target == "" {
		if source == "" {
			return Result{}
		}
		return Result{Path: source, By: BySelf}
	}
	switch {
	case relative(target) && folder(target):
		return Result{} // not the note that is called as the folder is
	case relative(target):
		// Clean keeps the "../" that lead out of the vault; no file is there.
		return x.exact(path.Join(path.Dir(source), target), ByRelative)
	case strings.HasPrefix(target, "/"):
		return x.exact(strings.TrimLeft(target, "/"), ByPath)
	}
	if r := x.search(source, target); r.By != ByNone {
		return r
	}
	return x.alias(source, target)
}

// relative says whether a text starts from its source's folder.
func relative(target string) bool {
	return strings.HasPrefix(target, "./") || strings.HasPrefix(target, "../")
}

// folder says whether a relative text can mean a folder only.
func folder(target string) bool {
	last := base(target)
	return last == "" || last == "." || last == ".."
}

// exact looks for the file at one path.
func (x *Index) exact(target string, by By) Result {
	folded := fold(target)
	for _, want := range []string{folded, folded + ".md"} {
		var at []*file
		for _, f := range x.byName[base(want)] {
			if f.folded == want {
				at = append(at, f)
			}
		}
		if len(at) > 0 {
			return Result{Path: nearest(at, "", target)[0].path, By: by}
		}
	}
	return Result{}
}

// search looks for the files whose path is the target or ends in it.
func (x *Index) search(source, target string) Result {
	folded := fold(target)
	for _, want := range []string{folded, folded + ".md"} {
		var whole, ending []*file
		for _, f := range x.byName[base(want)] {
			switch {
			case f.folded == want:
				whole = append(whole, f)
			case strings.HasSuffix(f.folded, want) && f.folded[len(f.folded)-len(want)-1] == '/':
				ending = append(ending, f)
			}
		}
		if len(whole)+len(ending) == 0 {
			continue
		}
		by := ByName
		switch {
		case len(whole) > 0:
			by = ByPath
		case strings.Contains(want, "/"):
			by = BySuffix
		}
		return result(append(nearest(whole, source, target), nearest(ending, source, target)...), by)
	}
	return Result{}
}

// alias looks for the files that give target as an alias.
func (x *Index) alias(source, target string) Result {
	files := x.byAlias[fold(target)]
	if len(files) == 0 {
		return Result{}
	}
	return result(nearest(slices.Clone(files), source, target), ByAlias)
}

// Named says which note a text is the name of: the only one that is called so,
// else the only one that has it as an alias, wherever they are. A text that
// several have means none of them.
func (x *Index) Named(text string) Result {
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

func result(files []*file, by By) Result {
	r := Result{Path: files[0].path, By: by}
	for _, f := range files[1:min(len(files), MaxCandidates+1)] {
		r.Candidates = append(r.Candidates, f.path)
	}
	return r
}

// nearest sorts files by how well they answer target in source, best first.
func nearest(files []*file, source, target string) []*file {
	if len(files) < 2 {
		return files
	}
	// The own folder is a matter of the path's start, so that folders below it
	// count too. At the root every file is below it.
	folder := ""
	if dir := path.Dir(source); dir != "." {
		folder = fold(dir) + "/"
	}
	away := func(f *file) int {
		if strings.HasPrefix(f.folded, folder) {
			return 0
		}
		return 1
	}
	spelledOtherwise := func(f *file) int {
		if strings.HasSuffix(strings.TrimSuffix(f.path, ".md"), strings.TrimSuffix(target, ".md")) {
			return 0
		}
		return 1
	}
	slices.SortFunc(files, func(a, b *file) int {
		return cmp.Or(
			cmp.Compare(away(a), away(b)),
			cmp.Compare(a.length, b.length),
			cmp.Compare(spelledOtherwise(a), spelledOtherwise(b)),
			cmp.Compare(a.path, b.path),
		)
	})
	return files
}
