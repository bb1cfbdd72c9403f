package vault

import (
	"bytes"
	"encoding/base64"
	"encoding/json"

	"hence/internal/fault"
)

// cursor is where a page of a list ended: K is the last entry's place in the
// list's order. It is opaque to callers.
type cursor[K any] struct {
	List string `json:"l"`
	Key  K      `json:"k"`
}

func cursorAfter[K any](list string, key K) string {
	text, err := json.Marshal(cursor[K]{list, key})
	if err != nil {
		panic(err) // texts and numbers only
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

// parseCursor reads the cursor of a list, the zero key where there is none.
func parseCursor[K any](list, text string) (key K, err error) {
	if text == "" {
		return key, nil
	}
	var c cursor[K]
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		d := json.NewDecoder(bytes.NewReader(raw))
		d.DisallowUnknownFields()
		err = d.Decode(&c)
	}
	if err != nil || c.List != list {
		return key, fault.New(fault.InvalidArgument, "%s: the cursor is not one of this list; start again without it", list)
	}
	return c.Key, nil
}
