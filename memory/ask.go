package memory

import (
	"context"

	"hence/internal/db"
	"hence/internal/fault"
)

// What an agent wants to change of a text that is trusted more than its word (see
// ref.Caller.Word) is kept in the table asked. A person accepts it, as an edge that would
// replace such a text: see edges.Proposed and package tidy.

// errSaid is the refusal of a change that is kept as a proposal, where that is possible.
var errSaid = fault.New(fault.ReadOnly, "a person said it, and only a person changes it: hence tidy lists what agents ask for")

// asksOnly is the warning in its place.
const asksOnly = "nothing has changed: a person said it, so that this is kept as a proposal; a person accepts it by hence tidy"

// rankOf is how far the memory ?1 is trusted for itself, 0 without it.
const rankOf = `coalesce((select o.rank from memories m join own_trust o on o.memory = m.key where m.id = ?1), 0)`

// MayForget returns the condition that the caller may forget a memory, or purge it.
func (s Store) MayForget(a ForgetArgs) db.Stmt {
	return db.Expect(rankOf+` <= ?2`, errSaid, a.ID, s.Caller.Word(a.Source))
}

// mayUpdate returns the condition that the caller may change what a memory says, when and how
// surely it holds, or that it does not. Tags and properties are for everybody.
func (s Store) mayUpdate(id string, title, content, kind any, a UpdateArgs) db.Stmt {
	return db.Expect(rankOf+` <= ?2
or exists (
  select 1
  from memories
  where id = ?1
    and (coalesce(?3, title), coalesce(?4, content), coalesce(?5, kind), coalesce(?6, pinned), coalesce(?7, importance))
      is (title, content, kind, pinned, importance)
    and ?8
)`, errSaid, id, s.Caller.Word(a.Source), title, content, kind, a.Pinned, a.Importance, a.Confidence == nil && a.ValidFrom == nil && a.ValidTo == nil)
}

// ask keeps a change as a proposal, once.
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

// ConfirmStatement returns the statement by which a person answers for the text of a memory.
func ConfirmStatement(id string) db.Stmt {
	return db.S(`
update memories
set confirmed = content_hash || ' ' || title
where id = ?1`, id)
}
