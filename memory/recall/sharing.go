package recall

import (
	"cmp"
	"context"
	"database/sql"
	"maps"
	"math"
	"slices"

	"hence/internal/db"
)

// The work of finding what shares the words of a text is bounded, whatever the size of
// the store and of the text.
const (
	readUpTo    = 500    // sections that have a word, up to which it is read
	lookedUp    = 64     // words of a text, the longest, that are looked up
	readAtOnce  = 100    // sections whose memories are read together
	pairedWords = 4      // words of which each pair is looked up, if too few are rare
	pairedUpTo  = 20_000 // sections that have a word of a pair, about
)

// sharers are sections that share words with a text, and what these words tell: the
// sum of the logarithms of their rarity.
type sharers map[int64]float64

// lookedWord is a word with the sections that have it: all, or the first readUpTo.
type lookedWord struct {
	text     string // as a query of FTS5
	sections []int64
	about    float64 // how many sections have it
}

// sharing finds the sections that have any of the rare words of a text: at most wanted
// words, long ones first, which are most often rare. In a large store a short text may
// have fewer. Then sections count that have two of its next words.
func sharing(ctx context.Context, r *db.Reader, words []string, wanted int) (sharers, error) {
	all, _, err := db.One[float64](ctx, r, `select coalesce(max(key), 0) from sections`)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(words, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	rare, common := []lookedWord{}, []lookedWord{}
	wanted = min(wanted, tellingWords)
	for _, text := range quote(words[:min(len(words), lookedUp)]) {
		if len(rare) == wanted {
			break
		}
		w, err := lookUpWord(ctx, r, text, all)
		switch {
		case err != nil:
			return nil, err
		case len(w.sections) == 0: // no text has it
		case len(w.sections) < readUpTo:
			rare = append(rare, w)
		default:
			common = append(common, w)
		}
	}
	rarestFirst := func(a, b lookedWord) int { return cmp.Or(cmp.Compare(a.about, b.about), cmp.Compare(a.text, b.text)) }
	slices.SortFunc(rare, rarestFirst)
	slices.SortFunc(common, rarestFirst)
	found := sharers{}
	for _, w := range rare {
		found.add(w.sections, w.about, all)
	}
	if len(rare) < wanted {
		err = found.addPairs(ctx, r, common, all)
	}
	return found, err
}

// lookUpWord reads the sections that have a word. How many have one that is common is
// estimated: sections are found in the order of their keys.
func lookUpWord(ctx context.Context, r *db.Reader, text string, all float64) (lookedWord, error) {
	w := lookedWord{text: text}
	packed, _, err := db.One[[]byte](ctx, r, selectHaving, text, readUpTo)
	for row := range db.Packed(packed).Rows(1) {
		w.sections = append(w.sections, row[0])
	}
	w.about = float64(len(w.sections))
	if n := len(w.sections); n == readUpTo {
		w.about *= max(1, all/float64(w.sections[n-1]))
	}
	return w, err
}

const selectHaving = `
select pack(rowid)
from (
  select rowid
  from section_search
  where section_search match ?1
  limit ?2
)`

// add counts a word, or a pair of words, for the sections that have it.
func (s sharers) add(sections []int64, about, all float64) {
	for _, section := range sections {
		s[section] += math.Log1p(all / about)
	}
}

// addPairs looks up each pair of the first common words.
func (s sharers) addPairs(ctx context.Context, r *db.Reader, common []lookedWord, all float64) error {
	for i, a := range common[:min(len(common), pairedWords)] {
		for _, b := range common[i+1 : min(len(common), pairedWords)] {
			if b.about > pairedUpTo {
				break
			}
			both, err := lookUpWord(ctx, r, a.text+" AND "+b.text, all)
			if err != nil {
				return err
			}
			s.add(both.sections, max(1, both.about), all)
		}
	}
	return nil
}

// compare calls f with the memories of the sections that pass a filter, by namespace
// and status, and their texts: those whose words tell most first, at most most of them.
func (s sharers) compare(ctx context.Context, r *db.Reader, f filter, most int, compare func(memory int64, text string)) error {
	type shared struct {
		memory int64
		id     string
		tells  float64
	}
	order := slices.SortedFunc(maps.Keys(s), func(a, b int64) int { return cmp.Or(cmp.Compare(s[b], s[a]), cmp.Compare(a, b)) })
	best, at := []shared{}, map[int64]bool{}
	for len(order) > 0 && len(best) < most {
		group := order[:min(len(order), readAtOnce)]
		order = order[len(group):]
		err := db.Each(ctx, r, func(row *sql.Rows) error {
			var one shared
			var section int64
			err := row.Scan(&section, &one.memory, &one.id)
			if one.tells = s[section]; !at[one.memory] {
				best, at[one.memory] = append(best, one), true
			}
			return err
		}, selectSharing, db.List(group), f.namespace, f.status)
		if err != nil {
			return err
		}
	}
	slices.SortFunc(best, func(a, b shared) int { return cmp.Or(cmp.Compare(b.tells, a.tells), cmp.Compare(a.id, b.id)) })
	for _, one := range best[:min(len(best), most)] {
		text, _, err := db.One[string](ctx, r, `select content from memories where key = ?`, one.memory)
		if err != nil {
			return err
		}
		compare(one.memory, text)
	}
	return nil
}

const selectSharing = `
select
  s.key,
  m.key,
  m.id
from json_each(?1) j
cross join sections s on s.key = j.value
cross join memories m on m.key = s.memory
where m.status = ?3
  and m.namespace = ?2
order by j.key`
