package memory

import (
	"context"

	"hence/internal/args"
	"hence/internal/db"
)

// Compose returns the statements that store a memory with its links, for a larger
// transaction. Its errors go through edges.Graph.Explain.
func (s Store) Compose(ctx context.Context, r *db.Reader, a StoreArgs) ([]db.Stmt, error) {
	if err := args.Check("store", &a); err != nil {
		return nil, err
	}
	d, err := s.draft(ctx, a, nil)
	if err != nil {
		return nil, err
	}
	if err := s.declare(ctx, r, &d, nil); err != nil {
		return nil, err
	}
	return append(d.insert(), s.link(d)...), nil
}

// ReviseStatements returns the statements that change the memory with the id a.ID, for a
// larger transaction.
func (s Store) ReviseStatements(a UpdateArgs) ([]db.Stmt, error) {
	return s.updateStatements(a.ID, a, "")
}
