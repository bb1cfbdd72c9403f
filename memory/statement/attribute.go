package statement

import (
	"cmp"
	"slices"
	"strings"

	"hence/internal/prose"
)

const (
	longestStatement = 30 // words of a sentence that states an attribute
	longestValue     = 6  // words of its value
	longestName      = 3  // words of a value that stands before its attribute
)

// Attribute reads a statement as an attribute of a subject with its value, whatever the
// order of its words: the port of PocketBase is 8090, PocketBase's port is 8090,
// PocketBase runs on port 8090. The first result has the words of the attribute and of
// the subject. Only an attribute that has one value at a time counts.
func (c Claim) Attribute() (attribute, value string, ok bool) {
	words := simplify(c.Words)
	if len(words) < 3 || len(words) > longestStatement || words[len(words)-1].Sentence != words[0].Sentence || words[0].Article == "a" || words[0].Article == "an" {
		return "", "", false
	}
	for i := 1; i < len(words); i++ {
		if words[i].Value && c.Measures(i) && words[i-1].Tells() && !verbs(words[i-1].Text) {
			return readNumber(words, i)
		}
	}
	for i := range words {
		switch {
		case i > 0 && isCopula(words, i) && !isPassive(words, i):
			return readStatement(words[:i], words[i+1:])
		case words[i].Colon && i+1 < len(words):
			return readStatement(words[:i+1], words[i+1:])
		case i > 0:
			if relation, length := relationAt(words[i:]); relation != "" {
				if relation == "owner" && i == 2 && words[0].Tells() && words[1].Value { // port 8090
					return key(words[i+length:], words[:1]), words[1].Text, CountTelling(words[i+length:]) > 0
				}
				return readRelation(words[:i], relation, words[i+length:])
			}
			if relation := agents[words[i].Text]; relation != "" && i <= longestName && CountTelling(words[:i]) == i && isOneThing(words[i+1:]) {
				return readRelation(words[i+1:], relation, words[:i])
			}
		}
	}
	return "", "", false
}

// isOneThing reports whether words name a thing rather than a kind: the ledger, not tests.
func isOneThing(words []Token) bool {
	return anyName(words) || len(words) > 0 && words[0].Article == "the" || hasOwner(words)
}

func isCopula(words []Token, i int) bool {
	return words[i].Text == "is" || words[i].Text == "are" || words[i].Text == "equal" || words[i].Text == "become" || words[i].Text == "becomes"
}

// isPassive reports whether a relation such as owned by follows the copula.
func isPassive(words []Token, i int) bool {
	relation, _ := relationAt(words[i+1:])
	return relation != ""
}

// readStatement reads "the port of PocketBase is 8090", and turned round "Ada is the owner of
// PocketBase".
func readStatement(left, right []Token) (attribute, value string, ok bool) {
	if len(right) == 0 {
		return "", "", false
	}
	if subject, relation := relatedPlace(left); relation != "" {
		return readRelation(subject, relation, right)
	}
	if !isDefinite(left) && len(left) <= longestName && left[0].Article == "" && CountTelling(left) > 0 && hasOwner(right) && isDefinite(right) && right[0].Article != "a" {
		left, right = right, left
	}
	if !isDefinite(left) && !anyName(right) && !anyValue(right) || len(right) > longestValue || CountTelling(left) < 2 {
		return "", "", false
	}
	return key(split(left)), valueText(right), !slices.ContainsFunc(left, func(t Token) bool { return manifold(t.Text) })
}

// relatedPlace reads "the city where Ada lives": the subject, and the relation of its verb
// to a place.
func relatedPlace(words []Token) (subject []Token, relation string) {
	at := slices.IndexFunc(words, func(t Token) bool { return t.Text == "where" })
	last := len(words) - 1
	if at < 1 || last-at < 2 {
		return nil, ""
	}
	relation, _ = relationAt([]Token{words[last], {Text: "in"}})
	return words[at+1 : last], relation
}

// readRelation reads "Ada works for Northwind".
func readRelation(subject []Token, relation string, value []Token) (attribute, text string, ok bool) {
	if len(value) == 0 || len(value) > longestValue || CountTelling(subject) == 0 || !anyName(value) && !anyValue(value) {
		return "", "", false
	}
	return key(subject, []Token{{Text: relation}}), valueText(value), true
}

