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
	"hence/vault"
)

var (
	threeWords = regexp.MustCompile(`[A-Za-z]{3,}(?: [A-Za-z]{3,}){2}`)
	oneWord    = regexp.MustCompile(`[A-Za-z]{3,}`)
	oneLetter  = regexp.MustCompile(`[\pL\pN]`)
)

// searchedNote is a note to search for, or a result.
type searchedNote struct{ id, title, text string }

// questionKinds are the ways to search for a note. A question of "" skips the note.
var questionKinds = []struct {
	name     string
	question func(random *rand.Rand, n searchedNote) string
}{
	{"its title", func(_ *rand.Rand, n searchedNote) string {
		if !oneLetter.MatchString(n.title) {
			return "" // a question needs a letter or digit
		}
		return n.title
	}},
	{"three words as they stand", func(random *rand.Rand, n searchedNote) string {
		all := threeWords.FindAllString(n.text, -1)
		if len(all) == 0 {
			return ""
		}
		return all[random.IntN(len(all))]
	}},
	{"seven words in no order", func(random *rand.Rand, n searchedNote) string {
		words := oneWord.FindAllString(n.text, -1)
		random.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
		return strings.Join(words[:min(7, len(words))], " ")
	}},
}

// BenchmarkFound prints, for each vault in ../shared, the shares of its notes that a search
// for their title or words returns first, and among the first ten results. It prints the
// same for plain FTS5 over a table with one row for each note. For a title, any note with
// this title counts.
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
		for _, kind := range questionKinds {
			b.Run(filepath.Base(dir)+"/"+kind.name, func(b *testing.B) {
				for b.Loop() {
					random := rand.New(rand.NewPCG(1, 2))
					asked, ours, plain := 0, ranks{}, ranks{}
					for _, n := range notes {
						if question := kind.question(random, n); question != "" {
							asked++
							isFound := func(note searchedNote) bool {
								return note.id == n.id || question == n.title && note.title == n.title
							}
							ours.count(slices.IndexFunc(searchAs(b, i.DB, "keyword", question), isFound))
							plain.count(slices.IndexFunc(searchPlain(b, i.DB, question), isFound))
						}
					}
					b.Logf("| %s | %s | %d |%s%s", filepath.Base(dir), kind.name, asked, ours.shares(asked), plain.shares(asked))
				}
			})
		}
	}
}

// ranks counts the questions whose note was the first result, and among the first ten.
type ranks struct{ first, amongTen int }

func (r *ranks) count(place int) {
	if place == 0 {
		r.first++
	}
	if place >= 0 {
		r.amongTen++
	}
}

func (r ranks) shares(questions int) string {
	return fmt.Sprintf(" %.3f | %.3f |", float64(r.first)/float64(max(1, questions)), float64(r.amongTen)/float64(max(1, questions)))
}

// notesOf returns the notes of a store.
func notesOf(b *testing.B, d *db.DB) []searchedNote {
	return selectNotes(b, d, `
select id, title, content
from memories
where kind = 'note'
order by key`)
}

func selectNotes(b *testing.B, d *db.DB, query string, args ...any) (notes []searchedNote) {
	err := d.Read(b.Context(), func(r *db.Reader) (err error) {
		notes, err = db.Select(b.Context(), r, db.Fields(func(n *searchedNote) []any { return []any{&n.id, &n.title, &n.text} }), query, args...)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return notes
}

// searchPlain returns the results of the table plain, which has one row for each note.
func searchPlain(b *testing.B, d *db.DB, question string) []searchedNote {
	return selectNotes(b, d, `
select m.id, m.title, ''
from plain
join memories m on m.key = plain.rowid
where plain match ?
order by bm25(plain), m.key
limit 10`, `"`+strings.Join(strings.Fields(strings.ReplaceAll(question, `"`, " ")), `" OR "`)+`"`)
}
