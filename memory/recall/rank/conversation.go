package rank

import (
	"context"
	"database/sql"
	"slices"

	"hence/edges"
	"hence/internal/db"
)

// speaker is who said a memory, and what kind it is.
type speaker struct{ origin, actor, kind string }

// conversation holds the speakers of the candidates of a question and of the memories before and
// after them, by the memories' keys.
type conversation struct {
	speakers map[int64]speaker
	replies  map[int64]bool // memories that are a model's reply to a person
}

// replyShare is the share of its score that a reply propagates to its message: more than other
// memories along follows, because it says in other words what was asked. Between two messages of a
// person is the reply of a model. So the two propagate to each other across the reply, in each direction
// the product of the shares of the two edges follows, and the next message and the reply nothing.
// It was chosen on ten of the chats of BEAM (make bench-recall).
const replyShare = 0.6

func (c conversation) isPerson(key int64) bool { return c.speakers[key].origin == "person" }

func (c conversation) isSameSpeaker(a, b int64) bool {
	return c.speakers[a].origin == c.speakers[b].origin && c.speakers[a].actor == c.speakers[b].actor
}

// isReply reports whether an edge follows is from a model's reply to a person's message. A
// memory that an agent stores on purpose follows nothing, or a memory of another kind.
func (c conversation) isReply(e edge) bool {
	return c.speakers[e.from].origin == "agent" && c.isPerson(e.to) && c.speakers[e.from].kind == c.speakers[e.to].kind
}

// readConversation reads the speakers of the candidates and of the other ends of their edges
// follows, and adds the arcs between messages of a person across a reply. It reads nothing if no
// edge is follows or no person speaks in the store.
func (p *pool) readConversation(ctx context.Context, r *db.Reader, found []edge) error {
	isOther := func(e edge) bool { return e.kind != edges.Follows }
	follows := slices.DeleteFunc(slices.Clone(found), isOther)
	if len(follows) == 0 || !p.peopleSpeak {
		return nil
	}
	p.turns = conversation{map[int64]speaker{}, map[int64]bool{}}
	for _, c := range p.all {
		p.turns.speakers[c.Memory] = speaker{c.Origin, c.Actor, c.Kind}
	}
	if err := p.turns.read(ctx, r, follows); err != nil {
		return err
	}
	beside, err := readEdges(ctx, r, p.keysBetween(follows), p.Filter.Times)
	if err != nil {
		return err
	}
	follows = eachOnce(append(follows, slices.DeleteFunc(beside, isOther)...))
	if err := p.turns.read(ctx, r, follows); err != nil {
		return err
	}
	for _, e := range follows {
		p.turns.replies[e.from] = p.turns.replies[e.from] || p.turns.isReply(e)
	}
	p.addArcsAcrossReplies(follows)
	return nil
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

// read adds the speakers at the ends of edges, except those that are known already.
func (c conversation) read(ctx context.Context, r *db.Reader, all []edge) error {
	unknown := []int64{}
	for _, e := range all {
		for _, key := range []int64{e.from, e.to} {
			if _, isKnown := c.speakers[key]; !isKnown {
				unknown = append(unknown, key)
			}
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	return db.Each(ctx, r, func(row *sql.Rows) error {
		var key int64
		var s speaker
		err := row.Scan(&key, &s.origin, &s.actor, &s.kind)
		c.speakers[key] = s
		return err
	}, `
select
  m.key,
  m.origin,
  m.actor,
  m.kind
from json_each(?1) c
cross join memories m on m.key = c.value`, db.List(unknown))
}

// keysBetween returns the memories directly before and after a person's candidate that another
// speaker said and that are not candidates: their edges are not read yet.
func (p *pool) keysBetween(follows []edge) (keys []int64) {
	for _, e := range follows {
		for _, ends := range [][2]int64{{e.from, e.to}, {e.to, e.from}} {
			if p.byMemory[ends[0]] != nil && p.byMemory[ends[1]] == nil && p.turns.isPerson(ends[0]) && !p.turns.isSameSpeaker(ends[0], ends[1]) {
				keys = append(keys, ends[1])
			}
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// addArcsAcrossReplies adds the arcs between two messages of the same person with one memory of
// another speaker between them.
func (p *pool) addArcsAcrossReplies(follows []edge) {
	byLater := map[int64][]edge{}
	for _, e := range follows {
		byLater[e.from] = append(byLater[e.from], e)
	}
	w := weightOf(edges.Follows)
	for _, later := range follows {
		for _, earlier := range byLater[later.to] {
			from, to, weight := later.from, earlier.to, later.weight*earlier.weight
			if p.turns.isPerson(from) && from != to && p.turns.isSameSpeaker(from, to) && !p.turns.isSameSpeaker(from, later.to) {
				p.arcs = append(p.arcs, arc{from, to, w.forward * w.forward * weight, w}, arc{to, from, w.backward * w.backward * weight, w})
			}
		}
	}
}

// adjust returns the weight of an edge, changed if it is a reply or follows one.
func (c conversation) adjust(e edge, w edgeWeight) edgeWeight {
	switch {
	case e.kind != edges.Follows:
	case c.isReply(e):
		w.forward = replyShare
	case c.isPerson(e.from) && c.replies[e.to]:
		w.forward, w.backward = 0, 0
	}
	return w
}
