package projection

import (
	"hence/internal/db"
)

// siteRow is a site on its way into the store.
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

// give writes the site into a list, in the order that written reads.
func (s siteRow) give(list *db.Given) {
	list.Row(s.key, s.note, s.from, s.to, string(s.Kind), s.Kind.Symmetric(), s.Kind.Acyclic(), s.Rel, s.Backward, s.Origin,
		s.Target, s.TargetKey, s.Anchor, s.Display, s.Line, s.Start, s.End, s.Context, s.Lenient, s.By, s.candidates)
}

// byNobody is how a Bare name was found that no file has, or more than one.
const byNobody = "nobody"

// resolve finds what sites mean now.
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

// notFound is how the site was found where nothing is what it means.
func (s *siteRow) notFound() string {
	if s.Lenient == Bare {
		return byNobody
	}
	return ""
}

// join finds the memories that the site's edge joins. It has none while it
// dangles and when it leads to its own file.
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

// written are sites in JSON, each with the edge that it declares, whichever
// way a symmetric one is stored. A memory has one successor, so that two words
// for it declare one edge.
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
      c1 as key,
      c2 as note,
      c3 as from_key,
      c4 as to_key,
      c5 as kind,
      c6 as symmetric,
      c7 as acyclic,
      c8 as rel,
      c9 as backward,
      c10 as origin,
      c11 as target,
      c12 as target_key,
      c13 as anchor,
      c14 as display,
      c15 as line,
      c16 as start_byte,
      c17 as end_byte,
      c18 as context,
      c19 as lenient,
      c20 as resolved_by,
      c21 as candidates
    from given(?1)
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
