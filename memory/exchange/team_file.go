package exchange

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"hence/internal/db"
)

// A memory in a team's folder is a Markdown file made for git: a field a line, in one
// order, each value as JSON, so that a merge by lines keeps or marks it whole. Its edges
// are with the memory that they lead from. What follows from other lines is not written
// (when it was last changed, its revision), so that it makes no conflict.

// teamLink is an edge in a file.
type teamLink struct {
	Type      string   `json:"type"`
	To        string   `json:"to"`
	Title     string   `json:"title"` // for the reader of the file
	Rel       string   `json:"rel,omitempty"`
	Note      string   `json:"note,omitempty"`
	Weight    *float64 `json:"weight,omitempty"`
	ValidFrom *string  `json:"valid_from,omitempty"`
	ValidTo   *string  `json:"valid_to,omitempty"`
	ID        string   `json:"id"`
	Created   string   `json:"created"`
	By        string   `json:"by,omitempty"`
	Origin    string   `json:"origin"`
	Basis     string   `json:"basis,omitempty"`
	ToURI     string   `json:"to_uri,omitempty"`
	Unsettled string   `json:"unsettled,omitempty"`
	Changed   changed  `json:"changed,omitempty"`
}

// teamFields are the single values of a file, in their order. A column that travels has
// a line here.
var teamFields = []struct {
	name  string
	place func(m *memoryLine) any
	plain string // the value that is not written
}{
	{"id", func(m *memoryLine) any { return &m.ID }, ""},
	{"title", func(m *memoryLine) any { return &m.Title }, ""},
	{"kind", func(m *memoryLine) any { return &m.Kind }, ""},
	{"tags", func(m *memoryLine) any { return &m.Tags }, "[]"},
	{"aliases", func(m *memoryLine) any { return &m.Aliases }, "[]"},
	{"importance", func(m *memoryLine) any { return &m.Importance }, "0.5"},
	{"pinned", func(m *memoryLine) any { return &m.Pinned }, "false"},
	{"confidence", func(m *memoryLine) any { return &m.Confidence }, "null"},
	{"valid_from", func(m *memoryLine) any { return &m.ValidFrom }, "null"},
	{"valid_to", func(m *memoryLine) any { return &m.ValidTo }, "null"},
	{"forgotten", func(m *memoryLine) any { return &m.ForgottenAt }, "null"},
	{"forget_reason", func(m *memoryLine) any { return &m.ForgetReason }, "null"},
	{"created", func(m *memoryLine) any { return &m.CreatedAt }, ""},
	{"by", func(m *memoryLine) any { return &m.Actor }, `""`},
	{"origin", func(m *memoryLine) any { return &m.Origin }, ""},
	{"source", func(m *memoryLine) any { return &m.Source }, "null"},
	{"source_url", func(m *memoryLine) any { return &m.SourceURL }, "null"},
	{"confirmed", func(m *memoryLine) any { return &m.Confirmed }, "null"},
	{"verified", func(m *memoryLine) any { return &m.VerifiedAt }, "null"},
	{"verify_note", func(m *memoryLine) any { return &m.VerifyNote }, "null"},
	{"verifications", func(m *memoryLine) any { return &m.Verifications }, "null"},
}

// teamText writes the file of a memory.
func teamText(m memoryLine, links []teamLink) []byte {
	var out bytes.Buffer
	out.WriteString("---\n")
	for _, f := range teamFields {
		if text := jsonText(f.place(&m)); text != f.plain {
			fmt.Fprintf(&out, "%s: %s\n", f.name, text)
		}
	}
	fmt.Fprintf(&out, "text: %q\n", textMark(m))
	properties := propertiesOf(&m)
	writeBlock(&out, "properties", slices.Sorted(maps.Keys(properties)), func(name string) string { return jsonText(name) + ": " + string(properties[name]) })
	writeBlock(&out, "changed", slices.Sorted(maps.Keys(m.Changed)), func(name string) string { return jsonText(name) + ": " + jsonText(m.Changed[name]) })
	lines := []string{}
	for _, l := range links {
		lines = append(lines, "- "+jsonText(l))
	}
	slices.Sort(lines)
	writeBlock(&out, "links", lines, func(line string) string { return line })
	out.WriteString("---\n")
	out.WriteString(guardMarks(m.Content))
	out.WriteString("\n")
	return out.Bytes()
}

