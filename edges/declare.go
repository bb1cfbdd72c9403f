package edges

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
)

// declaredEdge is the condition for the edges that a declaration is about: ?1 to ?5 are its ends,
// kind and rel, and whether the kind is symmetric.
const declaredEdge = betweenEnds + `
  and (rel = ?4 or kind in ('supersedes'))`

// errOver refuses another beginning for an edge whose time is over: what held then would be lost.
var errOver = fault.New(fault.Conflict, "link: the edge held until a time that is past, and another beginning would overwrite when it held; link with another rel to say that it holds again, unlink it first, or set replace: true")

// movesBeginning is the condition that an edge was over at ?6 and would begin at ?7 instead.
const movesBeginning = `
exists (
  select 1
  from edges
  where valid_to <= ?6
    and ?7 is not null
    and valid_from is not ?7
    and ` + declaredEdge + `
)`

// updateDeclared updates an existing edge. An agent does not change a person's edge.
const updateDeclared = `
update edges
set
  weight = coalesce(?6, weight),
  note = coalesce(?7, note),
  valid_from = iif(?13, ?8, coalesce(?8, valid_from)),
  valid_to = iif(?13, ?9, coalesce(?9, valid_to)),
  origin = iif(declared = 'explicit', origin, ?10),
  actor = iif(declared = 'explicit', actor, ?11),
  declared = 'explicit'
where not (?12 and origin = 'person')
  and ` + declaredEdge

// DeclareStatements returns the statements that declare an edge, or store it as a proposal
// (see Proposed). The last one changes a row if and only if the edge is new. The caller
// passes an error of the batch to Explain.
func (g Graph) DeclareStatements(now string, d Declaration) []db.Stmt {
	origin := cmp.Or(g.Caller.Origin, ref.Person)
	batch := []db.Stmt{
		db.Expect(`
(select count(*) from memories where id in (?1, ?2)) = 2`,
			fault.New(fault.NotFound, "link: another writer has purged one end of the edge"), d.From, d.To),
		db.Expect(`
(select namespace from memories where id = ?1) is (select namespace from memories where id = ?2)`,
			fault.New(fault.InvalidArgument, "link: the two memories are in different namespaces; an edge joins memories of one namespace"), d.From, d.To),
		db.Expect("?8 or not "+movesBeginning, errOver, d.From, d.To, d.Kind, d.Rel, d.Kind.Symmetric(), now, nullIfEmpty(d.ValidFrom), d.Replace),
		db.S(updateDeclared, d.From, d.To, d.Kind, d.Rel, d.Kind.Symmetric(), d.Weight, nullIfEmpty(d.Note), nullIfEmpty(d.ValidFrom), nullIfEmpty(d.ValidTo),
			origin, g.Caller.Actor, !g.Caller.IsPerson(), d.Replace && d.ValidFrom+d.ValidTo != "").
			Or(fault.New(fault.InvalidArgument, "link: valid_from must be before valid_to; the edge already has one of them")),
	}
	if d.Kind == Supersedes {
		batch = append(batch, db.Expect(`
not exists (
  select 1
  from edges
  where kind = 'supersedes'
    and to_key = (select key from memories where id = ?2)
    and from_key <> (select key from memories where id = ?1)
)`, errSuperseded, d.From, d.To))
	}
	if g.proposes(d.Kind) {
		batch = append(batch, d.Proposal(origin, g.Caller.Actor, now, maxAgentRank))
	}
	return append(batch, db.S(`
insert into edges (id, from_key, to_key, kind, rel, weight, origin, actor, note, valid_from, valid_to, created_at)
select
  ?6,
  f.key,
  t.key,
  ?3,
  ?4,
  coalesce(?7, 1.0),
  ?8,
  ?9,
  ?10,
  ?11,
  ?12,
  ?13
from memories f
join memories t on t.id = ?2
where f.id = ?1
  and not exists (select 1 from edges where `+declaredEdge+`)
  and not (?14 and `+IsOutranked("?5", "?15")+`)`, d.From, d.To, d.Kind, d.Rel, d.Kind.Symmetric(), d.ID, d.Weight, origin, g.Caller.Actor, d.Note,
		nullIfEmpty(d.ValidFrom), nullIfEmpty(d.ValidTo), now, g.proposes(d.Kind), maxAgentRank).Or(errCycle))
}

// Proposed is the prefix of the word (rel) of a proposal; the proposed kind follows it. A
// proposal is an edge relates-to that is stored when an agent declares that a memory
// supersedes or contradicts a more trusted one, until a person accepts it.
const Proposed = "proposed: "

// ProposedWeight is the weight of a proposal.
const ProposedWeight = 0.01

// proposes reports whether an edge of a kind may become a proposal.
func (g Graph) proposes(kind Kind) bool {
	return !g.Caller.IsPerson() && (kind == Supersedes || kind == Contradicts)
}

// maxAgentRank limits the rank of a memory in an edge that an agent declares. So an agent
// cannot replace what a person wrote by something else that the person wrote.
const maxAgentRank = ref.RankOfPerson

