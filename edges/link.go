package edges

import (
	"context"

	"hence/internal/args"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/internal/secret"
)

// maxNote and maxRel are the longest texts of an edge in bytes.
const (
	maxNote = 4000
	maxRel  = 200
)

// LinkArgs are the arguments of Graph.Link. From, To and Type must be given.
type LinkArgs struct {
	From      string   `json:"from,omitempty" jsonschema:"id, path or title"`
	To        string   `json:"to,omitempty"`
	Type      string   `json:"type,omitempty" jsonschema:"read from → to; inverse words such as caused-by are reversed"`
	Rel       string   `json:"rel,omitempty" jsonschema:"your own word for it, where the type is too coarse"`
	Weight    *float64 `json:"weight,omitempty" above:"0" max:"1" jsonschema:"how sure; default 1"`
	Note      string   `json:"note,omitempty" jsonschema:"the reason, in a sentence"`
	ValidFrom string   `json:"valid_from,omitempty" jsonschema:"time or date from which it holds"`
	ValidTo   string   `json:"valid_to,omitempty"`
	Replace   bool     `json:"replace,omitempty" jsonschema:"overwrite when it held, if that is over"`
}

// LinkAllArgs are the arguments of Graph.LinkAll: one edge, or Links.
type LinkAllArgs struct {
	LinkArgs
	Links []LinkArgs `json:"links,omitempty" outline:"true" jsonschema:"or several edges, all or none: {from, to, type …} each"`
}

// all returns the edges to declare. It fails with invalid_argument if one of them has no ends
// or type, or if there is one edge beside the list.
func (a LinkAllArgs) all() ([]LinkArgs, error) {
	all, name := a.Links, "link: each of links needs"
	switch {
	case len(a.Links) == 0:
		all, name = []LinkArgs{a.LinkArgs}, "link: give"
	case a.LinkArgs != LinkArgs{}:
		return nil, fault.New(fault.InvalidArgument, "link: give from, to and type, or links, not both")
	}
	for _, one := range all {
		if one.From == "" || one.To == "" || one.Type == "" {
			return nil, fault.New(fault.InvalidArgument, "%s from, to and type", name)
		}
	}
	return all, nil
}

// LinkResult is the edge as it is stored after Link. After LinkAll it is the first one, and
// Edges has all if there were several.
type LinkResult struct {
	Edge     Edge         `json:"edge"`
	Created  bool         `json:"created"`
	Edges    []LinkedEdge `json:"edges,omitempty"`
	Warnings []string     `json:"warnings"`
}

// All returns every edge that was declared.
func (r LinkResult) All() []LinkedEdge {
	if len(r.Edges) == 0 {
		return []LinkedEdge{{r.Edge, r.Created}}
	}
	return r.Edges
}

// LinkedEdge is one of several declared edges.
type LinkedEdge struct {
	Edge    Edge `json:"edge"`
	Created bool `json:"created"`
}

// UnlinkArgs are the arguments of Graph.Unlink.
type UnlinkArgs struct {
	From string `json:"from" jsonschema:"id, path or title"`
	To   string `json:"to"`
	Type string `json:"type" jsonschema:"type of edge, read from → to"`
	Rel  string `json:"rel,omitempty" jsonschema:"only the edge with this word"`
}

// UnlinkResult says how many edges were removed. Warnings says which edges remain, and why.
type UnlinkResult struct {
	Removed      int64       `json:"removed"`
	CurrentAgain []ref.Named `json:"current_again,omitempty"` // no longer superseded
	Warnings     []string    `json:"warnings"`
}

// Declaration is an edge to write between two memories. From and To are ids; an earlier
// statement of the same batch may create these memories.
type Declaration struct {
	ID        string // id of the edge, if it is new
	From, To  string
	Kind      Kind
	Rel       string
	Weight    *float64 // nil: 1 for a new edge, unchanged for an existing one
	Note      string
	ValidFrom string // in the stored form, as db.ParseSpan returns it
	ValidTo   string
	Replace   bool // the validity of an existing edge as a whole
}

