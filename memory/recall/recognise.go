package recall

import (
	"cmp"
	"context"
	"database/sql"
	"maps"
	"math"
	"slices"
	"strings"

	"hence/memory/recall/lexicon"

	"hence/edges"
	"hence/internal/args"
	"hence/internal/db"
	"hence/internal/script"
	"hence/memory"
)

// What a prompt is looked through for, and when a memory is close enough to be named
// beside it. Nothing is better than something that does not fit.
const (
	promptRunes    = 4000 // of a prompt that are read
	promptWords    = 250  // of which are tried as names
	longestTitle   = 10   // words of a name
	rareShare      = 0.01 // of the sections, that have a word which is rare
	rareAnyway     = 3    // sections, in a small store
	rareTogether   = 2    // rare words that one section must have
	clearlyAhead   = 1.5  // times as telling as the next
	comparedAtMost = 200  // sections with rare words
)

// RecogniseArgs are a prompt, and what is known already.
type RecogniseArgs struct {
	Prompt    string   `json:"prompt,omitempty"`
	Namespace string   `json:"namespace,omitempty"`
	Except    []string `json:"except,omitempty"` // ids
	Limit     int      `json:"limit,omitempty" default:"3" min:"1" max:"10"`
}

// Recognise returns the current memories that a prompt is about: those whose title or
// alias it names, the longest name first, and then those with two rare words of it,
// where these are clearly ahead of all others. Most prompts have none. A name of a
// single word counts if the word is rare. Files, code, sessions and turns of
// conversations are left out.
func (s Searcher) Recognise(ctx context.Context, a RecogniseArgs) (matches []Found, err error) {
	if err := args.Check("recognise", &a); err != nil {
		return nil, err
	}
	f := filter{status: memory.Current, times: edges.Today()}
	if f.namespace, err = s.Caller.Reads(a.Namespace); err != nil {
		return nil, err
	}
	prompt := []rune(a.Prompt)
	p := promptSearch{text: string(prompt[:min(len(prompt), promptRunes)]), filter: f, except: db.List(a.Except)}
	err = s.DB.Read(ctx, func(r *db.Reader) error {
		hits, err := p.recognise(ctx, r, a.Limit)
		if err != nil {
			return err
		}
		for _, h := range hits {
			one, _, err := db.First(ctx, r, scanFound, selectFound, h.memory, h.section, f.times.Bind())
			if err != nil {
				return err
			}
			if one.Snippet, _, err = snippet(ctx, r, "", signs{}, h.section, "summary"); err != nil {
				return err
			}
			matches = append(matches, one)
		}
		return nil
	})
	return matches, err
}

// promptSearch is a prompt that is being looked through.
type promptSearch struct {
	text   string
	filter filter
	except string // ids, as JSON
	all    float64
	rare   map[string]lookedWord
}

// recognition is a memory with the section that shows it best.
type recognition struct {
	memory, section int64
	name            int     // length of what names it
	tells           float64 // of its rare words
}

func (p *promptSearch) recognise(ctx context.Context, r *db.Reader, limit int) ([]recognition, error) {
	if err := p.findRare(ctx, r); err != nil {
		return nil, err
	}
	named, err := p.findNamed(ctx, r)
	if err != nil {
		return nil, err
	}
	shared, err := p.findSharing(ctx, r)
	if err != nil {
		return nil, err
	}
	for _, h := range ahead(shared, limit) {
		if !slices.ContainsFunc(named, func(n recognition) bool { return n.memory == h.memory }) {
			named = append(named, h)
		}
	}
	return named[:min(len(named), limit)], nil
}

