package explore

import (
	"cmp"
	"context"
	"slices"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/ref"
)

// PackagesArgs is empty: all source code that the caller may read is shown.
type PackagesArgs struct{}

// Packages lists packages of source code, and the edges from one to another.
type Packages struct {
	Packages []Package    `json:"packages"`
	Edges    []PackageTie `json:"edges"`
	Rest     int          `json:"rest"` // number of packages that are left out
}

// Package is a package, or a file that is not part of one.
type Package struct {
	ref.Far
	Symbols int `json:"symbols"`
}

// PackageTie counts the edges of one type from the symbols and files of a package to those of
// another.
type PackageTie struct {
	From  string     `json:"from"`
	To    string     `json:"to"`
	Type  edges.Kind `json:"type"`
	Count int        `json:"count"`
}

// maxPackages is the limit of packages that are shown: those with the most edges.
const maxPackages = 400

// Packages returns the packages and how they use each other: the edges of their symbols and
// files added up by package. It leaves out edges within a package.
func (q reader) Packages(ctx context.Context, _ PackagesArgs) (p Packages, err error) {
	namespace := q.Caller.Namespace
	err = q.DB.Read(ctx, func(r *db.Reader) error {
		if p.Packages, err = db.Select(ctx, r, db.Fields(func(p *Package) []any {
			return []any{&p.Far, &p.Symbols}
		}), selectPackages, namespace); err != nil {
			return err
		}
		p.Edges, err = db.Select(ctx, r, db.Fields(func(t *PackageTie) []any {
			return []any{&t.From, &t.To, &t.Type, &t.Count}
		}), selectPackageTies, namespace)
		return err
	})
	p.cut(maxPackages)
	return p, err
}

// cut keeps the limit packages with the most edges, in the order of their titles, and the edges
// between them.
func (p *Packages) cut(limit int) {
	if p.Rest = max(0, len(p.Packages)-limit); p.Rest == 0 {
		return
	}
	degree := map[string]int{} // edges by the id of a package
	for _, t := range p.Edges {
		degree[t.From] += t.Count
		degree[t.To] += t.Count
	}
	slices.SortStableFunc(p.Packages, func(a, b Package) int { return cmp.Compare(degree[b.ID], degree[a.ID]) })
	p.Packages = p.Packages[:limit]
	slices.SortStableFunc(p.Packages, func(a, b Package) int { return cmp.Compare(a.Title, b.Title) })
	keptIDs := map[string]bool{}
	for _, pkg := range p.Packages {
		keptIDs[pkg.ID] = true
	}
	p.Edges = slices.DeleteFunc(p.Edges, func(t PackageTie) bool { return !keptIDs[t.From] || !keptIDs[t.To] })
}

// wholes is a with clause: the rows of its table wholes pair each memory of source code
// with its package, or with its file if that is not part of a package.
const wholes = `
with packages (file, package) as materialized (
  select
    e.from_key,
    min(e.to_key)
  from symbols p
  join edges e on e.to_key = p.memory and e.kind = 'part-of'
  join files f on f.memory = e.from_key
  where p.sort = 'package'
  group by e.from_key
),
wholes (part, whole, symbol) as materialized (
  select
    s.memory,
    coalesce(p.package, s.file),
    1
  from symbols s
  join memories m on m.key = s.memory
  left join packages p on p.file = s.file
  where s.file is not null
    and m.origin = 'code'
    and ?1 in ('', m.namespace)
  union all
  select
    s.memory,
    s.memory,
    0
  from symbols s
  join memories m on m.key = s.memory
  where s.sort = 'package'
    and ?1 in ('', m.namespace)
  union all
  select
    f.memory,
    coalesce(p.package, f.memory),
    0
  from mirrors v
  join files f on f.mirror = v.key
  join memories m on m.key = f.memory
  left join packages p on p.file = f.memory
  where v.form = 'code'
    and ?1 in ('', m.namespace)
)`

const selectPackages = wholes + `
select
  m.id,
  m.title,
  m.status,
  m.kind,
  sum(w.symbol)
from wholes w
join memories m on m.key = w.whole
where m.status <> 'forgotten'
group by w.whole
having sum(w.symbol) > 0
order by m.title, m.id`

const selectPackageTies = wholes + `
select
  f.id,
  t.id,
  e.kind,
  count(*)
from wholes a
cross join edges e on e.from_key = a.part and e.kind in ('calls', 'imports', 'implements', 'refers-to')
join wholes b on b.part = e.to_key
join memories f on f.key = a.whole
join memories t on t.key = b.whole
where a.whole <> b.whole
group by a.whole, b.whole, e.kind
order by f.title, t.title, e.kind`
