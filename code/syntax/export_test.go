package syntax

// Reads reports whether Read finds the declarations of a language in this program.
func Reads(language string) bool { return readers[language] != nil }
