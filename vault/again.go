package vault

import (
	"context"
	"database/sql"
	"slices"

	"hence/internal/db"
	"hence/vault/resolve"
)

// resolveAgain looks at the links of other notes that what came, went or was
// renamed may concern.
func (p *project) resolveAgain(ctx context.Context) error {
	concerned := p.concerned()
	if len(concerned) == 0 {
		return nil
	}
	found, err := p.sitesOf(ctx, concerned)
	if err != nil {
		return err
	}
	changed := []site{}
	for _, old := range found {
		now := old.site
		now.resolve(p.directory, old.source)
		if err := p.loadKeys(ctx, []string{now.path, now.source}); err != nil {
			return err
		}
		now.join(p.memories)
		if now.means(old) {
			continue
		}
		changed = append(changed, now)
	}
	for chunk := range slices.Chunk(changed, 20*groupFiles) {
		statements, err := p.moveStatements(chunk)
		if err != nil {
			return err
		}
		if err := p.touchEdgesOfSites(ctx, chunk); err != nil {
			return err
		}
		if err := p.commit(ctx, statements...); err != nil {
			return err
		}
		if err := p.touchEdgesOfSites(ctx, chunk); err != nil {
			return err
		}
	}
	return nil
}

// moveStatements returns the statements that give sites other edges. One may take
// the edge that another leaves, so what they leave is held until all are moved.
func (p *project) moveStatements(sites []site) ([]db.Stmt, error) {
	notes, err := asJSON(notesOf(sites))
	if err != nil {
		return nil, err
	}
	moves := p.siteStatements(sites, updateSites)
	return slices.Concat([]db.Stmt{db.S(holdEdges, notes)}, moves, []db.Stmt{db.S(releaseEdges)}), nil
}

const (
	holdEdges = `
update edges
set declared = 'held'
where declared = 'site'
  and key in (
    select s.edge
    from json_each(?1) j
    join sites s on s.note = j.value
  )`
	releaseEdges = `
update edges
set declared = 'site'
where declared = 'held'`
)

// notesOf returns the notes in which sites are written, each once.
func notesOf(sites []site) []int64 {
	notes := []int64{}
	for _, s := range sites {
		notes = append(notes, s.Note)
	}
	slices.Sort(notes)
	return slices.Compact(notes)
}

// touchEdgesOfSites notes the edges of some sites, see touchEdgesOf.
func (p *project) touchEdgesOfSites(ctx context.Context, sites []site) error {
	return p.touchEdgesOf(ctx, notesOf(sites))
}

// concerned returns the keys of every name that has come or gone.
func (p *project) concerned() []string {
	if p.known.vault == 0 {
		return nil // no link was resolved before
	}
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
		add(d.Path)
		add(d.aliases...)
	}
	for _, d := range p.updated {
		old := p.known.files[d.Path].aliases
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
	edge    int64
	target  int64 // where its edge leads, 0 without one
	refused string
}

// means says whether a site still means what the stored one does. One whose
// edge was refused is looked at by decide.
func (s site) means(old storedSite) bool {
	target := int64(0)
	if s.From != nil {
		target = *s.From + *s.To - s.Note
	}
	return old.refused == "" && target == old.target && s.ResolvedBy == old.ResolvedBy && s.Candidates == old.Candidates
}

// sitesOf reads the links of the vault whose target has one of some keys.
func (p *project) sitesOf(ctx context.Context, targetKeys []string) (found []storedSite, err error) {
	keys, err := asJSON(targetKeys)
	if err != nil {
		return nil, err
	}
	err = p.DB.Read(ctx, func(r *db.Reader) error {
		found, err = db.Select(ctx, r, scanStoredSite, `
select `+storedSiteColumns+`
from json_each(?2) j
cross join sites s on s.target_key = j.value
join files f on f.memory = s.note and f.vault = ?1
join memories m on m.key = s.note
left join edges e on e.key = s.edge
where s.origin <> 'mention'
order by f.path, s.key`, p.vault, keys)
		return err
	})
	return found, err
}

const storedSiteColumns = `
  s.key,
  s.note,
  f.path,
  s.target,
  s.kind,
  s.rel,
  s.backward,
  s.origin,
  s.start_byte,
  s.lenient,
  s.resolved_by,
  s.candidates,
  s.refused,
  coalesce(s.edge, 0),
  coalesce(e.from_key + e.to_key - s.note, 0), -- a symmetric edge may be stored either way
  m.updated_at`

func scanStoredSite(row *sql.Rows) (s storedSite, err error) {
	err = row.Scan(&s.Key, &s.Note, &s.source, &s.Target, &s.Kind, &s.Rel, &s.Backward, &s.Origin, &s.Start, &s.Lenient,
		&s.ResolvedBy, &s.Candidates, &s.refused, &s.edge, &s.target, &s.At)
	return s, err
}
