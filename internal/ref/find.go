package ref

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"hence/internal/db"
	"hence/internal/fault"
)

// Memory is the memory that a name means.
type Memory struct {
	Key int64
	Far
	Namespace string
	URI       string
}

const (
	minPrefix = 8 // characters of an id that may stand for it
	shortID   = 8 // characters at the end of an id that may stand for it
)

// rules are the ways to name a memory, in the order in which they are tried. Each
// query takes the name and a namespace ("" for all), and ends in a condition that
// andNamespace goes on.
var rules = []struct {
	applies func(name string) bool
	query   string
}{
	{always, byID},
	{isPrefix, `where ` + startsWith}, // imported ids keep their case
	{isShortID, `where substr(m.id, -8) = ?1`},
	{isBoth, `where (substr(m.id, -8) = ?1 or ` + startsWith + `)`},
	{isPrefix, `where ` + startsWithLower},
	{isShortID, `where substr(m.id, -8) = lower(?1)`},
	{isBoth, `where (substr(m.id, -8) = lower(?1) or ` + startsWithLower + `)`},
	{always, `where m.uri = ?1`},
	{always, `where m.key in (
  select f.memory
  from vaults v
  join files f on f.vault = v.key and f.path in (?1, ?1 || '.md')
) and m.status <> 'forgotten'`},
	{always, inNoVault},
	{always, `where m.title = ?1 collate nocase and m.title = ?1 and m.status <> 'forgotten'`},
	{always, `where m.title = ?1 collate nocase and m.title = ?1`},
	{mayBeTitle, inOtherCase + ` and m.status <> 'forgotten'`},
	{mayBeTitle, inOtherCase},
}

const (
	startsWith      = `(m.id >= ?1 and m.id < ?1 || char(1114111))`
	startsWithLower = `(m.id >= lower(?1) and m.id < lower(?1) || char(1114111))`
)

const byID = `where m.id = ?1`

// NoteScheme begins the uri of a note, obsidian-fs://<vault>/<path>.
const NoteScheme = "obsidian-fs"

// SplitNoteURI returns the vault's name and the path in it of a note's uri.
func SplitNoteURI(uri string) (vault, path string, ok bool) {
	rest, isNote := strings.CutPrefix(uri, NoteScheme+"://")
	vault, path, ok = strings.Cut(rest, "/")
	return vault, path, isNote && ok
}

const aboveVaults = "'" + NoteScheme + ":/'"

// inNoVault finds by its path a note that was imported as a line of JSON, so that it
// has a uri but no file. It reads the names of vaults off the index of uris, one step
// for each: after the first uri of a vault, the first past obsidian-fs://<vault>/.
const inNoVault = `where m.uri in (
  with recursive vault (root) as (
    select ` + aboveVaults + `
    union all
    select (
      select substr(n.uri, 1, length(` + aboveVaults + `) + instr(substr(n.uri, length(` + aboveVaults + `) + 2) || '/', '/'))
      from memories n
      where n.uri >= v.root || iif(v.root = ` + aboveVaults + `, '/', '0')
        and n.uri < ` + aboveVaults + ` || '0'
      order by n.uri
      limit 1
    )
    from vault v
    where v.root is not null
  )
  select root || '/' || path
  from vault
  join (select ?1 as path union all select ?1 || '.md')
  where root <> ` + aboveVaults + `
) and m.status <> 'forgotten'`

// inOtherCase finds titles that differ from the name in case only. It folds the name
// as the view title_folding folds titles. Titles in ASCII are found by the index of
// titles, others in folded_titles.
const inOtherCase = `where m.key in (
  with recursive
    spelled (rest, folded) as (
      select ?1, ''
      where length(?1) <= 1000
      union all
      select
        substr(s.rest, 2),
        s.folded || coalesce(
          (select l.folded from letters l where l.letter = substr(s.rest, 1, 1)),
          lower(substr(s.rest, 1, 1))
        )
      from spelled s
      where s.rest <> ''
    ),
    name (folded) as materialized (
      select folded from spelled where rest = ''
      union
      select ?1 where length(?1) > 1000
    )
  select t.key
  from name n
  cross join memories t on t.title = n.folded collate nocase
  union all
  select t.memory
  from name n
  cross join folded_titles t on t.folded = n.folded
)`

func always(string) bool { return true }

// mayBeTitle reports whether a name has no NUL byte, where SQLite's functions stop.
func mayBeTitle(name string) bool { return strings.IndexByte(name, 0) < 0 }

