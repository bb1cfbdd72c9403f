package belief

import (
	"context"
	"slices"

	"hence/internal/args"
	"hence/internal/db"
	"hence/internal/ref"
)

// maxNote is the longest note of a verification, in bytes.
const maxNote = 4000

// VerifyArgs name a memory that was looked at and still holds.
type VerifyArgs struct {
	ID   string `json:"id" jsonschema:"id, path or title"`
	Note string `json:"note,omitempty" jsonschema:"what was found"`
}

// Cleared is a doubt that a verification took away.
type Cleared struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Reason string `json:"reason"`
}

// Verify records that a memory still holds although what it rests on has
// changed: it takes the hashes of what it rests on as they are now, and notes
// exactly the doubts there are. The same doubt does not come back; a new one
// does.
func (g Graph) Verify(ctx context.Context, a VerifyArgs) (m ref.Memory, cleared []Cleared, err error) {
	if err := args.Check("verify", &a); err != nil {
		return m, nil, err
	}
	if err := db.CheckText("verify", "note", a.Note, maxNote); err != nil {
		return m, nil, err
	}
	var before []Doubt
	err = g.DB.Read(ctx, func(r *db.Reader) error {
		if m, err = g.Caller.Find(ctx, r, a.ID); err != nil {
			return err
		}
		stale, err := Stale(ctx, r, []int64{m.Key})
		before = stale[m.Key]
		return err
	})
	if err != nil {
		return m, nil, err
	}
	_, err = g.DB.Write(ctx, g.Caller.Actor, db.Now(), db.S(`
insert or ignore into verifications (memory, because, reason, evidence, at)
`+upstreamOf+`
select
  memory,
  because,
  reason,
  evidence,
  (select at from writer)
from (`+staleness+`)
where memory = json_extract(?1, '$[0]')`, db.List([]int64{m.Key})),
		db.S(`
update edges
set basis = (select content_hash from memories where key = edges.to_key)
where from_key = ?
  and kind in ('depends-on', 'derived-from')`, m.Key),
		db.S(`
update memories
set
  verified_at = (select at from writer),
  verify_note = nullif(?2, '')
where key = ?1`, m.Key, a.Note))
	if err != nil {
		return m, nil, err
	}
	err = g.DB.Read(ctx, func(r *db.Reader) error {
		after, err := Stale(ctx, r, []int64{m.Key})
		cleared = clearedOf(before, after[m.Key])
		return err
	})
	return m, cleared, err
}

func clearedOf(before, after []Doubt) []Cleared {
	cleared := []Cleared{}
	for _, d := range before {
		if !slices.ContainsFunc(after, func(a Doubt) bool { return a.ID == d.ID && a.Reason == d.Reason }) {
			cleared = append(cleared, Cleared{ID: d.ID, Title: d.Title, Reason: d.Reason})
		}
	}
	return cleared
}
