package vectors

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/memory/embed"
)

// EmbedArgs name the embedder of a store.
type EmbedArgs struct {
	Embedder string `json:"embedder" jsonschema:"none, builtin:en-1, ollama:<model> or openai:<url>,<model>"`
}

// EmbedStatus is the embedder of a store and its progress.
type EmbedStatus struct {
	Embedder   string     `json:"embedder" jsonschema:"the one in force; none where there is none"`
	Dimensions int        `json:"dimensions"`
	Embedded   int        `json:"embedded" jsonschema:"sections with a vector"`
	Pending    int        `json:"pending" jsonschema:"sections that wait for one"`
	Building   *EmbedNext `json:"building,omitempty" jsonschema:"what takes its place when nothing of it is pending"`
}

// EmbedNext is the embedder that will replace the one in force.
type EmbedNext struct {
	Embedder string `json:"embedder"`
	Embedded int    `json:"embedded"`
	Pending  int    `json:"pending"`
}

// EmbedStatus returns the embedder in force and the one being built, with their progress.
func (s Store) EmbedStatus(ctx context.Context) (status EmbedStatus, err error) {
	status.Embedder = "none"
	err = s.DB.Read(ctx, func(r *db.Reader) error {
		all, err := modelsOf(ctx, r)
		if err != nil {
			return err
		}
		for _, m := range all {
			embedded, pending, err := progressOf(ctx, r, m)
			if err != nil {
				return err
			}
			if m.building {
				status.Building = &EmbedNext{m.Name, embedded, pending}
			} else {
				status.Embedder, status.Dimensions, status.Embedded, status.Pending = m.Name, m.Dimensions, embedded, pending
			}
		}
		return nil
	})
	return status, err
}

// EmbedSet chooses the embedder. The one in force stays until every vector of the new one is
// made; "none", and a model that is built in, take effect at once. It fails with invalid_argument for an unknown name, and with
// unavailable if the embedder makes no vector.
func (s Store) EmbedSet(ctx context.Context, a EmbedArgs) (status EmbedStatus, err error) {
	if a.Embedder == "" {
		return status, fault.New(fault.InvalidArgument, "embed set: which one? This machine has %s; none, and openai:<url>,<model> of another one, can be set too", strings.Join(embed.Found(ctx), ", "))
	}
	statements := []db.Stmt{db.S(`delete from embedders where state = 'building'`)}
	if a.Embedder == "none" {
		statements = append(statements, db.S(`delete from embedders`))
	} else {
		e, err := embed.Open(a.Embedder)
		if err != nil {
			return status, err
		}
		vectors, err := e.Embed(ctx, []string{"a text to see whether it answers"})
		if err != nil {
			return status, err
		}
		statements = append(statements, db.S(`insert into embedders (name, state, dimensions) values (?, 'building', ?)`, a.Embedder, len(vectors[0])))
	}
	if _, err := s.DB.Write(ctx, s.Caller.Actor, db.Now(), statements...); err != nil {
		return status, err
	}
	if isBuiltin(a.Embedder) {
		return s.EmbedRun(ctx, nil)
	}
	return s.EmbedStatus(ctx)
}

// EmbedRun makes the missing vectors, and puts a new embedder in force when it has a vector
// of every section. It takes over from a process that is making them, which then stops.
// progress, which may be nil, is called before each batch with the numbers of sections. A
// run that was interrupted resumes where it stopped.
func (s Store) EmbedRun(ctx context.Context, progress func(done, total int)) (status EmbedStatus, err error) {
	all, err := modelsOf(ctx, s.DB)
	if err != nil {
		return status, err
	}
	if len(all) == 0 {
		return status, fault.New(fault.InvalidArgument, "embed: there is no embedder; choose one with hence embed set")
	}
	b := s.builderOf(all[len(all)-1]) // a model that will be replaced gets no new vectors
	b.progress, b.takesOver = progress, true
	if err := b.run(ctx); err != nil {
		return status, err
	}
	return s.EmbedStatus(ctx)
}

