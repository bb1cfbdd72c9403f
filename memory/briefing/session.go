package briefing

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"time"

	"hence/internal/db"
	"hence/internal/ref"
	"hence/internal/secret"
	"hence/memory"
	"hence/memory/recall"
)

// session is the last session memory.
type session struct {
	ref.Named
	trust, at, goal, done, next, content string
}

var scanSession = db.Fields(func(s *session) []any {
	return []any{&s.ID, &s.Title, &s.trust, &s.at, &s.goal, &s.done, &s.next, &s.content}
})

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
from (select ?2 as value) wanted
cross join memories m indexed by sessions_last` + memory.LastSession

// lastSession returns the last session of the caller's project, or of any if the caller
// has none, and when it was stored. Conversations that were imported do not count.
func (b Briefer) lastSession(ctx context.Context, r *db.Reader) (left *LeftOff, at string, err error) {
	s, ok, err := db.First(ctx, r, scanSession, selectSession, b.Caller.Namespace, b.Caller.ProjectTag())
	if !ok || err != nil {
		return nil, "", err
	}
	for _, text := range []*string{&s.Title, &s.goal, &s.done, &s.next, &s.content} {
		*text = secret.Mask(*text)
	}
	left = &LeftOff{Named: s.Named, Trust: s.trust, At: s.at, Goal: oneLine(s.goal), Done: oneLine(s.done), Next: oneLine(s.next)}
	if left.Goal+left.Done+left.Next == "" {
		left.Text = beyondTitle(s.Title, s.content)
	}
	return left, s.at, nil
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// decide reads the decisions that hold, those first that are about some words, then the
// most important, then those on which most rests.
func (b Briefer) decide(ctx context.Context, r *db.Reader, a Args, k *known) (err error) {
	if k.held, err = b.readRanked(ctx, r, selectDecisions, considered); err != nil {
		return err
	}
	k.held.omit(k.ruled)
	if k.claimed, err = b.readRanked(ctx, r, selectClaims, considered, examined); err != nil {
		return err
	}
	for _, l := range []ranking{k.held, k.claimed} {
		if err := countRests(ctx, r, l.rows); err != nil {
			return err
		}
	}
	place := map[int64]int{}
	if about := strings.TrimSpace(a.About); about != "" {
		var keys []int64
		half := a.By // the time at which half of what is left will be gone; zero for a briefing without a time
		if !half.IsZero() {
			half = time.Now().Add(time.Until(half) / 2)
		}
		_, err := readBy(ctx, half, func(ctx context.Context) (err error) { // late: by importance
			keys, err = recall.Searcher(b).Rank(ctx, r, about, maxAbout)
			return err
		})
		if err != nil {
			return err
		}
		for i, key := range keys {
			place[key] = i - len(keys) // before those that are not about the words
		}
	}
	ranks := []func(row) int{
		func(e row) int { return place[e.key] },
		func(e row) int { return int(-1000 * e.importance) },
		func(e row) int { return -e.rests },
	}
	k.held.sort(ranks...)
	if k.holds, err = k.held.explain(ctx, r, a); err != nil {
		return err
	}
	k.claimed.sort(slices.Concat([]func(row) int{func(e row) int { return map[bool]int{false: -1}[e.kind == "decision"] }}, ranks)...)
	k.claims, err = k.claimed.explain(ctx, r, a)
	return err
}

// explain returns the first memories with a reason of each.
func (l ranking) explain(ctx context.Context, r *db.Reader, a Args) (all []Held, err error) {
	entries, err := l.entries(ctx, r, maxEntry, a.bytes())
	if err != nil {
		return nil, err
	}
	because, err := reasons(ctx, r, l.keys()[:len(entries)])
	for i, e := range entries {
		held := Held{Entry: e}
		if why, ok := because[l.rows[i].key]; ok {
			held.Because = &why
		}
		all = append(all, held)
	}
	return all, err
}

// maxAbout is how many memories that are about some words are looked through for
// decisions.
const maxAbout = 200

// countRests sets how many memories rest on each decision directly.
func countRests(ctx context.Context, r *db.Reader, rows []row) error {
	keys, places := []int64{}, map[int64]int{}
	for i, e := range rows {
		keys, places[e.key] = append(keys, e.key), i
	}
	return db.Each(ctx, r, func(counted *sql.Rows) error {
		var key int64
		var number int
		err := counted.Scan(&key, &number)
		rows[places[key]].rests = number
		return err
	}, `
select
  k.value,
  (select count(distinct g.memory) from grounds g where g.rests_on = k.value)
from json_each(?) k`, db.List(keys))
}

// reasons returns for each decision the first of its reasons: what it depends on, what
// it is derived from, what supports it, what causes it, and last what it replaced.
func reasons(ctx context.Context, r *db.Reader, keys []int64) (map[int64]Because, error) {
	because := map[int64]Because{}
	err := db.Each(ctx, r, func(rows *sql.Rows) error {
		var key int64
		var one Because
		err := rows.Scan(&key, &one.Type, &one.Direction, &one.ID, &one.Title, &one.Trust)
		if _, ok := because[key]; !ok {
			one.Named = mask(one.Named)
			because[key] = one
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
