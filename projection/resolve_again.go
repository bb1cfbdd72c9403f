package projection

import (
	"context"
	"slices"

	"hence/internal/db"
	"hence/internal/lists"
)

// resolveAgain resolves the stored sites whose target keys are in p.concerned, and writes
// those whose meaning has changed.
func (p *project) resolveAgain(ctx context.Context) error {
	if len(p.concerned) == 0 {
		return nil
	}
	stored, err := db.Select(ctx, p.DB, scanSite, selectSites+`s.target_key in (select value from json_each(?2))
  and f.mirror = ?1
  and s.origin <> 'mention'
order by f.path, s.key`, p.vault, db.List(p.concerned))
	if err != nil {
		return err
	}
	changed := slices.Clone(stored)
	if err := p.resolveStored(ctx, changed); err != nil {
		return err
	}
	n := 0
	changed = slices.DeleteFunc(changed, func(s site) bool {
		n++
		return s.means(stored[n-1])
	})
	for chunk := range slices.Chunk(changed, 20*groupFiles) {
		files := lists.Map(chunk, func(s site) int64 { return s.Note })
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

// resolveStored sets the present meaning of stored sites, and the memories that their edges join.
func (p *project) resolveStored(ctx context.Context, sites []site) error {
	resolve(p.directory, sites)
	if err := p.meanElsewhere(ctx, sites); err != nil {
		return err
	}
	paths := []string{}
	for _, s := range sites {
		paths = append(paths, s.Source, s.Path)
	}
	err := p.loadKeys(ctx, paths)
	for i := range sites {
		sites[i].join(p.memories)
	}
	return err
}
