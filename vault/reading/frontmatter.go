package reading

import (
	"context"

	"hence/internal/args"
	"hence/vault"
)

// FrontmatterArgs name a note.
type FrontmatterArgs struct {
	Path  string `json:"path"`
	Vault string `json:"vault,omitempty"`
}

// FrontmatterResult is what a note's frontmatter says, as it is on disk now.
type FrontmatterResult struct {
	Vault          string         `json:"vault"`
	Path           string         `json:"path"`
	ContentHash    string         `json:"content_hash"`
	HasFrontmatter bool           `json:"has_frontmatter"`
	Frontmatter    map[string]any `json:"frontmatter"`
	Warnings       []string       `json:"warnings"`
}

// Frontmatter returns a note's frontmatter as it is on disk now. One that is
// not YAML is empty, with a warning. It fails as ReadNote does.
func (n Reader) Frontmatter(ctx context.Context, a FrontmatterArgs) (result FrontmatterResult, err error) {
	const operation = "get_frontmatter"
	if err := args.Check(operation, &a); err != nil {
		return result, err
	}
	p, err := n.openPage(ctx, operation, a.Vault, a.Path)
	if err != nil {
		return result, err
	}
	return FrontmatterResult{
		Vault: p.vault, Path: p.path, ContentHash: p.hash, HasFrontmatter: p.note.Frontmatter.Last > 0, Frontmatter: p.frontmatter(),
		Warnings: vault.WarningsOf(p.note),
	}, nil
}
