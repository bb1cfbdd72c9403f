package briefing

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"
	"time"

	"hence/edges"
	"hence/edges/belief"
	"hence/internal/budget"
	"hence/internal/db"
	"hence/internal/lists"
	"hence/internal/prose"
	"hence/internal/ref"
	"hence/internal/secret"
	"hence/memory"
	"hence/memory/recall"
)

// selectSession reads the last session of the namespace ?1 and the project ?2.
var selectSession = `
select
  m.id,
  m.title,
  m.created_at,
  coalesce(m.properties ->> '$.goal', ''),
  coalesce(m.properties ->> '$.done', ''),
  coalesce(m.properties ->> '$.next', ''),
  substr(m.content, 1, 2000)
from memories m indexed by sessions_last` + memory.LastSession

// lastSession returns the last session of the caller's project, or of no project if the
// caller has none; nil if there is none. Imported conversations do not count.
func (b Briefer) lastSession(ctx context.Context, r *db.Reader) (*LeftOff, error) {
	l, ok, err := db.First(ctx, r, db.Fields(func(l *LeftOff) []any {
		return []any{&l.ID, &l.Title, &l.At, &l.Goal, &l.Done, &l.Next, &l.Text}
	}), selectSession, b.Caller.Namespace, b.Caller.Own())
	if !ok || err != nil {
		return nil, err
	}
	l.Named = maskTitle(l.Named)
	for _, text := range []*string{&l.Goal, &l.Done, &l.Next} {
		*text = prose.OneLine(secret.Mask(*text))
	}
	l.Text = textBeyondTitle(l.Title, secret.Mask(l.Text))
	if l.Goal+l.Done+l.Next != "" {
		l.Text = ""
	}
	return &l, nil
}

// readDecisions reads the decisions in force, and the unconfirmed rules and decisions. Those
// about a.About come first, then the most important, then those on which most memories rest.
func (b Briefer) readDecisions(ctx context.Context, r *db.Reader, a Args, k *material) (err error) {
	if k.decisions.ranking, err = b.readRanked(ctx, r, a, k, selectDecisions, maxRanked); err != nil {
		return err
	}
	k.decisions.omit(k.rules)
	if k.claims.ranking, err = b.readRanked(ctx, r, a, k, selectClaims, maxRanked, maxExamined); err != nil {
		return err
	}
	rows := slices.Concat(k.decisions.rows, k.claims.rows)
	aboutRank := map[int64]int{}
	dependents, err := countDependents(ctx, r, rows)
	if err != nil {
		return err
	}
	if about := strings.TrimSpace(a.About); about != "" && len(rows) > 1 {
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
		func(e row) int { return -dependents[e.Key] },
	}
	k.decisions.sort(ranks...)
	if err = k.decisions.explain(ctx, r, b.Caller, a); err != nil {
		return err
	}
	k.claims.sort(slices.Concat([]func(row) int{func(e row) int { return map[bool]int{false: -1}[e.Kind == "decision"] }}, ranks)...)
	return k.claims.explain(ctx, r, b.Caller, a)
}

