package db

// Raised are the words of the schema's refusals.
func Raised() []string { return raised() }
