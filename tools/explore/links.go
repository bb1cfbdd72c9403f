package explore

import (
	"context"

	"hence/internal/args"
	"hence/internal/db"
	"hence/internal/ref"
)

// LinksArgs name the memory whose text is shown.
type LinksArgs struct {
	ID string `json:"id" jsonschema:"id, path or title"`
}

// Written is a name as the links of a text write it, and the memory that it leads to.
type Written struct {
	Target string `json:"target" jsonschema:"the path of the link, percent-decoded, without heading and alias"`
	ref.Far
}

// LinksResult is where the links of a text lead, by the names in them.
type LinksResult struct {
	Links     []Written `json:"links"`
	Truncated bool      `json:"truncated"`
}

// maxWritten is the most names of a text in an answer.
const maxWritten = 20_000

// Links returns where the links of a memory's text lead: those of a note by its sites,
// as they were resolved when it was imported; those that somebody declared, by the
// title of the other memory. It fails as Caller.Find does.
func (q reader) Links(ctx context.Context, a LinksArgs) (result LinksResult, err error) {
	if err := args.Check("links", &a); err != nil {
		return result, err
	}
	err = q.DB.Read(ctx, func(r *db.Reader) error {
		m, err := q.Caller.Find(ctx, r, a.ID)
		if err != nil {
			return err
		}
		result.Links, err = db.Select(ctx, r, db.Fields(func(w *Written) []any {
			return []any{&w.Target, &w.Far}
		}), selectLinks, m.Key, maxWritten+1)
		return err
	})
	if result.Truncated = len(result.Links) > maxWritten; result.Truncated {
		result.Links = result.Links[:maxWritten]
	}
	return result, err
}

// A link in the body of a note is resolved as one in its frontmatter is, so a name leads
// to one memory; where a property's bare word leads elsewhere, the link comes first.
const selectLinks = `
select
  target,
  id,
  title,
  status,
  kind
from (
  select
    s.target,
    o.id,
    o.title,
    o.status,
    o.kind,
    s.lenient <> '' as lenient
  from sites s
  join edges e on e.key = s.edge
  join memories o on o.key = iif(s.backward, e.from_key, e.to_key)
  where s.note = ?1
    and s.target <> ''
    and s.kind <> 'mentions'
  union all
  select
    o.title,
    o.id,
    o.title,
    o.status,
    o.kind,
    2
  from edges e
  join memories o on o.key = e.to_key
  where e.from_key = ?1
    and e.declared = 'explicit'
    and e.kind <> 'mentions'
)
group by target, id
order by target, min(lenient), id
limit ?2`
