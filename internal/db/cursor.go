package db

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"

	"hence/internal/fault"
)

// Cursor encodes the place where a page of a list ended, as a text that is opaque to
// callers. list names the list and its order, so that no other list accepts the
// cursor; end is a value that JSON can hold.
func Cursor(list string, end any) string {
	place, err := json.Marshal(end)
	if err == nil {
		place, err = json.Marshal(cursor{list, place})
	}
	if err != nil {
		panic(err) // our own numbers and texts
	}
	return base64.RawURLEncoding.EncodeToString(place)
}

type cursor struct {
	List string          `json:"l"`
	At   json.RawMessage `json:"k"`
}

// ReadCursor decodes a cursor of the list into at; "" leaves at unchanged. It fails
// with invalid_argument for a text that is not a cursor of this list.
func ReadCursor(operation, list, text string, at any) error {
	if text == "" {
		return nil
	}
	var c cursor
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		err = unmarshalStrictly(raw, &c)
	}
	if err == nil {
		err = unmarshalStrictly(c.At, at)
	}
	if err != nil || c.List != list {
		return fault.New(fault.InvalidArgument, "%s: the cursor is not one of this list; start again without it", operation)
	}
	return nil
}

// unmarshalStrictly decodes one value, and refuses unknown fields and further text.
func unmarshalStrictly(raw []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if d.More() {
		return errors.New("more than one value")
	}
	return nil
}
