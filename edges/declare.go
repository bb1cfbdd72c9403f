package edges

import (
	"hence/internal/db"
	"hence/internal/fault"
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
	batch := []db.Stmt{
		db.Expect(`
(select count(*) from memories where id in (?1, ?2)) = 2`,
			fault.New(fault.NotFound, "link: another writer has purged one end of the edge"), d.From, d.To),
		db.Expect(`
(select namespace from memories where id = ?1) is (select namespace from memories where id = ?2)`,
			fault.New(fault.InvalidArgument, "link: the two memories are in different namespaces; an edge joins memories of one namespace"), d.From, d.To),
		db.Expect("?8 or not "+movesBeginning, errOver, d.From, d.To, d.Kind, d.Rel, d.Kind.Symmetric(), now, nullIfEmpty(d.ValidFrom), d.Replace),
		db.S(updateDeclared, d.From, d.To, d.Kind, d.Rel, d.Kind.Symmetric(), d.Weight, nullIfEmpty(d.Note), nullIfEmpty(d.ValidFrom), nullIfEmpty(d.ValidTo),
			g.origin(), g.Caller.Actor, !g.Caller.IsPerson(), d.Replace && d.ValidFrom+d.ValidTo != "").
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
		batch = append(batch, d.Proposal(g.origin(), g.Caller.Actor, now, maxAgentRank))
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
  and not (?14 and `+IsOutranked("?5", "?15")+`)`, d.From, d.To, d.Kind, d.Rel, d.Kind.Symmetric(), d.ID, d.Weight, g.origin(), g.Caller.Actor, d.Note,
		nullIfEmpty(d.ValidFrom), nullIfEmpty(d.ValidTo), now, g.proposes(d.Kind), maxAgentRank).Or(errCycle))
}
