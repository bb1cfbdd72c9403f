package exchange

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"hence/internal/db"
)

// A memory in a team's folder is a Markdown file made for git: a field a line, in one
// order, each value as JSON, so that a merge by lines keeps or marks it whole. Its edges
// are with the memory that they lead from. What follows from other lines is not written
// (when it was last changed, its revision), so that it makes no conflict.

// teamLink is an edge in a file.
type teamLink struct {
	Type      string      `json:"type"`
	To        string      `json:"to"`
	Title     string      `json:"title"` // for the reader of the file
	Rel       string      `json:"rel,omitempty"`
	Note      string      `json:"note,omitempty"`
	Weight    *float64    `json:"weight,omitempty"`
	ValidFrom *string     `json:"valid_from,omitempty"`
	ValidTo   *string     `json:"valid_to,omitempty"`
	ID        string      `json:"id"`
	Created   string      `json:"created"`
	By        string      `json:"by,omitempty"`
	Origin    string      `json:"origin"`
	Basis     string      `json:"basis,omitempty"`
	ToURI     string      `json:"to_uri,omitempty"`
	Unsettled string      `json:"unsettled,omitempty"`
	Changed   fieldStamps `json:"changed,omitempty"`
}

// teamEntry is a changed field in a file. It has the value too, so that git, which merges
// line by line, keeps it with its stamps where two people have changed the field.
type teamEntry struct {
	Is *[]json.RawMessage `json:"is,omitempty"` // see parts; nil for title and content
	At []string           `json:"at"`           // stamps
}

// teamField is a single value of a file.
type teamField struct {
	name  string
	place func(m *memoryLine) any
	plain string // the value that is not written
}

