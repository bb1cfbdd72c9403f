package edges

import (
	"slices"
	"strings"

	"hence/internal/fault"
)

// Origins returns where an edge may come from, as schema.sql has it: a caller, an
// import, or a form of link in a note.
func Origins() []string {
	return []string{
		"agent", "person", "import",
		"frontmatter", "wikilink", "markdown", "embed", "inline-field", "relation", "mention",
	}
}

// originWords are the words of other systems for an origin, which edge_types
// takes too.
var originWords = map[string]string{
	"wikilink": "wikilink", "mention": "mention", "frontmatter-ref": "frontmatter", "hyperlink": "markdown",
}

// parseOrigins reads the origins of a walk; none means any.
func parseOrigins(words []string) ([]string, error) {
	origins := []string{}
	for _, word := range words {
		origin := fold(word)
		if other, ok := originWords[origin]; ok {
			origin = other
		}
		if !slices.Contains(Origins(), origin) {
			return nil, fault.New(fault.InvalidArgument, "no origin of edges is called %q; the origins are %s", word, strings.Join(Origins(), ", ")).
				With("known", Origins())
		}
		origins = append(origins, origin)
	}
	return origins, nil
}

// choose reads the edge_types and origins of a walk that takes both. A type may be
// the word of another system for an origin, and then means the edges of that
// origin, of whatever kind, beside those of the kinds named. Origins keep to the
// edges that have one of them; where no type is named, of every kind.
func (w *rules) choose(types, origins []string) (err error) {
	if w.origins, err = parseOrigins(origins); err != nil {
		return err
	}
	kinds := []string{}
	for _, word := range types {
		if origin, ok := originWords[fold(word)]; ok {
			w.whollyFrom = append(w.whollyFrom, origin)
		} else {
			kinds = append(kinds, word)
		}
	}
	switch {
	case len(kinds) > 0:
		w.kinds, err = parseFilter(kinds)
	case len(w.whollyFrom) > 0:
	case len(origins) > 0:
		w.kinds = Kinds()
	default:
		w.kinds = Declared()
	}
	return err
}
