package rank

import (
	"context"
	"database/sql"
	"slices"

	"hence/edges"
	"hence/internal/db"
)

// speaker is who said a memory: its origin, actor and kind.
type speaker struct {
	origin, actor, kind string
}

func (s speaker) isPerson() bool { return s.origin == "person" }

// talk holds the speakers of the candidates of a question and of the memories before and
// after them, by the memories' keys.
type talk struct {
	speakers map[int64]speaker
	replies  map[int64]bool // memories that are a model's reply to a person
}

// A reply lends its message more than other memories lend along follows, because it says in
// other words what was asked. Between two messages of a person is the reply of a model. So
// the two lend to each other across the reply, in each direction the product of the shares
// of the two edges follows, and the next message and the reply lend each other nothing.
//
// The constants were chosen on ten of the chats of BEAM (make bench-recall).
// repeatedWordWeight is not sensitive below 0.4. At 1 the search finds much less.
const (
	replyShare         = 0.6 // share of its score that a reply lends to its message
	repeatedWordWeight = 0.4 // weight in a reply of a word that a person's candidate has too
)

// isReply reports whether an edge follows is from a model's reply to a person's message. A
// memory that an agent stores on purpose follows nothing, or a memory of another kind.
func (t talk) isReply(e edge) bool {
	later, earlier := t.speakers[e.from], t.speakers[e.to]
	return later.origin == "agent" && earlier.isPerson() && later.kind == earlier.kind
}

// readTalk returns the speakers of the candidates and of the other ends of their edges
// follows, and the ties between messages of a person across a reply. Both are empty if no
// edge is follows or no person speaks in the store.
func readTalk(ctx context.Context, r *db.Reader, p *pool, all []edge, times edges.Times) (t talk, acrossReplies []tie, err error) {
	t = talk{speakers: map[int64]speaker{}, replies: map[int64]bool{}}
	follows := slices.DeleteFunc(slices.Clone(all), func(e edge) bool { return e.kind != edges.Follows })
	if len(follows) == 0 || !p.peopleSpeak {
		return t, nil, nil
	}
	if err := t.read(ctx, r, append(p.keys(), endsOf(follows)...)); err != nil {
		return t, nil, err
	}
	beside, err := readEdges(ctx, r, t.keysBetween(p, follows), times)
	if err != nil {
		return t, nil, err
	}
	for _, e := range beside {
		if e.kind == edges.Follows {
			follows = append(follows, e)
		}
	}
	slices.SortFunc(follows, compareEdges)
	follows = slices.CompactFunc(follows, isSameEdge)
	if err := t.read(ctx, r, endsOf(follows)); err != nil {
		return t, nil, err
	}
	for _, e := range follows {
		t.replies[e.from] = t.replies[e.from] || t.isReply(e)
	}
	return t, t.tieAcrossReplies(follows), nil
}

// peopleSpeak reports whether a namespace, or the store if it is "", has a memory that a
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

// read adds the speakers of memories, except those that are known already.
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
		var keysOfSpeaker []int64
		err := db.ReadColumn(s.actor, "keys", list, &keysOfSpeaker)
		for _, key := range keysOfSpeaker {
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

// keysBetween returns the memories directly before and after a person's candidate that another
// speaker said and that are not candidates: their edges are not read yet.
func (t talk) keysBetween(p *pool, follows []edge) (keys []int64) {
	for _, e := range follows {
		for _, ends := range [][2]int64{{e.from, e.to}, {e.to, e.from}} {
			if p.byMemory[ends[0]] != nil && p.byMemory[ends[1]] == nil && t.speakers[ends[0]].isPerson() && !t.isSameSpeaker(ends[0], ends[1]) {
				keys = append(keys, ends[1])
			}
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

func (t talk) isSameSpeaker(a, b int64) bool {
	return t.speakers[a].origin == t.speakers[b].origin && t.speakers[a].actor == t.speakers[b].actor
}

// tieAcrossReplies returns the ties between two messages of the same person with one memory of
// another speaker between them.
func (t talk) tieAcrossReplies(follows []edge) (ties []tie) {
	byLater := map[int64][]edge{}
	for _, e := range follows {
		byLater[e.from] = append(byLater[e.from], e)
	}
	c := conductanceOf(edges.Follows)
	for _, later := range follows {
		for _, earlier := range byLater[later.to] {
			from, to, weight := later.from, earlier.to, later.weight*earlier.weight
			if !t.speakers[from].isPerson() || from == to || !t.isSameSpeaker(from, to) || t.isSameSpeaker(from, later.to) {
				continue
			}
			ties = append(ties,
				tie{from, to, edges.Follows, c.along * c.along * weight, false, c.maxBytes},
				tie{to, from, edges.Follows, c.against * c.against * weight, false, c.maxBytes})
		}
	}
	return ties
}

// adjust returns the conductance of an edge, changed if it is a reply or follows one.
func (t talk) adjust(e edge, c conductance) conductance {
	switch {
	case e.kind != edges.Follows:
	case t.isReply(e):
		c.along = replyShare
	case t.speakers[e.from].isPerson() && t.replies[e.to]:
		c.along, c.against = 0, 0
	}
	return c
}

// discountReplies lowers the score of replies for the words that they repeat: those that a
// person's memory among the candidates has.
func (t talk) discountReplies(p *pool) {
	if len(t.replies) == 0 {
		return
	}
	saidByPerson := make([]bool, len(p.clues))
	for _, c := range p.all {
		for i := range saidByPerson {
			saidByPerson[i] = saidByPerson[i] || t.speakers[c.Memory].isPerson() && c.words[i] > 0
		}
	}
	for _, c := range p.all {
		if !t.replies[c.Memory] {
			continue
		}
		for i := range saidByPerson {
			if saidByPerson[i] {
				c.words[i] *= repeatedWordWeight
			}
		}
		c.Score = c.ownScore()
	}
}

// endsOf returns the keys of both ends of each edge.
func endsOf(all []edge) (keys []int64) {
	for _, e := range all {
		keys = append(keys, e.from, e.to)
	}
	return keys
}
