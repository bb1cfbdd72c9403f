// Package merge joins two states, so that both stores can end in the same bytes, whatever the
// order of merges and however often they are done. How two versions of a memory become one
// is in package lines.
//
// Edges are told apart by their ends, kind and word. If the graph of both cannot have an edge
// (a second successor, a cycle), the later edge is left out, so that every store decides the
// same. A merge is planned on a snapshot, and its transaction expects that the journal has
// not grown since.
package merge

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"slices"
	"time"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory/exchange/lines"
	"hence/memory/journal"
)

// Merged is the result of a merge.
type Merged struct {
	Memories  lines.Came `json:"memories"`
	Edges     lines.Came `json:"edges"`
	Forgotten int        `json:"forgotten"`
	Purged    int        `json:"purged"`
	Unlinked  int        `json:"unlinked"`
	LeftOut   int        `json:"left_out"`
	Settle    []ToSettle `json:"settle"`
	DryRun    bool       `json:"dry_run"`
	Warnings  []string   `json:"warnings"`

	theirs map[uint64]bool // hashes of the lines that the other side has
	seed   maphash.Seed
}

// ToSettle is something for a person or agent to look at after a merge.
type ToSettle struct {
	Kind  string `json:"kind" jsonschema:"text (two edits of one memory), successor (two of one memory), cycle, missing (an end of an edge)"`
	ID    string `json:"id" jsonschema:"of the memory; of an edge its from"`
	Title string `json:"title"`
	Trust string `json:"trust,omitempty"` // see ref.Named
	Other string `json:"other" jsonschema:"id of the other text, of the other successor, or of the edge's to"`
	Edge  string `json:"edge,omitempty" jsonschema:"of an edge that stays out, its kind"`

	OtherTitle string `json:"other_title,omitempty" jsonschema:"absent if that end is missing"`
	OtherTrust string `json:"other_trust,omitempty"`
}

// Changes reports whether the merge changed, or would change, more than times and stamps,
// which undo does not take back.
func (m Merged) Changes() bool {
	return m.Memories.Added+m.Memories.Changed+m.Edges.Added+m.Edges.Changed+m.Forgotten+m.Purged+m.Unlinked > 0
}

// Lines joins the store with the state that a file of lines holds, such as the export of
// another store: see the package comment. What the file does not mention stays. With a
// namespace in the caller only that namespace is merged. Undo takes it back as one
// batch, except purges, which are final. A dry run writes nothing.
//
// It fails with invalid_argument and the numbers of the lines if lines cannot be read,
// and with conflict if others keep writing while it is planned.
func Lines(ctx context.Context, s ref.View, in io.Reader, a lines.ImportArgs) (done Merged, err error) {
	join := func(d *db.DB) error {
		s.DB = d
		m := New(s, a)
		if err := m.compare(ctx, in); err != nil {
			done = m.done
			return err
		}
		done, err = m.Join(ctx)
		return err
	}
	if a.DryRun {
		err = lines.WithStamps(ctx, "merge "+a.Name, s.DB, join)
	} else {
		err = join(s.DB)
	}
	return done, err
}

func New(s ref.View, a lines.ImportArgs) *merge {
	return &merge{
		store: s, name: a.Name, now: db.Now(), latest: db.Time(time.Now().AddDate(lines.MaxAhead, 0, 0)), dry: a.DryRun, few: a.Few, both: a.Both,
		theirs: &sideLines{memories: map[string]lines.Memory{}, hashes: map[string]string{}, replaced: map[string]bool{}, gaveWay: map[string][]lines.Memory{}},
		done:   Merged{Settle: []ToSettle{}, Warnings: []string{}, DryRun: a.DryRun, theirs: map[uint64]bool{}, seed: maphash.MakeSeed()},
	}
}

// Join joins the store with what was read of the other side.
func (m *merge) Join(ctx context.Context) (done Merged, err error) {
	err = m.store.DB.Bulk(ctx, func() error { return m.run(ctx) })
	if err == nil {
		err = m.nameSettle(ctx)
	}
	return m.done, err
}

// merge is one merge.
type merge struct {
	store  ref.View
	name   string
	now    string
	dry    bool
	few    bool
	latest string // lines with a later time are left out
	both   bool
	theirs *sideLines
	number int64 // of the batch
	done   Merged
}

