package projection

import (
	"cmp"
	"context"
	"database/sql"
	"slices"

	"hence/edges/acyclic"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/lists"
	"hence/memory/record"
)

// decide decides which of the declared supersessions and dependences become edges, and
// writes the changes. It judges the sites in the order of their files' paths and of their
// places there. It refuses a site whose edge would close a cycle with those before it, or
// would give a memory a second successor. So the result depends on the present files, not
// on the order of edits. Edges that agents, people and other vaults declared come first.
//
// If no site is refused, it does nothing: every order gives the same result.
func (p *project) decide(ctx context.Context) error {
	claims, err := p.refusedClaims(ctx)
	if err != nil || len(claims) == 0 {
		return err
	}
	accepted, fixed, err := p.acceptedClaims(ctx)
	if err != nil {
		return err
	}
	claims = append(claims, accepted...)
	slices.SortFunc(claims, func(a, b site) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Start, b.Start), cmp.Compare(a.Key, b.Key))
	})
	judge := acyclic.New(fixed, lists.Map(claims, site.declares))
	reasons := make([]string, len(claims)) // why each is refused; "": accepted
	for i, c := range claims {
		verdict, _ := judge.Judge(c.declares())
		reasons[i] = string(verdict)
	}
	return p.writeDecisions(ctx, claims, reasons)
}

// refusedClaims reads the refused sites of the vault that still have a target.
func (p *project) refusedClaims(ctx context.Context) ([]site, error) {
	sites, err := db.Select(ctx, p.DB, scanSite, selectSites+`s.refused <> ''
  and f.mirror = ?1`, p.vault)
	if err != nil {
		return nil, err
	}
	err = p.resolveStored(ctx, sites)
	return slices.DeleteFunc(sites, func(s site) bool { return s.FromKey == 0 }), err
}

// acceptedClaims reads the sites of the vault that have an edge, and as fixed the edges
// that the vault does not decide about: those that somebody else declared.
func (p *project) acceptedClaims(ctx context.Context) (claims []site, fixed []acyclic.Edge[int64], err error) {
	ours := map[int64]bool{}
	all := map[int64]acyclic.Edge[int64]{}
	err = db.Each(ctx, p.DB, func(row *sql.Rows) error {
		var c site
		var declared bool
		if err := row.Scan(&c.edge, &c.FromKey, &c.ToKey, &c.Kind, &declared, &c.Key, &c.Note, &c.Source, &c.Start); err != nil {
			return err
		}
		ours[c.edge] = !declared && c.Source != "" && (ours[c.edge] || all[c.edge] == acyclic.Edge[int64]{})
		all[c.edge] = c.declares()
		if c.Source != "" {
			claims = append(claims, c)
		}
		return nil
	}, selectAccepted, p.vault)
	for key, e := range all {
		if !ours[key] {
			fixed = append(fixed, e)
		}
	}
	return claims, fixed, err
}

// The conditions on the kind repeat those of the partial indexes, so that SQLite uses them.
const selectAccepted = `
select
  e.key,
  e.from_key,
  e.to_key,
  e.kind,
  e.declared = 'explicit',
  coalesce(s.key, 0),
  coalesce(s.note, 0),
  coalesce(f.path, ''),
  coalesce(s.start_byte, 0)
from (
  select * from edges where kind in ('depends-on', 'derived-from') and kind = 'depends-on'
  union all
  select * from edges where kind = 'supersedes'
) e
left join sites s on s.edge = e.key
left join files f on f.memory = s.note and f.mirror = ?1`

// writeDecisions takes the edges of refused claims away, then makes the edges of accepted
// ones. reasons has an item for each claim.
func (p *project) writeDecisions(ctx context.Context, claims []site, reasons []string) error {
	var refused, wanted, accepted db.Rows
	files := []int64{}
	for i, c := range claims {
		switch {
		case reasons[i] != "" && reasons[i] != c.refused:
			refused.Row(c.Key, reasons[i])
		case reasons[i] == "" && c.edge == 0:
			wanted.Row(edgeRow(c)...)
			accepted.Row(record.Values(ofSite, &c)...)
		}
		if reasons[i] != c.refused {
			files = append(files, c.Note)
		}
	}
	if len(refused)+len(accepted) == 0 {
		return nil
	}
	err := p.commit(ctx, db.S(refuseSites, refused.Arg()), db.S(insertEdges, wanted.Arg(), p.name).Or(errOtherWriter), db.S(updateSites, accepted.Arg()))
	if err != nil {
		return err
	}
	return p.touchEdgesOf(ctx, files)
}

var errOtherWriter = fault.New(fault.Conflict, "import: another writer has declared an edge that excludes one of the vault's, or purged a note; run it again")

const refuseSites = `
update sites
set
  edge = null,
  refused = g.value ->> 1
from json_each(?1) g
where sites.key = g.value ->> 0`
