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

// names are what memories are called, in the form in which a vault compares
// names.
type names map[string]bool

// add takes a title, and aliases as the store has them.
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

// in says whether a text in a value is one of the names.
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

// isPlain says whether a property of a memory may stand in a note's frontmatter
// by its own name: an import reads no edge, tag, alias, status or time in it. A
// word of an edge or the name of a memory is not plain even where the reader of
// notes sees no link, because a vault may take a bare name for one.
func (f *folder) isPlain(name string, value any) bool {
	if _, _, isEdge := edges.Lookup(name); isEdge || slices.Contains(reserved, fold(name)) || f.called.in(value) {
		return false
	}
	text, err := yaml.Marshal(map[string]any{name: value})
	if err != nil {
		return false // the same error tells it where all of the frontmatter is written
	}
	n := note.Parse([]byte("---\n" + string(text) + "---\n"))
	return len(n.Links)+len(n.Tags)+len(n.Aliases) == 0
}
