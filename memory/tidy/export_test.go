package tidy

import (
	"context"

	"hence/internal/db"
)

// Find returns all proposals of a kind.
func (t Tidier) Find(ctx context.Context, kind string) ([]Proposal, error) {
	proposals, _, err := t.find(ctx, t.Caller.Namespace, func(name string) bool { return name == kind })
	all := []Proposal{}
	for _, p := range proposals {
		all = append(all, p.describe())
	}
	return all, err
}

// Looked returns how often the rules have looked for a list.
func (t Tidier) Looked() int { return db.Keep[listings](t.DB).runs }

// Drop makes the rules look again.
func (t Tidier) Drop() { db.Keep[listings](t.DB).byKey = nil }

// Described returns how many proposals the last list has put into words.
func (t Tidier) Described() (n int) {
	for _, found := range db.Keep[listings](t.DB).byKey {
		n += len(found.chosen)
	}
	return n
}
