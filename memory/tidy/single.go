package tidy

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"hence/edges"
	"hence/internal/budget"
	"hence/internal/db"
	"hence/internal/prose"
	"hence/internal/ref"
	"hence/internal/secret"
	"hence/memory"
	"hence/memory/record"
)

const (
	usual     = 0.5                 // default importance of a memory
	untouched = 90 * 24 * time.Hour // a memory fades if nobody opened, edited, verified or linked it for so long
)

// lasting are kinds of memories that do not fade: what an agent is told to keep to, and
// what says where work was left off.
var lasting = []string{"decision", "preference", "rule", "instruction", "session", "summary"}

// listFading proposes to forget memories of less than the usual importance that nobody has
// opened, edited, verified or linked for long. Decisions, pinned memories and memories
// on which something rests stay. Being listed by a search does not count as opening.
func (w *world) listFading() (proposals []proposal) {
	limit := db.Time(w.time.Add(-untouched))
	for _, m := range w.all {
		if m.note() || m.Pinned || slices.Contains(lasting, record.Kind(m.Kind)) || m.Importance >= usual || m.resting > 0 || w.isOver(m) {
			continue
		}
		last := m.touched
		for _, e := range m.edges {
			last = max(last, e.at)
		}
		if last > limit {
			continue
		}
		why := fmt.Sprintf("importance %.2g, and not opened, edited, verified or linked since %s", m.Importance, db.Day(last))
		proposals = append(proposals, propose(usual-m.Importance, why, forget(m, "faded: "+why), m))
	}
	return proposals
}

// listExpired proposes to forget memories that no longer hold.
func (w *world) listExpired() (proposals []proposal) {
	for _, m := range w.all {
		if m.note() || m.Pinned || !w.isOver(m) {
			continue
		}
		why := "it held until " + db.Day(m.ValidTo)
		sure := 1.0
		if m.resting > 0 {
			sure = 0
			why += fmt.Sprintf("; %d rest on it and would be stale", m.resting)
		}
		proposals = append(proposals, propose(sure, why, forget(m, "it held until "+db.Day(m.ValidTo)), m))
	}
	return proposals
}

// secrets proposes to put a word such as [secret: aws-key] in the place of what looks
// like a secret in the text or properties of a memory.
func (w *world) secrets() (proposals []proposal) {
	for _, m := range w.all {
		if m.note() {
			continue
		}
		var c secret.Cleaner
		c.CleanAll([]string{m.Title, m.Content})
		c.CleanValue(map[string]any(m.Properties))
		if c.Count() > 0 {
			why := "it looks as if it held a secret: " + c.Kinds() + "; the journal keeps the old text, and memory_forget with purge removes it for good"
			proposals = append(proposals, propose(1, why, mask(m), m))
		}
	}
	return proposals
}

const mostSupporting = 5 // supporting memories that are named for each side of a conflict

// conflicts proposes to settle each open contradiction: the side that more memories
// support replaces the other, or the newer one if as many do. A note is not replaced.
func (w *world) conflicts() []proposal {
	proposals := map[*memo]proposal{} // by the memory that goes, which has one successor
	for _, m := range w.all {
		for _, e := range m.edges {
			if e.kind != edges.Contradicts || !e.out || e.over {
				continue
			}
			p, ok := settle(m, e.other)
			if !ok {
				continue
			}
			stays, goes := p.memories[0], p.memories[1]
			if other, known := proposals[goes]; !known || p.sure > other.sure || p.sure == other.sure && stays.ID < other.memories[0].ID {
				proposals[goes] = p
			}
		}
	}
	return slices.AppendSeq(slices.Concat(w.listProposed(edges.Contradicts), w.listMerged()), maps.Values(proposals)) // find sorts them
}

