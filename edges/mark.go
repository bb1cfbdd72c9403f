package edges

import (
	"bytes"
	"encoding/base64"
	"encoding/json"

	"hence/internal/fault"
)

// mark is where a page of a list ended, as a text that is opaque to callers.
func mark(at any) string {
	text, err := json.Marshal(at)
	if err != nil {
		panic(err) // numbers and strings only
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

// readMark reads a mark back; "" leaves at as it is. It fails with
// invalid_argument for a text that is no mark of this list.
func readMark(operation, text string, at any) error {
	if text == "" {
		return nil
	}
	ended := true
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		d := json.NewDecoder(bytes.NewReader(raw))
		d.DisallowUnknownFields()
		err = d.Decode(at)
		ended = !d.More()
	}
	if err != nil || !ended {
		return fault.New(fault.InvalidArgument, "%s: the cursor is not one of this list; start again without it", operation)
	}
	return nil
}
