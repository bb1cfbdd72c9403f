package vault_test

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory/embed"
	"hence/memory/embed/embedtest"
	"hence/memory/recall"
	"hence/memory/recall/vectors"
	"hence/vault"
)

// BenchmarkFusion prints for each vault in ../shared, and for the questions of BenchmarkFound, the
// shares of notes that come first and among ten: by words alone, by words and the table of the program,
// and by words and a model that knows no meaning.
//
//	go test ./vault -run '^$' -bench Fusion -benchtime 1x
func BenchmarkFusion(b *testing.B) {
	bad := embedtest.Random(b)
	for _, dir := range sharedVaults(b) {
		i := vault.Importer{DB: dbtest.New(b), Caller: ref.Caller{Actor: "bench", Origin: "person"}}
		if _, err := i.Import(b.Context(), vault.ImportArgs{Dir: dir}); err != nil {
			b.Fatal(err)
		}
		notes := notesOf(b, i.DB)
		b.Run(filepath.Base(dir), func(b *testing.B) {
			rows := make([]string, len(questionKinds))
			asked := make([]int, len(questionKinds))
			for _, way := range []struct{ mode, embedder string }{{"keyword", ""}, {"hybrid", embed.Builtin}, {"hybrid", bad}} {
				if way.embedder != "" {
					embedAll(b, vectors.Store{DB: i.DB, Caller: i.Caller}, way.embedder)
				}
				for k, kind := range questionKinds {
					random, found := rand.New(rand.NewPCG(1, 2)), ranks{}
					asked[k] = 0
					for _, n := range notes {
						if question := kind.question(random, n); question != "" {
							asked[k]++
							found.count(slices.IndexFunc(searchAs(b, i.DB, way.mode, question), func(note searchedNote) bool {
								return note.id == n.id || question == n.title && note.title == n.title
							}))
						}
					}
					rows[k] += found.shares(asked[k])
				}
			}
			for k, kind := range questionKinds {
				b.Logf("| %s | %s | %d |%s", filepath.Base(dir), kind.name, asked[k], rows[k])
			}
		})
	}
}

// searchAs returns the first ten notes.
func searchAs(b *testing.B, d *db.DB, mode, question string) (notes []searchedNote) {
	got, err := recall.Searcher{DB: d, Caller: ref.Caller{Actor: "bench", Origin: "person"}}.Search(b.Context(),
		recall.SearchArgs{Query: question, Mode: mode, Limit: 10, Detail: "index"})
	if err != nil && fault.CodeOf(err) != fault.Unavailable { // the table knows too few of the question's words
		b.Fatal(err)
	}
	for _, one := range got.Results {
		notes = append(notes, searchedNote{id: one.ID, title: one.Title})
	}
	return notes
}
