package explore

import (
	"context"

	"hence/edges"
	"hence/edges/belief"
	"hence/internal/args"
	"hence/internal/db"
	"hence/internal/lists"
	"hence/internal/ref"
)

// RestingArgs name memories that a change would replace or take away.
type RestingArgs struct {
	IDs []string `json:"ids" jsonschema:"at most 500"`
}

// Resting lists what rests on a memory, and so would be stale by the change, or is by way of the memory alone.
type Resting struct {
	Asked string `json:"asked" jsonschema:"as it was named"`
	ref.Named
	Resting []ref.Named `json:"resting" jsonschema:"the nearest first, at most 10"`
	Count   int         `json:"count"`
	Clears  []ref.Named `json:"clears" jsonschema:"what else is stale no more if it is verified"`

	TakesOver []edges.Inherited `json:"takes_over" jsonschema:"edges that a successor may need too"`
}

// RestingResult leaves out what has no memory any more.
type RestingResult struct {
	Memories []Resting `json:"memories"`
}

const (
	maxAsked   = 500
	maxResting = 10
)

// Resting returns what rests on each of some memories, directly or through others, as belief.RestingOn has it.
func (q reader) Resting(ctx context.Context, a RestingArgs) (result RestingResult, err error) {
	if err := args.Check("resting", &a); err != nil {
		return result, err
	}
	result.Memories = []Resting{}
	err = q.DB.Read(ctx, func(r *db.Reader) error {
		for _, name := range a.IDs[:min(len(a.IDs), maxAsked)] {
			matches, err := q.Caller.Matches(ctx, r, name)
			if err != nil {
				return err
			}
			if len(matches) != 1 {
				continue
			}
			found, count, err := belief.RestingOn(ctx, r, []string{matches[0].ID}, maxResting)
			if err != nil {
				return err
			}
			one := Resting{Asked: name, Named: matches[0].Named, Count: count}
			if one.Clears, err = belief.Clears(ctx, r, matches[0]); err != nil {
				return err
			}
			if one.TakesOver, err = edges.ReadInherited(ctx, r, true, one.ID); err != nil {
				return err
			}
			one.Resting = lists.Map(found, func(f belief.Resting) ref.Named { return f.Named })
			result.Memories = append(result.Memories, one)
		}
		return nil
	})
	return result, err
}
