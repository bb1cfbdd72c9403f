package projection

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/memory/journal"
	"hence/projection/folder"
	"hence/projection/undolog"
)

// A transaction writes at most groupFiles files and about groupBytes of text: enough
// to be quick, few enough to let other writers in.
const (
	groupFiles = 1000
	groupBytes = 4 << 20
)

// project is one import in progress.
type project struct {
	Mirror
	dir, name, namespace string
	folder               *folder.Folder
	source               Source
	directory            Directory
	known                Known

	whole   bool              // the whole folder is imported, not only what a watcher saw
	again   bool              // every file is read, because Source.Version has changed
	files   []folder.Entry    // the files found by the scan
	scanned []folder.Warning  // the warnings of the scan
	renamed map[string]string // new path → old path, as a watcher saw it

	documents  []*Document       // those added and updated, in the order of their paths
	added      []*Document       // new paths, those moved to included
	updated    []*Document       // known paths with other bytes
	touched    []*Document       // known paths with the same bytes and another time
	failed     []*Document       // could not be read
	removed    []string          // known paths that are gone, those moved from included
	moved      map[string]string // new path → old path
	concerned  []string          // target keys of the stored sites to resolve again
	dependents []*Document       // unchanged files whose sites are written again
	units      unitPlan          // which stored units are renamed or forgotten

	vault        int64            // key of the vault
	memories     map[string]int64 // path → key of the memory; filled by loadKeys
	touchedEdges map[int64]bool   // edges that may have lost or gained a site
	importedAt   string

	hasWritten bool // a transaction of the batch was committed

	mu          sync.Mutex // guards done: files are read in parallel
	done, total int
}

// step counts one more file as read or written, and reports the progress.
func (p *project) step() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	if p.Progress != nil {
		p.Progress(p.done, p.total)
	}
}

// run imports the changes of the folder. A dry run writes nothing.
func (p *project) run(ctx context.Context, dryRun bool) error {
	changed := p.compare()
	p.vault = p.known.Key
	p.memories, p.touchedEdges, p.importedAt = map[string]int64{}, map[int64]bool{}, p.known.importedAt
	if !dryRun {
		if err := p.beginBatch(ctx); err != nil {
			return err
		}
	}
	if p.known.Key == 0 && !dryRun && !p.Format.isCode() {
		return inOrder(ctx, func(ctx context.Context) error { return p.writeFirst(ctx, changed) }, p.endBatch)
	}
	p.read(ctx, changed)
	if err := ctx.Err(); err != nil {
		return fault.Wrap(fault.Unavailable, err, "import %s: interrupted before any memory was written; import again", p.dir)
	}
	if err := p.findMoves(ctx); err != nil {
		return err
	}
	if len(p.documents)+len(p.removed) > 0 {
		if err := inOrder(ctx, p.updateDirectory, p.complete, p.planUnits); err != nil {
			return err
		}
	}
	if dryRun {
		return nil
	}
	if len(p.documents)+len(p.removed) == 0 && !p.again {
		// Refused links are decided again: the edge that excluded one may be gone without a
		// change of a file.
		return inOrder(ctx, p.decide, p.tidyEdges, p.writeTouched, p.endBatch)
	}
	// First the memories, so that every site finds its target, then the sites.
	// Units that are gone are forgotten before others get their names.
	return inOrder(ctx, p.begin, p.forgetRemoved, p.writeMoves, p.markDependents, p.forgetGone, p.moveUnits, p.writeAllMemories,
		p.writeAllSites, p.resolveAgain, p.addPendingEdges, p.decide, p.tidyEdges, p.writeTouched, p.finish, p.endBatch)
}

// changes returns what the import has found so far.
func (p *project) changes() *Changes {
	return &Changes{DB: p.DB, Known: p.known, Documents: p.documents, Removed: p.removed, Moved: p.moved, Read: p.readUnchanged, Bytes: p.bytesOf}
}

func (p *project) updateDirectory(ctx context.Context) (err error) {
	p.concerned, err = p.directory.Update(ctx, p.changes())
	return err
}

