package tools

import (
	"context"

	"hence/agents"
	codewriting "hence/code/writing"
	"hence/internal/ref"
	"hence/memory/journal"
	"hence/vault/writing"
)

// Undone is what an undo took back.
type Undone struct {
	Result any                 // of the room that did it, as hence undo --json prints it
	Files  *writing.UndoResult // the same if files were written, whoever owns them
}

// Undo takes back a change: a patch of code, what a client did to its files, a write of notes, or else changes of the
// store alone.
func Undo(ctx context.Context, v ref.View, a journal.UndoArgs) (Undone, error) {
	patch, ok, err := codewriting.New(v).Undo(ctx, a)
	if err != nil || ok {
		restored := []writing.UndoneNote{{Path: patch.Path, Change: "restored"}}
		return Undone{patch, &writing.UndoResult{Vault: patch.Repository, Operation: patch.Operation, Notes: restored, By: patch.By, Warnings: []string{}}}, err
	}
	found, ok, err := agents.Importer{DB: v.DB, Caller: v.Caller}.Mirror().Undo(ctx, a)
	if err != nil || ok {
		return Undone{found, &writing.UndoResult{Vault: found.Folder, Operation: found.Operation, Notes: found.Files, By: found.By, Warnings: found.Warnings}}, err
	}
	notes, ok, err := writing.New(v).Undo(ctx, a)
	if err != nil || ok {
		return Undone{notes, &notes}, err
	}
	changes, err := journal.Journal(v).Undo(ctx, a)
	return Undone{Result: changes}, err
}
