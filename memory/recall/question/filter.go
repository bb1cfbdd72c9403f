// Package question reads what a search asks for: it parses the words and filters, looks the
// words up in the index, corrects those that no memory has, and says which memories may answer.
package question

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/lists"
	"hence/internal/pattern"
	"hence/internal/ref"
	"hence/internal/script"
	"hence/memory"
	"hence/memory/recall/lexicon"
	"hence/memory/record"
)

// Args are a question and its filters.
type Args struct {
	Query        string        `json:"query" jsonschema:"words, \"phrase\", tag:x, path:x, kind:x, -word, -tag:x"`
	Mode         string        `json:"mode,omitempty" default:"hybrid" enum:"hybrid,keyword,semantic"`
	Graph        *bool         `json:"graph,omitempty" default:"true" jsonschema:"rank by edges too"`
	Kinds        []string      `json:"kinds,omitempty"`
	Tags         []string      `json:"tags,omitempty" jsonschema:"all of these; nested ones count"`
	PathPrefix   []string      `json:"path_prefix,omitempty" jsonschema:"under one of these paths or uris"`
	Vault        string        `json:"vault,omitempty"`
	Namespace    string        `json:"namespace,omitempty"`
	Properties   db.Properties `json:"properties,omitempty" jsonschema:"only with these values"`
	Status       string        `json:"status,omitempty" default:"current" enum:"current,all"`
	Since        string        `json:"since,omitempty" jsonschema:"changed since: time, date or 7d"`
	Until        string        `json:"until,omitempty"`
	AsOf         string        `json:"as_of,omitempty" jsonschema:"what held then"`
	KnownAt      string        `json:"known_at,omitempty" jsonschema:"what the store said then"`
	IncludeEnded bool          `json:"include_ended,omitempty" jsonschema:"what is over too"`
	Limit        int           `json:"limit,omitempty" default:"10" min:"1" max:"100"`
	Cursor       string        `json:"cursor,omitempty"`
	Detail       string        `json:"detail,omitempty" default:"summary" enum:"index,summary,full" jsonschema:"index: no text; full: the whole section"`
	TokenBudget  int           `json:"token_budget,omitempty" min:"64"`
}

// Filter is the conditions on a memory from the arguments and from the question, as queries
// bind them.
type Filter struct {
	Namespace  string
	Kinds      []string
	tags       []string
	paths      [][]string // lists of prefixes of paths or uris: one of each list must match
	properties db.Properties
	Status     string
	Times      edges.Times
	Periods    []Period // that the question names: they exclude nothing
	without    Exclusions
	Confined   bool    // the caller may read one namespace only
	Scope      Scope   // of the index, see ReadScope
	Unasked    *Filter // the conditions of the arguments alone; nil if they are all
	Plain      bool    // correct no words and count no matches
}

// NewFilter returns the conditions of a question of a caller and of its arguments. It fails with
// invalid_argument for a tag or time that is not valid, and as Caller.Reads does for the
// namespace.
func NewFilter(c ref.Caller, q Question, a Args) (f Filter, err error) {
	f = Filter{Kinds: a.Kinds, properties: a.Properties, Status: a.Status, Confined: c.Confined, Periods: periodsOf(q.Text, time.Now().UTC())}
	if f.Namespace, err = c.Reads(a.Namespace); err != nil {
		return f, err
	}
	if f.tags, err = memory.CheckTags("search", a.Tags); err != nil {
		return f, err
	}
	if f.Times, err = edges.ParseTimesOfChange(a.AsOf, a.KnownAt, a.IncludeEnded, a.Since, a.Until); err != nil {
		return f, err
	}
	if a.Vault != "" {
		f.addPaths([]string{ref.NoteURI(a.Vault, "")})
	}
	if f.addPaths(a.PathPrefix); !q.hasFilters() {
		return f, nil
	}
	unasked := f
	f.Unasked, f.Kinds, f.without, f.paths = &unasked, intersectKinds(a.Kinds, q.Kinds), q.Exclusions, slices.Clone(f.paths)
	f.addPaths(q.Paths)
	if f.tags, err = memory.CheckTags("search", slices.Concat(f.tags, q.Tags)); err == nil {
		f.without.tags, err = memory.CheckTags("search", q.Exclusions.tags)
	}
	return f, err
}

// OfCode returns the filter for source code instead of what passes this one, which names no kinds.
func (f Filter) OfCode() Filter {
	f.Kinds = []string{"code"}
	if f.Unasked != nil {
		unasked := f.Unasked.OfCode()
		f.Unasked = &unasked
	}
	return f
}

