package ref

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/script"
)

// Memory is the memory that a name identifies.
type Memory struct {
	Key int64
	Far
	Namespace string
	URI       string
}

// shortID is the number of characters at the end of an id that identify it, and the least number of
// a prefix.
const shortID = 8

// rule is a way to find a memory by a name. query is a where clause, to which andNamespace is
// appended. Its arguments are the name, a namespace ("" for all) and a limit.
type rule struct {
	applies func(name string) bool
	query   string
}

// addressRules are the rules for names that identify the same memory in all namespaces, such
// as ids. They are tried in this order, and wordRules after them.
var addressRules = []rule{
	{always, byID},
	{isPart, partOfID}, // imported ids keep their case
	{isPart, strings.ReplaceAll(partOfID, "?1", "lower(?1)")},
	{always, `where m.uri = ?1`},
}

var wordRules = []rule{
	{always, `where m.key in (
  select f.memory
  from mirrors v
  cross join files f on f.mirror = v.key and f.path in (?1, ?1 || '.md')
) and m.status <> 'forgotten'`},
	{always, inNoVault},
	{always, `where m.title = ?1 collate nocase and m.title = ?1 and m.status <> 'forgotten'`},
	{always, `where m.title = ?1 collate nocase and m.title = ?1`},
}

// titleQueries are tried last. They compare titles: their argument is the script.Key of the
// name.
var titleQueries = []string{remainingByTitle, byTitle}

var (
	byTitle = `where m.key in (` + KeysByTitle("?1") + `
)`
	remainingByTitle = byTitle + ` and m.status <> 'forgotten'`
)

// partOfID finds the id with a prefix, which has no space or slash, or with the last 8 characters.
const partOfID = `where (
  substr(m.id, -8) = ?1
  or m.id >= ?1 and m.id < ?1 || char(1114111) and ?1 not glob '*[ /]*'
)`

const byID = `where m.id = ?1`

// NoteScheme is the scheme of the uri of a note, obsidian-fs://<vault>/<path>.
const NoteScheme = "obsidian-fs"

// AgentsScheme is the scheme of the uri of a file that an agent keeps itself.
const AgentsScheme = "agents"

// NoteURI returns the uri of a path in a vault.
func NoteURI(vault, path string) string { return NoteScheme + "://" + vault + "/" + path }

// SplitNoteURI returns the name of the vault, and the path in it, of a note's uri. ok is false
// for another uri.
func SplitNoteURI(uri string) (vault, path string, ok bool) {
	rest, isNote := strings.CutPrefix(uri, NoteScheme+"://")
	vault, path, ok = strings.Cut(rest, "/")
	return vault, path, isNote && ok
}

// vaultsPrefix is the uri prefix of all vaults, without its last slash, as an SQL string.
const vaultsPrefix = "'" + NoteScheme + ":/'"

// inNoVault finds by its path a note that was imported as a line of JSON, so that it has a uri
// but no file. It reads the names of the vaults from the index of uris in one step per vault:
// from the first uri of a vault it skips to the first one after obsidian-fs://<vault>/.
const inNoVault = `where m.uri in (
  with recursive mirror (root) as (
    select ` + vaultsPrefix + `
    union all
    select (
      select substr(n.uri, 1, length(` + vaultsPrefix + `) + instr(substr(n.uri, length(` + vaultsPrefix + `) + 2) || '/', '/'))
      from memories n
      where n.uri >= v.root || iif(v.root = ` + vaultsPrefix + `, '/', '0')
        and n.uri < ` + vaultsPrefix + ` || '0'
      order by n.uri
      limit 1
    )
    from mirror v
    where v.root is not null
  )
  select root || '/' || path
  from mirror
  join (select ?1 as path union all select ?1 || '.md')
  where root <> ` + vaultsPrefix + `
) and m.status <> 'forgotten'`

// KeysByTitle returns the query for the keys of the memories whose title has the script.Key
// that the SQL expression key returns. It finds ASCII titles by the index of titles, others in
// folded_titles.
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

// isPart reports whether a name may be a part of an id.
func isPart(name string) bool { return utf8.RuneCountInString(name) >= shortID }

// ShortID returns the last 8 characters of a UUID, which results show and Find accepts. It
// returns any other id whole, because its end may not be unique.
func ShortID(id string) string {
	const uuidLength = 36
	if len(id) != uuidLength || uuid.Validate(id) != nil {
		return id
	}
	return id[uuidLength-shortID:]
}

// Find returns the memory that a name identifies for the caller. It tries in this order: an
// id, a prefix of an id of at least 8 characters or the last 8 characters of an id, a uri, a
// path in a vault with or without .md, an exact title, a title in other case, a title with
// other accents, a symbol of source code by its file and name or its name alone. A name that is the end of one id and a prefix of another is ambiguous. Find
// accepts every Unicode normal form, and ignores white space around the name unless an id has
// it. It fails with ambiguous and up to 5 candidates, or with not_found and up to 3 similar
// titles. A caller with a namespace who is not confined to it also finds a memory of another
// namespace by its id or uri.
func (c Caller) Find(ctx context.Context, r *db.Reader, name string) (Memory, error) {
	matches, err := c.FindEach(ctx, r, []string{name})
	if err != nil {
		return Memory{}, err
	}
	return matches[0].Memory, matches[0].Err
}

type namesKey struct{}

// NoteNames returns a context in which Find notes the ids that names have, by the names.
func NoteNames(ctx context.Context, ids map[string]string) context.Context {
	return context.WithValue(ctx, namesKey{}, ids)
}

