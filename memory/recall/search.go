package recall

import (
	"context"
	"database/sql"
	"encoding/json"
	"slices"
	"strings"

	"hence/edges"
	"hence/internal/args"
	"hence/internal/budget"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/memory"
)

const (
	maxQuery     = 4000 // bytes of a question
	snippetWords = 32   // about, of a snippet
)

// Search returns the memories that a question is about, best first: those
// with any of its words, ranked by BM25, each by its best section. A question
// of filters alone returns what passes them, the last changed first. Any text
// is a question.
func (s Searcher) Search(ctx context.Context, a SearchArgs) (result SearchResult, err error) {
	if err := args.Check("search", &a); err != nil {
		return result, err
	}
	if len(a.Query) > maxQuery {
		return result, fault.New(fault.TooLarge, "search: the query has %d bytes, and at most %d are read", len(a.Query), maxQuery)
	}
	if a.Mode == "semantic" {
		return result, fault.New(fault.Unavailable, "search: there is no embedding model; use mode hybrid or keyword")
	}
	q := parse(a.Query)
	f, err := s.filter(q, a)
	if err != nil {
		return result, err
	}
	err = s.DB.Read(ctx, func(r *db.Reader) error {
		found, total, err := hits(ctx, r, q, f, a.Limit)
		if err != nil {
			return err
		}
		results, err := describe(ctx, r, q, found, a.Detail)
		if err != nil {
			return err
		}
		result, err = fit(a, results, total)
		return err
	})
	return result, err
}

// filter are the conditions on a memory, as the query binds them.
type filter struct {
	namespace  string
	kinds      []string
	tags       []string
	path       string // of a uri, after the vault's name
	properties map[string]any
	status     string
	asOf       string
}

func (s Searcher) filter(q query, a SearchArgs) (f filter, err error) {
	f = filter{
		kinds: slices.Concat(a.Kinds, q.kinds), path: a.PathPrefix,
		properties: a.Properties, status: a.Status,
	}
	if q.path != "" {
		f.path = q.path
	}
	if f.namespace, err = s.Caller.Reads(a.Namespace); err != nil {
		return f, err
	}
	if f.tags, err = memory.CheckTags("search", slices.Concat(a.Tags, q.tags)); err != nil {
		return f, err
	}
	f.asOf, err = edges.ParseTime("as_of", a.AsOf)
	return f, err
}

// passes is the condition on a memory m. A tag includes those nested in it; a
// property that is a list has each value that it contains; a time takes the
// place of the status; a word that is not wanted is wanted in no section.
const passes = `
  ?2 in ('', m.namespace)
  and (?3 = '[]' or m.kind in (select value from json_each(?3)))
  and not exists (
    select 1
    from json_each(?4) wanted
    where not exists (
      select 1
      from json_each(m.tags) has
      where lower(has.value) = lower(wanted.value)
        or substr(lower(has.value), 1, length(wanted.value) + 1) = lower(wanted.value) || '/'
    )
  )
  and (?5 = '' or exists (
    select 1
    from files p
    where p.memory = m.key
      and substr(p.path, 1, length(?5)) = ?5
  ))
  and not exists (
    select 1
    from json_each(?6) wanted
    where not exists (
      select 1
      from json_each(m.properties) has
      where has.key = wanted.key
        and (
          has.type = wanted.type and has.value is wanted.value
          or has.type in ('integer', 'real') and wanted.type in ('integer', 'real') and has.value = wanted.value
          or has.type = 'array' and exists (
            select 1
            from json_each(has.value) one
            where one.value is wanted.value
          )
        )
    )
  )
  and (
    ?8 = ''
    and (m.status = 'current' or ?7 = 'all' and m.status = 'superseded')
    or ?8 <> ''
    and m.created_at <= ?8
    and coalesce(m.valid_from, '') <= ?8
    and coalesce(m.valid_to, '~') > ?8
    and coalesce(m.forgotten_at, '~') > ?8
    and (
      ?7 = 'all'
      or not exists (
        select 1
        from edges s
        where s.to_key = m.key
          and s.kind = 'supersedes'
          and coalesce(s.valid_from, s.created_at) <= ?8
      )
    )
  )
  and (?9 = '' or m.key not in (
    select s.memory
    from section_search
    join sections s on s.key = section_search.rowid
    where section_search match ?9
  ))`

// The weights of BM25: title, heading, aliases, tags, body.
const weights = `8.0, 4.0, 6.0, 3.0, 1.0`

// byWords ranks by text, byTime lists what passes the filters. Both return
// for each memory its best section and the number of memories in all.
const (
	byWords = `
with hit as materialized (
  select
    rowid as section,
    bm25(section_search, ` + weights + `) as rank
  from section_search
  where section_search match ?1
)
select
  m.key,
  s.key,
  -min(h.rank),
  count(*) over ()
from hit h
join sections s on s.key = h.section
join memories m on m.key = s.memory
where ` + passes + `
group by m.key
order by min(h.rank), m.id
limit ?10`
	byTime = `
select
  m.key,
  coalesce((select key from sections s where s.memory = m.key order by s.ordinal limit 1), 0),
  0.0,
  count(*) over ()
from memories m
where ` + passes + `
order by m.updated_at desc, m.id
limit ?10`
)