// addPaths adds prefixes of paths or uris, one of which must match.
func (f *Filter) addPaths(list []string) {
	prefixes := []string{}
	for _, prefix := range list {
		// The uri of a vault ends in a slash, so that it is not the prefix of other
		// vaults whose names start with the same letters.
		if _, name, isURI := strings.Cut(prefix, "://"); isURI && name != "" && !strings.Contains(name, "/") {
			prefix += "/"
		}
		if prefix = strings.TrimPrefix(prefix, "./"); prefix != "" {
			prefixes = append(prefixes, prefix)
		}
	}
	if len(prefixes) > 0 {
		f.paths = append(f.paths, prefixes)
	}
}

// formsOf returns paths in each form of Unicode that a file system may give their names.
func formsOf(paths []string) []string { return slices.Concat(lists.Map(paths, script.Forms)...) }

// intersectKinds returns the kinds that are in both lists. An empty list allows all kinds.
func intersectKinds(a, b []string) []string {
	if len(a) == 0 || len(b) == 0 {
		return slices.Concat(a, b)
	}
	both := slices.DeleteFunc(slices.Clone(a), func(kind string) bool {
		return !slices.ContainsFunc(b, func(other string) bool { return strings.EqualFold(kind, other) })
	})
	if len(both) == 0 {
		return []string{""} // a kind that no memory has
	}
	return both
}

// Bind returns the arguments of an SQL query: first is ?1, the filter's conditions are ?2 to ?9
// for Passes and Visible, and rest follows from ?10 on.
func (f Filter) Bind(first any, rest ...any) []any {
	properties := f.properties
	if properties == nil {
		properties = db.Properties{}
	}
	return append([]any{
		first, f.Namespace, db.List(f.Kinds), db.List(lists.Map(f.tags, script.Glob)), db.List(lists.Map(f.paths, formsOf)), db.List(properties), f.Status, f.Times.Bind(), db.List(f.without.Bind()),
	}, rest...)
}

// BesidesCode is the SQL condition that a memory m is not source code, unless the question
// asks for kinds.
const BesidesCode = `(?3 <> '[]' or m.origin <> 'code')`

// Visible is the SQL condition that a memory m may propagate its score, even if it is not a result:
// a superseded memory does to its successor.
var Visible = `
  ?2 in ('', m.namespace)
  and ` + BesidesCode + `
  and ` + edges.Stands("m", "?8", "true", "false")

// isUnderPrefix is the SQL condition that prefix.value is a prefix of the uri of a memory m, of
// the path after the name of the vault or repository in the uri, or of name and path, as
// pages print them. A symbol of source code is under its file too, which a uri of Go does not
// name, and # is / there.
var isUnderPrefix = `iif(
        m.origin <> 'code',
        ` + startsUnder("m.uri", "prefix.value") + `,
        ` + startsUnder("replace(m.uri, '#', '/')", "replace(prefix.value, '#', '/')") + ` or exists (
          select 1
          from symbols y
          cross join memories f on f.key = y.file
          where y.memory = m.key
            and ` + startsUnder("replace(f.uri || substr(m.uri, instr(m.uri, '#')), '#', '/')", "replace(prefix.value, '#', '/')") + `
        )
      )`

func startsUnder(uri, prefix string) string {
	return strings.NewReplacer("URI", uri, "PREFIX", prefix).Replace(`case
        when instr(PREFIX, '://') > 0 then substr(URI, 1, length(PREFIX))
        when instr(PREFIX, '/') > 0
          and substr(URI, instr(URI, '://') + 3, length(PREFIX)) = PREFIX then PREFIX
        else substr(
          URI,
          instr(URI, '://') + 3 + instr(substr(URI, instr(URI, '://') + 3), '/'),
          length(PREFIX)
        )
      end = PREFIX`)
}

// Passes is the SQL condition that a memory m passes the filter. A tag includes nested tags, a
// property that is a list has each of its values, and the exclusions do not leave it out.
var Passes = `
  ?2 in ('', m.namespace)
  and ` + BesidesCode + `
  and (?3 = '[]' or lower(m.kind) in (select lower(value) from json_each(?3)))
  and (?4 = '[]' or not exists (
    select 1
    from json_each(?4) wanted
    where not ` + ref.HasTag + `
  ))
  and (?5 = '[]' or not exists (
    select 1
    from json_each(?5) list
    where not exists (
      select 1
      from json_each(list.value) prefix
      where ` + isUnderPrefix + `
    )
  ))
  and (?6 = '{}' or not exists (
    select 1
    from json_each(?6) wanted
    where not ` + record.HasProperty + `
  ))
  and ` + edges.Stands("m", "?8", "?7 = 'all'", "false") + `
  and (
    (?8 ->> 'since') || (?8 ->> 'until') = ''
    or ` + edges.ChangedThen("m.created_at", "?8") + `
    or ` + edges.ChangedThen("m.updated_at", "?8") + `
  )
  and (?9 = '{}' or not ` + isLeftOut + `)`

