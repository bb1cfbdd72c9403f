package explore

import (
	"context"
	"slices"

	"hence/internal/db"
	"hence/internal/ref"
	"hence/internal/secret"
)

// News is what has changed in what a caller reads.
type News struct {
	Changes  int      `json:"changes"`            // rows of the journal, at most 200
	More     bool     `json:"more,omitempty"`     // there are others before them
	Mine     bool     `json:"mine,omitempty"`     // the caller's name stands at all of them
	Replaced bool     `json:"replaced,omitempty"` // the store is another one now, from a backup
	IDs      []string `json:"ids"`                // memories that changed, or whose edges did
	Told     *Told    `json:"told,omitempty"`     // the change that says most
}

// Told is one change: of a memory, or of an edge with the memory at its other end.
type Told struct {
	Actor  string `json:"actor"`
	Action string `json:"action"`
	ID     string `json:"id"`
	Title  string `json:"title"`          // "" of a memory that was purged
	What   string `json:"what,omitempty"` // the fields that changed, or the edge
	other  string // id of the other end of an edge
}

// maxNews is the most changes that one event tells of.
const maxNews = 200

// telling orders actions by how much they say; the others follow from them.
var telling = []string{"unlink", "link", "reinstate", "supersede", "verify", "restore", "forget", "purge", "update", "store"}

// news returns what has changed after a row of the journal, and the last row that it
// covers. The number of a row never gets to a confined caller.
func (q reader) news(ctx context.Context, after int64) (n News, last int64, err error) {
	n.IDs = []string{}
	last = after
	err = q.DB.Read(ctx, func(r *db.Reader) error {
		if last, _, err = db.One[int64](ctx, r, `select coalesce(max(seq), 0) from journal`); err != nil || last == after {
			return err
		}
		if last < after {
			n.Replaced = true
			return nil
		}
		rows, err := db.Select(ctx, r, db.Fields(func(t *Told) []any {
			return []any{&t.Actor, &t.Action, &t.ID, &t.other, &t.Title, &t.What}
		}), selectNews, q.Caller.Namespace, after, maxNews+1)
		if n.More = len(rows) > maxNews; n.More {
			rows = rows[:maxNews]
		}
		n.read(rows, q.Caller)
		return err
	})
	return n, last, err
}

// read sums up some changes, the latest first.
func (n *News) read(rows []Told, caller ref.Caller) {
	n.Changes = len(rows)
	n.Mine = n.Changes > 0
	most := -1
	for i, t := range rows {
		n.Mine = n.Mine && t.Actor == caller.Actor
		for _, id := range []string{t.ID, t.other} {
			if id != "" && !slices.Contains(n.IDs, id) {
				n.IDs = append(n.IDs, id)
			}
		}
		if says := slices.Index(telling, t.Action); says > most {
			most = says
			n.Told = &rows[i]
		}
	}
	if n.Told != nil {
		n.Told.Title, n.Told.What = secret.Mask(n.Told.Title), secret.Mask(n.Told.What)
	}
}

// selectNews reads changes backwards, so that it stops after the last ones.
const selectNews = `
select
  j.actor,
  j.action,
  iif(j.thing = 'memory', j.id, coalesce(j.from_id, '')),
  iif(j.thing = 'memory', '', coalesce(j.to_id, '')),
  coalesce(j.title, ''),
  j.what
from change_list j
where j.seq > ?2
  and ?1 in ('', j.namespace)
order by j.seq desc
limit ?3`