// findRare finds the rare words of the prompt, and which sections there are.
func (p *promptSearch) findRare(ctx context.Context, r *db.Reader) (err error) {
	in, err := readTextKeys(ctx, r, p.filter.namespace)
	if err != nil {
		return err
	}
	p.all, p.filter.part.ranges = in.number(math.MaxInt64), in.ranges
	words := sayingWords(p.text)
	slices.SortFunc(words, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	words = words[:min(len(words), lookedUp)]
	p.rare = map[string]lookedWord{}
	for i, query := range lexicon.Quote(words) {
		w, err := lookUpWord(ctx, r, query, in)
		if err != nil {
			return err
		}
		if len(w.sections) > 0 && w.about <= max(rareAnyway, rareShare*p.all) {
			p.rare[words[i]] = w
		}
	}
	return nil
}

// names are the runs of words of the prompt that may be a title, by their script.Key.
// Signs around a run do not belong to it.
func (p *promptSearch) names() map[string]string {
	fields := strings.Fields(p.text)
	fields = fields[:min(len(fields), promptWords)]
	names := map[string]string{}
	for i := range fields {
		for n := 1; n <= longestTitle && i+n <= len(fields); n++ {
			name := strings.Trim(strings.Join(fields[i:i+n], " "), ".,;:!?…\"'`()[]{}<>*_“”‘’«»")
			if p.tells(name) {
				names[script.Key(name)] = name
			}
		}
	}
	return names
}

// tells reports whether a name says what is meant: a rare word, or several words of
// which one says something.
func (p *promptSearch) tells(name string) bool {
	words := slices.Collect(lexicon.Tokens(name))
	if len(words) == 1 {
		_, rare := p.rare[words[0]]
		return rare
	}
	return slices.ContainsFunc(words, says)
}

// says reports whether a word says something.
func says(word string) bool { return !lexicon.Stopwords[word] && len(word) > 2 }

// sayingWords are the words of texts that say something, each once.
func sayingWords(texts ...string) (words []string) {
	for _, text := range texts {
		for word := range lexicon.Tokens(text) {
			if says(word) && !slices.Contains(words, word) {
				words = append(words, word)
			}
		}
	}
	return words
}

// findNamed finds the memories whose title or alias the prompt has, longest names first.
func (p *promptSearch) findNamed(ctx context.Context, r *db.Reader) ([]recognition, error) {
	names := p.names()
	matches := map[int64]recognition{}
	take := func(key, section int64, name string) {
		name = script.Key(plainName(name))
		if said, ok := names[name]; ok && len(name) > matches[key].name {
			matches[key] = recognition{memory: key, section: section, name: len(name) + len(strings.Fields(said))}
		}
	}
	err := db.Each(ctx, r, func(row *sql.Rows) error {
		var key, section int64
		var title string
		err := row.Scan(&key, &section, &title)
		take(key, section, title)
		return err
	}, selectTitled, p.bind(db.List(slices.Sorted(maps.Keys(names))))...)
	if err != nil {
		return nil, err
	}
	if words := sayingWords(slices.Collect(maps.Values(names))...); len(words) > 0 {
		slices.Sort(words)
		err = db.Each(ctx, r, func(row *sql.Rows) error {
			var key, section int64
			var id, aliases string
			if err := row.Scan(&key, &section, &id, &aliases); err != nil {
				return err
			}
			all := []string{}
			err := db.ReadColumn(id, "aliases", aliases, &all)
			for _, alias := range all {
				take(key, section, alias)
			}
			return err
		}, selectAliased, append(p.bind("{aliases} : ("+anyOf(lexicon.Quote(words))+")"), giveRanges(p.filter.part.ranges))...)
	}
	return slices.SortedFunc(maps.Values(matches), func(a, b recognition) int {
		return cmp.Or(cmp.Compare(b.name, a.name), cmp.Compare(a.memory, b.memory))
	}), err
}

// findSharing finds the memories of which one section has at least two rare words of the
// prompt, the most telling first.
func (p *promptSearch) findSharing(ctx context.Context, r *db.Reader) ([]recognition, error) {
	tells, words := map[int64]float64{}, map[int64]int{}
	for _, w := range p.rare {
		for _, section := range w.sections {
			tells[section] += math.Log1p(p.all / w.about)
			words[section]++
		}
	}
	sections := slices.SortedFunc(maps.Keys(tells), func(a, b int64) int { return cmp.Or(cmp.Compare(tells[b], tells[a]), cmp.Compare(a, b)) })
	sections = slices.DeleteFunc(sections, func(s int64) bool { return words[s] < rareTogether })
	best := map[int64]recognition{}
	err := db.Each(ctx, r, func(row *sql.Rows) error {
		var h recognition
		err := row.Scan(&h.memory, &h.section)
		// A sum of logarithms in another order differs in its last bits.
		if h.tells = math.Round(tells[h.section]*1e6) / 1e6; h.tells > best[h.memory].tells {
			best[h.memory] = h
		}
		return err
	}, selectSections, p.bind(db.List(sections[:min(len(sections), comparedAtMost)]))...)
	return slices.SortedFunc(maps.Values(best), func(a, b recognition) int {
		return cmp.Or(cmp.Compare(b.tells, a.tells), cmp.Compare(a.memory, b.memory))
	}), err
}

// ahead returns the first memories, at most limit, if they are clearly ahead of the
// next one; none if there is no such gap.
func ahead(all []recognition, limit int) []recognition {
	for n := 1; n <= min(limit, len(all)); n++ {
		if n == len(all) || all[n-1].tells >= clearlyAhead*all[n].tells {
			return all[:n]
		}
	}
	return nil
}

func (p *promptSearch) bind(wanted string) []any { return p.filter.bind(nil, wanted, p.except) }

// offered is the condition on a memory that may be named beside a prompt.
var offered = passes + `
  and m.kind not in ('file', 'canvas', 'code', 'session', 'turn')
  and m.id not in (select value from json_each(?11))`

const firstSection = `coalesce((select s.key from sections s where s.memory = m.key order by s.ordinal limit 1), 0)`

var selectTitled = `
select
  m.key,
  ` + firstSection + `,
  m.title
from (
  select t.key
  from json_each(?10) j
  cross join memories t on t.title = j.value collate nocase
  union
  select f.memory
  from json_each(?10) j
  cross join folded_titles f on f.folded = j.value
) n
cross join memories m on m.key = n.key
where ` + offered

var selectAliased = `
select
  m.key,
  ` + firstSection + `,
  m.id,
  m.aliases
from (
  select distinct s.memory
` + sectionsIn("?12", "?10") + `
  cross join sections s on s.key = section_search.rowid
  limit 200
) n
cross join memories m on m.key = n.memory
where ` + offered

var selectSections = `
select
  m.key,
  s.key
from json_each(?10) j
cross join sections s on s.key = j.value
cross join memories m on m.key = s.memory
where ` + offered + `
order by j.key`
