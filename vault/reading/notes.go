package reading

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"time"

	"hence/internal/args"
	"hence/internal/budget"
	"hence/internal/db"
	"hence/internal/lists"
	"hence/internal/ref"
	"hence/internal/script"
	"hence/memory"
	"hence/memory/record"
	"hence/vault"
)

// ListNotesArgs are the conditions for the notes to list.
type ListNotesArgs struct {
	Vault       string        `json:"vault,omitempty"`
	Under       string        `json:"under,omitempty" jsonschema:"this folder and those in it"`
	Tags        []string      `json:"tags,omitempty" jsonschema:"all of these"`
	Properties  db.Properties `json:"properties,omitempty"`
	Limit       int           `json:"limit,omitempty" default:"100" min:"1" max:"500"`
	Cursor      string        `json:"cursor,omitempty"`
	TokenBudget int           `json:"token_budget,omitempty" min:"64"`
}

// ListNotesResult is a page of notes, in the order of vault and path.
type ListNotesResult struct {
	Notes         []NoteSummary `json:"notes"`
	TotalCount    int           `json:"total_count"`
	ReturnedCount int           `json:"returned_count"`
	Truncated     bool          `json:"truncated"`
	Next          string        `json:"next,omitempty"`

	start int    // number of notes before the page
	list  string // name of the list that its cursor belongs to
}

// NoteSummary is a note in a list, as of the last import.
type NoteSummary struct {
	Vault    string   `json:"vault"`
	Path     string   `json:"path"`
	Title    string   `json:"title"`
	Tags     []string `json:"tags"`
	Size     int64    `json:"size"`
	Modified string   `json:"modified"`
	Trust    string   `json:"trust,omitempty"` // see ref.Named
}

// whichNotes selects notes for the list and its count: in the vault ?1, the namespace ?2,
// below one of the folders ?3, with all tags ?4 and properties ?5. A note with a nested tag
// has the outer tag too. A property that is a list has each of its values. Values of
// different types are different.
const whichNotes = `
from mirrors v
join files f on f.mirror = v.key
join memories m on m.key = f.memory
where ?1 in ('', v.name)
  and ?2 in ('', v.namespace)
  and m.kind = 'note'
  and m.status <> 'forgotten'
  and (?3 = '[]' or exists (
    select 1
    from json_each(?3) folder
    where f.path > folder.value || '/'
      and f.path < folder.value || '0'
  ))
  and not exists (
    select 1
    from json_each(?4) wanted
    where not ` + ref.HasTag + `
  )
  and not exists (
    select 1
    from json_each(?5) wanted
    where not ` + record.HasProperty + `
  )`

var selectNotes = `
select
  v.name,
  f.path,
  m.title,
  m.tags,
  f.size,
  f.modified,
  ` + ref.TrustOf("m") + whichNotes + `
order by v.name, f.path
limit ?7
offset ?6`

// ListNotes returns a page of notes, as of the last import. It fails with not_found if the
// caller may see no vault, or none with that name.
func (n Reader) ListNotes(ctx context.Context, a ListNotesArgs) (result ListNotesResult, err error) {
	const operation = "list_notes"
	if err := args.Check(operation, &a); err != nil {
		return result, err
	}
	vaultName, folders := a.Vault, []string{} // no folders: the whole vault; a uri names the vault too
	if a.Under != "" && a.Under != "." {
		var path string
		if vaultName, path, err = vault.ParsePath(operation, a.Vault, strings.TrimSuffix(a.Under, "/")); err != nil {
			return result, err
		}
		folders = script.Forms(path)
	}
	if _, err := n.files().FindVaults(ctx, operation, vaultName); err != nil {
		return result, err
	}
	tags, err := memory.CheckTags(operation, a.Tags)
	if err != nil {
		return result, err
	}
	properties := a.Properties
	if properties == nil {
		properties = db.Properties{}
	}
	var mark db.Mark
	result.list = args.ListOf(operation, a)
	if err := db.ReadCursor(operation, result.list, a.Cursor, &mark); err != nil {
		return result, err
	}
	conditions := []any{vaultName, n.Caller.Namespace, db.List(folders), db.List(lists.Map(tags, script.Glob)), db.List(properties)}
	err = n.DB.Read(ctx, func(r *db.Reader) error {
		if result.TotalCount, _, err = db.One[int](ctx, r, `select count(*)`+whichNotes, conditions...); err != nil {
			return err
		}
		if mark.Count > 0 {
			places, err := db.Select(ctx, r, db.Value[string], `select v.name || '/' || f.path`+whichNotes+` order by v.name, f.path`, conditions...)
			if err != nil {
				return err
			}
			result.start = mark.Skip(len(places), func(i int) string { return places[i] })
		}
		result.Notes, err = db.Select(ctx, r, func(row *sql.Rows) (n NoteSummary, err error) {
			var tags string
			var modified int64
			if err := row.Scan(&n.Vault, &n.Path, &n.Title, &tags, &n.Size, &modified, &n.Trust); err != nil {
				return n, err
			}
			n.Modified = db.Time(time.Unix(0, modified))
			return n, db.ReadColumn(n.Path, "tags", tags, &n.Tags)
		}, selectNotes, append(conditions, result.start, a.Limit+1)...)
		return err
	})
	if err != nil {
		return result, err
	}
	if result.Truncated = len(result.Notes) > a.Limit; result.Truncated {
		result.Notes = result.Notes[:a.Limit]
	}
	return budget.Hold(ctx, operation, a.TokenBudget, len(result.Notes), result.shorten)
}

// shorten returns a result with the first n notes, with each text cut to a number of bytes.
// It is truncated if there are more notes after it.
func (l ListNotesResult) shorten(n, bytes int) ListNotesResult {
	short := l
	short.Notes, short.ReturnedCount = slices.Clone(l.Notes[:n]), n
	if bytes < budget.Whole {
		for i, note := range short.Notes {
			short.Notes[i].Title, _ = budget.Cut(note.Title, bytes)
			short.Notes[i].Tags = []string{}
		}
	}
	short.Truncated, short.Next = budget.Rest(n, bytes, l.Truncated || n < len(l.Notes), func() string {
		return db.Cursor(l.list, db.NewMark(l.start+n, l.Notes[n-1].Vault+"/"+l.Notes[n-1].Path))
	})
	return short
}
