package writing

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"hence/internal/fault"
	"hence/vault"
	"hence/vault/note"
	"hence/vault/resolve"
	"hence/vault/writing/edit"
)

// relinker rewrites the links of one file.
type relinker struct {
	*move
	path, newPath string // of the file, before and after the move
	source        []byte
}

// passage is a text with links: a note, or a text within a canvas.
type passage struct {
	text  []byte
	links []note.Link
	line  int // the line of the file that counts for all links; 0: each link has its own
}

func linksIn(text []byte) []note.Link { return note.Parse(text).Links }

// lineOf returns the line of a link in the file.
func (p passage) lineOf(l note.Link) int {
	if p.line > 0 {
		return p.line
	}
	return l.Span.Start.Line
}

// aim holds the file to which a link leads before the move, and the path to which it must
// lead after the move.
type aim struct {
	old  resolve.Result
	want string
}

// aim returns the aim of a link. ok is false for a dangling link, and for a link without a
// target, which leads to its own file.
func (r *relinker) aim(l note.Link) (a aim, ok bool) {
	if l.Target == "" {
		return a, false // leads to its own file at any path
	}
	a.old = r.before.Resolve(r.path, l.Target)
	if a.want = a.old.Path; a.want == r.move.Path {
		a.want = r.to
	}
	return a, a.want != ""
}

// leadsToWanted reports whether a link with another target would lead to a.want. A link that
// Obsidian resolves must not depend on an alias, which only Hence resolves, and a canvas
// names whole paths.
func (r *relinker) leadsToWanted(l note.Link, a aim, target string) bool {
	got := r.after.Resolve(r.newPath, target)
	switch {
	case got.Path != a.want:
		return false
	case l.Form == note.CanvasFile && a.old.By == resolve.ByPath:
		return got.By == resolve.ByPath
	}
	return a.old.By == resolve.ByAlias || got.By != resolve.ByAlias
}

// rewrite returns the new bytes of the file, and the links that it has rewritten.
func (r *relinker) rewrite() ([]byte, []Rewrite, error) {
	if vault.IsCanvas(r.path) {
		return r.rewriteCanvas()
	}
	n := note.Parse(r.source)
	// A property that names the moved note without brackets is not a link, and is not
	// rewritten.
	for _, v := range n.Values {
		if r.NamesNotes(v.Property) && r.before.FindByName(v.Target).Path == r.move.Path && r.after.FindByName(v.Target).Path != r.to {
			r.warn(r.newPath, fmt.Sprintf("names the note on line %d by its old name (%s: %s), which is left", v.Span.Start.Line, v.Property, v.Target))
		}
	}
	edits, rewrites, err := r.rewritePassage(passage{text: r.source, links: n.Links})
	return edit.Apply(r.source, edits), rewrites, err
}

// gainsLink reports whether a dangling link of the file will lead to the moved file.
func (r *relinker) gainsLink() bool {
	links := linksIn(r.source)
	if vault.IsCanvas(r.path) {
		n, err := note.ParseCanvas(r.source)
		if err != nil {
			return false
		}
		links = n.Links
	}
	return slices.ContainsFunc(links, func(l note.Link) bool {
		return l.Target != "" && r.before.Resolve(r.path, l.Target).Path == "" && r.after.Resolve(r.newPath, l.Target).Path == r.to
	})
}

// rewriteCanvas is rewrite for a canvas. A canvas that is not valid has no links.
func (r *relinker) rewriteCanvas() ([]byte, []Rewrite, error) {
	n, err := note.ParseCanvas(r.source)
	if err != nil {
		return r.source, nil, nil
	}
	var edits []edit.Edit
	var rewrites []Rewrite
	for from := 0; from < len(n.Links); {
		to := from + 1
		for to < len(n.Links) && n.Links[to].Span == n.Links[from].Span {
			to++
		}
		e, rewritten, err := r.rewriteNode(n.Links[from:to])
		if err != nil {
			return nil, nil, err
		}
		if len(rewritten) > 0 {
			edits, rewrites = append(edits, e), append(rewrites, rewritten...)
		}
		from = to
	}
	content := edit.Apply(r.source, edits)
	if parsed, err := note.ParseCanvas(content); err != nil || !r.agreeAll(n.Links, parsed.Links) {
		return nil, nil, r.refusal(n.Links[0].Span.Start.Line, "the canvas")
	}
	return content, rewrites, nil
}

// rewriteNode rewrites the links of one node of a canvas: its file, or those in its
// text.
func (r *relinker) rewriteNode(links []note.Link) (e edit.Edit, rewrites []Rewrite, err error) {
	start, end := links[0].Span.Start, links[0].Span.End
	field := "text"
	if links[0].Form == note.CanvasFile {
		field = "file"
	}
	v, err := edit.NodeValue(r.source, start.Offset, end.Offset, field)
	if err != nil {
		return e, nil, r.refusal(start.Line, links[0].Target)
	}
	if field == "file" {
		a, ok := r.aim(links[0])
		if !ok || r.leadsToWanted(links[0], a, links[0].Target) {
			return e, nil, nil
		}
		return v.Edit(a.want), []Rewrite{{LineNumber: start.Line, Before: v.Text, After: a.want}}, nil
	}
	// A blank line before the text, so that "---" on its first line is not read as a fence.
	inner := []byte("\n" + v.Text)
	edits, rewrites, err := r.rewritePassage(passage{text: inner, links: linksIn(inner), line: start.Line})
	if err != nil {
		return e, nil, err
	}
	return v.Edit(string(edit.Apply(inner, edits)[1:])), rewrites, nil
}

