package vault

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"hence/internal/db"
	"hence/memory"
	"hence/projection"
	"hence/vault/note"
	"hence/vault/resolve"
)

type document = projection.Document

// Read sets the fields of a document from the bytes of a note or canvas.
func (s settings) Read(d *document, bytes []byte) {
	d.Title = titleOf(d.Path)
	defer takeOwn(d) // the last step, so that it is only data to the others
	defer s.takeSource(d)
	switch {
	case IsNote(d.Path):
		s.takeNote(d, note.Parse(bytes))
	case IsCanvas(d.Path):
		n, err := note.ParseCanvas(bytes)
		if err != nil {
			d.Warn(0, "the canvas is not valid: "+err.Error())
			n = &note.Note{} // a file without links
		}
		s.takeNote(d, n)
	}
}

// takeOwn makes the members of OwnProperties properties of the memory, which replace others of
// the same name.
func takeOwn(d *document) {
	if own, ok := d.Properties[note.OwnProperties].(map[string]any); ok {
		delete(d.Properties, note.OwnProperties)
		maps.Copy(d.Properties, own)
	}
}

// takeNote sets the fields of a document from a parsed note or canvas.
func (s settings) takeNote(d *document, n *note.Note) {
	if IsNote(d.Path) {
		d.Content = Body(n)
		d.ContentHash = db.Hash(d.Content)
	}
	if n.Properties != nil {
		d.Properties = n.Properties
	}
	status, _ := d.Properties["status"].(string)
	d.Superseded = strings.EqualFold(strings.TrimSpace(status), memory.Superseded)
	s.takeTimes(d)
	d.Aliases = n.Aliases
	// Documents are kept until every name is known, so slices have no spare capacity.
	d.Rest = &rest{wanted: d.Properties["mentions"] == true, plain: slices.Clone(n.Plain), text: d.Content, before: len(n.Text) - len(d.Content)}
	done := 0
	for _, part := range n.Sections {
		section := projection.Section{Ordinal: part.Ordinal, Heading: part.Heading, Level: part.Level, StartLine: part.StartLine, EndLine: part.EndLine}
		if len(n.Sections) > 1 || part.Heading != "" || !IsNote(d.Path) {
			section.Body, section.BodyStart, section.BodyEnd = projection.PartOf(d.Content, part.Body, done)
			if part.Body == "" && d.Content != "" {
				section.BodyStart, section.BodyEnd = 1, 1 // of no bytes, because 0 and 0 would be all of the content
			}
			done = max(done, section.BodyEnd)
		}
		d.Sections = append(d.Sections, section)
	}
	s.takeSites(d, n)
	takeTags(d, n)
	for _, w := range n.Warnings {
		d.Warn(w.Line, w.Text)
	}
}

// takeSites adds the links of a note that declare an edge to the document's sites, and the
// property values that name a note or a symbol.
func (s settings) takeSites(d *document, n *note.Note) {
	d.Sites = make([]projection.Site, 0, len(n.Links))
	clipping := IsClipping(d.Properties)
	take := func(l note.Link) {
		site, ok := s.declares(l)
		if !ok {
			return
		}
		if clipping {
			makePlain(&site)
		}
		site.Rel, site.Lenient = db.WithoutControls(site.Rel), string(l.Lenient)
		site.Target, site.TargetKey, site.Anchor, site.Display = l.Target, resolve.Key(l.Target), l.Anchor, l.Display
		site.Line, site.Start, site.End = l.Span.Start.Line, l.Span.Start.Offset, l.Span.End.Offset
		restOf(d).setContext(&site, l.Context)
		d.Sites = append(d.Sites, site)
	}
	for _, l := range n.Links {
		take(l)
	}
	for _, v := range n.Values {
		switch {
		case s.namesCode(v):
			v.Lenient = note.Unquoted
			take(v)
		case s.namesNotes(v.Property):
			take(v)
		}
	}
}

// rest is the data of a note that is kept until every name is known.
type rest struct {
	wanted   bool           // see naming
	plain    []note.Stretch // the text in which mentions are searched; nil after that
	mentions []bareMention
	text     string // the document's content
	before   int    // bytes of the file before it
}

// setContext sets the context of a site as a part of the document's content.
func (r *rest) setContext(s *projection.Site, context string) {
	if s.Start < r.before {
		s.Context = context // a property's value, which the content seldom has
		return
	}
	start := min(s.Start-r.before, len(r.text))
	low := max(0, start-note.MaxBefore) // a line may be long
	from := low + strings.LastIndexByte(r.text[low:start], '\n') + 1
	s.Context, s.ContextStart, s.ContextEnd = projection.PartOf(r.text, context, from)
}

// restOf returns the rest of a document, empty for a file that is not read.
func restOf(d *document) *rest {
	if r, ok := d.Rest.(*rest); ok {
		return r
	}
	return &rest{}
}

// TagsOf returns the tags of a note as the store keeps them: each once, sorted, at most
// memory.MaxTags. It never returns nil.
func TagsOf(n *note.Note) []string {
	d := document{}
	takeTags(&d, n)
	if d.Tags == nil {
		return []string{}
	}
	return d.Tags
}

// WarningsOf returns the warnings of a parsed note as texts with line numbers. It never
// returns nil.
func WarningsOf(n *note.Note) []string {
	all := []string{}
	for _, w := range n.Warnings {
		text := w.Text
		if w.Line > 0 {
			text = fmt.Sprintf("line %d: %s", w.Line, w.Text)
		}
		all = append(all, strings.ToValidUTF8(text, "\uFFFD"))
	}
	return all
}

// takeTags sets the document's tags: the first memory.MaxTags of the note. It warns about
// those that it leaves out.
func takeTags(d *document, n *note.Note) {
	known := map[string]bool{}
	long, more := 0, 0
	for _, t := range n.Tags {
		tag := norm.NFC.String(t.Name)
		switch {
		case known[tag]:
		case utf8.RuneCountInString(tag) > memory.MaxTag:
			long++
		case len(d.Tags) == memory.MaxTags:
			more++
		default:
			d.Tags = append(d.Tags, tag)
		}
		known[tag] = true
	}
	slices.Sort(d.Tags)
	if long > 0 {
		d.Warn(0, fmt.Sprintf("tags of more than %d characters were left out: %d", memory.MaxTag, long))
	}
	if more > 0 {
		d.Warn(0, fmt.Sprintf("it has more than %d tags; the rest was left out: %d", memory.MaxTags, more))
	}
}

// Body returns the text of a note without its frontmatter and byte order mark, as the store
// keeps it.
func Body(n *note.Note) string {
	source := n.Text
	for range n.Frontmatter.Last {
		_, source, _ = strings.Cut(source, "\n")
	}
	return projection.Clean(strings.TrimPrefix(source, "\uFEFF"))
}
