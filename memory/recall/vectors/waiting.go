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
	embedTogether = 64              // sections that are read, embedded and written together
	busyFor       = 2 * time.Minute // without a group of vectors, and another process takes over
)

// builder makes the vectors of one model. One process at a time does, until it is done
// or another takes over.
type builder struct {
	Store
	Model
	process   string // the name of this builder among those of all processes
	takesOver bool   // from a process that is busy
	progress  func(done, of int)
}

func (s Store) builderOf(m Model) *builder {
	return &builder{Store: s, Model: m, process: rand.Text()}
}

// errBusy says that another process makes the vectors.
var errBusy = fault.New(fault.Conflict, "embed: another process makes the vectors, or another embedder was chosen; run it again")

// run makes vectors until no section waits, and puts a model that replaces another in
// force then. It fails with errBusy if another process is at it or takes over.
func (b *builder) run(ctx context.Context) (err error) {
	if err := b.begin(ctx); err != nil {
		return err
	}
	defer func() {
		if e := b.end(context.WithoutCancel(ctx)); err == nil {
			err = e
		}
	}()
	e, err := b.open()
	if err != nil {
		return err
	}
	done, pending, err := progressOf(ctx, b.DB, b.Model)
	of := done + pending
	for err == nil {
		if b.progress != nil {
			b.progress(done, max(done, of))
		}
		var texts []text
		if texts, err = b.readWaiting(ctx); err != nil {
			break
		}
		if len(texts) == 0 {
			return b.putInForce(ctx)
		}
		err = b.embed(ctx, e, texts)
		done += len(texts)
	}
	return err
}

// begin says in the store that this builder makes the vectors.
func (b *builder) begin(ctx context.Context) error {
	now := time.Now()
	_, err := b.write(ctx, db.S(`
update embedders
set
  busy_with = ?2,
  busy_until = ?4
where key = ?1
  and (?5 or busy_with = '' or busy_until < ?3)`, b.Key, b.process, db.Time(now), db.Time(now.Add(busyFor)), b.takesOver), b.isOurs())
	return err
}

// isOurs rolls back a batch if another process makes the vectors.
func (b *builder) isOurs() db.Stmt {
	return db.Expect(`exists (select 1 from embedders where key = ? and busy_with = ?)`, errBusy, b.Key, b.process)
}

// end lets others make vectors.
func (b *builder) end(ctx context.Context) error {
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

// readWaiting returns some of the sections without a vector, the latest first: a memory
// that was just stored does not wait for a vault that was imported before it.
func (b *builder) readWaiting(ctx context.Context) ([]text, error) {
	return db.Select(ctx, b.DB, func(row *sql.Rows) (t text, err error) {
		var title, heading, body string
		err = row.Scan(&t.section, &t.revision, &title, &heading, &body)
		t.words = strings.Join([]string{title, heading, body}, "\n")
		if strings.HasPrefix(body, title) { // a title made of the first line
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
limit ?2`, b.Key, embedTogether)
}

// embed makes and writes the vectors of some sections.
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
		b.isOurs(),
		db.S(`update embedders set busy_until = ?2 where key = ?1`, b.Key, db.Time(time.Now().Add(busyFor))),
	}
	for i, t := range texts {
		statements = append(statements,
			db.S(insertInto("vectors", "vector"), b.Key, t.section, t.revision, Blob(vectors[i])),
			db.S(insertInto("vector_codes", "code"), b.Key, t.section, t.revision, Code(vectors[i])))
	}
	_, err = b.write(ctx, statements...)
	return err
}

// insertInto returns the statement that stores a vector, or its code, unless the
// memory has changed.
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

// putInForce lets a model that has all vectors replace the one in force.
func (b *builder) putInForce(ctx context.Context) error {
	if !b.building {
		return nil
	}
	_, err := b.write(ctx,
		db.S(`delete from embedders where state = 'in force' and exists (select 1 from embedders where key = ?)`, b.Key),
		db.S(`update embedders set state = 'in force' where key = ?`, b.Key))
	return err
}

const maxWaiting = 1000 // sections that are counted for a warning

// WaitingNote says how many sections that a caller may read wait for a vector of a
// model, nothing if none does.
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
	const until = "for a vector; only their words find them until then"
	switch {
	case err != nil || n == 0:
		return nil, err
	case n == 1:
		return []string{"1 text waits for its vector; only its words find it until then"}, nil
	case n > maxWaiting:
		return []string{fmt.Sprintf("more than %d texts wait %s", maxWaiting, until)}, nil
	}
	return []string{fmt.Sprintf("%d texts wait %s", n, until)}, nil
}
