package projection

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"

	"hence/internal/db"
	"hence/internal/lists"
	"hence/projection/folder"
)

// maxListed is the largest number of dangling and refused links that a report lists.
const maxListed = 50

// report counts the changes, and reads the vault's links and edges from the store: those of the
// written files only after an import of some files, and after a dry run with changes what it
// would write.
func (p *project) report(ctx context.Context, dryRun bool) (Report, error) {
	r := Report{
		Vault: p.name, Namespace: p.namespace, DryRun: dryRun, Code: p.Format.isCode(),
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
	if dryRun && (p.vault == 0 || len(p.documents)+len(p.removed) > 0) {
		p.foresee(&r)
		return r, nil
	}
	var paths any // null: all
	if !p.whole {
		paths = db.List(lists.Map(p.documents, func(d *Document) string { return d.Path }))
	}
	return r, p.DB.ReadBack(ctx, func(reader *db.Reader) error { return p.count(ctx, reader, &r, paths) })
}

// foresee counts the links of the files that a dry run would write.
func (p *project) foresee(r *Report) {
	for _, d := range p.documents {
		sites := make([]site, len(d.Sites))
		for i, s := range d.Sites {
			s.Source = d.Path
			sites[i] = site{Site: s}
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
func (p *project) count(ctx context.Context, reader *db.Reader, r *Report, paths any) error {
	err := db.Each(ctx, reader, func(row *sql.Rows) error {
		return row.Scan(&r.Symbols, &r.Links, &r.Dangling, &r.Ambiguous, &r.Refused, &r.Edges, &r.Mentions)
	}, `
select
  (select count(*) from symbols where mirror = ?1 and ?2 is null and ?3),
  count(*) filter (where s.origin <> 'mention' and s.resolved_by <> 'nobody'),
  count(*) filter (where s.resolved_by = ''),
  count(*) filter (where s.candidates <> '[]'),
  count(*) filter (where s.refused <> ''),
  count(distinct s.edge) filter (where s.origin <> 'mention'),
  count(*) filter (where s.origin = 'mention')
from files f
join sites s on s.note = f.memory
where f.mirror = ?1
  and f.path in (select path from files where mirror = ?1 and ?2 is null union all select value from json_each(?2))`, p.vault, paths, r.Code)
	if err != nil {
		return err
	}
	if r.DanglingLinks, err = db.Select(ctx, reader, scanPlace, selectPlaces, p.vault, paths, maxListed, false); err != nil {
		return err
	}
	r.RefusedLinks, err = db.Select(ctx, reader, scanPlace, selectPlaces, p.vault, paths, maxListed, true)
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
where f.mirror = ?1
  and f.path in (select path from files where mirror = ?1 and ?2 is null union all select value from json_each(?2))
  and iif(?4, s.refused <> '', s.resolved_by = '')
order by f.path, s.line, s.key
limit ?3`

var scanPlace = db.Fields(func(p *Place) []any {
	return []any{&p.Path, &p.Line, &p.Target, &p.Rel, &p.Why}
})