// explain lists the first memories, each with the first of its reasons.
func (s *shelf) explain(ctx context.Context, r *db.Reader, caller ref.Caller, a Args) (err error) {
	if s.entries, err = s.list(ctx, r, caller, maxEntry, a.bytes()); err != nil {
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

// countDependents returns the numbers of memories that rest directly on the rows' memories, by key, but for those
// on which none rests.
func countDependents(ctx context.Context, r *db.Reader, rows []row) (map[int64]int, error) {
	dependents := map[int64]int{}
	return dependents, db.Fill(ctx, r, dependents, `
select
  k.value,
  count(distinct g.memory)
from json_each(?) k
cross join grounds g on g.rests_on = k.value
group by k.value`, db.List(lists.Map(rows, func(e row) int64 { return e.Key })))
}

// readReasons returns the first reason of each decision by its key. Reasons are, in this order,
// memories that it depends on, that it is derived from, that support it, that cause it, and
// that it supersedes.
func readReasons(ctx context.Context, r *db.Reader, keys []int64) (map[int64]Because, error) {
	because := map[int64]Because{}
	err := db.Each(ctx, r, func(rows *sql.Rows) error {
		var key int64
		var reason Because
		err := rows.Scan(&key, &reason.Type, &reason.Direction, &reason.ID, &reason.Title)
		if _, ok := because[key]; !ok {
			reason.Named = maskTitle(reason.Named)
			because[key] = reason
		}
		return err
	}, `
with reason (key, edge, kind, direction, other, weight) as (
`+edges.BothWays(`
  select k.value, e.id, e.kind, '{out|in}', e.{to_key|from_key}, e.weight
  from json_each(?1) k
  cross join edges e on e.{from_key|to_key} = k.value and e.kind in ({'depends-on', 'derived-from', 'supersedes'|'supports', 'causes'})
  where coalesce(e.valid_from, '') <= ?2
    and coalesce(e.valid_to, '~') > ?2`)+`
)
select
  q.key,
  q.kind,
  q.direction,
  o.id,
  o.title
from reason q
cross join memories o on o.key = q.other and o.status <> 'forgotten'
order by
  q.key,
  case q.kind when 'depends-on' then 1 when 'derived-from' then 2 when 'supports' then 3 when 'causes' then 4 else 5 end,
  q.weight desc,
  q.edge`, db.List(keys), db.Now())
	return because, err
}

// readUnsettled reads the stale memories, the last changed first, and the other open matters:
// the losing texts of merges, the contradictions, the newest first, and what the client loads though it
// is superseded. It alternates between
// the two, and puts the project's memories first.
func (b Briefer) readUnsettled(ctx context.Context, r *db.Reader, a Args, k *material) error {
	stale, total, err := b.readStale(ctx, r, a)
	if err != nil {
		return err
	}
	contradictions, conflicts, _, err := belief.FirstConflicts(ctx, r, b.Caller.Namespace, edges.Today(), maxShown)
	if err != nil {
		return err
	}
	others, err := b.readOtherEdits(ctx, r)
	if err != nil {
		return err
	}
	unread := max(0, conflicts-len(contradictions))
	others = slices.Concat(others, lists.Map(contradictions, func(c belief.Conflict) Unsettled {
		return Unsettled{Named: maskTitle(c.A.Named), Reason: "contradicts", Other: maskTitle(c.B.Named), Note: prose.OneLine(secret.Mask(c.Note))}
	}), k.loaded.superseded)
	nearness, err := b.readNearness(ctx, r, a, slices.Concat(stale, others))
	if err != nil {
		return err
	}
	others = slices.DeleteFunc(others, func(u Unsettled) bool {
		_, concerns := nearness[u.ID]
		_, otherConcerns := nearness[u.Other.ID]
		return !concerns && !otherConcerns
	})
	k.unsettledCount = total + len(others) + unread
	for i := range max(len(stale), len(others)) {
		k.toSettle = append(append(k.toSettle, slices.Clip(stale[min(i, len(stale)):min(i+1, len(stale))])...),
			others[min(i, len(others)):min(i+1, len(others))]...)
	}
	slices.SortStableFunc(k.toSettle, func(a, b Unsettled) int { return cmp.Compare(nearness[a.ID], nearness[b.ID]) })
	return nil
}

// readOtherEdits returns the memories of which a text lost in a merge, with the memories that
// keep these texts.
func (b Briefer) readOtherEdits(ctx context.Context, r *db.Reader) ([]Unsettled, error) {
	return db.Select(ctx, r, func(row *sql.Rows) (u Unsettled, err error) {
		u.Reason = "edited"
		err = db.Scan(row, &u.Named, &u.Other)
		u.Named, u.Other = maskTitle(u.Named), maskTitle(u.Other)
		return u, err
	}, `
select
  m.id,
  m.title,
  t.id,
  t.title
from other_edits o
cross join memories m on m.key = o.memory
cross join memories t on t.key = o.text
where ?1 in ('', m.namespace)
order by t.created_at desc, t.id
limit ?2`, b.Caller.Namespace, maxShown)
}

// readStale returns the first stale memories until the budget is used up, and how
// many stale memories there are, counting at most about maxShown.
func (b Briefer) readStale(ctx context.Context, r *db.Reader, a Args) (first []Unsettled, total int, err error) {
	keys, _, err := belief.Latest(ctx, r, b.Caller.Namespace, maxShown)
	if err != nil || len(keys) == 0 {
		return nil, 0, err
	}
	all, allowance := ranking{}, a.bytes()
	all.rows, err = db.Select(ctx, r, scanRow, columns+`
from json_each(?2) k
cross join memories m on m.key = k.value
where m.status = 'current'
  and m.kind <> 'turn'
  and ?1 in ('', m.namespace)`+concerns+`
order by m.updated_at desc, m.id`, b.Caller.Namespace, db.List(keys), nil, b.Caller.Own(), a.Others)
	if err != nil {
		return nil, 0, err
	}
	all.sort()
	if err := all.read(ctx, r, false); err != nil {
		return nil, 0, err
	}
	for batch := range slices.Chunk(all.rows[:min(len(all.rows), maxShown)], batchSize) {
		doubts, err := belief.Stale(ctx, r, ranking{rows: batch}.keys())
		if err != nil {
			return nil, 0, err
		}
		for _, e := range batch {
			if reasons := doubts[e.Key]; len(reasons) > 0 {
				entry := Unsettled{Named: maskTitle(e.Named), Reason: reasons[0].Reason, Other: maskTitle(reasons[0].Named)}
				entry.Title, _ = budget.Cut(entry.Title, maxTitle)
				entry.Other.Title, _ = budget.Cut(entry.Other.Title, maxOther)
				if entry.Successor = reasons[0].Successor; entry.Successor != nil {
					entry.Successor.Named = maskTitle(entry.Successor.Named)
				}
				first = append(first, entry)
				allowance -= len(entry.ID) + len(entry.Title) + len(entry.Other.ID) + len(entry.Other.Title) // the least that it can cost
			}
		}
		if allowance <= 0 {
			break
		}
	}
	return first, len(all.rows), nil
}

// batchSize is the number of memories in one query for the reasons why they are stale.
const batchSize = 20

// readNearness returns the nearness of those memories, and of their others, that concern the
// caller, by id: see ref.Nearness.
func (b Briefer) readNearness(ctx context.Context, r *db.Reader, a Args, all []Unsettled) (map[string]int, error) {
	ids, nearness := []string{}, map[string]int{}
	for _, u := range all {
		ids = append(ids, u.ID, u.Other.ID)
	}
	if len(ids) == 0 {
		return nearness, nil
	}
	return nearness, db.Fill(ctx, r, nearness, `
select
  m.id,
  `+ref.Nearness("?4")+`
from json_each(?1) k
cross join memories m on m.id = k.value
where true`+concerns, db.List(ids), nil, nil, b.Caller.Own(), a.Others)
}
