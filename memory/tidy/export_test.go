package tidy

import "context"

// Find returns all proposals of a kind.
func (t Tidier) Find(ctx context.Context, kind string) ([]Proposal, error) {
	proposals, _, err := t.find(ctx, t.Caller.Namespace, func(name string) bool { return name == kind })
	all := []Proposal{}
	for _, p := range proposals {
		all = append(all, p.describe())
	}
	return all, err
}

// Described returns how many proposals a list puts into words.
func (t Tidier) Described(ctx context.Context, a Args) int {
	all, _, _ := t.find(ctx, t.Caller.Namespace, func(string) bool { return true })
	return len(choose(all, a.Limit).chosen)
}
