package lines

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory/journal"
)

// ImportArgs say how to import or merge lines.
type ImportArgs struct {
	Name     string                // of the file, for errors
	DryRun   bool                  // import into a copy of the store; of a merge, write nothing
	Source   string                // of an import: where the texts came from, one of ref.Sources, unless a line says a less trusted one; "": as the lines say
	Few      bool                  // of a merge: few lines of the file are in the store already
	Both     bool                  // of a merge: the file is written after it, so that it must be one of Hence's own
	Progress func(done, total int) // bytes, counted in each of the three rounds; may be nil
}

// Imported is the result of an import.
type Imported struct {
	Lines     int         `json:"lines"`
	Memories  Came        `json:"memories"`
	Edges     Came        `json:"edges"`
	Older     int         `json:"older"`
	Undecided []Undecided `json:"undecided"`
	LeftOut   int         `json:"left_out"`
	DryRun    bool        `json:"dry_run"`
	Warnings  []string    `json:"warnings"`
}

// Came counts lines: those that were added, those that changed what the store had, and those
// whose text was in the store already.
type Came struct {
	Added   int `json:"added"`
	Changed int `json:"changed"`
	Present int `json:"present"`
}

const (
	ChunkLines  = 2000 // some 0.2 s, after which others may write
	chunkBytes  = 1 << 20
	maxWrong    = 20 // numbers of wrong lines in an error
	MaxSaid     = 3  // wrong lines that an error explains
	maxWarnings = 20

	rounds          = 3 // in which the file is read
	changesOfAnEdge = 2 // at most: the edge, and what it supersedes
)

// Import reads lines of memories and edges, in any order. It reads the file three
// times: first it checks every line, and writes nothing if one is wrong; then it
// stores the memories, then the edges, in chunks that are written completely or
// not at all. So it needs memory for one chunk only, and an edge may precede its
// ends. A line that the store has changes nothing, so an import that was stopped continues when it is started again. One that is newer
// than what the store has replaces it; others that differ are reported: see newer.go. The
// id of a line without one is derived from the line, that of an entity of the MCP memory
// server from its name. In a file of that server a wrong line is left out.
//
// With a namespace in the caller everything is stored in that namespace. It fails
// with invalid_argument and the numbers of the lines if lines cannot be read or an
// edge has no end, with cycle or conflict if the graph refuses an edge, and with
// conflict if an id belongs to a memory of another namespace. The error says what
// of the file is in the store by then.
func Import(ctx context.Context, s ref.View, in io.ReadSeeker, a ImportArgs) (done Imported, err error) {
	if a.Source != "" && !slices.Contains(ref.Sources(), a.Source) {
		return done, fault.New(fault.InvalidArgument, "import %s: %q is not a source; the sources are %s", a.Name, a.Source, strings.Join(ref.Sources(), ", "))
	}
	if a.DryRun {
		err = db.InScratch(ctx, "import "+a.Name, s.DB, func(scratch *db.DB) error {
			done, err = importLines(ctx, ref.View{DB: scratch, Caller: s.Caller}, in, a)
			return err
		})
		done.DryRun = true
		return done, err
	}
	err = s.DB.Bulk(ctx, func() error {
		done, err = importLines(ctx, s, in, a)
		return err
	})
	known, isKnown := errors.AsType[*fault.Error](err)
	memories, edges := done.Memories.Added, done.Edges.Added
	if memories+edges == 0 || !isKnown {
		return done, err
	}
	partialError := *known
	partialError.Message += fmt.Sprintf("; what came before is in (memories: %d, edges: %d)", memories, edges)
	if memories+changesOfAnEdge*edges <= journal.MaxUndone {
		partialError.Message += ", and hence undo takes it back"
	}
	return done, &partialError
}

