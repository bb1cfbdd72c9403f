package vault

import (
	"encoding/json"

	"hence/edges"
	"hence/vault/resolve"
)

// site is a place in a note that declares an edge, as it is written.
type site struct {
	source string // path of the note
	path   string // path of what it means; "" while it dangles

	Key        int64      `json:"key"` // 0: not stored yet
	Note       int64      `json:"note"`
	From       *int64     `json:"from"` // the ends of its edge; null: it has none
	To         *int64     `json:"to"`
	Kind       edges.Kind `json:"kind"`
	Symmetric  bool       `json:"symmetric"`
	Acyclic    bool       `json:"acyclic"`
	Rel        string     `json:"rel"`
	Backward   bool       `json:"backward"`
	Origin     string     `json:"origin"`
	Target     string     `json:"target"`
	TargetKey  string     `json:"target_key"`
	Anchor     string     `json:"anchor"`
	Display    string     `json:"display"`
	Line       int        `json:"line"`
	Start      int        `json:"start"`
	End        int        `json:"end"`
	Context    string     `json:"context"`
	Lenient    string     `json:"lenient"`
	ResolvedBy string     `json:"resolved_by"`
	Candidates string     `json:"candidates"`
	At         string     `json:"at"` // the time of its note
}

// resolve finds what the target means now.
func (s *site) resolve(d *directory, source string) {
	found := d.Resolve(source, s.Target)
	s.source, s.path, s.ResolvedBy = source, found.Path, string(found.By)
	if s.Candidates = "[]"; len(found.Candidates) > 0 {
		text, err := json.Marshal(found.Candidates)
		if err != nil {
			panic(err) // they are strings
		}
		s.Candidates = string(text)
	}
	if s.path != "" && s.Lenient != "" {
		s.ResolvedBy = s.Lenient
	}
}

// join finds the memories that the site's edge joins. It has none while it
// dangles and when it leads to its own note.
func (s *site) join(memories map[string]int64) {
	note, target := memories[s.source], memories[s.path]
	s.Note, s.From, s.To = note, nil, nil
	s.Symmetric, s.Acyclic = s.Kind.Symmetric(), s.Kind.Acyclic()
	switch {
	case target == 0: // no file, or one that could not be read
		s.ResolvedBy = string(resolve.ByNone)
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
      value ->> 'key' as key,
      value ->> 'note' as note,
      value ->> 'from' as from_key,
      value ->> 'to' as to_key,
      value ->> 'kind' as kind,
      value ->> 'symmetric' as symmetric,
      value ->> 'acyclic' as acyclic,
      value ->> 'rel' as rel,
      value ->> 'backward' as backward,
      value ->> 'origin' as origin,
      value ->> 'target' as target,
      value ->> 'target_key' as target_key,
      value ->> 'anchor' as anchor,
      value ->> 'display' as display,
      value ->> 'line' as line,
      value ->> 'start' as start_byte,
      value ->> 'end' as end_byte,
      value ->> 'context' as context,
      value ->> 'lenient' as lenient,
      value ->> 'resolved_by' as resolved_by,
      value ->> 'candidates' as candidates
    from given
  ) w`

const insertSites = givenRows + `
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

const updateSites = givenRows + `
update sites
set
  edge = n.edge,
  refused = iif(n.acyclic and n.from_key is not null and n.edge is null, 'undecided', ''),
  resolved_by = n.resolved_by,
  candidates = n.candidates
from (` + written + `
) n
where sites.key = n.key`