func writeBlock(out *bytes.Buffer, name string, all []string, line func(one string) string) {
	if len(all) == 0 {
		return
	}
	out.WriteString(name + ":\n")
	for _, one := range all {
		out.WriteString("  " + line(one) + "\n")
	}
}

func jsonText(value any) string {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		panic(err) // they were JSON
	}
	return strings.TrimSpace(out.String())
}

// textMark tells whether a person or git has changed the title or the text since Hence
// wrote the file.
func textMark(m memoryLine) string {
	const digits = 12
	return db.Hash(m.Title)[:digits] + " " + db.Hash(m.Content)[:digits]
}

// The lines by which git marks a conflict.
var marks = []string{"<<<<<<< ", "||||||| ", "=======", ">>>>>>> "}

// guard stands before a line of a text that looks like a mark of git.
const guard = "\\"

func guardMarks(content string) string {
	lines := strings.Split(content, "\n")
	for n, line := range lines {
		if isMark(strings.TrimLeft(line, guard)) {
			lines[n] = guard + line
		}
	}
	return strings.Join(lines, "\n")
}

func unguardMarks(content string) string {
	lines := strings.Split(content, "\n")
	for n, line := range lines {
		if strings.HasPrefix(line, guard) && isMark(strings.TrimLeft(line, guard)) {
			lines[n] = line[len(guard):]
		}
	}
	return strings.Join(lines, "\n")
}

func isMark(line string) bool {
	return slices.ContainsFunc(marks, func(mark string) bool {
		return strings.HasPrefix(line, mark) && (mark != "=======" || strings.TrimRight(line, "\r") == mark)
	})
}

// sidesOf returns the versions that a file with git's marks holds, the file itself if
// there are none.
func sidesOf(text string) []string {
	if !strings.Contains(text, marks[0]) || !strings.Contains(text, marks[3]) {
		return []string{text}
	}
	var one, other strings.Builder
	at, found := 0, false // 0: both, 1: one, 2: the base, 3: the other
	for line := range strings.SplitAfterSeq(text, "\n") {
		plain := strings.TrimRight(line, "\r\n")
		switch {
		case at == 0 && strings.HasPrefix(plain, marks[0]):
			at, found = 1, true
		case at == 1 && strings.HasPrefix(plain, marks[1]):
			at = 2
		case (at == 1 || at == 2) && plain == marks[2]:
			at = 3
		case at == 3 && strings.HasPrefix(plain, marks[3]):
			at = 0
		default:
			if at == 0 || at == 1 {
				one.WriteString(line)
			}
			if at == 0 || at == 3 {
				other.WriteString(line)
			}
		}
	}
	if !found || at != 0 {
		return []string{text}
	}
	return []string{one.String(), other.String()}
}

// teamSide is a version of a file.
type teamSide struct {
	memoryLine
	links []teamLink
	edges []edgeLine // of links
	mark  string     // see textMark
}

