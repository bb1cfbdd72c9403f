package explore

import (
	"cmp"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hence/edges/walk/community"
	"hence/internal/lists"
	"hence/internal/script"
	"hence/memory/recall/lexicon"
)

const (
	titlesRead  = 12  // of an innermost area, the most linked first, for its telling words
	titlesKept  = 600 // of any other area, from those inside it
	leastShare  = 0.5 // of the members of an area that have what it is named by
	leastLift   = 1.5 // times the share of the whole map: else it does not tell the area from others
	shortWord   = 4   // letters of an ASCII word that may tell; shorter ones rarely do
	tellingKept = 6   // words of an area, the best first, of which one or two stand in its name
)

// namer names the areas of a map, each by what tells it from the others.
type namer struct {
	layout  community.Map
	shared  [][]string       // what each dot shares with others: folders and tags, as they are written in a name
	overall map[string]int   // dots of the whole map, by what they share
	titles  [][]string       // of some dots of each area
	spread  map[string]int   // titles that have a word
	read    int              // titles in spread
	folders map[string]int   // folders, by their last part
	options [][]option       // names of each area, the best first
	at      []int            // index of each area's name in its options
	having  map[string][]int // areas, by each word of their names
}

// option is a name that an area may have, and its words as names are compared: folded, in order, each once.
type option struct {
	name  string
	words []string
}

// nameAll returns a name for each area: the folder (a package of code is one) or tag that most of its
// members share and others do not, else two telling words of its titles, else the title of its most
// linked memory. No two areas have names of the same words, and an area whose words another's name has
// too, but for areas inside it or around it, has its next best name.
func nameAll(d *dots, m community.Map, titles [][]string) []string {
	n := namer{layout: m, shared: make([][]string, len(m.Order)), overall: map[string]int{}, titles: titles, spread: map[string]int{}, folders: map[string]int{}, options: make([][]option, len(m.Areas)), at: make([]int, len(m.Areas)), having: map[string][]int{}}
	for i, dot := range m.Order {
		parts := strings.Split(d.folders[d.folder[dot]], "/")
		for depth := 2; depth <= len(parts); depth++ { // the first is the vault or the repository
			n.shared[i] = append(n.shared[i], strings.Join(parts[:depth], "/")+"/")
		}
		for _, tag := range d.tag[dot] {
			n.shared[i] = append(n.shared[i], "#"+d.tags[tag])
		}
		for _, s := range n.shared[i] {
			if n.overall[s]++; n.overall[s] == 1 {
				n.folders[path.Base(s)]++
			}
		}
	}
	for _, leaf := range slices.Compact(slices.Clone(m.Leaves)) { // the dots of an area are adjacent
		for _, title := range titles[leaf] {
			n.read++
			for word := range wordsOf(title) {
				n.spread[word]++
			}
		}
	}
	names := make([]string, len(m.Areas))
	for i, a := range m.Areas { // outer areas first
		if !a.Loose { // the page says what is loose
			n.options[i] = n.optionsOf(i)
			n.settle(i)
		}
	}
	for i, a := range m.Areas {
		if !a.Loose {
			names[i] = n.option(i).name
		}
	}
	return names
}

// settle gives an area the next of its names that says more than those of others, and another name to each
// area that then says less.
func (n namer) settle(i int) {
	for slices.ContainsFunc(n.having[n.option(i).words[0]], func(j int) bool { return n.within(i, j) }) {
		n.at[i]++
	}
	words := n.option(i).words
	for _, word := range words {
		n.having[word] = append(n.having[word], i)
	}
	for _, word := range words {
		for _, j := range n.having[word] {
			if n.within(j, i) {
				n.settle(j)
			}
		}
	}
}

// option returns the name of an area; after the last of its options come numbered ones.
func (n namer) option(i int) option {
	options, at := n.options[i], n.at[i]
	if at < len(options) {
		return options[at]
	}
	name := fmt.Sprintf("%s (%d)", options[len(options)-1].name, at-len(options)+2)
	return option{name, []string{name}}
}

