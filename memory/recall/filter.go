package recall

import (
	"context"
	"slices"
	"strings"

	"hence/internal/db"
	"hence/memory"
)

// filter are the conditions on a memory, as the queries bind them: those of the
// arguments and those within the question, all of them.
type filter struct {
	namespace  string
	kinds      []string
	tags       []string
	paths      [][]string // prefixes of paths or uris; of each list, any
	properties db.Properties
	status     string
	asOf       string
	unwanted   string // in the language of FTS5
}

func (s Searcher) filter(q query, a SearchArgs) (f filter, err error) {
	f = filter{
		kinds: ofBoth(a.Kinds, q.kinds), paths: pathsOf(a.PathPrefix, q.paths),
		properties: a.Properties, status: a.Status, unwanted: q.unwanted(),
	}
	if f.namespace, err = s.Caller.Reads(a.Namespace); err != nil {
		return f, err
	}
	if f.tags, err = memory.CheckTags("search", slices.Concat(a.Tags, q.tags)); err != nil {
		return f, err
	}
	f.asOf, err = db.ParseTime("as_of", a.AsOf)
	return f, err
}

// pathsOf returns the lists of prefixes of which a memory must lie under one
// each: those of the arguments, and those within the question.
func pathsOf(lists ...[]string) (paths [][]string) {
	for _, list := range lists {
		prefixes := []string{}
		for _, prefix := range list {
			if prefix != "" {
				prefixes = append(prefixes, wholeName(prefix))
			}
		}
		if len(prefixes) > 0 {
			paths = append(paths, prefixes)
		}
	}
	return paths
}

// wholeName ends the uri of a whole vault with a slash, so that it is not the
// prefix of other vaults whose names begin alike.
func wholeName(prefix string) string {
	if _, name, isURI := strings.Cut(prefix, "://"); isURI && name != "" && !strings.Contains(name, "/") {
		return prefix + "/"
	}
	return prefix
}

// noKind is a list of kinds that no memory is of.
var noKind = []string{""}

// ofBoth returns what two lists of kinds both allow; an empty one allows all.
func ofBoth(a, b []string) []string {
	if len(a) == 0 || len(b) == 0 {
		return slices.Concat(a, b)
	}
	both := slices.DeleteFunc(slices.Clone(a), func(kind string) bool {
		return !slices.ContainsFunc(b, func(other string) bool { return strings.EqualFold(kind, other) })
	})
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
		first, f.namespace, db.List(f.kinds), db.List(f.tags), db.List(f.paths), db.List(properties), f.status, f.asOf, f.unwanted,
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

// under is the condition that a memory m lies under prefix.value: the beginning
// of its uri, or of the path that follows the name of a vault or a repository
// in its uri.
const under = `case
        when instr(prefix.value, '://') > 0 then substr(m.uri, 1, length(prefix.value))
        else substr(
          m.uri,
          instr(m.uri, '://') + 3 + instr(substr(m.uri, instr(m.uri, '://') + 3), '/'),
          length(prefix.value)
        )
      end = prefix.value`

// passes is the condition on a memory m that may be a result. A tag includes
// those nested in it; a property that is a list has each value that it
// contains; a time takes the place of the status; a word that is not wanted
// is wanted in no section.
const passes = `
  ?2 in ('', m.namespace)
  and (?3 = '[]' or lower(m.kind) in (select lower(value) from json_each(?3)))
  and (?4 = '[]' or not exists (
    select 1
    from json_each(?4) wanted
    where not ` + memory.HasTag + `
  ))
  and (?5 = '[]' or not exists (
    select 1
    from json_each(?5) list
    where not exists (
      select 1
      from json_each(list.value) prefix
      where ` + under + `
    )
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

// emptyPaths says which of the paths and uris that were asked for hold no
// memory of the namespace.
func emptyPaths(ctx context.Context, r *db.Reader, f filter) (notes []string, err error) {
	empty, err := db.Select(ctx, r, db.Value[string], `
select distinct prefix.value
from json_each(?1) list
cross join json_each(list.value) prefix
where not exists (
  select 1
  from memories m
  where m.uri is not null
    and m.status <> 'forgotten'
    and ?2 in ('', m.namespace)
    and `+under+`
)`, db.List(f.paths), f.namespace)
	for _, prefix := range empty {
		notes = append(notes, "no note is under "+prefix+"; give the beginning of a path in its vault, or of a uri")
	}
	return notes, err
}
