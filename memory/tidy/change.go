package tidy

import (
	"context"

	"hence/edges"
	"hence/edges/belief"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/internal/secret"
	"hence/memory"
)

// change is the effect of accepting a proposal: a call of a tool, and what makes the statements that do
// the same within the transaction that makes all accepted changes.
type change struct {
	call  Call
	do    func(ctx context.Context, r *db.Reader, t Tidier, now string) ([]db.Stmt, error)
	edge  edges.Declaration // what it declares, if anything
	stays bool              // the proposal is not made again while the text is the same
}

// simply returns a change whose statements need no more than who makes it.
func simply(tool string, arguments map[string]any, do func(t Tidier) ([]db.Stmt, error)) change {
	return change{call: Call{tool, arguments}, do: func(_ context.Context, _ *db.Reader, t Tidier, _ string) ([]db.Stmt, error) { return do(t) }}
}

// acceptTool is the tool of a call that only accepts the proposal, for a change that is too long for a call. describe
// adds the key.
const acceptTool = "memory_tidy"

// link declares an edge.
func link(from, to *memo, kind edges.Kind, note string) (c change) {
	c.call = Call{"memory_link", map[string]any{"from": ref.ShortID(from.ID), "to": ref.ShortID(to.ID), "type": kind}}
	c.edge = edges.Declaration{ID: db.NewID(), From: from.ID, To: to.ID, Kind: kind, Note: note}
	c.do = func(_ context.Context, _ *db.Reader, t Tidier, now string) ([]db.Stmt, error) {
		return edges.Graph(t).Settle(now, c.edge), nil
	}
	return c
}

// accede declares an edge that an agent proposed. If it supersedes and all of the new text
// was shown, the person who accepts it answers for that text.
func accede(from, to *memo, kind edges.Kind) change {
	c := link(from, to, kind, "")
	settle := c.do
	c.do = func(ctx context.Context, r *db.Reader, t Tidier, now string) ([]db.Stmt, error) {
		statements, err := settle(ctx, r, t, now)
		if kind == edges.Supersedes && t.Caller.IsPerson() && !from.note() && from.Trust == "" && len(from.Content) <= decidedBytes {
			statements = append(statements, memory.ConfirmStatement(from.ID))
		}
		return statements, err
	}
	return c
}

// forget forgets a memory.
func forget(m *memo, reason string) change {
	return simply("memory_forget", map[string]any{"id": ref.ShortID(m.ID), "reason": reason}, func(t Tidier) ([]db.Stmt, error) {
		return []db.Stmt{memory.Store(t).MayForget(memory.ForgetArgs{ID: m.ID}), memory.ForgetStatement(reason, m.ID)}, nil
	})
}

// cite changes the paths that a memory cites. Its words say the same.
func cite(m *memo, title, text string) change {
	arguments, a := map[string]any{"id": ref.ShortID(m.ID), "wording_only": true}, memory.UpdateArgs{ID: m.ID, WordingOnly: true}
	if title != m.Title {
		arguments["title"], a.Title = title, &title
	}
	if text != m.Content {
		arguments["content"], a.Content = text, &text
	}
	return simply("memory_update", arguments, func(t Tidier) ([]db.Stmt, error) { return memory.Store(t).ReviseStatements(a, "") })
}

// verify records that a memory still holds.
func verify(m *memo, note string) change {
	c := simply("memory_verify", map[string]any{"id": ref.ShortID(m.ID), "note": note}, func(t Tidier) ([]db.Stmt, error) {
		return belief.Graph(t).VerifyStatements(m.Key, m.ID, note), nil
	})
	c.stays = true
	return c
}

// summarise stores a memory that is derived from others.
func summarise(title, content string, members []*memo) change {
	a := memory.StoreArgs{Title: &title, Content: content, Kind: "summary", Namespace: members[0].Namespace, Dedup: "off"}
	links := edges.Keys(members, func(m *memo) map[string]any {
		a.Links = append(a.Links, memory.NewLink{To: m.ID, Type: string(edges.DerivedFrom)})
		return map[string]any{"to": ref.ShortID(m.ID), "type": edges.DerivedFrom}
	})
	return change{
		call: Call{"memory_store", map[string]any{"title": title, "kind": "summary", "content": content, "links": links}},
		do: func(ctx context.Context, r *db.Reader, t Tidier, _ string) ([]db.Stmt, error) {
			return memory.Store(t).Compose(ctx, r, a)
		},
	}
}

// drop drops an edge that the graph refused.
func drop(e refusedEdge) change {
	arguments := map[string]any{"from": ref.ShortID(e.from.ID), "to": ref.ShortID(e.to.ID), "type": e.kind}
	if e.rel != "" {
		arguments["rel"] = e.rel
	}
	return simply("memory_unlink", arguments, func(t Tidier) ([]db.Stmt, error) { return edges.DropUnsettled(e.id, t.Caller.IsPerson()), nil })
}

// mask takes what looks like a secret out of a memory.
func mask(m *memo) change {
	return change{call: Call{acceptTool, map[string]any{}}, do: func(ctx context.Context, r *db.Reader, t Tidier, _ string) ([]db.Stmt, error) {
		content, ok, err := db.One[string](ctx, r, `select content from memories where id = ?`, m.ID)
		if err != nil || !ok {
			return nil, err
		}
		var c secret.Cleaner
		title, clean := c.Clean(m.Title), c.Clean(content)
		a := memory.UpdateArgs{ID: m.ID, Title: &title, Content: &clean, WordingOnly: true}
		if properties := map[string]any(m.Properties); len(properties) > 0 {
			a.Properties, _ = c.CleanValue(properties).(map[string]any)
			for name := range properties { // an update merges properties: null removes a name that held a secret
				if _, stays := a.Properties[name]; !stays {
					a.Properties[name] = nil
				}
			}
		}
		return memory.Store(t).ReviseStatements(a, "")
	}}
}

// grant makes a change that an agent asked for, and deletes the wish.
func grant(m *memo, w wish) change {
	return simply(acceptTool, map[string]any{}, func(t Tidier) (statements []db.Stmt, err error) {
		s := memory.Store(t)
		switch a := w.change.UpdateArgs; w.action {
		case "update":
			a.ID = m.ID
			statements, err = s.ReviseStatements(a, "")
			if a.Title != nil || a.Content != nil && len(*a.Content) <= decidedBytes {
				statements = append(statements, memory.ConfirmStatement(m.ID))
			}
		case "forget":
			statements = []db.Stmt{s.MayForget(memory.ForgetArgs{ID: m.ID}), memory.ForgetStatement(w.change.Reason, m.ID)}
		case "purge":
			statements = append([]db.Stmt{s.MayForget(memory.ForgetArgs{ID: m.ID})}, memory.PurgeStatements(m.ID)...)
		}
		return append(statements, db.S(`delete from asked where id = ?`, w.id)), err
	})
}

// errMoved returns the conflict for a proposal that no longer stands.
func errMoved(key string) error {
	return fault.New(fault.Conflict, "tidy: the proposal %s no longer stands, because a memory of it has changed or it was settled; list the proposals again", key).
		With("key", key)
}
