package reading

import (
	"context"
	"maps"
	"slices"

	"hence/internal/budget"
	"hence/vault"
)

// FrontmatterArgs name a note.
type FrontmatterArgs struct {
	Path        string `json:"path"`
	Vault       string `json:"vault,omitempty"`
	TokenBudget int    `json:"token_budget,omitempty" min:"64"`
}

// FrontmatterResult is a note's frontmatter, as it is on disk now.
type FrontmatterResult struct {
	Vault          string         `json:"vault"`
	Path           string         `json:"path"`
	ContentHash    string         `json:"content_hash"`
	HasFrontmatter bool           `json:"has_frontmatter"`
	Frontmatter    map[string]any `json:"frontmatter"`
	Warnings       []string       `json:"warnings"`
	Truncated      bool           `json:"truncated,omitempty"`
	Next           string         `json:"next,omitempty"`
}

// Frontmatter returns a note's frontmatter as it is on disk now. If it is not valid YAML,
// the result is empty, with a warning. It fails as ReadNote does.
func (n Reader) Frontmatter(ctx context.Context, a FrontmatterArgs) (result FrontmatterResult, err error) {
	const operation = "get_frontmatter"
	p, err := n.openPage(ctx, operation, &a, a.Vault, a.Path)
	if err != nil {
		return result, err
	}
	whole := FrontmatterResult{
		Vault: p.vault, Path: p.path, ContentHash: p.hash, HasFrontmatter: p.note.Frontmatter.Last > 0, Frontmatter: p.frontmatter(),
		Warnings: vault.WarningsOf(p.note),
	}
	return budget.Hold(ctx, operation, a.TokenBudget, len(whole.Frontmatter)+len(whole.Warnings), whole.shorten)
}

// shorten returns a result with n entries: the first properties, by name, then the first
// warnings, with texts cut to a number of bytes. If texts are cut, it leaves out properties
// that are not texts.
func (f FrontmatterResult) shorten(n, bytes int) FrontmatterResult {
	short, names := f, slices.Sorted(maps.Keys(f.Frontmatter))
	shownNames := names[:min(n, len(names))]
	short.Frontmatter, short.Warnings = map[string]any{}, slices.Clone(f.Warnings[:n-len(shownNames)])
	for _, name := range shownNames {
		value := f.Frontmatter[name]
		if bytes < budget.Whole {
			text, isText := value.(string)
			if !isText || len(name) > bytes {
				continue
			}
			value, _ = budget.Cut(text, bytes-len(name))
		}
		short.Frontmatter[name] = value
	}
	for i, warning := range short.Warnings {
		short.Warnings[i], _ = budget.Cut(warning, bytes)
	}
	if n < len(names)+len(f.Warnings) || bytes < budget.Whole {
		short.Truncated, short.Next = true, budget.Next
	}
	return short
}
