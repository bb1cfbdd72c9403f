package remote

import "regexp"

// Tokens splits statements of SQL: a text or a name in quotes, a comment, white space, a
// word, a parameter, and any other character. Joined, they are the statements again.
func Tokens(statements string) []string { return tokens.FindAllString(statements, -1) }

var tokens = regexp.MustCompile(`(?s)'(?:[^']|'')*'?|"(?:[^"]|"")*"?|--[^\n]*|/\*.*?(?:\*/|$)|\s+|\w+|\?\d*|.`)
