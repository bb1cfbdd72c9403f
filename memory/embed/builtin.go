package embed

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/binary"
	"iter"
	"math"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"hence/internal/fault"
	"hence/internal/script"
	"hence/memory/recall/lexicon"
)

// Builtin is the name of the embedder in the binary: a table with vectors of English words,
// made by release/model. The vector of a text is the sum of its words' vectors, of which those
// of rare words are longer. A text in another language has the vector zero.
const Builtin = "builtin:en-1"

// LeastNear is the cosine of two texts by Builtin below which they are not near in meaning. It lies
// between short texts about one thing (boats and a ferry that leaves: 0.36) and others (0.34).
const LeastNear = 0.35

//go:embed en-1.table
var english string

const (
	maxWords   = 500 // of a text, from which its vector is made
	beginning  = 40  // words from the start of a text to where a word counts half: titles and first sentences tell its subject
	leastKnown = 0.6 // share of a text's words that are in the table, below which its vector is zero
)

// table is a file of word vectors, which is read where it lies. After its head come, without gaps:
//
//	uint32 × (words + 1)      where each word begins among the letters
//	letters                   of the words, folded, in the order of their bytes
//	float32 × words           by which a word's row is multiplied; 0 if it says nothing of what a text is about
//	uint16 × words            the row of each word; a rare one has the row of the word nearest to it
//	int8 × rows × dimensions  vectors
//
// Numbers are little-endian.
type table struct {
	words, dimensions                      int
	starts, letters, weights, places, rows string
}

// The head of a table is a mark and four numbers (uint32): words, letters, rows, dimensions.
const (
	tableMark = "hencewv1"
	tableHead = len(tableMark) + 4*4

	maxDimensions = 1 << 12
)

// readTable returns the table in a file. Behind a head that fits the file's length, damage
// changes words and vectors, and nothing else.
func readTable(file string) (*table, error) {
	if len(file) < tableHead || !strings.HasPrefix(file, tableMark) {
		return nil, errTable
	}
	var counts [4]int
	for i := range counts {
		counts[i] = int(number(file[len(tableMark):], i))
	}
	t := &table{words: counts[0], dimensions: counts[3]}
	if t.dimensions == 0 || t.dimensions > maxDimensions {
		return nil, errTable
	}
	rest := file[tableHead:]
	for _, part := range []struct {
		text *string
		size int
	}{{&t.starts, 4 * (t.words + 1)}, {&t.letters, counts[1]}, {&t.weights, 4 * t.words}, {&t.places, 2 * t.words}, {&t.rows, counts[2] * t.dimensions}} {
		if part.size > len(rest) {
			return nil, errTable
		}
		*part.text, rest = rest[:part.size], rest[part.size:]
	}
	if rest != "" {
		return nil, errTable
	}
	return t, nil
}

var errTable = fault.New(fault.Internal, "embed: the table of word vectors in this program is damaged; install the program again")

// number returns a uint32 of a list.
func number(list string, i int) uint32 {
	return binary.LittleEndian.Uint32([]byte(list[4*i : 4*i+4]))
}

// word returns a word of the table.
func (t *table) word(i int) string {
	start, end := uint64(number(t.starts, i)), uint64(number(t.starts, i+1))
	if start > end || end > uint64(len(t.letters)) {
		return ""
	}
	return t.letters[start:end]
}

// find returns the index of a word, -1 if the table does not have it.
func (t *table) find(word string) int {
	if i, found := sort.Find(t.words, func(i int) int { return strings.Compare(word, t.word(i)) }); found {
		return i
	}
	return -1
}

// weight returns the weight of a word; 0 if the table is damaged.
func (t *table) weight(i int) float32 {
	const most = 1e6
	if weight := math.Float32frombits(number(t.weights, i)); weight > 0 && weight < most {
		return weight
	}
	return 0
}

// row returns the vector of a word, one byte a dimension; "" if the table is damaged.
func (t *table) row(i int) string {
	at := t.dimensions * int(binary.LittleEndian.Uint16([]byte(t.places[2*i:2*i+2])))
	if at+t.dimensions > len(t.rows) {
		return ""
	}
	return t.rows[at : at+t.dimensions]
}

func (t *table) Name() string { return Builtin }

