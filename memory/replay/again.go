package replay

import (
	"bytes"
	"context"
	"encoding/json"

	"hence/internal/db"
	"hence/internal/receipts"
	"hence/internal/ref"
	"hence/memory/review"
)

// Again calls a tool that reads, and returns the structured answer. Another tool fails.
type Again func(ctx context.Context, v ref.View, tool string, arguments json.RawMessage) (answer []byte, err error)

// compare asks again what a receipt is of, and says whether the whole answer is the same as then, byte for byte, and why
// if it is not or cannot be known. If the store has changed since, it asks as of then too, where a tool can.
func (s Reader) compare(ctx context.Context, r receipts.Receipt, again Again) (same *bool, why string, err error) {
	switch {
	case r.Outcome != receipts.OK:
		return nil, "it failed", nil
	case len(r.Arguments) != r.BytesIn:
		return nil, "its arguments were not kept whole", nil
	}
	v := ref.View{DB: s.DB, Caller: ref.Caller{Actor: r.Actor, Origin: ref.Agent, Namespace: r.Namespace, Confined: s.Caller.Confined}}
	ctx = review.WithSession(ctx, func() string { return r.Session }) // which saw what its calls that wait would do
	answer, err := again(ctx, v, r.Tool, json.RawMessage(r.Arguments))
	if err != nil {
		return nil, "only what a tool has read is asked again, and this now fails or is not of one", nil
	}
	isSame := bytes.Equal(receipts.HashOf(answer), r.Hash)
	seen, err := receipts.Seen(ctx, s.DB)
	switch {
	case err != nil || isSame:
		return &isSame, "", err
	case seen == r.Seen:
		return &isSame, "the store is as it was: calls waited that only its conversation saw, or the server had other settings or was another version", nil
	}
	arguments := map[string]any{}
	if _ = json.Unmarshal([]byte(r.Arguments), &arguments); arguments["known_at"] == nil { // "": a call without arguments
		arguments["known_at"] = db.Time(r.At)
		if answer, err := again(ctx, v, r.Tool, json.RawMessage(db.JSON(arguments))); err == nil && bytes.Equal(receipts.HashOf(answer), r.Hash) {
			isSame = true
			return &isSame, "asked as of then", nil
		}
	}
	return &isSame, "the store has changed since", nil
}

// SameText says in words what is known of an answer that was asked again, "" if it was not.
func (a Answer) SameText() string {
	text := "asked again, the answer is another"
	switch {
	case a.Same == nil && a.SameWhy == "":
		return ""
	case a.Same == nil:
		text = "it cannot be asked again"
	case *a.Same:
		text = "asked again, the whole answer is the same"
	}
	if a.SameWhy != "" {
		text += ": " + a.SameWhy
	}
	return text
}
