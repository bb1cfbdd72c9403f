package recall

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"hence/memory/recall/lexicon"

	"hence/edges"
	"hence/internal/db"
)

const (
	fewResults = 3 // fewer results get hints
	fewHave    = 3 // a word that no more memories have may be a mistake in these
	maxNamed   = 3 // other namespaces in a hint
)

// use says how many memories have a word of a question, of those that the caller may
// read.
type use struct {
	place      int
	wanted     int  // memories with the status that is searched, up to fewHave+1
	superseded bool // a superseded memory has the word
	ended      bool // a memory that is over has it
}

// hints say why a question finds little: which words only superseded memories or those
// that are over have, instead of which another was perhaps meant, and which are in other namespaces that
// the caller may read.
func (s Searcher) hints(ctx context.Context, r *db.Reader, q query, f filter) (notes []string, err error) {
	asked := q.askedWords()
	uncorrected := len(asked)
	asked = append(asked, q.corrections()...)
	texts := q.texts(asked)
	uses, err := db.Select(ctx, r, db.Fields(func(u *use) []any {
		return []any{&u.place, &u.wanted, &u.superseded, &u.ended}
	}), usesOfWords, f.bind(nil, db.List(texts), fewHave+1, giveRanges(f.part.ranges))...)
	var superseded, ended []string
	for _, u := range uses {
		if u.wanted > fewHave || u.wanted > 0 && u.place >= uncorrected || err != nil {
			continue
		}
		var note string
		if u.wanted == 0 && !u.superseded && !u.ended {
			if note, err = s.isElsewhere(ctx, r, asked[u.place], texts[u.place], f); note == "" && err == nil {
				note, err = doubtStart(ctx, r, asked[u.place], f)
			}
		} else {
			note, err = doubt(ctx, r, asked[u.place], texts[u.place], u, f)
		}
		if note != "" {
			notes = append(notes, note)
		}
		switch {
		case u.wanted > 0:
		case u.superseded:
			superseded = append(superseded, asked[u.place])
		case u.ended:
			ended = append(ended, asked[u.place])
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

// askedWords returns the first words of a question, and of its phrases, that were
// searched as they are.
func (q query) askedWords() (asked []string) {
	for _, text := range slices.Concat(q.tellingWords(), q.phrases) {
		for word := range lexicon.Words(text) {
			if q.respelled[word] == nil && q.respelled[text] == nil && !lexicon.Stopwords[word] && !lexicon.IsRun(word) && !slices.Contains(asked, word) {
				asked = append(asked, word)
			}
		}
	}
	return asked[:min(len(asked), maxRespelt)]
}

// corrections returns the words that were searched in place of others.
func (q query) corrections() (asked []string) {
	for _, spellings := range q.respelled {
		for _, one := range spellings {
			if !strings.Contains(one, " ") && !slices.Contains(asked, one) {
				asked = append(asked, one)
			}
		}
	}
	slices.Sort(asked)
	return asked
}

// doubt says that few memories have a word, a query of FTS5 finds them, and which
// words more memories have.
func doubt(ctx context.Context, r *db.Reader, word, text string, u use, f filter) (note string, err error) {
	near, err := nearWords(ctx, r, word, false, f.withEnded())
	if err != nil {
		return "", err
	}
	better := []string{}
	for _, n := range near {
		apart, _, err := db.One[int](ctx, r, countApart, f.bind(lexicon.Quote([]string{n.word})[0]+" NOT ("+text+")", u.wanted+1, giveRanges(f.part.ranges))...)
		if err != nil {
			return "", err
		}
		if apart > u.wanted && len(better) < maxSpellings {
			better = append(better, n.word)
		}
	}
	if len(better) == 0 {
		return "", nil
	}
	return "few memories have the word " + word + "; did you mean " + strings.Join(better, ", ") + "?", nil
}

// doubtStart says that no memory has a word, and which words there are that begin with
// another letter.
func doubtStart(ctx context.Context, r *db.Reader, word string, f filter) (note string, err error) {
	better, err := otherStarts(ctx, r, word, f.withEnded())
	if len(better) == 0 || err != nil {
		return "", err
	}
	return "no memory has the word " + word + "; did you mean " + strings.Join(better, ", ") + "?", nil
}

// isElsewhere says which other namespaces have a word, if the caller may read them.
func (s Searcher) isElsewhere(ctx context.Context, r *db.Reader, word, text string, f filter) (note string, err error) {
	if s.Caller.Confined || f.namespace == "" {
		return "", nil
	}
	others, err := db.Select(ctx, r, db.Value[string], namespacesWith, text, maxNamed)
	if len(others) == 0 || err != nil {
		return "", err
	}
	return "no memory of namespace " + f.namespace + " has the word " + word + "; there are some in " + strings.Join(others, ", "), nil
}

// matchesCode says that source code, which a search leaves out unless it asks for it, has
// what a query of FTS5 finds.
func matchesCode(ctx context.Context, r *db.Reader, match string, f filter) ([]string, error) {
	if match == "" || len(f.kinds) > 0 {
		return nil, nil
	}
	ok, _, err := db.One[bool](ctx, r, `
select exists (
  select 1
  from section_search
  cross join sections s on s.key = section_search.rowid
  cross join memories m on m.key = s.memory and m.status = 'current'
  where section_search match ?1
    and section_search.rowid < `+strconv.Itoa(firstOfText)+`
    and ?2 in ('', m.namespace)
)`, match, f.namespace)
	if !ok {
		return nil, err
	}
	return []string{"source code matches; kinds code searches it"}, nil
}

// memoriesWith selects the memories that match a query of FTS5 and belong to the answer,
// up to a limit, in ranges of the index. All are SQL.
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

// usesOfWords counts, for each query of FTS5 in ?10, the memories that match, up to
// ?11, in the ranges ?12.
var usesOfWords = `
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

// countApart counts the memories that match the query ?1 of FTS5, up to ?10, in the
// ranges ?11.
var countApart = `
select count(*) from (` + memoriesWith("?1", "?10", "?11") + `)`

// namespacesWith are the first ?2 namespaces with a memory that matches the query ?1
// of FTS5.
const namespacesWith = `
select distinct
  m.namespace
from section_search
cross join sections s on s.key = section_search.rowid
cross join memories m on m.key = s.memory
where section_search match ?1
  and m.status <> 'forgotten'
order by m.namespace
limit ?2`