// FindNote returns the note at a path in a vault, with or without .md. Its errors are those of
// Find.
func (c Caller) FindNote(ctx context.Context, r *db.Reader, vault, path string) (Memory, error) {
	m, err := c.Find(ctx, r, NoteURI(vault, path))
	if fault.CodeOf(err) != fault.NotFound {
		return m, err
	}
	m, errWithMD := c.Find(ctx, r, NoteURI(vault, path+".md"))
	if fault.CodeOf(errWithMD) == fault.NotFound {
		return m, err
	}
	return m, errWithMD
}

// Found is the memory that one of several names identifies, or the error of Find.
type Found struct {
	Memory
	Err error
}

// FindEach is Find for several names, and returns the results in the same order. Only the
// errors of the first 5 ambiguous names have candidates, and those of the first 5 unknown
// names similar titles. The second result is an error of the store.
func (c Caller) FindEach(ctx context.Context, r *db.Reader, names []string) ([]Found, error) {
	results := make([]Found, len(names))
	unknown := map[string][]int{}
	explained := 0
	for i, name := range names {
		matches, err := c.Matches(ctx, r, name)
		switch {
		case fault.CodeOf(err) == fault.InvalidArgument:
			results[i].Err = err
		case err != nil:
			return nil, err
		case len(matches) == 1:
			results[i].Memory = matches[0]
			if noted, ok := ctx.Value(namesKey{}).(map[string]string); ok {
				noted[name] = matches[0].ID
			}
		case len(matches) > 1 && explained < maxExplained:
			explained++
			if results[i].Err, err = c.explainAmbiguous(ctx, r, name, matches); err != nil {
				return nil, err
			}
		case len(matches) > 1:
			results[i].Err = errAmbiguous(name)
		default:
			results[i].Err = errNotFound(name)
			if len(unknown) < maxExplained || unknown[name] != nil {
				unknown[name] = append(unknown[name], i)
			}
		}
	}
	return results, c.explainUnknown(ctx, r, results, unknown)
}

// Matches returns the memories that a name may identify, at most 6. It fails with
// invalid_argument for an empty name.
func (c Caller) Matches(ctx context.Context, r *db.Reader, text string) ([]Memory, error) {
	name := strings.TrimSpace(text)
	if name != text {
		if matches, err := c.match(ctx, r, byID, text); len(matches) > 0 || err != nil {
			return matches, err
		}
	}
	if name == "" {
		return nil, fault.New(fault.InvalidArgument, "a memory is named by its id, uri, path or title; the name is empty")
	}
	matches, err := c.tryRules(ctx, r, slices.Concat(addressRules, wordRules), name)
	if len(matches) > 0 || err != nil {
		return matches, err
	}
	for _, query := range titleQueries { // a title in other case, or if there is none, a title with other accents
		matches, err := c.findByKey(ctx, r, query, name)
		if inCase := inAnyCase(matches, name); len(inCase) > 0 || err != nil {
			return inCase, err
		}
		if len(matches) > 0 {
			return matches[:min(len(matches), maxMatches)], nil
		}
	}
	if matches, err := c.tryRules(ctx, r, symbolRules, strings.TrimSuffix(name, "()")); len(matches) > 0 || err != nil {
		return matches, err
	}
	if c.Namespace == "" || c.Confined {
		return nil, nil
	}
	return Caller{}.tryRules(ctx, r, addressRules, name) // the caller may have the id from an answer for another namespace
}

// tryRules returns the memories that the first matching rule finds. It tries each rule with the
// name as it is, and in NFC and NFD.
func (c Caller) tryRules(ctx context.Context, r *db.Reader, rules []rule, name string) ([]Memory, error) {
	for _, rule := range rules {
		for _, form := range script.Forms(name) {
			if !rule.applies(form) {
				continue
			}
			if matches, err := c.match(ctx, r, rule.query, form); len(matches) > 0 || err != nil {
				return matches, err
			}
		}
	}
	return nil, nil
}

// SameTitle returns the memories with a title, regardless of case, that are not forgotten: at
// most 6, the current ones first.
func (c Caller) SameTitle(ctx context.Context, r *db.Reader, title string) ([]Memory, error) {
	matches, err := c.findByKey(ctx, r, remainingByTitle, title)
	return inAnyCase(matches, title), err
}

// findByKey returns the memories whose titles have the script.Key of a name. It finds none for
// a name with a NUL byte, at which SQLite's functions would stop and which no title has.
func (c Caller) findByKey(ctx context.Context, r *db.Reader, query, name string) ([]Memory, error) {
	if strings.IndexByte(name, 0) >= 0 {
		return nil, nil
	}
	key := name
	if utf8.RuneCountInString(name) <= maxFoldable {
		key = script.Key(name)
	}
	return db.Select(ctx, r, scan, selectMemory+query+andNamespace, key, c.Namespace, maxSameKey)
}

// inAnyCase returns those of the memories that have a title, regardless of case: the first
// maxMatches.
func inAnyCase(memories []Memory, title string) (matches []Memory) {
	folded := script.FoldCase(title)
	for _, m := range memories {
		if script.FoldCase(m.Title) == folded && len(matches) < maxMatches {
			matches = append(matches, m)
		}
	}
	return matches
}

// match returns the memories that the query of one rule finds.
func (c Caller) match(ctx context.Context, r *db.Reader, query, name string) ([]Memory, error) {
	return db.Select(ctx, r, scan, selectMemory+query+andNamespace, name, c.Namespace, maxMatches)
}

const (
	maxMatches  = 6    // number of memories returned for one name
	maxSameKey  = 200  // number of memories with the same script.Key that are compared
	maxFoldable = 1000 // characters of the longest title that is folded: see folded_titles in schema.sql
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