func (p *project) complete(ctx context.Context) (err error) {
	p.dependents, err = p.directory.Complete(ctx, p.changes())
	p.total += len(p.dependents)
	return err
}

// writeFirst imports a folder that the store does not know. Since no file can have moved,
// it reads files while it writes those before them. Source code is read whole before any of it is written, because
// the name of a unit may depend on files that come later.
func (p *project) writeFirst(ctx context.Context, files []folder.Entry) error {
	if err := p.begin(ctx); err != nil {
		return err
	}
	groups := append(slices.Collect(slices.Chunk(files, groupFiles/2)), nil)
	err := ahead(slices.Values(groups), func(group []folder.Entry) ([][]db.Stmt, error) {
		if group == nil { // all are read, and the last group is being written
			return nil, p.complete(ctx)
		}
		c := p.changes()
		c.Documents = p.read(ctx, group)
		if _, err := p.directory.Update(ctx, c); err != nil {
			return nil, err
		}
		return p.memoryChunks(c.Documents), nil
	}, p.writeMemories(ctx))
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return fault.Wrap(fault.Unavailable, err, "import %s: interrupted before everything was written; import again", p.dir)
	}
	// Links are judged as they are read, in the order in which decide does. Refused links
	// wait for decide, which examines all links again; most vaults have none.
	return inOrder(ctx, p.writeAllSites, p.decide, p.tidyEdges, p.finish)
}

