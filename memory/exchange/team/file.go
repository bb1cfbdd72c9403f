package team

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"hence/internal/db"
	"hence/internal/lists"
	"hence/memory"
	"hence/memory/exchange/lines"
	"hence/memory/record"
)

// A memory in a team's folder is a Markdown file made for git: one line for each field, in
// a fixed order, with the value as JSON, so that git's merge by lines keeps or marks a value
// as a whole. An edge is in the file of the memory that it leads from. Values that follow
// from other lines (the time of the last change, the revision) are not written, so that
// they cause no conflicts.

// link is an edge in a memory's file.
type link struct {
	lines.Edge
	Title string `json:"title" is:"beside team"` // of the memory To, for readers of the file
}

var linkForm = record.NewForm("", record.Where(record.Of[link](), "team"), func(c record.Column) string { return c.Team },
	`type! to! title! rel note weight valid_from valid_to id! created! by origin! basis to_uri unsettled … changed`)

// MarshalJSON returns the link without a weight of 1.
func (l link) MarshalJSON() ([]byte, error) {
	if l.Weight == 1 {
		l.Weight = 0
	}
	return linkForm.Text(&l)
}

// UnmarshalJSON reads a link.
func (l *link) UnmarshalJSON(text []byte) error {
	l.Weight = 1
	return linkForm.Read(text, l)
}

// entry is a changed field in a file. It repeats the value, so that git, which merges
// line by line, keeps it with its stamps even if two people have changed the field.
type entry struct {
	Is *[]json.RawMessage `json:"is,omitempty"` // the value, see parts; nil for title and content
	At []string           `json:"at"`           // the field's stamps, see Stamps
}

// verifications is the name of the field after those of the columns.
const verifications = "verifications"

// blank has the values that are not written.
var blank = func() lines.Memory {
	m := lines.Reader{}.Blank()
	m.Tags = []string{}
	return m
}()

// textOf returns the content of the file of a memory.
func textOf(m lines.Memory, links []link) []byte {
	var out bytes.Buffer
	out.WriteString("---\n")
	for _, c := range record.Team {
		if text := string(c.JSON(&m.Memory)); text != string(c.JSON(&blank.Memory)) {
			fmt.Fprintf(&out, "%s: %s\n", c.Team, text)
		}
	}
	if len(m.Verifications) > 0 {
		fmt.Fprintf(&out, "%s: %s\n", verifications, db.JSON(m.Verifications))
	}
	fmt.Fprintf(&out, "text: %q\n", textMark(m))
	properties := lines.PropertiesOf(&m)
	writeBlock(&out, "properties", slices.Sorted(maps.Keys(properties)), func(name string) string { return db.JSON(name) + ": " + string(properties[name]) })
	writeBlock(&out, "changed", slices.Sorted(maps.Keys(m.Changed)), func(name string) string {
		entry := entry{At: m.Changed[name]}
		if lines.HasParts(name) {
			entry.Is = new(m.Parts(name))
		}
		return db.JSON(name) + ": " + db.JSON(entry)
	})
	lines := lists.Map(links, func(l link) string { return "- " + db.JSON(l) })
	slices.Sort(lines)
	writeBlock(&out, "links", lines, func(line string) string { return line })
	out.WriteString("---\n")
	out.WriteString(changeConflictMarks(m.Content, func(line string) string { return guard + line }))
	out.WriteString("\n")
	return out.Bytes()
}

// writeBlock writes a name and below it one indented line for each element of all; nothing
// if there are none.
func writeBlock(out *bytes.Buffer, name string, all []string, line func(element string) string) {
	if len(all) == 0 {
		return
	}
	out.WriteString(name + ":\n")
	for _, element := range all {
		out.WriteString("  " + line(element) + "\n")
	}
}

// textMark returns the field text of a file: the creation marks of the title and of the
// text. They differ if a person or git has changed either since Hence wrote the file.
func textMark(m lines.Memory) string {
	return lines.Creation(m.Title) + " " + lines.Creation(db.Hash(m.Content))
}

// conflictMarks are the beginnings of the lines by which git marks a conflict, in their order.
var conflictMarks = []string{"<<<<<<< ", "||||||| ", "=======", ">>>>>>> "}

// guard is put before a line of a text that looks like a conflict mark.
const guard = "\\"

// changeConflictMarks returns a text with change applied to each line that is a conflict mark,
// guarded or not.
func changeConflictMarks(content string, change func(line string) string) string {
	lines := strings.Split(content, "\n")
	for n, line := range lines {
		if isConflictMark(strings.TrimLeft(line, guard)) {
			lines[n] = change(line)
		}
	}
	return strings.Join(lines, "\n")
}

// isConflictMark reports whether a line is a conflict mark.
func isConflictMark(line string) bool {
	return slices.ContainsFunc(conflictMarks, func(mark string) bool {
		return strings.HasPrefix(line, mark) && (mark != "=======" || strings.TrimRight(line, "\r") == mark)
	})
}

