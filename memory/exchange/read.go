package exchange

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"hence/edges"
	"hence/internal/args"
	"hence/internal/db"
	"hence/internal/lines"
	"hence/internal/secret"
	"hence/memory"
)

const (
	maxLine = 64 << 20 // bytes: a memory's text is at most 8 MB before escapes
	maxID   = 200      // bytes

	maxNamespace = 100 // characters
)

// record is a line that was read: a memory, an edge or what was removed, or nothing for
// a blank line.
type record struct {
	memory  *memoryLine
	edge    *edgeLine
	removed *removedLine
	foreign bool // a line of the MCP memory server: ids were made of names
}

// eachLine calls f with every line and its number from 1. The line is valid until f
// returns. A line that is too long is an error of that line, not of the file.
func eachLine(in io.Reader, f func(n int, line []byte, err error) error) error {
	const room = 1 << 16
	r := bufio.NewReaderSize(in, room)
	var read []byte // reused for each line
	for n := 1; ; n++ {
		var err error
		read, err = lines.Read(r, read[:0], maxLine)
		var wrong error
		switch {
		case errors.Is(err, lines.ErrTooLong):
			wrong = errLong
		case err != nil && !errors.Is(err, io.EOF):
			return err
		}
		line := read
		if n == 1 {
			line = bytes.TrimPrefix(line, []byte("\uFEFF"))
		}
		if err := f(n, bytes.TrimSpace(line), wrong); err != nil {
			return err
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
	}
}

var errLong = fmt.Errorf("the line has more than %d bytes", maxLine)

// reader makes records of lines.
type reader struct {
	namespace string // where everything goes; "": where the line says
	actor     string
	source    string // of which the file is; "": as its lines say
	now       string
	found     *secrets // where they are counted; nil: nowhere
}

// secrets are those of a file: taken out of foreign lines, and left where Hence's own
// have them.
type secrets struct{ replaced, left secret.Cleaner }

// cleaner takes secrets out of foreign texts.
func (s *secrets) cleaner() *secret.Cleaner {
	if s == nil {
		return &secret.Cleaner{}
	}
	return &s.replaced
}

// count counts the secrets of texts that are left as they are.
func (s *secrets) count(texts ...string) {
	if s == nil {
		return
	}
	for _, text := range texts {
		s.left.Clean(text)
	}
}

func (s *secrets) warnings() []string {
	warnings := s.replaced.Warnings()
	if n := s.left.Count(); n > 0 {
		warnings = append(warnings, fmt.Sprintf("%d of the texts' parts look like secrets (%s); they were imported as they stand", n, s.left.Kinds()))
	}
	return warnings
}

// read parses a line and fills in the defaults.
func (r reader) read(line []byte) (rec record, err error) {
	if len(line) == 0 {
		return rec, nil
	}
	if !utf8.Valid(line) {
		return rec, errors.New("it is not valid UTF-8")
	}
	kind, err := typeOf(line)
	if err != nil {
		return rec, err
	}
	switch kind {
	case typeMemory:
		rec.memory = &memoryLine{}
		if err := strictly(line, rec.memory, &rec.memory.Type, kind); err != nil {
			return rec, err
		}
		r.found.count(rec.memory.Content, rec.memory.Title, string(rec.memory.Properties))
		return rec, r.fillMemory(rec.memory, line)
	case typeEdge:
		rec.edge = &edgeLine{}
		if err := strictly(line, rec.edge, &rec.edge.Type, kind); err != nil {
			return rec, err
		}
		r.found.count(rec.edge.Note)
		err := r.fillEdge(rec.edge, line)
		if r.isStrangers() && rec.edge.Unsettled != "" { // a merge would try it again
			rec.edge = nil
		}
		return rec, err
	case typeUnlinked, typePurged:
		rec.removed = &removedLine{}
		if err := strictly(line, rec.removed, &rec.removed.Type, kind); err != nil {
			return rec, err
		}
		err := r.fillRemoved(rec.removed)
		if r.isStrangers() {
			rec.removed = nil
		}
		return rec, err
	case typeEntity:
		rec.foreign = true
		rec.memory, err = r.entity(line)
		return rec, err
	case typeRelation:
		rec.foreign = true
		rec.edge, err = r.relation(line)
		return rec, err
	case "":
		return rec, errors.New(`it has no type; "type" is memory or edge`)
	}
	return rec, fmt.Errorf("%q is not a type of line; the types are memory, edge, unlinked, purged, and entity, relation of the MCP memory server", kind)
}

// startsWithType matches a line that names its type first, as Hence and most others
// write it.
var startsWithType = regexp.MustCompile(`^\{\s*"type"\s*:\s*"(memory|edge)"\s*[,}]`)

// typeOf returns the type of a line. If the type is first, the rest is not read.
func typeOf(line []byte) (string, error) {
	if first := startsWithType.FindSubmatch(line); first != nil {
		return string(first[1]), nil
	}
	var head struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return "", fmt.Errorf("it is not a JSON object: %w", plainly(err))
	}
	return head.Type, nil
}

