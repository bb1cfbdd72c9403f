package undolog

import (
	"cmp"
	"context"

	"hence/internal/fault"
	"hence/memory"
	"hence/memory/journal"
	"hence/projection/folder"
)

// Restored is a file that is as it was before an undone batch.
type Restored struct {
	Path   string `json:"path"`
	From   string `json:"from,omitempty"` // the path from which it was moved back
	Change string `json:"change"`         // restored, removed, made or moved
}

// AsLeft returns the files of a batch that are as it left them, with their State. It leaves out
// those that are as before it, because it was interrupted or somebody reverted it. Of those that
// the batch does not change (see Entry.IsUntouched), frozen says whether they are as it left them. It
// fails with conflict, and the hashes, if a file was edited since.
func AsLeft(f *folder.Folder, batch journal.Batch, entries []Entry) (left []Entry, frozen map[string]bool, err error) {
	frozen = map[string]bool{}
	var edited []string
	var refusal *fault.Error
	for _, e := range entries {
		state, hash, err := Compare("undo", f, e.Change)
		switch {
		case err != nil:
			return nil, nil, err
		case e.IsUntouched():
			frozen[e.Before] = state == AsAfter
		case state == Edited:
			path := cmp.Or(e.After, e.Before)
			edited = append(edited, path)
			if refusal == nil {
				none := "none (there is no file)"
				refusal = fault.New(fault.Conflict, "undo: %s is not as %s left it: its content hash is %s, and %s was written; undo the later edit first, or edit the note by hand", path, batch.Operation, cmp.Or(hash, none), cmp.Or(e.HashAfter, none)).
					With("path", path).With("content_hash", hash).With("written_hash", e.HashAfter).With("change", batch.Seq)
			}
		case state != AsBefore:
			e.State = state
			left = append(left, e)
		}
	}
	if refusal != nil {
		return nil, nil, refusal.With("paths", edited)
	}
	return left, frozen, nil
}

// PutBack gives files the bytes that they had before a batch, as a batch of its own: it restores, creates and
// removes them. Of a file that is at both paths of a move it removes the new one. project imports
// the files. The files are those of AsLeft, and none of them has moved.
func (l Log) PutBack(ctx context.Context, f *folder.Folder, undo journal.Batch, files []Entry, project func(a journal.Batch, restored []Restored) error) (_ journal.Batch, restored []Restored, err error) {
	var changes []Change
	var rewrites []folder.Rewrite
	for _, e := range files {
		c := Change{Before: e.After, After: e.Before, HashBefore: e.HashAfter, HashAfter: e.HashBefore, Versioned: e.Versioned}
		switch {
		case e.IsMove(): // at both paths
			c.After, c.HashAfter = "", ""
		case e.After == "":
			c.Folders = len(f.MissingFolders(e.Before))
		}
		if c.Before != "" {
			if c.Source, err = f.Read(folder.Entry{Path: c.Before}, memory.MaxContent); err != nil {
				return undo, nil, f.Explain("undo", c.Before, err)
			}
		}
		changes = append(changes, c)
		if c.Before == c.After {
			name, err := f.FollowLinks("undo", c.After)
			if err != nil {
				return undo, nil, err
			}
			rewrites = append(rewrites, folder.Rewrite{Path: name, Source: c.Source, Content: e.Source})
		}
	}
	restored = []Restored{}
	undo, err = l.Write(ctx, f, undo, changes, func() error {
		s := &folder.Staging{Folder: f, Operation: "undo"}
		if err := s.ReplaceAll(rewrites); err != nil {
			return err
		}
		for n, c := range changes {
			r := Restored{Path: c.After, Change: "restored"}
			switch {
			case c.After == "":
				r = Restored{Path: c.Before, Change: "removed"}
				if err := s.CheckUnchanged(folder.Rewrite{Path: c.Before, Source: c.Source}); err != nil {
					return err
				}
				if err := f.Remove(c.Before); err != nil {
					return f.Explain("undo", c.Before, err)
				}
				f.RemoveFolders(c.Before, files[n].Folders)
			case c.Before == "":
				r.Change = "made"
				if err := f.Create("undo", c.After, files[n].Source); err != nil {
					return err
				}
			}
			restored = append(restored, r)
		}
		return nil
	}, func(a journal.Batch) error { return project(a, restored) })
	return undo, restored, err
}
