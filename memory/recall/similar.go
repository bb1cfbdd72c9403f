package recall

import (
	"context"
	"database/sql"
	"maps"
	"math"
	"slices"

	"hence/edges"
	"hence/internal/db"
	"hence/memory"
)

const (
	alike       = 0.7  // words in common of all words of both: they say about the same
	meansAlike  = 0.95 // cosine of the vectors of texts that say about the same
	fewestWords = 5    // in shorter texts one word makes all the difference
	maxAlike    = 5    // shown
	duplicating = 20   // candidates that are compared
)

// Similar returns the current memories that say about the same as a new one, in
// other words: what memory.Store.Remember is handed.
func (s Searcher) Similar(ctx context.Context, a memory.StoreArgs) ([]memory.Duplicate, error) {
	namespace, err := s.Caller.Writes(a.Namespace)
	if err != nil || len(wordsOf(a.Content)) < fewestWords {
		return []memory.Duplicate{}, nil // what is wrong with it, the store says
	}
	// A model that does not answer is no reason not to remember.
	var meant *question
	if m, err := s.inForce(ctx); err == nil && m != nil && !m.rough() {
		meant, _ = m.understand(ctx, a.Content)
	}
	near := []memory.Duplicate{}
	err = s.DB.Read(ctx, func(r *db.Reader) error {
		keys, err := alikeKeys(ctx, r, a.Content, meant, filter{namespace: namespace, status: memory.Current})
		if err != nil {
			return err
		}
		for _, key := range keys[:min(len(keys), maxAlike)] {
			found, err := db.Select(ctx, r, scanFound, selectFound, key, 0)
			if err != nil {
				return err
			}
			near = append(near, memory.Duplicate{End: edges.End{ID: found[0].ID, Title: found[0].Title, Status: found[0].Status}, Reason: "similar"})
		}
		return nil
	})
	return near, err
}

// sharing proposes the current memories of a namespace that share most of the
// rarest words of a text.
const sharing = `
with word as materialized (
  select
    w.value as text,
    (select count(*) from (select 1 from section_search where section_search match w.value limit ?5)) as rows
  from json_each(?1) w
),
rare as materialized (
  select text
  from word
  where rows > 0
  order by rows, text
  limit ?2
),
shares as materialized (
  select
    s.memory as memory,
    section_search.rowid as section,
    count(*) as words
  from rare
  cross join section_search
  cross join sections s on s.key = section_search.rowid
  cross join memories m on m.key = s.memory
  where section_search match rare.text
    and m.status = 'current'
    and m.namespace = ?4
  group by section
  order by words desc, section
  limit ?3
)
select
  m.key,
  m.content
from shares
cross join memories m on m.key = shares.memory
group by m.key
order by max(shares.words) desc, m.id`

// alikeKeys compares the new text with those that share its rarest words: two
// texts that have the part alike of their words in common share one of the
// others and one more, whichever these are (the prefix filter of Chaudhuri,
// Ganti and Kaushik, A primitive operator for similarity joins, 2006). Of a
// long text tellingWords are looked up.
func alikeKeys(ctx context.Context, r *db.Reader, content string, meant *question, f filter) ([]int64, error) {
	keys := []int64{}
	new := wordsOf(content)
	others := len(new) - int(math.Ceil(alike*float64(len(new))))
	quoted := quote(slices.Sorted(maps.Keys(new)))
	type stored struct {
		key  int64
		text string
	}
	near, err := db.Select(ctx, r, func(row *sql.Rows) (m stored, err error) {
		return m, row.Scan(&m.key, &m.text)
	}, sharing, db.List(quoted[:min(len(quoted), maxCounted)]), min(others+1, tellingWords), duplicating, f.namespace, telling)
	if err != nil {
		return nil, err
	}
	for _, m := range near {
		if inCommon(new, wordsOf(m.text)) >= alike {
			keys = append(keys, m.key)
		}
	}
	if meant == nil {
		return keys, nil
	}
	found, err := nearest(ctx, r, meant, f, maxAlike)
	for _, h := range found {
		if h.score >= meansAlike && !slices.Contains(keys, h.memory) {
			keys = append(keys, h.memory)
		}
	}
	return keys, err
}

// wordsOf are the different words of a text.
func wordsOf(text string) map[string]bool {
	words := map[string]bool{}
	for word := range tokens(text) {
		words[word] = true
	}
	return words
}

// inCommon is the part of all words that both texts have (Jaccard).
func inCommon(a, b map[string]bool) float64 {
	both := 0
	for word := range a {
		if b[word] {
			both++
		}
	}
	return float64(both) / float64(len(a)+len(b)-both)
}
