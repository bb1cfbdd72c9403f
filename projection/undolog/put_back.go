package undolog

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

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
// fails with conflict, and the hashes, if a file was edited since, and if one was moved on.
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
		case state == Edited, state == AsBefore && e.Before == "" && e.Now != "" && e.Now != e.After:
			path := cmp.Or(e.After, e.Before)
			edited = append(edited, path)
			switch {
			case refusal != nil:
			case e.Now != "" && e.Now != path:
				refusal = fault.New(fault.Conflict, "undo: %s is at %s now; undo that move first, or move it back", path, e.Now).With("path", e.Now)
			default:
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
	written := map[string]bool{}
	restored = []Restored{}
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
		r := Restored{Path: cmp.Or(c.After, c.Before), Change: "restored"}
		switch {
		case c.After == "":
			r.Change = "removed"
		case c.Before == "":
			r.Change = "made"
		}
		restored = append(restored, r)
		if c.Before == c.After {
			name, err := f.FollowLinks("undo", c.After)
			if err != nil {
				return undo, nil, err
			}
			if written[name] { // a link to it is a file of the folder too
				continue
			}
			written[name] = true
			rewrites = append(rewrites, folder.Rewrite{Path: name, Source: c.Source, Content: e.Source, Mode: e.Mode})
		}
	}
	p := putBack{Staging: folder.Staging{Folder: f, Operation: "undo"}, files: files, changes: changes}
	undo, err = l.Write(ctx, f, undo, changes, func() error { return p.apply(rewrites) }, func(a journal.Batch) error { return project(a, restored) })
	return undo, restored, err
}

// putBack makes the changes of PutBack to the files.
type putBack struct {
	folder.Staging
	files   []Entry
	changes []Change
	back    []func() error // what takes back the changes that are made
}

// apply makes all changes or none, unless one of the last removals fails. New files come before the rewrites,
// and removals last, so that a text is always somewhere; but a file that is in the place of a new one's folder, or
// in a folder in the place of a new one, gives way first.
func (p *putBack) apply(rewrites []folder.Rewrite) error {
	late := []int{}
	err := func() error {
		for n, c := range p.changes {
			if c.After != "" {
				continue
			}
			depth := p.inTheWay(c.Before)
			if depth < 0 {
				late = append(late, n)
			} else if err := p.remove(n, depth); err != nil {
				return err
			}
		}
		for n, c := range p.changes {
			// Where a link is left, the file that it leads to is made too.
			if c.Before != "" || p.IsLink(c.After) {
				continue
			}
			if err := p.Create("undo", folder.Rewrite{Path: c.After, Content: p.files[n].Source, Mode: p.files[n].Mode}); err != nil {
				return err
			}
			p.back = append(p.back, func() error {
				err := p.Remove(c.After)
				p.RemoveFolders(c.After, c.Folders)
				return err
			})
		}
		return p.ReplaceAll(rewrites)
	}()
	if err != nil {
		for _, back := range slices.Backward(p.back) {
			err = errors.Join(err, back())
		}
		return err
	}
	for _, n := range late {
		if err := p.remove(n, p.files[n].Folders); err != nil {
			return err
		}
	}
	return nil
}

// remove removes the file of a change, and up to as many folders above it as are empty then.
func (p *putBack) remove(n, folders int) error {
	c := p.changes[n]
	if err := p.CheckUnchanged(folder.Rewrite{Path: c.Before, Source: c.Source}); err != nil {
		return err
	}
	info, err := p.Dir.Stat(c.Before)
	if err = cmp.Or(err, p.Remove(c.Before)); err != nil {
		return p.Explain("undo", c.Before, err)
	}
	p.RemoveFolders(c.Before, folders)
	p.back = append(p.back, func() error {
		return p.Create("undo", folder.Rewrite{Path: c.Before, Content: c.Source, Mode: info.Mode().Perm()})
	})
	return nil
}

// inTheWay returns how many folders above a file must go with it because a new file comes in their place, 0 if the file itself
// is in the place of a folder, and -1 if it is not in the way.
func (p *putBack) inTheWay(name string) int {
	for _, c := range p.changes {
		switch {
		case c.Before != "":
		case strings.HasPrefix(name, c.After+"/"):
			return strings.Count(name[len(c.After):], "/")
		case strings.HasPrefix(c.After, name+"/"):
			return 0
		}
	}
	return -1
}
