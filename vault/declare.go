package vault

import (
	"strings"

	"hence/edges"
	"hence/internal/prose"
	"hence/vault/note"
)

// declaration is the edge that a link declares: its kind, the author's word for it, and
// whether it leads from the target to the note (backward).
type declaration struct {
	kind     edges.Kind
	rel      string
	backward bool
	origin   string
}

// declares returns the edge that a link declares. ok is false if the owner wants none, and
// for a link within note.OwnProperties. A link with a word (a property, an inline field, a
// bullet under Relations) has the kind that the word means, or refers-to if it means none.
// Any other link is links-to or embeds.
func (s settings) declares(l note.Link) (d declaration, ok bool) {
	switch l.KeyKind {
	case note.KeyProperty:
		if strings.HasPrefix(l.Property, note.OwnProperties+".") {
			return declaration{}, false
		}
		return s.byWord(l.Property, "frontmatter")
	case note.KeyInlineField:
		return s.byWord(l.Key, "inline-field")
	case note.KeyRelation:
		return s.byWord(l.Key, "relation")
	}
	switch l.Form {
	case note.Embed, note.MarkdownEmbed, note.CanvasFile:
		return declaration{kind: edges.Embeds, origin: "embed"}, true
	case note.Markdown:
		return declaration{kind: edges.LinksTo, origin: "markdown"}, true
	}
	return declaration{kind: edges.LinksTo, origin: "wikilink"}, true
}

// byWord returns the edge that a word means: a property's whole path, or else its last
// part. It keeps the path as the author's word unless that is the kind's own name.
func (s settings) byWord(word, origin string) (d declaration, ok bool) {
	word = prose.OneLine(word) // YAML allows line ends in a name
	m, ok := s.means(word)
	if !ok {
		m, ok = s.means(word[strings.LastIndexByte(word, '.')+1:])
	}
	switch {
	case !ok:
		return declaration{kind: edges.RefersTo, rel: word, origin: origin}, true
	case m.dropped:
		return declaration{}, false
	}
	d = declaration{kind: m.kind, rel: word, backward: m.backward, origin: origin}
	if edges.IsNameOf(m.kind, word) {
		d.rel = ""
	}
	return d, true
}
