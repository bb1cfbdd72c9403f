package vault

// Listed is the first of some things, and how many there are.
type Listed[T any] struct {
	Items         []T  `json:"items"`
	TotalCount    int  `json:"total_count"`
	ReturnedCount int  `json:"returned_count"`
	Truncated     bool `json:"truncated"`
}

// ListOf lists the first of a number of things.
func ListOf[T any](first []T, total int) Listed[T] {
	return Listed[T]{Items: first, TotalCount: total, ReturnedCount: len(first), Truncated: len(first) < total}
}
