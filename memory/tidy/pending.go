package tidy

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"hence/edges"
	"hence/edges/belief"
	"hence/internal/budget"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/lists"
	"hence/internal/plural"
	"hence/internal/prose"
	"hence/internal/ref"
	"hence/internal/secret"
	"hence/memory"
	"hence/memory/record"
	"hence/memory/review"
)

// pendingKind is the kind of a proposal for a call that waits: see memory/review.
const pendingKind = "pending"

// listPending proposes to accept the calls that wait, at most maxSettled. A key stands for what was foretold: if
// accepting a call would do something else by now, the key no longer stands.
func (t Tidier) listPending(ctx context.Context, namespace string) (proposals []proposal, err error) {
	desk := review.Desk(t)
	waiting, err := desk.Waiting(ctx, namespace)
	if err != nil {
		return nil, err
	}
	keys := map[string]string{} // by id
	for _, c := range waiting[:min(len(waiting), maxSettled)] {
		effect := review.Effect{Supersedes: []ref.Named{}, Consequences: belief.NoConsequences(), Refused: "the store is read-only here"}
		if !t.DB.ReadOnly() {
			if effect, err = desk.Foretell(ctx, c); err != nil {
				return nil, err
			}
		}
		arguments := map[string]any{}
		if err := json.Unmarshal([]byte(prose.Visible(string(c.Arguments))), &arguments); err != nil {
			return nil, fault.Wrap(fault.Unavailable, err, "tidy: the arguments of the call that waits as %s cannot be read; remove its row from the table asked", c.ID)
		}
		effect.Needs = lists.Map(effect.Needed, func(id string) string { return keys[id] })
		p := decide(propose(1, "", change{call: Call{c.Tool, arguments}}, membersOf(c, effect)...))
		p.about, p.waits = db.Hash(string(c.Arguments)+db.List(effect)), &c
		p.Does = &effect
		p = (&world{rejected: map[string]bool{}}).identify(pendingKind, []proposal{p})[0]
		keys[c.ID] = p.Key
		p.Why = tellEffect(prose.Visible(c.Actor)+" asks "+c.Asks(), effect)
		proposals = append(proposals, p)
	}
	return proposals, nil
}

const mostTouched = 20 // memories of a call that are shown

// membersOf returns the memories that a call stores, changes or links.
func membersOf(c review.Call, effect review.Effect) (all []*memo) {
	for _, m := range effect.Changed() {
		one := &memo{Memory: record.Memory{ID: m.ID, Title: m.Title, Content: m.Content, CreatedAt: m.Since, Trust: m.Trust}}
		if m.New {
			one.CreatedAt = c.At
		}
		all = append(all, one)
	}
	if len(all) == 0 {
		var said struct{ Title, Content, Goal, Done string }
		_ = json.Unmarshal(c.Arguments, &said) // a call without them is named by its tool
		text := strings.TrimSpace(said.Content + "\n" + said.Goal + "\n" + said.Done)
		title := cmp.Or(said.Title, memory.FirstLine(text+"\n"+c.Tool))
		all = append(all, &memo{Memory: record.Memory{ID: c.ID, Title: title, Content: text, CreatedAt: c.At}})
	}
	return all[:min(len(all), mostTouched)]
}

// foretell fills in what accepting does of proposals that only a person decides. A cluster cannot try it.
func (t Tidier) foretell(ctx context.Context, proposals []proposal) error {
	waits := func(p proposal) bool { return p.textBytes == decidedBytes && p.Does == nil }
	if !t.Caller.IsPerson() || t.DB.ReadOnly() || t.DB.Cluster() != nil || !slices.ContainsFunc(proposals, waits) {
		return nil
	}
	return t.DB.Rehearse(ctx, func(d *db.DB) error {
		for i, p := range proposals {
			if !waits(p) {
				continue
			}
			effect, err := review.Foresee(ctx, d, func(d *db.DB) error { return p.carryOut(ctx, Tidier{d, t.Caller}) })
			if err != nil {
				return err
			}
			proposals[i].Does, proposals[i].Why = &effect, tellEffect(p.Why, effect)
		}
		return nil
	})
}

// carryOut does what accepting this proposal alone does.
func (p proposal) carryOut(ctx context.Context, t Tidier) error {
	now := db.Now()
	statements, err := db.From(ctx, t.DB.Read, func(r *db.Reader) ([]db.Stmt, error) { return p.change.do(ctx, r, t, now) })
	if err != nil {
		return err
	}
	_, err = t.DB.Write(ctx, t.Caller.Actor, now, statements...)
	return edges.Graph(t).Explain(ctx, err, p.change.edge)
}