// sideLines are the lines of the other side that differ from the store's.
type sideLines struct {
	memories map[string]lines.Memory
	order    []string // ids of memories as they came
	edges    []lines.Edge
	removed  []lines.Removed
	hashes   map[string]string         // content_hash by id, of all memories that were read
	replaced map[string]bool           // ids of memories with a successor
	gaveWay  map[string][]lines.Memory // of memories that have several lines
}

// compare reads the other side, and keeps the lines that the store does not have byte
// for byte.
func (m *merge) compare(ctx context.Context, in io.Reader) error {
	own := map[uint64]bool{} // hashes of the lines of the store, as Export writes them
	if !m.few {
		err := eachLine(ctx, m.store, lines.Export, func(line []byte) error {
			own[maphash.Bytes(m.done.seed, line)] = true
			return nil
		})
		if err != nil {
			return err
		}
	}
	examined := lines.Examined{}
	reader := lines.Reader{Actor: m.store.Caller.Actor, Now: m.now, Secrets: &examined.Secrets}
	err := lines.ReadLines(ctx, m.name, in, func(n int, line []byte, wrong error) error {
		if sum := maphash.Bytes(m.done.seed, line); wrong == nil {
			m.done.theirs[sum] = true
			if own[sum] {
				switch first := lines.StartsWithType().FindSubmatch(line[:min(len(line), 40)]); {
				case first == nil:
				case string(first[1]) == lines.TypeMemory:
					m.done.Memories.Present++
				default:
					m.done.Edges.Present++
				}
				return nil
			}
		}
		rec := lines.Line{}
		if wrong == nil {
			rec, wrong = reader.Read(line)
		}
		if examined.Add(n, rec, wrong); wrong != nil {
			return nil
		}
		if m.both && rec.Foreign {
			return fault.New(fault.InvalidArgument, "sync %s: line %d is one of the MCP memory server, which would not read what sync writes there; hence import takes such a file in", m.name, n)
		}
		if rec.Foreign {
			return fault.New(fault.InvalidArgument, "merge %s: line %d is one of the MCP memory server, and others are not; hence import without --merge takes it in", m.name, n)
		}
		m.Take(rec, fmt.Sprint("line ", n))
		return nil
	})
	if err == nil && examined.Total > 0 {
		err = examined.Refusal(m.name)
	}
	if err == nil {
		m.done.Warnings = append(m.done.Warnings, examined.Secrets.Warnings()...)
	}
	return err
}

// Take adds a record of the other side, unless its time is in the far future.
func (m *merge) Take(rec lines.Line, name string) {
	if at := rec.LastTime(); at > m.latest {
		m.LeaveOut("%s was left out: its time %s is more than %d years from now, and would win every merge", name, at, lines.MaxAhead)
		return
	}
	m.theirs.add(rec)
}

// add keeps a line. Two lines about one memory are joined.
func (l *sideLines) add(rec lines.Line) {
	switch {
	case rec.Memory != nil && rec.Memory.URI != "", rec.Memory != nil && rec.Memory.Origin == "code":
		l.hashes[rec.Memory.ID] = rec.Memory.ContentHash // of a file: only edges to it are merged
	case rec.Memory != nil:
		one := *rec.Memory
		if other, ok := l.memories[one.ID]; ok {
			j := lines.JoinMemories(other, one)
			one, l.gaveWay[one.ID] = j.Memory, append(l.gaveWay[one.ID], j.GaveWay...)
		} else {
			l.order = append(l.order, one.ID)
		}
		l.memories[one.ID], l.hashes[one.ID] = one, one.ContentHash
	case rec.Edge != nil:
		if rec.Edge.Kind == string(edges.Supersedes) {
			l.replaced[rec.Edge.To] = true
		}
		if rec.Edge.IsDeclared() {
			l.edges = append(l.edges, *rec.Edge)
		}
	case rec.Removed != nil:
		l.removed = append(l.removed, *rec.Removed)
	}
}

// ExportLacking writes the lines of the store that a merge considers and that the other side
// of an earlier merge lacked, and returns their number.
func ExportLacking(ctx context.Context, s ref.View, out io.Writer, of Merged) (number int, err error) {
	w := bufio.NewWriterSize(out, 1<<16)
	err = eachLine(ctx, s, lines.ExportCarried, func(line []byte) error {
		if of.theirs[maphash.Bytes(of.seed, line)] {
			return nil
		}
		number++
		_, err := w.Write(append(line, '\n'))
		return lines.OutputError(err)
	})
	return number, errors.Join(err, lines.OutputError(w.Flush()))
}

