package near

import (
	"cmp"
	"context"
	"database/sql"
	"maps"
	"math"
	"slices"
	"strings"

	"hence/edges"
	"hence/internal/args"
	"hence/internal/db"
	"hence/internal/lists"
	"hence/internal/ref"
	"hence/internal/script"
	"hence/memory"
	"hence/memory/recall/answer"
	"hence/memory/recall/lexicon"
	"hence/memory/recall/question"
)

// These constants limit the work for a prompt, and say when a memory is close enough to be
// offered. No memory is better than one that does not fit.
const (
	maxPromptRunes      = 4000 // of a prompt that are read
	maxPromptWords      = 250  // of a prompt that are tried as names
	maxNameWords        = 10   // words of a name
	rareShare           = 0.01 // a word is rare if at most this share of the sections has it,
	rareSections        = 3    // or, in a small store, at most this many sections
	minRareWords        = 2    // rare words that one section must share with the prompt
	leadFactor          = 1.5  // how much more the offered memories must weigh than the next one
	maxComparedSections = 200  // sections with rare words that are compared
)

// RecogniseArgs are a prompt and the memories that its author has seen already.
type RecogniseArgs struct {
	Prompt    string   `json:"prompt,omitempty"`
	Namespace string   `json:"namespace,omitempty"`
	Except    []string `json:"except,omitempty"` // ids
	Limit     int      `json:"limit,omitempty" default:"3" min:"1" max:"10"`
}

// Recognise returns the current memories that concern the caller and that a prompt is about: first those whose title or
// alias occurs in it, the longest name first, then those with two of its rare words, if they
// are clearly ahead of all others. Most prompts have no such memory. A name of a single word
// counts only if the word is rare. Files, code, sessions and turns of conversations are left
// out.
func (s Finder) Recognise(ctx context.Context, a RecogniseArgs) (matches []answer.Found, err error) {
	if err := args.Check("recognise", &a); err != nil {
		return nil, err
	}
	f := question.Filter{Status: memory.Current, Times: edges.Today()}
	if f.Namespace, err = s.Caller.Reads(a.Namespace); err != nil {
		return nil, err
	}
	prompt := []rune(a.Prompt)
	p := promptSearch{text: string(prompt[:min(len(prompt), maxPromptRunes)]), filter: f, except: db.List(a.Except), own: s.Caller.Own(), needed: minRareWords, sections: selectSections}
	err = s.DB.Read(ctx, func(r *db.Reader) error {
		hits, err := p.recognise(ctx, r, a.Limit)
		if err != nil {
			return err
		}
		for _, h := range hits {
			result, err := answer.Beginning(ctx, r, h.Memory, h.Section, f.Times)
			if err != nil {
				return err
			}
			matches = append(matches, result)
		}
		return nil
	})
	return matches, err
}

// promptSearch is the search for the memories of one prompt.
type promptSearch struct {
	text         string
	filter       question.Filter
	except       string // ids of memories to leave out, as a JSON list
	own          string // the caller's project, see ref.Caller.Own
	sectionCount float64
	rare         []lookedWord
	needed       int    // rare words that one section must share with the prompt
	sections     string // the query for the memories of sections
}

// recognition is a memory that the prompt is about, with the section to show.
type recognition struct {
	Hit
	nameLength int     // bytes and words of the title or alias in the prompt, added
	weight     float64 // of the rare words that it shares
}

// recognise returns at most limit memories: the named ones first, then those that share words.
func (p *promptSearch) recognise(ctx context.Context, r *db.Reader, limit int) ([]recognition, error) {
	if err := p.findRare(ctx, r); err != nil {
		return nil, err
	}
	results, err := p.findNamed(ctx, r)
	if err != nil {
		return nil, err
	}
	shared, err := p.findSharing(ctx, r, p.rare)
	if err != nil {
		return nil, err
	}
	for _, h := range clearLeaders(shared, limit) {
		if !slices.ContainsFunc(results, func(n recognition) bool { return n.Memory == h.Memory }) {
			results = append(results, h)
		}
	}
	return results[:min(len(results), limit)], nil
}

