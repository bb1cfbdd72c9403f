package edit

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hence/internal/pattern"
	"hence/vault/note"
)

// Edit is a range of a text and its replacement.
type Edit struct {
	Start, End int // offsets in bytes
	Text       string
}

// Apply returns a text with some edits made. They must not overlap.
func Apply(text []byte, edits []Edit) []byte {
	sorted := slices.Clone(edits)
	slices.SortFunc(sorted, func(a, b Edit) int { return cmp.Compare(a.Start, b.Start) })
	var result bytes.Buffer
	copied := 0
	for _, e := range sorted {
		result.Write(text[copied:e.Start])
		result.WriteString(e.Text)
		copied = e.End
	}
	result.Write(text[copied:])
	return result.Bytes()
}

// Retarget returns the edits that may make a link lead to another target, the plainest
// first. The text around the link decides which of them is parsed as that link. Everything
// else about the link stays: anchor, display text, blanks, brackets around a destination. If
// show is not "" and the link has neither anchor nor display text, the first edits make show
// its display text. Retarget returns none if the link is not written plainly, as in
// frontmatter with escapes.
func Retarget(text []byte, l note.Link, target, show string) []Edit {
	start, end := l.Span.Start.Offset, l.Span.End.Offset
	raw := string(text[start:end])
	edits := retargetWikilink(raw, l, target, show)
	if len(edits) == 0 && l.Form != note.Wikilink && l.Form != note.Embed {
		edits = retargetMarkdown(raw, l, target)
	}
	if l.Form == note.Property && strings.Contains(target, "'") {
		// YAML doubles single quotes within single quotes.
		for _, e := range slices.Clone(edits) {
			e.Text = strings.ReplaceAll(e.Text, "'", "''")
			edits = append(edits, e)
		}
	}
	for i := range edits {
		edits[i].Start += start
		edits[i].End += start
	}
	return edits
}

// retargetWikilink is Retarget for [[target#anchor|display]], with or without "!".
func retargetWikilink(raw string, l note.Link, target, show string) []Edit {
	start := strings.Index(raw, "[[") + len("[[")
	if start > len("![[") || start < len("[[") || !strings.HasSuffix(raw, "]]") {
		return nil
	}
	start += len(raw[start:]) - len(strings.TrimLeft(raw[start:], " \t"))
	if l.Target == "" || !strings.HasPrefix(raw[start:], l.Target) {
		return nil
	}
	edits := []Edit{}
	end := start + len(l.Target)
	if show != "" && l.Anchor == "" && l.Display == "" && strings.TrimSpace(raw[end:]) == "]]" {
		// In a table the bar must be escaped. Elsewhere the backslash would be read as part
		// of the target.
		edits = append(edits, Edit{start, end, target + `\|` + show}, Edit{start, end, target + "|" + show})
	}
	return append(edits, Edit{start, end, target})
}

// retargetMarkdown is Retarget for [display](target#anchor "title"), with or without "!".
// The display may contain other links; the last destination is the link's own.
func retargetMarkdown(raw string, l note.Link, target string) []Edit {
	for i := strings.LastIndex(raw, "]("); i >= 0; i = strings.LastIndex(raw[:i], "](") {
		start := i + len("](")
		start += len(raw[start:]) - len(strings.TrimLeft(raw[start:], " \t\r\n"))
		dest := note.Destination(raw[start:])
		if got, ok := readDestination(dest); !ok || got.Target != l.Target || got.Anchor != l.Anchor {
			continue
		}
		return []Edit{{start, start + len(dest), newDestination(dest, l, target)}}
	}
	return nil
}

// readDestination parses the destination of a Markdown link, as in [x](destination). ok is false
// unless it is exactly one link.
func readDestination(dest string) (l note.Link, ok bool) {
	if dest == "" {
		return note.Link{}, false
	}
	links := note.Parse([]byte("[x](" + dest + ")")).Links
	if len(links) != 1 {
		return note.Link{}, false
	}
	return links[0], true
}

var encodedBeyondASCII = pattern.Lazy(`%[89A-Fa-f][0-9A-Fa-f]`)

// newDestination returns a destination in the style of the old one: within < and > or
// percent-encoded. The anchor stays as it is written.
func newDestination(old string, l note.Link, target string) string {
	inner, angled := old, strings.HasPrefix(old, "<")
	if angled {
		inner = old[1 : len(old)-1]
	}
	anchor := ""
	for i := range len(inner) {
		if l.Anchor == "" || inner[i] != '#' {
			continue
		}
		if got, ok := readDestination("<" + inner[i:] + ">"); ok && got.Target == "" && got.Anchor == l.Anchor {
			anchor = inner[i:]
			break
		}
	}
	safe := `-_.~/!,;@=+'*`
	if angled {
		safe += " ()"
	}
	beyond := encodedBeyondASCII().MatchString(old)
	written := encode(target, safe, beyond) + anchor
	if angled {
		return "<" + written + ">"
	}
	return written
}

// encode percent-encodes all characters but letters, digits and those in safe. It encodes
// characters beyond ASCII only if beyond is true.
func encode(target, safe string, beyond bool) string {
	var b strings.Builder
	for i := range len(target) {
		switch c := target[i]; {
		case c|0x20 >= 'a' && c|0x20 <= 'z', c >= '0' && c <= '9', strings.IndexByte(safe, c) >= 0, c >= 0x80 && !beyond:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
