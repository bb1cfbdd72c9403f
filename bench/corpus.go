package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// corpus is what every server stores: generated texts whose words are distributed
// as in a language, and relations among them. It is the same in every run.
type corpus struct {
	texts     []text
	relations []relation
}

type text struct{ name, body string }

type relation struct{ from, to int } // indices of texts

// seeded returns the random source of the corpus.
func seeded() *rand.Rand { return rand.New(rand.NewPCG(7, 2026)) }

// makeCorpus makes n texts of 20 to 80 words, with two relations each.
func makeCorpus(n int) corpus {
	r := seeded()
	vocabulary := makeWords(r, 20_000)
	common := rand.NewZipf(r, 1.1, 3, uint64(len(vocabulary)-1))
	c := corpus{texts: make([]text, n), relations: make([]relation, 0, 2*n)}
	for i := range c.texts {
		words := make([]string, 20+r.IntN(61))
		for j := range words {
			words[j] = vocabulary[common.Uint64()]
		}
		c.texts[i] = text{fmt.Sprintf("Entry %06d", i), strings.Join(words, " ")}
	}
	for i := range c.texts {
		for range 2 {
			if to := r.IntN(n); to != i {
				c.relations = append(c.relations, relation{i, to})
			}
		}
	}
	return c
}

// makeWords makes a vocabulary of syllables.
func makeWords(r *rand.Rand, n int) []string {
	parts := strings.Fields("ba bel bo da den di fa fer ga go ka kel la lin lo ma mer mo na nor pa per ra ren ro sa sel ta tor va ver zo")
	words, seen := make([]string, 0, n), map[string]bool{}
	for len(words) < n {
		word := ""
		for range 2 + r.IntN(3) {
			word += parts[r.IntN(len(parts))]
		}
		if !seen[word] {
			seen[word] = true
			words = append(words, word)
		}
	}
	return words
}

var (
	threeWords = regexp.MustCompile(`[A-Za-z]{3,}(?: [A-Za-z]{3,}){2}`)
	oneWord    = regexp.MustCompile(`[A-Za-z]{3,}`)
)

// phrase returns three consecutive words of a text, "" if there are none.
func (t text) phrase(r *rand.Rand) string {
	all := threeWords.FindAllString(t.body, -1)
	if len(all) == 0 {
		return ""
	}
	return all[r.IntN(len(all))]
}

// question returns seven words of a text in random order.
func (t text) question(r *rand.Rand) string {
	words := oneWord.FindAllString(t.body, -1)
	r.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	return strings.Join(words[:min(7, len(words))], " ")
}

// writeLines writes the corpus as a file of Hence's exchange format.
func (c corpus) writeLines(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	out := json.NewEncoder(f)
	for _, t := range c.texts {
		if err := out.Encode(map[string]any{"type": "memory", "id": t.name, "title": t.name, "content": t.body}); err != nil {
			return err
		}
	}
	for i, r := range c.relations {
		if err := out.Encode(map[string]any{"type": "edge", "id": fmt.Sprintf("edge %d", i), "from": c.texts[r.from].name, "to": c.texts[r.to].name, "edge_type": "causes"}); err != nil {
			return err
		}
	}
	return f.Close()
}

// writeVault writes the corpus as an Obsidian vault: a note for each text, a
// wikilink for each relation.
func (c corpus) writeVault(dir string) error {
	links := make([][]string, len(c.texts))
	for _, r := range c.relations {
		links[r.from] = append(links[r.from], "[["+c.texts[r.to].name+"]]")
	}
	if err := os.MkdirAll(filepath.Join(dir, ".obsidian"), 0o755); err != nil {
		return err
	}
	for i, t := range c.texts {
		folder := filepath.Join(dir, fmt.Sprintf("folder %d", i%40))
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		body := fmt.Sprintf("---\ntags: [made-up]\n---\n# %s\n\n%s\n\nSee %s.\n", t.name, t.body, strings.Join(links[i], " and "))
		if err := os.WriteFile(filepath.Join(folder, t.name+".md"), []byte(body), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// readVault reads the notes of a vault as texts, named by their paths.
func readVault(dir string) (texts []text, err error) {
	err = filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".md" {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		t := text{filepath.ToSlash(name), string(raw)}
		if threeWords.MatchString(t.body) {
			texts = append(texts, t)
		}
		return nil
	})
	return texts, err
}