// readNumber reads "PocketBase runs on port 8090".
func readNumber(words []Token, place int) (attribute, value string, ok bool) {
	verb := slices.IndexFunc(words[:place], func(t Token) bool { return verbs(t.Text) })
	if verb < 1 || CountTelling(words[:verb]) == 0 || place-verb > 4 || len(words)-place > 3 {
		return "", "", false
	}
	if words[place-1].Colon && places(words[place-2].Text) { // an address: at localhost:8090
		return key(words[:verb], []Token{{Text: "port"}}), words[place].Text, true
	}
	return key(words[:verb], words[place-1:place]), words[place].Text, true
}

// places are prepositions before a place.
var places = prose.Words("in at on to from")

// isDefinite reports whether words name an attribute of something: the port of x, x's
// port, our port.
func isDefinite(words []Token) bool {
	return hasOwner(words) || words[0].Article == "the" && len(words) > 1 ||
		slices.ContainsFunc(words[:min(1, len(words))], func(t Token) bool { return owners(t.Text) })
}

func hasOwner(words []Token) bool {
	for i, t := range words {
		if i+1 < len(words) && (strings.HasSuffix(t.Text, "'s") || strings.HasSuffix(t.Text, "s'") || i > 0 && t.Text == "of") {
			return true
		}
	}
	return false
}

var owners = prose.Words("our my your its this default current")

func anyName(words []Token) bool {
	return slices.ContainsFunc(words, func(t Token) bool { return t.Name })
}

func anyValue(words []Token) bool {
	return slices.ContainsFunc(words, func(t Token) bool { return t.Value })
}

// split parts words such as the port of PocketBase, PocketBase's port, the PocketBase
// port into the subject and its attribute.
func split(words []Token) (subject, attribute []Token) {
	for i, t := range words {
		switch {
		case i > 0 && i+1 < len(words) && t.Text == "of":
			return words[i+1:], words[:i]
		case i+1 < len(words) && (strings.HasSuffix(t.Text, "'s") || strings.HasSuffix(t.Text, "s'")):
			return words[:i+1], words[i+1:]
		}
	}
	return words[:len(words)-1], words[len(words)-1:]
}

// key is the same for the same subject and attribute, however it is said.
func key(subject, attribute []Token) string {
	return subjectText(subject) + " : " + subjectText(attribute)
}

// subjectText returns the telling words of a phrase.
func subjectText(words []Token) string {
	all := []string{}
	for _, t := range words {
		word := Stem(strings.TrimSuffix(strings.TrimSuffix(t.Text, "'s"), "'"))
		if word = cmp.Or(attributes[word], word); !common(word) && word != "" {
			all = append(all, word)
		}
	}
	return strings.Join(all, " ")
}

// valueText returns the words of a value: in Porto is Porto.
func valueText(words []Token) string {
	all := []string{}
	if len(words) > 1 && places(words[0].Text) {
		words = words[1:]
	}
	for _, t := range words {
		all = append(all, t.Text)
	}
	return strings.Join(all, " ")
}

// manifold are nouns of which a thing has several at a time.
var manifold = prose.Words(`
problem issue reason thing idea point question answer way goal plan example result best worst part member friend
child son daughter brother sister feature benefit advantage cause risk option alternative step bug use topic hobby
interest lesson note todo task favorite favourite kind type sort one other some`)

// relation is an attribute that a verb states, and nouns for it.
type relation struct {
	name  string
	verbs []string // verb and preposition, as claims have them
	nouns []string
}

// relations are attributes that have one value at a time.
var relations = []relation{
	{"employer", []string{"work for", "work at", "employed by", "employed at"}, []string{"employer"}},
	{"residence", []string{"live in", "live at", "reside in"}, []string{"residence", "home"}},
	{"location", []string{"based in", "located in", "located at", "situated in", "headquartered in"}, []string{"location", "headquarter"}},
	{"owner", []string{"owned by", "belong to"}, []string{"owner"}},
	{"maintainer", []string{"maintained by"}, []string{"maintainer"}},
	{"leader", []string{"led by", "headed by", "managed by", "run by"}, []string{"leader", "head", "lead"}},
	{"manager", []string{"report to"}, []string{"manager", "supervisor", "boss"}},
	{"author", []string{"written by", "authored by"}, []string{"author", "writer"}},
	{"maker", []string{"created by", "developed by", "made by", "built by", "produced by"}, []string{"creator", "developer", "maker", "producer", "manufacturer"}},
	{"founder", []string{"founded by"}, []string{"founder"}},
	{"spouse", []string{"married to"}, []string{"spouse", "wife", "husband"}},
	{"birthplace", []string{"born in"}, []string{"birthplace"}},
	{"team", []string{"play for"}, []string{"team"}},
	{"host", []string{"hosted on", "hosted at", "hosted by", "deployed to", "deployed on", "run on"}, []string{"host"}},
	{"storage", []string{"stored in", "kept in", "saved in"}, []string{"storage"}},
	{"name", []string{"called", "named"}, []string{"name"}},
	{"language", []string{"written in"}, []string{"language"}},
	{"citizenship", []string{"citizen of"}, []string{"citizenship", "nationality"}},
	{"schedule", []string{"scheduled for", "due on", "due by", "planned for"}, []string{"deadline", "date"}},
}

