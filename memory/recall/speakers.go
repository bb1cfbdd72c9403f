package recall

import (
	"context"
	"database/sql"
	"slices"

	"hence/edges"
	"hence/internal/db"
)

// speaker says who said a memory.
type speaker struct {
	origin, actor, kind string
}

func (s speaker) isPerson() bool { return s.origin == "person" }

// talk is who said the candidates of a question and the memories beside them in time.
type talk struct {
	speakers map[int64]speaker
	replies  map[int64]bool
}

// The constants of a talk. A reply lends its message nearly as much as they share: it
// says in other words what was asked. What a person says next has its reply from a
// model between it and what it continues, so it is lent through the reply, in both
// directions the product of the two shares of follows, and nothing by the reply
// itself.
//
// They were chosen on ten of the chats of BEAM (make bench-recall). repeats is not
// sensitive below 0.4, and words that count in full in a reply find much less.
const (
	asked   = 0.6 // share of its score that a reply lends to what it replies to
	repeats = 0.4 // weight in a reply of a word that a person's memory has too
)

// isReply reports whether an edge follows is that of a model's reply to a person. What
// an agent stores on purpose stands alone, or is of another kind than what it follows.
func (t talk) isReply(e edge) bool {
	later, earlier := t.speakers[e.from], t.speakers[e.to]
	return later.origin == "agent" && earlier.isPerson() && later.kind == earlier.kind
}

// readTalk reads who said the candidates, if time ties any of them and a person has said
// anything, and returns with
// the edges those that tie one thing that a person said to the next across what
// another said between.
func readTalk(ctx context.Context, r *db.Reader, p *pool, all []edge, times edges.Times) (t talk, across []tie, err error) {
	t = talk{speakers: map[int64]speaker{}, replies: map[int64]bool{}}
	follows := slices.DeleteFunc(slices.Clone(all), func(e edge) bool { return e.kind != edges.Follows })
	if len(follows) == 0 || !p.peopleSpeak {
		return t, nil, nil
	}
	if err := t.read(ctx, r, append(p.keys(), endsOf(follows)...)); err != nil {
		return t, nil, err
	}
	more, err := readEdges(ctx, r, t.keysBetween(p, follows), times)
	if err != nil {
		return t, nil, err
	}
	for _, e := range more {
		if e.kind == edges.Follows {
			follows = append(follows, e)
		}
	}
	slices.SortFunc(follows, byKey)
	follows = slices.CompactFunc(follows, sameEdge)
	if err := t.read(ctx, r, endsOf(follows)); err != nil {
		return t, nil, err
	}
	for _, e := range follows {
		t.replies[e.from] = t.replies[e.from] || t.isReply(e)
	}
	return t, t.tieAcross(follows), nil
}

// peopleSpeak reports whether a namespace, or the store if it is "", has anything that a
// person said.
func peopleSpeak(ctx context.Context, r *db.Reader, namespace string) (speak bool, err error) {
	speak, _, err = db.One[bool](ctx, r, `
select exists (
  select 1
  from memory_counts
  where origin = 'person'
    and number > 0
    and ?1 in ('', namespace)
)`, namespace)
	return speak, err
}

// read reads who said some memories, those that are not known yet.
func (t talk) read(ctx context.Context, r *db.Reader, keys []int64) error {
	slices.Sort(keys)
	keys = slices.DeleteFunc(slices.Compact(keys), func(key int64) bool { _, known := t.speakers[key]; return known })
	if len(keys) == 0 {
		return nil
	}
	return db.Each(ctx, r, func(row *sql.Rows) error {
		var s speaker
		var list string
		if err := row.Scan(&s.origin, &s.actor, &s.kind, &list); err != nil {
			return err
		}
		var said []int64
		err := db.ReadColumn(s.actor, "keys", list, &said)
		for _, key := range said {
			t.speakers[key] = s
		}
		return err
	}, `
select
  m.origin,
  m.actor,
  m.kind,
  json_group_array(m.key)
from json_each(?1) c
cross join memories m on m.key = c.value
group by m.origin, m.actor, m.kind`, db.List(keys))
}

// keysBetween returns the memories beside what a candidate's person said that another said,
// and whose edges are not read yet.
func (t talk) keysBetween(p *pool, follows []edge) (keys []int64) {
	for _, e := range follows {
		for _, ends := range [][2]int64{{e.from, e.to}, {e.to, e.from}} {
			if p.at[ends[0]] != nil && p.at[ends[1]] == nil && t.speakers[ends[0]].isPerson() && !t.bySame(ends[0], ends[1]) {
				keys = append(keys, ends[1])
			}
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

func (t talk) bySame(a, b int64) bool {
	return t.speakers[a].origin == t.speakers[b].origin && t.speakers[a].actor == t.speakers[b].actor
}

// tieAcross ties what a person said to what the same person said before, if another
// spoke between.
func (t talk) tieAcross(follows []edge) (ties []tie) {
	before := map[int64][]edge{}
	for _, e := range follows {
		before[e.from] = append(before[e.from], e)
	}
	c := conductanceOf(edges.Follows)
	for _, last := range follows {
		for _, first := range before[last.to] {
			from, to, weight := last.from, first.to, last.weight*first.weight
			if !t.speakers[from].isPerson() || from == to || !t.bySame(from, to) || t.bySame(from, last.to) {
				continue
			}
			ties = append(ties,
				tie{from, to, edges.Follows, c.along * c.along * weight, false, c.upTo},
				tie{to, from, edges.Follows, c.against * c.against * weight, false, c.upTo})
		}
	}
	return ties
}

// adjust returns the conductance of an edge, by who said its ends.
func (t talk) adjust(e edge, c conductance) conductance {
	switch {
	case e.kind != edges.Follows:
	case t.isReply(e):
		c.along = asked
	case t.speakers[e.from].isPerson() && t.replies[e.to]:
		c.along, c.against = 0, 0
	}
	return c
}

// hush takes from replies what they repeat: words that a person's memory among the
// candidates has.
func (t talk) hush(p *pool) {
	if len(t.replies) == 0 {
		return
	}
	said := make([]bool, len(p.clues))
	for _, c := range p.all {
		for i := range said {
			said[i] = said[i] || t.speakers[c.memory].isPerson() && c.words[i] > 0
		}
	}
	for _, c := range p.all {
		if !t.replies[c.memory] {
			continue
		}
		for i := range said {
			if said[i] {
				c.words[i] *= repeats
			}
		}
		c.score = c.own()
	}
}

func endsOf(all []edge) (keys []int64) {
	for _, e := range all {
		keys = append(keys, e.from, e.to)
	}
	return keys
}
