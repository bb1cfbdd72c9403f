package vault_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory/recall"
	"hence/vault"
)

var (
	threeWords = regexp.MustCompile(`[A-Za-z]{3,}(?: [A-Za-z]{3,}){2}`)
	oneWord    = regexp.MustCompile(`[A-Za-z]{3,}`)
	oneLetter  = regexp.MustCompile(`[\pL\pN]`)
)

// askedNote is a note that is asked for, or found.
type askedNote struct{ id, title, text string }

// remembered are the ways in which a note is asked for.
var remembered = []struct {
	name string
	of   func(random *rand.Rand, n askedNote) string
}{
	{"its title", func(_ *rand.Rand, n askedNote) string {
		if !oneLetter.MatchString(n.title) {
			return "" // signs alone are not a question
		}
		return n.title
	}},
	{"three words as they stand", func(random *rand.Rand, n askedNote) string {
		all := threeWords.FindAllString(n.text, -1)
		if len(all) == 0 {
			return ""
		}
		return all[random.IntN(len(all))]
	}},
	{"seven words in no order", func(random *rand.Rand, n askedNote) string {
		words := oneWord.FindAllString(n.text, -1)
		random.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
		return strings.Join(words[:min(7, len(words))], " ")
	}},
}

// BenchmarkFound prints how many of the notes of each vault in ../shared are
// found by their title and by their words, first and among ten, and beside it what
// plain FTS5 finds in a table of the same notes, each a row. A note that is asked for
// by its title is found where a note of the same title is:
//
//	go test ./vault -run '^$' -bench Found -benchtime 1x
func BenchmarkFound(b *testing.B) {
	for _, dir := range sharedVaults(b) {
		i := vault.Importer{DB: dbtest.New(b), Caller: ref.Caller{Actor: "bench", Origin: "person"}}
		if _, err := i.Import(b.Context(), vault.ImportArgs{Dir: dir}); err != nil {
			b.Fatal(err)
		}
		dbtest.Script(b, i.DB.Path(), `
create virtual table plain using fts5 (title, body, tokenize = 'porter unicode61 remove_diacritics 2');
insert into plain (rowid, title, body) select key, title, content from memories where kind = 'note'`)
		notes := notesOf(b, i.DB)
		for _, way := range remembered {
			b.Run(filepath.Base(dir)+"/"+way.name, func(b *testing.B) {
				for b.Loop() {
					random := rand.New(rand.NewPCG(1, 2))
					asked, ours, plain := 0, ranks{}, ranks{}
					for _, n := range notes {
						if question := way.of(random, n); question != "" {
							asked++
							isFound := func(note askedNote) bool {
								return note.id == n.id || question == n.title && note.title == n.title
							}
							ours.count(slices.IndexFunc(foundBy(b, i.DB, question), isFound))
							plain.count(slices.IndexFunc(foundPlainly(b, i.DB, question), isFound))
						}
					}
					b.Logf("| %s | %s | %d |%s%s", filepath.Base(dir), way.name, asked, ours.of(asked), plain.of(asked))
				}
			})
		}
	}
}

// ranks are how many were first, and among ten.
type ranks struct{ first, amongTen int }

func (r *ranks) count(place int) {
	if place == 0 {
		r.first++
	}
	if place >= 0 {
		r.amongTen++
	}
}

func (r ranks) of(asked int) string {
	return fmt.Sprintf(" %.3f | %.3f |", float64(r.first)/float64(max(1, asked)), float64(r.amongTen)/float64(max(1, asked)))
}

// notesOf reads the notes of a vault.
func notesOf(b *testing.B, d *db.DB) []askedNote {
	return selectNotes(b, d, `
select id, title, content
from memories
where kind = 'note'
order by key`)
}

func selectNotes(b *testing.B, d *db.DB, query string, args ...any) (notes []askedNote) {
	err := d.Read(b.Context(), func(r *db.Reader) (err error) {
		notes, err = db.Select(b.Context(), r, db.Fields(func(n *askedNote) []any { return []any{&n.id, &n.title, &n.text} }), query, args...)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return notes
}

func foundBy(b *testing.B, d *db.DB, question string) []askedNote {
	got, err := recall.Searcher{DB: d, Caller: ref.Caller{Actor: "bench", Origin: "person"}}.Search(b.Context(), recall.SearchArgs{Query: question, Limit: 10, Detail: "index"})
	if err != nil {
		b.Fatal(err)
	}
	asked := []askedNote{}
	for _, one := range got.Results {
		asked = append(asked, askedNote{id: one.ID, title: one.Title})
	}
	return asked
}

// foundPlainly is what the table finds that has a row a note.
func foundPlainly(b *testing.B, d *db.DB, question string) []askedNote {
	return selectNotes(b, d, `
select m.id, m.title, ''
from plain
join memories m on m.key = plain.rowid
where plain match ?
order by bm25(plain), m.key
limit 10`, `"`+strings.Join(strings.Fields(strings.ReplaceAll(question, `"`, " ")), `" OR "`)+`"`)
}
