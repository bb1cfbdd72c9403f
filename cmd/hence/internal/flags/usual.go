package flags

import "strings"

// usualTexts are the descriptions of arguments that many tools take, by name. At most one
// schema has each of them, because a client reads all schemas in every conversation. The help
// of every command has them, and so does docs/tools.md.
var usualTexts = map[string]string{
	"allow_broken":          "write even where the frontmatter could not be read any more",
	"as_of":                 "what held in the world at this time: a time, a date, 2026-03, 7d, yesterday",
	"confidence":            "how sure it is",
	"content":               "the text",
	"cursor":                "next from the previous response",
	"depth":                 "how many edges away",
	"done":                  "what was done",
	"dry_run":               "only say what would change",
	"edge_types":            "only edges of these types, as in expand",
	"end_line":              "the last line",
	"expected_content_hash": "fail with conflict when the file has another",
	"files":                 "also files without text, such as pictures, after everything else",
	"filter_properties":     "only with these values",
	"from_path":             "the note's path as it is",
	"goal":                  "what was to be reached",
	"importance":            "how much it matters",
	"include_edges":         "with its edges",
	"include_ended":         "also what is over by then, which is marked",
	"include_superseded":    "also what was superseded",
	"kind":                  "fact, decision, preference or any other word",
	"kinds":                 "only of these kinds",
	"known_at":              "what the store said at this time; texts are today's, and marked where edited since",
	"limit":                 "at most so many",
	"max_hops":              "at most so many edges",
	"mode":                  "by words, by meaning, or by both",
	"namespace":             "a group of memories kept apart",
	"order":                 "what comes first",
	"origins":               "only edges that come from these, as in expand",
	"path":                  "path, or title",
	"pinned":                "always in the briefing",
	"properties":            "fields of your own",
	"reason":                "why",
	"replace":               "what takes its place",
	"set":                   "properties and their values",
	"since":                 "stored or changed from this time on: a time, a date, 2026-03, 7d, last month",
	"source_url":            "the address that the text is from",
	"start_line":            "the first line",
	"status":                "only those with this status",
	"suite":                 "the name of a suite that is allowed",
	"tags":                  "words to find it by",
	"timeout_s":             "stop after so many seconds",
	"title":                 "a line that names it",
	"to":                    "id, path or title",
	"to_id":                 "id, path or title",
	"token_budget":          "hard cap on the answer",
	"until":                 "stored or changed up to this time; a date means its last moment",
	"valid_from":            "time or date from which it holds",
	"valid_to":              "time or date until which it holds",
	"vault":                 "the vault's name",
}

// Usual returns the description of an argument that has none in its schema.
func Usual(name string) string {
	if text, ok := usualTexts[name]; ok {
		return text
	}
	return strings.ReplaceAll(name, "_", " ")
}