// EmptyPaths returns a note for each wanted path or uri under which the namespace has no
// memory.
func EmptyPaths(ctx context.Context, r *db.Reader, f Filter) (notes []string, err error) {
	empty, err := db.Select(ctx, r, db.Value[string], `
select distinct forms.value ->> 0
from json_each(?1) forms
where not exists (
  select 1
  from memories m
  cross join json_each(forms.value) prefix
  where m.uri is not null
    and m.status <> 'forgotten'
    and ?2 in ('', m.namespace)
    and `+isUnderPrefix+`
)`, db.List(lists.Map(slices.Concat(f.paths...), script.Forms)), f.Namespace)
	return lists.Map(empty, func(prefix string) string {
		return "no note is under " + prefix + "; give the beginning of a path in its vault, or of a uri"
	}), err
}

// FirstSection is the SQL expression for the key of the first section of a memory m, 0 if none.
const FirstSection = `coalesce((select s.key from sections s where s.memory = m.key order by s.ordinal limit 1), 0)`

// PassesAll reports whether all memories of the namespace and status pass the filter, except
// those that are over.
func (f Filter) PassesAll() bool {
	return len(f.Kinds)+len(f.tags)+len(f.paths)+len(f.properties) == 0 && len(f.without.Tokens) == 0 &&
		!f.Times.IsAsked() && f.Times.Since == "" && f.Times.Until == ""
}

// Period is a time that a question names. From and To are stored times, both included.
type Period struct {
	Name string `json:"name"` // 2026, 2026-03, 2026-03-11, or the first and the last day
	From string `json:"from"`
	To   string `json:"to"`
}

const datePattern = `\b[12][0-9]{3}-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12][0-9]|3[01]))?\b`

// isoDate matches a date such as 2026-03-11 or a month such as 2026-03.
var isoDate = pattern.Lazy(datePattern)

// timeNames matches the times of a question, with the word before which makes one a bound.
var timeNames = pattern.Lazy(`(?i)(\b(?:before|after|until) )?(?:(` + datePattern + `|\b(?:today|yesterday|(?:this|last) (?:week|month|year))\b)|` +
	`(\bin )?\b(january|february|march|april|may|june|july|august|september|october|november|december)(?: ([12][0-9]{3}))?\b)`)

// periodsOf returns the periods that a question names: 2026-03-11, 2026-03, and in English the last
// such month for "in March", "March 2026", yesterday, last week and the like. A time after
// "before", "after" or "until" is left out, because the question is about another time.
func periodsOf(text string, now time.Time) (all []Period) {
	for _, match := range timeNames().FindAllStringSubmatch(text, -1) {
		bound, said, in, month, year := match[1], match[2], match[3], match[4], match[5]
		if bound != "" || month != "" && in+year == "" {
			continue
		}
		if parsed, err := time.Parse("January", month); err == nil {
			latest := time.Date(now.Year(), parsed.Month(), 1, 0, 0, 0, 0, time.UTC)
			if latest.After(now) {
				latest = latest.AddDate(-1, 0, 0)
			}
			if said = latest.Format("2006-01"); year != "" {
				said = year + latest.Format("-01")
			}
		}
		from, to, ok := db.Period(said, now)
		if !ok {
			continue
		}
		one := Period{db.Day(from) + " – " + db.Day(to), from, to}
		for _, layout := range []string{"2006", "2006-01", time.DateOnly} {
			if start, end, _ := db.Period(from[:len(layout)], now); start == from && end == to {
				one.Name = from[:len(layout)]
			}
		}
		all = append(all, one)
	}
	return all
}

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
	texts := slices.Concat(
		lists.Map(e.words, func(word string) [2]string { return [2]string{lexicon.Quote(word), hyphenated(word)} }),
		lists.Map(e.phrases, func(phrase string) [2]string { return [2]string{lexicon.Quote(phrase), ""} }))
	bound := map[string]any{}
	if len(texts) > 0 {
		bound["texts"], bound["any"] = texts, lists.Join(slices.Concat(e.words, e.phrases), " OR ", lexicon.Quote)
	}
	for name, list := range map[string][]string{"tags": lists.Map(e.tags, script.Glob), "kinds": e.kinds, "paths": formsOf(e.paths)} {
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
	return "*" + apart + "-" + script.Glob(word) + apart + "*"
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
