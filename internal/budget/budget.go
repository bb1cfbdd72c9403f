// Package budget keeps a result within a number of tokens. Four bytes count as a token, of
// the result's JSON or of its text, whichever is longer.
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

// Whole is the number of bytes that Fit passes to build for texts that are not cut.
const Whole = 1 << 30

// Rest reports whether a page of n entries, with texts cut to a number of bytes, is truncated,
// and returns its field next: the cursor if there are more entries, which is asked for only then.
func Rest(n, bytes int, more bool, cursor func() string) (truncated bool, next string) {
	switch {
	case bytes < Whole, more && n == 0:
		return true, Next
	case more:
		return true, cursor()
	}
	return false, ""
}

// Tokens returns the cost of a result: the bytes of its JSON / 4, rounded up.
func Tokens(answer any) (int, error) {
	text, err := json.Marshal(answer)
	return (len(text) + 3) / 4, err
}

// wordsKey is the context key of the function that renders a result of type T as text.
type wordsKey[T any] struct{}

// InWords returns a context in which Fit and Hold also count the text that words renders of
// a result, so that one cut keeps both the JSON and the text within the budget, with the
// same entries.
func InWords[T any](ctx context.Context, words func(T) string) context.Context {
	return context.WithValue(ctx, wordsKey[T]{}, words)
}

// markKey is the context key of the function that marks what a result names.
type markKey struct{}

// Marking returns a context in which Mark, and with it Fit and Hold, call mark with a pointer
// to each result, before its cost is counted.
func Marking(ctx context.Context, mark func(ctx context.Context, result any) error) context.Context {
	return context.WithValue(ctx, markKey{}, mark)
}

// Mark marks what a result names, if the context is one of Marking. result is a pointer.
func Mark(ctx context.Context, result any) error {
	if mark, ok := ctx.Value(markKey{}).(func(context.Context, any) error); ok {
		return mark(ctx, result)
	}
	return nil
}

// cost returns the tokens of a result: those of its JSON, or of its text if that is longer.
func cost[T any](ctx context.Context, answer T) (int, error) {
	tokens, err := Tokens(answer)
	if words, ok := ctx.Value(wordsKey[T]{}).(func(T) string); ok {
		tokens = max(tokens, (len(words(answer))+3)/4)
	}
	return tokens, err
}

// Fit returns the largest result that costs at most budget tokens; zero means no
// limit. build returns a result with a number of entries, each text cut to a number of bytes;
// the cost must grow with both numbers. Fit drops entries first, and cuts the texts of the
// first entry only if that entry alone does not fit.
func Fit[T any](ctx context.Context, budget, entries int, build func(entries, bytes int) T) (T, error) {
	var costErr error
	unmarked := build
	build = func(entries, bytes int) T {
		answer := unmarked(entries, bytes)
		if err := Mark(ctx, &answer); err != nil {
			costErr = err
		}
		return answer
	}
	whole := build(entries, Whole)
	if budget == 0 {
		return whole, costErr
	}
	fits := func(answer T) bool {
		tokens, err := cost(ctx, answer)
		if err != nil {
			costErr = err
		}
		return err == nil && tokens <= budget
	}
	if fits(whole) || costErr != nil {
		return whole, costErr
	}
	maxEntries := sort.Search(entries, func(n int) bool { return !fits(build(n+1, Whole)) })
	if maxEntries > 0 || entries == 0 {
		answer := build(maxEntries, Whole)
		if fits(answer) {
			return answer, costErr
		}
	}
	if entries == 0 {
		return build(0, 0), costErr
	}
	if maxBytes := sort.Search(4*budget, func(n int) bool { return !fits(build(1, n)) }); maxBytes > 0 {
		return build(1, maxBytes-1), costErr
	}
	return build(0, 0), costErr
}

// Next is the value of a result's field next if a larger budget would show more.
const Next = "token_budget"

// Hold is Fit for results with parts that build never cuts, such as ids and paths. It fails
// with too_large if those alone exceed the budget.
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

// Share divides a number of entries among lists of the given lengths: one to each list in
// turn, until no entries are left or every list has its length.
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

// First returns the first items of a list that have at most a number of bytes in JSON.
func First[T any](list []T, bytes int) []T {
	for n, item := range list {
		text, err := json.Marshal(item)
		if bytes -= len(text) + 1; err != nil || bytes < 0 {
			return list[:n]
		}
	}
	return list
}

// Cut shortens a text to at most n bytes, including an ellipsis at its end, between words
// if possible, and reports whether it did.
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
