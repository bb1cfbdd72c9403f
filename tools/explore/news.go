package explore

import (
	"context"
	"slices"

	"hence/internal/db"
	"hence/internal/ref"
	"hence/internal/secret"
)

// News sums up changes of memories and edges that a caller may read.
type News struct {
	Changes  int       `json:"changes"`            // number of changes, at most 200
	More     bool      `json:"more,omitempty"`     // there are earlier ones
	Mine     bool      `json:"mine,omitempty"`     // the caller made all of them
	Replaced bool      `json:"replaced,omitempty"` // the store was replaced by a backup
	IDs      []string  `json:"ids"`                // memories that changed, or whose edges did
	Main     *NewsItem `json:"told,omitempty"`     // the most telling change
}

// NewsItem is one change of a memory, or of an edge.
type NewsItem struct {
	Actor  string `json:"actor"`
	Action string `json:"action"`
	ID     string `json:"id"`             // of the memory, or of the one at the start of the edge
	Title  string `json:"title"`          // "" if the memory was purged
	What   string `json:"what,omitempty"` // the fields that changed, or the edge
	other  string // id of the memory at the end of the edge
}

// maxNews is the limit of changes in one event.
const maxNews = 200

// newsOrder lists actions from the least to the most telling. Other actions only follow from
// these.
var newsOrder = []string{"unlink", "link", "reinstate", "supersede", "verify", "restore", "forget", "purge", "update", "store"}

// news returns the changes after a row of the journal, and the number of the last row that they
// cover, which must not be sent to a confined caller.
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
		rows, err := db.Select(ctx, r, db.Fields(func(t *NewsItem) []any {
			return []any{&t.Actor, &t.Action, &t.ID, &t.other, &t.Title, &t.What}
		}), selectNews, q.Caller.Namespace, after, maxNews+1)
		if n.More = len(rows) > maxNews; n.More {
			rows = rows[:maxNews]
		}
		n.sumUp(rows, q.Caller)
		return err
	})
	return n, last, err
}

// sumUp sets the fields of n from changes, the latest first.
func (n *News) sumUp(rows []NewsItem, caller ref.Caller) {
	n.Changes = len(rows)
	n.Mine = n.Changes > 0
	best := -1
	for i, t := range rows {
		n.Mine = n.Mine && t.Actor == caller.Actor
		for _, id := range []string{t.ID, t.other} {
			if id != "" && !slices.Contains(n.IDs, id) {
				n.IDs = append(n.IDs, id)
			}
		}
		if rank := slices.Index(newsOrder, t.Action); rank > best {
			best = rank
			n.Main = &rows[i]
		}
	}
	if n.Main != nil {
		n.Main.Title, n.Main.What = secret.Mask(n.Main.Title), secret.Mask(n.Main.What)
	}
}

// selectNews selects changes, the latest first, so that it can stop after the limit.
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
