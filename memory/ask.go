package memory

import (
	"context"
	"fmt"
	"slices"

	"hence/internal/args"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/memory/record"
)

// An agent may not change a text that is trusted more than the agent's word (see
// ref.Caller.MaxRank). The table asked keeps the change as a proposal, which a person accepts by
// package tidy. edges.Proposed does the same for an edge that would replace such a text.

// errSaid refuses a change of a person's text. Correct and Forget keep the change as a
// proposal then.
var errSaid = fault.New(fault.ReadOnly, "a person said it, and only a person changes it: hence tidy lists what agents ask for")

// asksOnly is the warning of Correct and Forget that a change was kept as a proposal, and asksPurge that of a purge.
const (
	asksOnly  = "nothing has changed: a person said it, so that this is kept as a proposal; a person accepts it by hence tidy"
	asksPurge = "nothing has changed: a person said it, so that removing it for good is kept as a proposal, which hence tidy lists; a person does it by hence forget --purge"
)

// notEverywhere is the warning of Remember that the mark of an agent was left out. Its change of the
// mark is a proposal.
const notEverywhere = "it concerns its own project alone, because a person says what concerns every project: by hence update with --everywhere, or to you, and you report it with source: person"

// rankOf is an SQL expression: the rank of the memory ?1 for its own source, 0 if there is
// no such memory.
const rankOf = `coalesce((select own_rank from memories where id = ?1), 0)`

// MayForget returns the statement that fails with errSaid unless the caller may forget or
// purge the memory.
func (s Store) MayForget(a ForgetArgs) db.Stmt {
	return db.Expect(rankOf+` <= ?2`, errSaid, a.ID, s.Caller.MaxRank(a.Source))
}

// mayLoseVersions returns the statement that fails with read_only if an agent purges a file of which every version is
// kept: what an agent's client does to its files could not be undone then.
func (s Store) mayLoseVersions(a ForgetArgs) db.Stmt {
	return db.Expect(`not ?2 or not exists (select 1 from versions where memory = (select key from memories where id = ?1))`,
		fault.New(fault.ReadOnly, "forget: every version of this file is kept until a person purges it; forget it without purge, or ask the person to"),
		a.ID, a.Purge && !s.Caller.IsPerson())
}

// guarded are the columns whose change needs a word of at least the memory's rank. Everybody may change
// tags and properties.
var guarded = record.Except(changed, record.Names(record.Where(record.Memories, "open"))...)

// mayUpdate returns the statement that fails with errSaid unless the caller may make the
// change a, whose values are patch.
func (s Store) mayUpdate(a UpdateArgs, patch string) db.Stmt {
	return db.Expect(`(`+rankOf+isSaidNow+mayMark, errSaid, a.ID, s.Caller.MaxRank(a.Source), patch)
}

var isSaidNow = ` <= ?2
or exists (
  select 1
  from memories
  where id = ?1
    and (` + record.Patched(guarded, "?3") + `) is (` + record.List(guarded, "%[1]s") + `)
)`

// asksOnly is the warning that a change was kept as a proposal.
func (a UpdateArgs) asksOnly() string {
	if a.Everywhere != nil {
		return "nothing has changed: a person says what concerns every project, so that this is kept as a proposal; a person accepts it by hence tidy"
	}
	return asksOnly
}

// mayMark leaves the mark of what concerns every project to a person's word.
const mayMark = `)
and (?2 >= 5 or (select everywhere from memories where id = ?1) is coalesce(?3 ->> '$.everywhere', (select everywhere from memories where id = ?1)))`

// ask keeps a change in the table asked, unless it exists already.
func (s Store) ask(ctx context.Context, id, action string, change any) error {
	_, err := s.DB.Write(ctx, s.Caller.Actor, db.Now(), db.S(`
insert into asked (id, memory, action, change, actor, at)
select
  ?1,
  m.key,
  ?3,
  ?4,
  w.actor,
  w.at
from memories m
cross join writer w
where m.id = ?2
  and not exists (
    select 1
    from asked a
    where a.memory = m.key
      and a.action = ?3
      and a.change = ?4
  )`, db.NewID(), id, action, db.List(change)))
	return err
}

// ConfirmStatement returns the statement which records that a person answers for the present
// title and content of a memory.
func ConfirmStatement(id string) db.Stmt {
	return db.S(`
update memories
set confirmed = content_hash || ' ' || title
where id = ?1`, id)
}

// HoldsWords says in words which columns that may be null the change sets, such as "valid_to to none".
func (a UpdateArgs) HoldsWords() (what []string) {
	nullable := record.Names(record.Where(record.Memories, "null"))
	for _, c := range changed {
		value, ok := c.Given(&a)
		switch {
		case !ok || !slices.Contains(nullable, c.Name):
			continue
		case args.Removes(value):
			value = "none"
		}
		if number, ok := value.(float64); ok {
			value = fmt.Sprintf("%.2g", number)
		}
		what = append(what, fmt.Sprintf("%s to %v", c.Name, value))
	}
	return what
}
