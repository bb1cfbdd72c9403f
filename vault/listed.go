package vault

// Listed holds the first items of a list, and the number of all.
type Listed[T any] struct {
	Items         []T  `json:"items"`
	TotalCount    int  `json:"total_count"`
	ReturnedCount int  `json:"returned_count"`
	Truncated     bool `json:"truncated"`
}

// ListOf returns the first items of a list that has total items.
func ListOf[T any](first []T, total int) Listed[T] {
	return Listed[T]{Items: first, TotalCount: total, ReturnedCount: len(first), Truncated: len(first) < total}
}
