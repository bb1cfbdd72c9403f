package tidy

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"math/bits"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"hence/edges"
	"hence/internal/budget"
	"hence/internal/db"
	"hence/internal/lists"
	"hence/internal/spelling"
	"hence/memory/statement"
)

const (
	alike         = 0.8 // texts that share this part of their runs of words are compared word by word
	runLength     = 3   // words of a run
	fewestRuns    = 8   // texts with fewer runs are not compared: a single word changes too many of them
	maxTried      = 20  // memories to which one is compared
	maxRunMembers = 50  // a run that more texts have leads to no candidates
)

// same proposes to replace a memory by another that says the same: equal but for case,
// spaces and punctuation, or for words that say nothing, or nearly equal.
func (w *world) same() (proposals []proposal) {
	sizes := map[int]bool{} // of memories that are not notes, on a logarithmic scale
	for _, m := range w.all {
		if !m.note() {
			sizes[bits.Len(uint(len(m.said)))] = true
		}
	}
	members := slices.DeleteFunc(slices.Clone(w.all), func(m *memo) bool {
		size := bits.Len(uint(len(m.said)))
		return w.isOver(m) || !m.whole || m.Kind == "session" || m.Kind == "event" || m.note() && !sizes[size] && !sizes[size-1] && !sizes[size+1]
	})
	slices.SortFunc(members, better)
	gone := map[*memo]bool{}
	offer := func(worse, better *memo, sure float64, why string) {
		gone[worse] = true
		proposals = append(proposals, propose(sure, why, link(better, worse, edges.Supersedes, why), better, worse))
	}
	inGroups(members, gone, func(m *memo) string { return m.read().plain }, func(worse, better *memo) {
		offer(worse, better, 3, "the same text but for case, spaces and punctuation")
	})
	inGroups(members, gone, func(m *memo) string { return m.read().gist }, func(worse, better *memo) {
		offer(worse, better, 2, "the same text but for words that say nothing")
	})
	w.nearlySame(members, gone, func(worse, better *memo, share float64) {
		offer(worse, better, share, "nearly the same text")
	})
	return proposals
}

// better sorts a memory that is to stay before one that says the same: notes, pinned
// ones, those of a kind that somebody chose, those on which most rests, with most edges,
// the most important, the oldest.
func better(a, b *memo) int {
	return cmp.Or(
		lists.CompareFlags(a.note(), b.note()),
		lists.CompareFlags(a.Pinned, b.Pinned),
		lists.CompareFlags(a.Kind != "fact", b.Kind != "fact"),
		cmp.Compare(b.resting, a.resting),
		cmp.Compare(len(b.edges), len(a.edges)),
		cmp.Compare(b.Importance, a.Importance),
		strings.Compare(a.CreatedAt, b.CreatedAt),
		strings.Compare(a.ID, b.ID),
	)
}

// inGroups calls offer for each memory with the first better one that has the same key.
func inGroups(members []*memo, gone map[*memo]bool, key func(*memo) string, offer func(worse, better *memo)) {
	groups := map[string][]*memo{}
	for _, m := range members {
		if gone[m] {
			continue
		}
		k := key(m)
		if k == "" {
			continue
		}
		group := groups[k]
		if !m.note() {
			for _, other := range group[:min(len(group), maxTried)] {
				if m.mayReplace(other) {
					offer(m, other)
					break
				}
			}
		}
		if !gone[m] {
			groups[k] = append(group, m)
		}
	}
}

// mayReplace reports whether two memories with the same text may be one: they are of
// the same project, time and kind, no property differs, and no edge says how they
// relate.
func (m *memo) mayReplace(other *memo) bool {
	return m.project == other.project && m.ValidFrom == other.ValidFrom && m.ValidTo == other.ValidTo &&
		(m.Kind == other.Kind || m.Kind == "fact" || other.note()) &&
		!m.isTied(other, edges.RelatesTo, edges.LinksTo, edges.RefersTo) && agree(m.Properties, other.Properties)
}

