package explore

import (
	"context"

	"hence/internal/ref"
	"hence/memory/journal"
	"hence/vault/writing"
)

// UndoResult lists what was undone: changes of the store, or a write of notes.
type UndoResult struct {
	journal.UndoResult
	Files *writing.UndoResult `json:"files,omitempty"`
}

// undo undoes a batch of changes. If the batch wrote notes, and the caller may call the
// tool that wrote them, undo restores the files. Otherwise it undoes changes of the store;
// Journal.Undo refuses other changes of files, which only the command line undoes.
func (a *API) undo(ctx context.Context, args journal.UndoArgs) (UndoResult, error) {
	v := ref.View{DB: a.db, Caller: a.caller}
	changes := journal.Journal(v)
	batch, wroteFiles, err := changes.VaultBatch(ctx, args)
	if err != nil {
		return UndoResult{}, err
	}
	for wroteFiles && err == nil && batch.Operation == "undo" {
		batch, err = changes.BatchByNumber(ctx, batch.Undoes)
	}
	if err != nil {
		return UndoResult{}, err
	}
	if tool := a.calls[callPath+batch.Operation]; wroteFiles && tool.EditsNotes && tool.refusal == "" {
		done, _, err := writing.New(v).Undo(ctx, args)
		return UndoResult{journal.UndoResult{Undone: []journal.Change{}, By: done.By}, &done}, err
	}
	done, err := changes.Undo(ctx, args)
	return UndoResult{UndoResult: done}, err
}

// ChangesResult is a page of the journal.
type ChangesResult struct {
	journal.LogResult
	Last int64 `json:"last,omitempty"` // the change that undo undoes if none is named
}

// Changes lists changes, the latest first.
func (q reader) Changes(ctx context.Context, a journal.LogArgs) (result ChangesResult, err error) {
	changes := journal.Journal(q)
	if result.LogResult, err = changes.Log(ctx, a); err == nil {
		result.Last, err = changes.Last(ctx)
	}
	return result, err
}