// eachLine calls f with each line of an export of the store.
func eachLine(ctx context.Context, s ref.View, export func(context.Context, ref.View, io.Writer) (lines.Exported, error), f func(line []byte) error) error {
	return Pipe(func(out io.Writer) error {
		_, err := export(ctx, s, out)
		return err
	}, func(in io.Reader) error {
		return lines.EachLine(in, func(_ int, line []byte, err error) error {
			if err != nil || len(line) == 0 {
				return err
			}
			return f(line)
		})
	})
}

// IntoLines merges into a file of lines, the other side of a merge, what it lacked, and
// writes its new lines to out. The file keeps the lines that the merge did not consider:
// those of notes and of other namespaces.
func IntoLines(ctx context.Context, s ref.View, in io.ReadSeeker, out io.Writer, of Merged, a lines.ImportArgs) (sent int, there Merged, err error) {
	err = db.InScratch(ctx, "sync "+a.Name, nil, func(scratch *db.DB) error {
		if _, err := lines.Import(ctx, ref.View{DB: scratch}, in, lines.ImportArgs{Name: a.Name}); err != nil {
			return err
		}
		if sent, there, err = Give(ctx, s, ref.View{DB: scratch, Caller: s.Caller}, of, a); err != nil {
			return err
		}
		_, err = lines.Export(ctx, ref.View{DB: scratch}, out)
		return err
	})
	return sent, there, err
}

// Give merges into the other side of a merge what it lacked, and returns how many lines
// that was.
func Give(ctx context.Context, s ref.View, other ref.View, of Merged, a lines.ImportArgs) (sent int, there Merged, err error) {
	a.Few = true
	err = Pipe(func(out io.Writer) (err error) {
		sent, err = ExportLacking(ctx, s, out, of)
		return err
	}, func(in io.Reader) error {
		there, err = Lines(ctx, other, in, a)
		return err
	})
	return sent, there, err
}

// Stores merges another store into this one, as Lines does with its export.
func Stores(ctx context.Context, s ref.View, other ref.View, a lines.ImportArgs) (done Merged, err error) {
	err = Pipe(func(out io.Writer) error {
		_, err := lines.ExportCarried(ctx, other, out)
		return err
	}, func(in io.Reader) (err error) {
		done, err = Lines(ctx, s, in, a)
		return err
	})
	return done, err
}

// Pipe runs write and read concurrently: read reads the output of write.
func Pipe(write func(out io.Writer) error, read func(in io.Reader) error) error {
	in, out := io.Pipe()
	written := make(chan error, 1)
	go func() {
		err := write(out)
		written <- err
		_ = out.CloseWithError(err)
	}()
	err := read(in)
	_ = in.CloseWithError(cmp.Or(err, io.ErrClosedPipe))
	if wrote := <-written; wrote != nil && !errors.Is(wrote, io.ErrClosedPipe) {
		return wrote
	}
	return err
}

// run plans the merge and writes it. It first writes many new memories and edges in groups,
// so that others may write in between.
func (m *merge) run(ctx context.Context) (err error) {
	if !m.dry {
		if m.number, err = journal.NewBatch(ctx, m.store.DB); err != nil {
			return err
		}
	}
	leftOut, warnings := m.done.LeftOut, slices.Clip(m.done.Warnings)
	for range lines.MaxTries {
		m.done.LeftOut, m.done.Warnings = leftOut, warnings // a repeated plan starts its count again
		if err := m.store.DB.KeepUp(ctx); err != nil {
			return err
		}
		p, err := db.From(ctx, m.store.DB.Read, func(r *db.Reader) (*plan, error) { return m.plan(ctx, r) })
		if err != nil {
			return err
		}
		if m.dry {
			p.report(&m.done)
			return nil
		}
		if len(p.inserts) > lines.ChunkLines || len(p.freeLinks()) > lines.ChunkLines {
			if err := m.writeGroups(ctx, p); err != nil {
				return err
			}
			continue
		}
		err = m.write(ctx, p.statements(m)...)
		if errors.Is(err, lines.ErrMoved) {
			continue
		}
		if err == nil {
			p.report(&m.done)
		}
		return err
	}
	return lines.ErrMoved
}