// Embed computes the vectors of texts. Calls with many texts take less time a text, because
// each word is looked up once a call.
func (t *table) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors, read := make([][]float32, len(texts)), t.reader()
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, fault.Wrap(fault.Unavailable, err, "embed: stopped before it was done")
		}
		sum, known, all := make([]float32, t.dimensions), 0, 0
		for f := range read(text) {
			all += f.words
			known += len(f.places)
			for _, word := range f.places {
				t.add(sum, word, beginning/float32(beginning+all))
			}
		}
		if float64(known) < leastKnown*float64(all) {
			clear(sum)
		}
		normalize(sum)
		vectors[i] = sum
	}
	return vectors, nil
}

// add adds a share of the vector of a word to a sum.
func (t *table) add(sum []float32, word int, share float32) {
	weight, row := share*t.weight(word), t.row(word)
	if weight == 0 || row == "" {
		return
	}
	row = row[:len(sum)]
	for i := range sum {
		sum[i] += weight * float32(int8(row[i]))
	}
}

// found is what the table has of a word of a text: of an identifier such as getUserByID it may
// have several parts.
type found struct {
	words  int   // 0 for numbers and single letters, which say nothing in any language
	places []int // of those that the table has
}

// reader returns a function that yields what the table has of each word of a text, up to
// maxWords words. It remembers the words of all texts.
func (t *table) reader() func(text string) iter.Seq[found] {
	seen := map[string]found{}
	return func(text string) iter.Seq[found] {
		return func(yield func(found) bool) {
			all := 0
			for word := range script.Runs(text) {
				f, ok := seen[word]
				if !ok {
					f = t.lookUp(word)
					seen[word] = f
				}
				if all += max(1, f.words); all > maxWords || !yield(f) {
					return
				}
			}
		}
	}
}

// lookUp finds a word of a text, or else its parts. A run of a script without spaces counts as
// as many words as it has characters.
func (t *table) lookUp(word string) (f found) {
	if first, _ := utf8.DecodeRuneInString(word); script.IsSpaceless(first) {
		return found{words: utf8.RuneCountInString(word)}
	}
	if utf8.RuneCountInString(word) == 1 || !strings.ContainsFunc(word, unicode.IsLetter) {
		return found{}
	}
	if i := t.find(script.Word(word)); i >= 0 {
		return found{1, []int{i}}
	}
	parts := script.Humps(word)
	for _, part := range parts {
		if i := t.find(script.Word(part)); i >= 0 {
			f.places = append(f.places, i)
		}
	}
	f.words = max(1, len(parts))
	return f
}

// Pair is a word of a question, and the word of a text that is nearest to it in meaning.
type Pair struct {
	Word, Near string
	Cosine     float32
}

const (
	maxPairs    = 3
	leastCosine = 0.4 // of a pair
)

// Pairs returns words of a question that a text has in no form, each with the nearest word of
// the text by the table in this program: a few, the nearest first. It leaves out words such as how and you.
func Pairs(question, text string) (pairs []Pair) {
	t, err := readTable(english)
	if err != nil {
		return nil
	}
	said := t.contentOf(text)
	for _, asked := range t.contentOf(question) {
		if slices.ContainsFunc(said, func(i int) bool { return IsForm(t.word(i), t.word(asked)) }) {
			continue
		}
		best := Pair{Word: t.word(asked), Cosine: leastCosine}
		for _, i := range said {
			if c := Cosine(t.row(asked), t.row(i)); c > best.Cosine {
				best.Near, best.Cosine = t.word(i), c
			}
		}
		if best.Near != "" {
			pairs = append(pairs, best)
		}
	}
	slices.SortStableFunc(pairs, func(a, b Pair) int { return cmp.Compare(b.Cosine, a.Cosine) })
	return pairs[:min(maxPairs, len(pairs))]
}