// sidesOf returns the two versions in a file with git's conflict marks, or the file itself
// if it has no complete ones.
func sidesOf(text string) []string {
	if !strings.Contains(text, conflictMarks[0]) || !strings.Contains(text, conflictMarks[3]) {
		return []string{text}
	}
	var ours, theirs strings.Builder
	section, hasMarks := 0, false // the section: 0: both, 1: one, 2: the base, 3: the other
	for line := range strings.SplitAfterSeq(text, "\n") {
		bare := strings.TrimRight(line, "\r\n")
		switch {
		case section == 0 && strings.HasPrefix(bare, conflictMarks[0]):
			section, hasMarks = 1, true
		case section == 1 && strings.HasPrefix(bare, conflictMarks[1]):
			section = 2
		case (section == 1 || section == 2) && bare == conflictMarks[2]:
			section = 3
		case section == 3 && strings.HasPrefix(bare, conflictMarks[3]):
			section = 0
		default:
			if section == 0 || section == 1 {
				ours.WriteString(line)
			}
			if section == 0 || section == 3 {
				theirs.WriteString(line)
			}
		}
	}
	if !hasMarks || section != 0 {
		return []string{text}
	}
	return []string{ours.String(), theirs.String()}
}

// side is one version of a memory's file.
type side struct {
	lines.Memory
	links         []link
	edges         []lines.Edge                 // made from links
	mark          string                       // the field text, see textMark
	stampedValues map[string][]json.RawMessage // values of changed fields when Hence wrote the file, see parts
	changedAt     string                       // the time of the last change according to the file
}

// isMemoryFile reports whether a text begins as the file of a memory; a README does not.
func isMemoryFile(text string) bool { return strings.HasPrefix(text, "---\n") }

// readText parses a version of a file into a blank memory. Errors name the line.
func readText(text string, blank lines.Memory) (s side, err error) {
	front, content, ok := strings.Cut(strings.TrimPrefix(text, "---\n"), "\n---\n")
	if !ok || !isMemoryFile(text) {
		return s, errors.New("it does not begin with fields between two lines of ---")
	}
	m := &s.Memory
	s.stampedValues = map[string][]json.RawMessage{}
	*m = blank
	m.Tags, m.Properties, m.Changed = []string{}, json.RawMessage("{}"), lines.Stamps{}
	m.Content = changeConflictMarks(strings.TrimSuffix(content, "\n"), func(line string) string { return strings.TrimPrefix(line, guard) })
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
			var l link
			if err = json.Unmarshal([]byte(strings.TrimPrefix(strings.TrimSpace(line), "- ")), &l); err == nil {
				s.links = append(s.links, l)
			}
		case block == "properties":
			err = readProperty(strings.TrimSpace(line), properties)
		case block == "changed":
			entries := map[string]entry{}
			err = json.Unmarshal([]byte("{"+strings.TrimSpace(line)+"}"), &entries)
			for name, entry := range entries {
				m.Changed[name] = entry.At
				if entry.Is != nil && lines.HasParts(name) {
					s.stampedValues[name] = *entry.Is
				}
			}
		default:
			err = errors.New("it is not a field")
		}
		if err != nil {
			return s, fmt.Errorf("line %d: %w", n+2, lines.RewordJSONError(err))
		}
	}
	if len(properties) > 0 {
		m.Properties = json.RawMessage(db.JSON(properties))
	}
	return s, nil
}

// readField sets a field with one value from its text in a file.
func readField(m *lines.Memory, name, text string) error {
	f := slices.IndexFunc(record.Team, func(c record.Column) bool { return c.Team == name })
	if f < 0 && name != verifications {
		return fmt.Errorf("%q is not a field of a memory", name)
	}
	raw, err := asJSON(text)
	switch {
	case err != nil:
	case f < 0:
		err = json.Unmarshal(raw, &m.Verifications)
	default:
		err = setField(m, record.Team[f], raw)
	}
	if typeErr, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		typeErr.Field = name
	}
	return err
}

// setField sets a column of a memory from JSON.
func setField(m *lines.Memory, c record.Column, raw json.RawMessage) error {
	reflect.ValueOf(c.In(&m.Memory)).Elem().SetZero()
	return c.ReadJSON(c.Team, raw, &m.Memory)
}

// readProperty adds the property in a line, a name, a colon and a value, to into.
func readProperty(line string, properties map[string]json.RawMessage) error {
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
	raw, err := asJSON(strings.TrimSpace(value))
	if err != nil {
		return err
	}
	properties[name] = raw
	return lines.CheckText("the name of a property", name, 0)
}

// asJSON returns a value as JSON. Text without quotes becomes a string, also within a list,
// because people edit the files. It fails for brackets that nest deeper than properties may.
func asJSON(text string) (json.RawMessage, error) {
	tooDeep := fmt.Errorf("a value nests more than %d levels deep", memory.MaxDepth)
	if lines.Depth([]byte(text)) > memory.MaxDepth {
		return nil, tooDeep
	}
	if json.Valid([]byte(text)) {
		return json.RawMessage(text), nil
	}
	if !strings.HasPrefix(text, "[") || !strings.HasSuffix(text, "]") {
		return json.RawMessage(db.JSON(text)), nil
	}
	all := []string{}
	for element := range strings.SplitSeq(text[1:len(text)-1], ",") {
		if element = strings.TrimSpace(element); !json.Valid([]byte(element)) {
			element = db.JSON(element)
		}
		all = append(all, element)
	}
	raw := json.RawMessage("[" + strings.Join(all, ",") + "]")
	if lines.Depth(raw) > memory.MaxDepth { // the text is not JSON, and a quote in it hides brackets
		return nil, tooDeep
	}
	return raw, nil
}
