package edit

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"hence/vault/note"
)

// Edit is a range of a text and its replacement.
type Edit struct {
	Start, End int // bytes
	Text       string
}

// Apply makes edits that do not overlap.
func Apply(text []byte, edits []Edit) []byte {
	sorted := slices.Clone(edits)
	slices.SortFunc(sorted, func(a, b Edit) int { return cmp.Compare(a.Start, b.Start) })
	var out bytes.Buffer
	done := 0
	for _, e := range sorted {
		out.Write(text[done:e.Start])
		out.WriteString(e.Text)
		done = e.End
	}
	out.Write(text[done:])
	return out.Bytes()
}

// Retarget returns the edits that may make a link lead to another target, the
// plainest first; which of them is parsed as meant depends on the text around the
// link. Everything else about the link stays: anchor, display text, blanks,
// brackets around a destination. Where show is given and the link has neither
// anchor nor display text, the first edits make show its display text. There are
// none where the link is not written plainly, such as in frontmatter with escapes.
func Retarget(text []byte, l note.Link, target, show string) []Edit {
	start, end := l.Span.Start.Offset, l.Span.End.Offset
	raw := string(text[start:end])
	ways := retargetWikilink(raw, l, target, show)
	if len(ways) == 0 && l.Form != note.Wikilink && l.Form != note.Embed {
		ways = retargetMarkdown(raw, l, target)
	}
	if l.Form == note.Property && strings.Contains(target, "'") {
		// Within single quotes YAML doubles them.
		for _, way := range slices.Clone(ways) {
			way.Text = strings.ReplaceAll(way.Text, "'", "''")
			ways = append(ways, way)
		}
	}
	for i := range ways {
		ways[i].Start += start
		ways[i].End += start
	}
	return ways
}

// retargetWikilink is Retarget for [[target#anchor|display]], with or without "!".
func retargetWikilink(raw string, l note.Link, target, show string) []Edit {
	at := strings.Index(raw, "[[") + len("[[")
	if at > len("![[") || at < len("[[") || !strings.HasSuffix(raw, "]]") {
		return nil
	}
	at += len(raw[at:]) - len(strings.TrimLeft(raw[at:], " \t"))
	if l.Target == "" || !strings.HasPrefix(raw[at:], l.Target) {
		return nil
	}
	ways := []Edit{}
	end := at + len(l.Target)
	if show != "" && l.Anchor == "" && l.Display == "" && strings.TrimSpace(raw[end:]) == "]]" {
		// In a table the bar must be escaped, and elsewhere that would be read as
		// part of the target.
		ways = append(ways, Edit{at, end, target + `\|` + show}, Edit{at, end, target + "|" + show})
	}
	return append(ways, Edit{at, end, target})
}

// retargetMarkdown is Retarget for [display](target#anchor "title"), with or without
// "!". The display may hold further links; the last destination is the link's own.
func retargetMarkdown(raw string, l note.Link, target string) []Edit {
	for at := strings.LastIndex(raw, "]("); at >= 0; at = strings.LastIndex(raw[:at], "](") {
		from := at + len("](")
		from += len(raw[from:]) - len(strings.TrimLeft(raw[from:], " \t\r\n"))
		dest := note.Destination(raw[from:])
		if got, ok := readDestination(dest); !ok || got.Target != l.Target || got.Anchor != l.Anchor {
			continue
		}
		return []Edit{{from, from + len(dest), newDestination(dest, l, target)}}
	}
	return nil
}

// readDestination parses a destination.
func readDestination(dest string) (note.Link, bool) {
	if dest == "" {
		return note.Link{}, false
	}
	links := note.Parse([]byte("[x](" + dest + ")")).Links
	if len(links) != 1 {
		return note.Link{}, false
	}
	return links[0], true
}

var encodedBeyondASCII = regexp.MustCompile(`%[89A-Fa-f][0-9A-Fa-f]`)

// newDestination writes a destination as the old one is written: within < and >
// or percent-encoded. The anchor stays as it is written.
func newDestination(old string, l note.Link, target string) string {
	inner, angled := old, strings.HasPrefix(old, "<")
	if angled {
		inner = old[1 : len(old)-1]
	}
	anchor := ""
	for at := strings.IndexByte(inner, '#'); l.Anchor != "" && at >= 0; {
		got, ok := readDestination("<" + inner[at:] + ">")
		if ok && got.Target == "" && got.Anchor == l.Anchor {
			anchor = inner[at:]
			break
		}
		next := strings.IndexByte(inner[at+1:], '#')
		if next < 0 {
			break
		}
		at += 1 + next
	}
	safe := `-_.~/!,;@=+'*`
	if angled {
		safe += " ()"
	}
	beyond := encodedBeyondASCII.MatchString(old)
	written := encode(target, safe, beyond) + anchor
	if angled {
		return "<" + written + ">"
	}
	return written
}

// encode percent-encodes all but letters, digits and safe characters; those beyond
// ASCII only where beyond is set.
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
