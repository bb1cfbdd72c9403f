package near

import (
	"context"
	"database/sql"
	"slices"
	"strings"

	"hence/internal/db"
	"hence/memory/statement"
)

const (
	maxVaried         = 10  // near memories that are chosen one after the other
	repeatedShare     = 0.5 // share of its weight that a word keeps each time a chosen memory has it
	shortBytes        = 200 // a text of at most this length is never too long compared with another
	maxStatements     = 20  // of the nearest memories whose statements are compared
	maxStatementBytes = 300 // length of the longest text that may be a statement
)

// orderNear returns near memories in the order in which they are shown. First comes the
// memory statingMemory, which states the same attribute of the same subject: the text most
// often replaces it. Each next memory is the one with the best score, where a word counts
// less if a memory before it has the word, so that the second shares another name than the
// first.
func orderNear(sharers []sharer, weights []float64, statingMemory int64) []sharer {
	ordered, remainingShares := []sharer{}, make([]float64, len(weights))
	for i := range remainingShares {
		remainingShares[i] = 1
	}
	choose := func(i int) {
		ordered = append(ordered, sharers[i])
		for _, index := range sharers[i].words {
			remainingShares[index] *= repeatedShare
		}
		sharers = slices.Delete(sharers, i, i+1)
	}
	if i := slices.IndexFunc(sharers, func(s sharer) bool { return s.memory == statingMemory }); i >= 0 {
		choose(i)
	}
	for len(sharers) > 0 && len(ordered) < maxVaried {
		for i, s := range sharers {
			sharers[i].score = 0
			for _, index := range s.words {
				sharers[i].score += weights[index] * remainingShares[index]
			}
			sharers[i].score *= s.lengthFactor
		}
		nearest := 0
		for i, s := range sharers {
			if nearestOrder(s, sharers[nearest]) < 0 {
				nearest = i
			}
		}
		choose(nearest)
	}
	slices.SortFunc(sharers, nearestOrder)
	return append(ordered, sharers...)
}

// findLastStatement returns the key of the memory that changed last among those that state the
// same attribute of the same subject as a text; 0 if there is none.
func findLastStatement(ctx context.Context, r *db.Reader, text string, sharers []sharer) (stating int64, err error) {
	if len(text) > maxStatementBytes {
		return 0, nil
	}
	title, content, hasTitle := strings.Cut(text, "\n")
	if !hasTitle {
		title, content = "", text
	}
	attribute, _, ok := statement.OfMemory(title, content)
	if !ok {
		return 0, nil
	}
	keys, lastChange := []int64{}, ""
	for _, s := range sharers[:min(len(sharers), maxStatements)] {
		if s.bytes <= maxStatementBytes && !s.sortsLast {
			keys = append(keys, s.memory)
		}
	}
	err = db.Each(ctx, r, func(row *sql.Rows) error {
		var key int64
		var title, content, changedAt string
		if err := row.Scan(&key, &title, &content, &changedAt); err != nil {
			return err
		}
		if other, _, ok := statement.OfMemory(title, content); ok && other == attribute && changedAt >= lastChange {
			stating, lastChange = key, changedAt
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
order by id`, db.List(keys), maxStatementBytes)
	return stating, err
}
