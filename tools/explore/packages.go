package explore

import (
	"cmp"
	"context"
	"slices"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/ref"
)

// PackagesArgs have no fields: all source code that the caller reads is shown.
type PackagesArgs struct{}

// Packages are the packages of source code, and what leads from one to another.
type Packages struct {
	Packages []Package    `json:"packages"`
	Edges    []PackageTie `json:"edges"`
	Rest     int          `json:"rest"` // packages that are left out
}

// Package is a package, or a file that is part of none.
type Package struct {
	ref.Far
	Symbols int `json:"symbols"`
}

// PackageTie is the edges of one kind from what a package declares to what another does.
type PackageTie struct {
	From  string     `json:"from"`
	To    string     `json:"to"`
	Type  edges.Kind `json:"type"`
	Count int        `json:"count"`
}

// maxPackages is the most packages that are shown: those with most edges.
const maxPackages = 400

// Packages returns who uses whom among packages, the edges of their symbols and files
// taken together. Edges within a package are left out.
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

// cut keeps the packages with most edges, in the order of their titles.
func (p *Packages) cut(most int) {
	if p.Rest = max(0, len(p.Packages)-most); p.Rest == 0 {
		return
	}
	ties := map[string]int{}
	for _, t := range p.Edges {
		ties[t.From] += t.Count
		ties[t.To] += t.Count
	}
	slices.SortStableFunc(p.Packages, func(a, b Package) int { return cmp.Compare(ties[b.ID], ties[a.ID]) })
	p.Packages = p.Packages[:most]
	slices.SortStableFunc(p.Packages, func(a, b Package) int { return cmp.Compare(a.Title, b.Title) })
	kept := map[string]bool{}
	for _, one := range p.Packages {
		kept[one.ID] = true
	}
	p.Edges = slices.DeleteFunc(p.Edges, func(t PackageTie) bool { return !kept[t.From] || !kept[t.To] })
}

// wholes has the package of each memory of source code, and the file where that is part
// of none.
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
  from vaults v
  join files f on f.vault = v.key
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
cross join edges e on e.from_key = a.part and e.kind in ('calls', 'imports', 'implements')
join wholes b on b.part = e.to_key
join memories f on f.key = a.whole
join memories t on t.key = b.whole
where a.whole <> b.whole
group by a.whole, b.whole, e.kind
order by f.title, t.title, e.kind`
