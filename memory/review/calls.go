package review

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"hence/edges"
	"hence/edges/belief"
	"hence/internal/args"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/receipts"
	"hence/internal/ref"
	"hence/memory"
)

// kept is a tool whose calls can wait.
type kept struct {
	Asks string // what is asked for, behind the actor's name
	run  func(ctx context.Context, v ref.View, arguments json.RawMessage) error
	// freeze returns the arguments of a call that was rehearsed in d, with what only the rehearsal knew: ids, what the call
	// repeats from strangers, and the facts of its session.
	freeze func(ctx context.Context, d *db.DB, c Call) (json.RawMessage, error)
}

// calls are the tools whose calls can wait, by their names.
var calls = map[string]kept{
	"memory_store": keep("to store", memory.Store.Remember, func(ctx context.Context, d *db.DB, c Call, a *memory.StoreArgs) (err error) {
		a.Source, a.SourceURL, err = sourceOf(ctx, d, c.ID, a.Source, a.SourceURL)
		return err
	}),
	"memory_checkpoint": keep("to store a session", memory.Store.Checkpoint, func(ctx context.Context, d *db.DB, c Call, a *memory.CheckpointArgs) error {
		for i := range a.Learned {
			one := &a.Learned[i]
			if one.Source == "" {
				one.Source, one.SourceURL = a.Source, a.SourceURL
			}
			var err error
			if one.Source, one.SourceURL, err = sourceOf(ctx, d, db.NthID(c.ID, i+1), one.Source, one.SourceURL); err != nil {
				return err
			}
		}
		properties, ok, err := db.One[string](ctx, d, `select properties from memories where id = ?`, c.ID)
		if err == nil && ok {
			err = json.Unmarshal([]byte(properties), &a.Properties)
		}
		return err
	}),
	"memory_update": keep("to change", memory.Store.Correct, func(ctx context.Context, d *db.DB, c Call, a *memory.UpdateArgs) (err error) {
		a.Source, _, err = sourceOf(ctx, d, a.ID, a.Source, "")
		if !slices.Contains([]string{ref.Tool, ref.Web, ref.Import, ref.Person}, a.Source) {
			a.Source = ""
		}
		return err
	}),
	"memory_forget": keep("to forget", without(memory.Store.Forget), func(_ context.Context, _ *db.DB, _ Call, a *memory.ForgetArgs) error {
		if a.Purge {
			return fault.New(fault.ReadOnly, "forget: a person decides here what is removed for good; forget it without purge, or ask the person to")
		}
		return nil
	}),
	"memory_restore": keep("to restore", without(memory.Store.Restore), nil),
	"memory_verify":  keep("to verify", without(memory.Store.Verify), nil),
	"memory_link":    keep("to link", without(belief.Graph.LinkAll), nil),
	"memory_unlink":  keep("to unlink", without(edges.Graph.Unlink), nil),
}

// keep describes a tool by the method that it calls.
func keep[A, R any](asks string, call func(s memory.Store, ctx context.Context, a A, near memory.Neighbours) (R, error), freeze func(ctx context.Context, d *db.DB, c Call, a *A) error) kept {
	return kept{
		Asks: asks,
		run: func(ctx context.Context, v ref.View, arguments json.RawMessage) error {
			var a A
			if err := json.Unmarshal(arguments, &a); err != nil {
				return fault.New(fault.InvalidArgument, "the arguments of the call that waits cannot be read: %v", err)
			}
			_, err := call(memory.Store(v), ctx, a, nil)
			return err
		},
		freeze: func(ctx context.Context, d *db.DB, c Call) (json.RawMessage, error) {
			var a A
			if err := args.Decode(c.Tool, c.Arguments, &a); err != nil {
				return nil, err
			}
			c.named.replace(reflect.ValueOf(&a).Elem(), "")
			var err error
			if freeze != nil {
				err = freeze(ctx, d, c, &a)
			}
			return json.RawMessage(db.List(a)), err
		},
	}
}

// without adds a parameter that a method does not need.
func without[V ref.AnyView, A, R any](call func(V, context.Context, A) (R, error)) func(memory.Store, context.Context, A, memory.Neighbours) (R, error) {
	return func(s memory.Store, ctx context.Context, a A, _ memory.Neighbours) (R, error) {
		return call(V(s), ctx, a)
	}
}

// names are the ids that the names in a call had when it was rehearsed. By now another memory may have such a name.
type names map[string]string

// naming are the arguments that name memories.
var naming = []string{"id", "from", "to", "supersedes"}

// Texts returns what the call says: its arguments that are texts and name no memory.
func (c Call) Texts() []string {
	var arguments any
	_ = json.Unmarshal(c.Arguments, &arguments) // none are said of what is damaged
	return memory.TextsIn(arguments, naming...)
}

// Titles returns those of the memories that the call stores, or its tool.
func (c Call) Titles() (all []string) {
	var a struct {
		memory.CheckpointArgs
		Title   *string
		Content string
	}
	_ = json.Unmarshal(c.Arguments, &a)
	for _, one := range append([]memory.StoreArgs{{Title: a.Title, Content: a.Content}}, a.Learned...) {
		if one.Title != nil {
			all = append(all, *one.Title)
		} else if one.Content != "" {
			all = append(all, memory.ShortTitle(one.Content))
		}
	}
	if c.Tool == "memory_checkpoint" {
		all = slices.Insert(all, 0, a.CheckpointArgs.Titled(c.At))
	}
	return append(all, c.Tool)
}

