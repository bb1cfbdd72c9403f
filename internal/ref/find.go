package ref

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
	"golang.org/x/text/unicode/norm"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/script"
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

// rule is a way to name a memory. The query takes the name, a namespace ("" for all) and
// a limit, and ends in a condition that andNamespace goes on.
type rule struct {
	applies func(name string) bool
	query   string
}

// byAddress are the rules for names that no two namespaces give to different memories, in
// the order in which they are tried, and byWords those that are tried then.
var byAddress = []rule{
	{always, byID},
	{isPrefix, `where ` + startsWith}, // imported ids keep their case
	{isShortID, `where substr(m.id, -8) = ?1`},
	{isBoth, `where (substr(m.id, -8) = ?1 or ` + startsWith + `)`},
	{isPrefix, `where ` + startsWithLower},
	{isShortID, `where substr(m.id, -8) = lower(?1)`},
	{isBoth, `where (substr(m.id, -8) = lower(?1) or ` + startsWithLower + `)`},
	{always, `where m.uri = ?1`},
}

var byWords = []rule{
	{always, `where m.key in (
  select f.memory
  from vaults v
  join files f on f.vault = v.key and f.path in (?1, ?1 || '.md')
) and m.status <> 'forgotten'`},
	{always, inNoVault},
	{always, `where m.title = ?1 collate nocase and m.title = ?1 and m.status <> 'forgotten'`},
	{always, `where m.title = ?1 collate nocase and m.title = ?1`},
}

// lastRules compare titles: their queries take the script.Key of the name.
var lastRules = []string{stillByTitle, byTitle}

var (
	byTitle = `where m.key in (` + KeysByTitle("?1") + `
)`
	stillByTitle = byTitle + ` and m.status <> 'forgotten'`
)

const (
	startsWith      = `(m.id >= ?1 and m.id < ?1 || char(1114111))`
	startsWithLower = `(m.id >= lower(?1) and m.id < lower(?1) || char(1114111))`
)

const byID = `where m.id = ?1`

// NoteScheme begins the uri of a note, obsidian-fs://<vault>/<path>.
const NoteScheme = "obsidian-fs"

// NoteURI returns the uri of a path in a vault.
func NoteURI(vault, path string) string { return NoteScheme + "://" + vault + "/" + path }

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

// KeysByTitle returns SQL that selects the keys of the memories whose title has a script.Key,
// which is SQL too: titles in ASCII by the index of titles, others in folded_titles.
func KeysByTitle(key string) string {
	return `
  select ascii.key
  from memories ascii
  where ascii.title = ` + key + ` collate nocase
  union
  select beyond.memory
  from folded_titles beyond
  where beyond.folded = ` + key
}

func always(string) bool { return true }

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
// path in a vault with or without .md, an exact title, a title in other case, a title
// with other accents. A name that is both the end and a prefix of ids is ambiguous. It
// does not matter in which way of Unicode a name is written. White space around it
// does not count, unless an id has it. It fails with ambiguous and up to 5
// candidates, or with not_found and up to 3 near titles. A caller of one namespace who may
// name others finds a memory of theirs by its id or uri.
func (c Caller) Find(ctx context.Context, r *db.Reader, name string) (Memory, error) {
	matches, err := c.FindEach(ctx, r, []string{name})
	if err != nil {
		return Memory{}, err
	}
	return matches[0].Memory, matches[0].Err
}

// FindNote returns the note at a path in a vault, with or without .md. It fails as Find
// does.
func (c Caller) FindNote(ctx context.Context, r *db.Reader, vault, path string) (Memory, error) {
	m, err := c.Find(ctx, r, NoteURI(vault, path))
	if fault.CodeOf(err) != fault.NotFound {
		return m, err
	}
	m, withMD := c.Find(ctx, r, NoteURI(vault, path+".md"))
	if fault.CodeOf(withMD) == fault.NotFound {
		return m, err
	}
	return m, withMD
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
	all, err := c.tryRules(ctx, r, slices.Concat(byAddress, byWords), name)
	if len(all) > 0 || err != nil {
		return all, err
	}
	for _, query := range lastRules { // in other case, or if there is none with other accents
		all, err := c.alike(ctx, r, query, name)
		if same := inAnyCase(all, name); len(same) > 0 || err != nil {
			return same, err
		}
		if len(all) > 0 {
			return all[:min(len(all), maxMatches)], nil
		}
	}
	if c.Namespace == "" || c.Confined {
		return nil, nil
	}
	return Caller{}.tryRules(ctx, r, byAddress, name) // an id of an answer for another namespace
}

// tryRules returns what the first rule finds that finds something, whichever way of
// Unicode the name is written in.
func (c Caller) tryRules(ctx context.Context, r *db.Reader, rules []rule, name string) ([]Memory, error) {
	forms := slices.Compact([]string{name, norm.NFC.String(name), norm.NFD.String(name)})
	for _, rule := range rules {
		for _, form := range forms {
			if !rule.applies(form) {
				continue
			}
			if all, err := c.match(ctx, r, rule.query, form); len(all) > 0 || err != nil {
				return all, err
			}
		}
	}
	return nil, nil
}

// SameTitle returns the memories that have a title, regardless of case, except
// forgotten ones: at most 6, current ones first.
func (c Caller) SameTitle(ctx context.Context, r *db.Reader, title string) ([]Memory, error) {
	all, err := c.alike(ctx, r, stillByTitle, title)
	return inAnyCase(all, title), err
}

// alike returns the memories whose titles have the Key of a name. SQLite's functions stop
// at a NUL byte, which no title has.
func (c Caller) alike(ctx context.Context, r *db.Reader, query, name string) ([]Memory, error) {
	if strings.IndexByte(name, 0) >= 0 {
		return nil, nil
	}
	key := name
	if utf8.RuneCountInString(name) <= longestFolded {
		key = script.Key(name)
	}
	return db.Select(ctx, r, scan, selectMemory+query+andNamespace, key, c.Namespace, maxAlike)
}

// inAnyCase returns the first memories with a title, regardless of case.
func inAnyCase(all []Memory, title string) (same []Memory) {
	folded := script.FoldCase(title)
	for _, m := range all {
		if script.FoldCase(m.Title) == folded && len(same) < maxMatches {
			same = append(same, m)
		}
	}
	return same
}

// match looks for a name by one rule.
func (c Caller) match(ctx context.Context, r *db.Reader, query, name string) ([]Memory, error) {
	return db.Select(ctx, r, scan, selectMemory+query+andNamespace, name, c.Namespace, maxMatches)
}

const (
	maxMatches    = 6    // memories of one name
	maxAlike      = 200  // memories whose titles are compared
	longestFolded = 1000 // characters of a title: see folded_titles in schema.sql
)

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
limit ?3`

var scan = db.Fields(func(m *Memory) []any { return []any{&m.Key, &m.Far, &m.Namespace, &m.URI} })
