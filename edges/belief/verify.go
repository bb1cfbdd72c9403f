package belief

import (
	"context"
	"slices"
	"strings"

	"hence"
	"hence/internal/args"
	"hence/internal/db"
	"hence/internal/ref"
)

// maxNote is the longest note of a verification in bytes.
const maxNote = 4000

// VerifyArgs are the arguments of Graph.Verify.
type VerifyArgs struct {
	ID   string `json:"id" jsonschema:"id, path or title"`
	Note string `json:"note,omitempty" jsonschema:"what was found"`
}

// Cleared is a doubt that a verification removed.
type Cleared struct {
	ref.Named
	Reason string `json:"reason"`
}

// Verify records that a memory is still true although a memory that it depends on has
// changed: it stores the current hashes of the latter in the edges, and records the current
// doubts as verified. These do not come back; a new doubt makes the memory stale again. If
// the caller is a person, Verify also records the text as confirmed: see own_rank in schema.sql.
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
	if _, err = g.DB.Write(ctx, g.Caller.Actor, db.Now(), g.VerifyStatements(m.Key, m.ID, a.Note)...); err != nil {
		return m, nil, err
	}
	err = g.DB.ReadBack(ctx, func(r *db.Reader) error {
		after, err := Stale(ctx, r, []int64{m.Key})
		cleared = []Cleared{}
		for _, d := range before {
			if !slices.ContainsFunc(after[m.Key], func(a Doubt) bool { return a.ID == d.ID && a.Reason == d.Reason }) {
				cleared = append(cleared, Cleared{d.Named, d.Reason})
			}
		}
		return err
	})
	return m, cleared, err
}

// VerifyStatements returns the statements of Verify for a memory, for a larger transaction.
func (g Graph) VerifyStatements(key int64, id, note string) []db.Stmt {
	return []db.Stmt{db.S(`
update memories
set
  verified_at = (select at from writer),
  confirmed = iif(?2 and status <> 'forgotten', content_hash || ' ' || title, confirmed)
where key = ?1`, key, g.Caller.IsPerson()), KeepVerified(id), db.S(`
update memories
set verify_note = nullif(?2, '')
where key = ?1`, key, note), db.S(`
insert or ignore into verifications (memory, because, reason, evidence, at)
`+upstreamOf+`
select
  memory,
  because,
  reason,
  evidence,
  (select at from writer)
from (`+hence.StaleBecause+`)
where memory = json_extract(?1, '$[0]')`, db.List([]int64{key})),
		db.S(`
update edges
set basis = (select content_hash from memories where key = edges.to_key)
where from_key = ?
  and kind in ('depends-on', 'derived-from')`, key)}
}

// KeepVerified returns the statement that records in the journal row of a verification, earlier in
// the same batch, what the row does not have as old values of columns: the note, the doubts that
// were verified before, and the hashes that the memory rested on. RestoreVerified reads it.
func KeepVerified(id string) db.Stmt {
	return db.S(`
update journal
set before = json_set(before, '$.verified', json_object(
  'note', (select verify_note from memories where id = ?1),
  'doubts', (
    select json_group_array(json_object('because', b.id, 'reason', v.reason, 'evidence', v.evidence, 'at', v.at) order by b.id, v.reason, v.evidence)
    from verifications v
    join memories b on b.key = v.because
    where v.memory = (select key from memories where id = ?1)
  ),
  'bases', (
    select json_group_object(e.id, e.basis order by e.id)
    from edges e
    where e.from_key = (select key from memories where id = ?1)
      and e.kind in ('depends-on', 'derived-from')
  )
))
where id = ?1
  and batch = (select batch from writer)
  and action = 'verify'`, id)
}

// RestoreVerified returns the statements that bring back the state of a memory before a
// verification, which a journal row has in before, except the doubts.
func RestoreVerified(id, before string) []db.Stmt {
	return []db.Stmt{
		db.S(`
update memories
set
  verified_at = ?2 ->> '$.verified_at',
  confirmed = iif(json_type(?2, '$.confirmed') is null, confirmed, ?2 ->> '$.confirmed')
where id = ?1`, id, before),
		KeepVerified(id),
		db.S(`
update memories
set verify_note = ?2 ->> '$.verified.note'
where id = ?1
  and json_type(?2, '$.verified') = 'object'`, id, before),
		db.S(`
update edges
set basis = ?2 -> '$.verified.bases' ->> id
where from_key = (select key from memories where id = ?1)
  and json_type(?2 -> '$.verified.bases', '$."' || id || '"') is not null`, id, before),
		db.S(`
delete from verifications
where memory = (select key from memories where id = ?1)
  and json_type(?2, '$.verified') = 'object'`, id, before),
	}
}

// verified is upstreamOf as it is after the memory ?2 was verified for the causes ?3.
var verified = strings.Replace(upstreamOf, "g.basis", "iif(g.memory = ?2, null, g.basis)", 1) + `,
verifications (memory, because, reason, evidence) as (
  select
    memory,
    because,
    reason,
    evidence
  from main.verifications
  union all
  select
    ?2,
    value ->> 0,
    value ->> 1,
    value ->> 2
  from json_each(?3)
)
`

// Clears returns the memories that verifying a memory would leave without a doubt, beside itself: those that are stale by way
// of it alone. They are sorted by id, and among the nearest maxBelow that depend on it.
func Clears(ctx context.Context, r *db.Reader, m ref.Memory) (cleared []ref.Named, err error) {
	cleared = []ref.Named{}
	causes, err := db.Select(ctx, r, db.Value[string], upstreamOf+`
select json_array(because, reason, evidence)
from (`+hence.StaleBecause+`)
where memory = json_extract(?1, '$[0]')`, db.List([]int64{m.Key}))
	if err != nil || len(causes) == 0 {
		return cleared, err
	}
	keys, err := db.Select(ctx, r, db.Value[int64], below+`select distinct memory from grounds`, db.List([]string{m.ID}), maxBelow)
	if err != nil || len(keys) == 0 {
		return cleared, err
	}
	stay, err := db.Select(ctx, r, db.Value[int64], verified+`select distinct memory from (`+hence.StaleBecause+`)`,
		db.List(keys), m.Key, "["+strings.Join(causes, ",")+"]")
	if err != nil {
		return cleared, err
	}
	return db.Select(ctx, r, db.Fields(func(n *ref.Named) []any { return []any{&n.ID, &n.Title} }), upstreamOf+`
select distinct
  m.id,
  m.title
from (`+hence.StaleBecause+`) s
cross join memories m on m.key = s.memory and m.status = 'current'
where m.key in (select value from json_each(?1))
  and m.key not in (select value from json_each(?2))
  and m.key <> ?3
order by m.id`, db.List(keys), db.List(stay), m.Key)
}
