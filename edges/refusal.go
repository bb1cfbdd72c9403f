package edges

import (
	"context"
	"math"

	"hence/internal/db"
	"hence/internal/fault"
)

var (
	errSuperseded = fault.New(fault.Conflict, "link: the memory has been superseded already; supersede its current successor instead")
	errCircle     = fault.New(fault.Cycle, "link: the edge would close a circle, and edges of this type have none")
)

// Explain adds to a refusal of declarations what the caller needs to mend
// them: the current successor, or the circle. Other errors pass as they are.
func (g Graph) Explain(ctx context.Context, err error, declared ...Declaration) error {
	for _, d := range declared {
		var explained error
		switch {
		case err == errSuperseded && d.Kind == Supersedes:
			explained = g.successor(ctx, d)
		case err == errCircle && d.Kind.Acyclic():
			explained = g.circle(ctx, d)
		}
		if explained != nil {
			return explained
		}
	}
	return err
}

// successor names what took a memory's place, nil when nothing did.
func (g Graph) successor(ctx context.Context, d Declaration) error {
	return g.DB.Read(ctx, func(r *db.Reader) error {
		newest, err := head(ctx, r, d.To)
		if err != nil || newest.ID == d.To {
			return err
		}
		return fault.New(fault.Conflict, "link: the memory has been superseded already; supersede its current successor, %q (%s), instead", newest.Title, newest.ID).
			With("current", newest)
	})
}

// circle names the way back from the edge's end to its start, however long it
// is: the schema counts the superseded and the forgotten too. It is nil when
// there is no such way to show.
func (g Graph) circle(ctx context.Context, d Declaration) error {
	var back PathResult
	err := g.DB.Read(ctx, func(r *db.Reader) error {
		from, err := g.Caller.Find(ctx, r, d.To)
		if err != nil {
			return err
		}
		to, err := g.Caller.Find(ctx, r, d.From)
		if err != nil {
			return err
		}
		w := rules{kinds: []Kind{d.Kind}, direction: Forward, includeSuperseded: true, includeForgotten: true}
		trails, err := newSearch(r, w, false, from.Key, from.ID, to.Key, to.ID).best(ctx, math.MaxInt, 1)
		if err != nil {
			return err
		}
		back, err = drawPaths(ctx, r, trails, PathArgs{})
		return err
	})
	if fault.CodeOf(err) == fault.NotFound {
		return nil // an end that the refused batch would have stored
	}
	if err != nil || !back.Found {
		return err
	}
	first, last := back.Path[0], back.Path[len(back.Path)-1]
	return fault.New(fault.Cycle, "link: %q %s %q would close a circle: %s", last.Title, d.Kind, first.Title, back.Arrows()).
		With("path", back.Path)
}

// head returns the newest successor of a memory, which is itself when it has
// none.
func head(ctx context.Context, r *db.Reader, id string) (End, error) {
	found, err := db.Select(ctx, r, scanEnd, `
with recursive line (key, step) as (
  select key, 0 from memories where id = ?
  union
  select e.from_key, l.step + 1
  from line l
  join edges e on e.to_key = l.key and e.kind = 'supersedes'
)
select
  m.id,
  m.title,
  m.status
from line l
join memories m on m.key = l.key
order by l.step desc
limit 1`, id)
	if err != nil || len(found) == 0 {
		return End{}, err
	}
	return found[0], nil
}
