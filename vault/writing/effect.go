package writing

import (
	"cmp"
	"context"
	"database/sql"
	"slices"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/ref"
	"hence/vault"
)

// shownChanges is the number of edges and dangling links that an Effect lists.
const shownChanges = 20

// Effect holds the edges to and from a note that a write has added to and removed from the
// store. It also lists the links of the note that dangle now.
type Effect struct {
	EdgesAdded   vault.Listed[EdgeChange]   `json:"edges_added"`
	EdgesRemoved vault.Listed[EdgeChange]   `json:"edges_removed"`
	Dangling     vault.Listed[DanglingLink] `json:"dangling"` // links of the note that lead to nothing
}

// EdgeChange is an edge, by the titles of its ends.
type EdgeChange struct {
	From string     `json:"from"`
	Type edges.Kind `json:"type"`
	Rel  string     `json:"rel"`
	To   string     `json:"to"`

	FromTrust string `json:"from_trust,omitempty"` // see ref.Named
	ToTrust   string `json:"to_trust,omitempty"`
}

// DanglingLink is a link whose target does not exist.
type DanglingLink struct {
	LineNumber int    `json:"line_number"`
	Target     string `json:"target"`
}

// links holds the edges of a note, without mentions, and its dangling links.
type links struct {
	id       string
	edges    map[string]EdgeChange // by id
	dangling []DanglingLink
}

// linksOf returns the links of a file, or none if the store does not have the file.
func (w Writer) linksOf(ctx context.Context, f vault.File) (l links, err error) {
	l.edges = map[string]EdgeChange{}
	err = w.DB.Read(ctx, func(r *db.Reader) error {
		var key int64
		err := db.Each(ctx, r, func(row *sql.Rows) error { return row.Scan(&key, &l.id) },
			`select key, id from memories where uri = ? and status <> 'forgotten'`, vault.URI(f.Name, f.Path))
		if err != nil || key == 0 {
			return err
		}
		if err := db.Each(ctx, r, func(row *sql.Rows) error {
			var id string
			var e EdgeChange
			err := row.Scan(&id, &e.From, &e.Type, &e.Rel, &e.To, &e.FromTrust, &e.ToTrust)
			l.edges[id] = e
			return err
		}, selectEdgesOf, key); err != nil {
			return err
		}
		l.dangling, err = db.Select(ctx, r, db.Fields(func(d *DanglingLink) []any { return []any{&d.LineNumber, &d.Target} }), `
select
  line,
  target || anchor
from sites
where note = ?
  and resolved_by = ''
order by line, key`, key)
		return err
	})
	return l, err
}

var selectEdgesOf = `
select
  e.id,
  f.title,
  e.kind,
  e.rel,
  t.title,
  ` + ref.TrustOf("f") + `,
  ` + ref.TrustOf("t") + `
from (
  select key from edges where from_key = ?1
  union
  select key from edges where to_key = ?1
) k
join edges e on e.key = k.key
join memories f on f.key = e.from_key
join memories t on t.key = e.to_key
where e.kind <> 'mentions'`

// effect returns the difference between the links before a write, l, and after it.
func (l links) effect(after links) Effect {
	return Effect{
		EdgesAdded:   firstOf(difference(after.edges, l.edges)),
		EdgesRemoved: firstOf(difference(l.edges, after.edges)),
		Dangling:     firstOf(after.dangling),
	}
}

// difference returns the edges that are not in others, sorted.
func difference(all, others map[string]EdgeChange) (missing []EdgeChange) {
	for id, e := range all {
		if _, ok := others[id]; !ok {
			missing = append(missing, e)
		}
	}
	slices.SortFunc(missing, func(a, b EdgeChange) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Type, b.Type), cmp.Compare(a.Rel, b.Rel), cmp.Compare(a.To, b.To))
	})
	return missing
}

// firstOf lists the first shownChanges items, and counts all.
func firstOf[T any](all []T) vault.Listed[T] {
	return vault.ListOf(append([]T{}, all[:min(len(all), shownChanges)]...), len(all))
}
