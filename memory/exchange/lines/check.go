package lines

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/record"
)

// The rules of the schema are checked here first, so that the error names the line
// and nothing has been written yet.

// texts are the columns of a memory that are texts, times those that are times; edgeTexts and edgeTimes are of an
// edge.
var (
	texts, times         = textsOf(columns, &Memory{})
	edgeTexts, edgeTimes = textsOf(edgeColumns, &Edge{})
)

func textsOf(columns []record.Column, record any) (texts, times []record.Column) {
	for _, c := range columns {
		if _, isText := c.In(record).(*string); isText {
			texts = append(texts, c)
			if c.IsTime() {
				times = append(times, c)
			}
		}
	}
	return texts, times
}

// onOneLine are the columns whose texts have one line, and mostOf says how many characters a text may have.
var (
	onOneLine = []string{"kind", "title", "actor", "rel"}
	mostOf    = map[string]int{"namespace": MaxNamespace, "kind": 64, "source_url": ref.MaxURL}
)

// checkAllTexts checks the texts of a record.
func checkAllTexts(texts []record.Column, record any) error {
	for _, c := range texts {
		check := CheckText
		if slices.Contains(onOneLine, c.Name) {
			check = checkLine
		}
		if err := check(c.Name, *c.In(record).(*string), mostOf[c.Name]); err != nil {
			return err
		}
	}
	return nil
}

// checkAllTimes checks the times of a record, and converts them to the form in which they are stored.
func checkAllTimes(times []record.Column, record any) (err error) {
	for _, c := range times {
		if text := c.In(record).(*string); *text != "" {
			err = cmp.Or(err, checkTime(c.Name, text))
		}
	}
	return err
}

func (m *Memory) checkTexts() error {
	if m.Title == "" {
		return errors.New("it has neither a title nor content; give it one")
	}
	if strings.TrimSpace(m.Title) == "" {
		return errors.New("title is blank")
	}
	if err := cmp.Or(checkAllTexts(texts, m), CheckText("aliases", strings.Join(m.Aliases, ""), 0)); err != nil {
		return err
	}
	if len(m.Tags) > memory.MaxTags {
		return fmt.Errorf("it has %d tags, and at most %d are kept; give fewer", len(m.Tags), memory.MaxTags)
	}
	for _, tag := range m.Tags {
		if err := checkLine("a tag", tag, memory.MaxTag); err != nil {
			return err
		}
	}
	return checkID("id", m.ID)
}

// CheckText returns an error if the text has a NUL character, or more than most characters; 0
// sets no limit.
func CheckText(name, text string, most int) error {
	switch {
	case strings.ContainsRune(text, 0):
		return fmt.Errorf("%s has a NUL character", name)
	case most > 0 && utf8.RuneCountInString(text) > most:
		return fmt.Errorf("%s has more than %d characters", name, most)
	}
	return nil
}

// checkLine is CheckText for a text of one line, which has no control characters.
func checkLine(name, text string, most int) error {
	if err := CheckText(name, text, most); err != nil {
		return err
	}
	if strings.ContainsFunc(text, unicode.IsControl) {
		return fmt.Errorf("%s has a line end or another control character; write it on one line", name)
	}
	return nil
}

func checkID(name, id string) error {
	switch {
	case id == "":
		return fmt.Errorf("%s is missing", name)
	case len(id) > maxID:
		return fmt.Errorf("%s has %d bytes, and at most %d are kept", name, len(id), maxID)
	}
	return CheckText(name, id, 0)
}

