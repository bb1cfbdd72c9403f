package main

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// wordnet is WordNet (Fellbaum, WordNet: an electronic lexical database, 1998): its meanings in the
// order of its files.
type wordnet []meaning

// meaning is a group of words that mean the same.
type meaning struct {
	names      []string
	definition string
	examples   []string
}

// readWordNet returns what the package says.
func readWordNet(file string) (w wordnet, err error) {
	files, err := unpack(file, func(name string) bool { return strings.HasPrefix(name, "data.") })
	if err != nil {
		return nil, err
	}
	for _, part := range []string{"noun", "verb", "adj", "adv"} {
		for line := range strings.Lines(string(files["data."+part])) {
			if strings.HasPrefix(line, "  ") { // the licence
				continue
			}
			m, err := readMeaning(line)
			if err != nil {
				return nil, fmt.Errorf("data.%s: %w in %q", part, err, line)
			}
			w = append(w, m)
		}
	}
	return w, nil
}

var mark = regexp.MustCompile(`\(.*\)`) // of an adjective's place in a sentence

// readMeaning reads a line of a data file (wndb(5)).
func readMeaning(line string) (m meaning, err error) {
	head, gloss, _ := strings.Cut(line, " | ")
	fields := strings.Fields(head)
	const before, each, hexadecimal = 4, 2, 16 // fields before the words, and of each word
	if len(fields) < before {
		return m, fmt.Errorf("a field is missing")
	}
	count, err := strconv.ParseInt(fields[before-1], hexadecimal, 32)
	if err != nil {
		return m, err
	}
	fields = fields[before:]
	if count < 0 || len(fields) < each*int(count) {
		return m, fmt.Errorf("a word is missing")
	}
	for i := range int(count) {
		m.names = append(m.names, strings.ReplaceAll(mark.ReplaceAllString(strings.ToLower(fields[each*i]), ""), "_", " "))
	}
	parts := strings.Split(strings.TrimSpace(gloss), `; "`)
	m.definition = parts[0]
	for _, example := range parts[1:] {
		m.examples = append(m.examples, strings.Trim(example, `"`))
	}
	return m, nil
}

// pairs returns the texts that mean the same.
func (w wordnet) pairs(v vocabulary) (pairs []pair) {
	random := rand.New(rand.NewPCG(seed, seed))
	add := func(one, other string, least int) {
		a, b := v.tokens(one), v.tokens(other)
		if len(a) > 0 && len(b) >= least && !slices.Equal(a, b) {
			pairs = append(pairs, pair{a, b})
		}
	}
	const maxExamples, sentence = 2, 3
	for _, m := range w {
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
