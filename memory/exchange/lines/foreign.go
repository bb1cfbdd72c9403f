package lines

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/pattern"
)

// The official MCP memory server stores entities with observations, and relations
// between entities by name. An entity becomes one memory: its name is the title,
// its type the kind, its observations a list in the text. The observations stay together
// because an observation without its entity ("prefers mornings") is useless. A relation
// becomes an edge of the kind that its word names, or of refers-to if there is none, and
// keeps the word and its direction.
//
// Instead of lines a file may be one JSON document: a list of such objects, or the object that
// read_graph returns.

// linesOf returns a file as lines: the file itself, or one line for each object of the document
// that it is. broken is why the document cannot be read to its end.
func linesOf(in io.ReadSeeker) (lines io.ReadSeeker, broken, err error) {
	r := bufio.NewReader(LineText(in))
	start, err := r.Peek(1 << 10)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, err
	}
	if !startOfDocument().Match(start) {
		_, err = in.Seek(0, io.SeekStart)
		return in, nil, err
	}
	var out bytes.Buffer
	list := func(d *json.Decoder, kind string) error {
		for d.More() {
			var object json.RawMessage
			if err := d.Decode(&object); err != nil {
				return err
			}
			var line bytes.Buffer
			if err := json.Compact(&line, object); err != nil {
				return err
			}
			text := line.Bytes()
			if rest, hasFields := bytes.CutPrefix(text, []byte(`{"`)); hasFields && kind != "" {
				text = slices.Concat([]byte(`{"type":"`+kind+`","`), rest)
			}
			out.Write(text)
			out.WriteByte('\n')
		}
		_, err := d.Token()
		return err
	}
	if broken = readDocument(json.NewDecoder(r), list); broken != nil {
		broken = fmt.Errorf("from here on the file cannot be read: %w", RewordJSONError(broken))
	}
	return bytes.NewReader(out.Bytes()), broken, nil
}

// startOfDocument matches the beginning of a document that is not lines.
var startOfDocument = pattern.Lazy(`^\s*(\[|\{\s*"(entities|relations)"\s*:)`)

// readDocument calls list, after the beginning of each list of objects, with their type; "" if
// they state it themselves.
func readDocument(d *json.Decoder, list func(d *json.Decoder, kind string) error) error {
	if start, err := d.Token(); err != nil || start == json.Delim('[') {
		return cmp.Or(err, list(d, ""))
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		kind := map[json.Token]string{"entities": typeEntity, "relations": typeRelation}[name]
		if kind == "" {
			var skipped json.RawMessage
			err = d.Decode(&skipped)
		} else if start, wrong := d.Token(); wrong == nil && start == json.Delim('[') {
			err = list(d, kind)
		} else {
			err = cmp.Or(wrong, fmt.Errorf("%s is not a list", name))
		}
		if err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}

// IsForeign reports whether a file is one of the MCP memory server, by the first line that can
// be read. It rewinds the file.
func IsForeign(in io.ReadSeeker) (is bool, err error) {
	lines, _, err := linesOf(in)
	if err != nil {
		return false, err
	}
	errFound := errors.New("found")
	err = EachLine(lines, func(_ int, line []byte, _ error) error {
		rec, wrong := Reader{Now: db.Now()}.Read(line)
		is = wrong == nil && rec.Foreign
		if wrong == nil && (is || rec.Memory != nil || rec.Edge != nil || rec.Removed != nil || rec.Waiting != nil) {
			return errFound
		}
		return nil
	})
	if errors.Is(err, errFound) {
		err = nil
	}
	_, rewound := in.Seek(0, io.SeekStart)
	return is, cmp.Or(err, rewound)
}

// observations are what an entity says: a list of texts, or of objects with a text and other
// fields, such as a time; or one text.
type observations []string

// UnmarshalJSON reads any of these forms, and skips null.
func (o *observations) UnmarshalJSON(raw []byte) error {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		list = []json.RawMessage{raw}
	}
	for _, one := range list {
		if text := observationText(one); strings.TrimSpace(text) != "" {
			*o = append(*o, text)
		}
	}
	return nil
}

// observationText returns an observation as a text. The other fields of an object follow its
// text in brackets.
func observationText(raw json.RawMessage) string {
	var text string
	if string(raw) == "null" || json.Unmarshal(raw, &text) == nil {
		return text
	}
	var object map[string]json.RawMessage
	_ = json.Unmarshal(raw, &object)
	for _, name := range []string{"content", "text", "observation", "contents"} {
		if json.Unmarshal(object[name], &text) != nil {
			continue
		}
		rest := []string{}
		for _, other := range slices.Sorted(maps.Keys(object)) {
			if value := observationText(object[other]); other != name && value != "" {
				rest = append(rest, other+": "+value)
			}
		}
		if len(rest) > 0 {
			text += " (" + strings.Join(rest, ", ") + ")"
		}
		return text
	}
	return string(raw)
}

// entity returns the memory for a line of type entity.
func (r Reader) entity(line []byte) (*Memory, error) {
	var e entityLine
	if err := json.Unmarshal(line, &e); err != nil { // unknown fields are allowed: later versions may add some
		return nil, RewordJSONError(err)
	}
	if strings.TrimSpace(e.Name) == "" {
		return nil, errors.New("the entity has no name")
	}
	id := r.entityID(e.Name)
	clean := r.Secrets.cleaner()
	clean.CleanInPlace(&e.Name, &e.EntityType)
	var text strings.Builder
	for _, o := range clean.CleanAll(e.Observations) {
		text.WriteString("- " + strings.ReplaceAll(strings.TrimSpace(o), "\n", "\n  ") + "\n")
	}
	kind := cmp.Or(strings.TrimSpace(db.WithoutControls(e.EntityType)), "entity")
	m := r.Blank()
	m.ID, m.Kind, m.Title, m.Content = id, kind, db.WithoutControls(e.Name), text.String()
	return &m, r.FillMemory(&m, line)
}

func (r Reader) entityID(name string) string { return IdOf("entity", r.Namespace, name) }

// relation returns the edge for a line of type relation.
func (r Reader) relation(line []byte) (*Edge, error) {
	var l relationLine
	if err := json.Unmarshal(line, &l); err != nil {
		return nil, RewordJSONError(err)
	}
	if l.From == "" || l.To == "" {
		return nil, errors.New("the relation lacks from or to; give both")
	}
	r.Secrets.cleaner().CleanInPlace(&l.RelationType)
	l.RelationType = db.WithoutControls(l.RelationType)
	e := new(r.blankEdge())
	e.From, e.To = r.entityID(l.From), r.entityID(l.To)
	kind, backward, ok := edges.LookupInText(l.RelationType)
	switch {
	case !ok:
		e.Kind, e.Rel = string(edges.RefersTo), strings.TrimSpace(l.RelationType)
	default:
		e.Kind = string(kind)
		if !edges.IsNameOf(kind, l.RelationType) {
			e.Rel = strings.TrimSpace(l.RelationType)
		}
		if backward {
			e.From, e.To = e.To, e.From
		}
	}
	return e, r.FillEdge(e, line)
}