// Declare checks the arguments and returns the declaration. For an inverse word it swaps the
// two ends.
func (a LinkArgs) Declare() (Declaration, error) {
	kind, backward, err := Parse(a.Type)
	if err != nil {
		return Declaration{}, err
	}
	d := Declaration{ID: db.NewID(), From: a.From, To: a.To, Kind: kind, Rel: a.Rel, Weight: a.Weight, Note: a.Note, Replace: a.Replace}
	if backward {
		d.From, d.To = d.To, d.From
	}
	if err := db.CheckLine("link", "rel", a.Rel, maxRel); err != nil {
		return Declaration{}, err
	}
	if err := db.CheckText("link", "note", a.Note, maxNote); err != nil {
		return Declaration{}, err
	}
	d.ValidFrom, d.ValidTo, err = db.ParseSpan(a.ValidFrom, a.ValidTo)
	return d, err
}

// Link declares an edge. If it exists, Link updates its weight, note and validity where the
// arguments have them. An edge that only notes declared becomes the caller's and remains if
// the notes no longer declare it. A memory has at most one successor, so supersedes edges
// between the same memories with different words are one edge, which keeps the first word.
// Where the time for which the edge was declared is over, another beginning is a conflict
// unless Replace is set; then the validity is that of the arguments alone.
// Link fails with cycle if the edge would close a cycle of an acyclic kind, and with
// conflict if the older memory of a supersession already has another successor; the details
// name the current one.
func (g Graph) Link(ctx context.Context, a LinkArgs) (result LinkResult, err error) {
	return g.LinkAll(ctx, LinkAllArgs{LinkArgs: a})
}

// LinkAll declares one edge or several as Link does, all in one batch or none.
func (g Graph) LinkAll(ctx context.Context, a LinkAllArgs) (result LinkResult, err error) {
	if err := args.Check("link", &a); err != nil {
		return result, err
	}
	all, err := a.all()
	if err != nil {
		return result, err
	}
	var c secret.Cleaner
	now, batch, declared, inserts := db.Now(), []db.Stmt{}, []Declaration{}, []int{}
	for _, one := range all {
		c.CleanInPlace(&one.Rel, &one.Note)
		d, err := one.Declare()
		if err != nil {
			return result, err
		}
		if d.From, d.To, err = g.ends(ctx, d.From, d.To); err != nil {
			return result, err
		}
		if d.From == d.To {
			return result, fault.New(fault.InvalidArgument, "link: both ends are the same memory; an edge joins two")
		}
		batch = append(batch, g.DeclareStatements(now, d)...)
		declared, inserts = append(declared, d), append(inserts, len(batch)-1)
	}
	changed, err := g.DB.Write(ctx, g.Caller.Actor, now, batch...)
	if err != nil {
		return result, g.Explain(ctx, err, declared...)
	}
	return result, g.DB.ReadBack(ctx, func(r *db.Reader) error {
		result.Edges, result.Warnings = nil, append([]string{}, c.Warnings()...)
		for i, d := range declared {
			stored, warnings, err := g.stored(ctx, r, d, changed[inserts[i]] > 0)
			if err != nil {
				return err
			}
			result.Edges, result.Warnings = append(result.Edges, stored), append(result.Warnings, warnings...)
		}
		result.Edge, result.Created = result.Edges[0].Edge, result.Edges[0].Created
		if len(a.Links) == 0 {
			result.Edges = nil
		}
		return nil
	})
}

// stored returns a declared edge, or its proposal, as it is stored now, with warnings.
func (g Graph) stored(ctx context.Context, r *db.Reader, d Declaration, created bool) (result LinkedEdge, warnings []string, err error) {
	stored, err := db.Select(ctx, r, scanEdge, selectEdge+`
where e.key in (select key from edges where `+declaredEdge+`)`, d.From, d.To, d.Kind, d.Rel, d.Kind.Symmetric())
	if err == nil && len(stored) == 0 && g.proposes(d.Kind) {
		if warnings, err = WarnOfProposals(ctx, r, d); err != nil {
			return result, nil, err
		}
		stored, err = db.Select(ctx, r, scanEdge, selectEdge+`where e.key = (`+proposalOf+`)`, d.From, d.To, Proposed+string(d.Kind))
		created = len(stored) > 0 && stored[0].ID == d.ID
	}
	if err != nil {
		return result, nil, err
	}
	if len(stored) == 0 {
		return result, nil, fault.New(fault.Conflict, "link: another writer has already removed the edge; link again if it is still wanted")
	}
	if hasChanges := d.Weight != nil || d.Note+d.ValidFrom+d.ValidTo != ""; hasChanges && !created && stored[0].Origin == ref.Person && !g.Caller.IsPerson() {
		warnings = append(warnings, "a person declared the edge, so it was not changed")
	}
	if over := stored[0].ValidTo; !created && d.ValidFrom+d.ValidTo == "" && over != "" && over <= db.Now() {
		warnings = append(warnings, "the edge held until "+over+", and is over as before; to say that it holds again, link with another rel")
	}
	return LinkedEdge{stored[0], created}, warnings, nil
}

