package recall

import (
	"context"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/recall/question"
)

// FuzzSearch checks that any text is a valid question, or one with nothing to look for, that
// FTS5 accepts the query made from it, and that no result has an unwanted word.
func FuzzSearch(f *testing.F) {
	for _, seed := range []string{
		`cache "job queue" -redis tag:#a/b path:"x y" kind:fact`, `5" disk "`, `-"a b`, `tag: path: kind: - ""`, `a AND b* NEAR(c, 2) {title}: ^x + "`, "\x00\xff日本語\u200b🙂",
		`"" -"" tag:""`, "é e\u0301 İ ﬁ ǅ", "_ %' or 1=1 --", `cache -queue`, `job -"the job" kind:fact`, "job -re\x00dis -\"a\x00 b\" -tag:\x00a -path:\x00p -kind:\x00k", `queue -tag:a -path:x -kind:fact -[*? --x -y`,
	} {
		f.Add(seed)
	}
	d, remove := dbtest.NewEmpties(f).Next(f)
	f.Cleanup(remove)
	ctx := context.Background()
	store := memory.Store{DB: d, Caller: ref.Caller{Actor: "a", Origin: "agent"}}
	if _, err := store.Remember(ctx, memory.StoreArgs{Content: "cache of the job queue", Tags: []string{"a/b"}, Kind: "fact"}, nil); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q := question.Parse(text)
		words := slices.Concat(q.Tags, q.Kinds, q.Paths, q.Tokens, q.Exclusions.Tokens)
		for _, term := range q.Terms {
			words = append(words, term.Text)
		}
		for _, bound := range q.Exclusions.Bind() {
			switch bound := bound.(type) {
			case string:
				words = append(words, bound)
			case []string:
				words = append(words, bound...)
			case [][2]string: // a query, and the pattern that spares a memory
				for _, text := range bound {
					words = append(words, text[:]...)
				}
			default:
				t.Fatalf("exclusions bind %T", bound)
			}
		}
		for _, word := range words {
			if !utf8.ValidString(word) || strings.ContainsRune(word, 0) {
				t.Errorf("%q holds %q", text, word)
			}
		}
		if text == "" || len(text) > MaxQuery {
			return
		}
		for _, mode := range []string{"keyword", "hybrid"} {
			result, err := Searcher{DB: d}.Search(ctx, question.Args{Query: text, Mode: mode})
			if q.IsEmpty() && fault.CodeOf(err) == fault.InvalidArgument {
				return
			}
			if err != nil || q.IsEmpty() {
				t.Fatalf("Search(%q): %v; nothing to look for: %v", text, err, q.IsEmpty())
			}
			unwanted, _ := q.Exclusions.Bind()["any"].(string)
			searchedAgain := slices.ContainsFunc(result.Warnings, func(w string) bool { return strings.Contains(w, "leaves nothing") })
			if unwanted != "" && result.ReturnedCount > 0 && !searchedAgain &&
				dbtest.Count(t, d, `select count(*) from section_search where section_search match ?`, unwanted) > 0 {
				t.Errorf("Search(%q) finds what is not wanted", text)
			}
		}
	})
}
