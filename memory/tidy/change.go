package tidy

import (
	"context"

	"hence/edges"
	"hence/edges/belief"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory"
)

// change is the effect of accepting a proposal: a call of a tool, and the statements that do
// the same within the transaction that makes all accepted changes.
type change interface {
	call() Call
	statements(ctx context.Context, r *db.Reader, t Tidier, now string) ([]db.Stmt, error)
}

// newEdge declares an edge.
type newEdge struct {
	from, to *memo
	kind     edges.Kind
	note     string
}

func (e newEdge) call() Call {
	return Call{"memory_link", map[string]any{"from": ref.ShortID(e.from.ID), "to": ref.ShortID(e.to.ID), "type": e.kind}}
}

func (e newEdge) statements(_ context.Context, _ *db.Reader, t Tidier, now string) ([]db.Stmt, error) {
	return edges.Graph(t).Settle(now, e.declaration()), nil
}

func (e newEdge) declaration() edges.Declaration {
	return edges.Declaration{ID: db.NewID(), From: e.from.ID, To: e.to.ID, Kind: e.kind, Note: e.note}
}

// agreedEdge declares an edge that an agent proposed. If it supersedes and all of the new text
// was shown, the person who accepts it answers for that text.
type agreedEdge struct{ newEdge }

func (a agreedEdge) statements(ctx context.Context, r *db.Reader, t Tidier, now string) ([]db.Stmt, error) {
	statements, err := a.newEdge.statements(ctx, r, t, now)
	if m := a.from; a.kind == edges.Supersedes && t.Caller.IsPerson() && !m.note() && m.Trust == "" && len(m.Content) <= decidedBytes {
		statements = append(statements, memory.ConfirmStatement(m.ID))
	}
	return statements, err
}

// forgetChange forgets a memory.
type forgetChange struct {
	memory *memo
	reason string
}

func (f forgetChange) call() Call {
	return Call{"memory_forget", map[string]any{"id": ref.ShortID(f.memory.ID), "reason": f.reason}}
}

func (f forgetChange) statements(_ context.Context, _ *db.Reader, t Tidier, _ string) ([]db.Stmt, error) {
	return []db.Stmt{memory.Store(t).MayForget(memory.ForgetArgs{ID: f.memory.ID}), memory.ForgetStatement(f.memory.ID, f.reason)}, nil
}

// newPaths changes the paths that a memory cites. Its words say the same.
type newPaths struct {
	memory      *memo
	title, text string
}

func (n newPaths) update() memory.UpdateArgs {
	a := memory.UpdateArgs{ID: n.memory.ID, WordingOnly: true}
	if n.title != n.memory.Title {
		a.Title = &n.title
	}
	if n.text != n.memory.Content {
		a.Content = &n.text
	}
	return a
}

func (n newPaths) call() Call {
	arguments, a := map[string]any{"id": ref.ShortID(n.memory.ID), "wording_only": true}, n.update()
	if a.Title != nil {
		arguments["title"] = n.title
	}
	if a.Content != nil {
		arguments["content"] = n.text
	}
	return Call{"memory_update", arguments}
}

func (n newPaths) statements(_ context.Context, _ *db.Reader, t Tidier, _ string) ([]db.Stmt, error) {
	return memory.Store(t).ReviseStatements(n.update(), "")
}

// verification records that a memory still holds. It is not proposed again while the text is
// the same.
type verification struct {
	memory *memo
	note   string
}

func (v verification) call() Call {
	return Call{"memory_verify", map[string]any{"id": ref.ShortID(v.memory.ID), "note": v.note}}
}

func (v verification) statements(_ context.Context, _ *db.Reader, t Tidier, _ string) ([]db.Stmt, error) {
	return belief.Graph(t).VerifyStatements(v.memory.Key, v.memory.ID, v.note), nil
}

// newSummary stores a memory that is derived from others.
type newSummary struct {
	title, content string
	members        []*memo
	namespace      string
}

func (s newSummary) call() Call {
	links := edges.Keys(s.members, func(m *memo) map[string]any {
		return map[string]any{"to": ref.ShortID(m.ID), "type": edges.DerivedFrom}
	})
	return Call{"memory_store", map[string]any{"title": s.title, "kind": "summary", "content": s.content, "links": links}}
}

func (s newSummary) statements(ctx context.Context, r *db.Reader, t Tidier, _ string) ([]db.Stmt, error) {
	a := memory.StoreArgs{Title: &s.title, Content: s.content, Kind: "summary", Namespace: s.namespace, Dedup: "off"}
	for _, m := range s.members {
		a.Links = append(a.Links, memory.NewLink{To: m.ID, Type: string(edges.DerivedFrom)})
	}
	return memory.Store(t).Compose(ctx, r, a)
}

// errMoved returns the conflict for a proposal that no longer stands.
func errMoved(key string) error {
	return fault.New(fault.Conflict, "tidy: the proposal %s no longer stands, because a memory of it has changed or it was settled; list the proposals again", key).
		With("key", key)
}
