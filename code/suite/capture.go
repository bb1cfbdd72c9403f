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
	keptBytes   = 32 << 10 // of the beginning, and as many of the end
	maxFailures = 100
	maxLine     = 1 << 10 // bytes of a line that are searched for a failure
)

// capture keeps the beginning and the end of an output, and the names of failed tests. Its
// size is bounded, however long the output is.
type capture struct {
	head     []byte
	tail     []byte // a ring buffer once it is full
	next     int    // index in tail of the next write, which is its oldest byte
	size     int64  // bytes of the whole output
	line     []byte // beginning of the unfinished line
	failures []string
}

// Write appends to the output. It never fails.
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

// text returns the kept output as UTF-8, and whether its middle was left out.
func (c *capture) text() (text string, truncated bool) {
	tail := append(bytes.Clone(c.tail[c.next:]), c.tail[:c.next]...)
	omitted := c.size - int64(len(c.head)+len(tail))
	if omitted == 0 {
		return strings.ToValidUTF8(string(append(bytes.Clone(c.head), tail...)), "�"), false
	}
	head := c.head
	for len(head) > 0 && !utf8.FullRune(lastRune(head)) {
		head = head[:len(head)-1]
	}
	for len(tail) > 0 && !utf8.RuneStart(tail[0]) {
		tail = tail[1:]
	}
	text = fmt.Sprintf("%s\n… %d bytes left out …\n%s", head, omitted, tail)
	return strings.ToValidUTF8(text, "�"), true
}

// lastRune returns the bytes of the last character, which may be incomplete; nil if no
// character begins near the end.
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
		line, rest, ended := bytes.Cut(output, []byte{'\n'})
		c.line = append(c.line, line[:min(len(line), maxLine-len(c.line))]...)
		if !ended {
			return
		}
		c.endLine()
		output = rest
	}
}

// failurePatterns match the lines that name a failed test in the output of Go, pytest,
// cargo, TAP, Jest and Vitest, and Maven.
var failurePatterns = sync.OnceValue(func() []*regexp.Regexp {
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
	for _, pattern := range failurePatterns() {
		parts := pattern.FindStringSubmatch(line)
		if parts == nil {
			continue
		}
		if !slices.Contains(c.failures, parts[1]) { // Jest names each twice
			c.failures = append(c.failures, parts[1])
		}
		return
	}
}
