package suite

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

const (
	keptBytes   = 32 << 10 // of the beginning, and of the end
	maxFailures = 100
	maxLine     = 1 << 10 // bytes of a line that are looked at for a failure
)

// capture keeps the beginning and the end of an output, and the names of failed
// tests. It holds no more than that, however long the output is.
type capture struct {
	head     []byte
	tail     []byte // a ring once it is full
	next     int    // place in the ring
	size     int64  // of the whole output
	line     []byte // the beginning of the line that is not over yet
	failures []string
}

// Write takes in a part of an output. It never fails.
func (c *capture) Write(output []byte) (int, error) {
	c.size += int64(len(output))
	c.lookForFailures(output)
	size := len(output)
	room := min(keptBytes-len(c.head), len(output))
	c.head = append(c.head, output[:room]...)
	rest := output[room:]
	if len(rest) >= keptBytes {
		c.tail, c.next = append(c.tail[:0], rest[len(rest)-keptBytes:]...), 0
		return size, nil
	}
	room = min(keptBytes-len(c.tail), len(rest))
	c.tail = append(c.tail, rest[:room]...)
	for _, b := range rest[room:] {
		c.tail[c.next] = b
		c.next = (c.next + 1) % keptBytes
	}
	return size, nil
}

// text returns what was kept, and whether something was left out.
func (c *capture) text() (text string, truncated bool) {
	tail := append(bytes.Clone(c.tail[c.next:]), c.tail[:c.next]...)
	left := c.size - int64(len(c.head)+len(tail))
	if left == 0 {
		return strings.ToValidUTF8(string(append(bytes.Clone(c.head), tail...)), "�"), false
	}
	head := c.head
	for len(head) > 0 && !utf8.FullRune(lastRune(head)) {
		head = head[:len(head)-1]
	}
	for len(tail) > 0 && !utf8.RuneStart(tail[0]) {
		tail = tail[1:]
	}
	text = fmt.Sprintf("%s\n… %d bytes left out …\n%s", head, left, tail)
	return strings.ToValidUTF8(text, "�"), true
}

// lastRune returns the bytes from the start of the last character on.
func lastRune(text []byte) []byte {
	for i := len(text) - 1; i >= max(len(text)-utf8.UTFMax, 0); i-- {
		if utf8.RuneStart(text[i]) {
			return text[i:]
		}
	}
	return nil
}

func (c *capture) lookForFailures(output []byte) {
	for len(output) > 0 {
		line, rest, over := bytes.Cut(output, []byte{'\n'})
		c.line = append(c.line, line[:min(len(line), maxLine-len(c.line))]...)
		if !over {
			return
		}
		c.endLine()
		output = rest
	}
}

// failed are the lines by which runners name a failed test: Go, pytest, cargo, TAP,
// Jest and Vitest, Maven.
var failed = sync.OnceValue(func() []*regexp.Regexp {
	return []*regexp.Regexp{
		regexp.MustCompile(`^\s*--- FAIL: (\S+)`),
		regexp.MustCompile(`^FAILED (\S+::.+?)(?: - .*)?$`),
		regexp.MustCompile(`^test (\S+) \.\.\. FAILED`),
		regexp.MustCompile(`^\s*not ok \d+ -? ?(.+)$`),
		regexp.MustCompile(`^\s*● (.+ › .+)$`),
		regexp.MustCompile(`^\s*(?:FAIL|×|✗)\s+(\S+\.(?:test|spec)\.\S+.*)$`),
		regexp.MustCompile(`^\[ERROR\]\s+(\S+\.\S+:\d+)`),
	}
})

func (c *capture) endLine() {
	line := strings.ToValidUTF8(strings.TrimRight(string(c.line), "\r"), "�")
	c.line = c.line[:0]
	if len(c.failures) == maxFailures {
		return
	}
	for _, pattern := range failed() {
		parts := pattern.FindStringSubmatch(line)
		if parts == nil {
			continue
		}
		if !slices.Contains(c.failures, parts[1]) { // Jest names them twice
			c.failures = append(c.failures, parts[1])
		}
		return
	}
}
