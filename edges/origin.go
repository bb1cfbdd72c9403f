package edges

import (
	"cmp"
	"slices"
	"strings"

	"hence/internal/fault"
)

// Origins returns the possible origins of an edge: a caller, an import, a form of link in a
// note, or source code. schema.sql has the same list.
func Origins() []string {
	return []string{
		"agent", "person", "import",
		"frontmatter", "wikilink", "markdown", "embed", "inline-field", "relation", "mention", "code",
	}
}

// originWords maps words of other systems to origins. The argument edge_types accepts these
// words too.
var originWords = map[string]string{
	"wikilink": "wikilink", "mention": "mention", "frontmatter-ref": "frontmatter", "hyperlink": "markdown",
}

// LookupOrigin returns the origin that a word of another system stands for.
func LookupOrigin(word string) (origin string, ok bool) {
	origin, ok = originWords[Fold(word)]
	return origin, ok
}

// ParseOrigins returns the origins that the words of a filter name; an empty list allows any
// origin. It fails with invalid_argument, and lists the origins, for an unknown word.
func ParseOrigins(words []string) ([]string, error) {
	origins := []string{}
	for _, word := range words {
		origin := Fold(word)
		origin = cmp.Or(originWords[origin], origin)
		if !slices.Contains(Origins(), origin) {
			return nil, fault.New(fault.InvalidArgument, "no origin of edges is called %q; the origins are %s", word, strings.Join(Origins(), ", ")).
				With("known", Origins())
		}
		origins = append(origins, origin)
	}
	return origins, nil
}
