package tidy

import (
	"context"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory"
)

// change is what accepting a proposal does: a call of a tool, and the statements that
// do the same within the transaction of all that is accepted.
type change interface {
	call() Call
	statements(ctx context.Context, r *db.Reader, t Tidier, now string) ([]db.Stmt, error)
}

// joining declares an edge.
type joining struct {
	from, to *record
	kind     edges.Kind
	note     string
}

func (j joining) call() Call {
	return Call{"memory_link", map[string]any{"from": ref.ShortID(j.from.id), "to": ref.ShortID(j.to.id), "type": j.kind}}
}

func (j joining) statements(_ context.Context, _ *db.Reader, t Tidier, now string) ([]db.Stmt, error) {
	d := edges.Declaration{ID: db.NewID(), From: j.from.id, To: j.to.id, Kind: j.kind, Note: j.note}
	return edges.Graph(t).Settle(now, d), nil
}

// agreeing declares an edge that an agent proposed. The person who lets a text replace
// another answers for it, if all of it was shown.
type agreeing struct{ joining }

func (a agreeing) statements(ctx context.Context, r *db.Reader, t Tidier, now string) ([]db.Stmt, error) {
	statements, err := a.joining.statements(ctx, r, t, now)
	if m := a.from; a.kind == edges.Supersedes && t.Caller.IsPerson() && !m.note && m.trust == "" && len(m.text) <= decidedBytes {
		statements = append(statements, memory.ConfirmStatement(m.id))
	}
	return statements, err
}

// forgetting forgets a memory.
type forgetting struct {
	memory *record
	reason string
}

func (f forgetting) call() Call {
	return Call{"memory_forget", map[string]any{"id": ref.ShortID(f.memory.id), "reason": f.reason}}
}

func (f forgetting) statements(_ context.Context, _ *db.Reader, t Tidier, _ string) ([]db.Stmt, error) {
	return []db.Stmt{memory.Store(t).MayForget(memory.ForgetArgs{ID: f.memory.id}), memory.ForgetStatement(f.memory.id, f.reason)}, nil
}

// summarising stores a memory that is derived from others.
type summarising struct {
	title, content string
	of             []*record
	namespace      string
}

func (s summarising) call() Call {
	links := []map[string]any{}
	for _, m := range s.of {
		links = append(links, map[string]any{"to": ref.ShortID(m.id), "type": edges.DerivedFrom})
	}
	return Call{"memory_store", map[string]any{"title": s.title, "kind": "summary", "content": s.content, "links": links}}
}

func (s summarising) statements(ctx context.Context, r *db.Reader, t Tidier, _ string) ([]db.Stmt, error) {
	a := memory.StoreArgs{Title: &s.title, Content: s.content, Kind: "summary", Namespace: s.namespace, Dedup: "off"}
	for _, m := range s.of {
		a.Links = append(a.Links, memory.NewLink{To: m.id, Type: string(edges.DerivedFrom)})
	}
	return memory.Store(t).Compose(ctx, r, a)
}

// errMoved is the conflict of a proposal that no longer stands.
func errMoved(key string) error {
	return fault.New(fault.Conflict, "tidy: the proposal %s no longer stands, because a memory of it has changed or it was settled; list the proposals again", key).
		With("key", key)
}
