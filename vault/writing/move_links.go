package writing

import (
	"fmt"
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
	path, newPath string // of the file, before and after
	source        []byte
}

// passage is a text with links: a note, or a text within a canvas.
type passage struct {
	text  []byte
	links []note.Link
	line  int // of the file, for all that is in it; 0: that of each link
}

func linksIn(text []byte) []note.Link { return note.Parse(text).Links }

// lineOf is the line of a link in the file.
func (p passage) lineOf(l note.Link) int {
	if p.line > 0 {
		return p.line
	}
	return l.Span.Start.Line
}

// aim is where a link leads, and must lead after the move.
type aim struct {
	was  resolve.Result
	want string
}

// aim returns where a link must lead; ok is false for one that leads nowhere.
func (r *relinker) aim(l note.Link) (a aim, ok bool) {
	if l.Target == "" {
		return a, false // the file itself, wherever it is
	}
	a.was = r.before.Resolve(r.path, l.Target)
	if a.want = a.was.Path; a.want == r.move.Path {
		a.want = r.to
	}
	return a, a.want != ""
}

// leadsRight says whether a link would lead where it must with another target. A
// link that Obsidian resolves must not depend on an alias, which only Hence
// resolves, and a canvas names whole paths.
func (r *relinker) leadsRight(l note.Link, a aim, target string) bool {
	now := r.after.Resolve(r.newPath, target)
	switch {
	case now.Path != a.want:
		return false
	case l.Form == note.CanvasFile && a.was.By == resolve.ByPath:
		return now.By == resolve.ByPath
	}
	return a.was.By == resolve.ByAlias || now.By != resolve.ByAlias
}

// rewrite returns the file with its links rewritten, and these.
func (r *relinker) rewrite() ([]byte, []Rewrite, error) {
	if vault.IsCanvas(r.path) {
		return r.rewriteCanvas()
	}
	n := note.Parse(r.source)
	// A property that names the moved note without brackets is not a link that could
	// be rewritten.
	for _, v := range n.Values {
		if r.NamesNotes(v.Property) && r.before.FindByName(v.Target).Path == r.move.Path && r.after.FindByName(v.Target).Path != r.to {
			r.warn(r.newPath, fmt.Sprintf("names the note on line %d by its old name (%s: %s), which is left", v.Span.Start.Line, v.Property, v.Target))
		}
	}
	edits, rewrites, err := r.rewritePassage(passage{text: r.source, links: n.Links})
	return edit.Apply(r.source, edits), rewrites, err
}

// catches says whether a link of the file that led nowhere will lead to the moved
// file.
func (r *relinker) catches() bool {
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

// rewriteCanvas is rewrite for a canvas. One that is not valid has no links.
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
	if again, err := note.ParseCanvas(content); err != nil || !r.agree(n.Links, again.Links) {
		return nil, nil, r.cannot(n.Links[0].Span.Start.Line, "the canvas")
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
		return e, nil, r.cannot(start.Line, links[0].Target)
	}
	if field == "file" {
		a, ok := r.aim(links[0])
		if !ok || r.leadsRight(links[0], a, links[0].Target) {
			return e, nil, nil
		}
		e, err = v.Edit(a.want)
		return e, []Rewrite{{LineNumber: start.Line, Before: v.Text, After: a.want}}, err
	}
	// A blank line before it keeps the text's first from being a fence.
	inner := []byte("\n" + v.Text)
	edits, rewrites, err := r.rewritePassage(passage{text: inner, links: linksIn(inner), line: start.Line})
	if err != nil {
		return e, nil, err
	}
	e, err = v.Edit(string(edit.Apply(inner, edits)[1:]))
	return e, rewrites, err
}

// rewritePassage finds what to write in a text, and parses the outcome to make sure
// that every link leads where it must.
func (r *relinker) rewritePassage(p passage) (edits []edit.Edit, rewrites []Rewrite, err error) {
	changed := []int{}
	ways := map[int][]edit.Edit{}
	for i, l := range p.links {
		a, ok := r.aim(l)
		if !ok || r.leadsRight(l, a, l.Target) {
			continue
		}
		if ways[i] = r.ways(p, l, a); len(ways[i]) == 0 {
			return nil, nil, r.cannot(p.lineOf(l), sourceOf(p.text, l))
		}
		changed = append(changed, i)
		edits = append(edits, ways[i][0])
	}
	if len(changed) == 0 {
		return nil, nil, nil
	}
	if !r.agree(p.links, linksIn(edit.Apply(p.text, edits))) {
		if edits, err = r.choose(p, changed, ways); err != nil {
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

// sourceOf is a link as it is written.
func sourceOf(text []byte, l note.Link) string {
	return strings.ToValidUTF8(string(text[l.Span.Start.Offset:l.Span.End.Offset]), "\uFFFD")
}

// ways returns the edits that may be made to a link, the best first.
func (r *relinker) ways(p passage, l note.Link, a aim) (ways []edit.Edit) {
	show := ""
	if a.was.By == resolve.ByAlias {
		show = l.Target
	}
	for _, target := range r.spellings(l, a.was, a.want) {
		if r.leadsRight(l, a, target) {
			ways = append(ways, edit.Retarget(p.text, l, target, show)...)
		}
	}
	return ways
}

// choose takes for each link the first edit that is right when it is the only one,
// and makes sure that all of them together are.
func (r *relinker) choose(p passage, changed []int, ways map[int][]edit.Edit) (edits []edit.Edit, err error) {
	for _, i := range changed {
		n := slices.IndexFunc(ways[i], func(way edit.Edit) bool {
			links := linksIn(edit.Apply(p.text, []edit.Edit{way}))
			return len(links) == len(p.links) && r.agrees(p.links[i], links[i])
		})
		if n < 0 {
			return nil, r.cannot(p.lineOf(p.links[i]), sourceOf(p.text, p.links[i]))
		}
		edits = append(edits, ways[i][n])
	}
	if !r.agree(p.links, linksIn(edit.Apply(p.text, edits))) {
		l := p.links[changed[0]]
		return nil, r.cannot(p.lineOf(l), sourceOf(p.text, l))
	}
	return edits, nil
}

// agree says whether links lead where those before them must.
func (r *relinker) agree(before, after []note.Link) bool {
	return slices.EqualFunc(before, after, r.agrees)
}

// agrees says whether a link is written as another was, and leads where that
// must.
func (r *relinker) agrees(before, after note.Link) bool {
	same := before.Form == after.Form && before.Anchor == after.Anchor && before.Key == after.Key &&
		before.KeyKind == after.KeyKind && before.Lenient == after.Lenient
	a, ok := r.aim(before)
	switch {
	case !same:
		return false
	case !ok:
		return before.Target == after.Target && before.Display == after.Display
	case a.was.By == resolve.ByAlias && before.Display == "" && after.Display == before.Target:
	case before.Display != after.Display && before.Form != note.Markdown && before.Form != note.MarkdownEmbed:
		// The display of a Markdown link may hold another link.
		return false
	}
	return r.leadsRight(before, a, after.Target)
}

// cannot refuses the move because of a link.
func (r *relinker) cannot(line int, link string) error {
	return fault.New(fault.Conflict, "%s: %s, line %d: %s cannot be rewritten to lead to the same file; simplify the link first", r.operation, r.path, line, link).
		With("path", r.path).With("line_number", line)
}
