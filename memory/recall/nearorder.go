package recall

import (
	"context"
	"database/sql"
	"slices"
	"strings"

	"hence/memory/statement"

	"hence/internal/db"
)

const (
	varied     = 10  // neighbours that are chosen one after the other
	saidAgain  = 0.5 // share of what a word tells that is left when a chosen neighbour has it
	shortBytes = 200 // of a text that is not too long beside any other
	questioned = 20  // of the nearest are asked what they state
	statedIn   = 300 // bytes of the longest text that is asked
)

// orderNear puts neighbours in the order in which they are shown. First comes the last
// memory that states the same attribute of the same subject, which is what the text most
// often replaces. Each next one is chosen by what its words tell, those less that a
// neighbour before it has: the second may share another name than the first.
func orderNear(sharers []sharer, weights []float64, stated int64) []sharer {
	ordered, covered := []sharer{}, make([]float64, len(weights))
	for i := range covered {
		covered[i] = 1
	}
	take := func(i int) {
		ordered = append(ordered, sharers[i])
		for _, place := range sharers[i].places {
			covered[place] *= saidAgain
		}
		sharers = slices.Delete(sharers, i, i+1)
	}
	if i := slices.IndexFunc(sharers, func(s sharer) bool { return s.memory == stated }); i >= 0 {
		take(i)
	}
	for len(sharers) > 0 && len(ordered) < varied {
		for i, one := range sharers {
			sharers[i].score = 0
			for _, place := range one.places {
				sharers[i].score += weights[place] * covered[place]
			}
			sharers[i].score *= one.fits
		}
		nearest := 0
		for i, one := range sharers {
			if nearestOrder(one, sharers[nearest]) < 0 {
				nearest = i
			}
		}
		take(nearest)
	}
	slices.SortFunc(sharers, nearestOrder)
	return append(ordered, sharers...)
}

// lastStating returns the memory that changed last of those that state the same attribute
// of the same subject as a text; 0 if none does.
func lastStating(ctx context.Context, r *db.Reader, text string, sharers []sharer) (stating int64, err error) {
	if len(text) > statedIn {
		return 0, nil
	}
	title, content, titled := strings.Cut(text, "\n")
	if !titled {
		title, content = "", text
	}
	attribute, _, ok := statement.OfMemory(title, content)
	if !ok {
		return 0, nil
	}
	keys, changed := []int64{}, ""
	for _, one := range sharers[:min(len(sharers), questioned)] {
		if one.bytes <= statedIn && !one.isLast {
			keys = append(keys, one.memory)
		}
	}
	err = db.Each(ctx, r, func(row *sql.Rows) error {
		var key int64
		var title, content, at string
		if err := row.Scan(&key, &title, &content, &at); err != nil {
			return err
		}
		if other, _, ok := statement.OfMemory(title, content); ok && other == attribute && at >= changed {
			stating, changed = key, at
		}
		return nil
	}, `
select
  key,
  title,
  content,
  updated_at
from memories
where key in (select value from json_each(?1))
  and octet_length(content) <= ?2
order by id`, db.List(keys), statedIn)
	return stating, err
}
