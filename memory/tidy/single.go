package tidy

import (
	"fmt"
	"slices"
	"time"

	"hence/internal/db"
	"hence/internal/secret"
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
func (w *world) listFading() []proposal {
	proposals := []proposal{}
	limit := db.Time(w.time.Add(-untouched))
	for _, m := range w.all {
		if m.note() || m.Pinned || slices.Contains(lasting, m.Kind) || m.Importance >= usual || m.resting > 0 || w.isOver(m) {
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
func (w *world) listExpired() []proposal {
	proposals := []proposal{}
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
func (w *world) secrets() []proposal {
	proposals := []proposal{}
	for _, m := range w.all {
		if m.note() {
			continue
		}
		var c secret.Cleaner
		c.CleanInPlace(pointer(m.Title), pointer(m.Content))
		c.CleanValue(map[string]any(m.Properties))
		if c.Count() > 0 {
			why := "it looks as if it held a secret: " + c.Kinds() + "; the journal keeps the old text, and memory_forget with purge removes it for good"
			proposals = append(proposals, propose(1, why, mask(m), m))
		}
	}
	return proposals
}

func pointer(text string) *string { return &text }