// readTeamText reads a version of a file.
func readTeamText(text string) (s teamSide, err error) {
	text = strings.TrimPrefix(text, "\uFEFF")
	front, content, ok := strings.Cut(strings.TrimPrefix(text, "---\n"), "\n---\n")
	if !ok || !strings.HasPrefix(text, "---\n") {
		return s, errors.New("it does not begin with fields between two lines of ---")
	}
	m := &s.memoryLine
	*m = memoryLine{Type: typeMemory, Tags: []string{}, Aliases: []string{}, Properties: json.RawMessage("{}"), Changed: changed{}}
	m.Content = unguardMarks(strings.TrimSuffix(content, "\n"))
	block := ""
	properties := []string{}
	for n, line := range strings.Split(front, "\n") {
		name, value, ok := strings.Cut(line, ":")
		switch {
		case !strings.HasPrefix(line, " ") && ok && strings.TrimSpace(value) == "":
			block = name
		case !strings.HasPrefix(line, " ") && ok:
			block = ""
			if name == "text" {
				s.mark = strings.Trim(strings.TrimSpace(value), `"`)
			} else {
				err = readField(m, name, strings.TrimSpace(value))
			}
		case block == "links":
			var l teamLink
			if err = json.Unmarshal([]byte(strings.TrimPrefix(strings.TrimSpace(line), "- ")), &l); err == nil {
				s.links = append(s.links, l)
			}
		case block == "properties":
			properties = append(properties, strings.TrimSpace(line))
		case block == "changed":
			err = json.Unmarshal([]byte("{"+strings.TrimSpace(line)+"}"), &m.Changed)
		default:
			err = errors.New("it is not a field")
		}
		if err != nil {
			return s, fmt.Errorf("line %d: %w", n+2, plainly(err))
		}
	}
	if len(properties) > 0 {
		m.Properties = json.RawMessage("{" + strings.Join(properties, ",") + "}")
	}
	return s, nil
}

// readField reads a single value. A text without quotes is one too, because people edit
// the files.
func readField(m *memoryLine, name, text string) error {
	for _, f := range teamFields {
		if f.name != name {
			continue
		}
		if !json.Valid([]byte(text)) {
			text = jsonText(text)
		}
		return json.Unmarshal([]byte(text), f.place(m))
	}
	return fmt.Errorf("%q is not a field of a memory", name)
}

// stampSides stamps titles and texts that are not those that Hence wrote: somebody edited
// them. In a file with git's marks, git may have merged the text of one side and left the
// rest to both: then the text is as that side changed it.
func stampSides(sides []teamSide, now string) {
	for _, field := range []string{"title", "content"} {
		was := make([][]string, len(sides)) // of the other sides the stamps that they came with
		for n := range sides {
			was[n] = sides[n].Changed[field]
		}
		for n := range sides {
			s := &sides[n]
			if s.mark == "" || markOf(s.mark, field) == markOf(textMark(s.memoryLine), field) {
				continue
			}
			by := slices.IndexFunc(sides, func(o teamSide) bool { return markOf(o.mark, field) == markOf(textMark(s.memoryLine), field) })
			switch {
			case by < 0:
				s.Changed[field] = append([]string{max(now, nextAfter(s.Changed)) + "~"}, s.Changed[field]...)
			case was[by] == nil:
				delete(s.Changed, field)
			default:
				s.Changed[field] = was[by]
			}
		}
	}
	for n := range sides {
		sides[n].fillTimes()
	}
}

// markOf returns the part of a mark that tells of the title or the content.
func markOf(mark, field string) string {
	title, content, _ := strings.Cut(mark, " ")
	if field == "title" {
		return title
	}
	return content
}

// fillTimes says when the memory was last edited, and whether it is forgotten.
func (m *memoryLine) fillTimes() {
	m.UpdatedAt = m.CreatedAt
	for field, stamps := range m.Changed {
		if len(stamps) > 0 && !slices.Contains([]string{"source", "source_url", "confirmed"}, field) { // which are no edits
			at, _, _ := strings.Cut(stamps[0], "~")
			m.UpdatedAt = max(m.UpdatedAt, at)
		}
	}
	if len(m.Changed) == 0 {
		m.Changed = nil
	}
	if m.ForgottenAt != nil {
		m.Status = "forgotten"
	}
}

// nextAfter returns a time after all stamps, so that what is written now is later than
// what its writer has seen, even if a clock is wrong.
func nextAfter(c changed) string {
	last := ""
	for _, stamps := range c {
		last = max(last, stamps[0])
	}
	at, _, _ := strings.Cut(last, "~")
	t, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return ""
	}
	return db.Time(t.Add(time.Millisecond))
}