func importLines(ctx context.Context, s ref.View, in io.ReadSeeker, a ImportArgs) (done Imported, err error) {
	number, err := journal.NewBatch(ctx, s.DB)
	if err != nil {
		return done, err
	}
	i := &importer{
		store: s, name: a.Name, progress: a.Progress,
		reader: Reader{Namespace: s.Caller.Namespace, Actor: s.Caller.Actor, source: a.Source, Now: db.Now()},
		batch:  journal.Batch{Number: number, Operation: "import", Namespace: s.Caller.Namespace, What: a.Name},
		latest: db.Time(time.Now().AddDate(MaxAhead, 0, 0)),
		done:   Imported{Undecided: []Undecided{}, Warnings: []string{}},
	}
	if in, i.broken, err = linesOf(in); err != nil {
		return done, unreadableFile(i.name, err)
	}
	if i.size, err = in.Seek(0, io.SeekEnd); err != nil {
		return done, unreadableFile(i.name, err)
	}
	for n, round := range [rounds]func(context.Context, io.Reader) error{i.checkAll, i.storeMemories, i.storeEdges} {
		if _, err = in.Seek(0, io.SeekStart); err != nil {
			return i.done, unreadableFile(i.name, err)
		}
		i.read, i.round = 0, n
		if err = round(ctx, in); err != nil {
			return i.done, err
		}
	}
	i.done.LeftOut += i.leftOut.total
	i.done.Warnings = append(i.done.Warnings, i.leftOut.Messages()...)
	return i.done, nil
}

// importer is one import.
type importer struct {
	store    ref.View
	name     string
	progress func(done, total int)
	size     int64 // of the file
	read     int64 // bytes, in this round
	round    int
	reader   Reader
	batch    journal.Batch
	latest   string // a line with a later time replaces nothing
	verified bool   // a memory of the file has verifications
	types    []byte // of the lines, isMemory …
	lenient  bool   // the file is one of the MCP memory server: a wrong line is left out
	broken   error  // the file is one document of JSON, and cannot be read to its end
	leftOut  WrongPlaces
	done     Imported
}

func unreadableFile(name string, err error) error {
	return fault.Wrap(fault.Unavailable, err, "import %s: the file cannot be read", name)
}

// wrong returns an error about a line.
func (i *importer) wrong(code fault.Code, line int, format string, args ...any) *fault.Error {
	return fault.New(code, "import %s: line %d: %s", i.name, line, fmt.Sprintf(format, args...)).With("line", line)
}

// ReadLines calls f with every line of a file, as EachLine does. name is the file's, for errors.
func ReadLines(ctx context.Context, name string, in io.Reader, f func(n int, line []byte, wrong error) error) error {
	err := EachLine(in, func(n int, line []byte, wrong error) error {
		if ctx.Err() != nil {
			return fault.Wrap(fault.Unavailable, ctx.Err(), "import %s: stopped; import it again to continue", name)
		}
		return f(n, line, wrong)
	})
	if _, isKnown := errors.AsType[*fault.Error](err); err != nil && !isKnown {
		return unreadableFile(name, err)
	}
	return err
}

// reportProgress reports the progress of the import.
func (i *importer) reportProgress() {
	if i.progress != nil {
		i.progress(int(int64(i.round)*i.size+min(i.read, i.size)), int(rounds*i.size))
	}
}

// numberedRecord is a record with the number and the text of its line.
type numberedRecord struct {
	n    int
	text []byte
	Line
}

// What a line of the file is.
const (
	isOther byte = iota
	isMemory
	isEdge
	isNone // no line is
)

// storeMemories writes the memories of the file.
func (i *importer) storeMemories(ctx context.Context, in io.Reader) error {
	return i.writeGroups(ctx, in, isEdge, i.memoryStatements)
}

// storeEdges writes the edges of the file, and the verifications, now that every
// memory is stored.
func (i *importer) storeEdges(ctx context.Context, in io.Reader) error {
	skipped := isMemory
	if i.verified {
		skipped = isNone
	}
	return i.writeGroups(ctx, in, skipped, i.edgeStatements)
}

// adder adds the statements that store lines.
type adder func(ctx context.Context, lines []numberedRecord, b *chunk) error

// writeGroups reads the file once and writes its lines, except those of one type, a group at a
// time.
func (i *importer) writeGroups(ctx context.Context, in io.Reader, skipped byte, add adder) error {
	lines, size := []numberedRecord{}, 0
	err := ReadLines(ctx, i.name, in, func(n int, line []byte, err error) error {
		i.read += int64(len(line)) + 1
		if n <= len(i.types) && i.types[n-1] == skipped {
			return nil
		}
		var rec Line
		if err == nil {
			rec, err = i.reader.Read(line)
		}
		if err != nil && i.lenient {
			return nil
		}
		if err != nil { // the file has changed since it was checked
			return i.wrong(fault.InvalidArgument, n, "%v", err)
		}
		lines, size = append(lines, numberedRecord{n, bytes.Clone(line), rec}), size+len(line)
		if len(lines) < ChunkLines && size < chunkBytes {
			return nil
		}
		group := lines
		lines, size = nil, 0
		err = i.writeLines(ctx, group, add)
		i.reportProgress()
		return err
	})
	if err == nil && len(lines) > 0 {
		err = i.writeLines(ctx, lines, add)
	}
	if i.read = i.size; err == nil {
		i.reportProgress()
	}
	return err
}

