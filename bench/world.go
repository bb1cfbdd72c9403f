package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"time"
)

// world is a large store as lines of the exchange format: memories that resemble what
// agents and people write, and two edges for each. The same size gives the same lines.
//
// Words are as unequally common as in a language (Zipf-Mandelbrot), and a part of each
// text is drawn from the words of its topic, so that memories of a topic resemble each
// other. Lengths are log-normal around 37 words. Memories of a topic follow each other
// and are part of its first one; other edges lead back to an earlier memory, of the
// topic or of the namespace, some of which are far more linked than others.
type world struct {
	size       int
	random     *rand.Rand
	vocabulary []string
	common     *rand.Zipf
	topics     []topic
	replaced   map[int]bool // memories that have a successor
	edges      []edge
	asked      []text // memories that questions are made of, named by their ids
}

// The shape of a world.
const (
	vocabularySize   = 200_000
	memoriesPerTopic = 200
	wordsPerTopic    = 60
	topicShare       = 0.25 // of a text's words, the share from its topic
	askedMemories    = 400  // memories that questions are made of
	edgesPerMemory   = 2
	pinnedEvery      = 100_000 // one memory in this many is pinned
	forgottenEvery   = 200
)

type topic struct {
	words     []string
	namespace int
	members   []int // memories
}

type edge struct {
	from, to int32
	kind     string
}

// memoryLine and edgeLine are lines of the exchange format, the type first, as an
// export writes them.
type memoryLine struct {
	Type        string   `json:"type"`
	ID          string   `json:"id"`
	Namespace   string   `json:"namespace"`
	Kind        string   `json:"kind"`
	Title       string   `json:"title,omitempty"`
	Content     string   `json:"content"`
	Tags        []string `json:"tags"`
	Status      string   `json:"status,omitempty"`
	Pinned      bool     `json:"pinned"`
	Actor       string   `json:"actor"`
	CreatedAt   string   `json:"created_at"`
	ForgottenAt string   `json:"forgotten_at,omitempty"`
}

type edgeLine struct {
	Type      string `json:"type"`
	ID        string `json:"id"`
	From      string `json:"from"`
	To        string `json:"to"`
	EdgeType  string `json:"edge_type"`
	CreatedAt string `json:"created_at"`
}

func newWorld(size int) *world {
	w := &world{size: size, random: seeded(), replaced: map[int]bool{}}
	w.vocabulary = makeWords(w.random, vocabularySize)
	w.common = rand.NewZipf(w.random, 1.05, 2.7, vocabularySize-1)
	w.topics = make([]topic, max(1, size/memoriesPerTopic))
	for i := range w.topics {
		t := topic{namespace: namespaceOf(i)}
		for range wordsPerTopic {
			t.words = append(t.words, w.vocabulary[w.random.IntN(vocabularySize/4)])
		}
		w.topics[i] = t
	}
	return w
}

var worldNamespaces = []string{"default", "team", "private"}

// namespaceOf puts 80 % of the topics into the first namespace, 15 % into the second.
func namespaceOf(topic int) int {
	switch n := topic % 20; {
	case n < 16:
		return 0
	case n < 19:
		return 1
	}
	return 2
}

// memoryID returns the id of the i-th memory.
func memoryID(i int) string { return fmt.Sprintf("01900000-0000-7000-8000-%012x", i) }

// timeOf returns when the i-th memory was made. The memories are spread over three years.
func (w *world) timeOf(i int) string {
	const span = 3 * 365 * 24 * time.Hour
	start := time.Date(2023, 11, 1, 8, 0, 0, 0, time.UTC)
	return start.Add(time.Duration(float64(span) * float64(i) / float64(w.size))).Format("2006-01-02T15:04:05.000Z")
}

// write writes the lines of all memories, then of all edges, and returns how many
// lines there are.
func (w *world) write(to io.Writer) (lines int, err error) {
	buffered := bufio.NewWriterSize(to, 1<<20)
	out := json.NewEncoder(buffered)
	for i := range w.size {
		if err := out.Encode(w.memory(i)); err != nil {
			return 0, err
		}
	}
	for i, e := range w.edges {
		line := edgeLine{"edge", fmt.Sprintf("e%08d", i), memoryID(int(e.from)), memoryID(int(e.to)), e.kind, w.timeOf(int(e.from))}
		if err := out.Encode(line); err != nil {
			return 0, err
		}
	}
	return w.size + len(w.edges), buffered.Flush()
}

