package projection

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"

	"hence/edges"
	"hence/internal/db"
	"hence/projection/folder"
)

// maxListed is the largest number of dangling and refused links that a report lists.
const maxListed = 50

// report counts the changes, and reads the vault's links and edges from the store. After
// a dry run with changes, and after an import of only some files, it counts the links of
// the written files only.
func (p *project) report(ctx context.Context, dryRun bool) (Report, error) {
	r := Report{
		Vault: p.name, Namespace: p.namespace, DryRun: dryRun, Code: p.Format.Units,
		Added: len(p.added) - len(p.moved), Updated: len(p.updated), Moved: len(p.moved), Removed: len(p.removed) - len(p.moved),
		DanglingLinks: []Place{}, RefusedLinks: []Place{}, Warnings: []folder.Warning{},
	}
	r.Unchanged = len(p.files) - r.Added - r.Updated - r.Moved - len(p.failed)
	for _, f := range p.files {
		if kindOf(p.folder, f.Path) == "note" {
			r.Notes++
		} else {
			r.Files++
		}
	}
	for _, d := range slices.Concat(p.documents, p.failed) {
		r.Warnings = append(r.Warnings, d.Warnings...)
	}
	slices.SortStableFunc(r.Warnings, func(a, b folder.Warning) int { return strings.Compare(a.Path, b.Path) })
	isAsStored := !dryRun || p.vault != 0 && len(p.documents)+len(p.removed) == 0
	if isAsStored && p.whole {
		return r, p.DB.Read(ctx, func(reader *db.Reader) error { return p.count(ctx, reader, &r) })
	}
	p.foresee(&r)
	if dryRun {
		return r, nil
	}
	paths := edges.Keys(p.documents, func(d *Document) string { return d.Path })
	var err error
	r.Edges, _, err = db.One[int](ctx, p.DB, `
select count(distinct s.edge)
from files f
join sites s on s.note = f.memory
where f.vault = ?
  and f.path in (select value from json_each(?))
  and s.origin <> 'mention'`, p.vault, db.List(paths))
	return r, err
}

// foresee counts the links of the written files, or of those that a dry run would write.
func (p *project) foresee(r *Report) {
	for _, d := range p.documents {
		sites := make([]siteRow, len(d.Sites))
		for i, s := range d.Sites {
			s.Source = d.Path
			sites[i] = siteRow{Site: s}
		}
		resolve(p.directory, sites)
		for _, s := range sites {
			if s.Origin == Mention {
				r.Mentions++
				continue
			}
			if s.By == byNobody {
				continue
			}
			r.Links++
			if len(s.Candidates) > 0 {
				r.Ambiguous++
			}
			if s.Path != "" {
				continue
			}
			r.Dangling++
			if len(r.DanglingLinks) < maxListed {
				r.DanglingLinks = append(r.DanglingLinks, Place{Path: s.Source, Line: s.Line, Target: s.Target + s.Anchor, Rel: cmp.Or(s.Rel, string(s.Kind))})
			}
		}
	}
}

// count reads the numbers of a vault's symbols, links and edges, and the first dangling
// and refused links.
func (p *project) count(ctx context.Context, reader *db.Reader, r *Report) error {
	err := db.Each(ctx, reader, func(row *sql.Rows) error {
		return row.Scan(&r.Symbols, &r.Links, &r.Dangling, &r.Ambiguous, &r.Refused, &r.Edges, &r.Mentions)
	}, `
select
  (select count(*) from symbols where vault = ?1),
  count(*) filter (where s.origin <> 'mention' and s.resolved_by <> 'nobody'),
  count(*) filter (where s.resolved_by = ''),
  count(*) filter (where s.candidates <> '[]'),
  count(*) filter (where s.refused <> ''),
  count(distinct s.edge) filter (where s.origin <> 'mention'),
  count(*) filter (where s.origin = 'mention')
from files f
join sites s on s.note = f.memory
where f.vault = ?1`, p.vault)
	if err != nil {
		return err
	}
	if r.DanglingLinks, err = db.Select(ctx, reader, scanPlace, selectPlaces+`
  and s.resolved_by = ''
order by f.path, s.line, s.key
limit ?`, p.vault, maxListed); err != nil {
		return err
	}
	r.RefusedLinks, err = db.Select(ctx, reader, scanPlace, selectPlaces+`
  and s.refused <> ''
order by f.path, s.line, s.key
limit ?`, p.vault, maxListed)
	return err
}

const selectPlaces = `
select
  f.path,
  s.line,
  s.target || s.anchor,
  coalesce(nullif(s.rel, ''), s.kind),
  s.refused
from files f
join sites s on s.note = f.memory
where f.vault = ?`

var scanPlace = db.Fields(func(p *Place) []any {
	return []any{&p.Path, &p.Line, &p.Target, &p.Rel, &p.Why}
})
