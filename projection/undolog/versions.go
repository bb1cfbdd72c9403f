package undolog

import (
	"context"
	"io/fs"
	"slices"

	"hence/internal/db"
	"hence/internal/secret"
)

// Some folders belong to another program, which changes their files without asking: those whose format keeps
// versions. Of each file there, every version that stood at an import is in the table versions, and the import's
// batch has a row of kept_files for each path that it found changed, added or gone. A path that moved is gone and
// another added, both with the file's memory. Nothing drops these rows but a purge of the memory.

// KeepVersion returns the statement that keeps the bytes of a file by the uri of its memory. What looks like a
// secret is taken out of them. Of a version that is kept already, the permissions are those of now.
func KeepVersion(uri, hash string, bytes []byte, mode fs.FileMode) db.Stmt {
	var c secret.Cleaner
	text := c.Clean(string(bytes))
	masked := text != string(bytes)
	return db.S(`
insert into versions (memory, hash, bytes, mode, masked)
select
  key,
  ?2,
  ?3,
  ?4,
  ?5
from memories
where uri = ?1
on conflict do update set mode = excluded.mode`, uri, hash, []byte(text), int64(mode), masked)
}

// KeepChanges returns the statements that record what a batch found of paths: rows of a memory's uri, the path,
// the hash of its bytes before and after, "" without a file.
func KeepChanges(batch int64, rows db.Rows) []db.Stmt {
	return []db.Stmt{
		db.S(`
insert into kept_files (batch, memory, path_before, path_after, hash_before, hash_after)
select
  ?1,
  m.key,
  iif(j.value ->> 2 = '', null, j.value ->> 1),
  iif(j.value ->> 3 = '', null, j.value ->> 1),
  j.value ->> 2,
  j.value ->> 3
from (select value from json_each(?2) limit -1) j
cross join memories m on m.uri = j.value ->> 0`, batch, rows.Arg()),
		db.S(`update batches set kept = coalesce(kept, 0) where batch = ?`, batch),
	}
}

// Since returns the changes of the batches of a vault from a time on. It leaves out the first import, which found the
// files as they were.
func (l Log) Since(ctx context.Context, vault, time string) (entries []Entry, err error) {
	return db.Select(ctx, l.DB, scanEntry, selectEntries+`
where k.batch in (select batch from batches where mirror = ?2 and at >= ?3 and not first)
order by k.key`, false, vault, time)
}

// Version returns the bytes of a version of a file, without what looked like a secret; nil if it is not kept.
func (l Log) Version(ctx context.Context, memory int64, hash string) (bytes []byte, err error) {
	bytes, _, err = db.One[[]byte](ctx, l.DB, `select bytes from versions where memory = ? and hash = ?`, memory, hash)
	return bytes, err
}

// Net returns the changes of several batches, or of one that took several imports, together: one for each path
// that has other bytes at the end, in the order in which they were first changed.
func Net(entries []Entry) (net []Entry) {
	at := map[string]int{}
	for _, e := range entries {
		path := max(e.Before, e.After)
		n, ok := at[path]
		if !ok {
			n, at[path] = len(net), len(net)
			net = append(net, e)
		}
		net[n].After, net[n].HashAfter, net[n].MemoryAfter, net[n].LacksAfter, net[n].Batch = e.After, e.HashAfter, e.MemoryAfter, e.LacksAfter, e.Batch
	}
	return slices.DeleteFunc(net, func(e Entry) bool { return e.HashBefore == e.HashAfter })
}

// Passed returns what Net leaves out though a text is gone with it: the last change of each file that came within the
// changes, and went.
func Passed(entries []Entry) (passed []Entry) {
	first, last, at := map[int64]Entry{}, map[int64]Entry{}, map[int64]string{}
	for _, e := range entries {
		if _, ok := first[e.Memory]; !ok {
			first[e.Memory] = e
		}
		if last[e.Memory] = e; e.After != "" || e.Before == at[e.Memory] {
			at[e.Memory] = e.After
		}
	}
	for memory, e := range last {
		if memory != 0 && first[memory].Before == "" && e.After == "" && at[memory] == "" {
			passed = append(passed, e)
		}
	}
	return passed
}

// Moves pairs what is gone with what came in its place under another path, by their memory: old path → new path.
func Moves(net []Entry) map[string]string {
	came, moves := map[int64]string{}, map[string]string{}
	for _, e := range net {
		if e.Before == "" {
			came[e.MemoryAfter] = e.After
		}
	}
	for _, e := range net {
		if to := came[e.Memory]; e.After == "" && to != "" && e.Memory != 0 {
			moves[e.Before] = to
		}
	}
	return moves
}