// within reports whether all words of an area's name are in that of another; of areas that lie in one
// another, whether the words are the same.
func (n namer) within(i, j int) bool {
	a, b := n.layout.Areas[i], n.layout.Areas[j]
	words, others := n.option(i).words, n.option(j).words
	isNested := a.Start <= b.Start && b.End <= a.End || b.Start <= a.Start && a.End <= b.End
	isPart := !isNested && !slices.ContainsFunc(words, func(word string) bool { return !slices.Contains(others, word) })
	return i != j && (isPart || slices.Equal(words, others))
}

// optionsOf returns the names that an area may have: what most of its members share, by share, then the
// deepest folder, each alone and with a telling word; two telling words; the title of its most linked
// memory. A folder is named by its last part, and by two where another below the first has that name.
func (n namer) optionsOf(i int) (options []option) {
	a := n.layout.Areas[i]
	counts := map[string]int{}
	for dot := a.Start; dot < a.End; dot++ {
		for _, s := range n.shared[dot] {
			counts[s]++
		}
	}
	size, all := float64(a.End-a.Start), float64(len(n.layout.Order))
	found := []string{}
	for s, count := range counts {
		if share := float64(count) / size; count > 1 && share > leastShare && share >= leastLift*float64(n.overall[s])/all {
			found = append(found, s)
		}
	}
	slices.SortFunc(found, func(x, y string) int {
		return cmp.Or(cmp.Compare(counts[y], counts[x]), cmp.Compare(len(y), len(x)), cmp.Compare(x, y))
	})
	telling := n.telling(i)
	add := func(name string) { options = append(options, option{name, compared(name)}) }
	for _, s := range found {
		if parts := strings.Split(s, "/"); s[0] != '#' {
			first := len(parts) - 2 // the last is empty
			if first > 1 && n.folders[parts[first]] > 1 {
				first--
			}
			s = strings.Join(parts[first:], "/")
		}
		add(s)
		for _, word := range telling {
			add(s + " " + word)
		}
	}
	for k, first := range telling {
		for _, second := range telling[k+1:] {
			add(first + ", " + second)
		}
	}
	if titles := n.titles[i]; len(titles) > 0 {
		options = append(options, option{titles[0], []string{strings.Join(compared(titles[0]), " ")}})
	}
	return options
}

// compared returns the words of a name as names are compared.
func compared(name string) []string {
	words := lists.Map(strings.FieldsFunc(name, func(r rune) bool { return !script.IsWord(r) }), stem)
	if len(words) == 0 { // signs alone
		return []string{name}
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// stem returns a word folded, and without the ending of a plural.
func stem(word string) string {
	word = script.Fold(word)
	if len(word) < shortWord || strings.HasSuffix(word, "ss") {
		return word
	}
	return strings.TrimSuffix(strings.TrimSuffix(word, "s"), "e")
}

// telling returns the words that are most frequent in the titles of an area, and rare in others.
func (n namer) telling(i int) (all []string) {
	counts, as := map[string]int{}, map[string]string{}
	for _, title := range n.titles[i] {
		for word, written := range wordsOf(title) {
			counts[word]++
			as[word] = cmp.Or(as[word], written)
		}
	}
	words := []string{}
	for word, count := range counts {
		if count > 1 {
			words = append(words, word)
		}
	}
	score := func(word string) float64 {
		return float64(counts[word]) * math.Log(float64(1+n.read)/float64(1+n.spread[word]))
	}
	slices.SortFunc(words, func(x, y string) int { return cmp.Or(cmp.Compare(score(y), score(x)), cmp.Compare(x, y)) })
	return lists.Map(words[:min(len(words), tellingKept)], func(word string) string { return as[word] })
}

// wordsOf returns the words of a title that may tell an area, as they are written, by their stems: not what all packages begin with.
func wordsOf(title string) map[string]string {
	words := map[string]string{}
	for _, word := range strings.FieldsFunc(strings.TrimPrefix(title, "package "), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }) {
		if isLong := utf8.RuneCountInString(word) >= shortWord || len(word) > utf8.RuneCountInString(word); isLong && !lexicon.Stopwords(script.Fold(word)) {
			words[stem(word)] = cmp.Or(words[stem(word)], word)
		}
	}
	return words
}
