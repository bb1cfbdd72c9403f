package exchange

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"hence/internal/db"
	"hence/internal/secret"
	"hence/memory/exchange/transcript"
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
func saidIn(turn transcript.Turn) [2]string {
	var uncounted secret.Cleaner // the turn is counted when it is told
	text := cmp.Or(strings.TrimSpace(uncounted.Clean(turn.Text)), "(private)")
	if turn.Person {
		return [2]string{"person", db.Hash(text)}
	}
	return [2]string{"agent", db.Hash(text)}
}

// tellOrWait tells a conversation, and those that were forked from it. A fork of a conversation
// that was not read yet waits.
func (t *teller) tellOrWait(c transcript.Conversation) error {
	if _, isHeard := t.heard[c.ForkOf]; c.ForkOf != "" && c.ForkOf != c.ID && !isHeard {
		t.waiting[c.ForkOf] = append(t.waiting[c.ForkOf], c)
		return nil
	}
	if err := t.tell(c); err != nil {
		return err
	}
	forks := t.waiting[c.ID]
	delete(t.waiting, c.ID)
	for _, fork := range forks {
		if err := t.tellOrWait(fork); err != nil {
			return err
		}
	}
	return nil
}

// tellWaiting tells the forks of conversations that are not in the files. Those that an earlier
// import stored are read from the store.
func (t *teller) tellWaiting(ctx context.Context) error {
	for len(t.waiting) > 0 {
		names := slices.Sorted(maps.Keys(t.waiting))
		// One whose own origin waits too comes after it, unless they wait for each other.
		at := max(0, slices.IndexFunc(names, func(name string) bool {
			for _, all := range t.waiting {
				if slices.ContainsFunc(all, func(c transcript.Conversation) bool { return c.ID == name }) {
					return false
				}
			}
			return true
		}))
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
order by m.created_at, m.key`, idOf(t.format, t.namespace, names[at]))
		if err != nil {
			return err
		}
		t.heard[names[at]] = turns
		forks := t.waiting[names[at]]
		delete(t.waiting, names[at])
		for _, fork := range forks {
			if err := t.tellOrWait(fork); err != nil {
				return err
			}
		}
	}
	return nil
}

// unheard returns the turns of a conversation without those at its beginning that are a copy of the
// turns of another file. The first one left follows the last of these.
func (t *teller) unheard(c transcript.Conversation) []transcript.Turn {
	known, isAgain := t.heard[c.ID], t.told[idOf(t.format, t.namespace, c.ID)]
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
			t.shared[rest[i].ID] = idOf(t.format, t.namespace, c.ID, own)
		}
		heard = append(heard, heardTurn{t.turnID(c, rest[i].ID), saidIn(rest[i])})
	}
	if !isAgain || len(heard) > len(known) {
		t.heard[c.ID] = heard
	}
	return rest
}
