// Package edges defines the kinds of edge and what they mean, writes and lists
// edges, and reads chains of successors. Staleness is in package belief, walks
// are in package walk.
//
// Triggers and constraints of schema.sql refuse cycles, second successors and edges between
// namespaces, so that the rules apply to every writer. This package turns such a refusal
// into an error that names the cycle or the current successor.
//
// An edge has the origin of each place that declares it. The filters origins
// and edge_types match an edge by its own origin or by that of any of its
// places: a wikilink and a property that declare the same edge share one row.
//
// SQLite plans a statement again at every bind if a bound value is compared with
// a column that a partial index constrains, as in "where kind = 'supersedes'". Queries
// therefore say kind = +?3, which made linking four times faster.
package edges

import (
	"cmp"
	"slices"
	"strings"

	"hence/internal/fault"
	"hence/internal/lists"
	"hence/internal/spelling"
)

// Kind is a kind of edge. Its name reads from the edge's from to its to:
// "decision depends-on measurement".
type Kind string

// StatusByEdges is the SQL expression for the status that a row of memories has as long as it is not
// forgotten.
const StatusByEdges = `iif(exists (select 1 from edges where to_key = memories.key and kind = 'supersedes'), 'superseded', 'current')`

// The kinds. The list is closed, and schema.sql has the same list.
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
	Calls       Kind = "calls"
	Imports     Kind = "imports"
	Implements  Kind = "implements"
	Mentions    Kind = "mentions"
)

// meaning is one row of the table meanings.
type meaning struct {
	kind       Kind
	reads      string // names of the two ends, in the direction of the edge
	acyclic    bool   // the schema refuses a cycle of this kind
	symmetric  bool   // the direction has no meaning
	inferred   bool   // found by a heuristic, never declared
	ofCode     bool   // only source code declares it; in a note its words do not name the kind
	dependency dependency
	synonyms   []string // synonyms for the same direction
	inverse    []string // words for the opposite direction; Inverse returns the first
}

// dependency says which end of an edge depends on the other.
type dependency int

const (
	noDependency dependency = iota
	fromDependsOnTo
	toDependsOnFrom
)

