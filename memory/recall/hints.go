package recall

import (
	"context"
	"slices"
	"strings"

	"hence/memory/recall/lexicon"

	"hence/edges"
	"hence/internal/db"
)

const (
	fewResults    = 3 // a question with fewer results gets hints
	fewMemories   = 3 // a word that at most this many memories have may be misspelt in them
	maxNamespaces = 3 // namespaces that a hint names
)

// wordUse says which memories have a word of a question, among those that the caller may read.
type wordUse struct {
	index      int
	count      int  // memories that the search could return, up to fewMemories+1
	superseded bool // a superseded memory has the word
	ended      bool // a memory that is over has the word
}

// hints returns notes on why a question finds little: which words only superseded memories
// have, or only memories that are over, which may be misspelt, and which are in other
// namespaces that the caller may read.
func (s Searcher) hints(ctx context.Context, r *db.Reader, q query, f filter) (notes []string, err error) {
	words := q.askedWords()
	uncorrected := len(words)
	words = append(words, q.corrections()...)
	queries := q.ftsQueries(words)
	uses, err := db.Select(ctx, r, db.Fields(func(u *wordUse) []any {
		return []any{&u.index, &u.count, &u.superseded, &u.ended}
	}), selectUses, f.bind(nil, db.List(queries), fewMemories+1, db.List(f.part.ranges))...)
	var superseded, ended []string
	for _, u := range uses {
		if u.count > fewMemories || u.count > 0 && u.index >= uncorrected || err != nil {
			continue
		}
		var note string
		if u.count == 0 && !u.superseded && !u.ended {
			if note, err = s.findElsewhere(ctx, r, words[u.index], queries[u.index], f); note == "" && err == nil {
				note, err = suggestOtherStart(ctx, r, words[u.index], f)
			}
		} else {
			note, err = suggestSpelling(ctx, r, words[u.index], queries[u.index], u, f)
		}
		if note != "" {
			notes = append(notes, note)
		}
		switch {
		case u.count > 0:
		case u.superseded:
			superseded = append(superseded, words[u.index])
		case u.ended:
			ended = append(ended, words[u.index])
		}
	}
	if len(superseded) > 0 {
		notes = append(notes, "only superseded memories have "+strings.Join(superseded, ", ")+"; status all finds them")
	}
	if len(ended) > 0 {
		notes = append(notes, "only memories that are over have "+strings.Join(ended, ", ")+"; include_ended finds them")
	}
	return notes, err
}

// askedWords returns the first maxRespelt words of a question and of its phrases that were not
// corrected.
func (q query) askedWords() (words []string) {
	for _, text := range slices.Concat(q.tellingWords(), q.phrases) {
		for word := range lexicon.Words(text) {
			if q.respelled[word] == nil && q.respelled[text] == nil && !lexicon.Stopwords[word] && !lexicon.IsRun(word) && !slices.Contains(words, word) {
				words = append(words, word)
			}
		}
	}
	return words[:min(len(words), maxRespelt)]
}

// corrections returns the words that were searched in place of others.
func (q query) corrections() (words []string) {
	for _, spellings := range q.respelled {
		for _, spelling := range spellings {
			if !strings.Contains(spelling, " ") && !slices.Contains(words, spelling) {
				words = append(words, spelling)
			}
		}
	}
	slices.Sort(words)
	return words
}

// suggestSpelling returns a note with similar words that more memories have than a word, "" if
// there are none. ftsQuery finds the memories with the word.
func suggestSpelling(ctx context.Context, r *db.Reader, word, ftsQuery string, u wordUse, f filter) (note string, err error) {
	near, err := nearWords(ctx, r, word, false, f.withEnded())
	if err != nil {
		return "", err
	}
	better := []string{}
	for _, n := range near {
		others, _, err := db.One[int](ctx, r, countOthers, f.bind(lexicon.Quote([]string{n.word})[0]+" NOT ("+ftsQuery+")", u.count+1, db.List(f.part.ranges))...)
		if err != nil {
			return "", err
		}
		if others > u.count && len(better) < maxSpellings {
			better = append(better, n.word)
		}
	}
	if len(better) == 0 {
		return "", nil
	}
	return "few memories have the word " + word + "; did you mean " + strings.Join(better, ", ") + "?", nil
}

// suggestOtherStart returns a note with words that differ in the first letter from a word that
// no memory has, "" if there are none.
func suggestOtherStart(ctx context.Context, r *db.Reader, word string, f filter) (note string, err error) {
	better, err := findOtherStarts(ctx, r, word, f.withEnded())
	if len(better) == 0 || err != nil {
		return "", err
	}
	return "no memory has the word " + word + "; did you mean " + strings.Join(better, ", ") + "?", nil
}

// findElsewhere returns a note on the other namespaces that have a word, "" if there are none
// or the caller may not read them.
func (s Searcher) findElsewhere(ctx context.Context, r *db.Reader, word, ftsQuery string, f filter) (note string, err error) {
	if s.Caller.Confined || f.namespace == "" {
		return "", nil
	}
	others, err := db.Select(ctx, r, db.Value[string], selectNamespaces, ftsQuery, maxNamespaces)
	if len(others) == 0 || err != nil {
		return "", err
	}
	return "no memory of namespace " + f.namespace + " has the word " + word + "; there are some in " + strings.Join(others, ", "), nil
}

// memoriesWith returns the SQL query for the memories in ranges of the index that match an FTS5
// query and belong to the answer, up to a limit. The arguments are SQL expressions.
func memoriesWith(match, limit, ranges string) string {
	return `
select distinct m.key` + sectionsIn(ranges, match) + `
cross join sections s on s.key = section_search.rowid
cross join memories m on m.key = s.memory
where ` + besidesCode + `
  and ?2 in ('', m.namespace)
  and ` + edges.Stands("m", "?8", "?7 = 'all'", "false") + `
limit ` + limit
}

// selectUses reads the wordUse of each FTS5 query in ?10, with up to ?11 memories in the
// ranges ?12.
var selectUses = `
select
  w.key,
  (select count(*) from (` + memoriesWith("w.value", "?11", "?12") + `)),
  exists (
    select 1` + sectionsIn("?12", "w.value") + `
    cross join sections s on s.key = section_search.rowid
    cross join memories m on m.key = s.memory
    where ?7 <> 'all'
      and ?8 ->> 'as_of' = ''
      and ?8 ->> 'known_at' = ''
      and m.status = 'superseded'
      and ` + visible + `
  ),
  exists (
    select 1` + sectionsIn("?12", "w.value") + `
    cross join sections s on s.key = section_search.rowid
    cross join memories m on m.key = s.memory
    where ?8 ->> 'as_of' = ''
      and ?8 ->> 'known_at' = ''
      and ?2 in ('', m.namespace)
      and m.status <> 'forgotten'
      and m.valid_to <= ?8 ->> 'over'
  )
from json_each(?10) w
order by w.key`

// countOthers counts the memories in the ranges ?11 that match the FTS5 query ?1, up to ?10.
var countOthers = `
select count(*) from (` + memoriesWith("?1", "?10", "?11") + `)`

// selectNamespaces selects the first ?2 namespaces with a memory that matches the FTS5 query ?1.
const selectNamespaces = `
select distinct
  m.namespace
from section_search
cross join sections s on s.key = section_search.rowid
cross join memories m on m.key = s.memory
where section_search match ?1
  and m.status <> 'forgotten'
order by m.namespace
limit ?2`
