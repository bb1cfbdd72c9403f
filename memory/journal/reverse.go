package journal

import (
	"context"
	"encoding/json"
	"slices"

	"hence/edges"
	"hence/edges/belief"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/record"
)

// reverse returns the statements that undo one change, or the error that says why it cannot
// be undone. together are all changes that are undone with it.
func reverse(ctx context.Context, r *db.Reader, c Change, together []Change) ([]db.Stmt, error) {
	switch c.Action {
	case "store":
		return forgetStored(ctx, r, c)
	case "update":
		return restoreColumns(ctx, r, c)
	case "forget":
		return []db.Stmt{memory.ExpectFile("undo", c.name(), c.ID), db.S(restore, c.ID, string(c.before))}, c.onlyStatus()
	case "restore":
		// Restoring the memory deleted the verifications that it was the reason for.
		return []db.Stmt{forgetAgain(c), memory.InsertVerifications(c.ID, string(c.before), "$.verifications")}, c.onlyStatus()
	case "link":
		if c.isUnsettled() {
			return edges.DropUnsettled(c.ID, true), nil
		}
		return removeEdge(ctx, r, c)
	case "relink":
		return []db.Stmt{restoreEdge(c)}, nil
	case "unlink":
		if c.isUnsettled() {
			return keepUnsettled(c), nil
		}
		return insertEdge(ctx, r, c)
	case "supersede", "reinstate":
		if len(together) == 1 { // a trigger made it because of another change
			return nil, fault.New(fault.InvalidArgument, "undo: change %d followed from an edge that was made or removed with it; undo the change of that edge, which hence log shows beside it", c.Seq)
		}
		return nil, nil
	case "verify":
		back := belief.RestoreVerified(c.ID, string(c.before))
		return append(back, memory.InsertVerifications(c.ID, string(c.before), "$.verified.doubts")), nil
	}
	return nil, fault.New(fault.InvalidArgument, "undo: change %d purged a memory, and its content was not kept; only a backup holds it", c.Seq)
}

// forgetStored returns the statements that forget a stored memory. They fail with conflict if
// edges were added to the memory later: those that came with it are gone by then.
func forgetStored(ctx context.Context, r *db.Reader, c Change) ([]db.Stmt, error) {
	if err := ownedByAFile(ctx, r, c); err != nil {
		return nil, err
	}
	tied := fault.New(fault.Conflict, "undo: %s has edges that were added later; unlink those edges first, or forget the memory instead", c.name())
	return []db.Stmt{db.Expect(`
not exists (
  select 1
  from edges
  where from_key = (select key from memories where id = ?1)
    or to_key = (select key from memories where id = ?1)
)`, tied, c.ID), memory.ForgetStatement("undone", c.ID)}, nil
}

// onlyStatus returns an error if a change of status changed other columns too. Only an
// importer or the sqlite3 shell makes such a change.
func (c Change) onlyStatus() error {
	old := map[string]any{}
	if err := json.Unmarshal(c.before, &old); err != nil {
		return err
	}
	for column := range old {
		if !slices.Contains([]string{"status", "forgotten_at", "forget_reason", "verifications"}, column) {
			return fault.New(fault.InvalidArgument, "undo: change %d changed the %s of %s together with its status; change it by hand", c.Seq, column, c.name())
		}
	}
	return nil
}

// restore is the statement that undoes a forget. An undo forgets a memory only if it has no
// edges, so that a superseded status comes from its note then, and is set again.
const restore = `
update memories
set
  status = iif(
    forget_reason = 'undone' and ?2 ->> '$.status' = 'superseded',
    'superseded',
    ` + edges.StatusByEdges + `
  ),
  forgotten_at = null,
  forget_reason = null
where id = ?1
  and status = 'forgotten'`

func forgetAgain(c Change) db.Stmt {
	return db.S(`
update memories
set
  status = 'forgotten',
  forgotten_at = ?2 ->> '$.forgotten_at',
  forget_reason = ?2 ->> '$.forget_reason'
where id = ?1
  and status <> 'forgotten'`, c.ID, string(c.before))
}

// ownedByAFile returns an error if a vault's file holds the memory, because only an edit of
// the file changes it. A note that was imported as a line has a uri but no file.
func ownedByAFile(ctx context.Context, r *db.Reader, c Change) error {
	uri, ok, err := db.One[string](ctx, r, `
select coalesce(m.uri, m.title)
from memories m
where m.id = ?
  and `+ref.IsOfFile, c.ID)
	if err == nil && ok {
		err = fault.New(fault.InvalidArgument, "undo: a file holds the text of %s; edit the file and import its folder again", uri)
	}
	return err
}

// fileColumns are the columns that a note's file determines.
var fileColumns = []string{"kind", "title", "content", "aliases", "tags", "properties", "uri", "namespace"}

// restoreMemory and relinkEdge set what the journal keeps of a change.
var (
	restoreMemory = `
update memories
set
  content_hash = coalesce(?3, content_hash),
  sectioned = iif(?3 is null, sectioned, 0),
  ` + record.Set(journaled, "?2") + `
where id = ?1`
	relinkEdge = `
update edges
set
  ` + record.Set(record.Where(record.Edges, "journaled"), "?2") + `
where id = ?1`
)