// meanings defines each kind and its synonyms. Words are written as Fold returns
// them: lower case, with hyphens.
var meanings = []meaning{
	{kind: Supersedes, reads: "new → old", acyclic: true,
		synonyms: []string{"replaces", "obsoletes"}, inverse: []string{"superseded-by", "replaced-by", "obsoleted-by"}},
	{kind: Causes, reads: "cause → effect", dependency: toDependsOnFrom,
		synonyms: []string{"leads-to", "results-in"}, inverse: []string{"caused-by", "because-of", "result-of"}},
	{kind: DependsOn, reads: "dependent → what it rests on", acyclic: true, dependency: fromDependsOnTo,
		synonyms: []string{"requires", "needs", "rests-on", "blocked-by"}, inverse: []string{"depended-on-by", "required-by", "needed-by", "blocks"}},
	{kind: Contradicts, reads: "a — b", symmetric: true,
		synonyms: []string{"contradicted-by", "conflicts-with"}},
	{kind: Supports, reads: "evidence → claim", dependency: toDependsOnFrom,
		synonyms: []string{"evidence-for"}, inverse: []string{"supported-by", "evidenced-by"}},
	{kind: DerivedFrom, reads: "summary → source", dependency: fromDependsOnTo,
		synonyms: []string{"derives-from", "based-on", "summarizes", "summarises", "source", "sources"}, inverse: []string{"source-of", "summarized-by", "summarised-by"}},
	{kind: PartOf, reads: "part → whole",
		synonyms: []string{"parent", "up", "belongs-to"}, inverse: []string{"has-part", "contains", "child", "children", "down"}},
	{kind: Follows, reads: "later → earlier",
		synonyms: []string{"prev", "previous"}, inverse: []string{"followed-by", "precedes", "next"}},
	{kind: RelatesTo, reads: "a — b", symmetric: true,
		synonyms: []string{"related", "related-to", "see-also"}},
	{kind: LinksTo, reads: "note → note",
		inverse: []string{"linked-from"}},
	{kind: Embeds, reads: "note → note or file",
		inverse: []string{"embedded-in"}},
	{kind: RefersTo, reads: "note → note",
		synonyms: []string{"references"}, inverse: []string{"referred-to-by", "referenced-by"}},
	{kind: Calls, reads: "caller → callee", dependency: fromDependsOnTo, ofCode: true,
		inverse: []string{"called-by"}},
	{kind: Imports, reads: "importer → what it imports", dependency: fromDependsOnTo, ofCode: true,
		inverse: []string{"imported-by"}},
	{kind: Implements, reads: "type → interface", dependency: fromDependsOnTo, ofCode: true,
		inverse: []string{"implemented-by"}},
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

// Kinds returns every kind, in the order in which the contract lists them.
func Kinds() []Kind {
	return lists.Map(meanings, func(m meaning) Kind { return m.kind })
}

// DeclaredKinds returns all kinds except those that a heuristic finds. A walk follows these
// kinds by default.
func DeclaredKinds() []Kind {
	return slices.DeleteFunc(Kinds(), func(k Kind) bool { return k.meaning().inferred })
}

// Acyclic reports whether the schema refuses a cycle of this kind.
func (k Kind) Acyclic() bool { return k.meaning().acyclic }

// Symmetric reports whether the edge means the same in both directions.
func (k Kind) Symmetric() bool { return k.meaning().symmetric }

// OfCode reports whether edges of this kind are declared only by source code.
func (k Kind) OfCode() bool { return k.meaning().ofCode }

// RestsOn reports whether the from of an edge of this kind rests on its to by somebody's word:
// such an edge has a basis, and staleness travels along it.
func (k Kind) RestsOn() bool {
	m := k.meaning()
	return m.dependency == fromDependsOnTo && !m.ofCode
}

// Reads returns the names of the two ends, as in "cause → effect".
func (k Kind) Reads() string { return k.meaning().reads }

// Reasons returns the kinds of which one end depends on the other, and those of them whose
// edges point from the reason to its dependent. The others point the opposite way.
func Reasons() (kinds, fromReason []Kind) {
	for _, m := range meanings {
		if m.dependency != noDependency {
			kinds = append(kinds, m.kind)
		}
		if m.dependency == toDependsOnFrom {
			fromReason = append(fromReason, m.kind)
		}
	}
	return kinds, fromReason
}

// Inverse returns the word for reading an edge backward, from its to to its
// from. A symmetric kind is its own inverse.
func (k Kind) Inverse() string {
	if m := k.meaning(); len(m.inverse) > 0 {
		return m.inverse[0]
	}
	return string(k)
}

// Words returns the words for this kind, its own name first, and the words for its
// inverse.
func (k Kind) Words() (synonyms, inverse []string) {
	m := k.meaning()
	return append([]string{string(k)}, m.synonyms...), m.inverse
}

// Lookup finds the kind that a word means. Case, spaces and underscores do
// not matter. backward reports that the word is an inverse ("caused by"): an
// edge declared with it is stored with its ends swapped.
func Lookup(word string) (kind Kind, backward, ok bool) {
	word = Fold(word)
	for _, m := range meanings {
		if word == string(m.kind) || slices.Contains(m.synonyms, word) {
			return m.kind, false, true
		}
		if slices.Contains(m.inverse, word) {
			return m.kind, true, true
		}
	}
	return "", false, false
}

// LookupInText is Lookup for the word of a link in a note, or of a relation in another
// system. It does not find inferred kinds and kinds of source code, because notes do not
// declare these: there, such a word is the author's own.
func LookupInText(word string) (kind Kind, backward, ok bool) {
	kind, backward, ok = Lookup(word)
	if m := kind.meaning(); m.inferred || m.ofCode {
		return "", false, false
	}
	return kind, backward, ok
}

// Fold returns a word in lower case, with hyphens in place of spaces and underscores. Words
// for kinds are compared in this form.
func Fold(word string) string {
	return hyphens.Replace(strings.ToLower(strings.TrimSpace(word)))
}

var hyphens = strings.NewReplacer("_", "-", " ", "-")

// Parse is Lookup for an argument of a call. It fails with invalid_argument, and lists the
// kinds, for an unknown word.
func Parse(word string) (kind Kind, backward bool, err error) {
	kind, backward, ok := Lookup(word)
	if !ok {
		meant := ""
		if near := spelling.Nearest(Fold(word), knownWords()); len(near) > 0 {
			meant = "did you mean " + near[0] + "? "
		}
		return "", false, fault.New(fault.InvalidArgument, "no type of edge is called %q; %sthe types are %s; refers-to or relates-to with rel keeps a word of your own", word, meant, Join(Kinds())).
			With("known", Kinds())
	}
	return kind, backward, nil
}

// knownWords returns the names of the kinds and then their synonyms and inverse words.
func knownWords() []string {
	words := names(Kinds())
	for _, m := range meanings {
		words = append(append(words, m.synonyms...), m.inverse...)
	}
	return words
}

// Join returns kinds as text: "causes, supports".
func Join(kinds []Kind) string { return strings.Join(names(kinds), ", ") }

func names(kinds []Kind) []string { return lists.Map(kinds, func(k Kind) string { return string(k) }) }

// ParseFilter returns the kinds that the edge_types of a walk name, each once; by default
// all declared kinds. An inverse word names its kind too.
func ParseFilter(words []string) ([]Kind, error) {
	if len(words) == 0 {
		return DeclaredKinds(), nil
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

// IsNameOf reports whether a word is the kind's own name, not a synonym, after Fold.
func IsNameOf(k Kind, word string) bool { return Fold(word) == string(k) }

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
