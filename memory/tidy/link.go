package tidy

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hence/edges"
	"hence/memory/statement"
	"hence/vault/mention"
)

const (
	longTitle     = 3   // a title of so many telling words names its memory wherever it stands
	mostNamed     = 10  // a shorter title that stands in more texts is a common word, not a name
	mostLinks     = 5   // proposed for one memory
	hub           = 20  // a memory with more neighbours does not show that two of them are alike
	fewestCommon  = 2   // neighbours that two memories have in common
	fewestRare    = 2   // rare words that they have in common
	longestTitle  = 12  // words; a longer title is not looked for
	rareAmongFew  = 5   // at most so many memories of a small store have a rare word
	rareShare     = 200 // or one in so many memories of a large store
	linkedByNames = 2   // how sure a link by a name is; one by neighbours is below 1
)

// links proposes edges between memories that no edge joins: from a text to the memory
// whose title it names, and between memories that have neighbours and rare words in
// common. Between two notes nothing is proposed.
func (w *world) links() []proposal {
	proposals := []proposal{}
	offered := map[*memo]int{}
	offer := func(p proposal, from *memo) {
		if offered[from] < mostLinks {
			offered[from]++
			proposals = append(proposals, p)
		}
	}
	joined := map[[2]*memo]bool{}
	for _, n := range w.names() {
		joined[pair(n.in, n.target)] = true
		why := fmt.Sprintf("its text names %s", n.target.quote())
		offer(propose(linkedByNames, why, link(n.in, n.target, edges.RefersTo, "its text names it"), n.in, n.target), n.in)
	}
	for _, c := range w.companions() {
		if !joined[pair(c.a, c.b)] {
			why := fmt.Sprintf("%d common neighbours, and the words %s", c.neighbours, strings.Join(c.words, ", "))
			offer(propose(1-1/float64(1+c.neighbours), why, link(c.a, c.b, edges.RelatesTo, why), c.a, c.b), c.a)
		}
	}
	return proposals
}

func pair(a, b *memo) [2]*memo {
	if a.ID > b.ID {
		a, b = b, a
	}
	return [2]*memo{a, b}
}

// naming is a memory whose text names the title of another.
type naming struct{ in, target *memo }

// names finds the memories whose text has the title of another memory that no edge joins to
// them.
func (w *world) names() []naming {
	sharing := map[string]int{} // memories with each title
	for _, m := range w.all {
		sharing[mention.Fold(m.Title)]++
	}
	all := w.finder(func(m *memo) bool { return sharing[mention.Fold(m.Title)] == 1 })
	memories := w.finder(func(m *memo) bool { return !m.note() && sharing[mention.Fold(m.Title)] == 1 })
	namings, short := []naming{}, map[*memo]int{}
	for _, m := range w.all {
		if w.isOver(m) {
			continue
		}
		seen, titles := map[*memo]bool{m: true}, all
		if m.note() {
			titles = memories
		}
		titles.finder.Find(m.Content, 0, len(m.Content), func(title string, start, end int) {
			other := titles.targets[title]
			if seen[other] || m.isTied(other) || len(m.Content) == end-start {
				return
			}
			// A title of a single word may be meant as a word.
			words := statement.CountTelling(statement.Tokens(other.Title))
			if words < 2 && !isName(m.Content, start, end, other.Title) {
				return
			}
			if words < longTitle {
				short[other]++
			}
			seen[other] = true
			namings = append(namings, naming{m, other})
		})
	}
	return slices.DeleteFunc(namings, func(n naming) bool { return short[n.target] > mostNamed })
}

// titles finds the titles of memories in texts.
type titles struct {
	finder  *mention.Finder
	targets map[string]*memo // by the form in which the title is searched
}

// finder returns the titles of the memories for which wanted is true. It leaves out a title
// that is all of its memory's text, because other texts may say the same without naming it.
func (w *world) finder(wanted func(*memo) bool) titles {
	t := titles{mention.New(nil), map[string]*memo{}}
	for _, m := range w.all {
		if w.isOver(m) || !wanted(m) || len(strings.Fields(m.Title)) > longestTitle || len(m.Content) < 2*len(m.Title) && plain(m.Content) == plain(m.Title) {
			continue
		}
		if key := mention.Key(m.Title, false); key != "" {
			t.finder.Add(key, 1)
			t.targets[key] = m
		}
	}
	return t
}

// isName reports whether text[start:end] is a title used as a name: written exactly as the
// title, which begins with a capital or looks like code, and, unless it looks like code, not
// at the beginning of a sentence.
func isName(text string, start, end int, title string) bool {
	first, _ := utf8.DecodeRuneInString(title)
	if text[start:end] != title || !statement.LooksLikeCode(title) && !unicode.IsUpper(first) {
		return false
	}
	if statement.LooksLikeCode(title) {
		return true
	}
	before := strings.TrimRight(text[:start], " \t\"'(*_[“‘")
	last, _ := utf8.DecodeLastRuneInString(before)
	return before != "" && (unicode.IsLetter(last) || unicode.IsNumber(last) || last == ',' || last == ')')
}

// companion is two memories with common neighbours and rare words.
type companion struct {
	a, b       *memo
	neighbours int
	words      []string
}

// companions finds pairs of memories that no edge joins, with common neighbours and
// rare words. Edges of the kinds that links proposes do not count, so that accepted
// links do not lead to more.
func (w *world) companions() []companion {
	common := map[[2]*memo]int{}
	for _, m := range w.all {
		near := []*memo{}
		for _, e := range m.edges {
			if !e.over && e.kind != edges.RelatesTo && e.kind != edges.RefersTo && e.kind != edges.Follows && !w.isOver(e.other) && !slices.Contains(near, e.other) {
				near = append(near, e.other)
			}
		}
		if len(near) > hub {
			continue
		}
		for i, a := range near {
			for _, b := range near[i+1:] {
				if !a.note() || !b.note() {
					common[pair(a, b)]++
				}
			}
		}
	}
	count, rare := w.count(), max(rareAmongFew, len(w.all)/rareShare)
	all := []companion{}
	for both, n := range common {
		a, b := both[0], both[1]
		if n < fewestCommon || a.isTied(b) {
			continue
		}
		words := []string{}
		for word := range a.read().words {
			if b.read().words[word] > 0 && count[word] <= rare {
				words = append(words, word)
			}
		}
		if len(words) >= fewestRare {
			slices.SortFunc(words, func(x, y string) int { return cmp.Or(cmp.Compare(count[x], count[y]), strings.Compare(x, y)) })
			all = append(all, companion{a, b, n, words[:min(len(words), 3)]})
		}
	}
	slices.SortFunc(all, func(x, y companion) int {
		return cmp.Or(cmp.Compare(y.neighbours, x.neighbours), byID(x.a, y.a), byID(x.b, y.b))
	})
	return all
}

// sortedWords returns the words of a text in order.
func (t *text) sortedWords() []string { return slices.Sorted(maps.Keys(t.words)) }