// restoreColumns returns the statements that set the columns of a change to their old values.
func restoreColumns(ctx context.Context, r *db.Reader, c Change) ([]db.Stmt, error) {
	old := map[string]any{}
	if err := json.Unmarshal(c.before, &old); err != nil {
		return nil, err
	}
	if len(old) == 0 {
		return nil, fault.New(fault.InvalidArgument, "undo: change %d is of a memory that was purged since, and nothing of it was kept", c.Seq)
	}
	for _, column := range fileColumns {
		if _, changed := old[column]; changed {
			if err := ownedByAFile(ctx, r, c); err != nil {
				return nil, err
			}
		}
	}
	statements := []db.Stmt{RestoreStatement(c.ID, string(c.before)).
		Or(fault.New(fault.Conflict, "undo: the rules of the store now refuse the old values of %s", c.name()))}
	if old["verifications"] != nil { // those against a memory that was forgotten another time
		statements = append(statements, memory.InsertVerifications(c.ID, string(c.before), "$.verifications"))
	}
	if content, changed := old["content"].(string); changed && old["wording_only"] == true {
		statements = append(append(memory.KeepBasis(c.ID, db.Hash(content)), statements...), memory.MarkWording(c.ID))
	}
	return statements, nil
}

// RestoreStatement returns the statement that sets columns of a memory to old values, an object as the journal keeps
// them, and content_hash to the hash of old content.
func RestoreStatement(id, before string) db.Stmt {
	var old struct{ Content *string }
	var hash any
	if json.Unmarshal([]byte(before), &old) == nil && old.Content != nil {
		hash = db.Hash(*old.Content)
	}
	return db.S(restoreMemory, id, before, hash)
}

// removeEdge returns the statements that delete an edge. It fails with invalid_argument if a
// note declares the edge. The sites that were imported with the edge stay without it; their
// target_key is its id.
func removeEdge(ctx context.Context, r *db.Reader, c Change) ([]db.Stmt, error) {
	note, ok, err := db.One[string](ctx, r, `
select coalesce(m.uri, m.title) || ' on line ' || s.line
from edges e
join sites s on s.edge = e.key
join memories m on m.key = s.note
where e.id = ?
  and s.resolved_by <> 'import'
order by s.line
limit 1`, c.ID)
	if err != nil {
		return nil, err
	}
	if ok {
		return nil, fault.New(fault.InvalidArgument, "undo: %s is declared by %s; edit the note and import the vault again", c.name(), note)
	}
	return []db.Stmt{
		db.S(`
update sites
set
  edge = null,
  target_key = ?1
where edge = (select key from edges where id = ?1)`, c.ID),
		db.S(`delete from edges where id = ?`, c.ID), // unless it went with its last site
	}, nil
}

func restoreEdge(c Change) db.Stmt {
	return db.S(relinkEdge, c.ID, string(c.before)).
		Or(fault.New(fault.Conflict, "undo: another edge replaced %s; unlink that other edge first", c.name()))
}

// detachedSites is the SQL condition for the sites that removeEdge detached from the edge ?1.
const detachedSites = `target_key = ?1 and edge is null and resolved_by = 'import'`

// unlinked are the columns of a deleted edge that come back as the journal keeps them.
var unlinked = record.Except(record.Edges, "id", "declared")

var linkAgain = `
insert into edges (id, from_key, to_key, declared, ` + record.List(unlinked, "%[1]s") + `)
select
  ?1,
  f.key,
  t.key,
  iif(?2 ->> '$.declared' = 'site', 'site', 'explicit'),
  ` + record.List(unlinked, "?2 ->> '$.%[1]s'") + `
from memories f
join memories t on t.id = ?2 ->> '$.to'
where f.id = ?2 ->> '$.from'`

// insertEdge returns the statements that insert a deleted edge as it was, and attach the
// sites that removeEdge detached.
func insertEdge(ctx context.Context, r *db.Reader, c Change) ([]db.Stmt, error) {
	var old struct {
		From, To string
		Kind     edges.Kind
		Declared string
	}
	if err := json.Unmarshal(c.before, &old); err != nil {
		return nil, err
	}
	if old.Kind == "" {
		return nil, fault.New(fault.InvalidArgument, "undo: change %d is of an edge of a memory that was purged since, and nothing of it was kept", c.Seq)
	}
	if old.Declared == "site" {
		places, _, err := db.One[int](ctx, r, `select count(*) from sites where `+detachedSites, c.ID)
		if err != nil {
			return nil, err
		}
		if places == 0 {
			return nil, fault.New(fault.InvalidArgument, "undo: a note declared %s; write the link again and import the vault", c.name())
		}
	}
	purged := fault.New(fault.Conflict, "undo: %s cannot come back, because one of its memories has been purged since; only a backup holds that memory", c.name())
	return []db.Stmt{db.Expect(`(select count(*) from memories where id in (?, ?)) = 2`, purged, old.From, old.To), db.S(linkAgain, c.ID, string(c.before)).
		Or(fault.New(fault.Conflict, "undo: cannot restore %s: an identical edge exists, the memory already has a successor, or the edge would create a cycle", c.name())),
		db.S(`
update sites
set
  edge = (select key from edges where id = ?1),
  target_key = ''
where `+detachedSites, c.ID)}, nil
}

// isUnsettled reports whether a change is of an edge that a merge kept out of the graph.
func (c Change) isUnsettled() bool {
	var old struct{ Why string }
	return json.Unmarshal(c.before, &old) == nil && old.Why != ""
}

// keepUnsettled returns the statements that keep an edge out of the graph again, after
// edges.DropUnsettled dropped it.
func keepUnsettled(c Change) []db.Stmt {
	return []db.Stmt{
		db.S(`
insert into unsettled (id, namespace, from_id, to_id, why, line)
values (?1, ?2 ->> '$.namespace', ?2 ->> '$.from', ?2 ->> '$.to', ?2 ->> '$.why', ?2 -> '$.line')`, c.ID, string(c.before)),
		db.S(`delete from unlinked where id = ?`, c.ID),
		db.S(`
insert into change_list (action, thing, id, before)
values ('link', 'edge', ?1, json_remove(?2, '$.line'))`, c.ID, string(c.before)),
	}
}
