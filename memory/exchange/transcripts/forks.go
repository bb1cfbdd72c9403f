package transcripts

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/lists"
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
				turns, err := t.turnsInStore(ctx, c.ForkOf)
				if err != nil {
					return err
				}
				t.heard[c.ForkOf] = turns
			}
			own, err := t.turnsInStore(ctx, c.ID)
			if err != nil {
				return err
			}
			if err := t.tell(t.unheard(c, own)); err != nil {
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

// turnsInStore returns the turns of a conversation that an earlier import put into the store.
func (t *teller) turnsInStore(ctx context.Context, conversation string) ([]heardTurn, error) {
	return db.Select(ctx, t.store.DB, db.Fields(func(h *heardTurn) []any { return []any{&h.id, &h.said[0], &h.said[1]} }), `
select
  m.id,
  m.origin,
  m.content_hash
from memories s
cross join edges e on e.to_key = s.key and e.kind = 'part-of'
cross join memories m on m.key = e.from_key
where s.id = ?1
  and m.kind = 'turn'
  and m.origin <> 'import'
order by m.created_at, m.key`, lines.IdOf(t.format, t.namespace, conversation))
}

// unheard returns a conversation without the turns at its beginning, and their commands, that are a copy of those of another
// file. The first turn left follows the last of these. own are its turns in the store: a turn keeps the id of an earlier
// import, also where Codex has written the file anew, with other numbers of lines.
func (t *teller) unheard(c Conversation, own []heardTurn) Conversation {
	known, isAgain := t.heard[c.ID], t.told[lines.IdOf(t.format, t.namespace, c.ID)]
	if !isAgain {
		known = t.heard[c.ForkOf]
	}
	t.shared = map[string]string{}
	same := t.share(c.Turns, known)
	heard := slices.Clone(known[:same])
	if same > 0 && !isAgain {
		last, _ := strconv.Atoi(c.Turns[same-1].ID)
		c.Commands = slices.DeleteFunc(slices.Clone(c.Commands), func(k *Command) bool { return k.line <= last })
	}
	c.Turns = slices.Clone(c.Turns[same:])
	for _, turn := range c.Turns {
		if isAgain { // another file of the session, whose lines have the numbers of other turns
			t.shared[turn.ID] = lines.IdOf(t.format, t.namespace, c.ID, turn.ID+" of another file "+c.Turns[0].At.String())
		}
	}
	if !isAgain {
		t.share(c.Turns, own)
	}
	heard = append(heard, lists.Map(c.Turns, func(turn Turn) heardTurn { return heardTurn{t.turnID(c, turn.ID), saidIn(turn)} })...)
	if !isAgain || len(heard) > len(known) {
		t.heard[c.ID] = heard
	}
	return c
}

// share gives the turns of a conversation that begin as other ones do the ids of these, and returns how many.
func (t *teller) share(turns []Turn, others []heardTurn) (same int) {
	for same < min(len(others), len(turns)) && others[same].said == saidIn(turns[same]) {
		t.shared[turns[same].ID] = others[same].id
		same++
	}
	return same
}

// An agent's talk with its helper is a conversation of its own, part of that of the agent.

// helper is a conversation with a helper: the ids of its memory and of that of the agent's conversation.
type helper struct {
	session, agents string
	at              time.Time
}

// saysSomething reports whether a helper said something that its agent asked for. Claude Code starts some to be ready sooner.
func saysSomething(c Conversation) bool {
	return c.Turns[0].Text != "Warmup" && slices.ContainsFunc(c.Turns, func(turn Turn) bool { return turn.Model != "" })
}

// tellHelpers writes the edges from conversations with helpers to those of their agents, of this import or in the store.
func (t *teller) tellHelpers(ctx context.Context) error {
	ids := lists.Map(t.helpers, func(h helper) string { return h.agents })
	stored, err := db.Select(ctx, t.store.DB, db.Value[string], `
select m.id
from json_each(?1) j
cross join memories m on m.id = j.value`, db.List(ids))
	for _, id := range stored {
		t.told[id] = true
	}
	for _, h := range t.helpers {
		if err == nil && t.told[h.agents] {
			err = t.edge(h.session, h.agents, edges.PartOf, h.at)
		}
	}
	return err
}