func inOrder(ctx context.Context, steps ...func(context.Context) error) error {
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// groups cuts documents into groups, one for each transaction.
func groups(documents []*Document) iter.Seq[[]*Document] {
	return func(yield func([]*Document) bool) {
		first, bytes := 0, 0
		for i, d := range documents {
			size := len(d.Content) + 100*len(d.Sites) // about what is written of it
			for _, u := range d.Units {
				size += 400 + len(u.Content)
			}
			if i > first && (i-first == groupFiles || bytes+size > groupBytes) {
				if !yield(documents[first:i]) {
					return
				}
				first, bytes = i, 0
			}
			bytes += size
		}
		if first < len(documents) {
			yield(documents[first:])
		}
	}
}

// ahead calls prepare for each group, and write for each result in order. It prepares the
// next group while it writes one.
func ahead[G, T any](groups iter.Seq[G], prepare func(G) (T, error), write func(T) error) (err error) {
	next, stop := make(chan T), make(chan struct{})
	var preparing errgroup.Group
	preparing.Go(func() error {
		defer close(next)
		for group := range groups {
			value, err := prepare(group)
			if err != nil {
				return err
			}
			select {
			case next <- value:
			case <-stop:
				return nil
			}
		}
		return nil
	})
	for value := range next {
		if err = write(value); err != nil {
			break
		}
	}
	close(stop)
	failed := preparing.Wait()
	return cmp.Or(err, failed)
}

// commit runs statements in one transaction of the batch, in the caller's name. A trigger
// makes a memory that loses its successor current again; markReinstated undoes that if its
// own file declares it superseded.
func (p *project) commit(ctx context.Context, statements ...db.Stmt) error {
	if len(statements) == 0 {
		return nil
	}
	last, _, err := db.One[int64](ctx, p.DB, `select coalesce(max(seq), 0) from journal`)
	if err != nil {
		return err
	}
	statements = append(append(statements, db.S(markReinstated, last), p.batch.Open()), p.batch.Close()...)
	_, err = p.DB.Write(ctx, p.Caller.Actor, db.Now(), statements...)
	p.hasWritten = p.hasWritten || err == nil
	return err
}

// oneRun is how long after the beginning of an import a watcher's next ones are part of its batch, if the format
// keeps versions: an agent that tidies its files takes minutes, and one undo takes all of it back.
const oneRun = 10 * time.Minute

// beginBatch gives the import a batch of its own, unless it is part of another. It reuses
// the number of an import that was interrupted.
func (p *project) beginBatch(ctx context.Context) error {
	if p.batch.Number != 0 {
		return nil
	}
	if p.Format.Keeps {
		p.Caller.Actor = p.name // the client, which changed its files
	}
	p.batch = journal.Batch{Operation: "import", Vault: p.name, Namespace: p.namespace, What: p.dir, First: p.known.Key == 0}
	number, interrupted, err := db.One[int64](ctx, p.DB, `
select batch
from batches
where mirror = ?
  and operation = 'import'
  and done = 0
order by batch
limit 1`, p.name)
	p.hasWritten = interrupted // maybe all but the end of the batch
	ok := interrupted
	if err == nil && !ok && p.Format.Keeps && p.onlyKnown {
		number, ok, err = db.One[int64](ctx, p.DB, `
select batch
from batches
where batch = (select min(batch) from batches where mirror = ?1)
  and operation = 'import'
  and not first
  and undone_by is null
  and at >= ?2`, p.name, db.Time(time.Now().Add(-oneRun)))
	}
	if err == nil && !ok {
		number, err = journal.NewBatch(ctx, p.DB)
	}
	p.batch.Number = number
	return err
}

// endBatch records that the import is done, even if its caller has been cancelled. It
// deletes a batch without changes, unless it is the vault's first.
func (p *project) endBatch(ctx context.Context) error {
	if !p.hasWritten || p.batch.Operation != "import" {
		return nil
	}
	statements := []db.Stmt{undolog.LinkMemories(p.name)}
	if p.Format.Keeps {
		statements = undolog.Tell(p.batch)
	}
	_, err := p.DB.Write(context.WithoutCancel(ctx), p.Caller.Actor, db.Now(), append(statements,
		db.S(`update batches set done = 1 where batch = ?`, p.batch.Number),
		db.S(`delete from batches where batch = ? and changes = 0 and first = 0`, p.batch.Number))...)
	return err
}

const markReinstated = `
update memories
set status = 'superseded'
where status = 'current'
  and id in (select id from journal where seq > ?1 and action = 'reinstate')
  and key in (select memory from files where superseded)`

// begin inserts the vault's row, or sets its extraction to 0 until finish sets it again:
// an import that is stopped in between has not resolved all links again, so that the next
// one has to read every file. A vault that was forgotten since the import read it stays so.
func (p *project) begin(ctx context.Context) error {
	uri := p.Format.prefix(p.name)
	expected := db.Expect(noneHeldElsewhere, fault.New(fault.Conflict,
		"import %s: memories of %s are in another namespace than %s, where edges hold them; import into that namespace, or give another --name",
		p.dir, uri, p.namespace), uri, uri+"\U0010FFFF", p.namespace)
	if p.known.Key != 0 {
		expected = db.Expect(`exists (select 1 from mirrors where key = ?)`, fault.Wrap(fault.NotFound, errNotInStore, "import %s", p.dir), p.known.Key)
	}
	err := p.commit(ctx, expected, db.S(`
insert into mirrors (name, form, root, namespace, extraction, imported_at)
values (?1, ?4, ?2, ?3, 0, (select at from writer))
on conflict (name) do update set
  root = excluded.root,
  extraction = 0`, p.name, p.dir, p.namespace, p.Format.Form))
	if err != nil || p.known.Key != 0 {
		return err
	}
	p.vault, _, err = db.One[int64](ctx, p.DB, `select key from mirrors where name = ?`, p.name)
	return err
}

// noneHeldElsewhere is the condition that no memory under the folder's uris has an edge in
// another namespace than ?3, so that a forgotten folder may be imported into that.
const noneHeldElsewhere = `not exists (
  select 1
  from memories m
  where m.uri >= ?1
    and m.uri < ?2
    and m.namespace <> ?3
    and (
      exists (select 1 from edges where from_key = m.key)
      or exists (select 1 from edges where to_key = m.key)
    )
)`

// finish records in the vault's row that everything is written.
func (p *project) finish(ctx context.Context) error {
	err := p.commit(ctx, db.S(`
update mirrors
set
  extraction = ?2,
  imported_at = (select at from writer)
where key = ?1`, p.vault, p.source.Version()))
	if err != nil {
		return err
	}
	p.importedAt, _, err = db.One[string](ctx, p.DB, `select imported_at from mirrors where key = ?`, p.vault)
	return err
}