func (m *Memory) checkValues() error {
	if err := cmp.Or(
		checkWord("status", m.Status, memory.Current, memory.Superseded, memory.Forgotten),
		checkWord("origin", m.Origin, "agent", "person", "vault", "import", "code"),
	); err != nil {
		return err
	}
	if m.Source != "" {
		if err := checkWord("source", m.Source, ref.Sources()...); err != nil {
			return err
		}
	}
	switch {
	case !(m.Importance >= 0 && m.Importance <= 1):
		return fmt.Errorf("importance is %v, and must be from 0 to 1", m.Importance)
	case m.Confidence != nil && !(*m.Confidence >= 0 && *m.Confidence <= 1):
		return fmt.Errorf("confidence is %v, and must be from 0 to 1", *m.Confidence)
	case m.Revision < 1:
		return fmt.Errorf("revision is %d, and must be at least 1", m.Revision)
	case (m.Status == memory.Forgotten) != (m.ForgottenAt != ""):
		return errors.New("forgotten_at is for a memory whose status is forgotten")
	}
	return cmp.Or(m.Changed.check(), checkAllTimes(times, m), checkSpan(m.ValidFrom, m.ValidTo), m.checkVerifications())
}

func (m *Memory) checkVerifications() error {
	for n := range m.Verifications {
		v := &m.Verifications[n]
		if err := cmp.Or(
			checkWord("reason of a verification", v.Reason, memory.Superseded, memory.Forgotten, "contradicted", "changed"), checkTime("at of a verification", &v.At),
			CheckText("verifications", v.Because+v.BecauseURI+v.Mark, 0),
		); err != nil {
			return err
		}
	}
	return nil
}

func checkWord(name, word string, known ...string) error {
	if !slices.Contains(known, word) {
		return fmt.Errorf("%s is %q, and must be one of %s", name, word, strings.Join(known, ", "))
	}
	return nil
}

// checkTime checks a time and converts it to the form in which it is stored.
func checkTime(name string, text *string) error {
	stored, ok := StoredTime(*text)
	if !ok {
		return fmt.Errorf("%s is %q, and must be a full RFC 3339 time such as 2026-11-20T08:15:00Z", name, *text)
	}
	*text = stored
	return nil
}

// checkSpan returns an error unless valid_from is before valid_to, or one is absent.
func checkSpan(from, to string) error {
	_, _, err := db.ParseSpan(from, to)
	return err
}

// fillProperties converts properties to the form in which they are stored: the text
// of the line, which keeps numbers and the order of keys.
func (m *Memory) fillProperties() error {
	if len(m.Properties) == 0 || string(m.Properties) == "null" {
		m.Properties = json.RawMessage("{}")
		return nil
	}
	var readable map[string]any
	if err := json.Unmarshal(m.Properties, &readable); err != nil {
		return fmt.Errorf("properties cannot be read: %w", RewordJSONError(err))
	}
	if Depth(m.Properties) > memory.MaxDepth {
		return fmt.Errorf("properties are nested deeper than %d levels; flatten them", memory.MaxDepth)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, m.Properties); err != nil {
		return err
	}
	m.Properties = compact.Bytes()
	return nil
}

// Depth returns how deep a valid JSON text is nested.
func Depth(text []byte) int {
	deepest, now, quoted, escaped := 0, 0, false, false
	for _, c := range text {
		switch {
		case escaped:
			escaped = false
		case quoted && c == '\\':
			escaped = true
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			now++
			deepest = max(deepest, now)
		case c == '}' || c == ']':
			now--
		}
	}
	return deepest
}

func (e *Edge) check() error {
	if err := cmp.Or(checkID("id", e.ID), checkID("from", e.From), checkID("to", e.To)); err != nil {
		return err
	}
	if e.From == e.To {
		return errors.New("both ends are the same memory; an edge joins two")
	}
	err := cmp.Or(checkAllTexts(edgeTexts, e), CheckText("from_uri", e.FromURI, 0), CheckText("to_uri", e.ToURI, 0))
	for _, s := range e.Sites {
		err = cmp.Or(err, CheckText("sites", s.Anchor+s.Context, 0))
	}
	switch {
	case err != nil:
		return err
	case !(e.Weight > 0 && e.Weight <= 1):
		return fmt.Errorf("weight is %v, and must be above 0 and at most 1", e.Weight)
	case !slices.Contains([]string{"", WhyCycle, WhyMissing}, e.Unsettled):
		return fmt.Errorf("unsettled is %q, and must be one of %s, %s", e.Unsettled, WhyCycle, WhyMissing)
	}
	return cmp.Or(checkWord("origin", e.Origin, edges.Origins()...), e.Changed.check(), checkAllTimes(edgeTimes, e), checkSpan(e.ValidFrom, e.ValidTo))
}

