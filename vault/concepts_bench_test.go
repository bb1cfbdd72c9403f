package vault_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory/embed"
	"hence/memory/recall/vectors"
	"hence/vault"
)

// concept is a question and the note that it means, by its path in a vault. Of a hard question no
// word but common ones stands in the note; a natural one is as people ask.
type concept struct{ kind, split, vault, question, note string }

// readConcepts returns the questions of bench/concepts.tsv: those that the table of word vectors
// was chosen by (tuned), and those over other vaults that nothing was chosen by (held out).
func readConcepts(t testing.TB) (all []concept) {
	text, err := os.ReadFile("../bench/concepts.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 5 {
			t.Fatalf("a line of %d fields: %q", len(f), line)
		}
		all = append(all, concept{f[0], f[1], f[2], f[3], f[4]})
	}
	return all
}

// BenchmarkConcepts prints for each way to search how often the note that a question means is the
// first result, and among the first five and ten.
//
//	go test ./vault -run '^$' -bench Concepts -benchtime 1x
func BenchmarkConcepts(b *testing.B) {
	concepts := readConcepts(b)
	stores := map[string]*db.DB{}
	for _, dir := range sharedVaults(b) {
		name := filepath.Base(dir)
		if !slices.ContainsFunc(concepts, func(c concept) bool { return c.vault == name }) {
			continue
		}
		i := vault.Importer{DB: dbtest.New(b), Caller: ref.Caller{Actor: "bench", Origin: "person"}}
		if _, err := i.Import(b.Context(), vault.ImportArgs{Dir: dir}); err != nil {
			b.Fatal(err)
		}
		embedAll(b, vectors.Store{DB: i.DB, Caller: i.Caller}, embed.Builtin)
		stores[name] = i.DB
	}
	b.Logf("| questions | split | search | asked | @1 | @5 | @10 |")
	for _, mode := range []string{"keyword", "hybrid", "semantic"} {
		b.Run(mode, func(b *testing.B) {
			for b.Loop() {
				found, asked := map[string][3]int{}, map[string]int{}
				for _, c := range concepts {
					place := slices.IndexFunc(searchAs(b, stores[c.vault], mode, c.question), func(n searchedNote) bool { return n.id == noteAt(b, stores[c.vault], c.note) })
					group := c.kind + " | " + c.split
					counts := found[group]
					for k, first := range []int{1, 5, 10} {
						if 0 <= place && place < first {
							counts[k]++
						}
					}
					found[group] = counts
					asked[group]++
				}
				for _, group := range []string{"hard | tuned", "hard | held out", "natural | tuned", "natural | held out"} {
					row, n := "", float64(asked[group])
					for _, count := range found[group] {
						row += fmt.Sprintf(" %.3f |", float64(count)/n)
					}
					b.Logf("| %s | %s | %d |%s", group, mode, asked[group], row)
					b.ReportMetric(float64(found[group][2])/n, strings.NewReplacer(" | ", "/", " ", "-").Replace(group)+"@10")
				}
			}
		})
	}
}

// embedAll gives each section its vector by an embedder.
func embedAll(b *testing.B, s vectors.Store, name string) {
	status, err := s.EmbedStatus(b.Context())
	if err == nil && status.Embedder != name {
		_, err = s.EmbedSet(b.Context(), vectors.EmbedArgs{Embedder: name})
	}
	if err == nil {
		_, err = s.EmbedRun(b.Context(), nil)
	}
	if err != nil {
		b.Fatal(err)
	}
}

// noteAt returns the id of the note at a path.
func noteAt(b *testing.B, d *db.DB, path string) string {
	notes := selectNotes(b, d, `
select id, title, ''
from memories
where kind = 'note'
  and substr(uri, -length(?1) - 1) = '/' || ?1`, path)
	if len(notes) != 1 {
		b.Fatalf("%d notes at %s", len(notes), path)
	}
	return notes[0].id
}
