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

// names holds the titles and aliases of memories, folded as a vault compares
// names.
type names map[string]bool

// add adds a title, and aliases as the store has them: a list in JSON.
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

// in reports whether the value is one of the names, or contains one as a whole
// text.
func (n names) in(value any) bool {
	switch v := value.(type) {
	case string:
		return n[foldName(v)]
	case []any:
		return slices.ContainsFunc(v, n.in)
	case map[string]any:
		for _, inner := range v {
			if n.in(inner) {
				return true
			}
		}
	}
	return false
}

// isPlain reports whether a property of a memory can be a property of a note:
// whether an import makes no edge, tag, alias, status or time of it. A property
// that has the name of an edge type, or whose value is the name of a memory, is
// not plain even where package note finds no link in it, because the import of a
// vault may read a bare name as a link.
func (f *folder) isPlain(name string, value any) bool {
	if _, _, isEdge := edges.Lookup(name); isEdge || slices.Contains(reserved, fold(name)) || f.called.in(value) {
		return false
	}
	text, err := yaml.Marshal(map[string]any{name: value})
	if err != nil {
		return false // frontmatter reports the same error
	}
	n := note.Parse([]byte("---\n" + string(text) + "---\n"))
	return len(n.Links)+len(n.Tags)+len(n.Aliases) == 0
}
