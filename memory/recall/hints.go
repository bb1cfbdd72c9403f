package recall

import (
	"context"
	"strings"

	"hence/edges"
	"hence/internal/db"
	"hence/memory/recall/question"
)

const (
	fewResults    = 3 // a question with fewer results gets hints
	maxNamespaces = 3 // namespaces that a hint names
)

// wordUse says which memories have a word of a question, among those that the caller may read.
type wordUse struct {
	index      int
	current    bool // a memory that the search could return has the word
	superseded bool // a superseded memory has it
	ended      bool // a memory that is over has it
}

// hints returns notes on why a question finds little: which words only superseded memories
// have, or only memories that are over, and which are in other namespaces that the caller may
// read.
func (s Searcher) hints(ctx context.Context, r *db.Reader, q question.Question, f question.Filter) (notes []string, err error) {
	words, queries := q.SearchedWords()
	uses, err := db.Select(ctx, r, db.Fields(func(u *wordUse) []any {
		return []any{&u.index, &u.current, &u.superseded, &u.ended}
	}), selectUses, f.Bind(nil, db.List(queries), db.List(f.Scope.Ranges))...)
	var superseded, ended []string
	for _, u := range uses {
		switch {
		case u.current || err != nil:
		case u.superseded:
			superseded = append(superseded, words[u.index])
		case u.ended:
			ended = append(ended, words[u.index])
		default:
			var note string
			if note, err = s.findElsewhere(ctx, r, words[u.index], queries[u.index], f); note != "" {
				notes = append(notes, note)
			}
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

// findElsewhere returns a note on the other namespaces that have a word, "" if there are none
// or the caller may not read them.
func (s Searcher) findElsewhere(ctx context.Context, r *db.Reader, word, ftsQuery string, f question.Filter) (note string, err error) {
	if s.Caller.Confined || f.Namespace == "" {
		return "", nil
	}
	others, err := db.Select(ctx, r, db.Value[string], selectNamespaces, ftsQuery, maxNamespaces)
	if len(others) == 0 || err != nil {
		return "", err
	}
	return "no memory of namespace " + f.Namespace + " has the word " + word + "; there are some in " + strings.Join(others, ", "), nil
}

// selectUses reads the wordUse of each FTS5 query in ?10, by the memories in the ranges ?11.
var selectUses = `
select
  w.key,
  ` + isUsed(question.BesidesCode+`
      and ?2 in ('', m.namespace)
      and `+edges.Stands("m", "?8", "?7 = 'all'", "false")) + `,
  ` + isUsed(`?7 <> 'all'
      and ?8 ->> 'as_of' = ''
      and ?8 ->> 'known_at' = ''
      and m.status = 'superseded'
      and `+question.Visible) + `,
  ` + isUsed(`?8 ->> 'as_of' = ''
      and ?8 ->> 'known_at' = ''
      and ?2 in ('', m.namespace)
      and m.status <> 'forgotten'
      and m.valid_to <= ?8 ->> 'over'`) + `
from json_each(?10) w
order by w.key`

// isUsed returns the SQL condition that a memory m has the word w and meets another condition.
func isUsed(condition string) string {
	return `exists (
    select 1` + question.SectionsIn("?11", "w.value") + `
    cross join sections s on s.key = section_search.rowid
    cross join memories m on m.key = s.memory
    where ` + condition + `
  )`
}

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