// tellEffect says what accepting does, behind why it is proposed.
func tellEffect(why string, e review.Effect) string {
	name := func(n ref.Named) string {
		n.Title, _ = budget.Cut(secret.Mask(n.Title), 80)
		return n.Text()
	}
	does := []string{}
	add := func(what string, names []string, count int) {
		if len(names) > 0 {
			if more := count - len(names); more > 0 {
				names = append(names, plural.Count(more, "other", "others"))
			}
			does = append(does, fmt.Sprintf(what, strings.Join(names, ", ")))
		}
	}
	add("supersedes %s", lists.Map(e.Supersedes, name), 0)
	add("makes %s stale", lists.Map(e.NowStale, func(m belief.NowStale) string { return name(m.Named) }), e.NowStaleCount)
	add("brings in conflict %s", lists.Map(e.Conflicts, func(c belief.Conflict) string { return name(c.A.Named) + " and " + name(c.B.Named) }), 0)
	switch {
	case len(e.Needs) > 0:
		return why + "; accept before: " + strings.Join(e.Needs, ", ")
	case e.Refused != "":
		return why + "; it cannot be accepted now: " + e.Refused
	case len(does) > 0:
		return why + "; that " + strings.Join(does, ", ")
	}
	return why + "; nothing else changes by that"
}

// isPending reports whether a key is that of a call that waits.
func isPending(key string) bool { return strings.HasPrefix(key, pendingKind+"-") }

// settle accepts and rejects proposals in one transaction, all or nothing, and returns
// what became stale. A proposal that was rejected can be accepted.
func (t Tidier) settle(ctx context.Context, namespace string, a Args) (did belief.Consequences, err error) {
	if !slices.ContainsFunc(slices.Concat(a.Accept, a.Reject), isPending) {
		return t.settleFound(ctx, namespace, a)
	}
	return did, t.DB.AtOnce(ctx, func(d *db.DB) error {
		inner, accepted, rejected, replaced := Tidier{d, t.Caller}, []review.Call{}, []review.Call{}, []string{}
		byKey, err := inner.findByKeys(ctx, namespace, slices.Concat(a.Accept, a.Reject))
		if err != nil {
			return err
		}
		rest := a
		rest.Accept, rest.Reject = slices.DeleteFunc(slices.Clone(a.Accept), isPending), slices.DeleteFunc(slices.Clone(a.Reject), isPending)
		if len(rest.Accept)+len(rest.Reject) > 0 {
			if did, err = inner.settleFound(ctx, namespace, rest); err != nil {
				return err
			}
		}
		for _, key := range a.Accept {
			if p := byKey[key]; p.waits != nil {
				accepted = append(accepted, *p.waits)
				did.NowStale, did.NowStaleCount = append(did.NowStale, p.Does.NowStale...), did.NowStaleCount+p.Does.NowStaleCount
				replaced = append(replaced, lists.Map(p.Does.Supersedes, func(n ref.Named) string { return n.ID })...)
			}
		}
		for _, key := range a.Reject {
			if p := byKey[key]; p.waits != nil {
				rejected = append(rejected, *p.waits)
			}
		}
		slices.SortFunc(accepted, review.Call.Compare)
		if len(accepted) > 0 {
			if err := review.Desk(inner).Accept(ctx, accepted); err != nil {
				return err
			}
			offered, err := db.From(ctx, d.Read, func(r *db.Reader) ([]edges.Inherited, error) { return edges.ReadInherited(ctx, r, false, replaced...) })
			if err != nil {
				return err
			}
			did.TakesOver = append(did.TakesOver, offered...)
		}
		return review.Desk(inner).Reject(ctx, rejected)
	})
}

// EditArgs change the text of a memory that waits.
type EditArgs struct {
	Key     string
	Title   *string
	Content *string
}

// Edit changes the text of a memory that waits, and returns its proposal, whose key is another one. It fails as Tidy does, and with
// invalid_argument for a proposal that does not wait as a text.
func (t Tidier) Edit(ctx context.Context, a EditArgs) (changed Proposal, err error) {
	byKey, err := t.findByKeys(ctx, t.Caller.Namespace, []string{a.Key})
	if err != nil {
		return changed, err
	}
	p := byKey[a.Key]
	if p.waits == nil {
		return changed, fault.New(fault.InvalidArgument, "review: only what waits can be edited, and %s proposes a change of what is stored", a.Key)
	}
	if err := review.Desk(t).Edit(ctx, *p.waits, a.Title, a.Content); err != nil {
		return changed, err
	}
	all, err := t.listPending(ctx, t.Caller.Namespace)
	for _, one := range all {
		if one.waits.ID == p.waits.ID {
			changed = one.describe()
		}
	}
	return changed, err
}
