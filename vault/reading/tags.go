package reading

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"
	"unicode"

	"hence/internal/args"
	"hence/internal/budget"
	"hence/internal/db"
	"hence/internal/script"
	"hence/memory"
)

// TagsArgs request all tags, or the notes with one tag.
type TagsArgs struct {
	Vault       string `json:"vault,omitempty"`
	Tag         string `json:"tag,omitempty" jsonschema:"its notes, and those of tags nested in it"`
	Limit       int    `json:"limit,omitempty" default:"200" min:"1" max:"500"`
	Cursor      string `json:"cursor,omitempty"`
	TokenBudget int    `json:"token_budget,omitempty" min:"64"`
}

// TagsResult is a page of all tags, the most used first, or of the notes with one tag; then Tags are
// that tag and those nested in it. The counts are those of the tags, or of the notes.
type TagsResult struct {
	Tags          []TagCount    `json:"tags"`
	Notes         []NoteSummary `json:"notes" jsonschema:"of tag"`
	TotalCount    int           `json:"total_count"`
	ReturnedCount int           `json:"returned_count"`
	Truncated     bool          `json:"truncated"`
	Next          string        `json:"next,omitempty"`
}

// TagCount is a tag and the number of notes that have it or one nested in it.
type TagCount struct {
	Tag   string `json:"tag"`
	Count int    `json:"count" jsonschema:"with those nested in it"`

	key string // folded
}

// maxNested bounds the nested tags that are shown with the notes of a tag.
const maxNested = 100

// Tags returns the tags of notes with their counts, or the notes of one tag, as of
// the last import. The case of a to z does not count; a tag is spelled as in the
// first note that has it. It fails as ListNotes does.
func (n Reader) Tags(ctx context.Context, a TagsArgs) (result TagsResult, err error) {
	const operation = "get_tags"
	if err := args.Check(operation, &a); err != nil {
		return result, err
	}
	if _, err := n.files().FindVaults(ctx, operation, a.Vault); err != nil {
		return result, err
	}
	all, err := n.countTags(ctx, a.Vault)
	if err != nil {
		return result, err
	}
	if a.Tag != "" {
		return n.notesOfTag(ctx, operation, a, all)
	}
	var mark db.Mark
	list := args.ListOf(operation, a)
	if err := db.ReadCursor(operation, list, a.Cursor, &mark); err != nil {
		return result, err
	}
	result.TotalCount = len(all)
	slices.SortStableFunc(all, func(a, b TagCount) int { return cmp.Compare(b.Count, a.Count) })
	start := mark.Skip(len(all), func(i int) string { return all[i].key })
	all = all[start:]
	tags := all[:min(len(all), a.Limit)]
	return budget.Hold(ctx, operation, a.TokenBudget, len(tags), func(n, bytes int) TagsResult {
		page := TagsResult{
			Tags: append([]TagCount{}, tags[:n]...), Notes: []NoteSummary{}, TotalCount: result.TotalCount,
			ReturnedCount: n,
		}
		for i, t := range page.Tags {
			page.Tags[i].Tag, _ = budget.Cut(t.Tag, bytes)
		}
		page.Truncated, page.Next = budget.Rest(n, bytes, n < len(all), func() string { return db.Cursor(list, db.NewMark(start+n, tags[n-1].key)) })
		return page
	})
}

// notesOfTag returns a page of the notes with a tag, and the tags nested in it.
func (n Reader) notesOfTag(ctx context.Context, operation string, a TagsArgs, all []TagCount) (TagsResult, error) {
	tag, err := memory.CheckTags(operation, []string{a.Tag})
	if err != nil {
		return TagsResult{}, err
	}
	root := foldTag(tag[0])
	all = slices.DeleteFunc(all, func(t TagCount) bool { return t.key != root && !strings.HasPrefix(t.key, root+"\x00") })
	page, err := n.ListNotes(ctx, ListNotesArgs{Vault: a.Vault, Tags: tag, Limit: a.Limit, Cursor: a.Cursor})
	if err != nil {
		return TagsResult{}, err
	}
	// The notes go first: the list of nested tags is the same on every page.
	nested := all[:min(len(all), maxNested)]
	return budget.Hold(ctx, operation, a.TokenBudget, len(page.Notes)+len(nested), func(n, bytes int) TagsResult {
		notes := page.shorten(min(n, len(page.Notes)), bytes)
		result := TagsResult{
			Tags: append([]TagCount{}, nested[:n-len(notes.Notes)]...), Notes: notes.Notes, TotalCount: notes.TotalCount,
			ReturnedCount: notes.ReturnedCount, Truncated: notes.Truncated, Next: notes.Next,
		}
		for i, t := range result.Tags {
			result.Tags[i].Tag, _ = budget.Cut(t.Tag, bytes)
		}
		if len(result.Tags) < len(nested) {
			result.Truncated, result.Next = true, cmp.Or(result.Next, budget.Next)
		}
		return result
	})
}

// foldTag returns the form in which tags are compared and sorted, so that a tag comes right
// before those nested in it. Tags have the same form if script.Glob of one fits the other.
func foldTag(tag string) string {
	return strings.Map(func(r rune) rune {
		if r == '/' {
			return 0
		}
		return unicode.ToLower(slices.Min(script.Cases(r)))
	}, tag)
}

// countTags returns every tag with the number of its notes, sorted by name.
func (n Reader) countTags(ctx context.Context, vault string) (all []TagCount, err error) {
	known := map[string]*TagCount{}
	count := func(tags []string) {
		counted := map[string]bool{}
		for _, tag := range tags {
			for end := range len(tag) + 1 {
				if end < len(tag) && tag[end] != '/' || end == 0 {
					continue
				}
				key := foldTag(tag[:end])
				if known[key] == nil {
					known[key] = &TagCount{Tag: tag[:end], key: key}
				}
				if !counted[key] {
					known[key].Count++
				}
				counted[key] = true
			}
		}
	}
	err = db.Each(ctx, n.DB, func(row *sql.Rows) error {
		var id, text string
		var tags []string
		if err := row.Scan(&id, &text); err != nil {
			return err
		}
		err := db.ReadColumn(id, "tags", text, &tags)
		count(tags)
		return err
	}, `
select m.id, m.tags`+whichNotes+`
  and m.tags <> '[]'
order by v.name, f.path`, vault, n.Caller.Namespace, "[]", "[]", "{}")
	for _, t := range known {
		all = append(all, *t)
	}
	slices.SortFunc(all, func(a, b TagCount) int { return cmp.Compare(a.key, b.key) })
	return all, err
}
