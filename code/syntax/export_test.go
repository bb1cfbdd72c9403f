package syntax

// Reads reports whether Read supports a language in this build.
func Reads(language string) bool { return readers[language] != nil }
