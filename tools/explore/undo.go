package explore

import (
	"context"

	"hence/internal/ref"
	"hence/memory/journal"
	"hence/vault/writing"
)

// UndoResult is what was taken back: changes of the store, or a write of notes.
type UndoResult struct {
	journal.UndoResult
	Files *writing.UndoResult `json:"files,omitempty"`
}

// undo takes back a write of notes where the caller may write such notes here, or else
// changes of the journal, which refuses what else concerns files: that is for the command
// line.
func (a *API) undo(ctx context.Context, args journal.UndoArgs) (UndoResult, error) {
	v := ref.View{DB: a.db, Caller: a.caller}
	changes := journal.Journal(v)
	batch, files, err := changes.VaultBatch(ctx, args)
	if err != nil {
		return UndoResult{}, err
	}
	for files && err == nil && batch.Operation == "undo" {
		batch, err = changes.BatchByNumber(ctx, batch.Undoes)
	}
	if err != nil {
		return UndoResult{}, err
	}
	if wrote := a.calls[callPath+batch.Operation]; files && wrote.EditsNotes && wrote.closed == "" {
		done, _, err := writing.New(v).Undo(ctx, args)
		return UndoResult{journal.UndoResult{Undone: []journal.Change{}, By: done.By}, &done}, err
	}
	done, err := changes.Undo(ctx, args)
	return UndoResult{UndoResult: done}, err
}

// ChangesResult is a page of the journal.
type ChangesResult struct {
	journal.LogResult
	Last int64 `json:"last,omitempty"` // the change that undo takes back if none is named
}

// Changes lists changes, the latest first.
func (q reader) Changes(ctx context.Context, a journal.LogArgs) (result ChangesResult, err error) {
	changes := journal.Journal(q)
	if result.LogResult, err = changes.Log(ctx, a); err == nil {
		result.Last, err = changes.Last(ctx)
	}
	return result, err
}
