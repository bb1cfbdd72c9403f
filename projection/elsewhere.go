package projection

import (
	"context"
	"errors"
	"strings"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/lists"
	"hence/memory/record"
)

// Elsewhere begins a target that names a symbol of source code by its title:
// code:db.DB.Write. Any file may have such a target, and its edge leads to a memory
// of another source in the same namespace.
const Elsewhere = "code:"

// elsewhere returns the symbol's name that follows Elsewhere in the target. It returns ""
// if the target does not begin with it, or has been resolved within the own folder.
func (s *site) elsewhere() string {
	if name, ok := strings.CutPrefix(s.Target, Elsewhere); ok && s.Path == "" {
		return strings.TrimSpace(name)
	}
	return ""
}

// meanElsewhere resolves the sites that name a symbol by its title. A name that several
// symbols have stays unresolved.
func (p *project) meanElsewhere(ctx context.Context, sites []site) error {
	names := []string{}
	for i := range sites {
		if name := sites[i].elsewhere(); name != "" {
			names = append(names, name)
		}
	}
	if len(names) == 0 || p.Format.isCode() {
		return nil
	}
	keys, err := symbolsCalled(ctx, p.DB, p.namespace, names)
	if err != nil {
		return err
	}
	for i := range sites {
		s := &sites[i]
		if key := keys[s.elsewhere()]; key != 0 {
			s.Path, s.By = s.Target, "code"
			p.memories[s.Path] = key
		}
	}
	return nil
}

// symbolsCalled returns the keys of the current symbols of a namespace by their titles.
// It leaves out names that several symbols have.
func symbolsCalled(ctx context.Context, from *db.DB, namespace string, names []string) (map[string]int64, error) {
	keys := map[string]int64{}
	return keys, db.Fill(ctx, from, keys, `
select
  j.value,
  min(m.key)
from (select distinct value from json_each(?1)) j
cross join memories m on m.title = j.value collate nocase and m.title = j.value
join symbols s on s.memory = m.key
where m.namespace = ?2
  and m.status = 'current'
  and m.origin = 'code'
group by j.value
having count(*) = 1`, db.List(names), namespace)
}

// addPendingEdges adds the edges of the sites in notes that name a symbol and had none, if the
// symbol exists now. It does so only for source code. Each site has its own transaction:
// if its edge is refused, because it would close a cycle or be a second successor, only that
// site stays without an edge.
func (p *project) addPendingEdges(ctx context.Context) error {
	if !p.Format.isCode() {
		return nil
	}
	sites, err := db.Select(ctx, p.DB, scanSite, selectSites+`m.namespace = ?1
  and s.target_key >= 'code:'
  and s.target_key < 'code;'
  and s.edge is null
  and s.target glob 'code:*'
order by v.name, f.path, s.start_byte`, p.namespace)
	if err != nil || len(sites) == 0 {
		return err
	}
	keys, err := symbolsCalled(ctx, p.DB, p.namespace, lists.Map(sites, func(s site) string { return s.elsewhere() }))
	if err != nil {
		return err
	}
	for _, s := range sites {
		if key := keys[s.elsewhere()]; key != 0 && key != s.Note {
			s.Path, s.By, s.Candidates = s.Target, "code", nil
			s.join(map[string]int64{s.Source: s.Note, s.Path: key})
			if err := p.addPendingEdge(ctx, s); err != nil {
				return err
			}
		}
	}
	return nil
}

// addPendingEdge adds the edge of one site. If the edge is refused, the site stays without one.
func (p *project) addPendingEdge(ctx context.Context, s site) error {
	edge, rows := db.Rows{edgeRow(s)}, db.Rows{record.Values(ofSite, &s)}
	err := p.commit(ctx, db.S(insertEdges, edge.Arg(), s.vault).Or(errRefused), db.S(updateSites, rows.Arg()))
	if errors.Is(err, errRefused) {
		return nil
	}
	return err
}

var errRefused = fault.New(fault.Conflict, "import: an edge of a note would close a cycle or be a second successor")
