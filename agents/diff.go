package agents

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"hence/internal/args"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/secret"
	"hence/projection"
	"hence/projection/undolog"
	"hence/vault/writing/edit"
)

// DiffArgs say which changes to show.
type DiffArgs struct {
	Folder string `json:"folder,omitempty" jsonschema:"only of this folder, such as claude-code"`
	Since  string `json:"since,omitempty" jsonschema:"also what imports have found from this time on: a time, a date, 2026-03, 7d"`
	Text   bool   `json:"text,omitempty" jsonschema:"with the lines that changed"`
}

// DiffResult lists what clients changed in their files.
type DiffResult struct {
	Changes  []FileChange `json:"changes"`
	Warnings []string     `json:"warnings"`
}

// FileChange is what became of a file.
type FileChange struct {
	Folder string `json:"folder"`
	Change string `json:"change" jsonschema:"added, changed, moved or deleted"`
	Path   string `json:"path"`
	From   string `json:"from,omitempty"` // the path before a move
	By     string `json:"by,omitempty"`   // who is said to have done it
	Seen   string `json:"seen,omitempty"` // when an import last found it changed; absent: none has yet
	Seq    int64  `json:"seq,omitempty"`  // the change of the log
	Diff   string `json:"diff,omitempty"`
}

// Diff returns what clients changed in their files since the last import, or since a time, by folder and path. It
// warns of a folder that cannot be read. It fails with not_found for a folder that the store does not have.
func (i Importer) Diff(ctx context.Context, a DiffArgs) (result DiffResult, err error) {
	const operation = "diff"
	result = DiffResult{Changes: []FileChange{}, Warnings: []string{}}
	if err := args.Check(operation, &a); err != nil {
		return result, err
	}
	since, err := db.ParseTime("since", a.Since)
	if err != nil {
		return result, err
	}
	all, err := i.folders(ctx, operation, a.Folder)
	for _, v := range all {
		d, err := i.Mirror().Differ(ctx, operation, v, since)
		if fault.CodeOf(err) == fault.Unavailable {
			result.Warnings = append(result.Warnings, err.Error())
			continue
		}
		if err != nil {
			return result, err
		}
		changes, err := i.tell(ctx, v, d, a.Text)
		if err != nil {
			return result, err
		}
		result.Changes = append(result.Changes, changes...)
	}
	return result, err
}

// folders returns the folder with a name, or all for "".
func (i Importer) folders(ctx context.Context, operation, name string) ([]projection.Vault, error) {
	all, err := i.Mirror().Vaults(ctx)
	if name != "" {
		all = slices.DeleteFunc(all, func(v projection.Vault) bool { return v.Name != name })
	}
	if err == nil && len(all) == 0 {
		err = fault.New(fault.NotFound, "%s: no memory files of agents were imported, or none of that name; hence import --agents finds them", operation)
	}
	return all, err
}

// tell returns the changes of a folder, a moved file as one.
func (i Importer) tell(ctx context.Context, v projection.Vault, d projection.Difference, text bool) (changes []FileChange, err error) {
	seen := map[int64]FileChange{}
	err = db.Each(ctx, i.DB, func(row *sql.Rows) error {
		var batch int64
		c := FileChange{Folder: v.Name}
		err := row.Scan(&batch, &c.Seen, &c.By, &c.Seq)
		seen[batch] = c
		return err
	}, `
select
  batch,
  at,
  actor,
  upto
from batches
where mirror = ?`, v.Name)
	if err != nil {
		return nil, err
	}
	gone := map[string]undolog.Entry{} // by the path to which it moved
	for _, e := range d.Changes {
		if to := d.Moves[e.Before]; to != "" && e.After == "" {
			gone[to] = e
		}
	}
	for _, e := range d.Changes {
		c := seen[e.Batch]
		c.Folder, c.Path, c.Change = v.Name, max(e.Before, e.After), "changed"
		from, isMoved := gone[e.After]
		switch {
		case d.Moves[e.Before] != "" && e.After == "":
			continue // it is told with its new path
		case isMoved:
			c.Change, c.From, e.HashBefore, e.Memory = "moved", from.Before, from.HashBefore, from.Memory
		case e.Before == "":
			c.Change = "added"
		case e.After == "":
			c.Change = "deleted"
		}
		if text && e.HashBefore != e.HashAfter {
			before, err := undolog.Log{DB: i.DB, Caller: i.Caller}.Version(ctx, e.Memory, e.HashBefore)
			if err != nil {
				return nil, err
			}
			c.Diff = fmt.Sprintf("%s is not text: it had %d bytes, and has %d\n", c.Path, len(before), len(d.Now[e.After]))
			if isText(before) && isText(d.Now[e.After]) {
				c.Diff = edit.Diff(c.Path, before, []byte(secret.Mask(string(d.Now[e.After]))))
			}
		}
		changes = append(changes, c)
	}
	slices.SortStableFunc(changes, func(a, b FileChange) int { return strings.Compare(a.Path, b.Path) })
	return changes, nil
}
