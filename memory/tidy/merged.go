package tidy

import (
	"context"
	"fmt"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/ref"
)

// listMerged proposes to settle what merges left open: to forget a losing text once the text
// that stands has taken over what it lacks, and to drop an edge that would close a cycle.
func (w *world) listMerged() (proposals []proposal) {
	const sure = 2
	for _, e := range w.edits {
		why := "both are edits of one memory, made apart; the first stands, and the second gave way in a merge: take over what the first lacks, then accept"
		proposals = append(proposals, propose(sure, why, forgetChange{e.gaveWay, "settled: " + e.stands.quote() + " stands"}, e.stands, e.gaveWay))
	}
	for _, u := range w.untaken {
		why := fmt.Sprintf("a merge brought the edge %s from the first to the second, which would close a cycle; it stays out, and the next merge tries again", u.kind)
		proposals = append(proposals, propose(sure, why, dropChange{u}, u.from, u.to))
	}
	return proposals
}

// dropChange drops an edge that the graph refused.
type dropChange struct{ refusedEdge }

func (d dropChange) call() Call {
	arguments := map[string]any{"from": ref.ShortID(d.from.id), "to": ref.ShortID(d.to.id), "type": d.kind}
	if d.rel != "" {
		arguments["rel"] = d.rel
	}
	return Call{"memory_unlink", arguments}
}

func (d dropChange) statements(_ context.Context, _ *db.Reader, t Tidier, _ string) ([]db.Stmt, error) {
	return edges.DropUnsettled(d.id, t.Caller.IsPerson()), nil
}
