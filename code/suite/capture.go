package suite

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"hence/internal/pattern"
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
	tail     []byte
	size     int64  // bytes of the whole output
	line     []byte // beginning of the unfinished line
	failures []string
}

// Write appends to the output. It never fails.
func (c *capture) Write(output []byte) (int, error) {
	c.size += int64(len(output))
	c.lookForFailures(output)
	room := min(keptBytes-len(c.head), len(output))
	c.head = append(c.head, output[:room]...)
	c.tail = append(c.tail, output[room:]...)
	if over := len(c.tail) - keptBytes; over > 0 {
		c.tail = slices.Delete(c.tail, 0, over)
	}
	return len(output), nil
}

// text returns the kept output as UTF-8, and whether its middle was left out.
func (c *capture) text() (text string, truncated bool) {
	omitted := c.size - int64(len(c.head)+len(c.tail))
	if omitted == 0 {
		return strings.ToValidUTF8(string(slices.Concat(c.head, c.tail)), "�"), false
	}
	head, tail := c.head, c.tail
	for len(tail) > 0 && !utf8.RuneStart(tail[0]) {
		tail = tail[1:]
	}
	for begin := len(head) - 1; begin >= max(len(head)-utf8.UTFMax, 0); begin-- {
		if utf8.RuneStart(head[begin]) && !utf8.FullRune(head[begin:]) {
			head = head[:begin]
		}
	}
	text = fmt.Sprintf("%s\n… %d bytes left out …\n%s", head, omitted, tail)
	return strings.ToValidUTF8(text, "�"), true
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
var failurePatterns = []func() *regexp.Regexp{
	pattern.Lazy(`^\s*--- FAIL: (\S+)`),
	pattern.Lazy(`^FAILED (\S+::.+?)(?: - .*)?$`),
	pattern.Lazy(`^test (\S+) \.\.\. FAILED`),
	pattern.Lazy(`^\s*not ok \d+ -? ?(.+)$`),
	pattern.Lazy(`^\s*● (.+ › .+)$`),
	pattern.Lazy(`^\s*(?:FAIL|×|✗)\s+(\S+\.(?:test|spec)\.\S+.*)$`),
	pattern.Lazy(`^\[ERROR\]\s+(\S+\.\S+:\d+)`),
}

func (c *capture) endLine() {
	line := strings.ToValidUTF8(strings.TrimRight(string(c.line), "\r"), "�")
	c.line = c.line[:0]
	if len(c.failures) == maxFailures {
		return
	}
	for _, failure := range failurePatterns {
		parts := failure().FindStringSubmatch(line)
		if parts == nil {
			continue
		}
		if !slices.Contains(c.failures, parts[1]) { // Jest names each twice
			c.failures = append(c.failures, parts[1])
		}
		return
	}
}
