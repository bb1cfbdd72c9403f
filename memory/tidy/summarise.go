package tidy

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"hence/edges"
	"hence/internal/budget"
	"hence/internal/prose"
	"hence/internal/secret"
)

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
func (w *world) summaries() []proposal {
	members := slices.DeleteFunc(slices.Clone(w.all), func(m *memo) bool {
		return m.note() || w.isOver(m) || m.Kind == "summary" || m.Kind == "session" || len(m.read().words) < shortestMember
	})
	proposals := []proposal{}
	for _, c := range w.stars(members) {
		words := w.tellingWords(c.members)
		if len(words) < fewestShared || isSummarised(c.members) {
			continue
		}
		lines := edges.Keys(c.members, func(m *memo) string { return "- " + m.firstSentence() })
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
		c := cluster{members: []*memo{members[centre]}}
		chosen := []int{centre}
		for _, n := range near[centre] {
			if !inCluster[n.member] && len(chosen) < mostMembers {
				chosen = append(chosen, n.member)
				c.members = append(c.members, members[n.member])
				c.sum += n.cosine
			}
		}
		if len(chosen) < fewestMembers {
			continue
		}
		for _, one := range chosen {
			inCluster[one] = true
		}
		slices.SortFunc(c.members, byID)
		all = append(all, c)
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
