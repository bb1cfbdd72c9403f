package ref

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"

	"hence/internal/db"
	"hence/internal/fault"
)

// Memory is what a name leads to.
type Memory struct {
	Key       int64  `json:"-"`
	ID        string `json:"id"`
	Title     string `json:"title"`
	Kind      string `json:"-"`
	Status    string `json:"-"`
	Namespace string `json:"-"`
	URI       string `json:"uri,omitempty"`
}

const (
	minPrefix     = 8 // characters of an id that may stand for it
	maxCandidates = 5 // shown of an ambiguous name
	maxNear       = 3 // near titles shown for an unknown name
	leastPart     = 3 // characters of a name that may be part of a near title
)

// rules are the ways to name a memory, in the order in which they are tried.
// Each query takes the name and a namespace ("" for all) and returns one
// candidate more than are shown.
var rules = []struct {
	applies func(name string) bool
	query   string
}{
	{always, byID},
	{isPrefix, `where m.id >= ?1 and m.id < ?1 || char(1114111)`}, // imported ids keep their case
	{isPrefix, `where m.id >= lower(?1) and m.id < lower(?1) || char(1114111)`},
	{always, `where m.uri = ?1`},
	{always, `where m.key in (
  select f.memory
  from vaults v
  join files f on f.vault = v.key and f.path in (?1, ?1 || '.md')
) and m.status <> 'forgotten'`},
	{always, inNoVault},
	{always, `where m.title = ?1 collate nocase and m.title = ?1 and m.status <> 'forgotten'`},
	{always, `where m.title = ?1 collate nocase and m.title = ?1`},
}

const byID = `where m.id = ?1`

// inNoVault finds a note by its path that came as a line of JSON, so that it has
// a uri and no file here. The vaults are read off the index of uris, in one step
// each: after the first uri of a vault, the first past obsidian-fs://<vault>/.
const inNoVault = `where m.uri in (
  with recursive vault (root) as (
    select 'obsidian-fs:/'
    union all
    select (
      select substr(n.uri, 1, 13 + instr(substr(n.uri, 15) || '/', '/'))
      from memories n
      where n.uri >= v.root || iif(v.root = 'obsidian-fs:/', '/', '0')
        and n.uri < 'obsidian-fs:/0'
      order by n.uri
      limit 1
    )
    from vault v
    where v.root is not null
  )
  select root || '/' || path
  from vault
  join (select ?1 as path union all select ?1 || '.md')
  where root <> 'obsidian-fs:/'
) and m.status <> 'forgotten'`

func always(string) bool { return true }

func isPrefix(name string) bool {
	return utf8.RuneCountInString(name) >= minPrefix && !strings.ContainsAny(name, " /")
}

// Find returns the memory that a name means to the caller: an id, a prefix of
// at least 8 characters that one id has, a uri, a path in a vault with or
// without .md, or an exact title, tried in this order. Blanks around a name do
// not count, unless an id has them. It fails with ambiguous and up to 5
// candidates, or with not_found and up to 3 near titles.
func (c Caller) Find(ctx context.Context, r *db.Reader, given string) (Memory, error) {
	name := strings.TrimSpace(given)
	if name != given {
		if m, found, err := c.by(ctx, r, byID, given); found || err != nil {
			return m, err
		}
	}
	if name == "" {
		return Memory{}, fault.New(fault.InvalidArgument, "a memory is named by its id, uri, path or title; the name is empty")
	}
	for _, rule := range rules {
		if !rule.applies(name) {
			continue
		}
		if m, found, err := c.by(ctx, r, rule.query, name); found || err != nil {
			return m, err
		}
	}
	near, err := c.near(ctx, r, name)
	if err != nil {
		return Memory{}, err
	}
	return Memory{}, notFound(name, near)
}

// by looks for a name by one rule.
func (c Caller) by(ctx context.Context, r *db.Reader, query, name string) (m Memory, found bool, err error) {
	all, err := db.Select(ctx, r, scan, selectMemory+query+andNamespace, name, c.Namespace)
	switch {
	case err != nil || len(all) == 0:
		return m, false, err
	case len(all) > 1:
		return m, false, fault.New(fault.Ambiguous, "%q is the name of several memories; name one by its id", name).
			With("candidates", all[:min(len(all), maxCandidates)])
	}
	return all[0], true, nil
}

const selectMemory = `
select
  m.key,
  m.id,
  m.title,
  m.kind,
  m.status,
  m.namespace,
  coalesce(m.uri, '')
from memories m
`

const andNamespace = `
and ?2 in ('', m.namespace)
order by m.status <> 'current', m.id
limit 6`

func scan(row *sql.Rows) (m Memory, err error) {
	err = row.Scan(&m.Key, &m.ID, &m.Title, &m.Kind, &m.Status, &m.Namespace, &m.URI)
	return m, err
}

func notFound(name string, near []string) error {
	short := name
	if utf8.RuneCountInString(short) > 80 {
		short = string([]rune(short)[:80]) + "…"
	}
	err := fault.New(fault.NotFound, "no memory is called %q; search for it, or name it by its id", short)
	if len(near) == 0 {
		return err
	}
	err.Message += "; near titles: " + strings.Join(near, ", ")
	return err.With("near", near)
}

// near returns the titles that differ least from a name, by the number of
// letters to change (Levenshtein), as long as that is under half of it, or the
// name stands in the title.
func (c Caller) near(ctx context.Context, r *db.Reader, name string) ([]string, error) {
	type candidate struct {
		title    string
		distance int
	}
	length := utf8.RuneCountInString(name)
	wanted := strings.ToLower(name)
	candidates, err := db.Select(ctx, r, func(row *sql.Rows) (candidate, error) {
		var title string
		err := row.Scan(&title)
		return candidate{title, levenshtein.ComputeDistance(wanted, strings.ToLower(title))}, err
	}, `
select distinct title
from memories
where status <> 'forgotten'
  and ?1 in ('', namespace)
  and (
    length(title) between ?2 and ?3
    or length(?4) >= ?5
    and instr(lower(title), lower(?4)) > 0
  )
order by title`, c.Namespace, length-length/2, length+length/2, name, leastPart)
	if err != nil {
		return nil, err
	}
	candidates = slices.DeleteFunc(candidates, func(n candidate) bool {
		isPart := length >= leastPart && strings.Contains(strings.ToLower(n.title), wanted)
		return 2*n.distance > length && !isPart
	})
	slices.SortStableFunc(candidates, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
	titles := []string{}
	for _, n := range candidates[:min(len(candidates), maxNear)] {
		titles = append(titles, n.title)
	}
	return titles, nil
}
