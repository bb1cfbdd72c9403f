// Package review keeps calls of agents until a person has agreed to them.
//
// What waits is a call with its arguments and the id that its memory will have, in the table asked, and no
// row of memories: so nothing of it is in an index, a count or an edge. Accepting carries the call out, as
// the agent. What that does is computed by doing it in a transaction that is rolled back
// (db.DB.Rehearse). A session sees what it has stored itself in the same way: what it reads is read in a
// transaction in which its calls were carried out before, and which is rolled back.
//
// A cluster cannot rehearse, so the policy cannot be set there.
package review

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/permit"
	"hence/internal/ref"
	"hence/internal/secret"
)

// The policies: which calls of agents wait.
const (
	Off      = "off"
	LowTrust = "low-trust" // those that store what is trusted less than an agent's own word
	All      = "all"
)

// Pending is the status of what waits.
const Pending = "pending"

// Desk is a store whose agents' calls may wait.
type Desk ref.View

// Policy returns the policy of the store on this machine.
func (k Desk) Policy(ctx context.Context) (string, error) {
	records, err := permit.Of(ctx, k.DB, k.DB)
	if err != nil {
		return Off, err
	}
	policy, err := records.Policy()
	return cmp.Or(policy, Off), err
}

// SetPolicy sets the policy. It fails with read_only for an agent, and with invalid_argument on a cluster.
func (k Desk) SetPolicy(ctx context.Context, policy string) error {
	switch {
	case !k.Caller.IsPerson():
		return fault.New(fault.ReadOnly, "review: only a person says what waits for a person: hence review --policy")
	case k.DB.Cluster() != nil && policy != Off:
		return fault.New(fault.InvalidArgument, "review: what agents store in a cluster cannot wait, because a cluster cannot try a change before it is made; leave the policy off")
	case !slices.Contains([]string{Off, LowTrust, All}, policy):
		return fault.New(fault.InvalidArgument, "review: %q is not a policy; they are off, low-trust and all", policy)
	}
	records, err := permit.Of(ctx, k.DB, k.DB)
	if err != nil {
		return err
	}
	return records.SetPolicy(policy)
}

type sessionKey struct{}

// WithSession returns a context for calls of a session, whose id is read when it is needed.
func WithSession(ctx context.Context, id func() string) context.Context {
	return context.WithValue(ctx, sessionKey{}, id)
}

// SessionOf returns the id of the session of a call, "" if it has none.
func SessionOf(ctx context.Context) string {
	if id, ok := ctx.Value(sessionKey{}).(func() string); ok {
		return id()
	}
	return ""
}

// Call is a call that waits.
type Call struct {
	ID        string          `json:"id"` // that of the memory which it will store, if it stores one
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Actor     string          `json:"actor"`
	At        string          `json:"at"`
	Namespace string          `json:"namespace"` // of what it is about
	By        Facts           `json:"caller"`
	named     names           // while it is frozen
}

// Facts are what of its caller decides what a call means.
type Facts struct {
	Session   string `json:"session"`
	Namespace string `json:"namespace,omitempty"`
	Confined  bool   `json:"confined,omitempty"`
	Project   string `json:"project,omitempty"`
	Shares    string `json:"shares,omitempty"`
}

// on returns the view in which the call is carried out.
func (c Call) on(d *db.DB) ref.View {
	return ref.View{DB: d, Caller: ref.Caller{
		Actor: c.Actor, Origin: ref.Agent, Namespace: c.By.Namespace, Confined: c.By.Confined, Project: c.By.Project, SharesProject: c.By.Shares,
	}}
}

// Waiting returns the calls that wait in the namespaces that the caller reads, the oldest first: all of them for a person,
// those of its session for an agent.
func (k Desk) Waiting(ctx context.Context, namespace string) ([]Call, error) {
	all, err := db.Select(ctx, k.DB, ScanCall, SelectCalls+`
  and ?1 in ('', namespace)
order by at, id`, namespace)
	if err == nil && !k.Caller.IsPerson() {
		session := SessionOf(ctx)
		all = slices.DeleteFunc(all, func(c Call) bool { return session == "" || c.By.Session != session })
	}
	return all, err
}

// SelectCalls reads the calls that wait; conditions can follow.
const SelectCalls = `
select
  id,
  action,
  change,
  actor,
  at,
  namespace,
  caller
from asked
where memory is null`

// ScanCall scans a row of SelectCalls.
func ScanCall(row *sql.Rows) (c Call, err error) {
	var arguments, by string
	if err = row.Scan(&c.ID, &c.Tool, &arguments, &c.Actor, &c.At, &c.Namespace, &by); err == nil {
		err = db.ReadColumn(c.ID, "caller", by, &c.By)
	}
	c.Arguments = json.RawMessage(arguments)
	return c, err
}

