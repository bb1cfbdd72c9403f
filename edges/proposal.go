package edges

import (
	"context"
	"fmt"
	"strings"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
)

// Proposed begins the word of an edge relates-to that stands for one of another kind: an
// agent declared that a memory supersedes or contradicts a more trusted one, and a person
// has not yet agreed. The kind follows.
const Proposed = "proposed: "

// proposes reports whether an edge of a kind may become a proposal.
func (g Graph) proposes(kind Kind) bool {
	return !g.Caller.IsPerson() && (kind == Supersedes || kind == Contradicts)
}

// wordOfAgents is the most that a memory counts for by the word of an agent: it does not
// replace what a person wrote by what that person wrote elsewhere.
const wordOfAgents = ref.RankOfPerson

// IsOutranked returns the condition that a memory f, by the word of somebody, is less trusted
// than a memory t; or, where the kind is symmetric, that one is less than the other. The
// arguments are expressions: whether it is symmetric, and the rank of the word.
func IsOutranked(symmetric, word string) string {
	return strings.NewReplacer("{symmetric}", symmetric, "{word}", word).Replace(`(
    select iif({symmetric}, min(a.rank, b.rank, {word}) < max(a.rank, b.rank), min(a.rank, {word}) < b.rank)
    from trusts a
    cross join trusts b
    where a.memory = f.key
      and b.memory = t.key
  )`)
}

// Proposal returns the statement that keeps an edge as a proposal where it is outranked by
// the word of who declares it.
func (d Declaration) Proposal(origin, actor, at string, word int) db.Stmt {
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
  )`, d.From, d.To, d.ID, Proposed+string(d.Kind), nil, nil, origin, actor, d.Note, d.Kind, nil, at, d.Kind.Symmetric(), word)
}

// proposalOf finds the proposal ?3 about the memories ?1 and ?2.
const proposalOf = `
select e.key
from memories f
join memories t on t.id = ?2
join edges e on e.from_key = f.key and e.to_key = t.key or e.from_key = t.key and e.to_key = f.key
where f.id = ?1
  and e.kind = 'relates-to'
  and e.rel = ?3`

// Settle returns the statements that declare an edge in place of its proposal. An agent may
// not where it would be a proposal again.
func (g Graph) Settle(now string, d Declaration) (statements []db.Stmt) {
	if g.proposes(d.Kind) {
		statements = append(statements, db.Expect(`
not exists (
  select 1
  from memories f
  join memories t on t.id = ?2
  where f.id = ?1
    and `+IsOutranked("?3", "?4")+`
)`, fault.New(fault.ReadOnly, "tidy: one of the two memories is more trusted than the other, and only a person decides: hence tidy"), d.From, d.To, d.Kind.Symmetric(), wordOfAgents))
	}
	statements = append(statements, g.DeclareStatements(now, d)...)
	return append(statements, db.S(`
delete from edges
where key in (`+proposalOf+`)`, d.From, d.To, Proposed+string(d.Kind)))
}

// WarnOfProposals returns a warning for each of some edges that was kept as a proposal.
func WarnOfProposals(ctx context.Context, r *db.Reader, declared ...Declaration) (warnings []string, err error) {
	for _, d := range declared {
		if d.Kind != Supersedes && d.Kind != Contradicts {
			continue
		}
		title, ok, err := db.One[string](ctx, r, `
select t.title
from edges e
join memories t on t.id = ?2
where e.key = (`+proposalOf+`)`, d.From, d.To, Proposed+string(d.Kind))
		if err != nil {
			return nil, err
		}
		if ok {
			warnings = append(warnings, fmt.Sprintf("the edge %s to %q (%s) is kept as a proposal, because that is more trusted; a person accepts it by hence tidy", d.Kind, title, ref.ShortID(d.To)))
		}
	}
	return warnings, nil
}

// keepLineage returns the condition under which an edge may be removed: an agent does not
// remove what says that a text goes back to a stranger.
func (g Graph) keepLineage(from, to string, kind Kind) db.Stmt {
	return db.Expect(`
?4
or ?3 not in ('derived-from', 'part-of')
or coalesce((
  select rank
  from trusts
  where memory = (select key from memories where id = ?2)
), 6) >= 4`, fault.New(fault.ReadOnly, "unlink: the edge says that the text goes back to a stranger's, and only a person removes it: hence unlink"),
		from, to, kind, g.Caller.IsPerson())
}
