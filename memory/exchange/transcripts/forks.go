package transcripts

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"hence/internal/db"
	"hence/internal/secret"
	"hence/memory/exchange/lines"
)

// A fork of a session of Codex begins with a copy of the turns of the other session, and a session
// that was resumed or archived may be in two files. Turns have no ids there, so the copies are
// recognised by their place and text, and come in once.

// heardTurn is a turn of a conversation that was told: the id of its memory, and what was said.
type heardTurn struct {
	id   string
	said [2]string // origin and text
}

// saidIn returns what the memory of a turn will hold.
func saidIn(turn Turn) [2]string {
	var uncounted secret.Cleaner // the turn is counted when it is told
	text := cmp.Or(strings.TrimSpace(uncounted.Clean(turn.Text)), "(private)")
	if turn.Person {
		return [2]string{"person", db.Hash(text)}
	}
	return [2]string{"agent", db.Hash(text)}
}

// tellForks tells the sessions that were read, each after the one that it was forked from. The
// turns of a session that is not among them are read from the store, where an earlier import may
// have put them.
func (t *teller) tellForks(ctx context.Context) error {
	filesOf := map[string][]Conversation{}
	for _, c := range t.sessions {
		filesOf[c.ID] = append(filesOf[c.ID], c)
	}
	var tell func(id string) error
	tell = func(id string) error {
		files := filesOf[id]
		delete(filesOf, id) // first, for sessions that wait for each other
		for _, c := range files {
			if err := tell(c.ForkOf); err != nil {
				return err
			}
			if _, isHeard := t.heard[c.ForkOf]; c.ForkOf != "" && c.ForkOf != c.ID && !isHeard {
				turns, err := db.Select(ctx, t.store.DB, db.Fields(func(h *heardTurn) []any { return []any{&h.id, &h.said[0], &h.said[1]} }), `
select
  m.id,
  m.origin,
  m.content_hash
from memories s
cross join edges e on e.to_key = s.key and e.kind = 'part-of'
cross join memories m on m.key = e.from_key
where s.id = ?1
  and m.kind = 'turn'
order by m.created_at, m.key`, lines.IdOf(t.format, t.namespace, c.ForkOf))
				if err != nil {
					return err
				}
				t.heard[c.ForkOf] = turns
			}
			if err := t.tell(c); err != nil {
				return err
			}
		}
		return nil
	}
	for _, c := range t.sessions {
		if err := tell(c.ID); err != nil {
			return err
		}
	}
	return nil
}

// unheard returns the turns of a conversation without those at its beginning that are a copy of the
// turns of another file. The first one left follows the last of these.
func (t *teller) unheard(c Conversation) []Turn {
	known, isAgain := t.heard[c.ID], t.told[lines.IdOf(t.format, t.namespace, c.ID)]
	if !isAgain {
		known = t.heard[c.ForkOf]
	}
	t.shared = map[string]string{}
	same := 0
	for same < min(len(known), len(c.Turns)) && known[same].said == saidIn(c.Turns[same]) {
		t.shared[c.Turns[same].ID] = known[same].id
		same++
	}
	heard := slices.Clone(known[:same])
	rest := slices.Clone(c.Turns[same:])
	for i := range rest {
		if isAgain { // another file of the session, whose lines have the numbers of other turns
			own := rest[i].ID + " of another file " + rest[0].At.String()
			t.shared[rest[i].ID] = lines.IdOf(t.format, t.namespace, c.ID, own)
		}
		heard = append(heard, heardTurn{t.turnID(c, rest[i].ID), saidIn(rest[i])})
	}
	if !isAgain || len(heard) > len(known) {
		t.heard[c.ID] = heard
	}
	return rest
}
