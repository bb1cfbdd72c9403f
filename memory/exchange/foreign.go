package exchange

import (
	"encoding/json"
	"errors"
	"strings"

	"hence/edges"
)

// The official MCP memory server stores entities with observations, and relations
// between entities by name. An entity becomes one memory: its name is the title,
// its type the kind, its observations a list in the text. The observations stay together
// because an observation without its entity ("prefers mornings") is useless. A relation
// becomes an edge of the kind that its word names, or of relates-to if there is none, and
// keeps the word.

// entity returns the memory for a line of type entity.
func (r reader) entity(line []byte) (*memoryLine, error) {
	var e entityLine
	if err := json.Unmarshal(line, &e); err != nil { // unknown fields are allowed: later versions may add some
		return nil, rewordJSONError(err)
	}
	if strings.TrimSpace(e.Name) == "" {
		return nil, errors.New("the entity has no name")
	}
	id := r.entityID(e.Name)
	clean := r.secrets.cleaner()
	clean.CleanInPlace(&e.Name, &e.EntityType)
	var text strings.Builder
	for _, o := range clean.CleanAll(e.Observations) {
		text.WriteString("- " + strings.ReplaceAll(strings.TrimSpace(o), "\n", "\n  ") + "\n")
	}
	kind := strings.TrimSpace(e.EntityType)
	setDefault(&kind, "entity")
	m := &memoryLine{Type: typeMemory, ID: id, Kind: kind, Title: e.Name, Content: text.String()}
	return m, r.fillMemory(m, line)
}

func (r reader) entityID(name string) string { return idOf("entity", r.namespace, name) }

// relation returns the edge for a line of type relation.
func (r reader) relation(line []byte) (*edgeLine, error) {
	var l relationLine
	if err := json.Unmarshal(line, &l); err != nil {
		return nil, rewordJSONError(err)
	}
	if l.From == "" || l.To == "" {
		return nil, errors.New("the relation lacks from or to; give both")
	}
	r.secrets.cleaner().CleanInPlace(&l.RelationType)
	e := &edgeLine{Type: typeEdge, From: r.entityID(l.From), To: r.entityID(l.To)}
	kind, backward, ok := edges.LookupInText(l.RelationType)
	switch {
	case !ok:
		e.EdgeType, e.Rel = string(edges.RelatesTo), strings.TrimSpace(l.RelationType)
	default:
		e.EdgeType = string(kind)
		if !edges.IsNameOf(kind, l.RelationType) {
			e.Rel = strings.TrimSpace(l.RelationType)
		}
		if backward {
			e.From, e.To = e.To, e.From
		}
	}
	return e, r.fillEdge(e, line)
}
