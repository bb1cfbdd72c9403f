package reading

import (
	"context"
	"encoding/json"
	"fmt"

	"hence/edges/acyclic"
	"hence/internal/args"
	"hence/internal/budget"
	"hence/internal/db"
	"hence/internal/lists"
	"hence/memory"
	"hence/projection/folder"
	"hence/vault"
)

// CheckArgs name a vault to check.
type CheckArgs struct {
	Name        string `json:"name,omitempty" jsonschema:"the vault's"`
	Limit       int    `json:"limit,omitempty" default:"50" min:"1" max:"1000"`
	TokenBudget int    `json:"token_budget,omitempty" min:"64"`
}

// CheckResult lists the problems of a vault, in the order of path and line.
type CheckResult struct {
	Vault     string                       `json:"vault"`
	Dangling  vault.Listed[CheckedPlace]   `json:"dangling"` // links without a file
	Ambiguous vault.Listed[CheckedPlace]   `json:"ambiguous" jsonschema:"links that could mean several files"`
	Cycles    vault.Listed[CheckedPlace]   `json:"cycles"` // links that would close a cycle
	Refused   vault.Listed[CheckedPlace]   `json:"refused" jsonschema:"would be a second successor"`
	Orphans   vault.Listed[Orphan]         `json:"orphans"`  // notes without edges, except mentions
	Warnings  vault.Listed[folder.Warning] `json:"warnings"` // parts that could not be read
	Secrets   vault.Listed[folder.Warning] `json:"secrets"`  // places that look like a secret; the text leaves the secret out
	Truncated bool                         `json:"truncated"`
	Next      string                       `json:"next,omitempty"`
}

// CheckedPlace is a link in a note, with the files that it could mean.
type CheckedPlace struct {
	vault.Place
	ResolvedTo string   `json:"resolved_to,omitempty"`
	Candidates []string `json:"candidates,omitempty" jsonschema:"what else it could mean"`
}

// Orphan is a note without edges, except mentions.
type Orphan struct {
	ID    string `json:"id"`
	Path  string `json:"path"`
	Title string `json:"title"`
	Trust string `json:"trust,omitempty"` // see ref.Named
}

// Check lists what may need repair in a vault, as of the last import. It fails as
// vault.Importer.Vault does.
func (n Reader) Check(ctx context.Context, a CheckArgs) (result CheckResult, err error) {
	if err := args.Check("check", &a); err != nil {
		return result, err
	}
	v, err := n.files().Vault(ctx, "check", a.Name)
	if err != nil {
		return result, err
	}
	result.Vault = v.Name
	err = n.DB.Read(ctx, func(r *db.Reader) error {
		key, _, err := db.One[int64](ctx, r, `select key from mirrors where name = ?`, v.Name)
		if err != nil {
			return err
		}
		return result.read(ctx, r, key, a.Limit)
	})
	if err != nil {
		return result, err
	}
	return budget.HoldLists(ctx, "check", a.TokenBudget, result, "Dangling", "Ambiguous", "Cycles", "Refused", "Orphans", "Warnings", "Secrets")
}

// read fills the lists, each with at most limit items, from the vault with a key.
func (c *CheckResult) read(ctx context.Context, r *db.Reader, key int64, limit int) (err error) {
	for _, each := range []struct {
		places *vault.Listed[CheckedPlace]
		where  string
	}{
		{&c.Dangling, "dangling"}, {&c.Ambiguous, "ambiguous"}, {&c.Cycles, string(acyclic.Cycle)}, {&c.Refused, string(acyclic.Successor)},
	} {
		if *each.places, err = firstRows(ctx, r, func(p *CheckedPlace) []any {
			return []any{&p.Path, &p.Line, &p.Target, &p.Rel, &p.Why, &p.ResolvedTo, list{&p.Candidates}}
		}, checkPlaces, key, limit, each.where); err != nil {
			return err
		}
		c.Truncated = c.Truncated || each.places.Truncated
	}
	if c.Orphans, err = firstRows(ctx, r, func(o *Orphan) []any { return []any{&o.ID, &o.Path, &o.Title} }, checkOrphans, key, limit); err != nil {
		return err
	}
	if c.Warnings, err = firstRows(ctx, r, func(w *folder.Warning) []any { return []any{&w.Path, &w.Line, &w.Text} }, checkWarnings, key, limit); err != nil {
		return err
	}
	places, total, err := memory.Secrets(ctx, r, "", key, limit)
	if err != nil {
		return err
	}
	secrets := lists.Map(places, func(p memory.SecretPlace) folder.Warning {
		return folder.Warning{Path: p.Path, Line: p.Line, Text: p.Text}
	})
	c.Secrets = vault.ListOf(secrets, total)
	if c.Truncated = c.Truncated || c.Orphans.Truncated || c.Warnings.Truncated || c.Secrets.Truncated; c.Truncated {
		c.Next = "limit"
	}
	return nil
}

// list scans a list as JSON.
type list struct{ to *[]string }

// Scan implements sql.Scanner.
func (l list) Scan(value any) error { return json.Unmarshal(fmt.Appendf(nil, "%s", value), l.to) }

// firstRows returns the rows of a query, whose first column is the number of all rows.
func firstRows[T any](ctx context.Context, r *db.Reader, fields func(*T) []any, query string, args ...any) (l vault.Listed[T], err error) {
	total := 0
	items, err := db.Select(ctx, r, db.Fields(func(t *T) []any { return append([]any{&total}, fields(t)...) }), query, args...)
	return vault.ListOf(items, total), err
}

// checkPlaces selects the links that are dangling, ambiguous, or refused for the
// reason ?3.
const checkPlaces = `
select
  count(*) over (),
  f.path,
  s.line,
  s.target || s.anchor,
  coalesce(nullif(s.rel, ''), s.kind),
  s.refused,
  coalesce(t.path, ''),
  s.candidates
from files f
join sites s on s.note = f.memory
left join edges e on e.key = s.edge
left join files t on t.memory = e.from_key + e.to_key - s.note
where f.mirror = ?1
  and case ?3
    when 'dangling' then s.resolved_by = ''
    when 'ambiguous' then s.candidates <> '[]'
    else s.refused = ?3
  end
order by f.path, s.line, s.key
limit ?2`

// A mention is a guess, so that a note with mentions only is an orphan too.
const checkOrphans = `
select
  count(*) over (),
  m.id,
  f.path,
  m.title
from files f
join memories m on m.key = f.memory
where f.mirror = ?1
  and m.kind = 'note'
  and not exists (select 1 from edges e where e.from_key = m.key and e.kind <> 'mentions')
  and not exists (select 1 from edges e where e.to_key = m.key and e.kind <> 'mentions')
order by f.path
limit ?2`

const checkWarnings = `
select
  count(*) over (),
  f.path,
  coalesce(w.value ->> 'line', 0),
  w.value ->> 'text'
from files f
join json_each(f.warnings) w
where f.mirror = ?1
order by f.path, w.key
limit ?2`