// Closeness returns for each text how close its words are to those of a question by the table in
// this program, 0 to about 1. The closest word of the text to each word of the question counts, by its cosine,
// by how rare both are among the texts, and by how often the text says it for its length, as in BM25
// (Robertson and Zaragoza, The probabilistic relevance framework, 2009). The sum that is a text's vector
// counts all words instead.
func Closeness(question string, texts []string) []float64 {
	scores := make([]float64, len(texts))
	t, err := readTable(english)
	if err != nil {
		return scores
	}
	words, lengths := t.countIn(texts)
	having := map[int]int{} // texts that have a word
	for _, w := range words {
		having[w.word] = len(w.counts)
	}
	all, most := float64(len(texts)), 1e-9
	rarity := func(texts int) float64 { return math.Log1p(all/float64(1+texts)) / math.Log1p(all) }
	for _, asked := range t.wordsOf(question) {
		weight, row := float64(t.weight(asked))*rarity(having[asked]), t.row(asked)
		length := math.Sqrt(float64(dot(row, row)))
		closest := make([]float64, len(texts))
		for _, w := range words {
			near := rarity(len(w.counts)) * float64(dot(row, w.row)) / max(1, length*w.length)
			for _, c := range w.counts {
				closest[c.text] = max(closest[c.text], near*2*c.times/(c.times+(1+lengths[c.text])/2))
			}
		}
		for i := range scores {
			scores[i] += weight * closest[i]
		}
		most += weight
	}
	for i := range scores {
		scores[i] /= most
	}
	return scores
}

// saidWord is a word that says something of what texts are about.
type saidWord struct {
	word   int
	row    string
	length float64 // of the row
	counts []wordCount
}

// wordCount is how often a text has a word.
type wordCount struct {
	text  int
	times float64
}

// countIn returns the words of some texts, and the length of each text, where the average is 1.
func (t *table) countIn(texts []string) (words []saidWord, lengths []float64) {
	places, read, sum := map[int]int{}, t.reader(), 0.0
	lengths = make([]float64, len(texts))
	for i, text := range texts {
		for f := range read(text) {
			for _, word := range f.places {
				lengths[i]++
				sum++
				place, ok := places[word]
				if !ok {
					if t.weight(word) == 0 {
						continue
					}
					place, places[word] = len(words), len(words)
					row := t.row(word)
					words = append(words, saidWord{word: word, row: row, length: math.Sqrt(float64(dot(row, row)))})
				}
				counts := &words[place].counts
				if n := len(*counts); n > 0 && (*counts)[n-1].text == i {
					(*counts)[n-1].times++
				} else {
					*counts = append(*counts, wordCount{i, 1})
				}
			}
		}
	}
	for i := range lengths {
		lengths[i] *= float64(len(texts)) / sum
	}
	return words, lengths
}

// IsForm reports whether two words differ at most in an ending of plurals or verbs, as cities and
// city or planning and planned do, but not products and productivity.
func IsForm(a, b string) bool {
	const shortestStem = 2
	same := 0
	for same < min(len(a), len(b)) && a[same] == b[same] {
		same++
	}
	isEnding := func(rest string) bool { // or one behind a doubled letter
		return slices.Contains(endings, rest) || rest != "" && rest[0] == a[same-1] && slices.Contains(endings, rest[1:])
	}
	return a == b || same >= shortestStem && isEnding(a[same:]) && isEnding(b[same:])
}

var endings = []string{"", "s", "es", "e", "ed", "d", "ing", "y", "ies", "ied"}

// wordsOf returns the words of a text that say something of what it is about, each once.
func (t *table) wordsOf(text string) (words []int) {
	seen := map[int]bool{}
	for f := range t.reader()(text) {
		for _, i := range f.places {
			if !seen[i] && t.weight(i) > 0 {
				words = append(words, i)
			}
			seen[i] = true
		}
	}
	return words
}

// contentOf returns the words of a text that are not stopwords, each once.
func (t *table) contentOf(text string) []int {
	return slices.DeleteFunc(t.wordsOf(text), func(i int) bool { return lexicon.Stopwords(t.word(i)) })
}

// Cosine returns the cosine of two vectors of bytes, 0 if one of them is zero.
func Cosine(a, b string) float32 {
	return float32(float64(dot(a, b)) / max(1, math.Sqrt(float64(dot(a, a))*float64(dot(b, b)))))
}

// dot returns the dot product of two vectors of bytes.
func dot(a, b string) (sum int) {
	b = b[:min(len(a), len(b))]
	for i := range len(b) {
		sum += int(int8(a[i])) * int(int8(b[i]))
	}
	return sum
}
