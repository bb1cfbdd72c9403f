package remote

import (
	"hence/internal/pattern"
)

// Tokens splits SQL statements into tokens: a text or a name in quotes, a comment, white space, a
// word, a parameter, or any other character. The tokens joined are the statements.
func Tokens(statements string) []string { return tokens().FindAllString(statements, -1) }

var tokens = pattern.Lazy(`(?s)'(?:[^']|'')*'?|"(?:[^"]|"")*"?|--[^\n]*|/\*.*?(?:\*/|$)|\s+|\w+|\?\d*|.`)
