package tidy

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"

	"hence/internal/budget"
	"hence/internal/db"
	"hence/internal/prose"
	"hence/internal/ref"
	"hence/internal/secret"
	"hence/memory"
)

// wish is a change of a memory that an agent asked for: see the table asked.
type wish struct {
	id, action, actor, at string
	change                struct {
		memory.UpdateArgs
		Reason string `json:"reason"`
	}
}

// readAsked appends to each memory the changes that agents asked for, the oldest first.
func readAsked(ctx context.Context, r *db.Reader, byKey map[int64]*memo) error {
	return db.Each(ctx, r, func(row *sql.Rows) error {
		var w wish
		var key int64
		var change string
		if err := row.Scan(&w.id, &key, &w.action, &change, &w.actor, &w.at); err != nil {
			return err
		}
		m := byKey[key]
		if m == nil {
			return nil
		}
		m.asked = append(m.asked, w)
		return json.Unmarshal([]byte(change), &m.asked[len(m.asked)-1].change)
	}, `
select
  id,
  memory,
  action,
  change,
  actor,
  at
from asked
order by at, id`)
}

// listAsked proposes the changes that agents asked for of what a person said.
func (w *world) listAsked() []proposal {
	proposals := []proposal{}
	for _, m := range w.all {
		for _, one := range m.asked {
			why, then := one.tell(m)
			if why == "" {
				continue
			}
			p := decide(propose(1, why, grant(m, one), m))
			p.about, p.then = one.id, then
			proposals = append(proposals, p)
		}
	}
	return proposals
}

// tell says in words what a wish would change ("" if nothing is left to change), and returns
// the memory as it would read then; nil if its title and text stay.
func (w wish) tell(m *memo) (why string, then *Member) {
	actor := cmp.Or(w.actor, "an agent")
	if w.action != "update" {
		why = actor + " asks to " + map[string]string{"forget": "forget it", "purge": "remove it for good"}[w.action]
		if w.change.Reason != "" {
			why += ": " + w.change.Reason
		}
		return why, nil
	}
	a, what := w.change, []string{}
	title, content := m.Title, m.Content
	if a.Title != nil && *a.Title != m.Title {
		title, what = *a.Title, append(what, "its title")
	}
	if a.Content != nil && db.Hash(*a.Content) != m.ContentHash {
		content, what = *a.Content, append(what, "its text")
	}
	if a.Kind != nil && *a.Kind != m.Kind {
		what = append(what, fmt.Sprintf("its kind from %s to %s", m.Kind, *a.Kind))
	}
	if a.Pinned != nil && *a.Pinned != m.Pinned {
		what = append(what, fmt.Sprintf("pinned to %t", *a.Pinned))
	}
	if a.Importance != nil && *a.Importance != m.Importance {
		what = append(what, fmt.Sprintf("its importance from %.2g to %.2g", m.Importance, *a.Importance))
	}
	what = append(what, a.HoldsWords()...)
	if len(what) == 0 { // the memory already has these values
		return "", nil
	}
	why = actor + " asks to change " + strings.Join(what, ", ")
	if title == m.Title && content == m.Content {
		return why, nil
	}
	then = &Member{Named: ref.Named{ID: m.ID, Title: secret.Mask(title)}, At: w.at}
	if ref.Rank(a.Source) < ref.RankOfAgent {
		then.Trust = a.Source
	}
	then.Text, _ = budget.Cut(secret.Mask(prose.OneLine(content)), decidedBytes)
	return why + "; the second is how it would read", then
}
