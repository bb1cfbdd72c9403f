package lines

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"hence/edges"
	"hence/internal/args"
	"hence/internal/db"
	"hence/internal/lines"
	"hence/internal/pattern"
	"hence/internal/plural"
	"hence/internal/secret"
	"hence/memory"
	"hence/memory/record"
)

const (
	maxLine = 64 << 20 // bytes: a memory's text is at most 8 MB before escapes
	maxID   = 200      // bytes

	MaxNamespace = 100 // characters
)

// Line is a decoded line: a memory, an edge, a removal or a call that waits, or none of them for a blank
// line.
type Line struct {
	Memory  *Memory
	Edge    *Edge
	Removed *Removed
	Waiting *Waiting
	Foreign bool // a line of the MCP memory server, whose ids are derived from names
}

// LineText returns a text without its byte order mark, and as UTF-8 if the mark says UTF-16, as
// a shell of Windows writes it.
func LineText(in io.Reader) io.Reader {
	return transform.NewReader(in, unicode.BOMOverride(transform.Nop))
}

// EachLine calls f with every line, trimmed, and its number from 1. The line is valid until
// f returns. For a line longer than maxLine, f gets errLong, and reading goes on.
func EachLine(in io.Reader, f func(n int, line []byte, err error) error) error {
	const bufferSize = 1 << 16
	r := bufio.NewReaderSize(LineText(in), bufferSize)
	var buffer []byte // reused for each line
	for n := 1; ; n++ {
		var err error
		buffer, err = lines.Read(r, buffer[:0], maxLine)
		var lineErr error
		switch {
		case errors.Is(err, lines.ErrTooLong):
			lineErr = errLong
		case err != nil && !errors.Is(err, io.EOF):
			return err
		}
		if err := f(n, bytes.TrimSpace(buffer), lineErr); err != nil {
			return err
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
	}
}

var errLong = fmt.Errorf("the line has more than %d bytes", maxLine)

// Reader decodes lines into records.
type Reader struct {
	Namespace string   // the namespace of all records; "": the one in the line
	Actor     string   // for lines without an actor
	source    string   // the source of the file; "": the one in the line
	Now       string   // for lines without a time
	Secrets   *secrets // counts secrets; nil: none are counted
}

// secrets counts the secrets of a file: those replaced in foreign lines, and those kept in
// lines that Hence wrote.
type secrets struct{ replaced, kept secret.Cleaner }

// cleaner returns the cleaner for foreign texts, which counts the secrets it replaces.
func (s *secrets) cleaner() *secret.Cleaner {
	if s == nil {
		return &secret.Cleaner{}
	}
	return &s.replaced
}

// count counts the secrets of texts that are kept unchanged.
func (s *secrets) count(texts ...string) {
	if s == nil {
		return
	}
	for _, text := range texts {
		s.kept.Clean(text)
	}
}

func (s *secrets) Warnings() []string {
	warnings := s.replaced.Warnings()
	if n := s.kept.Count(); n > 0 {
		warnings = append(warnings, plural.Count(n, "part of the texts looks like a secret", "parts of the texts look like secrets")+" ("+s.kept.Kinds()+"); imported unchanged")
	}
	return warnings
}

// Read decodes a line, fills in the defaults and checks the values.
func (r Reader) Read(line []byte) (rec Line, err error) {
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
	case TypeMemory:
		rec.Memory = new(r.Blank())
		if err = readForm(line, memoryForm(), kind, rec.Memory); err == nil {
			r.Secrets.count(rec.Memory.Content, rec.Memory.Title, string(rec.Memory.Properties))
			err = r.FillMemory(rec.Memory, line)
		}
	case TypeEdge:
		rec.Edge = new(r.blankEdge())
		if err = readForm(line, edgeForm(), kind, rec.Edge); err == nil {
			r.Secrets.count(rec.Edge.Note)
			err = r.FillEdge(rec.Edge, line)
		}
	case TypeUnlinked, TypePurged:
		rec.Removed = &Removed{}
		if err = decodeStrictly(line, rec.Removed, kind); err == nil {
			err = r.FillRemoved(rec.Removed)
		}
	case typeWaiting:
		rec.Waiting = &Waiting{}
		if err = decodeStrictly(line, rec.Waiting, kind); err == nil {
			err = r.fillWaiting(rec.Waiting)
		}
	case typeEntity:
		rec.Foreign = true
		rec.Memory, err = r.entity(line)
	case typeRelation:
		rec.Foreign = true
		rec.Edge, err = r.relation(line)
	case "":
		err = errors.New(`it has no type; "type" is memory or edge`)
	default:
		err = fmt.Errorf("%q is not a type of line; the types are memory, edge, unlinked, purged, call, and entity, relation of the MCP memory server", kind)
	}
	if err == nil && r.isStrangers() {
		rec.Removed, rec.Waiting = nil, nil
		if rec.Edge != nil && rec.Edge.Unsettled != "" { // a merge would try to settle it
			rec.Edge = nil
		}
	}
	return rec, err
}

