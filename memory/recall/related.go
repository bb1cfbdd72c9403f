package recall

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"

	"hence/edges"
	"hence/internal/args"
	"hence/internal/db"
	"hence/internal/ref"
	"hence/memory"
)

// RelatedArgs name a memory.
type RelatedArgs struct {
	ID    string `json:"id" jsonschema:"id, path or title"`
	Limit int    `json:"limit,omitempty" default:"10" min:"1" max:"50"`
}

// Related is a memory that is near another.
type Related struct {
	Found
	Linked []edges.Kind `json:"linked,omitempty" jsonschema:"types of the edges there are already"`
}

// RelatedResult is what is near, what is not linked yet first.
type RelatedResult struct {
	ID            string    `json:"id"`
	Title         string    `json:"title"`
	ReturnedCount int       `json:"returned_count"`
	Truncated     bool      `json:"truncated"`
	Next          string    `json:"next,omitempty"`
	Results       []Related `json:"results"`
}

// tellingWords is how many of its rarest words stand for a text.
const tellingWords = 16

// Related returns the memories that are near one in meaning: by the mean of
// the vectors of its sections, or by its telling words where there is none.
// Those that are not linked to it come first.
func (s Searcher) Related(ctx context.Context, a RelatedArgs) (result RelatedResult, err error) {
	if err := args.Check("related", &a); err != nil {
		return result, err
	}
	err = s.DB.Read(ctx, func(r *db.Reader) error {
		m, err := s.Caller.Find(ctx, r, a.ID)
		if err != nil {
			return err
		}
		linked, err := linkedTo(ctx, r, m.Key)
		if err != nil {
			return err
		}
		near, err := around(ctx, r, m, a.Limit+len(linked)+1)
		if err != nil {
			return err
		}
		slices.SortStableFunc(near, func(a, b *candidate) int {
			return cmp.Compare(min(1, len(linked[a.memory])), min(1, len(linked[b.memory])))
		})
		result = RelatedResult{ID: m.ID, Title: m.Title, Results: []Related{}}
		if result.Truncated = len(near) > a.Limit; result.Truncated {
			near, result.Next = near[:a.Limit], "limit"
		}
		found, err := describe(ctx, r, "", near, "summary")
		for i, one := range found {
			result.Results = append(result.Results, Related{one, linked[near[i].memory]})
		}
		result.ReturnedCount = len(found)
		return err
	})
	return result, err
}

// around returns what is near a memory, the nearest first, without itself.
func around(ctx context.Context, r *db.Reader, m ref.Memory, limit int) ([]*candidate, error) {
	f := filter{namespace: m.Namespace, status: memory.Current}
	found, byMeaning, err := aroundByMeaning(ctx, r, m, f, limit)
	if err == nil && !byMeaning {
		found, err = aroundByWords(ctx, r, m, f, limit)
	}
	near := []*candidate{}
	for _, h := range found {
		if h.memory == m.Key {
			continue
		}
		c := &candidate{hit: h}
		if byMeaning {
			c.vectorRank = len(near) + 1
		} else {
			c.keywordRank = len(near) + 1
		}
		near = append(near, c)
	}
	return near, err
}

// aroundByMeaning reports false where the memory has no vector.
func aroundByMeaning(ctx context.Context, r *db.Reader, m ref.Memory, f filter, limit int) ([]hit, bool, error) {
	all, err := modelsOf(ctx, r)
	if err != nil || len(all) == 0 || all[0].building {
		return nil, false, err
	}
	vectors, err := db.Select(ctx, r, db.Value[[]byte], `
select
  v.vector
from sections s
join vectors v on v.embedder = ?2 and v.section = s.key
where s.memory = ?1
order by s.ordinal`, m.Key, all[0].key)
	if err != nil || len(vectors) == 0 {
		return nil, false, err
	}
	mean := make([]float32, all[0].dimensions)
	for _, raw := range vectors {
		for i, x := range unblob(raw) {
			mean[i] += x
		}
	}
	found, err := nearest(ctx, r, &question{all[0].key, mean}, f, limit+1)
	return found, true, err
}

func aroundByWords(ctx context.Context, r *db.Reader, m ref.Memory, f filter, limit int) ([]hit, error) {
	text, _, err := db.One[string](ctx, r, `select title || ' ' || content from memories where key = ?`, m.Key)
	if err != nil {
		return nil, err
	}
	telling, err := tellingTerms(ctx, r, text, 2) // one has itself
	if err != nil || len(telling) == 0 {
		return nil, err
	}
	found, _, err := proposeBy(ctx, r, telling, len(telling), f, limit, 0)
	return found[:min(len(found), limit+1)], err
}

// tellingTerms are the rarest words of a text that at least so many sections
// have.
func tellingTerms(ctx context.Context, r *db.Reader, text string, sections int) ([]term, error) {
	all, err := terms(ctx, r, query{words: strings.Fields(strings.ToValidUTF8(text, " "))})
	all = slices.DeleteFunc(all, func(t term) bool { return t.rows < sections })
	return all[:min(len(all), tellingWords)], err
}

// linkedTo returns the kinds of edge between a memory and others, by the
// other's key.
func linkedTo(ctx context.Context, r *db.Reader, key int64) (map[int64][]edges.Kind, error) {
	type link struct {
		other int64
		kind  edges.Kind
	}
	found, err := db.Select(ctx, r, func(row *sql.Rows) (l link, err error) {
		err = row.Scan(&l.other, &l.kind)
		return l, err
	}, `
select
  to_key as other,
  kind
from edges
where from_key = ?1
  and kind <> 'mentions'
union
select
  from_key,
  kind
from edges
where to_key = ?1
  and kind <> 'mentions'
order by other, kind`, key)
	linked := map[int64][]edges.Kind{}
	for _, l := range found {
		linked[l.other] = append(linked[l.other], l.kind)
	}
	return linked, err
}
