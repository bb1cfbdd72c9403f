package projection

import (
	"context"
	"slices"

	"hence/internal/db"
)

// resolveAgain resolves the stored sites that may mean what came, went or was
// renamed.
func (p *project) resolveAgain(ctx context.Context) error {
	if len(p.concerned) == 0 {
		return nil
	}
	stored, err := p.sitesOf(ctx, p.concerned)
	if err != nil {
		return err
	}
	now, err := p.resolveStored(ctx, stored)
	if err != nil {
		return err
	}
	changed := []siteRow{}
	for i, old := range stored {
		if !now[i].means(old) {
			changed = append(changed, now[i])
		}
	}
	for chunk := range slices.Chunk(changed, 20*groupFiles) {
		if err := p.touchEdgesOfSites(ctx, chunk); err != nil {
			return err
		}
		if err := p.commit(ctx, p.moveStatements(chunk)...); err != nil {
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
func (p *project) moveStatements(sites []siteRow) []db.Stmt {
	moves := p.siteStatements(sites, updateSites)
	return slices.Concat([]db.Stmt{db.S(holdEdges, db.List(filesOf(sites)))}, moves, []db.Stmt{db.S(releaseEdges)})
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

// filesOf returns the memories of the files that hold sites, each once.
func filesOf(sites []siteRow) []int64 {
	files := []int64{}
	for _, s := range sites {
		files = append(files, s.note)
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// touchEdgesOfSites notes the edges of some sites, see touchEdgesOf.
func (p *project) touchEdgesOfSites(ctx context.Context, sites []siteRow) error {
	return p.touchEdgesOf(ctx, filesOf(sites))
}

// resolveStored finds what stored sites mean now, and the memories of their ends.
func (p *project) resolveStored(ctx context.Context, stored []storedSite) ([]siteRow, error) {
	sites := make([]siteRow, len(stored))
	for i, s := range stored {
		sites[i] = s.siteRow
	}
	resolve(p.directory, sites)
	if err := p.meanElsewhere(ctx, sites); err != nil {
		return nil, err
	}
	paths := []string{}
	for _, s := range sites {
		paths = append(paths, s.Source, s.Path)
	}
	err := p.loadKeys(ctx, paths)
	for i := range sites {
		sites[i].join(p.memories)
	}
	return sites, err
}

// storedSite is a site as it stands in the store.
type storedSite struct {
	siteRow
	edge    int64
	target  int64 // where its edge leads, 0 without one
	refused string
}

// means says whether a site still means what the stored one does. One whose
// edge was refused is looked at by decide.
func (s siteRow) means(old storedSite) bool {
	target := int64(0)
	if s.from != nil {
		target = *s.from + *s.to - s.note
	}
	return old.refused == "" && target == old.target && s.By == old.By && s.candidates == old.candidates
}

// sitesOf reads the links of the vault whose target has one of some keys.
func (p *project) sitesOf(ctx context.Context, targetKeys []string) (found []storedSite, err error) {
	return db.Select(ctx, p.DB, scanStoredSite, `
select `+storedSiteColumns+`
from json_each(?2) j
cross join sites s on s.target_key = j.value
join files f on f.memory = s.note and f.vault = ?1
join memories m on m.key = s.note
left join edges e on e.key = s.edge
where s.origin <> 'mention'
order by f.path, s.key`, p.vault, db.List(targetKeys))
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

var scanStoredSite = db.Fields(func(s *storedSite) []any {
	return []any{&s.key, &s.note, &s.Source, &s.Target, &s.Kind, &s.Rel, &s.Backward, &s.Origin, &s.Start, &s.Lenient, &s.By, &s.candidates, &s.refused, &s.edge, &s.target, &s.at}
})