// hit is a memory that matches, by its best section.
type hit struct {
	memory, section int64
	score           float64
}

// hits returns the best memories, and how many match.
func hits(ctx context.Context, r *db.Reader, q query, f filter, limit int) (found []hit, total int, err error) {
	text := byWords
	if q.match() == "" {
		text = byTime
	}
	properties, err := json.Marshal(f.properties)
	if err != nil {
		return nil, 0, err
	}
	if f.properties == nil {
		properties = []byte("{}")
	}
	found, err = db.Select(ctx, r, func(row *sql.Rows) (h hit, err error) {
		err = row.Scan(&h.memory, &h.section, &h.score, &total)
		return h, err
	}, text, q.match(), f.namespace, list(f.kinds), list(f.tags), f.path, string(properties), f.status, f.asOf, q.unwanted(), limit)
	return found, total, err
}

func list(words []string) string {
	if len(words) == 0 {
		return "[]"
	}
	text, err := json.Marshal(words)
	if err != nil {
		panic(err) // strings only
	}
	return string(text)
}

// describe reads what an answer says of the hits.
func describe(ctx context.Context, r *db.Reader, q query, found []hit, detail string) ([]Found, error) {
	keys := make([]int64, len(found))
	for i, h := range found {
		keys[i] = h.memory
	}
	stale, err := edges.Stale(ctx, r, keys)
	if err != nil {
		return nil, err
	}
	results := []Found{}
	for i, h := range found {
		one, err := db.Select(ctx, r, scanFound, selectFound, h.memory, h.section)
		if err != nil {
			return nil, err
		}
		result := one[0]
		result.Score, result.Stale = h.score, stale[h.memory]
		if q.match() != "" {
			result.Why.KeywordRank = i + 1
		}
		if result.Status == memory.Superseded {
			if result.SupersededBy, err = memory.Successor(ctx, r, h.memory); err != nil {
				return nil, err
			}
		}
		if result.Snippet, err = snippet(ctx, r, q, h.section, detail); err != nil {
			return nil, err
		}
		results = append(results, result)
	}
	return results, nil
}

const selectFound = `
select
  m.id,
  m.title,
  m.kind,
  coalesce(m.uri, ''),
  coalesce(s.heading, ''),
  coalesce(s.start_line, 0),
  coalesce(s.end_line, 0),
  m.tags,
  m.status,
  m.origin,
  m.actor
from memories m
left join sections s on s.key = ?2
where m.key = ?1`

func scanFound(row *sql.Rows) (f Found, err error) {
	var tags string
	if err := row.Scan(
		&f.ID, &f.Title, &f.Kind, &f.URI, &f.Section, &f.StartLine, &f.EndLine,
		&tags, &f.Status, &f.Origin, &f.Actor,
	); err != nil {
		return f, err
	}
	return f, json.Unmarshal([]byte(tags), &f.Tags)
}

// snippet returns the passage of a section that matches, its words between
// two asterisks, or the beginning of the section where none does.
func snippet(ctx context.Context, r *db.Reader, q query, section int64, detail string) (string, error) {
	var text string
	var err error
	switch {
	case detail == "index":
		return "", nil
	case detail == "full":
		text, _, err = db.One[string](ctx, r, `select body from section_text where key = ?`, section)
		return strings.TrimSpace(text), err
	case q.match() != "":
		text, _, err = db.One[string](ctx, r, `
select snippet(section_search, 4, '**', '**', '…', ?3)
from section_search
where section_search match ?1
  and rowid = ?2`, q.match(), section, snippetWords)
	default:
		text, _, err = db.One[string](ctx, r, `select substr(body, 1, 240) from section_text where key = ?`, section)
	}
	return strings.Join(strings.Fields(text), " "), err
}

// fit keeps the answer within its budget.
func fit(a SearchArgs, results []Found, total int) (SearchResult, error) {
	return budget.Fit(a.TokenBudget, len(results), func(n, bytes int) SearchResult {
		result := SearchResult{TotalCount: total, ReturnedCount: n, Results: []Found{}, Warnings: []string{}}
		result.Query, _ = budget.Cut(a.Query, bytes)
		if result.Truncated = total > n; result.Truncated {
			result.Next = "limit"
		}
		for _, one := range results[:n] {
			var cutSnippet, cutTitle bool
			one.Snippet, cutSnippet = budget.Cut(one.Snippet, bytes)
			one.Title, cutTitle = budget.Cut(one.Title, bytes)
			one.Section, _ = budget.Cut(one.Section, bytes)
			if bytes < budget.Whole {
				result.Truncated = result.Truncated || len(one.Stale) > 0
				one.Stale = nil
			}
			result.Truncated = result.Truncated || cutSnippet || cutTitle
			result.Results = append(result.Results, one)
		}
		if n < len(results) || bytes < budget.Whole {
			result.Next = "token_budget"
		}
		return result
	})
}
