package db

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"hence/internal/fault"

	"github.com/google/uuid"
)

// CheckText fails with invalid_argument if a text is not valid UTF-8 or has a NUL byte, and with
// too_large if it has more than maxBytes bytes. operation and name begin the error message.
func CheckText(operation, name, text string, maxBytes int) error {
	switch {
	case !utf8.ValidString(text):
		return fault.New(fault.InvalidArgument, "%s: %s is not valid UTF-8", operation, name)
	case strings.IndexByte(text, 0) >= 0:
		return fault.New(fault.InvalidArgument, "%s: %s has a NUL byte", operation, name)
	case len(text) > maxBytes:
		return fault.New(fault.TooLarge, "%s: %s has %d bytes, and at most %d are stored", operation, name, len(text), maxBytes)
	}
	return nil
}

// Unbroken returns a text with the characters that may end or reorder a line replaced by spaces,
// so that no part of it can look like a line of its own.
func Unbroken(text string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsControl(c) || unicode.Is(unicode.Bidi_Control, c) || c == '\u2028' || c == '\u2029' {
			return ' '
		}
		return c
	}, text)
}

// WithoutControls returns a text with its control characters replaced by spaces, as the schema asks
// of titles, kinds, tags, words of edges and actors. A text of nothing else becomes U+FFFD.
func WithoutControls(text string) string {
	clean := strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return ' '
		}
		return c
	}, text)
	if clean != text && strings.TrimSpace(clean) == "" {
		return string(unicode.ReplacementChar)
	}
	return clean
}

// CheckLine is CheckText for a text of one line: it also fails with invalid_argument if the text
// has a character that Unbroken replaces.
func CheckLine(operation, name, text string, maxBytes int) error {
	if Unbroken(text) != text && strings.IndexByte(text, 0) < 0 {
		return fault.New(fault.InvalidArgument, "%s: %s has a line end or another control character; write it on one line", operation, name)
	}
	return CheckText(operation, name, text, maxBytes)
}

// NewID returns a UUIDv7, so that ids sort by time of creation.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }

// given are the ids and the times of what is written with a context.
type given struct {
	first, at, asked string
	ids              int // that were taken
}

type givenKey struct{}

// WithIDs returns a context in which NextID returns first and then ids made of it, the same each time. at is
// the time that NowIn returns, "" for the present, and asked the one that AskedIn returns.
func WithIDs(ctx context.Context, first, at, asked string) context.Context {
	return context.WithValue(ctx, givenKey{}, &given{first: first, at: at, asked: asked})
}

// AskedIn returns when what is written was asked for: the time of WithIDs, or the present.
func AskedIn(ctx context.Context) string {
	if g, ok := ctx.Value(givenKey{}).(*given); ok {
		return g.asked
	}
	return Now()
}

// NextID returns the next id of WithIDs, or a new one.
func NextID(ctx context.Context) string {
	g, ok := ctx.Value(givenKey{}).(*given)
	if !ok {
		return NewID()
	}
	g.ids++
	return NthID(g.first, g.ids-1)
}

// NthID returns the id that NextID returns in the place n, from 0.
func NthID(first string, n int) string {
	id, err := uuid.Parse(first)
	if n == 0 || err != nil {
		return first
	}
	sum := sha256.Sum256(fmt.Append(nil, first, " ", n))
	copy(id[9:], sum[:]) // the time and the version stay
	return id.String()
}

// NowIn returns the time of WithIDs, or the present.
func NowIn(ctx context.Context) string {
	if g, ok := ctx.Value(givenKey{}).(*given); ok && g.at != "" {
		return g.at
	}
	return Now()
}

var shortLetters = base32.NewEncoding("234567abcdefghijklmnopqrstuvwxyz").WithPadding(base32.NoPadding)

// NewShortID returns an id of 16 letters and digits for rows that are many. It sorts by time of creation, as a
// UUIDv7 does, of which it has the time and 25 random bits.
func NewShortID() string {
	id := uuid.Must(uuid.NewV7())
	first, last := binary.BigEndian.Uint64(id[:8]), binary.BigEndian.Uint64(id[8:])
	time := first>>16<<12 | first&0xfff // the milliseconds, and a part of one that counts on; four bits between say version 7
	random := last & (1<<25 - 1)
	bytes := binary.BigEndian.AppendUint64(nil, time<<9|random>>16)
	return shortLetters.EncodeToString(binary.BigEndian.AppendUint16(bytes, uint16(random)))
}

// JSON returns a value as JSON on one line, without the escapes for HTML, which would only make the
// text longer, and hide words. It panics on values that JSON cannot represent.
func JSON(value any) string {
	var text strings.Builder
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		panic(err) // callers pass texts and numbers, or values that were JSON
	}
	return strings.TrimSuffix(text.String(), "\n")
}

// Hash returns the SHA-256 of a text or of the bytes of a file, in hex.
func Hash[T string | []byte](content T) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}
