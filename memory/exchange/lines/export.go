package lines

import (
	"bufio"
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"io"
	"strings"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory/record"
	"hence/memory/review"
)

// Exported counts what was exported.
type Exported struct {
	Memories int `json:"memories"`
	Edges    int `json:"edges"`
	Removed  int `json:"removed"`           // lines about what was unlinked or purged
	Waiting  int `json:"waiting,omitempty"` // calls of agents that wait for a person
	Replaced int `json:"replaced"`          // texts that were not valid UTF-8, which JSON cannot hold
}

// Export writes every memory that the caller may read, then every edge, sorted by id, then
// the unsettled edges and the removals, from one snapshot of the store. It keeps one line in
// memory at a time.
func Export(ctx context.Context, s ref.View, out io.Writer) (done Exported, err error) {
	return export(ctx, s, out, false)
}

// ExportCarried writes the lines that a merge considers, as Export does.
func ExportCarried(ctx context.Context, s ref.View, out io.Writer) (done Exported, err error) {
	return export(ctx, s, out, true)
}

// export writes the lines of the store, or only those that a merge considers.
func export(ctx context.Context, s ref.View, out io.Writer, onlyCarried bool) (done Exported, err error) {
	w := newWriter(out)
	err = WithStamps(ctx, "export", s.DB, func(d *db.DB) error {
		return d.ForLong(ctx, func(d *db.DB) error {
			return d.Read(ctx, func(r *db.Reader) error { return w.all(ctx, r, s.Caller.Namespace, onlyCarried, &done) })
		})
	})
	if err == nil {
		err = OutputError(w.out.Flush())
	}
	done.Replaced = w.replaced
	return done, err
}

// all writes the lines of all sorts.
func (w *writer) all(ctx context.Context, r *db.Reader, namespace string, onlyCarried bool, done *Exported) error {
	for _, sort := range sorts {
		query := "select" + sort.fields + sort.from
		if onlyCarried {
			query += "\n  and " + sort.carried
		}
		err := db.Each(ctx, r, func(row *sql.Rows) error {
			*sort.number(done)++
			return sort.write(w, row)
		}, query+"\norder by "+sort.order, namespace)
		if err != nil {
			return err
		}
	}
	return nil
}

// sortOfLine describes one sort of lines of an export.
type sortOfLine struct {
	fields  string // the columns of a line
	from    string // the rows of a namespace, ?1
	carried string // the condition for the lines that a merge considers; it leaves out files of vaults and repositories
	order   string
	number  func(done *Exported) *int
	write   func(w *writer, row *sql.Rows) error
}

// writerOf returns a function that scans a row and writes its line.
func writerOf[T any](scan func(row *sql.Rows) (T, error), write func(w *writer, line T) error) func(w *writer, row *sql.Rows) error {
	return func(w *writer, row *sql.Rows) error {
		line, err := scan(row)
		if err != nil {
			return err
		}
		return write(w, line)
	}
}

// sorts are the sorts of lines in the order of an export.
var sorts = []sortOfLine{
	{memoryFields, memoriesFrom, `m.uri is null`, `m.id`, func(done *Exported) *int { return &done.Memories }, writerOf(ScanMemory, (*writer).memory)},
	{edgeFields, edgesFrom + `where ?1 in ('', f.namespace)`, `e.declared = 'explicit'`, `e.id`, func(done *Exported) *int { return &done.Edges }, writerOf(ScanEdge, (*writer).edge)},
	{UnsettledFields, UnsettledFrom, `true`, `id`, func(done *Exported) *int { return &done.Edges }, writerOf(ScanUnsettled, (*writer).edge)},
	{UnlinkedFields, unlinkedFrom, `true`, `u.from_id, u.to_id, u.kind, u.rel`, func(done *Exported) *int { return &done.Removed }, writerOf(ScanRemoved, (*writer).writeRemoved)},
	{purgedFields, purgedFrom, `true`, `id`, func(done *Exported) *int { return &done.Removed }, writerOf(ScanRemoved, (*writer).writeRemoved)},
	{strings.TrimPrefix(review.SelectCalls, "\nselect"), "\n  and ?1 in ('', namespace)", `false`, `id`, func(done *Exported) *int { return &done.Waiting }, writerOf(review.ScanCall, (*writer).writeWaiting)},
}

// insertMemories inserts rows of the columns, unless a memory with the id exists.
var insertMemories = record.Insert("memories", columns)

// columnsRead returns columns of a row with an alias as a query reads them: as another expression, if as has one.
func columnsRead(columns []record.Column, alias string, as map[string]string) (list string) {
	for _, c := range columns {
		text := cmp.Or(as[c.Name], record.Select([]record.Column{c}, alias))
		if c.IsJSON {
			text = "json(" + text + ")" // converts JSON5, which somebody may have written in the sqlite3 shell
		}
		list += "\n  " + text + ","
	}
	return list
}

var memoryFields = columnsRead(columns, "m", nil) + `
  (
    select json_group_array(json_object('because', v.because, 'because_uri', v.uri, 'reason', v.reason, 'mark', v.evidence, 'at', v.at))
    from (
      select
        b.id as because,
        b.uri,
        w.reason,
        w.evidence,
        w.at
      from verifications w
      join memories b on b.key = w.because
      where w.memory = m.key
      order by b.id, w.reason, w.evidence
    ) v
  ),
  ` + stampsOf("m")

const memoriesFrom = `
from memories m
where ?1 in ('', m.namespace)`

var MemoryColumns = "select" + memoryFields

// SelectMemories reads the memories of a namespace, sorted by id.
var SelectMemories = MemoryColumns + memoriesFrom + "\norder by m.id"