// StartsWithType matches a line whose first field is its type, as Hence and most other
// programs write it.
var StartsWithType = pattern.Lazy(`^\{\s*"type"\s*:\s*"(memory|edge)"\s*[,}]`)

// typeOf returns the type of a line. It does not parse the rest if the type comes first.
func typeOf(line []byte) (string, error) {
	if first := StartsWithType().FindSubmatch(line); first != nil {
		return string(first[1]), nil
	}
	var head struct {
		Type         string          `json:"type"`
		EntityType   json.RawMessage `json:"entityType"`
		Observations json.RawMessage `json:"observations"`
		RelationType json.RawMessage `json:"relationType"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return "", fmt.Errorf("it is not a JSON object: %w", RewordJSONError(err))
	}
	switch {
	case head.Type == "" && head.RelationType != nil:
		return typeRelation, nil
	case head.Type == "" && (head.EntityType != nil || head.Observations != nil):
		return typeEntity, nil
	}
	return head.Type, nil
}

// readForm sets those columns of a record that a line of a form states.
func readForm(line []byte, form *record.Form, kind string, record any) error {
	blank := form.Blank()
	if err := decodeStrictly(line, blank, kind); err != nil {
		return err
	}
	return form.Into(blank, record)
}

// decodeStrictly decodes a line into a pointer to a struct, whose first field is the type. Unknown
// fields, a second type, and text after the object are errors.
func decodeStrictly(line []byte, target any, kind string) error {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	err := d.Decode(target)
	if err == nil && d.InputOffset() < int64(len(line)) {
		err = errors.New("there is more text after the object")
	}
	if _, isSyntax := errors.AsType[*json.SyntaxError](err); isSyntax || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("it is not a JSON object: %w", RewordJSONError(err))
	}
	if err != nil && strings.HasPrefix(err.Error(), "json: unknown field") {
		return fmt.Errorf("%w; the fields of type %s are %s", RewordJSONError(err), kind, strings.Join(namesIn(target), ", "))
	}
	if err != nil {
		return RewordJSONError(err)
	}
	if reflect.ValueOf(target).Elem().Field(0).String() != kind {
		return errors.New("it has two types; leave one out")
	}
	return nil
}

// namesIn returns the JSON names of the fields of the struct to which line points.
func namesIn(line any) (names []string) {
	for _, field := range reflect.VisibleFields(reflect.TypeOf(line).Elem()) {
		if name := args.NameOf(field); name != "" && name != "-" {
			names = append(names, name)
		}
	}
	return names
}

// RewordJSONError returns an error of encoding/json reworded without the names of Go types.
func RewordJSONError(err error) error {
	if typeErr, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("%s has the wrong type, %s", cmp.Or(typeErr.Field, "it"), typeErr.Value)
	}
	return errors.New(strings.TrimPrefix(err.Error(), "json: "))
}

// nameSpace is the UUID namespace of ids that are derived from a line or a name.
var nameSpace = uuid.MustParse("5b1e1b9e-6f0c-5d3e-9c55-48656e636500")

// IdOf returns an id derived from parts, such as a namespace and a line. The same parts
// have the same id, so that importing a file twice changes nothing.
func IdOf(parts ...string) string {
	return uuid.NewSHA1(nameSpace, []byte(strings.Join(parts, "\x00"))).String()
}

// Blank returns a memory with the defaults that its line may replace by an empty value.
func (r Reader) Blank() (m Memory) {
	m.Importance, m.Actor, m.Aliases = 0.5, r.Actor, []string{}
	return m
}

// blankEdge does so for an edge.
func (r Reader) blankEdge() (e Edge) {
	e.Weight, e.Actor = 1, r.Actor
	return e
}

// FillMemory fills in the defaults of a memory, and checks it. line is the text from which
// the id is derived if it has none.
func (r Reader) FillMemory(m *Memory, line []byte) error {
	m.Namespace = cmp.Or(r.Namespace, m.Namespace, "default")
	m.Kind = cmp.Or(m.Kind, "fact")
	m.Status = cmp.Or(m.Status, memory.Current)
	if m.Title == "" {
		m.Title = memory.FirstLine(m.Content)
	}
	hasSource := m.Source != "" || m.Origin != ""
	m.Origin = cmp.Or(m.Origin, "import")
	r.lowerTrust(m, hasSource)
	if m.ID == "" {
		m.ID = IdOf(m.Namespace, string(line))
	}
	m.CreatedAt = cmp.Or(m.CreatedAt, r.Now)
	m.UpdatedAt, m.Revision = cmp.Or(m.UpdatedAt, m.CreatedAt), cmp.Or(m.Revision, 1)
	if m.ContentHash == "" {
		m.ContentHash = db.Hash(m.Content)
	}
	if m.Status == memory.Forgotten && m.ForgottenAt == "" {
		m.ForgottenAt = m.UpdatedAt
	}
	m.Tags = CleanTags(m.Tags)
	if err := m.checkTexts(); err != nil {
		return err
	}
	if err := m.checkValues(); err != nil {
		return err
	}
	roundReals(&m.Importance, m.Confidence)
	return m.fillProperties()
}

// FillEdge fills in the defaults of an edge, turns an inverse type around, and checks it.
// line is the text from which the id is derived if it has none.
func (r Reader) FillEdge(e *Edge, line []byte) error {
	kind, backward, err := edges.Parse(e.Kind)
	if err != nil {
		return err
	}
	e.Kind = string(kind)
	if backward {
		e.From, e.To = e.To, e.From
	}
	if e.ID == "" {
		e.ID = IdOf(r.Namespace, string(line))
	}
	hasOrigin := e.Origin != ""
	e.Origin, e.CreatedAt = cmp.Or(e.Origin, "import"), cmp.Or(e.CreatedAt, r.Now)
	r.lowerEdgeTrust(e, hasOrigin)
	if e.Sites == nil {
		e.Sites = []Site{}
	}
	if err := e.check(); err != nil {
		return err
	}
	roundReals(&e.Weight)
	return nil
}

// roundReals rounds the numbers of a line as those of a call are rounded.
func roundReals(numbers ...*float64) {
	for _, n := range numbers {
		if n != nil {
			*n = args.Round(*n)
		}
	}
}

// Name describes a record for a warning.
func (rec Line) Name() string {
	switch {
	case rec.Memory != nil:
		return fmt.Sprintf("%q%s", secret.Mask(rec.Memory.Title), rec.Memory.Named().Mark())
	case rec.Edge != nil:
		return "an edge " + rec.Edge.Kind
	}
	return "a removal"
}
