package exchange

import (
	"encoding/json"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"golang.org/x/text/unicode/norm"

	"hence/edges"
	"hence/vault/note"
)

// names holds the titles and aliases of memories in the form in which vaults compare
// names.
type names map[string]bool

// add adds a title, and aliases as the store has them, a list in JSON.
func (n names) add(title string, aliases []byte) error {
	var all []string
	if err := json.Unmarshal(aliases, &all); err != nil {
		return err
	}
	for _, name := range append(all, title) {
		n[foldName(name)] = true
	}
	return nil
}

func foldName(name string) string { return strings.ToLower(norm.NFC.String(strings.TrimSpace(name))) }

// contain reports whether the value, or a text in it, is one of the names.
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

// isPlain reports whether a property of a memory can be a property of a note: an
// import makes no edge, tag, alias, status or time of it. The name of a memory is
// not plain, because an import may read a bare name as a link.
func (f *folder) isPlain(name string, value any) bool {
	if _, _, isEdge := edges.LookupInText(name); isEdge || slices.Contains(reserved, edges.Fold(name)) || f.called.contain(value) {
		return false
	}
	text, err := yaml.Marshal(map[string]any{name: value})
	if err != nil {
		return false // frontmatter reports the same error
	}
	n := note.Parse([]byte("---\n" + string(text) + "---\n"))
	return len(n.Links)+len(n.Tags)+len(n.Aliases) == 0
}