// IsCalled reports whether a name is the id, the short id or the title of a memory that the call stores.
func (c Call) IsCalled(name string) bool {
	return slices.Contains(c.Titles(), name) || anyID(c.ID, func(id string) bool { return name == id || name == ref.ShortID(id) })
}

// Stores reports whether what was shown is a memory that the call with an id stores.
func Stores(call string, shown receipts.Shown) bool {
	return anyID(call, func(id string) bool { return shown.IsOf(0, id) })
}

// anyID reports whether is holds for one of the ids of the memories that a call may store.
func anyID(call string, is func(id string) bool) bool {
	for n := range memory.MaxLearned + 1 {
		if is(db.NthID(call, n)) {
			return true
		}
	}
	return false
}

// replace puts ids in the place of names in the value of an argument, "" for all of them.
func (n names) replace(value reflect.Value, argument string) {
	switch value.Kind() {
	case reflect.String:
		if id, ok := n[value.String()]; ok && slices.Contains(naming, argument) {
			value.SetString(id)
		}
	case reflect.Slice:
		for i := range value.Len() {
			n.replace(value.Index(i), argument)
		}
	case reflect.Struct:
		for _, f := range args.Fields(value.Type()) {
			n.replace(value.FieldByIndex(f.Index), args.NameOf(f))
		}
	}
}

// sourceOf returns the source that the memory with an id got, if it is less trusted than the one that the call
// gives: its text repeats a stranger's.
func sourceOf(ctx context.Context, d *db.DB, id, source, url string) (string, string, error) {
	type origin struct{ source, url string }
	got, ok, err := db.First(ctx, d, db.Fields(func(o *origin) []any { return []any{&o.source, &o.url} }), `
select
  coalesce(source, ''),
  coalesce(source_url, '')
from memories
where id = ?`, id)
	if err != nil || !ok || ref.Rank(got.source) == 0 || source != "" && ref.Rank(got.source) >= ref.Rank(source) {
		return source, url, err
	}
	return got.source, got.url, nil
}

// replay carries calls out in the order in which they came. Those that no longer can be are left out.
func replay(ctx context.Context, d *db.DB, earlier []Call) error {
	for _, c := range earlier {
		if err := c.carryOut(ctx, d, c.At, nil); err != nil && !isRefusal(err) {
			return err
		}
	}
	return nil
}

// touchedBy replays calls, and returns the memories that they touch.
func touchedBy(ctx context.Context, d *db.DB, earlier []Call) ([]Touched, error) {
	before, err := mark(ctx, d)
	if err == nil {
		err = replay(ctx, d, earlier)
	}
	if err != nil {
		return nil, err
	}
	return before.touched(ctx, d)
}

// carryOut makes the call, as if at a time ("": now). If a person accepts it, what it can only propose because a text
// is more trusted than the agent's word is done too, and the person answers for a text that then supersedes another.
func (c Call) carryOut(ctx context.Context, d *db.DB, at string, person *ref.Caller) error {
	tool, ok := calls[c.Tool]
	if !ok {
		return fault.New(fault.InvalidArgument, "review: %q is not a tool whose calls can wait; reject it", c.Tool)
	}
	return d.AtOnce(ctx, func(d *db.DB) error {
		before, err := mark(ctx, d)
		if err == nil {
			err = tool.run(db.WithIDs(ctx, c.ID, at, c.At), c.on(d), c.Arguments)
		}
		if err != nil || person == nil {
			return err
		}
		return before.agree(ctx, ref.View{DB: d, Caller: *person})
	})
}

// agree settles the edges that were proposed since then.
func (m moment) agree(ctx context.Context, v ref.View) error {
	type proposed struct {
		from, to, rel, trust string
		bytes                int
	}
	all, err := db.Select(ctx, v.DB, db.Fields(func(p *proposed) []any { return []any{&p.from, &p.to, &p.rel, &p.trust, &p.bytes} }), `
select
  f.id,
  t.id,
  e.rel,
  `+ref.TrustOf("f")+`,
  length(cast(f.content as blob))
from journal j
cross join edges e on e.id = j.id
cross join memories f on f.key = e.from_key
cross join memories t on t.key = e.to_key
where j.seq > ?1
  and j.thing = 'edge'
  and e.kind = 'relates-to'
  and e.rel like '`+edges.Proposed+`%'
order by e.id`, m.seq)
	if err != nil || len(all) == 0 {
		return err
	}
	now, statements, declared := db.Now(), []db.Stmt{}, []edges.Declaration{}
	for _, p := range all {
		d := edges.Declaration{ID: db.NextID(ctx), From: p.from, To: p.to, Kind: edges.Kind(strings.TrimPrefix(p.rel, edges.Proposed))}
		declared, statements = append(declared, d), append(statements, edges.Graph(v).Settle(now, d)...)
		if d.Kind == edges.Supersedes && p.trust == "" && p.bytes <= ShownBytes {
			statements = append(statements, memory.ConfirmStatement(p.from))
		}
	}
	_, err = v.DB.Write(ctx, v.Caller.Actor, now, statements...)
	return edges.Graph(v).Explain(ctx, err, declared...)
}

// ShownBytes are the bytes of a text for which a person who accepts it answers.
const ShownBytes = 20_000

// isRefusal reports whether an error is about a call, and not about the machine.
func isRefusal(err error) bool {
	return !slices.Contains([]fault.Code{fault.Internal, fault.Unavailable, fault.OutcomeUnknown}, fault.CodeOf(err))
}
