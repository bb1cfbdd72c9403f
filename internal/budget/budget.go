// Package budget keeps a result within a number of tokens. Four bytes of the result's
// JSON count as a token, or of its words.
package budget

import (
	"context"
	"encoding/json"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"hence/internal/fault"
)

// Min is the smallest budget that a result without entries always fits.
const Min = 64

// Whole is the number of bytes for texts that are not cut.
const Whole = 1 << 30

// Tokens returns the cost of a result: the bytes of its JSON / 4, rounded up.
func Tokens(answer any) (int, error) {
	text, err := json.Marshal(answer)
	return (len(text) + 3) / 4, err
}

// wordsKey marks the context of calls whose results of type T are told in words too.
type wordsKey[T any] struct{}

// InWords returns a context in which Fit and Hold count a result in words too, so that
// one cut keeps the JSON and the words within the budget, and both say the same of it.
func InWords[T any](ctx context.Context, words func(T) string) context.Context {
	return context.WithValue(ctx, wordsKey[T]{}, words)
}

// cost returns the tokens of a result: in JSON, or in words if these take more.
func cost[T any](ctx context.Context, answer T) (int, error) {
	tokens, err := Tokens(answer)
	if words, ok := ctx.Value(wordsKey[T]{}).(func(T) string); ok {
		tokens = max(tokens, (len(words(answer))+3)/4)
	}
	return tokens, err
}

// Fit returns the largest result that costs at most budget tokens; zero means no
// limit. build makes a result of a number of entries, with each text cut to a number
// of bytes; its cost must grow with both. Fit drops entries first, and cuts the texts
// of the first entry only if it does not fit alone.
func Fit[T any](ctx context.Context, budget, entries int, build func(entries, bytes int) T) (T, error) {
	whole := build(entries, Whole)
	if budget == 0 {
		return whole, nil
	}
	var failed error
	fits := func(answer T) bool {
		tokens, err := cost(ctx, answer)
		if err != nil {
			failed = err
		}
		return err == nil && tokens <= budget
	}
	if fits(whole) || failed != nil {
		return whole, failed
	}
	most := sort.Search(entries, func(n int) bool { return !fits(build(n+1, Whole)) })
	if most > 0 || entries == 0 {
		answer := build(most, Whole)
		if fits(answer) {
			return answer, failed
		}
	}
	if entries == 0 {
		return build(0, 0), failed
	}
	if longest := sort.Search(4*budget, func(n int) bool { return !fits(build(1, n)) }); longest > 0 {
		return build(1, longest-1), failed
	}
	return build(0, 0), failed
}

// Next is the next of a result that goes on with a larger budget.
const Next = "token_budget"

// Hold is Fit for results that have what is not cut, such as ids and paths. It fails
// with too_large where the budget has no room for that.
func Hold[T any](ctx context.Context, operation string, budget, entries int, build func(entries, bytes int) T) (T, error) {
	answer, err := Fit(ctx, budget, entries, build)
	if err != nil || budget == 0 {
		return answer, err
	}
	tokens, err := cost(ctx, answer)
	if err == nil && tokens > budget {
		err = fault.New(fault.TooLarge, "%s: token_budget is %d, and an answer without entries takes %d; raise it", operation, budget, tokens)
	}
	return answer, err
}

// Share divides a number of entries among lists of some lengths: one to each in
// turn, until the number is used up or the lists are.
func Share(entries int, lengths ...int) []int {
	shares := make([]int, len(lengths))
	for given := true; given && entries > 0; {
		given = false
		for i, length := range lengths {
			if shares[i] < length && entries > 0 {
				shares[i], entries, given = shares[i]+1, entries-1, true
			}
		}
	}
	return shares
}

// Cut shortens a text to at most n bytes with an ellipsis, between words if possible,
// and reports whether it did.
func Cut(text string, n int) (string, bool) {
	if len(text) <= n {
		return text, false
	}
	const ellipsis = "…"
	if n <= len(ellipsis) {
		return "", text != ""
	}
	n -= len(ellipsis)
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	head := text[:n]
	next, _ := utf8.DecodeRuneInString(text[n:])
	if !unicode.IsSpace(next) {
		if space := strings.LastIndexFunc(head, unicode.IsSpace); space > 0 && strings.TrimSpace(head[:space]) != "" {
			head = head[:space]
		}
	}
	return strings.TrimRightFunc(head, unicode.IsSpace) + ellipsis, true
}