// rewritePassage returns the edits of a text, and the links that they rewrite. It parses the
// edited text to make sure that every link leads to the file that it must lead to.
func (r *relinker) rewritePassage(p passage) (edits []edit.Edit, rewrites []Rewrite, err error) {
	changed := []int{}
	candidates := map[int][]edit.Edit{}
	for i, l := range p.links {
		a, ok := r.aim(l)
		if !ok || r.leadsToWanted(l, a, l.Target) {
			continue
		}
		if candidates[i] = r.candidates(p, l, a); len(candidates[i]) == 0 {
			return nil, nil, r.refusal(p.lineOf(l), sourceOf(p.text, l))
		}
		changed = append(changed, i)
		edits = append(edits, candidates[i][0])
	}
	if len(changed) == 0 {
		return nil, nil, nil
	}
	if !r.agreeAll(p.links, linksIn(edit.Apply(p.text, edits))) {
		if edits, err = r.choose(p, changed, candidates); err != nil {
			return nil, nil, err
		}
	}
	for n, i := range changed {
		l := p.links[i]
		after := l
		after.Span.End.Offset += len(edits[n].Text) - (edits[n].End - edits[n].Start)
		rewrites = append(rewrites, Rewrite{
			LineNumber: p.lineOf(l), Before: sourceOf(p.text, l), After: sourceOf(edit.Apply(p.text, edits[n:n+1]), after),
		})
	}
	return edits, rewrites, nil
}

// sourceOf returns a link as it is written.
func sourceOf(text []byte, l note.Link) string {
	return strings.ToValidUTF8(string(text[l.Span.Start.Offset:l.Span.End.Offset]), "\uFFFD")
}

// candidates returns the edits that may give a link its new target, the best first.
func (r *relinker) candidates(p passage, l note.Link, a aim) (edits []edit.Edit) {
	show := ""
	if a.old.By == resolve.ByAlias {
		show = l.Target
	}
	for _, target := range r.spellings(l, a.old, a.want) {
		if r.leadsToWanted(l, a, target) {
			edits = append(edits, edit.Retarget(p.text, l, target, show)...)
		}
	}
	return edits
}

// choose returns for each link its first candidate that is right as the only edit of the
// text. It fails with conflict if there is none, or if the edits together are not right.
func (r *relinker) choose(p passage, changed []int, candidates map[int][]edit.Edit) (edits []edit.Edit, err error) {
	for _, i := range changed {
		n := slices.IndexFunc(candidates[i], func(candidate edit.Edit) bool {
			links := linksIn(edit.Apply(p.text, []edit.Edit{candidate}))
			return len(links) == len(p.links) && r.agrees(p.links[i], links[i])
		})
		if n < 0 {
			return nil, r.refusal(p.lineOf(p.links[i]), sourceOf(p.text, p.links[i]))
		}
		edits = append(edits, candidates[i][n])
	}
	if !r.agreeAll(p.links, linksIn(edit.Apply(p.text, edits))) {
		l := p.links[changed[0]]
		return nil, r.refusal(p.lineOf(l), sourceOf(p.text, l))
	}
	return edits, nil
}

// agreeAll reports whether each link after the move agrees with the one before it.
func (r *relinker) agreeAll(before, after []note.Link) bool {
	return slices.EqualFunc(before, after, r.agrees)
}

// agrees reports whether a link after the move has the form, anchor, property and display of the
// one before, and leads to the required file. A link by alias may show its old target instead,
// and the display of a Markdown link may differ. A link that led nowhere must be unchanged.
func (r *relinker) agrees(before, after note.Link) bool {
	same := before.Form == after.Form && before.Anchor == after.Anchor && before.Key == after.Key &&
		before.KeyKind == after.KeyKind && before.Lenient == after.Lenient
	a, ok := r.aim(before)
	switch {
	case !same:
		return false
	case !ok:
		return before.Target == after.Target && before.Display == after.Display
	case a.old.By == resolve.ByAlias && before.Display == "" && after.Display == before.Target:
	case before.Display != after.Display && before.Form != note.Markdown && before.Form != note.MarkdownEmbed:
		// The display of a Markdown link may contain another link, which is rewritten.
		return false
	}
	return r.leadsToWanted(before, a, after.Target)
}

// refusal returns the error for a link that cannot be rewritten.
func (r *relinker) refusal(line int, link string) error {
	return fault.New(fault.Conflict, "%s: %s, line %d: %s cannot be rewritten to lead to the same file; simplify the link first", r.operation, r.path, line, link).
		With("path", r.path).With("line_number", line)
}

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
