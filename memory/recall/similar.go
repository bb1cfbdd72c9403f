package recall

import (
	"context"
	"database/sql"
	"maps"
	"math"
	"slices"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/ref"
	"hence/memory"
)

const (
	alike       = 0.7  // share of common words from which texts say about the same
	meansAlike  = 0.95 // cosine of their vectors from which texts say about the same
	fewestWords = 5    // in shorter texts a single word changes too much
	maxAlike    = 5    // shown
	duplicating = 20   // candidates that are compared
)

// Similar returns the current memories that say about the same as a new one in
// other words. memory.Store.Remember takes it as an argument, because search is
// above memory.
func (s Searcher) Similar(ctx context.Context, a memory.StoreArgs) ([]memory.Duplicate, error) {
	namespace, err := s.Caller.Writes(a.Namespace)
	if err != nil || len(wordsOf(a.Content)) < fewestWords {
		return []memory.Duplicate{}, nil // storing reports an error itself
	}
	// A model that fails does not keep a memory from being stored.
	var meaning *question
	if m, err := s.inForce(ctx); err == nil && m != nil {
		meaning, _ = m.understand(ctx, a.Content, optional)
	}
	near := []memory.Duplicate{}
	err = s.DB.Read(ctx, func(r *db.Reader) error {
		keys, err := alikeKeys(ctx, r, a.Content, meaning, filter{namespace: namespace, status: memory.Current, times: edges.Today()})
		if err != nil {
			return err
		}
		for _, key := range keys[:min(len(keys), maxAlike)] {
			one, err := db.Select(ctx, r, scanFound, selectFound, key, 0, edges.Today().Bind())
			if err != nil {
				return err
			}
			near = append(near, memory.Duplicate{End: ref.End{Named: one[0].Named, Status: one[0].Status, Aging: one[0].Aging}, Reason: "similar"})
		}
		return nil
	})
	return near, err
}

// sharing lists the current memories of a namespace that share most of the rarest
// words of a text.
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

// alikeKeys compares the new text with those that share its rarest words: if two
// texts have a share alike of their words in common, any set of one more word than
// the others contains a common one (the prefix filter of Chaudhuri, Ganti and
// Kaushik, A primitive operator for similarity joins, 2006). Of a long text
// tellingWords words are looked up.
func alikeKeys(ctx context.Context, r *db.Reader, content string, meaning *question, f filter) ([]int64, error) {
	keys := []int64{}
	new := wordsOf(content)
	others := len(new) - int(math.Ceil(alike*float64(len(new))))
	quoted := quote(slices.Sorted(maps.Keys(new)))
	err := db.Each(ctx, r, func(row *sql.Rows) error {
		var key int64
		var text string
		err := row.Scan(&key, &text)
		if inCommon(new, wordsOf(text)) >= alike {
			keys = append(keys, key)
		}
		return err
	}, sharing, db.List(quoted[:min(len(quoted), maxCounted)]), min(others+1, tellingWords), duplicating, f.namespace, telling)
	if err != nil || meaning == nil {
		return keys, err
	}
	hits, err := nearest(ctx, r, meaning, f, maxAlike)
	for _, h := range hits {
		if h.score >= meansAlike && !slices.Contains(keys, h.memory) {
			keys = append(keys, h.memory)
		}
	}
	return keys, err
}

// wordsOf returns the different words of a text.
func wordsOf(text string) map[string]bool {
	words := map[string]bool{}
	for word := range tokens(text) {
		words[word] = true
	}
	return words
}

// inCommon is the share of all words that both texts have (Jaccard).
func inCommon(a, b map[string]bool) float64 {
	both := 0
	for word := range a {
		if b[word] {
			both++
		}
	}
	return float64(both) / float64(len(a)+len(b)-both)
}
