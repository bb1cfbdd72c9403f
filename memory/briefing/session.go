package briefing

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"time"

	"hence/internal/db"
	"hence/internal/prose"
	"hence/internal/ref"
	"hence/internal/secret"
	"hence/memory"
	"hence/memory/recall"
)

// session is a row of selectSession: the memory of the last session.
type session struct {
	ref.Named
	trust, storedAt, goal, done, next, content string
}

var scanSession = db.Fields(func(s *session) []any {
	return []any{&s.ID, &s.Title, &s.trust, &s.storedAt, &s.goal, &s.done, &s.next, &s.content}
})

// selectSession reads the last session of the namespace ?1 and the project ?2.
var selectSession = `
select
  m.id,
  m.title,
  ` + ref.TrustOf("m") + `,
  m.created_at,
  coalesce(m.properties ->> '$.goal', ''),
  coalesce(m.properties ->> '$.done', ''),
  coalesce(m.properties ->> '$.next', ''),
  substr(m.content, 1, 2000)
from memories m indexed by sessions_last` + memory.LastSession

// lastSession returns the last session of the caller's project, or of no project if the
// caller has none, and when it was stored; nil and "" if there is none. Imported
// conversations do not count.
func (b Briefer) lastSession(ctx context.Context, r *db.Reader) (leftOff *LeftOff, storedAt string, err error) {
	s, ok, err := db.First(ctx, r, scanSession, selectSession, b.Caller.Namespace, b.Caller.Own())
	if !ok || err != nil {
		return nil, "", err
	}
	for _, text := range []*string{&s.Title, &s.goal, &s.done, &s.next, &s.content} {
		*text = secret.Mask(*text)
	}
	s.Trust = s.trust
	leftOff = &LeftOff{Named: s.Named, At: s.storedAt, Goal: prose.OneLine(s.goal), Done: prose.OneLine(s.done), Next: prose.OneLine(s.next)}
	if leftOff.Goal+leftOff.Done+leftOff.Next == "" {
		leftOff.Text = textBeyondTitle(s.Title, s.content)
	}
	return leftOff, s.storedAt, nil
}

// readDecisions reads the decisions in force, and the unconfirmed rules and decisions. Those
// about a.About come first, then the most important, then those on which most memories rest.
func (b Briefer) readDecisions(ctx context.Context, r *db.Reader, a Args, k *material) (err error) {
	if k.decisions.ranking, err = b.readRanked(ctx, r, a, k.loaded, selectDecisions, maxRanked); err != nil {
		return err
	}
	k.decisions.omit(k.rules)
	if k.claims.ranking, err = b.readRanked(ctx, r, a, k.loaded, selectClaims, maxRanked, maxExamined); err != nil {
		return err
	}
	for _, l := range []shelf{k.decisions, k.claims} {
		if err := countDependents(ctx, r, l.rows); err != nil {
			return err
		}
	}
	aboutRank := map[int64]int{}
	if about := strings.TrimSpace(a.About); about != "" {
		var keys []int64
		deadline := a.By // moved halfway towards now; zero sets no limit
		if !deadline.IsZero() {
			deadline = time.Now().Add(time.Until(deadline) / 2)
		}
		_, err := readBy(ctx, deadline, func(ctx context.Context) (err error) { // if it is late, importance ranks
			keys, err = recall.Searcher(b).About(ctx, r, about, maxAbout)
			return err
		})
		if err != nil {
			return err
		}
		for i, key := range keys {
			aboutRank[key] = i - len(keys) // negative: before memories that are not about the words
		}
	}
	ranks := []func(row) int{
		func(e row) int { return aboutRank[e.Key] },
		func(e row) int { return int(-1000 * e.Importance) },
		func(e row) int { return -e.dependents },
	}
	k.decisions.sort(ranks...)
	if err = k.decisions.explain(ctx, r, a); err != nil {
		return err
	}
	k.claims.sort(slices.Concat([]func(row) int{func(e row) int { return map[bool]int{false: -1}[e.Kind == "decision"] }}, ranks)...)
	return k.claims.explain(ctx, r, a)
}

// explain lists the first memories, each with the first of its reasons.
func (s *shelf) explain(ctx context.Context, r *db.Reader, a Args) (err error) {
	if s.entries, err = s.list(ctx, r, maxEntry, a.bytes()); err != nil {
		return err
	}
	because, err := readReasons(ctx, r, s.keys()[:len(s.entries)])
	for i := range s.entries {
		if reason, ok := because[s.rows[i].Key]; ok {
			s.entries[i].Because = &reason
		}
	}
	return err
}

// maxAbout limits how many memories about some words are searched for decisions.
const maxAbout = 200

// countDependents sets the number of memories that rest directly on each row's memory.
func countDependents(ctx context.Context, r *db.Reader, rows []row) error {
	keys, rowIndex := []int64{}, map[int64]int{}
	for i, e := range rows {
		keys, rowIndex[e.Key] = append(keys, e.Key), i
	}
	return db.Each(ctx, r, func(row *sql.Rows) error {
		var key int64
		var number int
		err := row.Scan(&key, &number)
		rows[rowIndex[key]].dependents = number
		return err
	}, `
select
  k.value,
  (select count(distinct g.memory) from grounds g where g.rests_on = k.value)
from json_each(?) k`, db.List(keys))
}

// readReasons returns the first reason of each decision by its key. Reasons are, in this order,
// memories that it depends on, that it is derived from, that support it, that cause it, and
// that it supersedes.
func readReasons(ctx context.Context, r *db.Reader, keys []int64) (map[int64]Because, error) {
	because := map[int64]Because{}
	err := db.Each(ctx, r, func(rows *sql.Rows) error {
		var key int64
		var reason Because
		err := rows.Scan(&key, &reason.Type, &reason.Direction, &reason.ID, &reason.Title, &reason.Trust)
		if _, ok := because[key]; !ok {
			reason.Named = maskTitle(reason.Named)
			because[key] = reason
		}
		return err
	}, `
with reason (key, edge, kind, direction, other, weight) as (
  select k.value, e.id, e.kind, 'out', e.to_key, e.weight
  from json_each(?1) k
  cross join edges e on e.from_key = k.value and e.kind in ('depends-on', 'derived-from', 'supersedes')
  where coalesce(e.valid_from, '') <= ?2
    and coalesce(e.valid_to, '~') > ?2
  union all
  select k.value, e.id, e.kind, 'in', e.from_key, e.weight
  from json_each(?1) k
  cross join edges e on e.to_key = k.value and e.kind in ('supports', 'causes')
  where coalesce(e.valid_from, '') <= ?2
    and coalesce(e.valid_to, '~') > ?2
)
select
  q.key,
  q.kind,
  q.direction,
  o.id,
  o.title,
  `+ref.TrustOf("o")+`
from reason q
cross join memories o on o.key = q.other and o.status <> 'forgotten'
order by
  q.key,
  case q.kind when 'depends-on' then 1 when 'derived-from' then 2 when 'supports' then 3 when 'causes' then 4 else 5 end,
  q.weight desc,
  q.edge`, db.List(keys), db.Now())
	return because, err
}
