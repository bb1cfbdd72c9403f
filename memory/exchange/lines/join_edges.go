package lines

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hence/edges"
	"hence/memory/record"
)

// Place identifies an edge without its id: by its ends, kind and word.
type Place struct{ From, To, Kind, Rel string }

// placeOf returns the place of an edge or removal between two ends (see endName). A symmetric
// edge has its ends sorted, and supersedes has no word.
func placeOf(from, to, kind, rel string) Place {
	k := edges.Kind(kind)
	if k.Symmetric() && from > to {
		from, to = to, from
	}
	if k == edges.Supersedes {
		rel = ""
	}
	return Place{from, to, kind, rel}
}

// EndName returns the uri of an end, if it has one, because its id differs from store to
// store; else its id.
func EndName(id, uri string) string { return cmp.Or(uri, id) }

func (e *Edge) Place() Place {
	return placeOf(EndName(e.From, e.FromURI), EndName(e.To, e.ToURI), e.Kind, e.Rel)
}

func (l *Removed) Place() Place {
	return placeOf(EndName(l.From, l.FromURI), EndName(l.To, l.ToURI), l.Kind, l.Rel)
}

// The fields of an edge that have their own stamps.
const (
	SaidField  = "said"
	basisField = "basis"
)

// LinkedAt returns when the edge was last declared.
func (e *Edge) LinkedAt() string {
	return max(e.CreatedAt, TimeOf(e.Changed.Head(SaidField)))
}

// head returns the stamp of a field; a field that was never changed has the edge's.
func (e *Edge) head(name string) string {
	return cmp.Or(e.Changed.Head(name), e.CreatedAt)
}

// stated are the columns of all that an edge says besides its place.
var stated = record.InOrder(slices.DeleteFunc(slices.Clone(edgeColumns), func(c record.Column) bool {
	return c.Stamp != SaidField && c.Name != "origin" && c.Name != "actor"
}), "rel note origin actor valid_from valid_to weight")

// Statement returns all that an edge says besides its place.
func (e *Edge) Statement() string {
	parts := []string{EndName(e.From, e.FromURI)}
	for _, c := range stated {
		parts = append(parts, fmt.Sprint(c.Value(e)))
	}
	return strings.Join(parts, "\x00")
}

// JoinEdges joins two sides of the edge of one place, as JoinMemories does. Both have their
// basis written out, even if it is the present text.
func JoinEdges(a, b Edge) Edge {
	if LinesEqual(&a, &b) {
		return a
	}
	order := func(name, av, bv string) int {
		return cmp.Or(cmp.Compare(a.head(name), b.head(name)), cmp.Compare(av, bv))
	}
	first := a
	if cmp.Or(cmp.Compare(b.CreatedAt, a.CreatedAt), cmp.Compare(b.ID, a.ID)) < 0 {
		first = b
	}
	statement := a
	if order(SaidField, a.Statement(), b.Statement()) < 0 {
		statement = b
	}
	basis := a
	if order(basisField, a.Basis, b.Basis) < 0 {
		basis = b
	}
	j := statement
	j.ID, j.CreatedAt, j.Basis = first.ID, first.CreatedAt, basis.Basis
	j.Changed = Stamps{}
	for _, name := range []string{SaidField, basisField} {
		if stamps := JoinStamps(name, a.Changed[name], b.Changed[name]); len(stamps) > 0 {
			j.Changed[name] = stamps
		}
	}
	// A value of the edge that was created later counts as a change of the earlier one.
	for name, from := range map[string]Edge{SaidField: statement, basisField: basis} {
		if j.head(name) < from.head(name) {
			j.Changed[name] = []string{from.head(name) + "~"}
		}
	}
	if len(j.Changed) == 0 {
		j.Changed = nil
	}
	return j
}

// RestsOn reports whether an edge of a kind has a basis.
func RestsOn(kind string) bool {
	return edges.Kind(kind) == edges.DependsOn || edges.Kind(kind) == edges.DerivedFrom
}