// memory makes the i-th memory, as a line, and its edges.
func (w *world) memory(i int) memoryLine {
	at := w.random.IntN(len(w.topics))
	t := &w.topics[at]
	n := int(math.Exp(3.6 + 0.6*w.random.NormFloat64()))
	body := w.sentences(t, min(max(n, 6), 400))
	kind := draw(w.random, []odds{{"fact", 70}, {"finding", 12}, {"decision", 6}, {"question", 5}, {"session", 4}, {"preference", 3}})
	line := memoryLine{
		Type: "memory", ID: memoryID(i), Namespace: worldNamespaces[t.namespace], Kind: kind, Content: body,
		CreatedAt: w.timeOf(i), Actor: fmt.Sprintf("agent %d", w.random.IntN(5)), Pinned: i%pinnedEvery == 7, Tags: []string{fmt.Sprintf("topic-%d", at%300)},
	}
	if w.random.IntN(3) == 0 {
		line.Tags = append(line.Tags, fmt.Sprintf("area/%d", w.random.IntN(20)))
	}
	if w.random.IntN(2) == 0 { // the title of the others is their first line
		line.Title = strings.TrimSuffix(w.sentences(t, 3+w.random.IntN(5)), ".")
	}
	if i%forgottenEvery == 11 {
		line.Status, line.ForgottenAt = "forgotten", line.CreatedAt
	} else if apart := max(1, w.size/askedMemories); i%apart == 0 {
		w.asked = append(w.asked, text{line.ID, body})
	}
	w.tie(i, t)
	t.members = append(t.members, i)
	return line
}

// sentences makes a text of n words.
func (w *world) sentences(t *topic, n int) string {
	var b strings.Builder
	for wordsLeft := 0; n > 0; n-- { // in the sentence
		word := ""
		if w.random.Float64() < topicShare {
			word = t.words[int(float64(len(t.words))*w.random.Float64()*w.random.Float64())]
		} else {
			word = w.vocabulary[w.common.Uint64()]
		}
		if wordsLeft == 0 {
			wordsLeft = 5 + w.random.IntN(15)
			word = strings.ToUpper(word[:1]) + word[1:]
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(word)
		if wordsLeft--; wordsLeft == 0 || n == 1 {
			b.WriteByte('.')
			wordsLeft = 0
		}
	}
	return b.String()
}

// tie makes the edges of the i-th memory, all of which lead to earlier ones, so that no
// kind has a cycle.
func (w *world) tie(i int, t *topic) {
	wanted := edgesPerMemory
	used := map[int]bool{i: true}
	add := func(to int, kind string) {
		if !used[to] {
			used[to] = true
			w.edges = append(w.edges, edge{int32(i), int32(to), kind})
			wanted--
		}
	}
	if n := len(t.members); n > 0 && w.random.IntN(2) == 0 {
		add(t.members[n-1], "follows")
	}
	if len(t.members) > 0 && w.random.IntN(3) == 0 {
		add(t.members[0], "part-of")
	}
	for tries := 0; wanted > 0 && tries < 10; tries++ {
		other := t
		if w.random.IntN(5) < 2 { // of another topic; the first ones are the most linked
			other = &w.topics[int(float64(len(w.topics))*math.Pow(w.random.Float64(), 3))]
		}
		if len(other.members) == 0 || other.namespace != t.namespace {
			continue
		}
		to := other.members[0]
		if w.random.IntN(3) > 0 {
			to = other.members[w.random.IntN(len(other.members))]
		}
		kind := draw(w.random, []odds{
			{"relates-to", 34}, {"causes", 14}, {"depends-on", 14}, {"derived-from", 12}, {"supports", 12}, {"refers-to", 10}, {"supersedes", 3}, {"contradicts", 1},
		})
		if kind == "supersedes" {
			if w.replaced[to] {
				continue
			}
			w.replaced[to] = true
		}
		add(to, kind)
	}
}

// odds is a word and its weight in a draw.
type odds struct {
	word   string
	weight int
}

// draw returns a random word, each with the probability of its weight.
func draw(r *rand.Rand, words []odds) string {
	all := 0
	for _, s := range words {
		all += s.weight
	}
	n := r.IntN(all)
	for _, s := range words {
		if n -= s.weight; n < 0 {
			return s.word
		}
	}
	return ""
}
