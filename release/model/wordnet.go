package main

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// wordnet is WordNet (Fellbaum, WordNet: an electronic lexical database, 1998).
type wordnet struct {
	meanings []meaning // in the order of its files
	places   map[string]int
}

// meaning is a group of words that mean the same.
type meaning struct {
	names      []string
	definition string
	examples   []string
	pointers   []pointer
}

// pointer leads to another meaning; its kind is a sign of wndb(5).
type pointer struct{ kind, to string }

var partsOfSpeech = []struct{ file, letter string }{{"noun", "n"}, {"verb", "v"}, {"adj", "a"}, {"adv", "r"}}

// readWordNet returns what the package says.
func readWordNet(file string) (*wordnet, error) {
	files, err := unpack(file, func(name string) bool { return strings.HasPrefix(name, "data.") })
	if err != nil {
		return nil, err
	}
	w := &wordnet{places: map[string]int{}}
	for _, part := range partsOfSpeech {
		for line := range strings.Lines(string(files["data."+part.file])) {
			if strings.HasPrefix(line, "  ") { // the licence
				continue
			}
			id, m, err := readMeaning(line)
			if err != nil {
				return nil, fmt.Errorf("data.%s: %w in %q", part.file, err, line)
			}
			w.places[part.letter+id] = len(w.meanings)
			w.meanings = append(w.meanings, m)
		}
	}
	return w, nil
}

var mark = regexp.MustCompile(`\(.*\)`) // of an adjective's place in a sentence

// readMeaning reads a line of a data file (wndb(5)).
func readMeaning(line string) (id string, m meaning, err error) {
	head, gloss, _ := strings.Cut(line, " | ")
	fields := strings.Fields(head)
	next := func() string {
		if len(fields) == 0 {
			err = fmt.Errorf("a field is missing")
			return ""
		}
		field := fields[0]
		fields = fields[1:]
		return field
	}
	count := func(base int) int {
		n, e := strconv.ParseInt(next(), base, 32)
		if e != nil && err == nil {
			err = e
		}
		return int(n)
	}
	id = next()
	next() // the file of lexicographers
	next() // the part of speech
	const hexadecimal, decimal = 16, 10
	for range count(hexadecimal) {
		m.names = append(m.names, strings.ReplaceAll(mark.ReplaceAllString(strings.ToLower(next()), ""), "_", " "))
		next()
	}
	for range count(decimal) {
		kind, to := next(), next()
		letter := strings.Replace(next(), "s", "a", 1)
		next()
		m.pointers = append(m.pointers, pointer{kind, letter + to})
	}
	parts := strings.Split(strings.TrimSpace(gloss), `; "`)
	m.definition = parts[0]
	for _, example := range parts[1:] {
		m.examples = append(m.examples, strings.Trim(example, `"`))
	}
	return id, m, err
}

// pairs returns the texts that mean the same.
func (w *wordnet) pairs(v vocabulary) (pairs []pair) {
	random := rand.New(rand.NewPCG(seed, seed))
	add := func(one, other string, least int) {
		a, b := v.tokens(one), v.tokens(other)
		if len(a) > 0 && len(b) >= least && !slices.Equal(a, b) {
			pairs = append(pairs, pair{a, b})
		}
	}
	const maxExamples, sentence = 2, 3
	for _, m := range w.meanings {
		names := strings.Join(m.names, " ")
		add(names, m.definition, 1)
		for _, example := range m.examples[:min(maxExamples, len(m.examples))] {
			add(m.definition, example, sentence)
		}
		if len(m.names) > 1 {
			order := random.Perm(len(m.names))
			add(m.names[order[0]], m.names[order[1]], 1)
		}
	}
	return pairs
}
