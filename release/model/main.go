// Command model makes memory/embed/en-1.table, the table of word vectors in Hence, from three
// packages that npm and Debian serve:
//
//	GloVe's vectors of 100 dimensions      how words are used beside each other
//	Universal Sentence Encoder lite        how a small transformer sees each word
//	WordNet                                which texts mean the same
//
// Both vectors of a word, reduced to fewer dimensions, are where training begins: a text is the
// sum of its words, and what WordNet says in two ways (the words of a meaning, its definition,
// an example) comes nearer than what it says of other meanings. Two runs on one architecture
// write the same bytes: the order of everything is fixed, and no sum depends on what ran first.
//
//	model -out ../memory/embed/en-1.table -packages ../.cache/model
package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "model:", err)
		os.Exit(1)
	}
}

func run(words []string) error {
	flags := flag.NewFlagSet("model", flag.ContinueOnError)
	out := flags.String("out", "en-1.table", "the `file` to write")
	folder := flags.String("packages", "packages", "the `folder` of the packages; what is not there is fetched")
	if err := flags.Parse(words); err != nil {
		return err
	}
	if err := os.MkdirAll(*folder, 0o755); err != nil {
		return err
	}
	files := map[string]string{}
	for _, p := range packages {
		path, err := p.fetch(*folder)
		if err != nil {
			return fmt.Errorf("the package %s: %w", p.name, err)
		}
		files[p.name] = path
	}
	text, err := english(files)
	if err != nil {
		return err
	}
	if err := os.WriteFile(*out, text, 0o644); err != nil {
		return err
	}
	sums := fmt.Sprintf("%x  %s\n", sha256.Sum256(text), filepath.Base(*out))
	fmt.Print(sums)
	return os.WriteFile(*out+".sha256", []byte(sums), 0o644)
}

const tableSize = 10_000_000 // bytes at most

// english returns the table made from the packages, given by the paths of their files.
func english(files map[string]string) ([]byte, error) {
	glove, err := readGlove(files[glovePackage], wordCount)
	if err != nil {
		return nil, fmt.Errorf("GloVe: %w", err)
	}
	fmt.Println(len(glove.words), "words")
	encoder, err := readEncoder(files[encoderPackage])
	if err != nil {
		return nil, fmt.Errorf("the sentence encoder: %w", err)
	}
	seen := encoder.embed(glove.words)
	fmt.Println("encoded")
	wordnet, err := readWordNet(files[wordnetPackage])
	if err != nil {
		return nil, fmt.Errorf("WordNet: %w", err)
	}
	vectors := startOf(glove, seen)
	vocabulary := newVocabulary(glove.words)
	for word := range strings.FieldsSeq(software) { // WordNet means something else by most of them
		delete(vocabulary, word)
	}
	pairs := wordnet.pairs(vocabulary)
	fmt.Println(len(pairs), "pairs of texts")
	trained := train(vectors, pairs, func(epoch int, loss float64) { fmt.Printf("epoch %d, loss %.3f\n", epoch, loss) })
	return writeTable(glove.words, glove.foreign(), trained, tableSize)
}

// vocabulary finds the words of texts.
type vocabulary map[string]int

func newVocabulary(words []string) vocabulary {
	v := vocabulary{}
	for i, word := range words {
		v[word] = i
	}
	return v
}

// tokens returns the first words of a text that the vocabulary has.
func (v vocabulary) tokens(text string) (words []int) {
	const most = 48
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }) {
		if i, ok := v[word]; ok && len(words) < most {
			words = append(words, i)
		}
	}
	return words
}
