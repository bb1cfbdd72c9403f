package edges

import (
	"hence/internal/args"
	"hence/internal/db"
	"hence/internal/ref"
)

// PageArgs are the arguments of a call that returns one page of a list.
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

// Page says which part of a list a response contains.
type Page struct {
	TotalCount    int    `json:"total_count"`
	ReturnedCount int    `json:"returned_count"`
	Truncated     bool   `json:"truncated"`
	Next          string `json:"next,omitempty" jsonschema:"cursor of the next page"`
}

// Cut returns the first limit items and the cursor of the next page, "" if this page is the
// last. The caller reads limit+1 items, so that Cut sees whether more follow. place returns
// the value that the cursor encodes for the last item of the page.
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
