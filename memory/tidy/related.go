package tidy

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hence/edges"
	"hence/internal/budget"
	"hence/internal/lists"
	"hence/internal/prose"
	"hence/internal/secret"
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
func (w *world) links() (proposals []proposal) {
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

const (
	near           = 0.4 // two texts with at least this cosine are about the same
	mostHaving     = 100 // a word that more memories have does not show that two texts are about the same
	fewestMembers  = 4
	mostMembers    = 12
	titleWords     = 3
	fewestShared   = 2 // telling words that most members have
	shortestMember = 4 // telling words
)

// summaries proposes a summary for each cluster of memories that has none: a memory
// derived from all of them, so that it becomes stale when one of them changes. Notes are
// left to the person.
func (w *world) summaries() (proposals []proposal) {
	members := slices.DeleteFunc(slices.Clone(w.all), func(m *memo) bool {
		return m.note() || w.isOver(m) || m.Kind == "summary" || m.Kind == "session" || len(m.read().words) < shortestMember
	})
	for _, c := range w.stars(members) {
		words := w.tellingWords(c.members)
		if len(words) < fewestShared || isSummarised(c.members) {
			continue
		}
		lines := lists.Map(c.members, func(m *memo) string { return "- " + m.firstSentence() })
		do := summarise("Summary: "+strings.Join(words, ", "), strings.Join(lines, "\n"), c.members)
		why := fmt.Sprintf("%d memories about %s without a summary", len(c.members), strings.Join(words, ", "))
		proposals = append(proposals, propose(c.sum/float64(len(c.members)-1), why, do, c.members...))
	}
	return proposals
}

// cluster is a memory with those that are near to it.
type cluster struct {
	members []*memo // by id
	sum     float64 // of the cosines
}

// likeness is a memory that is near to another.
type likeness struct {
	member int
	cosine float64
}

// stars returns clusters: the memory with the most neighbours, together with these, then the
// same among the rest. A cluster has from fewestMembers to mostMembers members.
func (w *world) stars(members []*memo) []cluster {
	near := w.neighbours(members)
	order := make([]int, len(members))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(len(near[b]), len(near[a])), cmp.Compare(a, b)) })
	inCluster, all := make([]bool, len(members)), []cluster{}
	for _, centre := range order {
		if inCluster[centre] {
			continue
		}
		chosen, sum := []int{centre}, 0.0
		for _, n := range near[centre] {
			if !inCluster[n.member] && len(chosen) < mostMembers {
				chosen, sum = append(chosen, n.member), sum+n.cosine
			}
		}
		if len(chosen) < fewestMembers {
			continue
		}
		for _, one := range chosen {
			inCluster[one] = true
		}
		together := lists.Map(chosen, func(i int) *memo { return members[i] })
		slices.SortFunc(together, byID)
		all = append(all, cluster{together, sum})
	}
	return all
}

// neighbours returns for each memory those about the same, the nearest first. Only words that
// at most mostHaving memories have add to a cosine.
func (w *world) neighbours(members []*memo) [][]likeness {
	type occurrence struct {
		member int
		weight float64
	}
	type term struct {
		word   string
		weight float64
	}
	count, total := w.count(), float64(len(w.all))
	terms := make([][]term, len(members))
	byWord := map[string][]occurrence{}
	for i, m := range members {
		length := 0.0
		for _, word := range m.read().sortedWords() {
			weight := math.Log1p(total / float64(max(1, count[word])))
			length += weight * weight
			if n := count[word]; n > 1 && n <= mostHaving {
				terms[i] = append(terms[i], term{word, weight})
			}
		}
		length = math.Sqrt(length)
		for j, t := range terms[i] {
			terms[i][j].weight = t.weight / length
			byWord[t.word] = append(byWord[t.word], occurrence{i, t.weight / length})
		}
	}
	nearby := make([][]likeness, len(members))
	sums, touched := make([]float64, len(members)), []int{}
	for i := range members {
		touched = touched[:0]
		for _, t := range terms[i] {
			for _, other := range byWord[t.word] {
				if sums[other.member] == 0 {
					touched = append(touched, other.member)
				}
				sums[other.member] += t.weight * other.weight
			}
		}
		for _, j := range touched {
			if j != i && sums[j] >= near {
				nearby[i] = append(nearby[i], likeness{j, sums[j]})
			}
			sums[j] = 0
		}
		slices.SortFunc(nearby[i], func(a, b likeness) int {
			return cmp.Or(cmp.Compare(b.cosine, a.cosine), cmp.Compare(a.member, b.member))
		})
	}
	return nearby
}

// isSummarised reports whether a memory is derived from half of the members or more.
func isSummarised(members []*memo) bool {
	derived := map[*memo]int{}
	for _, m := range members {
		for _, e := range m.edges {
			if e.kind == edges.DerivedFrom && !e.out && !e.over {
				derived[e.other]++
				if 2*derived[e.other] >= len(members) {
					return true
				}
			}
		}
	}
	return false
}

// tellingWords returns the words that most members have and few others, at most titleWords.
func (w *world) tellingWords(members []*memo) []string {
	inside := map[string]int{}
	for _, m := range members {
		for _, word := range m.read().sortedWords() {
			inside[word]++
		}
	}
	count, total := w.count(), float64(len(w.all))
	words := []string{}
	for word, n := range inside {
		if 4*n >= 3*len(members) && count[word] <= mostHaving && strings.IndexFunc(word, unicode.IsLetter) >= 0 {
			words = append(words, word)
		}
	}
	worth := func(word string) float64 {
		return float64(inside[word]) * math.Log1p(total/float64(max(1, count[word])))
	}
	slices.SortFunc(words, func(a, b string) int { return cmp.Or(cmp.Compare(worth(b), worth(a)), strings.Compare(a, b)) })
	return words[:min(len(words), titleWords)]
}

// firstSentence returns the first sentence of what a memory says, on one line.
func (m *memo) firstSentence() string {
	sentence := secret.Mask(prose.OneLine(strings.TrimLeft(m.said, "#")))
	for i, r := range sentence {
		if (r == '.' || r == '!' || r == '?' || r == '。') && (i+1 == len(sentence) || sentence[i+1] == ' ' || r == '。') {
			sentence = sentence[:i+len(string(r))]
			break
		}
	}
	short, _ := budget.Cut(sentence, shownBytes)
	return short
}
