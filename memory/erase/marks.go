package erase

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/pattern"
	"hence/internal/script"
)

const (
	window    = 8       // bytes of a mark
	mostMarks = 1 << 20 // of texts, which a million bytes or more have
	fewMarks  = 4       // below, parts that go over several words are marks too; in these any text may agree
	longest   = 4       // words of a phrase
	bits      = 22      // of the hash by which most places of a file are passed over
)

// Marks are parts of texts that stand nowhere else, as hashes, so that they can be kept while an
// erasure is under way: windows of 8 bytes in lower case, at all places of words, because a text of an index lacks
// the beginnings and ends of its words, and one that goes over several pages is cut between them; and phrases of four
// words, because each word may stand elsewhere too.
type Marks struct {
	filter []uint64
	hashes map[uint32][]uint64 // the beginnings of SHA-256, by the number of the filter's bit
}

// newMarks returns the windows of texts, and their phrases of a number of words.
func newMarks(texts []string, phrase int) *Marks {
	p := parts{seen: map[uint64]bool{}}
	add := func(text string) { (&reader{}).read([]byte(text), nil, p.add) }
	for _, text := range texts {
		for _, word := range wordsOf(text) {
			add(word)
			if lower := strings.ToLower(word); lower != word || !script.IsASCII(word) {
				add(lower)
				add(script.Key(word))
				add(escape(word))
			}
		}
	}
	if len(p.all) < fewMarks {
		for _, text := range texts {
			add(text)
			add(escape(text))
		}
	}
	for _, text := range texts {
		for _, form := range []string{text, db.JSON(text)} {
			all := reader{}
			all.whole([]byte(form), nil, func(uint64) {})
			if size := min(all.words, phrase); size > 1 {
				(&reader{size: size}).whole([]byte(form), nil, p.add)
			}
		}
	}
	return p.marks()
}

// newWords returns those words of texts that are shorter than a window. They stand in any file: only a text that is known
// to be about the memory is searched for them.
func newWords(texts []string, is func(word string) bool) *Marks {
	p := parts{seen: map[uint64]bool{}}
	for _, word := range wordsOf(strings.ToLower(strings.Join(texts, "\n"))) {
		if len(word) < window && is(word) {
			(&reader{size: 1}).whole([]byte(word), nil, p.add)
		}
	}
	return p.marks()
}

// escape writes a text as JSON does in ASCII.
func escape(text string) string {
	var out strings.Builder
	for _, unit := range utf16.Encode([]rune(text)) {
		if unit < utf8.RuneSelf {
			out.WriteByte(byte(unit))
		} else {
			fmt.Fprintf(&out, `\u%04x`, unit)
		}
	}
	return out.String()
}

var escapes = pattern.Lazy(`(\\(u[0-9a-fA-F]{4}|["\\/bfnrt]))+`)

// unescape replaces what JSON escapes, also in a text that was cut.
func unescape(text []byte) []byte {
	return escapes().ReplaceAllFunc(text, func(run []byte) (out []byte) {
		var meant string
		if err := json.Unmarshal(slices.Concat([]byte(`"`), run, []byte(`"`)), &meant); err != nil {
			return run
		}
		return []byte(meant)
	})
}

func wordsOf(text string) []string {
	return strings.FieldsFunc(text, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsNumber(c) && !unicode.IsMark(c) })
}

// parts are parts of texts, each once.
type parts struct {
	all  []uint64
	seen map[uint64]bool
}

func (p *parts) add(w uint64) {
	if !p.seen[w] {
		p.all, p.seen[w] = append(p.all, w), true
	}
}

// marks returns the parts as marks, evenly chosen where there are too many.
func (p *parts) marks() *Marks {
	m := &Marks{hashes: map[uint32][]uint64{}}
	for n, most := 0, min(len(p.all), mostMarks); n < most; n++ {
		m.put(hashOf(p.all[n*len(p.all)/most]))
	}
	return m
}

// hashOf returns the number of a window's bit in the filter, and its hash.
func hashOf(w uint64) (bit uint32, hash uint64) {
	sum := sha256.Sum256(binary.BigEndian.AppendUint64([]byte("hence erase"), w))
	return bitOf(w), binary.BigEndian.Uint64(sum[:])
}

func bitOf(w uint64) uint32 { return uint32(w * 0x9e3779b97f4a7c15 >> (64 - bits)) }

func (m *Marks) put(bit uint32, hash uint64) {
	if m.filter == nil {
		m.filter = make([]uint64, 1<<bits/64)
	}
	m.filter[bit/64] |= 1 << (bit % 64)
	m.hashes[bit] = append(m.hashes[bit], hash)
}

// Len returns the number of marks.
func (m *Marks) Len() (n int) {
	if m == nil { // of a plan of before
		return 0
	}
	for _, hashes := range m.hashes {
		n += len(hashes)
	}
	return n
}

