package vault

import (
	"strings"

	"hence/edges"
	"hence/vault/note"
)

// declaration is the edge that a link declares: its kind and the author's
// word for it, and whether it is stored from the target to the note.
type declaration struct {
	kind     edges.Kind
	rel      string
	backward bool
	origin   string
}

// declares says what edge a link declares. A link in the body is links-to or
// embeds. One with a word (a property, an inline field, a bullet under
// Relations) has the kind that the word means, else refers-to.
func declares(l note.Link) declaration {
	switch l.KeyKind {
	case note.KeyProperty:
		return byWord(propertyName(l.Key), "frontmatter")
	case note.KeyInlineField:
		return byWord(l.Key, "inline-field")
	case note.KeyRelation:
		return byWord(l.Key, "relation")
	}
	switch l.Form {
	case note.Embed, note.MarkdownEmbed, note.CanvasFile:
		return declaration{kind: edges.Embeds, origin: "embed"}
	case note.Markdown:
		return declaration{kind: edges.LinksTo, origin: "markdown"}
	}
	return declaration{kind: edges.LinksTo, origin: "wikilink"}
}

// byWord finds the kind by the last part of a property's path, and keeps the
// whole of it as the author's word unless it is the kind's own name.
func byWord(word, origin string) declaration {
	last := word[strings.LastIndexByte(word, '.')+1:]
	kind, backward, ok := edges.Lookup(last)
	if !ok {
		return declaration{kind: edges.RefersTo, rel: word, origin: origin}
	}
	d := declaration{kind: kind, rel: word, backward: backward, origin: origin}
	if edges.Named(kind, word) {
		d.rel = ""
	}
	return d
}

// propertyName is a property's path without the places in lists: "rel.0" is
// "rel".
func propertyName(key string) string {
	parts := strings.Split(key, ".")
	kept := parts[:1]
	for _, part := range parts[1:] {
		if strings.Trim(part, "0123456789") != "" {
			kept = append(kept, part)
		}
	}
	return strings.Join(kept, ".")
}
