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

// LookupOrigin finds the origin that a word of another system means.
func LookupOrigin(word string) (origin string, ok bool) {
	origin, ok = originWords[fold(word)]
	return origin, ok
}

// ParseOrigins reads the origins of a filter; none means any. An unknown word is
// an invalid_argument that lists those there are.
func ParseOrigins(words []string) ([]string, error) {
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
