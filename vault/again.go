package vault

import (
	"context"
	"database/sql"
	"slices"

	"hence/internal/db"
	"hence/vault/resolve"
)

// resolveAgain looks at the links of other notes that what came, went or was
// renamed may concern, and at those whose edge was refused.
func (p *project) resolveAgain(ctx context.Context, written []document) error {
	concerned := p.concerned()
	if len(concerned) == 0 && len(written) == 0 {
		return nil
	}
	fresh := map[int64]bool{}
	for _, d := range written {
		fresh[p.memories[d.path]] = true
	}
	keys, err := asJSON(concerned)
	if err != nil {
		return err
	}
	var statements []db.Stmt
	err = p.DB.Read(ctx, func(r *db.Reader) error {
		found, err := db.Select(ctx, r, scanStoredSite, selectStoredSites, p.vault, keys[0])
		if err != nil {
			return err
		}
		for _, old := range found {
			if fresh[old.note] && old.refused == "" {
				continue
			}
			more, err := p.resolveSite(old)
			if err != nil {
				return err
			}
			statements = append(statements, more...)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for chunk := range slices.Chunk(statements, 20*group) {
		if err := p.batch(ctx, chunk); err != nil {
			return err
		}
	}
	return nil
}

// concerned returns the keys of every name that has come or gone.
func (p *project) concerned() []string {
	keys := map[string]bool{}
	add := func(names ...string) {
		for _, name := range names {
			keys[resolve.Key(name)] = true
		}
	}
	for _, path := range p.removed {
		add(path)
		add(p.known.files[path].aliases...)
	}
	for _, d := range p.added {
		add(d.path)
		add(d.aliases...)
	}
	for _, d := range p.updated {
		old := p.known.files[d.path].aliases
		if !slices.Equal(old, d.aliases) {
			add(old...)
			add(d.aliases...)
		}
	}
	sorted := make([]string, 0, len(keys))
	for key := range keys {
		sorted = append(sorted, key)
	}
	slices.Sort(sorted)
	return sorted
}

// storedSite is a site as it stands in the store.
type storedSite struct {
	site
	path, text, refused, candidates string
	edge                            int64
	at                              string
}

const selectStoredSites = `
select
  s.key,
  s.note,
  f.path,
  s.target,
  s.kind,
  s.rel,
  s.backward,
  s.origin,
  s.lenient,
  s.resolved_by,
  s.candidates,
  s.refused,
  coalesce(s.edge, 0),
  coalesce(iif(s.backward, e.from_key, e.to_key), 0),
  m.updated_at
from files f
join sites s on s.note = f.memory
join memories m on m.key = s.note
left join edges e on e.key = s.edge
where f.vault = ?1
  and (s.refused <> '' or s.target_key in (select value from json_each(?2)))
order by f.path, s.key`

func scanStoredSite(row *sql.Rows) (s storedSite, err error) {
	err = row.Scan(&s.key, &s.note, &s.path, &s.text, &s.kind, &s.rel, &s.backward, &s.origin, &s.lenient,
		&s.resolvedBy, &s.candidates, &s.refused, &s.edge, &s.target, &s.at)
	return s, err
}

// resolveSite returns what is to be written of a site whose target may mean
// something else now.
func (p *project) resolveSite(old storedSite) ([]db.Stmt, error) {
	now := old.site
	p.resolve(&now, old.path, old.text)
	candidates, err := asJSON(now.candidates)
	if err != nil {
		return nil, err
	}
	same := now.target == old.target || old.edge == 0 && !now.hasEdge()
	if same && old.refused == "" && now.resolvedBy == old.resolvedBy && candidates[0] == old.candidates {
		return nil, nil
	}
	from, to := now.ends()
	return append(p.edgeBatch(now, old.at), db.S(`
update sites
set
  edge = `+theEdge+`,
  refused = `+whyRefused+`,
  resolved_by = ?8,
  candidates = ?9
where key = ?7`, from, to, now.kind, now.rel, now.kind.Symmetric(), now.hasEdge(), now.key, now.resolvedBy, candidates[0])), nil
}