// progressOf returns the number of sections with a vector of a model and the number that wait
// for one.
func progressOf(ctx context.Context, from db.Source, m Model) (embedded, pending int, err error) {
	err = db.Each(ctx, from, func(row *sql.Rows) error { return row.Scan(&embedded, &pending) }, `
select
  (select count(iif(?2, next, vector)) from vectors),
  (select count(*) `+waiting+`)`, m.Key, m.building)
	return embedded, pending, err
}

// maxPause is the longest pause after an error. A model's server may be down for days, and
// is then not to be called every few seconds.
const maxPause = 5 * time.Minute

// KeepEmbedded makes missing vectors until ctx ends, also those of an embedder that is chosen
// in the meantime. It looks for waiting texts when wake receives, and at the interval every
// for the changes of other processes. After an error it doubles the pause, up to maxPause,
// and ignores wake. It passes an error to failed unless the previous one read the same.
func (s Store) KeepEmbedded(ctx context.Context, every time.Duration, wake <-chan struct{}, failed func(error)) {
	pause, lastError := every, ""
	for {
		err := s.EmbedWaiting(ctx, nil)
		if ctx.Err() != nil {
			return
		}
		wakeup := wake
		if err == nil {
			pause, lastError = every, ""
		} else {
			wakeup, pause = nil, min(2*pause, maxPause)
			if err.Error() != lastError {
				lastError = err.Error()
				failed(err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-wakeup:
		case <-time.After(pause):
		}
	}
}

// EmbedWaiting makes the missing vectors, if there is an embedder and no other process is
// making them. progress is as in EmbedRun.
func (s Store) EmbedWaiting(ctx context.Context, progress func(done, total int)) error {
	all, err := modelsOf(ctx, s.DB)
	if err != nil || len(all) == 0 {
		return err
	}
	model := all[len(all)-1]
	waits, _, err := db.One[bool](ctx, s.DB, `select exists (select 1 `+waiting+`)`, model.Key)
	if err != nil || !waits && !model.building {
		return err
	}
	b := s.builderOf(model)
	b.progress = progress
	if err := b.run(ctx); !errors.Is(err, errBusy) {
		return err
	}
	return nil
}

// EmbedBefore makes vectors before a search of a namespace, or of the store if it is "", by a model that is
// built in, as far as a person does not notice: of a batch of sections, such as those that the sqlite3
// shell has written. A search says how many still wait then, be it that the store cannot be written right now.
func (s Store) EmbedBefore(ctx context.Context, m Model, namespace string) error {
	if !m.isBuiltin() || s.DB.ReadOnly() {
		return nil
	}
	b := s.builderOf(m)
	b.namespace = namespace
	bounded, stop := context.WithTimeout(ctx, unnoticed)
	defer stop()
	_, err := b.batch(bounded)
	if ctx.Err() == nil && (bounded.Err() != nil || fault.CodeOf(err) == fault.Unavailable) {
		return nil
	}
	return err
}

// unnoticed is how long a search waits for vectors, such as when another process is writing.
const unnoticed = 200 * time.Millisecond

const (
	batchSize     = 256              // sections that are read, embedded and written together
	orderedSize   = 2048             // that number where all of them are made: a batch looks each word up once
	remoteSize    = 64               // that number for a model that takes longer
	claimDuration = 2 * time.Minute  // another process may take over if no batch was written for it
	builtinClaim  = 10 * time.Second // that time for a model that is built in
)

// waiting is the SQL from clause for the sections that wait for a vector of the model ?1.
const waiting = `
from vectors_waiting w
cross join sections s on s.key = w.section and w.embedder = ?1
cross join memories m on m.key = s.memory and m.status <> 'forgotten'`

// builder makes the vectors of one model. Where that takes long, it holds a claim on the model in the
// store, so that one process at a time makes them.
type builder struct {
	Store
	Model
	namespace string // whose sections are read; "": of all
	inOrder   bool   // the oldest first
	claims    bool   // it holds the claim
	process   string // random id of this builder, by which the store knows whose the claim is
	takesOver bool   // claim the model even if another process holds it
	progress  func(done, total int)
}

func (s Store) builderOf(m Model) *builder {
	return &builder{Store: s, Model: m, process: rand.Text()}
}

// errBusy is the error of a builder that could not get the claim, or has lost it.
var errBusy = fault.New(fault.Conflict, "embed: another process makes the vectors, or another embedder was chosen; run it again")

// run makes vectors until no section waits, and then puts the model in force if it replaces
// another. It fails with errBusy if another process makes the vectors or takes over.
func (b *builder) run(ctx context.Context) (err error) {
	done, pending, err := progressOf(ctx, b.DB, b.Model)
	if err != nil {
		return err
	}
	b.inOrder = b.isBuiltin()
	if b.claims = !b.isBuiltin() || pending > orderedSize; b.claims {
		if err := b.claim(ctx); err != nil {
			return err
		}
		defer func() {
			if e := b.release(context.WithoutCancel(ctx)); err == nil {
				err = e
			}
		}()
	}
	for total := done + pending; err == nil; {
		if b.progress != nil {
			b.progress(done, max(done, total))
		}
		var read int
		if read, err = b.batch(ctx); read == 0 && err == nil {
			return b.activate(ctx)
		}
		done += read
	}
	return err
}

// batch makes and writes the vectors of some sections that wait, and returns their number.
func (b *builder) batch(ctx context.Context) (int, error) {
	texts, err := b.readWaiting(ctx)
	if err != nil || len(texts) == 0 {
		return 0, err
	}
	e, err := b.open()
	if err != nil {
		return 0, err
	}
	return len(texts), b.embed(ctx, e, texts)
}

// claim records in the store that this builder makes the vectors. It fails with errBusy if
// another process does, unless the builder takes over or the other claim has expired.
func (b *builder) claim(ctx context.Context) error {
	_, err := b.write(ctx, db.S(`
update embedders
set
  busy_with = ?2,
  busy_until = ?4
where key = ?1
  and (?5 or busy_with = '' or busy_until < ?3)`, b.Key, b.process, db.Now(), b.claimEnd(), b.takesOver), b.expectClaim())
	return err
}

// claimEnd returns until when a claim lasts that is made or extended now.
func (b *builder) claimEnd() string {
	if b.isBuiltin() {
		return db.Time(time.Now().Add(builtinClaim))
	}
	return db.Time(time.Now().Add(claimDuration))
}

// expectClaim returns a statement that rolls back its transaction with errBusy unless this
// builder holds the claim.
func (b *builder) expectClaim() db.Stmt {
	return db.Expect(`exists (select 1 from embedders where key = ? and busy_with = ?)`, errBusy, b.Key, b.process)
}

// release gives up the claim, if this builder still holds it.
func (b *builder) release(ctx context.Context) error {
	_, err := b.write(ctx, db.S(`
update embedders
set
  busy_with = '',
  busy_until = ''
where key = ?
  and busy_with = ?`, b.Key, b.process))
	return err
}

func (b *builder) write(ctx context.Context, statements ...db.Stmt) ([]int64, error) {
	return b.DB.Write(ctx, b.Caller.Actor, db.Now(), statements...)
}

// text is a section to embed.
type text struct {
	section  int64
	revision int64 // of its memory: a vector is not stored if it has changed since
	words    string
}

// readWaiting returns the next batch of sections without a vector, the newest first, so that a
// memory that was just stored does not wait behind a vault that was imported before it. All of them by
// a model that is built in take seconds: they are read in the order in which the table is filled with no page
// half empty.
func (b *builder) readWaiting(ctx context.Context) ([]text, error) {
	size, order := remoteSize, " desc"
	switch {
	case b.inOrder:
		size, order = orderedSize, ""
	case b.isBuiltin():
		size = batchSize
	}
	return db.Select(ctx, b.DB, func(row *sql.Rows) (t text, err error) {
		var title, heading, body string
		err = row.Scan(&t.section, &t.revision, &title, &heading, &body)
		t.words = strings.Join([]string{title, heading, body}, "\n")
		if strings.HasPrefix(body, title) { // the title was made from the first line
			t.words = body
		}
		return t, err
	}, `
select
  t.key,
  m.revision,
  t.title,
  t.heading,
  t.body`+waiting+`
cross join section_text t on t.key = w.section
where ?3 in ('', m.namespace)
order by w.section`+order+`
limit ?2`, b.Key, size, b.namespace)
}

// embed makes the vectors of a batch of sections, writes them and extends the claim.
func (b *builder) embed(ctx context.Context, e embed.Embedder, texts []text) error {
	words := make([]string, len(texts))
	for i, t := range texts {
		words[i] = t.words
	}
	vectors, err := e.Embed(ctx, words)
	if err != nil {
		return err
	}
	if err := b.check(vectors); err != nil {
		return err
	}
	var rows db.Rows
	var blobs []byte
	for i, t := range texts {
		blob := Blob(vectors[i])
		rows.Row(t.section, t.revision, len(blobs), len(blob))
		blobs = append(blobs, blob...)
	}
	statements := []db.Stmt{
		db.S(insertVectors[b.building], rows.Arg(), blobs, b.Key),
		db.S(deleteRead, rows.Arg(), nil, b.Key),
	}
	if b.claims {
		statements = append([]db.Stmt{b.expectClaim(), db.S(`update embedders set busy_until = ?2 where key = ?1`, b.Key, b.claimEnd())}, statements...)
	}
	_, err = b.write(ctx, statements...)
	return err
}

// stillWaiting is the SQL from clause for the rows of a batch whose section still waits for the model ?3, and
// whose memory has not changed since its text was read.
const stillWaiting = `
from json_each(?1) j
cross join sections s on s.key = j.value ->> 0
cross join memories m on m.key = s.memory and m.revision = j.value ->> 1
cross join vectors_waiting w on w.section = s.key and w.embedder = ?3`

// insertVectors stores the vectors of a batch, by whether the model is being built.
var insertVectors = map[bool]string{false: insertInto("vector"), true: insertInto("next")}

func insertInto(column string) string {
	return `
insert into vectors (section, ` + column + `)
select
  s.key,
  substr(?2, (j.value ->> 2) + 1, j.value ->> 3)` + stillWaiting + `
where j.value ->> 3 > 0
on conflict (section) do update set ` + column + ` = excluded.` + column
}

// deleteRead takes the sections of a batch off the list of those that wait.
const deleteRead = `
delete from vectors_waiting
where embedder = ?3
  and section in (select s.key ` + stillWaiting + `)`

// activate puts a model that was being built in force, in place of the previous one.
func (b *builder) activate(ctx context.Context) error {
	if !b.building {
		return nil
	}
	_, err := b.write(ctx,
		db.S(`delete from embedders where state = 'in force' and exists (select 1 from embedders where key = ?)`, b.Key),
		db.S(`update embedders set state = 'in force' where key = ?`, b.Key))
	return err
}

const maxWaiting = 1000 // waiting sections up to which a note gives their exact number

// WaitingNote returns a note on how many sections of a namespace, or of the store if it is
// "", wait for a vector of a model; nil if none does.
func WaitingNote(ctx context.Context, r *db.Reader, model int64, namespace string) ([]string, error) {
	n, _, err := db.One[int](ctx, r, `select count(*) from (select 1 `+waiting+` where ?2 in ('', m.namespace) limit ?3)`, model, namespace, maxWaiting+1)
	const suffix = "for a vector; only their words find them until then"
	switch {
	case err != nil || n == 0:
		return nil, err
	case n == 1:
		return []string{"1 text waits for its vector; only its words find it until then"}, nil
	case n > maxWaiting:
		return []string{fmt.Sprintf("more than %d texts wait %s", maxWaiting, suffix)}, nil
	}
	return []string{fmt.Sprintf("%d texts wait %s", n, suffix)}, nil
}
