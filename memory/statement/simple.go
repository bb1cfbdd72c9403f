package statement

import (
	"slices"

	"hence/internal/prose"
)

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
		case here.Text == "who" && last && objects[words[i+2].Text] && words[i-1].Name:
			short = slices.Concat(name, words[i+1:i+2], subjectOf(words[:i]))
		case here.Text == "and" && last && words[i+2].Text == "there" && words[i-1].Name:
			short = slices.Concat(subjectOf(words[:i]), words[i+1:i+2], []Token{{Text: "in", Sentence: here.Sentence}}, name)
		case possessives[here.Text] && words[i+1].Comma && !slices.ContainsFunc(words[i+2:], func(t Token) bool { return !t.Name }):
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
		if verbs[t.Text] || isCopula(words, i) || auxiliaries[t.Text] {
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