func ScanMemory(row *sql.Rows) (m Memory, err error) {
	var verifications, stamps string
	if err := record.Scan(row, columns, &m, &verifications, &stamps); err != nil {
		return m, err
	}
	if err := cmp.Or(readList(m.ID, "verifications", verifications, &m.Verifications), readList(m.ID, "stamps", stamps, &m.Changed)); err != nil {
		return m, err
	}
	m.Tags = CleanTags(m.Tags)
	if m.ContentHash == db.Hash(m.Content) {
		m.ContentHash = ""
	}
	storeTimes(times, &m)
	return m, nil
}

// readList reads a column that most rows have empty.
func readList(id, column, text string, into any) error {
	if text == "[]" || text == "{}" {
		return nil
	}
	return db.ReadColumn(id, column, text, into)
}

// storeTimes converts times that the sqlite3 shell wrote to the form in which they are stored.
func storeTimes(times []record.Column, record any) {
	for n := range times {
		if at := times[n].In(record).(*string); *at != "" && (len(*at) != len("2026-11-26T08:15:00.000Z") || (*at)[10] != 'T' || (*at)[19] != '.' || (*at)[23] != 'Z') {
			*at, _ = StoredTime(*at)
		}
	}
}

var edgeFields = columnsRead(edgeColumns, "e", map[string]string{
	"from": "f.id", "to": "t.id", "basis": `iif(e.kind in ('depends-on', 'derived-from'), coalesce(e.basis, ''), '')`,
}) + `
  (
    select json_group_array(json_object('line', s.line, 'anchor', s.anchor, 'context', s.context, 'backward', json(s.backward)))
    from (
      select
        w.line,
        w.anchor,
        (select c.context from site_contexts c where c.site = w.key) as context,
        iif(w.note = e.from_key, 'false', 'true') as backward
      from sites w
      where w.edge = e.key
      order by w.line, w.start_byte, w.key
    ) s
  ),
  e.declared = 'explicit',
  iif(e.declared = 'explicit', coalesce(f.uri, ''), ''),
  iif(e.declared = 'explicit', coalesce(t.uri, ''), ''),
  ` + stampsOf("e")

const edgesFrom = `
from edges e
join memories f on f.key = e.from_key
join memories t on t.key = e.to_key
`

var EdgeColumns = "select" + edgeFields + edgesFrom

// SelectEdges reads the edges of a namespace, sorted by id.
var SelectEdges = EdgeColumns + `where ?1 in ('', f.namespace)
order by e.id`

func ScanEdge(row *sql.Rows) (e Edge, err error) {
	var sites, stamps string
	var declared bool
	if err := record.Scan(row, edgeColumns, &e, &sites, &declared, &e.FromURI, &e.ToURI, &stamps); err != nil {
		return e, err
	}
	e.Sites = []Site{}
	if err := cmp.Or(readList(e.ID, "sites", sites, &e.Sites), readList(e.ID, "stamps", stamps, &e.Changed)); err != nil {
		return e, err
	}
	if declared != e.IsDeclared() {
		e.Declared = &declared
	}
	storeTimes(edgeTimes, &e)
	return e, nil
}

// IsDeclared reports whether the edge was declared explicitly. If the line does not say so,
// an edge without sites was.
func (e Edge) IsDeclared() bool {
	if e.Declared != nil {
		return *e.Declared
	}
	return len(e.Sites) == 0
}

// writer writes lines.
type writer struct {
	out      *bufio.Writer
	json     *json.Encoder
	replaced int
}

func newWriter(out io.Writer) *writer {
	w := &writer{out: bufio.NewWriterSize(out, 1<<16)}
	w.json = json.NewEncoder(w.out)
	w.json.SetEscapeHTML(false)
	return w
}

func (w *writer) memory(m Memory) error {
	w.valid(&m.ID, &m.Namespace, &m.Kind, &m.Title, &m.Content, &m.Actor, &m.URI, &m.VerifyNote, &m.ForgetReason)
	properties := string(m.Properties)
	w.valid(&properties)
	m.Properties = json.RawMessage(properties)
	return OutputError(w.json.Encode(memoryForm().Of(&m)))
}

func (w *writer) edge(e Edge) error {
	w.valid(&e.ID, &e.From, &e.To, &e.Rel, &e.Actor, &e.Note)
	return OutputError(w.json.Encode(edgeForm().Of(&e)))
}

func (w *writer) writeRemoved(l Removed) error { return OutputError(w.json.Encode(l)) }

func (w *writer) writeWaiting(c review.Call) error {
	return OutputError(w.json.Encode(Waiting{typeWaiting, review.Pending, c}))
}

// valid replaces invalid UTF-8, which only the sqlite3 shell can have written, and counts the
// texts that it changes.
func (w *writer) valid(texts ...*string) {
	for _, text := range texts {
		if clean := strings.ToValidUTF8(*text, "\uFFFD"); clean != *text {
			*text = clean
			w.replaced++
		}
	}
}

func OutputError(err error) error {
	if err != nil {
		return fault.Wrap(fault.Unavailable, err, "export: the output cannot be written")
	}
	return nil
}

// WithStamps calls do with a store in which all changes have their stamps: with a temporary copy,
// if the store is open for reading only and some wait for theirs.
func WithStamps(ctx context.Context, action string, d *db.DB, do func(d *db.DB) error) error {
	waits, err := false, error(nil)
	if d.ReadOnly() {
		waits, _, err = db.One[bool](ctx, d, "select "+db.StampsWait)
	} else {
		err = d.KeepUp(ctx)
	}
	switch {
	case err != nil:
		return err
	case waits:
		return db.InScratch(ctx, action, d, do)
	}
	return do(d)
}
