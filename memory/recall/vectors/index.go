package vectors

import (
	"context"
	"database/sql"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/memory/embed"
)

// EmbedArgs choose what makes the vectors of a store.
type EmbedArgs struct {
	Embedder string `json:"embedder" jsonschema:"none, static:<folder>, ollama:<model> or openai:<url>,<model>"`
}

// EmbedStatus says what makes the vectors of a store, and its progress.
type EmbedStatus struct {
	Embedder   string     `json:"embedder" jsonschema:"the one in force; none where there is none"`
	Dimensions int        `json:"dimensions"`
	Embedded   int        `json:"embedded" jsonschema:"sections with a vector"`
	Pending    int        `json:"pending" jsonschema:"sections that wait for one"`
	Building   *EmbedNext `json:"building,omitempty" jsonschema:"what takes its place when nothing of it is pending"`
}

// EmbedNext is an embedder that is to take the place of the one in force.
type EmbedNext struct {
	Embedder string `json:"embedder"`
	Embedded int    `json:"embedded"`
	Pending  int    `json:"pending"`
}

// EmbedStatus reads which embedder is in force.
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
				status.Building = &EmbedNext{m.name, embedded, pending}
			} else {
				status.Embedder, status.Dimensions, status.Embedded, status.Pending = m.name, m.Dimensions, embedded, pending
			}
		}
		return nil
	})
	return status, err
}

// EmbedSet chooses the embedder. The one in force stays until EmbedRun has made
// every vector of the new one; "none" takes effect at once. It fails with
// invalid_argument for an unknown name, with not_found for a folder without a
// model, and with unavailable if the embedder makes no vector.
func (s Store) EmbedSet(ctx context.Context, a EmbedArgs) (status EmbedStatus, err error) {
	e, err := embed.Open(a.Embedder)
	if err != nil {
		return status, err
	}
	statements := []db.Stmt{db.S(`delete from embedders where state = 'building'`)}
	if a.Embedder == "none" {
		statements = append(statements, db.S(`delete from embedders`))
	} else {
		vectors, err := e.Embed(ctx, []string{"a text to see whether it answers"})
		if err != nil {
			return status, err
		}
		statements = append(statements, db.S(`insert into embedders (name, state, dimensions) values (?, 'building', ?)`, a.Embedder, len(vectors[0])))
	}
	if _, err := s.DB.Write(ctx, s.Caller.Actor, db.Now(), statements...); err != nil {
		return status, err
	}
	return s.EmbedStatus(ctx)
}

// EmbedRun makes the missing vectors, and puts a new embedder in force that has a
// vector of every section. It takes over from a process that is making them, which
// then stops. progress, which may be nil, is called with the number of sections. A run
// that was stopped continues where it was.
func (s Store) EmbedRun(ctx context.Context, progress func(done, of int)) (status EmbedStatus, err error) {
	all, err := modelsOf(ctx, s.DB)
	if err != nil {
		return status, err
	}
	if len(all) == 0 {
		return status, fault.New(fault.InvalidArgument, "embed: there is no embedder; choose one with hence embed set")
	}
	b := s.builderOf(all[len(all)-1]) // one that will be replaced is not updated first
	b.progress, b.takesOver = progress, true
	if err := b.run(ctx); err != nil {
		return status, err
	}
	return s.EmbedStatus(ctx)
}

// text is a section to make a vector of.
type text struct {
	section  int64
	revision int64 // of its memory: a text that has changed since it was read gets no vector
	words    string
}

// progressOf counts the sections with a vector and those that wait for one.
func progressOf(ctx context.Context, from db.Source, m Model) (embedded, pending int, err error) {
	err = db.Each(ctx, from, func(row *sql.Rows) error { return row.Scan(&embedded, &pending) }, `
select
  (select count(*) from vector_codes where embedder = ?1),
  (
    select count(*)
    from vectors_waiting w
    cross join sections s on s.key = w.section
    cross join memories m on m.key = s.memory and m.status <> 'forgotten'
    where w.embedder = ?1
  )`, m.Key)
	return embedded, pending, err
}
