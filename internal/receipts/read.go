package receipts

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"time"

	"hence/internal/db"
	"hence/internal/fault"
)

// Session is a conversation that receipts of a store are kept of.
type Session struct {
	ID       string `json:"session"`
	Actor    string `json:"actor"` // of its last answer
	Began    string `json:"began"`
	Last     string `json:"last"`
	Receipts int    `json:"receipts"`
}

// Scope says whose receipts are read: those of a store, and of callers confined to a namespace if there
// is one.
type Scope struct{ Store, Namespace string }

// Last names the session that was given an answer last.
const Last = "last"

// Sessions lists the sessions with receipts, the latest first.
func (b *Book) Sessions(ctx context.Context, s Scope, limit int) (all []Session, err error) {
	all = []Session{}
	err = b.each(ctx, func(row *sql.Rows) error {
		var one Session
		var began, last int64
		err := row.Scan(&one.ID, &one.Actor, &began, &last, &one.Receipts)
		one.Began, one.Last = db.Time(time.UnixMilli(began)), db.Time(time.UnixMilli(last))
		all = append(all, one)
		return err
	}, `
select
  s.id,
  r.actor, -- of the row with the latest time, as max has it
  s.began,
  max(r.at),
  count(*)
from receipts r
join sessions s on s.key = r.session
where r.store = (select key from stores where tag = ?1)
  and ?2 in ('', r.namespace)
group by s.id
order by 4 desc
limit ?3`, s.Store, s.Namespace, limit)
	return all, err
}

// Find returns the id of a session by its id, a prefix of it, or Last. It fails with not_found and ambiguous.
func (b *Book) Find(ctx context.Context, s Scope, name string) (id string, err error) {
	all, err := b.Sessions(ctx, s, -1)
	if err != nil {
		return "", err
	}
	found := slices.DeleteFunc(slices.Clone(all), func(one Session) bool { return one.ID != name })
	if len(found) == 0 && name != Last {
		found = slices.DeleteFunc(slices.Clone(all), func(one Session) bool { return len(name) < 4 || len(one.ID) < len(name) || one.ID[:len(name)] != name })
	}
	switch {
	case len(all) == 0:
		return "", fault.New(fault.NotFound, "replay: no receipts of this store are kept yet")
	case name == Last:
		return all[0].ID, nil
	case len(found) == 0:
		return "", fault.New(fault.NotFound, "replay: no receipts of a session %q are kept; hence replay lists those that there are", name)
	case len(found) > 1:
		return "", fault.New(fault.Ambiguous, "replay: %d sessions begin with %q; give more of the id", len(found), name)
	}
	return found[0].ID, nil
}

// Of returns the receipts of a session and its helpers, the earliest first; of all sessions for "".
func (b *Book) Of(ctx context.Context, s Scope, id string, since time.Time) (all []Receipt, err error) {
	err = b.each(ctx, func(row *sql.Rows) error {
		one, err := scanReceipt(row)
		one.Store = s.Store
		all = append(all, one)
		return err
	}, selectReceipts+`
  and ?2 in ('', r.namespace)
  and ?3 in ('', s.id)
  and r.at >= ?4
order by r.at, r.key`, s.Store, s.Namespace, id, since.UnixMilli())
	return all, err
}

// selectReceipts selects what scanReceipt reads of the store with the tag ?1; conditions can follow.
const selectReceipts = `
select
  r.key,
  s.id,
  s.agent,
  r.namespace,
  r.actor,
  r.at,
  r.tool,
  r.outcome,
  r.micros,
  r.bytes_in,
  r.bytes_out,
  r.arguments,
  r.seen,
  r.hash,
  r.left_out,
  r.shown
from receipts r
join sessions s on s.key = r.session
where r.store = (select key from stores where tag = ?1)`

func scanReceipt(row *sql.Rows) (one Receipt, err error) {
	var at, micros int64
	var shown []byte
	err = row.Scan(&one.Key, &one.Session, &one.Agent, &one.Namespace, &one.Actor, &at, &one.Tool, &one.Outcome, &micros,
		&one.BytesIn, &one.BytesOut, &one.Arguments, &one.Seen, &one.Hash, &one.LeftOut, &shown)
	one.At, one.Took, one.Shown = time.UnixMilli(at), time.Duration(micros)*time.Microsecond, unpack(shown)
	one.Outcome = cmp.Or(one.Outcome, OK)
	return one, err
}

// each calls f for every row of a query. A nil book has none.
func (b *Book) each(ctx context.Context, f func(row *sql.Rows) error, query string, args ...any) error {
	if b == nil {
		return nil
	}
	return each(ctx, b.db, f, query, args...)
}

func each(ctx context.Context, in interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}, f func(row *sql.Rows) error, query string, args ...any) error {
	rows, err := in.QueryContext(ctx, query, args...)
	return db.EachOf(rows, err, f)
}

// Stats counts the calls since a time, by tool.
type Stats struct {
	Since string `json:"since,omitempty"` // "": all recorded calls
	Calls int    `json:"calls"`
	Tools []Tool `json:"tools"` // the most used first
}

// Tool describes how one tool was used.
type Tool struct {
	Name      string         `json:"tool"`
	Calls     int            `json:"calls"`
	Failures  int            `json:"failures"`
	Outcomes  map[string]int `json:"outcomes"` // calls by outcome
	P50Millis float64        `json:"p50_ms"`
	P95Millis float64        `json:"p95_ms"`
	BytesIn   int            `json:"bytes_in"`
	BytesOut  int            `json:"bytes_out"`
	LastAt    string         `json:"last_at"`
}

// Count returns the statistics of the calls since a time in the format of db.Time ("": all).
func (b *Book) Count(ctx context.Context, s Scope, since string) (Stats, error) {
	begin := time.UnixMilli(0)
	if since != "" {
		var err error
		if begin, err = time.Parse(time.RFC3339, since); err != nil {
			return Stats{}, fault.Wrap(fault.Internal, err, "stats: the time %q cannot be read", since)
		}
	}
	all, err := b.Of(ctx, s, "", begin)
	tools, times := map[string]*Tool{}, map[string][]time.Duration{}
	for _, r := range all {
		t := tools[r.Tool]
		if t == nil {
			t = &Tool{Name: r.Tool, Outcomes: map[string]int{}}
			tools[r.Tool] = t
		}
		t.Calls++
		if r.Outcome != OK {
			t.Failures++
		}
		t.Outcomes[r.Outcome]++
		t.BytesIn += r.BytesIn
		t.BytesOut += r.BytesOut
		t.LastAt = max(t.LastAt, db.Time(r.At))
		times[r.Tool] = append(times[r.Tool], r.Took)
	}
	result := Stats{Since: since, Calls: len(all), Tools: []Tool{}}
	for name, t := range tools {
		slices.Sort(times[name])
		t.P50Millis, t.P95Millis = quantile(times[name], 50), quantile(times[name], 95)
		result.Tools = append(result.Tools, *t)
	}
	slices.SortFunc(result.Tools, func(a, b Tool) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Name, b.Name))
	})
	return result, err
}

// quantile returns a percentile of times in ascending order by the nearest-rank method, in milliseconds.
func quantile(times []time.Duration, percent int) float64 {
	rank := (len(times)*percent + 99) / 100 // from 1
	return float64(times[max(rank, 1)-1].Microseconds()) / 1000
}