// find calls found with each part of a text that is a mark. The text is read by a method of a reader.
func (m *Marks) find(read func(text []byte, filter []uint64, each func(w uint64)), text []byte, found func(w uint64)) {
	if m == nil || len(m.hashes) == 0 {
		return
	}
	read(text, m.filter, func(w uint64) {
		_, hash := hashOf(w)
		if slices.Contains(m.hashes[bitOf(w)], hash) {
			found(w)
		}
	})
}

// count returns how many marks a text has, one at several places several times. The size is that of a reader.
func (m *Marks) count(size int, text []byte) (n int) {
	m.find((&reader{size: size}).whole, text, func(uint64) { n++ })
	return n
}

// Holds reports whether a text has one of the marks, as it stands or as JSON escapes it.
func (m *Marks) Holds(text []byte) bool {
	return m.count(0, text) > 0 || bytes.IndexByte(text, '\\') >= 0 && m.count(0, unescape(text)) > 0
}

// drop takes away the marks that stand in a text.
func (m *Marks) drop(size int, text []byte) {
	gone := map[uint64]bool{}
	m.find((&reader{size: size}).whole, text, func(w uint64) { gone[w] = true })
	for w := range gone {
		bit, hash := hashOf(w)
		rest := slices.DeleteFunc(m.hashes[bit], func(one uint64) bool { return one == hash })
		if m.hashes[bit] = rest; len(rest) == 0 {
			delete(m.hashes, bit)
			m.filter[bit/64] &^= 1 << (bit % 64)
		}
	}
}

// reader makes the windows and phrases of a text that comes in pieces.
type reader struct {
	size   int // of the phrases that alone are made; 0: those of two words or more, and windows
	last   uint64
	n      int
	word   uint64          // a hash of the word that is read; 0 between words
	latest [longest]uint64 // words, the last one first
	words  int
}

// read calls each with every part, or with those whose bit a filter has: most places of a file are passed
// over at once.
func (r *reader) read(text []byte, filter []uint64, each func(w uint64)) {
	last, n := r.last, r.n
	for _, c := range text {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c >= utf8.RuneSelf {
			r.word = (r.word ^ uint64(c)) * 1099511628211 // as FNV
			r.word |= 1 << 63
		} else if r.word != 0 {
			r.endWord(filter, each)
		}
		if c < ' ' && c != '\n' && c != '\t' && c != '\r' { // between the words of an index, and not of a text
			r.words = 0
		}
		last = last<<8 | uint64(c)
		if n++; n >= window && r.size == 0 && isIn(filter, last) {
			each(last)
		}
	}
	r.last, r.n = last, min(n, window)
}

// whole is read for a text that ends.
func (r *reader) whole(text []byte, filter []uint64, each func(w uint64)) {
	if r.read(text, filter, each); r.word != 0 {
		r.endWord(filter, each)
	}
}

// endWord calls each with the phrases that end with the word that was read.
func (r *reader) endWord(filter []uint64, each func(w uint64)) {
	copy(r.latest[1:], r.latest[:])
	r.latest[0], r.word = r.word, 0
	r.words++
	phrase := uint64(0)
	for n, word := range r.latest[:min(r.words, longest)] {
		phrase = (phrase ^ word) * 0x9e3779b97f4a7c15
		if size := n + 1; (r.size == size || r.size == 0 && size > 1) && isIn(filter, phrase) {
			each(phrase)
		}
	}
}

func isIn(filter []uint64, w uint64) bool {
	bit := bitOf(w)
	return filter == nil || filter[bit/64]&(1<<(bit%64)) != 0
}

// MarshalJSON writes the hashes.
func (m *Marks) MarshalJSON() ([]byte, error) {
	var raw []byte
	for bit, hashes := range m.hashes {
		for _, hash := range hashes {
			raw = binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint32(raw, bit), hash)
		}
	}
	return json.Marshal(base64.StdEncoding.EncodeToString(raw))
}

// UnmarshalJSON reads what MarshalJSON writes.
func (m *Marks) UnmarshalJSON(text []byte) error {
	var in string
	if err := json.Unmarshal(text, &in); err != nil {
		return err
	}
	raw, err := base64.StdEncoding.DecodeString(in)
	const size = 12
	if err != nil || len(raw)%size != 0 {
		return fault.New(fault.Internal, "erase: the marks of an erasure that was begun cannot be read")
	}
	m.filter, m.hashes = nil, map[uint32][]uint64{}
	for ; len(raw) > 0; raw = raw[size:] {
		m.put(binary.BigEndian.Uint32(raw)%(1<<bits), binary.BigEndian.Uint64(raw[4:]))
	}
	return nil
}
