package projection

import (
	"hence/internal/db"
)

// siteRow is a site with its meaning, to be stored.
type siteRow struct {
	Site
	Meaning
	key        int64  // 0: not stored yet
	note       int64  // the memory of the file that holds it
	from       *int64 // the ends of its edge; nil: it has none
	to         *int64
	candidates string // in JSON
	at         string // the time of its file
}

// row returns the site's columns in the order that written reads.
func (s siteRow) row() []any {
	return []any{s.key, s.note, s.from, s.to, s.Kind, s.Kind.Symmetric(), s.Kind.Acyclic(), s.Rel, s.Backward, s.Origin,
		s.Target, s.TargetKey, s.Anchor, s.Display, s.Line, s.Start, s.End, s.Context, s.Lenient, s.By, s.candidates}
}

// byNobody is Meaning.By for a Bare name that no file has, or several have.
const byNobody = "nobody"

// resolve sets the meanings of sites from the directory.
func resolve(d Directory, rows []siteRow) {
	sites := make([]Site, len(rows))
	for i, s := range rows {
		sites[i] = s.Site
	}
	for i, meaning := range d.Resolve(sites) {
		s := &rows[i]
		s.Meaning, s.candidates = meaning, db.List(meaning.Candidates)
		if s.Path == "" {
			s.By = s.notFound()
		}
	}
}

// notFound returns Meaning.By for a site whose target does not exist.
func (s *siteRow) notFound() string {
	if s.Lenient == Bare {
		return byNobody
	}
	return ""
}

// join sets the two memories that the site's edge joins. It sets none if the site dangles
// or refers to its own file or unit.
func (s *siteRow) join(memories map[string]int64) {
	note, target := memories[s.Source], memories[s.Path]
	s.note, s.from, s.to = note, nil, nil
	holder := note
	if s.From != "" {
		holder = memories[s.From]
	}
	switch {
	case target == 0 || holder == 0: // no file, or one that could not be read
		s.By = s.notFound()
	case target == holder:
	case s.Backward:
		s.from, s.to = &target, &holder
	default:
		s.from, s.to = &holder, &target
	}
}

// written selects the sites of ?1, each with the edge that it declares, if that
// exists. A symmetric edge may be stored in either direction. For supersedes the word does
// not count: a memory has one successor, so that two words declare one edge.
const written = `
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
    select
      value ->> 0 as key,
      value ->> 1 as note,
      value ->> 2 as from_key,
      value ->> 3 as to_key,
      value ->> 4 as kind,
      value ->> 5 as symmetric,
      value ->> 6 as acyclic,
      value ->> 7 as rel,
      value ->> 8 as backward,
      value ->> 9 as origin,
      value ->> 10 as target,
      value ->> 11 as target_key,
      value ->> 12 as anchor,
      value ->> 13 as display,
      value ->> 14 as line,
      value ->> 15 as start_byte,
      value ->> 16 as end_byte,
      value ->> 17 as context,
      value ->> 18 as lenient,
      value ->> 19 as resolved_by,
      value ->> 20 as candidates
    from (select value from json_each(?1) limit -1)
    limit -1
  ) w`

const insertSites = `
insert into sites (
  edge, refused, note, kind, rel, backward, origin, target, target_key, anchor, display,
  line, start_byte, end_byte, context, lenient, resolved_by, candidates
)
select
  n.edge,
  iif(n.acyclic and n.from_key is not null and n.edge is null, 'undecided', ''),
  n.note,
  n.kind,
  n.rel,
  n.backward,
  n.origin,
  n.target,
  n.target_key,
  n.anchor,
  n.display,
  n.line,
  n.start_byte,
  n.end_byte,
  n.context,
  n.lenient,
  n.resolved_by,
  n.candidates
from (` + written + `
) n`

const updateSites = `
update sites
set
  edge = n.edge,
  refused = iif(n.acyclic and n.from_key is not null and n.edge is null, 'undecided', ''),
  resolved_by = n.resolved_by,
  candidates = n.candidates
from (` + written + `
) n
where sites.key = n.key`
