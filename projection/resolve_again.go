package projection

import (
	"context"
	"slices"

	"hence/edges"
	"hence/internal/db"
)

// resolveAgain resolves the stored sites whose target keys are in p.concerned, and writes
// those whose meaning has changed.
func (p *project) resolveAgain(ctx context.Context) error {
	if len(p.concerned) == 0 {
		return nil
	}
	stored, err := db.Select(ctx, p.DB, scanStoredSite, `
select `+storedSiteColumns+`
from json_each(?2) j
cross join sites s on s.target_key = j.value
join files f on f.memory = s.note and f.vault = ?1
join memories m on m.key = s.note
left join edges e on e.key = s.edge
where s.origin <> 'mention'
order by f.path, s.key`, p.vault, db.List(p.concerned))
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
		files := edges.Keys(chunk, func(s siteRow) int64 { return s.note })
		slices.Sort(files)
		files = slices.Compact(files)
		if err := p.touchEdgesOf(ctx, files); err != nil {
			return err
		}
		// A site may take over the edge of another, so the old edges are held until all
		// sites have their new ones.
		moves := append([]db.Stmt{db.S(holdEdges, db.List(files))}, p.siteStatements(chunk, updateSites)...)
		if err := p.commit(ctx, append(moves, db.S(releaseEdges))...); err != nil {
			return err
		}
		if err := p.touchEdgesOf(ctx, files); err != nil {
			return err
		}
	}
	return nil
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

// resolveStored returns stored sites with their present meaning and the memories that
// their edges join.
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

// storedSite is a site as it is stored.
type storedSite struct {
	siteRow
	edge    int64
	target  int64 // the memory at the other end of its edge; 0: no edge
	refused string
}

// means reports whether a site has the same meaning as the stored one. It is false for a
// refused site, so that decide judges it again.
func (s siteRow) means(old storedSite) bool {
	target := int64(0)
	if s.from != nil {
		target = *s.from + *s.to - s.note
	}
	return old.refused == "" && target == old.target && s.By == old.By && s.candidates == old.candidates
}

var storedSiteColumns, scanStoredSite = db.Columns(func(s *storedSite) []any {
	return []any{
		"s.key", &s.key,
		"s.note", &s.note,
		"f.path", &s.Source,
		"s.target", &s.Target,
		"s.kind", &s.Kind,
		"s.rel", &s.Rel,
		"s.backward", &s.Backward,
		"s.origin", &s.Origin,
		"s.start_byte", &s.Start,
		"s.lenient", &s.Lenient,
		"s.resolved_by", &s.By,
		"s.candidates", &s.candidates,
		"s.refused", &s.refused,
		"coalesce(s.edge, 0)", &s.edge,
		"coalesce(e.from_key + e.to_key - s.note, 0)", &s.target, // a symmetric edge may be stored either way
		"m.updated_at", &s.at,
	}
})