// teamFields are the single values of a file, in their order. A column that travels has
// a line here.
var teamFields = []teamField{
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
	{"verifications", func(m *memoryLine) any { return &m.Verifications }, "[]"},
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
	writeBlock(&out, "changed", slices.Sorted(maps.Keys(m.Changed)), func(name string) string {
		entry := teamEntry{At: m.Changed[name]}
		if hasParts(name) {
			entry.Is = new(m.parts(name))
		}
		return jsonText(name) + ": " + jsonText(entry)
	})
	lines := []string{}
	for _, l := range links {
		lines = append(lines, "- "+jsonText(l))
	}
	slices.Sort(lines)
	writeBlock(&out, "links", lines, func(line string) string { return line })
	out.WriteString("---\n")
	out.WriteString(changeMarks(m.Content, func(line string) string { return guard + line }))
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
// wrote the file: it has the marks of both, as if they were created so.
func textMark(m memoryLine) string {
	return creation(m.Title) + " " + creation(db.Hash(m.Content))
}

// The lines by which git marks a conflict.
var marks = []string{"<<<<<<< ", "||||||| ", "=======", ">>>>>>> "}

// guard stands before a line of a text that looks like a mark of git.
const guard = "\\"

// changeMarks changes each line of a text that is a mark, guarded or not.
func changeMarks(content string, change func(line string) string) string {
	lines := strings.Split(content, "\n")
	for n, line := range lines {
		if isMark(strings.TrimLeft(line, guard)) {
			lines[n] = change(line)
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
	at, ok := 0, false // 0: both, 1: one, 2: the base, 3: the other
	for line := range strings.SplitAfterSeq(text, "\n") {
		plain := strings.TrimRight(line, "\r\n")
		switch {
		case at == 0 && strings.HasPrefix(plain, marks[0]):
			at, ok = 1, true
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
	if !ok || at != 0 {
		return []string{text}
	}
	return []string{one.String(), other.String()}
}

// teamSide is a version of a file.
type teamSide struct {
	memoryLine
	links []teamLink
	edges []edgeLine                   // of links
	mark  string                       // see textMark
	is    map[string][]json.RawMessage // values of changed fields, as they were when Hence wrote the file
	last  string                       // the time of the last change that the file tells
}

// hasFields reports whether a version of a file is one of a memory: a README is not.
func hasFields(text string) bool { return strings.HasPrefix(text, "---\n") }

// readTeamText reads a version of a file.
func readTeamText(text string) (s teamSide, err error) {
	front, content, ok := strings.Cut(strings.TrimPrefix(text, "---\n"), "\n---\n")
	if !ok || !hasFields(text) {
		return s, errors.New("it does not begin with fields between two lines of ---")
	}
	m := &s.memoryLine
	s.is = map[string][]json.RawMessage{}
	*m = memoryLine{Type: typeMemory, Tags: []string{}, Aliases: []string{}, Properties: json.RawMessage("{}"), Changed: fieldStamps{}}
	m.Content = changeMarks(strings.TrimSuffix(content, "\n"), func(line string) string { return strings.TrimPrefix(line, guard) })
	block := ""
	properties := map[string]json.RawMessage{}
	for n, line := range strings.Split(front, "\n") {
		name, value, ok := strings.Cut(line, ":")
		switch {
		case strings.TrimSpace(line) == "":
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
			err = readProperty(strings.TrimSpace(line), properties)
		case block == "changed":
			entries := map[string]teamEntry{}
			err = json.Unmarshal([]byte("{"+strings.TrimSpace(line)+"}"), &entries)
			for name, entry := range entries {
				m.Changed[name] = entry.At
				if entry.Is != nil && hasParts(name) {
					s.is[name] = *entry.Is
				}
			}
		default:
			err = errors.New("it is not a field")
		}
		if err != nil {
			return s, fmt.Errorf("line %d: %w", n+2, plainly(err))
		}
	}
	if len(properties) > 0 {
		m.Properties = json.RawMessage(jsonText(properties))
	}
	return s, nil
}

// readField reads a single value.
func readField(m *memoryLine, name, text string) error {
	f := slices.IndexFunc(teamFields, func(f teamField) bool { return f.name == name })
	if f < 0 {
		return fmt.Errorf("%q is not a field of a memory", name)
	}
	err := json.Unmarshal(asJSON(text), teamFields[f].place(m))
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		wrong.Field = name
	}
	return err
}

// readProperty reads a line of a name and a value.
func readProperty(line string, into map[string]json.RawMessage) error {
	name, value, ok := strings.Cut(line, ":")
	if strings.HasPrefix(line, `"`) {
		d := json.NewDecoder(strings.NewReader(line))
		if err := d.Decode(&name); err != nil {
			return err
		}
		value, ok = strings.CutPrefix(strings.TrimSpace(line[d.InputOffset():]), ":")
	}
	if !ok {
		return errors.New("it is not a property, which is a name, a colon and a value")
	}
	name = strings.TrimSpace(name)
	into[name] = asJSON(strings.TrimSpace(value))
	return checkText("the name of a property", name, 0)
}

// asJSON returns a value as JSON. A text without quotes is one too, alone and in a list,
// because people edit the files.
func asJSON(text string) json.RawMessage {
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	if !strings.HasPrefix(text, "[") || !strings.HasSuffix(text, "]") {
		return json.RawMessage(jsonText(text))
	}
	all := []string{}
	for one := range strings.SplitSeq(text[1:len(text)-1], ",") {
		all = append(all, string(asJSON(strings.TrimSpace(one))))
	}
	return json.RawMessage("[" + strings.Join(all, ",") + "]")
}

// fillTimes says when the memory was last edited, and whether it is forgotten.
func (m *memoryLine) fillTimes() {
	m.UpdatedAt = m.CreatedAt
	for field, stamps := range m.Changed {
		if !slices.Contains([]string{"source", "source_url", "confirmed"}, field) { // which are no edits
			m.UpdatedAt = max(m.UpdatedAt, timeOf(stamps[0]))
		}
	}
	if len(m.Changed) == 0 {
		m.Changed = nil
	}
	if m.ForgottenAt != nil {
		m.Status = "forgotten"
	}
}
