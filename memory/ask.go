package memory

import (
	"context"
	"fmt"

	"hence/internal/args"
	"hence/internal/db"
	"hence/internal/fault"
)

// An agent may not change a text that is trusted more than the agent's word (see
// ref.Caller.Word). The table asked keeps the change as a proposal, which a person accepts by
// package tidy. edges.Proposed does the same for an edge that would replace such a text.

// errSaid refuses a change of a person's text. Correct and Forget keep the change as a
// proposal then.
var errSaid = fault.New(fault.ReadOnly, "a person said it, and only a person changes it: hence tidy lists what agents ask for")

// asksOnly is the warning of Correct and Forget that a change was kept as a proposal.
const asksOnly = "nothing has changed: a person said it, so that this is kept as a proposal; a person accepts it by hence tidy"

// rankOf is an SQL expression: the rank of the memory ?1 in the view own_trust, 0 if there is
// no such memory.
const rankOf = `coalesce((select o.rank from memories m join own_trust o on o.memory = m.key where m.id = ?1), 0)`

// MayForget returns the statement that fails with errSaid unless the caller may forget or
// purge the memory.
func (s Store) MayForget(a ForgetArgs) db.Stmt {
	return db.Expect(rankOf+` <= ?2`, errSaid, a.ID, s.Caller.MaxRank(a.Source))
}

// mayUpdate returns the statement that fails with errSaid unless the caller may make the
// change a. Tags and properties may be changed by everybody; any other change needs a word of
// at least the memory's rank.
func (s Store) mayUpdate(id string, title, content, kind any, a UpdateArgs) db.Stmt {
	return db.Expect(rankOf+` <= ?2
or exists (
  select 1
  from memories
  where id = ?1
    and (coalesce(?3, title), coalesce(?4, content), coalesce(?5, kind), coalesce(?6, pinned), coalesce(?7, importance))
      is (title, content, kind, pinned, importance)
    and ?8
)`, errSaid, id, s.Caller.MaxRank(a.Source), title, content, kind, a.Pinned, a.Importance, a.Confidence == nil && a.ValidFrom == nil && a.ValidTo == nil)
}

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

// HoldsWords says in words which valid_from, valid_to and confidence the change sets, such as
// "valid_to to none".
func (a UpdateArgs) HoldsWords() (what []string) {
	for _, one := range []struct {
		name  string
		value *string
	}{{"valid_from", a.ValidFrom}, {"valid_to", a.ValidTo}} {
		switch {
		case one.value == nil:
		case args.Removes(*one.value):
			what = append(what, one.name+" to none")
		default:
			what = append(what, one.name+" to "+*one.value)
		}
	}
	switch {
	case a.Confidence == nil:
	case args.Removes(*a.Confidence):
		what = append(what, "confidence to none")
	default:
		what = append(what, fmt.Sprintf("confidence to %.2g", *a.Confidence))
	}
	return what
}

// validity returns the values that a change gives to the columns confidence, valid_from and
// valid_to: nil removes the value, "keep" leaves it.
func (a UpdateArgs) validity() (columns map[string]any, err error) {
	columns = map[string]any{"confidence": "keep", "valid_from": "keep", "valid_to": "keep"}
	set := func(column string, value any) {
		if args.Removes(value) {
			value = nil
		}
		columns[column] = value
	}
	from, to := "", ""
	if a.ValidFrom != nil {
		from = *a.ValidFrom
	}
	if a.ValidTo != nil {
		to = *a.ValidTo
	}
	if from, to, err = db.ParseSpan(from, to); err != nil {
		return nil, err
	}
	if a.ValidFrom != nil {
		set("valid_from", from)
	}
	if a.ValidTo != nil {
		set("valid_to", to)
	}
	if a.Confidence != nil {
		set("confidence", *a.Confidence)
	}
	return columns, nil
}