// attributes are the nouns of relations, with the names of these.
var attributes = func() map[string]string {
	nouns := map[string]string{}
	for _, r := range relations {
		for _, noun := range r.nouns {
			nouns[noun] = r.name
		}
	}
	return nouns
}()

// agents are verbs of which the noun for who does it is a noun of a relation, with the
// name of the relation: who maintains a thing is its maintainer.
var agents = func() map[string]string {
	verbs := map[string]string{}
	for noun, relation := range attributes {
		for _, ending := range []string{"er", "or"} {
			if verb, ok := strings.CutSuffix(noun, ending); ok {
				verbs[verb], verbs[verb+"e"] = relation, relation
			}
		}
	}
	return verbs
}()

// relationAt returns the relation that words begin with, and how many words say it. A
// second verb may stand between a verb and its preposition: lives and works in.
func relationAt(words []Token) (name string, length int) {
	if len(words) < 2 {
		return "", 0
	}
	one, two := words[0].Text, words[0].Text+" "+words[1].Text
	between := 0
	if len(words) > 3 && words[1].Text == "and" && verbs(words[2].Text) {
		two, between = one+" "+words[3].Text, 2
	}
	for _, r := range relations {
		for _, verb := range r.verbs {
			switch verb {
			case two:
				return r.name, 2 + between
			case one:
				return r.name, 1
			}
		}
	}
	return "", 0
}

var (
	objects     = prose.Words(`it them him her`)
	possessives = prose.Words(`its his her their`)
)

// simplify rewrites a sentence that refers to a name by who, there or a possessive, so
// that it states one fact: the ledger is kept by Ada, who owns it → Ada owns the ledger;
// Ada has gone to Porto and lives there → Ada lives in Porto; calls about Ledger go to its
// owner, Ada → the owner of Ledger is Ada. It returns words unchanged if the short form
// would lose a name or a value.
func simplify(words []Token) []Token {
	for i := 1; i+2 < len(words); i++ {
		var short []Token
		here, last := words[i], i+3 == len(words)
		switch name := nameBefore(words, i); {
		case len(name) == 0:
		case here.Text == "who" && last && objects(words[i+2].Text) && words[i-1].Name:
			short = slices.Concat(name, words[i+1:i+2], subjectOf(words[:i]))
		case here.Text == "and" && last && words[i+2].Text == "there" && words[i-1].Name:
			short = slices.Concat(subjectOf(words[:i]), words[i+1:i+2], []Token{{Text: "in", Sentence: here.Sentence}}, name)
		case possessives(here.Text) && words[i+1].Comma && !slices.ContainsFunc(words[i+2:], func(t Token) bool { return !t.Name }):
			noun := words[i+1]
			noun.Article = "the"
			short = slices.Concat([]Token{noun, {Text: "of"}}, name, []Token{{Text: "is"}}, words[i+2:])
			for k := range short {
				short[k].Sentence = here.Sentence
			}
		}
		if len(short) > 0 && namesAsMuch(short, words) {
			return short
		}
	}
	return words
}

// subjectOf returns the words before the first verb, nil if there is none.
func subjectOf(words []Token) []Token {
	for i, t := range words {
		if verbs(t.Text) || isCopula(words, i) || auxiliaries(t.Text) {
			return words[:i]
		}
	}
	return nil
}

// nameBefore returns all words of the last name before words[place].
func nameBefore(words []Token, place int) []Token {
	end := place
	for end > 0 && !words[end-1].Name {
		end--
	}
	begin := end
	for begin > 0 && (words[begin-1].Name || begin == 1 && words[0].Tells()) {
		begin--
	}
	return words[begin:end]
}

// namesAsMuch reports whether short has every name and every value of words.
func namesAsMuch(short, words []Token) bool {
	return !slices.ContainsFunc(words, func(t Token) bool {
		return (t.Name || t.Value) && !slices.ContainsFunc(short, func(s Token) bool { return s.Text == t.Text })
	})
}
