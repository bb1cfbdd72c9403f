package writing

import (
	"path/filepath"
	"strings"

	"hence/vault"
	"hence/vault/note"
	"hence/vault/resolve"
)

// spellings returns the texts by which a link may lead to a file: first those in
// the manner of the old text, the shortest before the others.
func (r *relinker) spellings(l note.Link, was resolve.Result, want string) (all []string) {
	bare := strings.TrimSuffix(want, want[max(0, len(want)-len(".md")):])
	forms := []string{want}
	if vault.IsNote(want) {
		if forms = []string{bare, want}; vault.IsNote(l.Target) {
			forms = []string{want, bare}
		}
	}
	for _, form := range forms {
		all = append(all, r.inManner(l, was, form)...)
	}
	for _, form := range forms {
		all = append(all, suffixes(form, 1)...)
		all = append(all, "/"+form)
	}
	return all
}

// inManner returns the texts for a path that are written as the old text is:
// from the source's folder, from the root, or as the end of the path.
func (r *relinker) inManner(l note.Link, was resolve.Result, form string) []string {
	segments := strings.Count(l.Target, "/") + 1
	relative := relativeTo(r.newPath, form)
	switch {
	case l.Form == note.CanvasFile:
		return []string{form}
	case strings.HasPrefix(l.Target, "./") && !strings.HasPrefix(relative, "../"):
		return []string{"./" + relative}
	case strings.HasPrefix(l.Target, "./"), strings.HasPrefix(l.Target, "../"):
		return []string{relative}
	case strings.HasPrefix(l.Target, "/"):
		return []string{"/" + form}
	case segments > 1 && was.By == resolve.ByPath:
		return []string{form}
	}
	// The text may be the path from the source's folder.
	if old := relativeTo(r.path, was.Path); segments > 1 && (l.Target == old || l.Target+".md" == old) && !strings.HasPrefix(relative, "../") {
		return append([]string{relative}, suffixes(form, segments)...)
	}
	return suffixes(form, segments)
}

// suffixes returns the last segments of a path, from some number of them to all.
func suffixes(path string, segments int) (all []string) {
	parts := strings.Split(path, "/")
	for n := min(segments, len(parts)); n <= len(parts); n++ {
		all = append(all, strings.Join(parts[len(parts)-n:], "/"))
	}
	return all
}

// relativeTo is a path from the folder of a source.
func relativeTo(source, target string) string {
	relative, err := filepath.Rel(filepath.Dir(filepath.FromSlash(source)), filepath.FromSlash(target))
	if err != nil {
		return target // both are from the root, so that there always is one
	}
	return filepath.ToSlash(relative)
}
