package tidy

import "context"

// Find returns all proposals of a kind.
func (t Tidier) Find(ctx context.Context, kind string) ([]Proposal, error) {
	found, _, err := t.find(ctx, t.Caller.Namespace, func(name string) bool { return name == kind })
	all := []Proposal{}
	for _, p := range found {
		all = append(all, p.Proposal)
	}
	return all, err
}