// IsOutranked returns the SQL condition that the memory f is less trusted than the memory t;
// for a symmetric kind, that either is less trusted than the other. The arguments are SQL
// expressions: whether the kind is symmetric, and the highest rank that f can have in an edge
// of its declarer.
func IsOutranked(symmetric, maxRank string) string {
	return strings.NewReplacer("{symmetric}", symmetric, "{max_rank}", maxRank).Replace(`(
    select iif({symmetric}, min(a.rank, b.rank, {max_rank}) < max(a.rank, b.rank), min(a.rank, {max_rank}) < b.rank)
    from trusts a
    cross join trusts b
    where a.memory = f.key
      and b.memory = t.key
  )`)
}

// Proposal returns the statement that stores an edge as a proposal if IsOutranked is true for
// its memories. maxRank is the highest rank that a memory can have in an edge of the actor.
func (d Declaration) Proposal(origin, actor, at string, maxRank int) db.Stmt {
	return db.S(`
insert into edges (id, from_key, to_key, kind, rel, weight, origin, actor, note, created_at)
select
  ?3,
  f.key,
  t.key,
  'relates-to',
  ?4,
  0.01,
  ?7,
  ?8,
  ?9,
  ?12
from memories f
join memories t on t.id = ?2
where f.id = ?1
  and `+IsOutranked("?13", "?14")+`
  and not exists (
    select 1
    from edges e
    where e.kind = ?10
      and (e.from_key = f.key and e.to_key = t.key or ?13 and e.from_key = t.key and e.to_key = f.key)
  )
  and not exists (
    select 1
    from edges e
    where e.kind = 'relates-to'
      and e.rel = ?4
      and (e.from_key = f.key and e.to_key = t.key or e.from_key = t.key and e.to_key = f.key)
  )`, d.From, d.To, d.ID, Proposed+string(d.Kind), nil, nil, origin, actor, d.Note, d.Kind, nil, at, d.Kind.Symmetric(), maxRank)
}

// proposalOf selects the key of the proposal with the word ?3 between the memories ?1 and ?2.
const proposalOf = `
select e.key
from memories f
join memories t on t.id = ?2
join edges e on e.from_key = f.key and e.to_key = t.key or e.from_key = t.key and e.to_key = f.key
where f.id = ?1
  and e.kind = 'relates-to'
  and e.rel = ?3`

// Settle returns the statements that declare an edge and delete its proposal. They fail with
// read_only if the caller is an agent and the edge would become a proposal again.
func (g Graph) Settle(now string, d Declaration) (statements []db.Stmt) {
	if g.proposes(d.Kind) {
		statements = append(statements, db.Expect(`
not exists (
  select 1
  from memories f
  join memories t on t.id = ?2
  where f.id = ?1
    and `+IsOutranked("?3", "?4")+`
)`, fault.New(fault.ReadOnly, "tidy: one of the two memories is more trusted than the other, and only a person may settle this: hence tidy"), d.From, d.To, d.Kind.Symmetric(), maxAgentRank))
	}
	statements = append(statements, g.DeclareStatements(now, d)...)
	return append(statements, db.S(`
delete from edges
where key in (`+proposalOf+`)`, d.From, d.To, Proposed+string(d.Kind)))
}

// WarnOfProposals returns a warning for each of the edges that was stored as a proposal.
func WarnOfProposals(ctx context.Context, r *db.Reader, declared ...Declaration) (warnings []string, err error) {
	for _, d := range declared {
		if d.Kind != Supersedes && d.Kind != Contradicts {
			continue
		}
		// The more trusted end first; of two that are equally trusted, the target.
		ends, err := db.Select(ctx, r, scanNamed, `
select
  m.id,
  m.title
from memories m
join trusts t on t.memory = m.key
where m.id in (?1, ?2)
  and exists (`+proposalOf+`)
order by t.rank desc, m.id = ?1`, d.From, d.To, Proposed+string(d.Kind))
		if err != nil {
			return nil, err
		}
		if err := ref.Mark(ctx, r, &ends); err != nil {
			return nil, err
		}
		switch {
		case len(ends) < 2:
		case ends[0].ID == d.To:
			warnings = append(warnings, fmt.Sprintf("the edge %s to %s is kept as a proposal, because that is more trusted; a person accepts it by hence tidy", d.Kind, ends[0].Text()))
		default:
			warnings = append(warnings, fmt.Sprintf("the edge %s to %s is kept as a proposal, because %s is more trusted; a person accepts it by hence tidy", d.Kind, ends[1].Text(), ends[0].Text()))
		}
	}
	return warnings, nil
}

// protectLineage returns the statement that refuses to remove an edge if the caller is an agent
// and the edge records that a text was derived from a stranger's text.
func (g Graph) protectLineage(from, to string, kind Kind) db.Stmt {
	return db.Expect(`
?4
or ?3 not in ('derived-from', 'part-of')
or coalesce((
  select rank
  from trusts
  where memory = (select key from memories where id = ?2)
), 6) >= 4`, fault.New(fault.ReadOnly, "unlink: the edge records that the text was derived from a stranger's text, and only a person may remove it: hence unlink"),
		from, to, kind, g.Caller.IsPerson())
}