// ends returns the ids of the two memories that the arguments of an edge name.
func (g Graph) ends(ctx context.Context, from, to string) (fromID, toID string, err error) {
	err = g.DB.Read(ctx, func(r *db.Reader) error {
		f, err := g.Caller.Find(ctx, r, from)
		if err != nil {
			return err
		}
		t, err := g.Caller.Find(ctx, r, to)
		fromID, toID = f.ID, t.ID
		return err
	})
	return fromID, toID, err
}

// Unlink removes the declaration of an edge. An edge that a note declares too remains, as
// the note declares it, until the note is edited; the warnings name the note.
func (g Graph) Unlink(ctx context.Context, a UnlinkArgs) (result UnlinkResult, err error) {
	if err := args.Check("unlink", &a); err != nil {
		return result, err
	}
	kind, backward, err := Parse(a.Type)
	if err != nil {
		return result, err
	}
	from, to, err := g.ends(ctx, a.From, a.To)
	if err != nil {
		return result, err
	}
	if backward {
		from, to = to, from
	}
	unsettled, err := db.Select(ctx, g.DB, db.Value[string], unsettledBetween, from, to, kind, a.Rel, kind.Symmetric())
	if err != nil {
		return result, err
	}
	statements := append([]db.Stmt{g.protectLineage(from, to, kind)}, g.withdraw(from, to, kind, a.Rel)...)
	deletions := []int{2} // indexes of the statements that delete an edge
	if a.Rel == "" && (kind == Supersedes || kind == Contradicts) {
		// The link may be kept as a proposal, of which the caller knows no other name.
		statements = append(statements, db.S(`
delete from edges
where `+unlinkCondition+`
  and not exists (select 1 from sites s where s.edge = edges.key)
  and (?6 or actor = ?7)`, from, to, RelatesTo, Proposed+string(kind), kind.Symmetric(), g.Caller.IsPerson(), g.Caller.Actor))
		deletions = append(deletions, len(statements)-1)
	}
	for _, id := range unsettled {
		statements = append(statements, DropUnsettled(id, g.Caller.IsPerson())...)
		deletions = append(deletions, len(statements)-1)
	}
	changed, err := g.DB.Write(ctx, g.Caller.Actor, db.Now(), statements...)
	if err != nil {
		return result, err
	}
	for _, index := range deletions {
		result.Removed += changed[index]
	}
	if kind == Supersedes {
		a.Rel = "" // the edge may now have the note's word
	}
	return result, g.DB.ReadBack(ctx, func(r *db.Reader) error {
		if kind == Supersedes && changed[deletions[0]] > 0 {
			if result.CurrentAgain, err = db.Select(ctx, r, scanNamed, `select id, title from memories where id = ? and status = 'current'`, to); err != nil {
				return err
			}
		}
		result.Warnings, err = db.Select(ctx, r, db.Value[string], `
select 'the edge stays, because ' || coalesce(m.uri, m.title) || ' declares it on line ' || s.line || '; edit the note'
from sites s
join memories m on m.key = s.note
where s.edge in (select key from edges where `+unlinkCondition+`)
order by m.uri, s.line`, from, to, kind, a.Rel, kind.Symmetric())
		return err
	})
}

// withdraw returns the statements that remove the declarations of the edges that Unlink
// names. The second statement deletes edges; the last gives an edge that a note declares
// too the word, origin and actor of that note.
func (g Graph) withdraw(from, to string, kind Kind, rel string) []db.Stmt {
	return []db.Stmt{
		db.Expect(`
?6
or not exists (
  select 1
  from edges
  where origin = 'person'
    and declared = 'explicit'
    and `+unlinkCondition+`
)`, errDeclaredByPerson, from, to, kind, rel, kind.Symmetric(), g.Caller.IsPerson()),
		db.S(`
delete from edges
where `+unlinkCondition+`
  and not exists (select 1 from sites s where s.edge = edges.key)`, from, to, kind, rel, kind.Symmetric()),
		db.S(`
update edges
set
  declared = 'site',
  weight = 1,
  note = '',
  valid_from = null,
  valid_to = null,
  (rel, origin, actor) = (
    select s.rel, s.origin, coalesce(v.name, edges.actor)
    from sites s
    left join files f on f.memory = s.note
    left join mirrors v on v.key = f.mirror
    where s.edge = edges.key
    order by f.path, s.start_byte, s.key
    limit 1
  )
where declared = 'explicit'
  and `+unlinkCondition, from, to, kind, rel, kind.Symmetric()),
	}
}

