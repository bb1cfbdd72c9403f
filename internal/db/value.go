package db

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"

	"hence/internal/fault"

	"github.com/google/uuid"
)

// CheckText refuses invalid UTF-8 and NUL bytes with invalid_argument, and more than
// longest bytes with too_large.
func CheckText(operation, name, text string, longest int) error {
	switch {
	case !utf8.ValidString(text):
		return fault.New(fault.InvalidArgument, "%s: %s is not valid UTF-8", operation, name)
	case strings.IndexByte(text, 0) >= 0:
		return fault.New(fault.InvalidArgument, "%s: %s has a NUL byte", operation, name)
	case len(text) > longest:
		return fault.New(fault.TooLarge, "%s: %s has %d bytes, and at most %d are kept", operation, name, len(text), longest)
	}
	return nil
}

// OneLine replaces what may end or reorder a line by spaces, so that no text begins a line
// of its own.
func OneLine(text string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsControl(c) || unicode.Is(unicode.Bidi_Control, c) || c == '\u2028' || c == '\u2029' {
			return ' '
		}
		return c
	}, text)
}

// CheckLine is CheckText for a text of one line: it refuses what OneLine replaces.
func CheckLine(operation, name, text string, longest int) error {
	if OneLine(text) != text && strings.IndexByte(text, 0) < 0 {
		return fault.New(fault.InvalidArgument, "%s: %s has a line end or another control character; write it on one line", operation, name)
	}
	return CheckText(operation, name, text, longest)
}

// NewID returns a UUIDv7, so that ids sort by time of creation.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }

// JSON writes a value on one line, without escapes that only HTML needs.
func JSON(value any) (string, error) {
	var text strings.Builder
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	err := e.Encode(value)
	return strings.TrimSuffix(text.String(), "\n"), err
}

// Hash is the SHA-256 of a text or of the bytes of a file, in hex.
func Hash[T string | []byte](content T) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}
