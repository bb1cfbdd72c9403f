package recall

import (
	"context"
	"fmt"
	"strings"

	"hence/edges"
	"hence/internal/db"
	"hence/memory/recall/answer"
	"hence/memory/recall/question"
	"hence/memory/recall/rank"
)

// codeRows is how many symbols are shown below other results.
const codeRows = 3

// codeBelow returns the source code to show below what a question finds that does not ask for
// kinds: as much as the limit allows if no words of other memories match, a few rows if the
// question names code. Otherwise, and if there is more code, a note says how much.
func (s Searcher) codeBelow(ctx context.Context, r *db.Reader, q question.Question, a *inquiry, found finding) (rows []answer.Found, notes []string, err error) {
	if len(found.f.Kinds) > 0 || a.Mode == "semantic" || a.start.count() > 0 || q.IsEmpty() {
		return nil, nil, nil
	}
	hasCode, _, err := db.One[bool](ctx, r, `
select exists (
  select 1
  from memory_counts
  where origin = 'code'
    and kind = 'code'
    and number > 0
    and ?1 in ('', namespace)
)`, found.f.Namespace)
	if err != nil || !hasCode {
		return nil, nil, err
	}
	names, err := q.NamesCode(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	ofCode, f := inquiry{Args: a.Args, start: a.start}, found.f.OfCode()
	switch {
	case !found.byWords:
		ofCode.Limit = max(a.Limit-len(found.results), min(codeRows, a.Limit))
	case names && a.Limit > 1:
		ofCode.Limit = min(codeRows, a.Limit/2)
	default:
		if f.Scope, err = question.ReadScope(ctx, r, f, nil); err != nil {
			return nil, nil, err
		}
		more, err := rank.CountCode(ctx, r, q, f)
		return nil, moreInCode(more), err
	}
	code, err := s.find(ctx, r, q, f, &ofCode)
	code.matching.Count -= len(code.results)
	return code.results, moreInCode(code.matching), err
}

// moreInCode says how much source code a search leaves out, and how to find it.
func moreInCode(more rank.Total) []string {
	switch {
	case more.Count == 0:
		return nil
	case !more.Exact:
		return []string{fmt.Sprintf(`at least %d more in code: kinds: ["code"]`, more.Count)}
	}
	return []string{fmt.Sprintf(`%d more in code: kinds: ["code"]`, more.Count)}
}

const (
	fewResults    = 3 // a question with fewer results gets hints
	maxNamespaces = 3 // namespaces that a hint names
)

// wordUse says which memories have a word of a question, among those that the caller may read.
type wordUse struct {
	index      int
	current    bool   // a memory that the search could return has the word
	superseded bool   // a superseded memory has it
	ended      bool   // a memory that is over has it
	elsewhere  string // other namespaces that have it, if the caller may read them
}

// hints returns notes on why a question finds little: which words only superseded memories
// have, or only memories that are over, and which are in other namespaces that the caller may
// read.
func (s Searcher) hints(ctx context.Context, r *db.Reader, q question.Question, f question.Filter) (notes []string, err error) {
	words, queries := q.SearchedWords()
	uses, err := db.Select(ctx, r, db.Fields(func(u *wordUse) []any {
		return []any{&u.index, &u.current, &u.superseded, &u.ended, &u.elsewhere}
	}), selectUses, f.Bind(nil, db.List(queries), db.List(f.Scope.Ranges), f.Namespace != "" && !s.Caller.Confined, maxNamespaces)...)
	var superseded, ended []string
	for _, u := range uses {
		switch {
		case u.current || err != nil:
		case u.superseded:
			superseded = append(superseded, words[u.index])
		case u.ended:
			ended = append(ended, words[u.index])
		case u.elsewhere != "":
			notes = append(notes, "no memory of namespace "+f.Namespace+" has the word "+words[u.index]+"; there are some in "+u.elsewhere)
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

// selectUses reads the wordUse of each FTS5 query in ?10, by the memories in the ranges ?11, and if
// ?12 says so the first ?13 namespaces that have it.
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
      and m.valid_to <= ?8 ->> 'over'`) + `,
  (
    select coalesce(group_concat(namespace, ', '), '')
    from (
      select distinct m.namespace
      from section_search
      cross join sections s on s.key = section_search.rowid
      cross join memories m on m.key = s.memory
      where ?12
        and section_search match w.value
        and m.status <> 'forgotten'
      order by m.namespace
      limit ?13
    )
  )
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