// strictly reads a line of a type into a struct that has all its fields. An unknown
// field is an error, and so is a second type.
func strictly(line []byte, into any, decoded *string, kind string) error {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	if err == nil && d.InputOffset() < int64(len(line)) {
		err = errors.New("there is more text after the object")
	}
	var wrong *json.SyntaxError
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &wrong) {
		return fmt.Errorf("it is not a JSON object: %w", plainly(err))
	}
	if err != nil && strings.HasPrefix(err.Error(), "json: unknown field") {
		return fmt.Errorf("%w; the fields of type %s are %s", plainly(err), kind, strings.Join(fieldsOf(into), ", "))
	}
	if err != nil {
		return plainly(err)
	}
	if *decoded != kind {
		return errors.New("it has two types; leave one out")
	}
	return nil
}

// fieldsOf returns the names in JSON of the fields of a pointer's struct.
func fieldsOf(line any) (names []string) {
	for _, field := range reflect.VisibleFields(reflect.TypeOf(line).Elem()) {
		if name := args.NameOf(field); name != "" && name != "-" {
			names = append(names, name)
		}
	}
	return names
}

// plainly returns an error of package json without the names of Go types.
func plainly(err error) error {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return fmt.Errorf("%s has the wrong type, %s", cmp.Or(wrong.Field, "it"), wrong.Value)
	}
	return errors.New(strings.TrimPrefix(err.Error(), "json: "))
}

// nameSpace is the UUID namespace of ids that are made of a line or of a name.
var nameSpace = uuid.MustParse("5b1e1b9e-6f0c-5d3e-9c55-48656e636500")

// idOf returns an id for a line without one. The same line has the same id, so that
// importing a file twice changes nothing.
func idOf(parts ...string) string {
	return uuid.NewSHA1(nameSpace, []byte(strings.Join(parts, "\x00"))).String()
}

func (r reader) fillMemory(m *memoryLine, line []byte) error {
	if r.namespace != "" {
		m.Namespace = r.namespace
	}
	setDefault(&m.Namespace, "default")
	setDefault(&m.Kind, "fact")
	setDefault(&m.Title, memory.FirstLine(m.Content))
	setDefault(&m.Status, memory.Current)
	saysSource := m.Source != nil || m.Origin != ""
	setDefault(&m.Origin, "import")
	r.lower(m, saysSource)
	if m.ID == "" {
		m.ID = idOf(m.Namespace, string(line))
	}
	setDefault(&m.CreatedAt, r.now)
	setDefault(&m.UpdatedAt, m.CreatedAt)
	if m.ContentHash == "" {
		m.ContentHash = db.Hash(m.Content)
	}
	if m.Actor == nil {
		m.Actor = &r.actor
	}
	if m.Importance == nil {
		m.Importance = new(0.5)
	}
	if m.Revision == 0 {
		m.Revision = 1
	}
	if m.Status == memory.Forgotten && m.ForgottenAt == nil {
		m.ForgottenAt = &m.UpdatedAt
	}
	if m.Aliases == nil {
		m.Aliases = []string{}
	}
	m.Tags = cleanTags(m.Tags)
	if err := m.checkTexts(); err != nil {
		return err
	}
	if err := m.checkValues(); err != nil {
		return err
	}
	return m.fillProperties()
}

func setDefault(text *string, value string) {
	if *text == "" {
		*text = value
	}
}

func (r reader) fillEdge(e *edgeLine, line []byte) error {
	kind, backward, err := edges.Parse(e.EdgeType)
	if err != nil {
		return err
	}
	e.EdgeType = string(kind)
	if backward {
		e.From, e.To = e.To, e.From
	}
	if e.ID == "" {
		e.ID = idOf(r.namespace, string(line))
	}
	saysOrigin := e.Origin != ""
	setDefault(&e.Origin, "import")
	setDefault(&e.CreatedAt, r.now)
	r.lowerEdge(e, saysOrigin)
	if e.Actor == nil {
		e.Actor = &r.actor
	}
	if e.Weight == nil {
		e.Weight = new(1.0)
	}
	if e.Sites == nil {
		e.Sites = []site{}
	}
	return e.check()
}
