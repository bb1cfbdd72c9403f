// Package edges is what ties memories together: the kinds of edge and what
// they mean, the writing of edges, and the walks along them.
package edges

import (
	"slices"
	"strings"

	"hence/internal/fault"
)

// Kind is a kind of edge. Its name reads from the edge's from to its to:
// "decision depends-on measurement".
type Kind string

// The kinds. The list is closed, and schema.sql holds the same one.
const (
	Supersedes  Kind = "supersedes"
	Causes      Kind = "causes"
	DependsOn   Kind = "depends-on"
	Contradicts Kind = "contradicts"
	Supports    Kind = "supports"
	DerivedFrom Kind = "derived-from"
	PartOf      Kind = "part-of"
	Follows     Kind = "follows"
	RelatesTo   Kind = "relates-to"
	LinksTo     Kind = "links-to"
	Embeds      Kind = "embeds"
	RefersTo    Kind = "refers-to"
	Mentions    Kind = "mentions"
)

// meaning is one row of the table below.
type meaning struct {
	kind      Kind
	reads     string   // how the two ends are called
	acyclic   bool     // a cycle of this kind is refused
	symmetric bool     // the direction says nothing
	inferred  bool     // found by a heuristic, never declared
	rests     rests    // which end rests on the other
	same      []string // other words for the same direction
	inverse   []string // words for the opposite direction; the first is Inverse()
}

// rests says which end of an edge is the reason of the other.
type rests int

const (
	neither  rests = iota
	fromOnTo       // the from rests on the to
	toOnFrom       // the to rests on the from
)

// meanings is the one table of what kinds mean and by what words they go.
// Words are as Parse folds them: lower case, with hyphens.
var meanings = []meaning{
	{kind: Supersedes, reads: "new → old", acyclic: true,
		same: []string{"replaces", "obsoletes"}, inverse: []string{"superseded-by", "replaced-by", "obsoleted-by"}},
	{kind: Causes, reads: "cause → effect", rests: toOnFrom,
		same: []string{"leads-to", "results-in"}, inverse: []string{"caused-by", "because-of", "result-of"}},
	{kind: DependsOn, reads: "dependent → what it rests on", acyclic: true, rests: fromOnTo,
		same: []string{"requires", "needs", "rests-on", "blocked-by"}, inverse: []string{"depended-on-by", "required-by", "needed-by", "blocks"}},
	{kind: Contradicts, reads: "a — b", symmetric: true,
		same: []string{"contradicted-by", "conflicts-with"}},
	{kind: Supports, reads: "evidence → claim", rests: toOnFrom,
		same: []string{"evidence-for"}, inverse: []string{"supported-by", "evidenced-by"}},
	{kind: DerivedFrom, reads: "summary → source", rests: fromOnTo,
		same: []string{"derives-from", "based-on", "summarizes", "summarises", "source", "sources"}, inverse: []string{"source-of", "summarized-by", "summarised-by"}},
	{kind: PartOf, reads: "part → whole",
		same: []string{"parent", "up", "belongs-to"}, inverse: []string{"has-part", "contains", "child", "children", "down"}},
	{kind: Follows, reads: "later → earlier",
		same: []string{"prev", "previous"}, inverse: []string{"followed-by", "precedes", "next"}},
	{kind: RelatesTo, reads: "a — b", symmetric: true,
		same: []string{"related", "related-to", "see-also"}},
	{kind: LinksTo, reads: "note → note",
		inverse: []string{"linked-from"}},
	{kind: Embeds, reads: "note → note or file",
		inverse: []string{"embedded-in"}},
	{kind: RefersTo, reads: "note → note",
		same: []string{"references"}, inverse: []string{"referred-to-by", "referenced-by"}},
	{kind: Mentions, reads: "note → note", inferred: true,
		inverse: []string{"mentioned-in", "mentioned-by"}},
}

func (k Kind) meaning() meaning {
	i := slices.IndexFunc(meanings, func(m meaning) bool { return m.kind == k })
	if i < 0 {
		return meaning{kind: k}
	}
	return meanings[i]
}

// Kinds returns every kind, in the order of the contract.
func Kinds() []Kind {
	all := make([]Kind, len(meanings))
	for i, m := range meanings {
		all[i] = m.kind
	}
	return all
}

// Declared returns the kinds that somebody said outright: all but those that
// a heuristic finds. A walk follows these unless it is told which.
func Declared() []Kind {
	return slices.DeleteFunc(Kinds(), func(k Kind) bool { return k.meaning().inferred })
}

// Acyclic reports whether the schema refuses a cycle of this kind.
func (k Kind) Acyclic() bool { return k.meaning().acyclic }

// Symmetric reports whether the edge says the same in both directions.
func (k Kind) Symmetric() bool { return k.meaning().symmetric }

// Reads says how the two ends are called: "cause → effect".
func (k Kind) Reads() string { return k.meaning().reads }

// Reasons returns the kinds that say what rests on what, and those of them
// whose edges lead from the reason to what rests on it.
func Reasons() (kinds, fromReason []Kind) {
	for _, m := range meanings {
		if m.rests != neither {
			kinds = append(kinds, m.kind)
		}
		if m.rests == toOnFrom {
			fromReason = append(fromReason, m.kind)
		}
	}
	return kinds, fromReason
}

// Inverse returns the word that reads from the edge's to to its from. A
// symmetric kind is its own.
func (k Kind) Inverse() string {
	if m := k.meaning(); len(m.inverse) > 0 {
		return m.inverse[0]
	}
	return string(k)
}

// Words returns every word that means this kind, the kind itself first, and
// every word that means its inverse.
func (k Kind) Words() (same, inverse []string) {
	m := k.meaning()
	return append([]string{string(k)}, m.same...), m.inverse
}

// Lookup finds the kind that a word means. Case, spaces and underscores do
// not matter. backward reports that the word reads the other way round
// ("caused by"), so that an edge declared by it is stored with its ends
// exchanged.
func Lookup(word string) (kind Kind, backward, ok bool) {
	word = fold(word)
	for _, m := range meanings {
		if word == string(m.kind) || slices.Contains(m.same, word) {
			return m.kind, false, true
		}
		if slices.Contains(m.inverse, word) {
			return m.kind, true, true
		}
	}
	return "", false, false
}

func fold(word string) string {
	return strings.NewReplacer("_", "-", " ", "-").Replace(strings.ToLower(strings.TrimSpace(word)))
}

// Parse is Lookup for an argument of a call: a word that means no kind is an
// invalid_argument that lists those there are.
func Parse(word string) (kind Kind, backward bool, err error) {
	kind, backward, ok := Lookup(word)
	if !ok {
		return "", false, fault.New(fault.InvalidArgument, "no type of edge is called %q; the types are %s; refers-to or relates-to with rel keeps a word of your own", word, Join(Kinds())).
			With("known", Kinds())
	}
	return kind, backward, nil
}

// Join lists kinds in words: "causes, supports".
func Join(kinds []Kind) string {
	words := make([]string, len(kinds))
	for i, k := range kinds {
		words[i] = string(k)
	}
	return strings.Join(words, ", ")
}

// ParseFilter reads the edge_types of a walk. None means all declared kinds.
// An inverse word names its kind.
func ParseFilter(words []string) ([]Kind, error) {
	if len(words) == 0 {
		return Declared(), nil
	}
	kinds := []Kind{}
	for _, word := range words {
		kind, _, err := Parse(word)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	return kinds, nil
}

// Named reports whether a word is the kind's own name, however it is spelled,
// so that there is nothing in it to keep.
func Named(k Kind, word string) bool { return fold(word) == string(k) }
