package question

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hence/internal/ref"
	"hence/internal/script"
	"hence/memory/recall/lexicon"
)

// Exclusions are what a question leaves out.
type Exclusions struct {
	Tokens  []string // of the question
	words   []string // -word: none of them, but where it stands with its hyphen
	phrases []string // -"a phrase": none of them
	tags    []string // -tag:x
	kinds   []string // -kind:x
	paths   []string // -path:prefix
}

// exclude adds a token to the exclusions if it is one. --word and -w are flags of a command,
// and -5 is a number.
func (e *Exclusions) exclude(token string) bool {
	rest, ok := strings.CutPrefix(token, "-")
	if !ok {
		return false
	}
	first, _ := utf8.DecodeRuneInString(rest)
	word := strings.TrimFunc(rest, func(r rune) bool { return !script.IsWord(r) })
	switch {
	case first == '"' && hasWord(rest):
		e.phrases = append(e.phrases, strings.Trim(rest, `"`))
	case cutOperator(rest, "tag:", "#/ ", &e.tags), cutOperator(rest, "kind:", "", &e.kinds), cutOperator(rest, "path:", "", &e.paths):
	case slices.ContainsFunc(operators, func(o string) bool { return strings.EqualFold(rest, o) }):
		return false
	case unicode.IsLetter(first) && utf8.RuneCountInString(word) > 1:
		e.words = append(e.words, word)
	default:
		return false
	}
	e.Tokens = append(e.Tokens, token)
	return true
}

// Bind returns the exclusions as JSON for the SQL condition isLeftOut, {} if there are none.
// Beside the FTS5 query of each unwanted text stands the pattern that spares a memory, "" for a phrase.
func (e Exclusions) Bind() map[string]any {
	texts := [][2]string{}
	for _, word := range e.words {
		texts = append(texts, [2]string{lexicon.Quote([]string{word})[0], hyphenated(word)})
	}
	for _, phrase := range e.phrases {
		texts = append(texts, [2]string{lexicon.Quote([]string{phrase})[0], ""})
	}
	bound := map[string]any{}
	if len(texts) > 0 {
		bound["texts"], bound["any"] = texts, joinOr(lexicon.Quote(slices.Concat(e.words, e.phrases)))
	}
	for name, list := range map[string][]string{"tags": e.tags, "kinds": e.kinds, "paths": e.paths} {
		if len(list) > 0 {
			bound[name] = list
		}
	}
	return bound
}

// hyphenated returns the GLOB pattern of a text in which a word stands behind a hyphen that
// joins it to no other word, in upper or lower case.
func hyphenated(word string) string {
	const apart = "[^a-zA-Z0-9]"
	var b strings.Builder
	for _, r := range word {
		switch lower, upper := unicode.ToLower(r), unicode.ToUpper(r); {
		case lower != upper:
			b.WriteString("[" + string(lower) + string(upper) + "]")
		case strings.ContainsRune("*?[", r):
			b.WriteString("[" + string(r) + "]")
		default:
			b.WriteRune(r)
		}
	}
	return "*" + apart + "-" + b.String() + apart + "*"
}

// Unexcluded returns the question without its Exclusions. If nothing is left of it, their words
// are searched. ok is false if there are no Exclusions, or nothing else to search.
func (q Question) Unexcluded() (without Question, ok bool) {
	without = q
	without.Exclusions = Exclusions{}
	if without.IsEmpty() {
		without.words, without.phrases = q.Exclusions.words, q.Exclusions.phrases
		without.addTerms()
	}
	return without, len(q.Exclusions.Tokens) > 0 && !without.IsEmpty()
}

// isLeftOut is the SQL condition that the exclusions ?9 leave out a memory m. A word does not if
// it stands in the memory with its hyphen: a question may quote a command with its flags.
var isLeftOut = `(
    lower(m.kind) in (select lower(value) from json_each(?9, '$.kinds'))
    or exists (
      select 1
      from json_each(?9, '$.tags') wanted
      where ` + ref.HasTag + `
    )
    or exists (
      select 1
      from json_each(?9, '$.paths') prefix
      where ` + isUnderPrefix + `
    )
    or coalesce(?9 ->> 'any', '') <> ''
    and m.key in (
      select s.memory
      from section_search
      join sections s on s.key = section_search.rowid
      where section_search match ?9 ->> 'any'
    )
    and exists (
      select 1
      from json_each(?9, '$.texts') unwanted
      where ' ' || m.title || ' ' || m.aliases || m.tags || ' ' || m.content || ' ' not glob unwanted.value ->> 1
        and exists (
          select 1
          from sections s
          cross join section_search on section_search.rowid = s.key
          where s.memory = m.key
            and section_search match unwanted.value ->> 0
        )
    )
  )`
