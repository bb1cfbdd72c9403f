package db

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"
	"unicode/utf8"

	"hence/internal/fault"

	"github.com/google/uuid"
)

// Time formats t as the schema does: RFC 3339 in UTC with milliseconds, always of the
// same length.
func Time(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// Now is the current time in the format of Time.
func Now() string { return Time(time.Now()) }

// ParseTime reads a full RFC 3339 date-time with any offset, and returns it in the
// format of Time, "" for "".
func ParseTime(name, text string) (string, error) {
	if text == "" {
		return "", nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil || t.UTC().Year() < 0 || t.UTC().Year() > 9999 {
		return "", fault.New(fault.InvalidArgument, "%s is %q, and must be a full RFC 3339 time such as 2026-11-20T08:15:00Z", name, text)
	}
	return Time(t), nil
}

// ParseSpan reads the ends of a period of validity, [from, to).
func ParseSpan(from, to string) (start, end string, err error) {
	if start, err = ParseTime("valid_from", from); err != nil {
		return "", "", err
	}
	if end, err = ParseTime("valid_to", to); err != nil {
		return "", "", err
	}
	if start != "" && end != "" && start >= end {
		return "", "", fault.New(fault.InvalidArgument, "valid_from is %s, and must be before valid_to, %s", from, to)
	}
	return start, end, nil
}

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
