// Package budget keeps an answer within a number of tokens. A token is taken
// to be four bytes of the answer's JSON, rounded up.
package budget

import (
	"encoding/json"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Min is the smallest budget that an answer with no entries always fits.
const Min = 64

// Whole stands for texts that are not cut.
const Whole = 1 << 30

// Tokens returns what an answer costs: ceil(bytes of its JSON / 4).
func Tokens(answer any) (int, error) {
	text, err := json.Marshal(answer)
	return (len(text) + 3) / 4, err
}

// Fit returns the largest answer that costs at most budget tokens; a budget
// of zero is no limit. It asks build for answers of a number of entries, with
// each text of them cut to a number of bytes, and drops whole entries first:
// the texts of the first entry are cut only when it does not fit alone. An
// answer grows with the entries and with the length of texts.
func Fit[T any](budget, entries int, build func(entries, bytes int) T) (T, error) {
	whole := build(entries, Whole)
	if budget == 0 {
		return whole, nil
	}
	var failed error
	fits := func(answer T) bool {
		cost, err := Tokens(answer)
		if err != nil {
			failed = err
		}
		return err == nil && cost <= budget
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

// Cut shortens a text to at most n bytes, between words where it can, and
// marks the cut with an ellipsis. It reports whether it cut.
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
		if space := strings.LastIndexFunc(head, unicode.IsSpace); space > 0 {
			head = head[:space]
		}
	}
	return strings.TrimRightFunc(head, unicode.IsSpace) + ellipsis, true
}
