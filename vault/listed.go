package vault

// Listed is the first of some things, and how many there are.
type Listed[T any] struct {
	Items         []T  `json:"items"`
	TotalCount    int  `json:"total_count"`
	ReturnedCount int  `json:"returned_count"`
	Truncated     bool `json:"truncated"`
}
