package memory

import (
	"context"
	"slices"
	"strings"

	"hence/edges"
	"hence/internal/args"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/lists"
	"hence/internal/ref"
)

// declare resolves the edges of a new memory. It clears d.there if the stored memory lacks
// one of them, so that the new memory is stored.
func (s Store) declare(ctx context.Context, r *db.Reader, d *draft, items map[string]string) (err error) {
	if d.declared, err = s.declarations(ctx, r, d.memory, d.args, items); err != nil || d.there == nil {
		return err
	}
	all, err := areThere(ctx, r, d.declared, d.memory.ID, d.there.ID)
	if !all {
		d.there = nil
	}
	return err
}

// declarations returns the edges of a new memory. items maps the names #1, #2 … that its
// links may use to the ids of the memories that are stored with it.
func (s Store) declarations(ctx context.Context, r *db.Reader, m Memory, a StoreArgs, items map[string]string) ([]edges.Declaration, error) {
	declared := []edges.Declaration{}
	for _, link := range a.Links {
		d, err := s.declaration(ctx, r, m, link, items)
		if err != nil {
			return nil, err
		}
		declared = append(declared, d)
	}
	for _, name := range a.Supersedes {
		old, err := s.otherEnd(ctx, r, m, name, items)
		if err != nil {
			return nil, err
		}
		declared = append(declared, edges.Declaration{ID: db.NextID(ctx), From: m.ID, To: old, Kind: edges.Supersedes, Note: a.Reason})
	}
	return declared, db.CheckText("store", "reason", a.Reason, 4000)
}

// otherEnd returns the id of the other end of a new memory's edge.
func (s Store) otherEnd(ctx context.Context, r *db.Reader, m Memory, name string, items map[string]string) (string, error) {
	id, ok := items[strings.TrimSpace(name)]
	if !ok {
		other, err := s.findBeside(ctx, r, m, name)
		return other.ID, err
	}
	if id == m.ID {
		return "", fault.New(fault.InvalidArgument, "store: %s is the memory itself; an edge joins two", name)
	}
	return id, nil
}

// findBeside finds the other end of a new memory's edge by its name. It looks in
// the namespace of the new memory, because no edge leaves a namespace. If nothing
// is found there, a caller of all namespaces gets a memory of another one, so that
// the refusal of the edge names it.
func (s Store) findBeside(ctx context.Context, r *db.Reader, m Memory, name string) (ref.Memory, error) {
	beside := s.Caller
	beside.Namespace = m.Namespace
	if s.Caller.Namespace == "" {
		matches, err := beside.Matches(ctx, r, name)
		if err != nil {
			return ref.Memory{}, err
		}
		if len(matches) == 0 {
			beside = s.Caller
		}
	}
	return beside.Find(ctx, r, name)
}

func (s Store) declaration(ctx context.Context, r *db.Reader, m Memory, link NewLink, items map[string]string) (d edges.Declaration, err error) {
	if err := args.Check("store: link", &link); err != nil {
		return d, err
	}
	if (link.To == "") == (link.From == "") {
		return d, fault.New(fault.InvalidArgument, "store: a link has either to or from; the new memory is its other end")
	}
	other, err := s.otherEnd(ctx, r, m, link.To+link.From, items)
	if err != nil {
		return d, err
	}
	words := edges.LinkArgs{From: m.ID, To: other, Type: link.Type, Rel: link.Rel, Weight: link.Weight, Note: link.Note}
	if link.From != "" {
		words.From, words.To = other, m.ID
	}
	if d, err = words.Declare(); err == nil {
		d.ID = db.NextID(ctx)
	}
	return d, err
}

// link returns the statements that declare the edges of a new memory.
func (s Store) link(d draft) []db.Stmt { return s.declareAll(d.memory.CreatedAt, d.declared) }

// declareAll returns the statements that declare edges: derived-from and part-of first,
// because a text's trust follows from them, and decides what the text may replace.
func (s Store) declareAll(now string, declared []edges.Declaration) []db.Stmt {
	isLineage := func(d edges.Declaration) bool { return d.Kind == edges.DerivedFrom || d.Kind == edges.PartOf }
	inOrder := slices.SortedStableFunc(slices.Values(declared), func(a, b edges.Declaration) int { return lists.CompareFlags(isLineage(a), isLineage(b)) })
	return slices.Concat(lists.Map(inOrder, func(d edges.Declaration) []db.Stmt { return s.graph().DeclareStatements(now, d) })...)
}

// touchedIDs returns the ids of both ends of the edges that can make memories stale: of those along
// which staleness travels only if one comes from a memory that was there before.
func (d draft) touchedIDs() (ids []string) {
	grounds, leads := []string{}, false
	for _, e := range d.declared {
		switch {
		case e.Kind == edges.Supersedes, e.Kind == edges.Contradicts:
			ids = append(ids, e.From, e.To)
		case e.Kind.RestsOn():
			grounds = append(grounds, e.From, e.To)
			leads = leads || e.From != d.memory.ID
		}
	}
	if leads {
		ids = append(ids, grounds...)
	}
	return ids
}
