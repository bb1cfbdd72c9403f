package projection

import (
	"database/sql"
	"slices"

	"hence/edges/acyclic"
	"hence/memory/record"
)

// site is a site with the memories that it joins, as it is stored or is to be stored.
type site struct {
	Site
	Key       int64  `column:"key" is:""`          // 0: not stored yet
	Note      int64  `column:"note" is:""`         // the memory of the file that holds it
	FromKey   int64  `column:"from_key" is:"null"` // the ends of its edge; 0: it has none
	ToKey     int64  `column:"to_key" is:"null"`
	Symmetric bool   `column:"symmetric" is:""` // its kind is
	Acyclic   bool   `column:"acyclic" is:""`   // its kind is
	at        string // the time of its file
	edge      int64  // that it declares, as stored; 0: none
	other     int64  // the memory at the other end of that
	refused   string // as stored
	vault     string // the name of its vault
}

var (
	ofTable = record.Of[Site]() // the columns of the table sites that say what is written
	ofSite  = record.Of[site]()
)

// selectSites selects stored sites s that a condition, which follows, takes, with their files f, vaults v,
// notes m and edges e.
var selectSites = `
select ` + record.Select(ofTable, "s") + `,
  s.key,
  s.note,
  f.path,
  s.refused,
  coalesce(s.edge, 0),
  coalesce(e.from_key + e.to_key - s.note, 0), -- a symmetric edge may be stored either way
  m.updated_at,
  v.name
from sites s
cross join files f on f.memory = s.note
join mirrors v on v.key = f.mirror
join memories m on m.key = s.note
left join edges e on e.key = s.edge
where `

func scanSite(row *sql.Rows) (s site, err error) {
	err = record.Scan(row, ofTable, &s.Site, &s.Key, &s.Note, &s.Source, &s.refused, &s.edge, &s.other, &s.at, &s.vault)
	return s, err
}

// byNobody is Meaning.By for a Bare name that no file has, or several have.
const byNobody = "nobody"

// resolve sets the meanings of sites from the directory.
func resolve(d Directory, sites []site) {
	for i := range sites {
		s := &sites[i]
		if d.Resolve(&s.Site); s.Path == "" {
			s.By = s.notFound()
		}
	}
}

// notFound returns Meaning.By for a site whose target does not exist.
func (s *site) notFound() string {
	if s.Lenient == Bare {
		return byNobody
	}
	return ""
}

// join sets the two memories that the site's edge joins. It sets none if the site dangles
// or refers to its own file or unit.
func (s *site) join(memories map[string]int64) {
	target := memories[s.Path]
	s.Note, s.FromKey, s.ToKey = memories[s.Source], 0, 0
	s.Symmetric, s.Acyclic = s.Kind.Symmetric(), s.Kind.Acyclic()
	holder := s.Note
	if s.From != "" {
		holder = memories[s.From]
	}
	switch {
	case target == 0 || holder == 0: // no file, or one that could not be read
		s.By = s.notFound()
	case target == holder:
	case s.Backward:
		s.FromKey, s.ToKey = target, holder
	default:
		s.FromKey, s.ToKey = holder, target
	}
}

// declares returns the edge that the site declares, if its FromKey is not 0.
func (s site) declares() acyclic.Edge[int64] {
	return acyclic.Edge[int64]{Kind: s.Kind, From: s.FromKey, To: s.ToKey}
}

// means reports whether a site has the same meaning as the stored one. It is false for a
// refused site, so that decide judges it again.
func (s site) means(stored site) bool {
	other := int64(0)
	if s.FromKey != 0 {
		other = s.FromKey + s.ToKey - s.Note
	}
	return s.refused == "" && other == s.other && s.By == stored.By && slices.Equal(s.Candidates, stored.Candidates)
}

// written selects the sites of ?1, each with the edge that it declares, if that
// exists. A symmetric edge may be stored in either direction. For supersedes the word does
// not count: a memory has one successor, so that two words declare one edge.
var written = `
  select
    w.*,
    (
      select e.key
      from edges e
      where e.from_key = w.from_key
        and e.to_key = w.to_key
        and e.kind = w.kind
        and (e.rel = w.rel or e.kind in ('supersedes'))
      union all
      select e.key
      from edges e
      where w.symmetric
        and e.from_key = w.to_key
        and e.to_key = w.from_key
        and e.kind = w.kind
        and e.rel = w.rel
      limit 1
    ) as edge
  from (
    select ` + record.Row(ofSite) + `
    from (select value from json_each(?1) limit -1) g
    limit -1
  ) w`

const undecided = `iif(n.acyclic and n.from_key is not null and n.edge is null, 'undecided', '')`

var insertSites = `
insert into sites (edge, refused, note, ` + record.List(ofTable, "%[1]s") + `)
select
  n.edge,
  ` + undecided + `,
  n.note,
  ` + record.List(ofTable, "n.%[1]s") + `
from (` + written + `
) n`

var updateSites = `
update sites
set
  edge = n.edge,
  refused = ` + undecided + `,
  resolved_by = n.resolved_by,
  candidates = n.candidates
from (` + written + `
) n
where sites.key = n.key`
