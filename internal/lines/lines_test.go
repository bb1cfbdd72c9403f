package lines

import (
	"bufio"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "hence/internal/repeattest"
)

// all returns the lines of a text, with "too long" for each line that is too long.
func all(t interface{ Fatal(...any) }, text string, limit int) (said []string) {
	r := bufio.NewReaderSize(strings.NewReader(text), 16)
	var line []byte
	var err error
	for err != io.EOF {
		line, err = Read(r, line[:0], limit)
		switch {
		case errors.Is(err, ErrTooLong):
			said = append(said, "too long")
		case err != nil && err != io.EOF:
			t.Fatal(err)
		default:
			said = append(said, string(line))
		}
	}
	return said
}

func TestRead(t *testing.T) {
	long := strings.Repeat("x", 41)
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"Empty", "", []string{""}},
		{"LastLineWithoutBreak", "a\nb", []string{"a\n", "b"}},
		{"LastLineWithBreak", "a\n", []string{"a\n", ""}},
		{"LongerThanTheBuffer", long[:39] + "\nb", []string{long[:39] + "\n", "b"}},
		{"TooLong", long + "\nb", []string{"too long", "b"}},
		{"TooLongAtTheEnd", "a\n" + long, []string{"a\n", "too long", ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := all(t, c.text, 40); !slices.Equal(got, c.want) {
				t.Errorf("Read: %q, want %q", got, c.want)
			}
		})
	}
}

func TestReadFails(t *testing.T) {
	broken := errors.New("broken")
	r := bufio.NewReader(io.MultiReader(strings.NewReader("abc"), errReader{broken}))
	if _, err := Read(r, nil, 2); !errors.Is(err, broken) {
		t.Errorf("Read: %v, want the error of the stream", err)
	}
}

type errReader struct{ err error }

func (r errReader) Read([]byte) (int, error) { return 0, r.err }

func TestRapidReadSplitsAtLineBreaks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`([a-c]{0,40}\n?){0,6}`).Draw(t, "text")
		limit := rapid.IntRange(1, 50).Draw(t, "limit")
		want := strings.SplitAfter(text, "\n")
		for i, line := range want {
			if len(line) > limit {
				want[i] = "too long"
			}
		}
		if want[len(want)-1] == "too long" {
			want = append(want, "")
		}
		if got := all(t, text, limit); !slices.Equal(got, want) {
			t.Errorf("lines of %q: %q, want %q", text, got, want)
		}
	})
}
