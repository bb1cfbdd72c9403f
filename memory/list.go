package memory

import (
	"context"
	"slices"
	"strings"

	"hence/edges"
	"hence/edges/belief"
	"hence/internal/args"
	"hence/internal/budget"
	"hence/internal/db"
	"hence/internal/lists"
	"hence/internal/ref"
	"hence/internal/script"
)

// afterMemory is the place in a list after which the next page begins. It has the key of the
// last memory, because an id may be long.
type afterMemory struct {
	Importance float64
	At         string
	Key        int64
}

// listed is the condition on a memory m for lists and counts: the namespace ?1, the
// kinds ?2, the tags ?3, the status ?4 and the times ?5. A tag includes nested tags.
// Supersession and verification count as changes but do not set updated_at, so the
// journal is read too.
var listed = `
where ?1 in ('', m.namespace)
  and (?2 = '[]' or lower(m.kind) in (select lower(value) from json_each(?2)))
  and ` + hasStatus + `
  and (
    (?5 ->> 'since') || (?5 ->> 'until') = ''
    or ` + edges.ChangedThen("m.created_at", "?5") + `
    or ` + edges.ChangedThen("m.updated_at", "?5") + `
    or m.id in (
      select j.id
      from journal j
      where j.action in ('supersede', 'reinstate', 'verify')
        and j.seq > coalesce((select b.seq from journal b where b.at < ?5 ->> 'since' order by b.seq desc limit 1), 0)
        and ` + edges.ChangedThen("j.at", "?5") + `
    )
  )
  and not exists (
    select 1
    from json_each(?3) wanted
    where not ` + ref.HasTag + `
  )`

// hasStatus is an SQL condition: the memory m has the status ?4 at the times ?5. edges.Stands
// accepts current memories, and superseded or forgotten ones only if its last two arguments
// say so. What is forgotten now is shown whether or not its validity is over, so that it can be restored.
var hasStatus = `case ?4
    when 'current' then ` + edges.Stands("m", "?5", "false", "false") + `
    when 'superseded' then ` + edges.Stands("m", "?5", "true", "false") + ` and not ` + edges.Stands("m", "?5", "false", "false") + `
    when 'forgotten' then ` + isForgotten + ` or ` + edges.Stands("m", "?5", "true", "true") + ` and not ` + edges.Stands("m", "?5", "true", "false") + `
    else ` + isForgotten + ` or ` + edges.Stands("m", "?5", "true", "true") + `
  end`

const isForgotten = `m.status = 'forgotten' and ?5 ->> 'as_of' = '' and ?5 ->> 'known_at' = ''`

// lastID is the SQL expression for the id of the memory with the key ?9. If that was purged, it
// is after all ids, so that no other memory of the same time is skipped.
const lastID = `coalesce((select l.id from memories l where l.key = ?9), char(1114111))`

// current follows from hasStatus in a list of what is current, without other times. It is for the
// index memories_recent.
const current = `
  and m.status = 'current'`

// pages are the queries for each order, and currentPages those for what is current, without other
// times. A page begins after the place ?7 to ?9; ?6 is 0 for the first page.
var pages, currentPages = pagesOf(""), pagesOf(current)

func pagesOf(and string) map[string]string {
	return map[string]string{
		"recent":     pagesBy(and, "?8", "m.updated_at"),
		"created":    pagesBy(and, "?8", "m.created_at"),
		"importance": pagesBy(and, "?7, ?8", "m.importance", "m.updated_at"),
	}
}

// pagesBy returns the query for an order by columns, the largest first, and the id. It sorts keys, so that
// the texts of memories that are not shown are not read.
func pagesBy(and, place string, columns ...string) string {
	columns = append(columns, "m.id")
	order := "\norder by " + strings.Join(columns, " desc, ") + " desc"
	return selectMemory + `
where m.key in (
  select m.key
  from memories m` + listed + and + `
    and (?6 = 0 or (` + strings.Join(columns, ", ") + `) < (` + place + `, ` + lastID + `))` + order + `
  limit ?10
)` + order
}

// countCurrent counts what is current, without other times, kinds or tags, in the namespace ?1. countListed
// counts any list.
var (
	countCurrent = `
select coalesce(sum(number), 0)
from ` + edges.MemoryCounts("?5 ->> 'over'") + `
where status = 'current'
  and ?1 in ('', namespace)`
	countListed = `select count(*) from memories m` + listed
)

// List returns a page of memories: the last changed, last created or most important
// first.
func (s Store) List(ctx context.Context, a ListArgs) (result ListResult, err error) {
	if err := args.Check("list", &a); err != nil {
		return result, err
	}
	namespace, err := s.Caller.Reads(a.Namespace)
	if err != nil {
		return result, err
	}
	times, err := edges.ParseTimesOfChange(a.AsOf, a.KnownAt, a.IncludeEnded, a.Since, a.Until)
	if err != nil {
		return result, err
	}
	tags, err := CheckTags("list", a.Tags)
	if err != nil {
		return result, err
	}
	var after afterMemory
	if err := db.ReadCursor("list", args.ListOf("list", a), a.Cursor, &after); err != nil {
		return result, err
	}
	kinds := slices.DeleteFunc(slices.Clone(a.Kind), func(kind string) bool { return kind == "" })
	conditions := []any{namespace, db.List(kinds), db.List(lists.Map(tags, script.Glob)), a.Status, times.Bind()}
	page := append(conditions[:5:5], a.Cursor != "", after.Importance, after.At, after.Key, a.Limit+1)
	query, count := pages[a.Order], countListed
	if a.Status == Current && !times.IsAsked() {
		query = currentPages[a.Order]
		if len(kinds)+len(tags) == 0 && times.Since+times.Until == "" {
			count = countCurrent
		}
	}
	err = s.DB.Read(ctx, func(r *db.Reader) error {
		all, err := db.Select(ctx, r, scanMemory, query, page...)
		if err != nil {
			return err
		}
		if result.TotalCount, _, err = db.One[int](ctx, r, count, conditions...); err != nil {
			return err
		}
		more := len(all) > a.Limit
		all = all[:min(len(all), a.Limit)]
		memories, err := summarise(ctx, r, all, times)
		if err != nil {
			return err
		}
		result, err = budget.Hold(ref.In(ctx, r), "list", a.TokenBudget, len(all), func(n, bytes int) ListResult {
			return pageOf(memories[:n], bytes, result.TotalCount, more || n < len(all), func() string { return cursorOf(all[n-1], a) })
		})
		return err
	})
	return result, err
}

