package db

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
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

// NewID returns a UUIDv7, so that ids sort by time of creation.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }

// Hash is the SHA-256 of a text or of the bytes of a file, in hex.
func Hash[T string | []byte](content T) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}
