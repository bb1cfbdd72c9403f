package vectors

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/memory/embed"
)

const (
	batchSize     = 64              // sections that are read, embedded and written together
	claimDuration = 2 * time.Minute // another process may take over if no batch was written for it
)

// builder makes the vectors of one model. It holds a claim on the model in the store, so that
// one process at a time makes them.
type builder struct {
	Store
	Model
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
	if err := b.claim(ctx); err != nil {
		return err
	}
	defer func() {
		if e := b.release(context.WithoutCancel(ctx)); err == nil {
			err = e
		}
	}()
	e, err := b.open()
	if err != nil {
		return err
	}
	done, pending, err := progressOf(ctx, b.DB, b.Model)
	total := done + pending
	for err == nil {
		if b.progress != nil {
			b.progress(done, max(done, total))
		}
		var texts []text
		if texts, err = b.readWaiting(ctx); err != nil {
			break
		}
		if len(texts) == 0 {
			return b.activate(ctx)
		}
		err = b.embed(ctx, e, texts)
		done += len(texts)
	}
	return err
}

// claim records in the store that this builder makes the vectors. It fails with errBusy if
// another process does, unless the builder takes over or the other claim has expired.
func (b *builder) claim(ctx context.Context) error {
	now := time.Now()
	_, err := b.write(ctx, db.S(`
update embedders
set
  busy_with = ?2,
  busy_until = ?4
where key = ?1
  and (?5 or busy_with = '' or busy_until < ?3)`, b.Key, b.process, db.Time(now), db.Time(now.Add(claimDuration)), b.takesOver), b.expectClaim())
	return err
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

// readWaiting returns the next batch of sections without a vector, the newest first, so that a
// memory that was just stored does not wait behind a vault that was imported before it.
func (b *builder) readWaiting(ctx context.Context) ([]text, error) {
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
  w.section,
  m.revision,
  t.title,
  t.heading,
  t.body
from vectors_waiting w
cross join sections s on s.key = w.section
cross join memories m on m.key = s.memory and m.status <> 'forgotten'
cross join section_text t on t.key = w.section
where w.embedder = ?1
order by w.section desc
limit ?2`, b.Key, batchSize)
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
	statements := []db.Stmt{
		b.expectClaim(),
		db.S(`update embedders set busy_until = ?2 where key = ?1`, b.Key, db.Time(time.Now().Add(claimDuration))),
	}
	for i, t := range texts {
		statements = append(statements,
			db.S(insertInto("vectors", "vector"), b.Key, t.section, t.revision, Blob(vectors[i])),
			db.S(insertInto("vector_codes", "code"), b.Key, t.section, t.revision, Code(vectors[i])))
	}
	_, err = b.write(ctx, statements...)
	return err
}

// insertInto returns the SQL statement that stores the vector of a section, or its code, unless
// the memory's revision has changed since the text was read.
func insertInto(table, column string) string {
	return `
insert or replace into ` + table + ` (embedder, section, ` + column + `)
select
  ?1,
  s.key,
  ?4
from sections s
join memories m on m.key = s.memory
where s.key = ?2
  and m.revision = ?3`
}

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
	n, _, err := db.One[int](ctx, r, `
select count(*)
from (
  select 1
  from vectors_waiting w
  cross join sections s on s.key = w.section
  cross join memories m on m.key = s.memory
  where w.embedder = ?1
    and m.status <> 'forgotten'
    and (?2 = '' or m.namespace = ?2)
  limit ?3
)`, model, namespace, maxWaiting+1)
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