// betweenEnds is the SQL condition for the edges of kind ?3 from ?1 to ?2, and of those back too
// if the kind is symmetric (?5).
const betweenEnds = `kind = +?3
  and (
    from_key = (select key from memories where id = ?1)
    and to_key = (select key from memories where id = ?2)
    or ?5
    and from_key = (select key from memories where id = ?2)
    and to_key = (select key from memories where id = ?1)
  )`

// unlinkCondition is the SQL condition for the edges that Unlink names. Its arguments are
// from, to, kind, rel ("" for any), and whether the kind is symmetric.
const unlinkCondition = betweenEnds + `
  and ?4 in ('', rel)`

var errDeclaredByPerson = fault.New(fault.ReadOnly, "unlink: a person declared the edge, and only a person removes it: hence unlink")

// unsettledBetween selects the ids of the edges that Unlink names among those that a merge
// kept out of the graph. Its arguments are those of unlinkCondition.
const unsettledBetween = `
select id
from unsettled
where line ->> '$.edge_type' = ?3
  and ?4 in ('', line ->> '$.rel')
  and ((from_id, to_id) = (?1, ?2) or ?5 and (from_id, to_id) = (?2, ?1))
order by id`

// DropUnsettled returns the statements that delete an edge which a merge kept out of the
// graph, and record its removal. The last one changes a row if the edge existed. They fail
// with read_only if a person declared the edge and the caller is not a person.
func DropUnsettled(id string, isPerson bool) []db.Stmt {
	return []db.Stmt{
		db.Expect(`
?2
or not exists (
  select 1
  from unsettled
  where id = ?1
    and line ->> '$.origin' = 'person'
)`, errDeclaredByPerson, id, isPerson),
		db.S(`
insert into change_list (action, thing, id, before)
select
  'unlink',
  'edge',
  u.id,
  json_object(
    'from', u.from_id,
    'to', u.to_id,
    'kind', u.line ->> '$.edge_type',
    'rel', u.line ->> '$.rel',
    'namespace', u.namespace,
    'why', u.why,
    'line', json(u.line)
  )
from unsettled u
where u.id = ?`, id),
		db.S(`
insert into unlinked (from_id, to_id, kind, rel, id, namespace, at)
select
  u.from_id,
  u.to_id,
  u.line ->> '$.edge_type',
  iif(u.line ->> '$.edge_type' = 'supersedes', '', u.line ->> '$.rel'),
  u.id,
  u.namespace,
  max(w.at, u.line ->> '$.created_at', coalesce(substr(u.line ->> '$.changed.said[0]', 1, 24), ''))
from unsettled u
cross join writing w
where u.id = ?
on conflict do update
set
  id = excluded.id,
  at = max(at, excluded.at)`, id),
		db.S(`delete from unsettled where id = ?`, id),
	}
}

// ReadEdges returns the first edges of one memory, at most limit, and how many there are.
// They are sorted by kind, direction and the id of the other end. Mentions, which are
// guesses, come last, and only if mentions is true.
func ReadEdges(ctx context.Context, r *db.Reader, m ref.Memory, mentions bool, limit int) (first []Edge, total int, err error) {
	if total, _, err = db.One[int](ctx, r, `
select
  (select count(*) from edges where from_key = ?1 and (?2 or kind <> 'mentions'))
  + (select count(*) from edges where to_key = ?1 and (?2 or kind <> 'mentions'))`, m.Key, mentions); err != nil {
		return nil, 0, err
	}
	first, err = db.Select(ctx, r, scanEdge, selectEdge+`
where e.key in (
  select key from edges where from_key = ?1
  union all
  select key from edges where to_key = ?1
)
  and (?2 or e.kind <> 'mentions')
order by e.kind = 'mentions', e.kind, e.to_key = ?1, iif(e.from_key = ?1, t.id, f.id), e.rel
limit ?3`, m.Key, mentions, limit)
	return first, total, err
}