// mayStart reports whether a name may be the start of an id.
func mayStart(name string) bool {
	return utf8.RuneCountInString(name) >= minPrefix && !strings.ContainsAny(name, " /")
}

func mayBeShort(name string) bool { return utf8.RuneCountInString(name) == shortID }

func isPrefix(name string) bool  { return mayStart(name) && !mayBeShort(name) }
func isShortID(name string) bool { return mayBeShort(name) && !mayStart(name) }
func isBoth(name string) bool    { return mayBeShort(name) && mayStart(name) }

// ShortID returns the last 8 characters of a UUID, which results show and which name
// the memory again. It returns any other id whole, because its end may not be unique.
func ShortID(id string) string {
	const uuidLength = 36
	if len(id) != uuidLength || uuid.Validate(id) != nil {
		return id
	}
	return id[uuidLength-shortID:]
}

// Find returns the memory that a name means to the caller. It tries in this order:
// an id, the last 8 characters of an id, a prefix of at least 8 characters, a uri, a
// path in a vault with or without .md, an exact title, a title in other case. A name
// that is both the end and a prefix of ids is ambiguous. White space around a name
// does not count, unless an id has it. It fails with ambiguous and up to 5
// candidates, or with not_found and up to 3 near titles.
func (c Caller) Find(ctx context.Context, r *db.Reader, name string) (Memory, error) {
	found, err := c.FindEach(ctx, r, []string{name})
	if err != nil {
		return Memory{}, err
	}
	return found[0].Memory, found[0].Err
}

// Found is the memory that one of several names means, or the error of Find.
type Found struct {
	Memory
	Err error
}

// FindEach is Find for several names, in their order. Errors have near titles or
// candidates for the first 5 names that need them. The second result is an error of
// the store.
func (c Caller) FindEach(ctx context.Context, r *db.Reader, names []string) ([]Found, error) {
	all := make([]Found, len(names))
	unknown := map[string][]int{}
	explained := 0
	for i, name := range names {
		matches, err := c.Matches(ctx, r, name)
		switch {
		case fault.CodeOf(err) == fault.InvalidArgument:
			all[i].Err = err
		case err != nil:
			return nil, err
		case len(matches) == 1:
			all[i].Memory = matches[0]
		case len(matches) > 1 && explained < maxExplained:
			explained++
			if all[i].Err, err = c.ambiguous(ctx, r, name, matches); err != nil {
				return nil, err
			}
		case len(matches) > 1:
			all[i].Err = errAmbiguous(name)
		default:
			all[i].Err = errNotFound(name)
			if len(unknown) < maxExplained || unknown[name] != nil {
				unknown[name] = append(unknown[name], i)
			}
		}
	}
	return all, c.explainUnknown(ctx, r, all, unknown)
}

// Matches returns the memories that a name may mean, at most 6. It fails with
// invalid_argument for an empty name.
func (c Caller) Matches(ctx context.Context, r *db.Reader, text string) ([]Memory, error) {
	name := strings.TrimSpace(text)
	if name != text {
		if all, err := c.match(ctx, r, byID, text); len(all) > 0 || err != nil {
			return all, err
		}
	}
	if name == "" {
		return nil, fault.New(fault.InvalidArgument, "a memory is named by its id, uri, path or title; the name is empty")
	}
	for _, rule := range rules {
		if !rule.applies(name) {
			continue
		}
		if all, err := c.match(ctx, r, rule.query, name); len(all) > 0 || err != nil {
			return all, err
		}
	}
	return nil, nil
}

// SameTitle returns the memories that have a title, regardless of case, except
// forgotten ones: at most 6, current ones first.
func (c Caller) SameTitle(ctx context.Context, r *db.Reader, title string) ([]Memory, error) {
	return c.match(ctx, r, inOtherCase+` and m.status <> 'forgotten'`, title)
}

// match looks for a name by one rule.
func (c Caller) match(ctx context.Context, r *db.Reader, query, name string) ([]Memory, error) {
	return db.Select(ctx, r, scan, selectMemory+query+andNamespace, name, c.Namespace)
}

const selectMemory = `
select
  m.key,
  m.id,
  m.title,
  m.status,
  m.kind,
  m.namespace,
  coalesce(m.uri, '')
from memories m
`

const andNamespace = `
and ?2 in ('', m.namespace)
order by m.status <> 'current', m.id
limit 6`

var scan = db.Fields(func(m *Memory) []any { return []any{&m.Key, &m.Far, &m.Namespace, &m.URI} })
