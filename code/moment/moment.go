// Package moment says what memory has about an act at hand: the edit of a file, or a command. It
// also says what an edit has made stale, before any import has seen the edit.
package moment

import (
	"context"
	"slices"

	"hence/edges"
	"hence/edges/belief"
	"hence/internal/db"
	"hence/internal/lists"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/recall/answer"
	"hence/memory/recall/near"
	"hence/memory/recall/question"
)

// Finder finds what the memories of a store say about an act, among those that one caller may read.
type Finder ref.View

// Act is what an agent is about to do, or has tried to do.
type Act struct {
	Folder  string // in which the agent works, absolute; may be ""
	Edits   []Edit
	Command string // a line of a shell; "" for none
	Failure string // what the command said when it failed; "" if it has not
}

// Edit is a change of a file.
type Edit struct {
	Path    string  // absolute
	Content *string // the whole text after it, if that is given
	Changes []Change
	Done    bool // the file has it already: what it was is what was imported
}

// Change replaces a text in a file.
type Change struct{ Old, New string }

// Done returns the act with edits that are in their files already.
func (a Act) Done() Act {
	a.Edits = lists.Map(a.Edits, func(e Edit) Edit { return Edit{Path: e.Path, Done: true} })
	return a
}

// most is the largest number of memories that are shown for an act.
const most = 3

// Recall returns the current memories that an act concerns, at most three, without those with the given ids: for
// an edit first those that rest on a symbol that it changes or are linked to it, a method's before its
// class's, then those that rest on the file, are linked to it or name it, then those of the folders
// around it, then those that rest on these.
// For most acts there are none.
func (s Finder) Recall(ctx context.Context, a Act, except []string) (found []answer.Found, err error) {
	f, err := s.filter()
	if err != nil {
		return nil, err
	}
	err = s.DB.Read(ctx, func(r *db.Reader) error {
		hits := []near.Hit{}
		for _, e := range a.Edits {
			more, err := s.ofEdit(ctx, r, f, a.Folder, e, except)
			if err != nil {
				return err
			}
			hits = append(hits, more...)
		}
		if a.Command != "" {
			more, err := near.Commanded(ctx, r, s.Caller, f, a.Command, a.Failure, except)
			if err != nil {
				return err
			}
			hits = append(hits, more...)
		}
		found, err = describe(ctx, r, hits)
		return err
	})
	return found, err
}

// filter returns the filter of the current memories that the caller may read.
func (s Finder) filter() (f question.Filter, err error) {
	f = question.Filter{Status: memory.Current, Times: edges.Today()}
	f.Namespace, err = s.Caller.Reads("")
	return f, err
}

// describe returns the first memories with the beginnings of their texts, and why they are stale.
func describe(ctx context.Context, r *db.Reader, hits []near.Hit) (found []answer.Found, err error) {
	keys := []int64{}
	for _, h := range hits {
		if len(keys) == most || slices.Contains(keys, h.Memory) {
			continue
		}
		keys = append(keys, h.Memory)
		one, err := answer.Beginning(ctx, r, h.Memory, h.Section, edges.Today())
		if err != nil {
			return nil, err
		}
		found = append(found, one)
	}
	stale, contradicting, err := belief.Doubts(ctx, r, keys)
	for i, key := range keys {
		found[i].Stale, found[i].ContradictedBy = stale[key], contradicting[key]
	}
	return found, err
}

// ofEdit returns the memories that an edit concerns.
func (s Finder) ofEdit(ctx context.Context, r *db.Reader, f question.Filter, folder string, e Edit, except []string) ([]near.Hit, error) {
	p, ok, err := s.locate(ctx, r, e.Path, folder)
	if err != nil || !ok {
		return nil, err
	}
	t, err := p.tied(ctx, r, e)
	if err != nil {
		return nil, err
	}
	var symbols tiedTo
	for _, one := range t.symbols {
		more, err := s.ties(ctx, r, f, []int64{one}, except)
		if err != nil {
			return nil, err
		}
		symbols.direct, symbols.indirect = append(symbols.direct, more.direct...), append(symbols.indirect, more.indirect...)
	}
	files, err := s.ties(ctx, r, f, t.file, except)
	if err != nil {
		return nil, err
	}
	named, err := near.Naming(ctx, r, s.Caller, f, near.File{Repository: p.repository, Path: p.path, All: func() ([]string, error) { return p.files(ctx, r) }}, except)
	if err != nil {
		return nil, err
	}
	folders, err := s.ties(ctx, r, f, t.folder, except)
	return slices.Concat(symbols.direct, files.direct, named, folders.direct, symbols.indirect, files.indirect, folders.indirect), err
}