// writeLines writes lines together. If one of them is refused, a lenient import halves them,
// to leave out that one only.
func (i *importer) writeLines(ctx context.Context, lines []numberedRecord, add adder) (err error) {
	for range MaxTries {
		if err = i.store.DB.KeepUp(ctx); err != nil {
			return err
		}
		if err = i.writeTogether(ctx, lines, add); !errors.Is(err, ErrMoved) {
			break
		}
	}
	refused := slices.Contains([]fault.Code{fault.InvalidArgument, fault.Conflict, fault.Cycle}, fault.CodeOf(err)) && !errors.Is(err, ErrMoved)
	switch half := len(lines) / 2; {
	case err == nil || !i.lenient || !refused:
		return err
	case half == 0:
		i.leftOut.Add("%s; it was left out", strings.TrimPrefix(err.Error(), "import "+i.name+": "))
		return nil
	default:
		return cmp.Or(i.writeLines(ctx, lines[:half], add), i.writeLines(ctx, lines[half:], add))
	}
}

// writeTogether writes lines completely or not at all.
func (i *importer) writeTogether(ctx context.Context, lines []numberedRecord, add adder) error {
	b := &chunk{done: i.done, leftOut: i.leftOut}
	if err := add(ctx, lines, b); err != nil {
		return err
	}
	if len(b.statements) > 0 {
		changed, err := i.store.DB.Write(ctx, i.store.Caller.Actor, i.reader.Now, slices.Concat([]db.Stmt{ExpectKept}, b.statements, []db.Stmt{i.batch.Open()}, i.batch.Close())...)
		if errors.Is(err, errRefused) {
			return i.refusal(ctx, lines)
		}
		if err != nil {
			return err
		}
		for _, tally := range b.tally {
			tally(changed[1:])
		}
	}
	i.done, i.leftOut = b.done, b.leftOut
	return nil
}

// chunk has the statements of a group of lines, and what has been done once they are written.
type chunk struct {
	statements []db.Stmt
	tally      []func(changed []int64) // called then, with the numbers of rows that the statements changed
	done       Imported
	leftOut    WrongPlaces
}

func (b *chunk) add(statements ...db.Stmt) { b.statements = append(b.statements, statements...) }

// count adds statements, and calls tally with the numbers of rows that they changed.
func (b *chunk) count(tally func(changed []int64), statements ...db.Stmt) {
	first := len(b.statements)
	b.add(statements...)
	b.tally = append(b.tally, func(changed []int64) { tally(changed[first:]) })
}

func (b *chunk) warn(text string) { b.done.Warnings = Warn(b.done.Warnings, text) }

// count adds a number of lines to the totals: changed of them changed the store, and
// the others existed already.
func (c *Came) count(changed int64, lines int) {
	c.Added += int(changed)
	c.Present += lines - int(changed)
}

// Warn adds a warning to a list, up to maxWarnings.
func Warn(all []string, text string) []string {
	switch n := len(all); {
	case n < maxWarnings:
		return append(all, text)
	case n == maxWarnings:
		return append(all, "and more like these")
	}
	return all
}

// WrongPlaces are places that could not be read, of which the first MaxSaid are kept.
type WrongPlaces struct {
	First []string
	total int
}

func (w *WrongPlaces) Add(format string, args ...any) {
	if w.total++; w.total <= MaxSaid {
		w.First = append(w.First, fmt.Sprintf(format, args...))
	}
}

func (w WrongPlaces) Messages() []string {
	if more := w.total - len(w.First); more > 0 {
		return append(slices.Clone(w.First), fmt.Sprintf("and %d more were left out", more))
	}
	return w.First
}

// MaxTries is how often a merge is planned, if others write in between.
const MaxTries = 8

// ErrMoved says that somebody wrote after the snapshot from which the merge was planned.
var ErrMoved = fault.New(fault.Conflict, "others keep writing to the store; try again")

// ExpectKept fails with ErrMoved if others, such as the sqlite3 shell, have made changes that had
// no stamps when a plan read them. It is the first statement of a batch, which else would make some.
var ExpectKept = db.Expect("not "+db.StampsWait, ErrMoved)