// pageOf returns a page of memories, each text cut to a number of bytes. next returns the
// cursor after the page; it is called only if the page has entries.
func pageOf(memories []Summary, bytes, total int, more bool, next func() string) ListResult {
	result := ListResult{Memories: []Summary{}, TotalCount: total, ReturnedCount: len(memories)}
	for _, one := range memories {
		if bytes < budget.Whole {
			one.Title, _ = budget.Cut(one.Title, bytes)
			one.Tags = []string{}
		}
		one.Stale, one.ContradictedBy = belief.Brief(one.Stale, one.ContradictedBy, bytes)
		result.Memories = append(result.Memories, one)
	}
	result.Truncated, result.Next = budget.Rest(len(memories), bytes, more, next)
	return result
}

// cursorOf returns the cursor of the page of a list that follows the memory.
func cursorOf(m Memory, a ListArgs) string {
	at := m.UpdatedAt
	if a.Order == "created" {
		at = m.CreatedAt
	}
	return db.Cursor(args.ListOf("list", a), afterMemory{m.Importance, at, m.Key})
}

func keysOf(memories []Memory) []int64 {
	return lists.Map(memories, func(m Memory) int64 { return m.Key })
}

// LastSession ends an SQL query of the memories m: it chooses the last session of the caller's
// project, of which ?2 is ref.Caller.Own, that was not imported, in the namespace ?1 or, if that
// is "", in all.
var LastSession = `
where m.status = 'current'
  and m.kind = 'session'
  and m.origin <> 'import'
  and ?1 in ('', m.namespace)
  and ` + ref.Belongs("?2") + `
order by m.created_at desc, m.id desc
limit 1`

// LastChange returns the number of the journal's last row, 0 if it has none. The
// number rises with every change of a memory or an edge, whoever makes it.
func (s Store) LastChange(ctx context.Context) (seq int64, err error) {
	seq, _, err = db.One[int64](ctx, s.DB, `select coalesce(max(seq), 0) from journal`)
	return seq, err
}

// Kept counts the memories that agents and people have stored or changed since a time.
type Kept struct {
	Memories int // stored or changed
	Sessions int // checkpoints among them
}

// KeptSince counts what was stored or changed since a time, in the form of db.Time;
// notes of vaults do not count.
func (s Store) KeptSince(ctx context.Context, since string) (k Kept, err error) {
	k, _, err = db.First(ctx, s.DB, db.Fields(func(k *Kept) []any { return []any{&k.Memories, &k.Sessions} }), `
select
  count(*),
  count(*) filter (where kind = 'session' and created_at >= ?1)
from memories indexed by memories_recent
where status = 'current'
  and updated_at >= ?1
  and ?2 in ('', namespace)
  and origin in ('agent', 'person')`, since, s.Caller.Namespace)
	return k, err
}

// Titles returns the titles of current memories that begin with a prefix,
// regardless of case, in alphabetical order.
func (s Store) Titles(ctx context.Context, prefix string, limit int) (titles []string, err error) {
	return db.Select(ctx, s.DB, db.Value[string], `
select distinct title
from memories
where title >= ?1 collate nocase
  and title < ?1 || char(1114111) collate nocase
  and status = 'current'
  and ?2 in ('', namespace)
order by title collate nocase, title
limit ?3`, prefix, s.Caller.Namespace, limit)
}

// Vaults returns the names of vaults that begin with a prefix, in order.
func (s Store) Vaults(ctx context.Context, prefix string, limit int) (names []string, err error) {
	return db.Select(ctx, s.DB, db.Value[string], `
select name
from mirrors
where substr(name, 1, length(?1)) = ?1 collate nocase
  and ?2 in ('', namespace)
order by name
limit ?3`, prefix, s.Caller.Namespace, limit)
}

// Paths returns the paths of current notes that contain a text. Those that begin
// with it come first. vault is a name, or "" for all vaults.
func (s Store) Paths(ctx context.Context, vault, text string, limit int) (paths []string, err error) {
	return db.Select(ctx, s.DB, db.Value[string], `
select distinct f.path
from files f
join mirrors v on v.key = f.mirror
join memories m on m.key = f.memory
where m.status = 'current'
  and ?1 in ('', v.name)
  and ?2 in ('', m.namespace)
  and instr(lower(f.path), lower(?3)) > 0
order by instr(lower(f.path), lower(?3)) > 1, f.path
limit ?4`, vault, s.Caller.Namespace, text, limit)
}
