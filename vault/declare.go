package vault

import (
	"strings"

	"hence/edges"
	"hence/internal/prose"
	"hence/projection"
	"hence/vault/note"
)

// declares returns a site with the edge that a link declares: its kind, the author's word for
// it, its direction and its origin. ok is false if the owner wants none, and
// for a link within note.OwnProperties. A link with a word (a property, an inline field, a
// bullet under Relations) has the kind that the word means, or refers-to if it means none.
// Any other link is links-to or embeds.
func (s settings) declares(l note.Link) (site projection.Site, ok bool) {
	switch l.KeyKind {
	case note.KeyProperty:
		if strings.HasPrefix(l.Property, note.OwnProperties+".") {
			return site, false
		}
		return s.byWord(l.Property, "frontmatter")
	case note.KeyInlineField:
		return s.byWord(l.Key, "inline-field")
	case note.KeyRelation:
		return s.byWord(l.Key, "relation")
	}
	switch l.Form {
	case note.Embed, note.MarkdownEmbed, note.CanvasFile:
		return projection.Site{Kind: edges.Embeds, Origin: "embed"}, true
	case note.Markdown:
		return projection.Site{Kind: edges.LinksTo, Origin: "markdown"}, true
	}
	return projection.Site{Kind: edges.LinksTo, Origin: "wikilink"}, true
}

// byWord returns the edge that a word means: a property's whole path, or else its last
// part. It keeps the path as the author's word unless that is the kind's own name.
func (s settings) byWord(word, origin string) (site projection.Site, ok bool) {
	word = prose.OneLine(word) // YAML allows line ends in a name
	m, ok := s.means(word)
	if !ok {
		m, ok = s.means(word[strings.LastIndexByte(word, '.')+1:])
	}
	switch {
	case !ok:
		return projection.Site{Kind: edges.RefersTo, Rel: word, Origin: origin}, true
	case m.dropped:
		return site, false
	}
	site = projection.Site{Kind: m.kind, Rel: word, Backward: m.backward, Origin: origin}
	if edges.IsNameOf(m.kind, word) {
		site.Rel = ""
	}
	return site, true
}
