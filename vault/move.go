package vault

import (
	"context"
	"errors"
	"path"
	"strings"

	"hence/internal/args"
	"hence/internal/fault"
	"hence/memory"
	"hence/projection/folder"
)

// MoveNoteArgs say where a file is to be.
type MoveNoteArgs struct {
	FromPath string `json:"from_path"`
	ToPath   string `json:"to_path" jsonschema:"in the same vault; folders are made"`
	Vault    string `json:"vault,omitempty"`
	DryRun   bool   `json:"dry_run,omitempty" jsonschema:"only list the rewrites"`
	NoUndo   bool   `json:"no_undo,omitempty" jsonschema:"even if too large to undo"`
	Limit    int    `json:"limit,omitempty" default:"100" min:"1" max:"10000"`
}

// MoveNoteResult is a file that was moved, and the links that were written anew
// so that they lead where they led before, in the order of path and line.
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

// Rewrite is a link that is written anew. The path is that of the file that
// holds it, where it is after the call.
type Rewrite struct {
	Path       string `json:"path"`
	LineNumber int    `json:"line_number"`
	Before     string `json:"before"`
	After      string `json:"after"`
}

// MoveNote gives a note, a canvas or another file of a vault a new path, and
// writes those links anew that would not lead where they led: to it, in it, and
// between other files whose names its coming or going makes ambiguous. The
// shortest text in the manner of the old one is taken, and anchors, display
// texts and everything else stay. The memory keeps its id. A link that led
// nowhere is left, and may lead to the file by its new name; links in code,
// HTML and reference definitions are none to Obsidian, and are left too, as is
// all that import leaves out.
//
// All or nothing: every new text is made and read again before anything is
// touched, written beside its file, and only then do all take their places. When
// one cannot, those before it are put back. Each file changes in one step, but
// several do not: another program may see some links written anew and others
// not, and so may a crash leave them; then the file is at both paths or at the
// new one, nothing is lost, and the next import takes in what is there.
//
// It fails with exists where something is at the new path, with not_found and
// outside_vault as the other writes do, with invalid_argument for another
// extension or a symbolic link, and with conflict where a link cannot be written
// anew, or a file changes meanwhile. It is kept for Undo; where the files that it
// writes have more bytes than that keeps, it fails with too_large unless NoUndo
// is given.
func (i Importer) MoveNote(ctx context.Context, a MoveNoteArgs) (result MoveNoteResult, err error) {
	const operation = "move_note"
	if err := args.Check(operation, &a); err != nil {
		return result, err
	}
	from, to, err := i.ends(ctx, operation, a)
	if err != nil {
		return result, err
	}
	from.Disk = i.disk
	defer func() { err = errors.Join(err, from.Close()) }()
	if !a.DryRun {
		unlock, err := i.hold(ctx, operation, from.opened)
		if err != nil {
			return result, err
		}
		defer unlock()
	}
	m := &move{Importer: i, operation: operation, File: from, to: to}
	if err := m.plan(ctx); err != nil {
		return result, err
	}
	if err := m.checkKept(a); err != nil {
		return result, err
	}
	if !a.DryRun {
		if err := m.keepAndCarryOut(ctx); err != nil {
			return result, err
		}
	}
	at := from
	if !a.DryRun {
		at.Path = to
	}
	known, err := i.linksOf(ctx, at)
	if err != nil {
		return result, err
	}
	return m.result(a, known.id), nil
}

// keepAndCarryOut does what was planned, after it has kept what is needed to take
// it back, and takes it into the store.
func (m *move) keepAndCarryOut(ctx context.Context) error {
	batch, err := m.begin(ctx, memory.Batch{Operation: m.operation, Vault: m.Name, Namespace: m.Namespace, What: m.to}, m.changes())
	if err != nil {
		return err
	}
	if err := m.carryOut(); err != nil {
		return m.abandon(ctx, m.operation, m.opened, batch, err)
	}
	m.batch = batch
	if err := m.reprojectMoved(ctx, m.operation, m.Vault, m.Path, m.to); err != nil {
		return err
	}
	return m.finish(ctx, batch)
}

// ends finds the file and its new path, and checks that the one can take the
// other.
func (i Importer) ends(ctx context.Context, operation string, a MoveNoteArgs) (from File, to string, err error) {
	if _, _, err := ParsePath(operation, "", a.ToPath); err != nil {
		return File{}, "", err
	}
	if from, err = i.Existing(ctx, operation, a.Vault, a.FromPath); err != nil {
		return File{}, "", err
	}
	extension := path.Ext(from.Path)
	if other := path.Ext(a.ToPath); !IsNote(from.Path) && other != "" && !strings.EqualFold(other, extension) {
		return File{}, "", errors.Join(fault.New(fault.InvalidArgument, "%s: %s cannot become %s; keep the extension", operation, from.Path, a.ToPath), from.Close())
	}
	target, err := i.vacant(ctx, operation, from.Name, a.ToPath, extension)
	if err != nil {
		return File{}, "", errors.Join(err, from.Close())
	}
	err = errors.Join(from.fits(operation, target), target.Close())
	if err != nil {
		return File{}, "", errors.Join(err, from.Close())
	}
	return from, target.Path, nil
}

// fits says whether a file can be moved to a path.
func (s File) fits(operation string, to File) error {
	real, err := s.Behind(operation, s.Path)
	if err != nil {
		return err
	}
	if real != s.Path {
		return fault.New(fault.InvalidArgument, "%s: %s is a symbolic link; move the file that it leads to", operation, s.Path)
	}
	if s.Path != to.Path && folder.SameName(s.Path, to.Path) {
		return nil // only its case changes, or how it is composed
	}
	return to.Occupied(operation, to.Path)
}

// result tells what was done, or would be.
func (m *move) result(a MoveNoteArgs, id string) MoveNoteResult {
	r := MoveNoteResult{
		Vault: m.Name, FromPath: m.Path, ToPath: m.to, ID: id, Moved: !a.DryRun,
		FilesChanged: len(m.files), ContentHash: m.hash, Warnings: listOf(m.warnings),
	}
	all := []Rewrite{}
	for _, f := range m.files {
		at := f.path
		if f.path == m.Path && !a.DryRun {
			at = m.to
		}
		for _, rewritten := range f.rewrites {
			rewritten.Path = at
			all = append(all, rewritten)
		}
	}
	r.Rewrites, r.TotalCount = all[:min(len(all), a.Limit)], len(all)
	r.ReturnedCount = len(r.Rewrites)
	if r.Truncated = r.ReturnedCount < r.TotalCount; r.Truncated {
		r.Next = "limit"
	}
	return r
}
