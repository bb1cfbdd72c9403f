package explore

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hence/edges/walk/community"
)

const (
	titlesRead  = 12  // of an innermost area, the most linked first, for its telling words
	titlesKept  = 600 // of any other area, from those inside it
	leastShare  = 0.5 // of the members of an area that have what it is named by
	leastLift   = 1.5 // times the share of the whole map: else it does not tell the area from others
	shortWord   = 4   // letters of an ASCII word that may tell; shorter ones rarely do
	namingWords = 2
)

// namer names the areas of a map, each by what tells it from the others.
type namer struct {
	layout  community.Map
	shared  [][]string      // what each dot shares with others: folders and tags, as they are written in a name
	overall map[string]int  // dots of the whole map, by what they share
	titles  [][]string      // of some dots of each area
	spread  map[string]int  // titles that have a word
	read    int             // titles in spread
	used    map[string]bool // names, in lower case
	given   map[string]bool // what an area before is named by
}

// nameAll returns a name for each area: the folder (a package of code is one) or tag that most of its
// members share and others do not, else two telling words of its titles, else the title of its most
// linked memory. No two areas have the same name.
func nameAll(d *dots, m community.Map, titles [][]string) []string {
	n := namer{layout: m, shared: make([][]string, len(m.Order)), overall: map[string]int{}, titles: titles, spread: map[string]int{}, used: map[string]bool{"": true}, given: map[string]bool{}}
	for i, dot := range m.Order {
		parts := strings.Split(d.folders[d.folder[dot]], "/")
		for depth := 2; depth <= len(parts); depth++ { // the first is the vault or the repository
			n.shared[i] = append(n.shared[i], strings.Join(parts[:depth], "/")+"/")
		}
		for _, tag := range d.tag[dot] {
			n.shared[i] = append(n.shared[i], "#"+d.tags[tag])
		}
		for _, s := range n.shared[i] {
			n.overall[s]++
		}
	}
	last := int32(-1)
	for _, leaf := range m.Leaves { // the dots of an area are adjacent
		if leaf == last {
			continue
		}
		last = leaf
		for _, title := range titles[leaf] {
			n.read++
			for word := range wordsOf(title) {
				n.spread[word]++
			}
		}
	}
	names := make([]string, len(m.Areas))
	for i, a := range m.Areas { // outer areas first: those inside one are told apart within it
		if !a.Loose { // the page says what is loose
			names[i] = n.name(i)
		}
	}
	return names
}

// name returns the first name of an area that no other has.
func (n namer) name(i int) string {
	options := append(n.sharedOf(i), n.telling(i))
	if titles := n.titles[i]; len(titles) > 0 {
		options = append(options, titles[0])
	}
	last := ""
	for _, option := range options {
		if n.take(option) {
			return option
		}
		last = cmp.Or(option, last)
	}
	for k := 2; ; k++ {
		if option := fmt.Sprintf("%s (%d)", last, k); n.take(option) {
			return option
		}
	}
}

// take reports whether no area has a name yet, and keeps it.
func (n namer) take(name string) bool {
	lower := strings.ToLower(name)
	taken := n.used[lower]
	n.used[lower] = true
	return !taken
}

// sharedOf returns the names of what most members of an area share: by share, then the deepest folder. A
// folder is named by its last part, and by two where another has that name; the second area of a folder or
// tag also by a telling word.
func (n namer) sharedOf(i int) (names []string) {
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
	word, _, _ := strings.Cut(n.telling(i), ", ")
	for _, s := range found {
		parts := strings.Split(strings.TrimSuffix(s, "/"), "/")
		short, long := s, s
		if s[0] != '#' {
			short, long = parts[len(parts)-1]+"/", strings.Join(parts[len(parts)-2:], "/")+"/"
		}
		if n.given[s] {
			short, long = short+" "+word, long+" "+word
		}
		names = append(names, short, long)
	}
	if len(found) > 0 {
		n.given[found[0]] = true
	}
	return names
}

// telling returns the words that are most frequent in the titles of an area, and rare in others.
func (n namer) telling(i int) string {
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
	if len(words) < namingWords {
		return ""
	}
	return as[words[0]] + ", " + as[words[1]]
}

// wordsOf returns the words of a title that may tell an area, in lower case and as they are written.
func wordsOf(title string) map[string]string {
	words := map[string]string{}
	for _, word := range strings.FieldsFunc(title, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }) {
		if utf8.RuneCountInString(word) >= shortWord || len(word) > utf8.RuneCountInString(word) {
			lower := strings.ToLower(word)
			words[lower] = cmp.Or(words[lower], word)
		}
	}
	return words
}
