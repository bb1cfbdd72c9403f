package edges

import (
	"hence/internal/args"
	"hence/internal/db"
	"hence/internal/ref"
)

// PageArgs ask for a page of a list of the store.
type PageArgs struct {
	Limit  int    `json:"limit,omitempty" default:"100" min:"1" max:"500"`
	Cursor string `json:"cursor,omitempty" jsonschema:"next from the previous response"`
}

// Start checks the arguments and reads the cursor into after. It returns the
// namespace that the caller reads, "" for all.
func (a *PageArgs) Start(list string, caller ref.Caller, after any) (namespace string, err error) {
	if err := args.Check(list, a); err != nil {
		return "", err
	}
	if err := db.ReadCursor(list, list, a.Cursor, after); err != nil {
		return "", err
	}
	return caller.Reads("")
}

// Page says which part of a list a response holds.
type Page struct {
	TotalCount    int    `json:"total_count"`
	ReturnedCount int    `json:"returned_count"`
	Truncated     bool   `json:"truncated"`
	Next          string `json:"next,omitempty" jsonschema:"cursor of the next page"`
}

// Cut returns the first limit of the items, of which one more than limit was
// read if there are more, and the cursor of the next page, "" for the last one.
// place returns what the cursor holds of the last item.
func Cut[T any](list string, items []T, limit int, place func(last T) any) (page []T, next string) {
	if len(items) <= limit {
		return items, ""
	}
	return items[:limit], db.Cursor(list, place(items[limit-1]))
}

// Count is how often something occurs.
type Count struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}
