package review

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/lists"
	"hence/internal/receipts"
	"hence/internal/ref"
	"hence/memory/journal"
)

// Accept carries calls out, in the names of the agents that made them, and they wait no longer: all of them or none,
// as one change for undo, which names the person. It fails with read_only for an agent.
func (k Desk) Accept(ctx context.Context, accepted []Call) error {
	if !k.Caller.IsPerson() {
		return fault.New(fault.ReadOnly, "tidy: what an agent stored waits for a person, who accepts it by hence review")
	}
	what := fmt.Sprintf("%d calls", len(accepted))
	if len(accepted) == 1 {
		what = fmt.Sprintf("%s of %s", accepted[0].Tool, accepted[0].Actor)
	}
	batch := journal.Batch{Operation: "review", Namespace: k.Caller.Namespace, What: what}
	return k.DB.AtOnce(ctx, func(d *db.DB) (err error) {
		if batch.Number, err = journal.NewBatch(ctx, d); err != nil {
			return err
		}
		if _, err := d.Write(ctx, k.Caller.Actor, db.Now(), batch.Open()); err != nil {
			return err
		}
		for _, c := range accepted {
			if err := c.carryOut(ctx, d, "", &k.Caller); err != nil {
				return err
			}
		}
		if err := (Desk{d, k.Caller}).Drop(ctx, accepted); err != nil {
			return err
		}
		_, err = d.Write(ctx, k.Caller.Actor, db.Now(), batch.Gather()...)
		return err
	})
}

// Drop forgets calls that wait.
func (k Desk) Drop(ctx context.Context, dropped []Call) error {
	ids := lists.Map(dropped, func(c Call) string { return c.ID })
	_, err := k.DB.Write(ctx, k.Caller.Actor, db.Now(), db.S(`
delete from asked
where memory is null
  and id in (select value from json_each(?))`, db.List(ids)))
	return err
}

// Reject drops calls. A person's also takes what they say out of the receipts of the answers to them and of those that showed
// what they would have stored: a text that is not let in is expected nowhere. An agent covers no trace by it.
func (k Desk) Reject(ctx context.Context, rejected []Call) error {
	if len(rejected) == 0 || !k.Caller.IsPerson() {
		return k.Drop(ctx, rejected)
	}
	err := receipts.With(ctx, ref.View(k), func(b *receipts.Book, s receipts.Scope) error {
		_, err := b.Erase(ctx, s.Store, func(r receipts.Receipt) bool {
			return slices.ContainsFunc(rejected, func(c Call) bool {
				at, err := time.Parse(time.RFC3339, c.At)
				isOwn := err == nil && r.Session == c.By.Session && r.Tool == c.Tool && !at.Before(r.At) && !at.After(r.At.Add(r.Took+time.Millisecond))
				return isOwn || slices.ContainsFunc(r.Shown, func(one receipts.Shown) bool { return Stores(c.ID, one) })
			})
		})
		return err
	})
	if err != nil { // then it can be rejected again
		return err
	}
	return k.Drop(ctx, rejected)
}

// Purge returns the statements that drop those calls that have one of some ids, for good: no import brings them back.
func Purge(ids []string) []db.Stmt {
	return []db.Stmt{
		db.S(`
insert into purged (id, namespace, at)
select
  a.id,
  a.namespace,
  w.at
from asked a, writer w
where a.memory is null
  and a.id in (select value from json_each(?))
on conflict do nothing`, db.List(ids)),
		db.S(`delete from asked where memory is null and id in (select value from json_each(?))`, db.List(ids)),
	}
}

// Edit changes the title or the text of a memory that waits; a nil one stays.
func (k Desk) Edit(ctx context.Context, c Call, title, content *string) error {
	if !k.Caller.IsPerson() {
		return fault.New(fault.ReadOnly, "review: only a person edits what waits")
	}
	if c.Tool != "memory_store" && c.Tool != "memory_update" {
		return fault.New(fault.InvalidArgument, "review: only the text of memory_store and memory_update can be edited, and this is %s; accept it and edit what it stored, or reject it", c.Tool)
	}
	arguments := map[string]json.RawMessage{}
	if err := json.Unmarshal(c.Arguments, &arguments); err != nil {
		return fault.Wrap(fault.Internal, err, "review: the arguments of the call cannot be read")
	}
	for name, text := range map[string]*string{"title": title, "content": content} {
		if text != nil {
			arguments[name] = json.RawMessage(db.List(*text))
		}
	}
	changed, err := withoutSecrets(arguments)
	if err != nil {
		return err
	}
	_, err = k.DB.Write(ctx, k.Caller.Actor, db.Now(), db.S(`
update asked
set change = ?2
where id = ?1
  and memory is null`, c.ID, string(changed)))
	return err
}
