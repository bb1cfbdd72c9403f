package recall

import (
	"context"
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

// alikeKeys returns the memories whose texts are alike to a new one, those that share
// its most telling words first. If two texts have a share alike of their words in
// common, any set of one more word than the others contains a common one (the prefix
// filter of Chaudhuri, Ganti and Kaushik, A primitive operator for similarity joins,
// 2006).
func alikeKeys(ctx context.Context, r *db.Reader, content string, meaning *question, f filter) ([]int64, error) {
	new := wordsOf(content)
	others := len(new) - int(math.Ceil(alike*float64(len(new))))
	near, err := sharing(ctx, r, slices.Collect(maps.Keys(new)), others+1)
	if err != nil {
		return nil, err
	}
	keys := []int64{}
	err = near.compare(ctx, r, f, duplicating, func(memory int64, text string) {
		if inCommon(new, wordsOf(text)) >= alike {
			keys = append(keys, memory)
		}
	})
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
