package notes

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"golang.org/x/text/unicode/norm"

	"hence/edges"
	"hence/vault/note"
)

// names is a set of titles and aliases of memories, folded as vaults compare names.
type names map[string]bool

func foldName(name string) string { return strings.ToLower(norm.NFC.String(strings.TrimSpace(name))) }

// contain reports whether the value, or any text nested in it, is one of the names.
func (n names) contain(value any) bool {
	switch v := value.(type) {
	case string:
		return n[foldName(v)]
	case []any:
		return slices.ContainsFunc(v, n.contain)
	case map[string]any:
		for _, inner := range v {
			if n.contain(inner) {
				return true
			}
		}
	}
	return false
}

// isPlain reports whether a property of a memory can be a property of a note, because an
// import would not turn it into an edge, tag, alias, status or time. A value that is the
// name of a memory is not plain, because an import may read a bare name as a link.
func (f *folder) isPlain(name string, value any) bool {
	if _, _, isEdge := edges.LookupInText(name); isEdge || slices.Contains(reserved, edges.Fold(name)) || f.allNames.contain(value) {
		return false
	}
	text, err := yaml.Marshal(map[string]any{name: value})
	if err != nil {
		return false // frontmatter reports the same error
	}
	parsed := note.Parse([]byte("---\n" + string(text) + "---\n"))
	return len(parsed.Links)+len(parsed.Tags)+len(parsed.Aliases) == 0
}
