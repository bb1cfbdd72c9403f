package explore

import (
	"context"
	"encoding/json"

	"hence/internal/args"
	"hence/internal/db"
	"hence/internal/fault"
)

// DismissArgs say which candidates are none, or which were wrongly dismissed.
type DismissArgs struct {
	IDs  []string `json:"ids,omitempty" jsonschema:"of candidates, at most 2000"`
	All  bool     `json:"all,omitempty" jsonschema:"every candidate there is"`
	Back string   `json:"back,omitempty" jsonschema:"takes back what was dismissed at this time: at from the response"`
}

// DismissResult says how many pairs of memories were dismissed, or are candidates again.
type DismissResult struct {
	Changed int    `json:"changed"`
	At      string `json:"at" jsonschema:"of the dismissal"`
}

const (
	maxDismissed = 2000       // candidates named in a call
	guess        = "mentions" // what rejections calls a candidate
)

// Dismiss remembers that candidates are none: the two memories of each are listed no
// more, whichever names the other and whatever is imported later. It changes no memory and no edge, so undo does not know of it; Back
// takes it back. Ids that are not a candidate's are ignored.
func (q reader) Dismiss(ctx context.Context, a DismissArgs) (result DismissResult, err error) {
	if err := args.Check("dismiss", &a); err != nil {
		return result, err
	}
	namespace, actor := q.Caller.Namespace, q.Caller.Actor
	switch {
	case len(a.IDs) > maxDismissed:
		return result, fault.New(fault.TooLarge, "dismiss: there are %d ids, and at most %d are allowed; or dismiss all", len(a.IDs), maxDismissed)
	case a.Back != "" && (a.All || len(a.IDs) > 0), a.Back == "" && a.All == (len(a.IDs) > 0):
		return result, fault.New(fault.InvalidArgument, "dismiss: give ids, all or back, one of them")
	case a.Back != "":
		result.At = a.Back
		result.Changed, _, err = db.One[int](ctx, q.DB, `select count(distinct mark)`+dismissedAt, guess, actor, a.Back, namespace)
		if err == nil && result.Changed > 0 {
			_, err = q.DB.Write(ctx, actor, db.Now(), db.S(`delete`+dismissedAt, guess, actor, a.Back, namespace))
		}
		return result, err
	}
	pairs, err := db.Select(ctx, q.DB, db.Fields(func(p *[3]string) []any {
		return []any{&p[0], &p[1]}
	}), `
select distinct
  min(f.id, t.id),
  max(f.id, t.id)`+guessed+`
  and (?2 or e.id in (select value from json_each(?3)))`, namespace, a.All, db.List(a.IDs))
	if err != nil || len(pairs) == 0 {
		return result, err
	}
	for i, p := range pairs {
		pairs[i][2] = db.Hash(guess + "\n" + p[0] + "\n" + p[1])
	}
	marks, err := json.Marshal(pairs)
	if err != nil {
		return result, fault.Wrap(fault.Internal, err, "dismiss")
	}
	result = DismissResult{Changed: len(pairs), At: db.Now()}
	_, err = q.DB.Write(ctx, actor, result.At, db.S(insertDismissals, string(marks), guess, actor, result.At))
	return result, err
}

// A dismissal is two rows with one mark: those of the memories that are not a pair.
const insertDismissals = `
insert into rejections (memory, mark, what, actor, at)
select
  m.key,
  p.value ->> 2,
  ?2,
  ?3,
  ?4
from json_each(?1) p
cross join memories m on m.id in (p.value ->> 0, p.value ->> 1)
where true
on conflict do nothing`

// dismissedAt is what an actor dismissed at a time.
const dismissedAt = `
from rejections
where what = ?1
  and actor = ?2
  and at = ?3
  and memory in (select key from memories where ?4 in ('', namespace))`

// isDismissed is the condition that the memories of the edge e were dismissed as a pair.
const isDismissed = `exists (
    select 1
    from rejections a
    join rejections b on b.mark = a.mark
    where a.memory = e.from_key
      and b.memory = e.to_key
      and a.what = '` + guess + `'
  )`