// writeGroups writes new memories, and the new edges that no rule of the graph concerns. They
// count as added by this merge.
func (m *merge) writeGroups(ctx context.Context, p *plan) error {
	if len(p.inserts)+len(p.links) <= journal.MaxUndone {
		if err := m.write(ctx, p.keepBefore(m.number)...); err != nil {
			return err
		}
	}
	if err := m.write(ctx, p.renewStatements()...); err != nil {
		return err
	}
	for group := range slices.Chunk(p.inserts, lines.ChunkLines) {
		if err := m.write(ctx, lines.InsertNew(group)...); err != nil {
			return err
		}
		m.done.Memories.Added += len(group)
	}
	if len(p.inserts) > lines.ChunkLines {
		return nil // edges are planned again
	}
	for group := range slices.Chunk(p.freeLinks(), lines.ChunkLines) {
		if err := m.write(ctx, lines.InsertNewEdges(group)...); err != nil {
			return err
		}
		m.done.Edges.Added += len(group)
	}
	return nil
}

// write writes statements as part of the batch.
func (m *merge) write(ctx context.Context, statements ...db.Stmt) error {
	if len(statements) == 0 {
		return nil
	}
	batch := journal.Batch{Number: m.number, Operation: "merge", Namespace: m.store.Caller.Namespace, What: m.name}
	_, err := m.store.DB.Write(ctx, m.store.Caller.Actor, m.now, append(append(statements, batch.Open()), batch.Close()...)...)
	return err
}

// LeaveOut counts a line that is not merged.
func (m *merge) LeaveOut(format string, args ...any) {
	m.done.LeftOut++
	m.done.Warnings = lines.Warn(m.done.Warnings, fmt.Sprintf(format, args...))
}

// nameSettle fills in the titles of what is to be settled, and sorts by them, because ids
// differ from store to store.
func (m *merge) nameSettle(ctx context.Context) error {
	if len(m.done.Settle) == 0 {
		return nil
	}
	names, ids := map[string]ref.Named{}, []string{}
	for _, one := range m.done.Settle {
		for _, id := range []string{one.ID, one.Other} {
			line := m.theirs.memories[id]
			names[id] = line.Named()
			ids = append(ids, id)
		}
	}
	here, err := db.Select(ctx, m.store.DB, db.Fields(func(n *ref.Named) []any { return []any{&n.ID, &n.Title, &n.Trust} }), `
select
  m.id,
  m.title,
  `+ref.TrustOf("m")+`
from json_each(?1) l
join memories m on m.id = l.value
where ?2 in ('', m.namespace)`, db.List(ids), m.store.Caller.Namespace)
	if err != nil {
		return err
	}
	for _, n := range here {
		names[n.ID] = n
	}
	for i := range m.done.Settle {
		one := &m.done.Settle[i]
		a, b := names[one.ID], names[one.Other]
		one.Title, one.Trust, one.OtherTitle, one.OtherTrust = a.Title, a.Trust, b.Title, b.Trust
	}
	slices.SortStableFunc(m.done.Settle, func(a, b ToSettle) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Title, b.Title), cmp.Compare(a.ID, b.ID))
	})
	return nil
}

// Add adds the results of a later merge of the same sync.
func (m *Merged) Add(later Merged) {
	for _, sum := range []struct {
		into *int
		more int
	}{
		{&m.Memories.Added, later.Memories.Added}, {&m.Memories.Changed, later.Memories.Changed}, {&m.Memories.Present, later.Memories.Present},
		{&m.Edges.Added, later.Edges.Added}, {&m.Edges.Changed, later.Edges.Changed}, {&m.Edges.Present, later.Edges.Present},
		{&m.Forgotten, later.Forgotten}, {&m.Purged, later.Purged}, {&m.Unlinked, later.Unlinked}, {&m.LeftOut, later.LeftOut},
	} {
		*sum.into += sum.more
	}
	m.Settle, m.Warnings = append(m.Settle, later.Settle...), append(m.Warnings, later.Warnings...)
}

// Tag returns the tag of the store, which tells its stamps from those of other stores.
func Tag(ctx context.Context, s ref.View) (tag string, err error) {
	tag, _, err = db.One[string](ctx, s.DB, `select tag from store`)
	return tag, err
}
