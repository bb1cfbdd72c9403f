package writing

import (
	"path/filepath"
	"strings"

	"hence/vault"
	"hence/vault/note"
	"hence/vault/resolve"
)

// spellings returns the targets by which a link may lead to the file want, the best first:
// those in the style of the old target, then the ends of the path, the shortest first, and
// the path from the root. old is the file to which the link led before.
func (r *relinker) spellings(l note.Link, old resolve.Result, want string) (all []string) {
	bare := strings.TrimSuffix(want, want[max(0, len(want)-len(".md")):])
	forms := []string{want}
	if vault.IsNote(want) {
		if forms = []string{bare, want}; vault.IsNote(l.Target) {
			forms = []string{want, bare}
		}
	}
	for _, form := range forms {
		all = append(all, r.inOldStyle(l, old, form)...)
	}
	for _, form := range forms {
		all = append(all, suffixes(form, 1)...)
		all = append(all, "/"+form)
	}
	return all
}

// inOldStyle returns the targets for a path that are written in the style of the old
// target: from the source's folder, from the root, or as the end of the path.
func (r *relinker) inOldStyle(l note.Link, old resolve.Result, form string) []string {
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
	case segments > 1 && old.By == resolve.ByPath:
		return []string{form}
	}
	// The old target may be the path from the source's folder.
	oldRelative := relativeTo(r.path, old.Path)
	if segments > 1 && (l.Target == oldRelative || l.Target+".md" == oldRelative) && !strings.HasPrefix(relative, "../") {
		return append([]string{relative}, suffixes(form, segments)...)
	}
	return suffixes(form, segments)
}

// suffixes returns the ends of a path that have at least segments segments, the shortest
// first.
func suffixes(path string, segments int) (all []string) {
	parts := strings.Split(path, "/")
	for n := min(segments, len(parts)); n <= len(parts); n++ {
		all = append(all, strings.Join(parts[len(parts)-n:], "/"))
	}
	return all
}

// relativeTo returns the path of target from the folder of source.
func relativeTo(source, target string) string {
	relative, err := filepath.Rel(filepath.Dir(filepath.FromSlash(source)), filepath.FromSlash(target))
	if err != nil {
		return target // cannot happen: both paths are from the root
	}
	return filepath.ToSlash(relative)
}
