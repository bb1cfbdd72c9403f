package writing

import (
	"context"
	"errors"
	"path"
	"strings"

	"hence/internal/args"
	"hence/internal/fault"
	"hence/memory/journal"
	"hence/projection/folder"
	"hence/vault"
)

// MoveNoteArgs name a file and its new path.
type MoveNoteArgs struct {
	FromPath string `json:"from_path"`
	ToPath   string `json:"to_path" jsonschema:"in the same vault; folders are made"`
	Vault    string `json:"vault,omitempty"`
	DryRun   bool   `json:"dry_run,omitempty" jsonschema:"only list the rewrites"`
	NoUndo   bool   `json:"no_undo,omitempty" jsonschema:"even if too large to undo"`
	Limit    int    `json:"limit,omitempty" default:"100" min:"1" max:"10000"`
}

// MoveNoteResult is a file that was moved, and the links that were rewritten so that they
// lead to the same files as before, in the order of path and line.
type MoveNoteResult struct {
	Vault         string    `json:"vault"`
	FromPath      string    `json:"from_path"`
	ToPath        string    `json:"to_path"`
	ID            string    `json:"id,omitempty" jsonschema:"as before"`
	Moved         bool      `json:"moved"` // false after a dry run
	Rewrites      []Rewrite `json:"rewrites"`
	FilesChanged  int       `json:"files_changed"`
	TotalCount    int       `json:"total_count"` // of rewrites
	ReturnedCount int       `json:"returned_count"`
	Truncated     bool      `json:"truncated"`
	Next          string    `json:"next,omitempty" jsonschema:"argument to raise"`
	ContentHash   string    `json:"content_hash,omitempty"` // of the moved note or canvas
	Warnings      []string  `json:"warnings"`
}

// Rewrite is a link that is rewritten. Path is the path of the file that contains it, after
// the call.
type Rewrite struct {
	Path       string `json:"path"`
	LineNumber int    `json:"line_number"`
	Before     string `json:"before"`
	After      string `json:"after"`
}

// MoveNote moves a note, a canvas or another file of a vault to a new path, and rewrites
// each link that would then lead to another file than before: links to it, links in it, and
// links between other files whose names become ambiguous. It writes the shortest target in
// the style of the old one; anchors, display texts and everything else stay. The memory
// keeps its id. A dangling link is not rewritten, and may lead to the file by its new name.
// Links in code, HTML and reference definitions are not links to Obsidian and are not
// rewritten either, nor are links in files that import leaves out.
//
// A move is carried out as a whole or not at all, see folder.Staging and carryOut.
//
// It fails with exists if there is a file at the new path; with not_found and outside_vault
// as the other writes do; with invalid_argument for another extension or a symbolic link;
// with conflict if a link cannot be rewritten, or another program changes a file; and with
// too_large if the files that it rewrites are too large to be kept for Undo, unless NoUndo is
// set.
func (w Writer) MoveNote(ctx context.Context, a MoveNoteArgs) (result MoveNoteResult, err error) {
	const operation = "move_note"
	if err := args.Check(operation, &a); err != nil {
		return result, err
	}
	from, to, err := w.findEnds(ctx, operation, a)
	if err != nil {
		return result, err
	}
	release, err := w.hold(ctx, operation, from.OpenVault, a.DryRun)
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, release()) }()
	m := &move{Writer: w, operation: operation, File: from, to: to}
	if err := m.plan(ctx); err != nil {
		return result, err
	}
	if err := m.checkUndoable(a); err != nil {
		return result, err
	}
	file := from
	if !a.DryRun {
		if _, err := m.write(ctx, journal.Batch{Operation: operation, What: to}); err != nil {
			return result, err
		}
		file.Path = to
	}
	links, err := w.linksOf(ctx, file)
	if err != nil {
		return result, err
	}
	return m.result(a, links.id), nil
}

// write carries out the plan as a batch of the vault, imports the files, and returns the
// batch with its number.
func (m *move) write(ctx context.Context, batch journal.Batch) (journal.Batch, error) {
	batch.Vault, batch.Namespace = m.Name, m.Namespace
	changes, hashes := m.changes(), map[string]string{}
	for _, c := range changes {
		hashes[c.Before] = c.HashBefore
	}
	return m.log().Write(ctx, m.Folder, batch, changes, m.carryOut, func(b journal.Batch) error {
		return m.vaults().Mirror().ProjectMoves(ctx, b, m.Vault, map[string]string{m.to: m.Path}, hashes)
	})
}

// findEnds finds the file and its new path, and checks that the file can be moved there.
func (w Writer) findEnds(ctx context.Context, operation string, a MoveNoteArgs) (from vault.File, to string, err error) {
	if _, _, err := vault.ParsePath(operation, "", a.ToPath); err != nil {
		return from, "", err
	}
	if from, err = w.vaults().FindFile(ctx, operation, a.Vault, a.FromPath); err != nil {
		return from, "", err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, from.Close())
		}
	}()
	extension := path.Ext(from.Path)
	if other := path.Ext(a.ToPath); !vault.IsNote(from.Path) && other != "" && !strings.EqualFold(other, extension) {
		return from, "", fault.New(fault.InvalidArgument, "%s: %s cannot become %s; keep the extension", operation, from.Path, a.ToPath)
	}
	target, err := w.vaults().Vacant(ctx, operation, from.Name, a.ToPath, extension)
	if err != nil {
		return from, "", err
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	if from.IsLink(from.Path) {
		return from, "", fault.New(fault.InvalidArgument, "%s: %s is a symbolic link; move the file that it leads to", operation, from.Path)
	}
	if from.Path != target.Path && folder.SameName(from.Path, target.Path) {
		return from, target.Path, nil // only its case changes, or its Unicode form
	}
	return from, target.Path, target.CheckFree(operation, target.Path)
}

// result returns the result of the move, or of its dry run.
func (m *move) result(a MoveNoteArgs, id string) MoveNoteResult {
	result := MoveNoteResult{
		Vault: m.Name, FromPath: m.Path, ToPath: m.to, ID: id, Moved: !a.DryRun,
		FilesChanged: len(m.files), ContentHash: m.hash, Warnings: append([]string{}, m.warnings...),
	}
	all := []Rewrite{}
	for _, f := range m.files {
		path := f.Path
		if f.Path == m.Path && !a.DryRun {
			path = m.to
		}
		for _, r := range f.rewrites {
			r.Path = path
			all = append(all, r)
		}
	}
	result.Rewrites, result.TotalCount = all[:min(len(all), a.Limit)], len(all)
	result.ReturnedCount = len(result.Rewrites)
	if result.Truncated = result.ReturnedCount < result.TotalCount; result.Truncated {
		result.Next = "limit"
	}
	return result
}