// settle proposes which of two contradicting memories replaces the other. It returns false if
// both are notes.
func settle(a, b *memo) (proposal, bool) {
	forA, forB := a.supporters(), b.supporters()
	stays, goes := a, b
	if b.note() || !a.note() && (len(forB) > len(forA) || len(forB) == len(forA) && (b.since() > a.since() || b.since() == a.since() && b.ID > a.ID)) {
		stays, goes, forA, forB = b, a, forB, forA
	}
	if goes.note() {
		return proposal{}, false
	}
	why := "they contradict each other"
	if len(forA)+len(forB) > 0 {
		why += fmt.Sprintf("; %d support the first, %d the second", len(forA), len(forB))
	}
	if len(forA) == len(forB) && !stays.note() && stays.since() > goes.since() {
		why += ", and the first is newer"
	}
	p := propose(float64(len(forA)-len(forB)), why, link(stays, goes, edges.Supersedes, "settles a contradiction"), stays, goes)
	p.support = [][]*memo{forA, forB}
	return p, true
}

// supporters returns the current memories that support a memory or that it is derived
// from, by id.
func (m *memo) supporters() []*memo {
	all := []*memo{}
	for _, e := range m.edges {
		if !e.over && (e.kind == edges.Supports && !e.out || e.kind == edges.DerivedFrom && e.out) && !slices.Contains(all, e.other) {
			all = append(all, e.other)
		}
	}
	slices.SortFunc(all, byID)
	return all
}

// listMerged proposes to settle what merges left open: to forget a losing text once the text
// that stands has taken over what it lacks, and to drop an edge that would close a cycle.
func (w *world) listMerged() (proposals []proposal) {
	const sure = 2
	for _, e := range w.edits {
		why := "both are edits of one memory, made apart; the first stands, and the second gave way in a merge: take over what the first lacks, then accept"
		proposals = append(proposals, propose(sure, why, forget(e.gaveWay, "settled: "+e.stands.quote()+" stands"), e.stands, e.gaveWay))
	}
	for _, u := range w.untaken {
		why := fmt.Sprintf("a merge brought the edge %s from the first to the second, which would close a cycle; it stays out, and the next merge tries again", u.kind)
		proposals = append(proposals, propose(sure, why, drop(u), u.from, u.to))
	}
	return proposals
}

// listProposed lists the edges of a kind that agents declared from a less trusted memory to a
// more trusted one, and that a person has not yet agreed to: see edges.Proposed.
func (w *world) listProposed(kind edges.Kind) (proposals []proposal) {
	const surest = 3
	for _, m := range slices.Concat(w.all, w.aside) {
		for _, e := range slices.Concat(m.edges, m.beside) {
			if !e.out || e.over || e.proposed != kind || m.Status == memory.Forgotten || e.other.Status == memory.Forgotten {
				continue
			}
			why := fmt.Sprintf("an agent or a file says that the first %s the second; a person decides", kind)
			proposals = append(proposals, decide(propose(surest, why, accede(m, e.other, kind), m, e.other)))
		}
	}
	return proposals
}

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
where memory is not null
order by at, id`)
}

// listAsked proposes the changes that agents asked for of what a person said.
func (w *world) listAsked() (proposals []proposal) {
	for _, m := range slices.Concat(w.all, w.aside) {
		for _, one := range m.asked {
			why, then := one.tell(m)
			if why == "" {
				continue
			}
			if m.Status != memory.Current {
				why += "; it is " + m.Status
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
	if w.action == "forget" && m.Status == memory.Forgotten {
		return "", nil
	}
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
	if a.Everywhere != nil && *a.Everywhere != m.Everywhere {
		what = append(what, fmt.Sprintf("everywhere to %t", *a.Everywhere))
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
	then = &Member{Named: ref.Named{ID: m.ID, Title: prose.Visible(secret.Mask(title))}, At: w.at}
	if ref.Rank(a.Source) < ref.RankOfAgent {
		then.Trust = a.Source
	}
	then.Text, _ = budget.Cut(secret.Mask(prose.OneLine(content)), decidedBytes)
	then.Text = prose.Visible(then.Text)
	return why + "; the second is how it would read", then
}
