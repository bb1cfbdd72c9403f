package recall

import (
	"slices"
	"strings"

	"hence/edges"
	"hence/internal/db"
	"hence/memory"
)

// filter are the conditions on a memory, as the queries bind them: those of the
// arguments and those within the question, all of them.
type filter struct {
	namespace  string
	kinds      []string
	tags       []string
	path       string // of a uri, after the vault's name
	properties db.Properties
	status     string
	asOf       string
	unwanted   string // in the language of FTS5
}

func (s Searcher) filter(q query, a SearchArgs) (f filter, err error) {
	f = filter{
		kinds: ofBoth(a.Kinds, q.kinds), path: a.PathPrefix,
		properties: a.Properties, status: a.Status, unwanted: q.unwanted(),
	}
	switch {
	case strings.HasPrefix(q.path, f.path):
		f.path = q.path
	case !strings.HasPrefix(f.path, q.path):
		f.kinds = noKind
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

// noKind is a list of kinds that no memory is of.
var noKind = []string{""}

// ofBoth returns what two lists of kinds both allow; an empty one allows all.
func ofBoth(a, b []string) []string {
	if len(a) == 0 || len(b) == 0 {
		return slices.Concat(a, b)
	}
	both := slices.DeleteFunc(slices.Clone(a), func(kind string) bool { return !slices.Contains(b, kind) })
	if len(both) == 0 {
		return noKind
	}
	return both
}

// bind returns the arguments ?2 to ?9 of passes and visible, after the first
// one, which is the query's own.
func (f filter) bind(first any, rest ...any) []any {
	properties := f.properties
	if properties == nil {
		properties = db.Properties{}
	}
	return append([]any{
		first, f.namespace, db.List(f.kinds), db.List(f.tags), f.path, db.List(properties), f.status, f.asOf, f.unwanted,
	}, rest...)
}

// visible is the condition on a memory m that may lend weight to others,
// though it is no result itself: a superseded one does to its successor.
const visible = `
  ?2 in ('', m.namespace)
  and (
    ?8 = ''
    and m.status <> 'forgotten'
    or ?8 <> ''
    and m.created_at <= ?8
    and coalesce(m.forgotten_at, '~') > ?8
  )`

// passes is the condition on a memory m that may be a result. A tag includes
// those nested in it; a property that is a list has each value that it
// contains; a time takes the place of the status; a word that is not wanted
// is wanted in no section.
const passes = `
  ?2 in ('', m.namespace)
  and (?3 = '[]' or m.kind in (select value from json_each(?3)))
  and (?4 = '[]' or not exists (
    select 1
    from json_each(?4) wanted
    where not ` + memory.HasTag + `
  ))
  and (?5 = '' or exists (
    select 1
    from files p
    where p.memory = m.key
      and substr(p.path, 1, length(?5)) = ?5
  ))
  and (?6 = '{}' or not exists (
    select 1
    from json_each(?6) wanted
    where not ` + memory.HasProperty + `
  ))
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