// runs returns the hashes of the runs of words of a text, each once, sorted.
func (t *text) runs() []uint64 {
	words := strings.Fields(t.gist)
	all := []uint64{}
	for i := 0; i+runLength <= len(words); i++ {
		hash := fnv.New64a()
		for _, word := range words[i : i+runLength] {
			_, _ = hash.Write(append([]byte(word), ' ')) // never fails
		}
		all = append(all, hash.Sum64())
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// nearlySame calls offer for pairs of texts that have at least the share alike of their runs
// of words in common. Such a pair has a common run among the rarest of each text, of which it
// compares one more than may differ.
func (w *world) nearlySame(members []*memo, gone map[*memo]bool, offer func(worse, better *memo, share float64)) {
	runs, count := map[*memo][]uint64{}, map[uint64]int{}
	for _, m := range members {
		if gone[m] {
			continue
		}
		if all := m.read().runs(); len(all) >= fewestRuns {
			runs[m] = all
			for _, run := range all {
				count[run]++
			}
		}
	}
	byRun := map[uint64][]*memo{}
	for _, m := range members {
		all := runs[m]
		shared := slices.DeleteFunc(slices.Clone(all), func(run uint64) bool { return count[run] == 1 })
		few := len(shared) - int(math.Ceil(alike*float64(len(all)))) + 1
		if all == nil || few <= 0 { // few: the rarest runs are in no other text
			continue
		}
		slices.SortFunc(shared, func(a, b uint64) int { return cmp.Or(cmp.Compare(count[a], count[b]), cmp.Compare(a, b)) })
		rarest := shared[:few]
		seen, compared := map[*memo]bool{}, 0
		for _, run := range rarest {
			if count[run] > maxRunMembers {
				continue
			}
			for _, other := range byRun[run] {
				if seen[other] || gone[m] || m.note() || compared >= maxRunMembers {
					continue
				}
				seen[other], compared = true, compared+1
				share := inCommon(all, runs[other])
				if share >= alike && m.mayReplace(other) && differLittle(m.read().tokens, other.read().tokens) {
					offer(m, other, share)
				}
			}
		}
		if gone[m] {
			continue
		}
		for _, run := range rarest {
			byRun[run] = append(byRun[run], m)
		}
	}
}

// inCommon returns the Jaccard similarity of two sorted sets: members in both, divided by
// members in either.
func inCommon(a, b []uint64) float64 {
	both, i, j := 0, 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			both, i, j = both+1, i+1, j+1
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	return float64(both) / float64(len(a)+len(b)-both)
}

const perWord = 50 // in each so many words of a text, one may differ

// differLittle reports whether two nearly equal texts say the same: no number, name or
// negation differs, and any other word only by its spelling, or one word in perWord.
func differLittle(a, b []statement.Token) bool {
	onlyA, onlyB := difference(a, b), difference(b, a)
	if len(onlyA) == 0 && len(onlyB) == 0 {
		return true
	}
	for _, t := range slices.Concat(onlyA, onlyB) {
		if t.Value || statement.Negations(t.Text) {
			return false
		}
	}
	free := min(len(a), len(b)) / perWord
	for _, t := range onlyA {
		at := slices.IndexFunc(onlyB, func(other statement.Token) bool { return misspelt(t.Text, other.Text) })
		switch {
		case at >= 0:
			onlyB = slices.Delete(onlyB, at, at+1)
		case t.Name:
			return false
		default:
			free--
		}
	}
	for _, t := range onlyB {
		if t.Name {
			return false
		}
		free--
	}
	return free >= 0
}

// difference returns the words of a that b lacks or has less often, compared by stem. Each
// occurrence that b lacks is in the result. Fillers do not count.
func difference(a, b []statement.Token) []statement.Token {
	counts := map[string]int{}
	for _, t := range b {
		counts[statement.Stem(t.Text)]++
	}
	missing := []statement.Token{}
	for _, t := range a {
		if word := statement.Stem(t.Text); counts[word] > 0 {
			counts[word]--
		} else if !statement.Fillers(t.Text) {
			missing = append(missing, t)
		}
	}
	return missing
}

// misspelt reports whether one word may be the other with a mistake.
func misspelt(a, b string) bool {
	allowed := min(spelling.MaxMistakes(a), spelling.MaxMistakes(b))
	return allowed > 0 && spelling.NewRuler(a).Distance([]rune(b)) <= allowed
}

// agree reports whether no property has different values in two memories. A property that only one of them has
// does not count.
func agree(a, b db.Properties) bool {
	for name, value := range a {
		if second, ok := b[name]; ok && !reflect.DeepEqual(value, second) {
			return false
		}
	}
	return true
}

// text is a memory's title and content as the rules compare them.
type text struct {
	plain  string            // without case, spaces and punctuation: see plain
	gist   string            // the words in order, without fillers, plurals as singulars, numbers in digits
	tokens []statement.Token // in order
	words  map[string]int    // how often each significant word occurs, values included
}

// read returns the memory's text, which it parses once.
func (m *memo) read() *text {
	if m.body == nil {
		m.body = &text{plain: plain(m.said), tokens: statement.Tokens(m.said), words: map[string]int{}}
		var gist strings.Builder
		for _, t := range m.body.tokens {
			word := statement.Stem(t.Text)
			if t.Tells() {
				m.body.words[word]++
			}
			if !statement.Fillers(t.Text) {
				gist.WriteString(word + " ")
			}
		}
		m.body.gist = gist.String()
	}
	return m.body
}

// plain returns a text without case, spaces and punctuation, for texts that are equal
// but for these. Signs that tell words or numbers apart stay: C++, C#, 1.5, -3, a/b.
func plain(text string) string {
	runes := []rune(strings.ToLower(norm.NFKC.String(text)))
	var b strings.Builder
	last := ' ' // the last rune that stayed
	gap := false
	at := func(i int) rune {
		if i < 0 || i >= len(runes) {
			return ' '
		}
		return runes[i]
	}
	for i, r := range runes {
		keep := unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
		if !keep && !unicode.IsSpace(r) {
			before, after := at(i-1), at(i+1)
			switch {
			case unicode.IsNumber(before) && unicode.IsNumber(after): // 1.5, 10:30, 2026-03
				keep = true
			case r == '-' || r == '!':
				keep = unicode.IsSpace(before) && (unicode.IsNumber(after) || r == '!' && isWordRune(after))
			case r == '#' || r == '+':
				keep = isWordRune(before) || before == r || r == '+' && isWordRune(after)
			case r == '_':
				keep = isWordRune(before) && isWordRune(after)
			case r == '~' || r == '|' || r == '`':
			default:
				keep = strings.ContainsRune(`%&@/\`, r) || unicode.IsSymbol(r)
			}
		}
		if !keep {
			gap = true
			continue
		}
		if gap && unicode.IsNumber(last) && unicode.IsNumber(r) { // 80 90 is not 8090
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		last, gap = r, false
	}
	return b.String()
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

const (
	mostValues = 8  // values of a text that are tried, each as the one that changed
	longSeries = 12 // more memories that differ in one value are a series of measurements
)

// momentary are kinds of memories that say what was at a moment, which nothing newer
// replaces.
var momentary = []string{"event", "session", "turn", "incident", "log"}

// listReplaced proposes that a newer memory replaces an older one: the same words with
// another value or with a negation more or less, or the same attribute of the same
// subject with another value.
func (w *world) listReplaced() []proposal {
	g := groups{byKey: map[string][]assertion{}, next: map[*memo]successor{}}
	for _, m := range w.all {
		if !w.isOver(m) && !m.note() && m.whole && !slices.Contains(momentary, m.Kind) {
			g.add(m)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(g.byKey)) {
		g.settle(key)
	}
	proposals := w.listProposed(edges.Supersedes)
	for _, older := range w.all {
		if s, ok := g.next[older]; ok {
			proposals = append(proposals, propose(s.sure, s.why, link(s.newer, older, edges.Supersedes, s.why), s.newer, older))
		}
	}
	return proposals
}

// groups collects statements that may replace each other: byKey by what they have in common,
// next the successor found for each memory.
type groups struct {
	byKey map[string][]assertion
	next  map[*memo]successor
}

// assertion is a memory with the value in which it differs from others of its group.
type assertion struct {
	memory *memo
	value  string
}

// successor is the memory that may replace an older one.
type successor struct {
	newer *memo
	why   string
	sure  float64
}

// The first letter of a group's key says in what its statements differ.
const (
	byValue     = 'v'
	byNegation  = 'n'
	byAttribute = 'a'
)

// add puts a memory into the groups of its text.
func (g groups) add(m *memo) {
	c := statement.ClaimOf(m.read().tokens)
	put := func(kind rune, common, value string) {
		key := string(kind) + " " + m.project + " " + common
		g.byKey[key] = append(g.byKey[key], assertion{m, value})
	}
	if statement.CountTelling(c.Words) < 2 {
		return
	}
	negation := "affirmed"
	if c.Negated {
		negation = "denied"
	}
	put(byNegation, c.Key(-1), negation)
	places := c.Values()
	for _, place := range places[:min(len(places), mostValues)] {
		if c.Measures(place) {
			put(byValue, negation+" "+c.Key(place), c.Words[place].Text)
		}
	}
	attribute, value, ok := c.Attribute()
	if ok = ok && !c.Negated; m.said != m.Content {
		attribute, value, ok = statement.OfMemory(m.Title, m.Content)
	}
	if ok {
		put(byAttribute, attribute, value)
	}
}

// settle finds for each statement of a group the next newer one with another value.
func (g groups) settle(key string) {
	all := g.byKey[key]
	if len(all) < 2 || key[0] == byValue && len(all) > longSeries {
		return
	}
	slices.SortFunc(all, func(a, b assertion) int {
		return cmp.Or(strings.Compare(a.memory.since(), b.memory.since()), strings.Compare(a.memory.ID, b.memory.ID))
	})
	for i, older := range all {
		at := slices.IndexFunc(all[i+1:], func(newer assertion) bool {
			return newer.value != older.value && newer.memory.since() > older.memory.since()
		})
		if at < 0 {
			continue
		}
		newer := all[i+1+at]
		if older.memory.isTied(newer.memory, edges.RelatesTo, edges.LinksTo, edges.RefersTo) {
			continue
		}
		before, known := g.next[older.memory]
		if !known || newer.memory.since() < before.newer.since() {
			sure := 2.0
			if key[0] == byAttribute {
				sure = 1
			}
			g.next[older.memory] = successor{newer.memory, changeOf(rune(key[0]), older.value, newer.value), sure}
		}
	}
}

// changeOf describes how a newer statement differs from an older one. kind is the first letter of
// the key of their group.
func changeOf(kind rune, older, newer string) string {
	if kind == byNegation {
		return "newer, and says the opposite"
	}
	older, _ = budget.Cut(older, 60)
	newer, _ = budget.Cut(newer, 60)
	return fmt.Sprintf("newer, and says %s in place of %s", newer, older)
}