// Answer makes the call of a tool for the session of the context. An agent's call that changes memories
// may wait: then it is only rehearsed, kept, and waits is true. A call that reads sees what the session's
// calls that wait would do. call may be called twice; its last result counts.
func (k Desk) Answer(ctx context.Context, tool string, raw json.RawMessage, reads bool, call func(ctx context.Context, v ref.View) error) (waits bool, err error) {
	v := ref.View(k)
	if v.DB.IsWithin() || v.Caller.IsPerson() || v.DB.ReadOnly() || v.DB.Cluster() != nil {
		return false, call(ctx, v)
	}
	if reads {
		earlier, err := k.Waiting(ctx, "")
		if err != nil || len(earlier) == 0 {
			if err == nil {
				err = call(ctx, v)
			}
			return false, err
		}
		return false, v.DB.Rehearse(ctx, func(d *db.DB) error {
			waiting, err := touchedBy(ctx, d, earlier)
			if err != nil {
				return err
			}
			pending := map[string]bool{}
			for _, m := range waiting {
				pending[m.ID] = m.New
			}
			return call(ref.WithPending(ctx, pending), ref.View{DB: d, Caller: v.Caller})
		})
	}
	policy, err := k.Policy(ctx)
	if err != nil {
		return false, err
	}
	if !CanWait(tool) || policy == Off {
		return false, call(ctx, v)
	}
	return k.hold(ctx, policy, Call{ID: db.NewID(), Tool: tool, Arguments: raw, Actor: v.Caller.Actor, At: db.Now()}, call)
}

// hold rehearses a call, and keeps it if it has to wait. Else it makes the call.
func (k Desk) hold(ctx context.Context, policy string, c Call, call func(ctx context.Context, v ref.View) error) (waits bool, err error) {
	earlier, err := k.Waiting(ctx, "")
	if err != nil {
		return false, err
	}
	c.By = Facts{SessionOf(ctx), k.Caller.Namespace, k.Caller.Confined, k.Caller.Project, k.Caller.SharesProject}
	asks := false
	err = k.DB.Rehearse(ctx, func(d *db.DB) error {
		waiting, err := touchedBy(ctx, d, earlier)
		if err != nil {
			return err
		}
		before, err := mark(ctx, d)
		if err != nil {
			return err
		}
		c.named = names{}
		if err = call(ref.NoteNames(db.WithIDs(ctx, c.ID, "", c.At), c.named), ref.View{DB: d, Caller: k.Caller}); err != nil {
			return err
		}
		touched, err := before.touched(ctx, d)
		if err != nil {
			return err
		}
		now, err := mark(ctx, d)
		if err != nil || now.seq == before.seq { // it is there already, or the change of a person's words is kept by itself
			asks = now.asked != before.asked
			return err
		}
		if len(touched) > 0 {
			c.Namespace = touched[0].Namespace
		}
		waits = policy == All || slices.ContainsFunc(touched, func(m Touched) bool {
			return m.said && m.Trust != "" || slices.ContainsFunc(waiting, func(w Touched) bool { return w.New && w.ID == m.ID })
		})
		if waits {
			c.Arguments, err = calls[c.Tool].freeze(ctx, d, c)
		} else {
			asks = true
		}
		return err
	})
	switch {
	case err != nil:
		return false, err
	case asks:
		return false, call(ctx, ref.View(k))
	case !waits:
		return false, nil
	}
	if c.Arguments, err = withoutSecrets(c.Arguments); err == nil {
		_, err = k.DB.Write(ctx, c.Actor, c.At, c.Keep())
	}
	return true, err
}

// CanWait reports whether calls of a tool can wait.
func CanWait(tool string) bool {
	_, known := calls[tool]
	return known
}

// CheckNotes fails with read_only if every call of the caller has to wait. The edit of a note cannot: it is a file's.
func (k Desk) CheckNotes(ctx context.Context) error {
	if k.Caller.IsPerson() || k.DB.Cluster() != nil {
		return nil
	}
	policy, err := k.Policy(ctx)
	if err == nil && policy == All {
		err = fault.New(fault.ReadOnly, "no agent writes notes while a person decides on every call (hence review --policy all); store a memory, which can wait, or ask the person to write the note")
	}
	return err
}

// Check returns why a call that comes from a file cannot wait here, "" if it can.
func (c Call) Check() string {
	if !CanWait(c.Tool) {
		return fmt.Sprintf("%q is not a tool whose calls can wait", c.Tool)
	}
	var arguments map[string]json.RawMessage
	if json.Unmarshal(c.Arguments, &arguments) != nil || arguments == nil {
		return "arguments must be an object"
	}
	return ""
}

// Keep returns the statement that keeps a call, unless one with its id is kept or was accepted.
func (c Call) Keep() db.Stmt {
	return db.S(`
insert into asked (id, action, change, actor, at, namespace, caller)
select ?1, ?2, ?3, ?4, ?5, ?6, ?7
where not exists (select 1 from memories where id = ?1)
  and not exists (select 1 from purged where id = ?1)
on conflict do nothing`, c.ID, c.Tool, string(c.Arguments), c.Actor, c.At, c.Namespace, db.List(c.By))
}

// withoutSecrets returns arguments without what looks like a secret.
func withoutSecrets(arguments any) (json.RawMessage, error) {
	var value any
	d := json.NewDecoder(strings.NewReader(db.List(arguments)))
	d.UseNumber()
	err := d.Decode(&value)
	var c secret.Cleaner
	return json.RawMessage(db.List(c.CleanValue(value))), err
}

// Asks says what the call asks for, such as "to store".
func (c Call) Asks() string { return calls[c.Tool].Asks }

// Compare orders calls by the time at which they came.
func (c Call) Compare(other Call) int {
	return cmp.Or(cmp.Compare(c.At, other.At), cmp.Compare(c.ID, other.ID))
}
