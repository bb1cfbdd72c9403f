package vault

// Listed is the first of some things, and how many there are.
type Listed[T any] struct {
	Items         []T  `json:"items"`
	TotalCount    int  `json:"total_count"`
	ReturnedCount int  `json:"returned_count"`
	Truncated     bool `json:"truncated"`
}

// listOf is a list that is never null in JSON.
func listOf[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
