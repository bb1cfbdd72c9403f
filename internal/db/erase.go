package db

import (
	"context"
	"slices"
)

// mergeIndex merges the segments of the full-text index into one.
const mergeIndex = `insert into section_search (section_search) values ('optimize')`

// EraseDeleted are the statements with which a batch ends that has deleted memories for good. They
// merge the full-text index, whose segments keep the words of deleted rows until then; Write then
// empties the log into the file. The engine overwrites what it deletes (secure_delete), but leaves
// what it has moved within half-used pages, until Vacuum.
//
// FTS5 drops these words only where it merges into the last of its levels. If the last one is empty
// afterwards (the record of the levels ends with two zeros), or there are many, the index is rebuilt.
var EraseDeleted = []Stmt{S(mergeIndex), S(`
insert into section_search (section_search)
select 'rebuild'
from section_search_data
where id = 10
  and (substr(block, -2) = x'0000' or substr(block, 5, 1) > x'28')`)}

// erase empties the log after a batch that deleted text for good, or after a later one if other
// processes were reading the log then.
func (f *file) erase(ctx context.Context, statements []Stmt) {
	if erases(statements) {
		f.erases.Store(true)
	}
	if !f.erases.Load() {
		return
	}
	ctx = context.WithoutCancel(ctx)
	// The batch is written whatever becomes of this; KeepsErased tells.
	_ = f.using(ctx, func(g *generation) error {
		whole, err := g.checkpoint(ctx, "truncate")
		f.erases.Store(err != nil || !whole)
		return err
	})
}

// erases reports whether a batch has EraseDeleted.
func erases(statements []Stmt) bool {
	return slices.ContainsFunc(statements, func(s Stmt) bool { return s.SQL == mergeIndex })
}

func (f *file) keepsErased() string {
	if f.erases.Load() {
		return "another process is reading the store, and until a later change the text is still in its log, " + f.path + "-wal"
	}
	return ""
}

// Scrub rewrites the file after texts were deleted for good, so that no half-used page keeps a piece of
// them, and empties the log. It says in words where they still are: "" in no file of the store's own. It
// fails with unavailable while another process writes. The nodes of a cluster keep their files themselves.
func (d *DB) Scrub(ctx context.Context) (where string, err error) {
	if err := d.mayWrite("erase from " + d.path); err != nil {
		return "", err
	}
	if f, ok := d.engine.(*file); ok {
		if _, _, err := f.vacuum(ctx); err != nil {
			return "", err
		}
		f.erase(ctx, EraseDeleted)
	}
	return d.KeepsErased(), nil
}