// wrongLine is why a line is refused.
type wrongLine struct {
	n   int
	why error
}

// Examined is the result of checking some lines.
type Examined struct {
	lines    int         // that hold a memory or an edge
	foreign  int         // that are lines of the MCP memory server
	verified bool        // a memory has verifications
	wrong    []wrongLine // the first of them, at most maxWrong, in order
	Total    int         // of the wrong lines
	Secrets  secrets
}

// checkAll reads every line, and returns an error that names the wrong ones.
func (i *importer) checkAll(ctx context.Context, in io.Reader) error {
	examined, lastLine := Examined{}, 0
	r := i.reader
	r.Secrets = &examined.Secrets
	err := ReadLines(ctx, i.name, in, func(n int, line []byte, wrong error) error {
		i.read += int64(len(line)) + 1
		i.reportProgress()
		if len(line) > 0 {
			lastLine = n
		}
		rec := Line{}
		if wrong == nil {
			rec, wrong = r.Read(line)
		}
		switch examined.Add(n, rec, wrong); {
		case rec.Memory != nil:
			i.types = append(i.types, isMemory)
		case rec.Edge != nil:
			i.types = append(i.types, isEdge)
		default:
			i.types = append(i.types, isOther)
		}
		return nil
	})
	i.done.Lines, i.verified = examined.lines, examined.verified
	i.done.Warnings = append(i.done.Warnings, examined.Secrets.Warnings()...)
	if i.broken != nil {
		examined.Add(lastLine+1, Line{}, i.broken)
	}
	i.lenient = examined.isForeign()
	switch {
	case err != nil || examined.Total == 0:
		return err
	case !i.lenient:
		return examined.Refusal(i.name)
	}
	for _, line := range examined.wrong[:min(len(examined.wrong), MaxSaid)] {
		i.leftOut.Add("line %d was left out: %v", line.n, line.why)
	}
	i.leftOut.total = examined.Total
	return nil
}

// isForeign reports whether the file is one of the MCP memory server.
func (e *Examined) isForeign() bool { return e.foreign > 0 && e.foreign == e.lines }

// Add counts a line, which is refused if wrong is not nil.
func (e *Examined) Add(n int, rec Line, wrong error) {
	if wrong != nil {
		if e.Total++; e.Total <= maxWrong {
			e.wrong = append(e.wrong, wrongLine{n, wrong})
		}
		return
	}
	if rec.Memory != nil || rec.Edge != nil {
		e.lines++
	}
	if rec.Foreign {
		e.foreign++
	}
	e.verified = e.verified || rec.Memory != nil && len(rec.Memory.Verifications) > 0
}

// Refusal returns the error that names the wrong lines.
func (examined *Examined) Refusal(name string) error {
	reasons, numbers := []string{}, []int{}
	for at, line := range examined.wrong {
		if at < MaxSaid {
			reasons = append(reasons, fmt.Sprintf("line %d: %v", line.n, line.why))
		}
		numbers = append(numbers, line.n)
	}
	if examined.Total > MaxSaid {
		reasons = append(reasons, fmt.Sprintf("and %d more", examined.Total-MaxSaid))
	}
	if examined.lines == 0 {
		reasons = append(reasons, "expected one JSON object per line; to import notes, pass their folder")
	}
	return fault.New(fault.InvalidArgument, "import %s: nothing was imported; %s", name, strings.Join(reasons, "; ")).With("lines", numbers)
}