// count sets the ranges of the sections and their number, and returns their keys.
func (p *promptSearch) count(ctx context.Context, r *db.Reader) (keys textKeys, err error) {
	keys, err = readTextKeys(ctx, r, p.filter.Namespace)
	p.sectionCount, p.filter.Scope.Ranges = keys.countUpTo(math.MaxInt64), keys.ranges
	return keys, err
}

// findRare sets the rare words of the prompt.
func (p *promptSearch) findRare(ctx context.Context, r *db.Reader) error {
	keys, err := p.count(ctx, r)
	if err != nil {
		return err
	}
	words := meaningfulWords(p.text)
	slices.SortFunc(words, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	isRare := func(w lookedWord) bool { return w.estimate <= max(rareSections, rareShare*p.sectionCount) }
	p.rare, _, err = lookUpWords(ctx, r, words[:min(len(words), maxLookedUp)], keys, isRare, maxLookedUp+1)
	return err
}

// candidateNames returns the sequences of words of the prompt that may be a title, by their
// script.Key, without punctuation around them.
func (p *promptSearch) candidateNames() map[string]string {
	fields := strings.Fields(p.text)
	fields = fields[:min(len(fields), maxPromptWords)]
	names := map[string]string{}
	for i := range fields {
		for n := 1; n <= maxNameWords && i+n <= len(fields); n++ {
			name := strings.Trim(strings.Join(fields[i:i+n], " "), ".,;:!?…\"'`()[]{}<>*_“”‘’«»")
			if p.isTelling(name) {
				names[script.Key(name)] = name
			}
		}
	}
	return names
}

// isTelling reports whether a name identifies something: it is a rare word, or several words,
// one of them meaningful.
func (p *promptSearch) isTelling(name string) bool {
	words := slices.Collect(lexicon.Tokens(name))
	if len(words) == 1 {
		return slices.ContainsFunc(p.rare, func(w lookedWord) bool { return w.word == words[0] })
	}
	return slices.ContainsFunc(words, isMeaningful)
}

// isMeaningful reports whether a word is not a stopword and longer than two bytes.
func isMeaningful(word string) bool { return !lexicon.Stopwords(word) && len(word) > 2 }

// meaningfulWords returns the meaningful words of texts, each once.
func meaningfulWords(texts ...string) (words []string) {
	for _, text := range texts {
		for word := range lexicon.Tokens(text) {
			if isMeaningful(word) && !slices.Contains(words, word) {
				words = append(words, word)
			}
		}
	}
	return words
}

// findNamed returns the memories whose title or alias occurs in the prompt, the longest name
// first.
func (p *promptSearch) findNamed(ctx context.Context, r *db.Reader) ([]recognition, error) {
	names := p.candidateNames()
	matches := map[int64]recognition{}
	words := meaningfulWords(slices.Collect(maps.Values(names))...)
	slices.Sort(words)
	inAliases := `""` // nothing
	if len(words) > 0 {
		inAliases = "{aliases} : (" + lists.Join(words, " OR ", lexicon.Quote) + ")"
	}
	err := db.Each(ctx, r, func(row *sql.Rows) error {
		var key, section int64
		var id, title, aliases string
		if err := row.Scan(&key, &section, &id, &title, &aliases); err != nil {
			return err
		}
		all := []string{}
		err := db.ReadColumn(id, "aliases", aliases, &all)
		for _, name := range append(all, title) {
			name = script.Key(question.PlainName(name))
			if asWritten, ok := names[name]; ok && len(name) > matches[key].nameLength {
				matches[key] = recognition{Hit: Hit{key, section}, nameLength: len(name) + len(strings.Fields(asWritten))}
			}
		}
		return err
	}, selectNamed, append(p.bind(db.List(slices.Sorted(maps.Keys(names)))), db.List(p.filter.Scope.Ranges), inAliases)...)
	return slices.SortedFunc(maps.Values(matches), func(a, b recognition) int {
		return cmp.Or(cmp.Compare(b.nameLength, a.nameLength), cmp.Compare(a.Memory, b.Memory))
	}), err
}

// findSharing returns the memories with a section that has at least p.needed of the rare words of
// one group, those with the heaviest words first.
func (p *promptSearch) findSharing(ctx context.Context, r *db.Reader, groups ...[]lookedWord) ([]recognition, error) {
	weights := map[int64]float64{}
	for _, words := range groups {
		for _, one := range weighSections(words, func(w lookedWord) float64 { return math.Log1p(p.sectionCount / w.estimate) }) {
			if one.words >= p.needed {
				weights[one.key] = max(weights[one.key], one.weight)
			}
		}
	}
	keys := slices.SortedFunc(maps.Keys(weights), func(a, b int64) int { return cmp.Or(cmp.Compare(weights[b], weights[a]), cmp.Compare(b, a)) })
	best := map[int64]recognition{}
	err := db.Each(ctx, r, func(row *sql.Rows) error {
		var h recognition
		err := row.Scan(&h.Memory, &h.Section)
		if h.weight = weights[h.Section]; h.weight > best[h.Memory].weight {
			best[h.Memory] = h
		}
		return err
	}, p.sections, p.bind(db.List(keys[:min(len(keys), maxComparedSections)]))...)
	return slices.SortedFunc(maps.Values(best), func(a, b recognition) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.Memory, b.Memory))
	}), err
}

