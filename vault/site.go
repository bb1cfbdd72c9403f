package vault

import (
	"encoding/json"

	"hence/edges"
	"hence/internal/db"
	"hence/vault/note"
	"hence/vault/resolve"
)

// site is a place in a note that declares an edge, as it is written.
type site struct {
	source string // path of the note
	path   string // path of what it means; "" while it dangles

	Key        int64 // 0: not stored yet
	Note       int64
	From       *int64 // the ends of its edge; null: it has none
	To         *int64
	Kind       edges.Kind
	Symmetric  bool
	Acyclic    bool
	Rel        string
	Backward   bool
	Origin     string
	Target     string
	TargetKey  string
	Anchor     string
	Display    string
	Line       int
	Start      int
	End        int
	Context    string
	Lenient    string
	ResolvedBy string
	Candidates string
	At         string // the time of its note
}

// give writes the site into a list, in the order that written reads.
func (s site) give(list *db.Given) {
	list.Row().Int(s.Key).Int(s.Note)
	if s.From == nil {
		list.Null().Null()
	} else {
		list.Int(*s.From).Int(*s.To)
	}
	list.Text(string(s.Kind)).Bool(s.Symmetric).Bool(s.Acyclic).Text(s.Rel).Bool(s.Backward).Text(s.Origin).
		Text(s.Target).Text(s.TargetKey).Text(s.Anchor).Text(s.Display).
		Int(int64(s.Line)).Int(int64(s.Start)).Int(int64(s.End)).Text(s.Context).
		Text(s.Lenient).Text(s.ResolvedBy).Text(s.Candidates)
}

// byNobody is how a name without brackets was found that no note has, or more
// than one. It is kept as a place, since a note may get the name, but it is not
// a link, and so it does not dangle.
const byNobody = "nobody"

// FindTarget returns what the target of a link means in a file, a name without
// brackets being a note's name and nothing else.
func FindTarget(x *resolve.Index, source, target, lenient string) resolve.Result {
	if lenient == string(note.Bare) {
		return x.Named(target)
	}
	return x.Resolve(source, target)
}

// resolve finds what the target means now.
func (s *site) resolve(d *directory, source string) {
	found := FindTarget(d.Index, source, s.Target, s.Lenient)
	s.source, s.path, s.ResolvedBy = source, found.Path, string(found.By)
	if s.Candidates = "[]"; len(found.Candidates) > 0 {
		text, err := json.Marshal(found.Candidates)
		if err != nil {
			panic(err) // they are strings
		}
		s.Candidates = string(text)
	}
	switch {
	case s.path != "" && s.Lenient != "":
		s.ResolvedBy = s.Lenient
	case s.path == "":
		s.ResolvedBy = s.notFound()
	}
}

// notFound is how the site was found where nothing is what it means.
func (s *site) notFound() string {
	if s.Lenient == string(note.Bare) {
		return byNobody
	}
	return string(resolve.ByNone)
}

// join finds the memories that the site's edge joins. It has none while it
// dangles and when it leads to its own note.
func (s *site) join(memories map[string]int64) {
	note, target := memories[s.source], memories[s.path]
	s.Note, s.From, s.To = note, nil, nil
	s.Symmetric, s.Acyclic = s.Kind.Symmetric(), s.Kind.Acyclic()
	switch {
	case target == 0: // no file, or one that could not be read
		s.ResolvedBy = s.notFound()
	case target == note:
	case s.Backward:
		s.From, s.To = &target, &note
	default:
		s.From, s.To = &note, &target
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
