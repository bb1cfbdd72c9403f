package flags

import "strings"

// usually are the meanings of arguments that many tools take. Their schemas say them
// once, because a client reads all of them; each command says them in its help.
var usually = map[string]string{
	"as_of":             "what held in the world at this time: a time, a date, 2026-03, 7d, yesterday",
	"known_at":          "what the store said at this time; texts are today's, and marked where edited since",
	"include_ended":     "also what is over by then, which is marked",
	"since":             "stored or changed from this time on: a time, a date, 2026-03, 7d, last month",
	"until":             "stored or changed up to this time; a date means its last moment",
	"files":             "also files without text, such as pictures, after everything else",
	"token_budget":      "hard cap on the answer",
	"cursor":            "next from the previous response",
	"valid_to":          "time or date until which it holds",
	"depth":             "how many edges away",
	"filter_properties": "only with these values",
}

// usual says what an argument without a description of its own is.
func usual(name string) string {
	if text, ok := usually[name]; ok {
		return text
	}
	return strings.ReplaceAll(name, "_", " ")
}
