package explore

import (
	"context"
	"encoding/json"

	"hence/internal/args"
	"hence/internal/db"
	"hence/internal/fault"
)

// DismissArgs choose the candidates to dismiss, or the dismissal to take back.
type DismissArgs struct {
	IDs  []string `json:"ids,omitempty" jsonschema:"of candidates, at most 2000"`
	All  bool     `json:"all,omitempty" jsonschema:"every candidate there is"`
	Back string   `json:"back,omitempty" jsonschema:"takes back what was dismissed at this time: at from the response"`
}

// DismissResult counts the pairs of memories that were dismissed, or that are candidates again.
type DismissResult struct {
	Changed int    `json:"changed"`
	At      string `json:"at" jsonschema:"of the dismissal"`
}

const (
	maxDismissed = 2000       // candidates named in a call
	guess        = "mentions" // value of rejections.what for dismissed candidates
)

// Dismiss dismisses candidates: the two memories of each are not listed again, whichever
// mentions the other, and whatever is imported later. Dismiss changes no memory and no
// edge, so undo does not cover it; DismissArgs.Back takes it back. It ignores ids that are
// not of candidates. It fails with too_large for more than maxDismissed ids, and with
// invalid_argument unless exactly one of ids, all and back is given.
func (q reader) Dismiss(ctx context.Context, a DismissArgs) (result DismissResult, err error) {
	if err := args.Check("dismiss", &a); err != nil {
		return result, err
	}
	namespace, actor := q.Caller.Namespace, q.Caller.Actor
	switch {
	case len(a.IDs) > maxDismissed:
		return result, fault.New(fault.TooLarge, "dismiss: there are %d ids, and at most %d are allowed; send fewer, or dismiss all", len(a.IDs), maxDismissed)
	case a.Back != "" && (a.All || len(a.IDs) > 0), a.Back == "" && a.All == (len(a.IDs) > 0):
		return result, fault.New(fault.InvalidArgument, "dismiss: give exactly one of ids, all and back")
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
  max(f.id, t.id)`+fromCandidates+`
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

// insertDismissals inserts two rows for each dismissed pair: one for each memory, with the same
// mark.
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

// dismissedAt selects from the rejections that an actor made at a time.
const dismissedAt = `
from rejections
where what = ?1
  and actor = ?2
  and at = ?3
  and memory in (select key from memories where ?4 in ('', namespace))`

// isDismissed is an SQL condition: the memories of the edge e were dismissed as a pair.
const isDismissed = `exists (
    select 1
    from rejections a
    join rejections b on b.mark = a.mark
    where a.memory = e.from_key
      and b.memory = e.to_key
      and a.what = '` + guess + `'
  )`
