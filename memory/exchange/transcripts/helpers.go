package transcripts

import (
	"context"
	"slices"
	"time"

	"hence/edges"
	"hence/internal/db"
)

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
	ids := []string{}
	for _, h := range t.helpers {
		ids = append(ids, h.agents)
	}
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
