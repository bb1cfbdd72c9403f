package vectors

import (
	"context"
	"database/sql"
	"strings"

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