// clearLeaders returns the first memories up to the first gap after which the next one is
// clearly lighter; none if there is no gap within limit.
func clearLeaders(all []recognition, limit int) []recognition {
	for n := 1; n <= min(limit, len(all)); n++ {
		if n == len(all) || all[n-1].weight >= leadFactor*all[n].weight {
			return all[:n]
		}
	}
	return nil
}

func (p *promptSearch) bind(wanted string) []any { return p.filter.Bind(nil, wanted, p.except, p.own) }

// Fits is the SQL condition that a memory m passes a filter, may be told without being asked for, is
// not among those with the ids ?11, and is not of another project than that of ?12, Caller.Own. What is
// tied to the code at hand needs no more than that. isOffered is the one for what only names it, and for a prompt:
// it must concern the project.
var (
	Fits = isUnasked + `
  and (` + ref.IsForAll + ` or ` + ref.Belongs("?12") + ` or ` + ref.Nearness("?12") + ` = 1)`
	// isStated leaves out notes, other than rules and decisions, that only mention what is at hand, as a manual does.
	isStated = isOffered + `
  and (m.kind <> 'note' or ` + Decides + `)`
	isOffered = isUnasked + `
  and ` + ref.Concerns("?12")
	isUnasked = question.Passes + `
  and m.kind not in ('file', 'canvas', 'code', 'session', 'turn')
  and m.id not in (select value from json_each(?11))`
)

// selectNamed reads the names of the memories with a title among ?10, or with a word of the FTS5 query
// ?14 in an alias.
var selectNamed = `
select
  m.key,
  ` + question.FirstSection + `,
  m.id,
  m.title,
  m.aliases
from (
  select t.key
  from json_each(?10) j
  cross join memories t on t.title = j.value collate nocase
  union
  select f.memory
  from json_each(?10) j
  cross join folded_titles f on f.folded = j.value
  union
  select * from (
    select distinct s.memory
` + question.SectionsIn("?13", "?14") + `
    cross join sections s on s.key = section_search.rowid
    limit 200
  )
) n
cross join memories m on m.key = n.key
where ` + isOffered

// selectSections and selectFitting read the memories of the sections ?10.
var (
	selectSections = strings.ReplaceAll(sectionsThat, "{that}", isOffered)
	selectFitting  = strings.ReplaceAll(sectionsThat, "{that}", isStated)
)

const sectionsThat = `
select
  m.key,
  s.key
from json_each(?10) j
cross join sections s on s.key = j.value
cross join memories m on m.key = s.memory
where {that}
order by j.key`
