package journal_test

import (
	"fmt"
	"strings"
	"testing"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory"
)

// BenchmarkEdits measures how many bytes of the file an edit of a text takes for good, which the journal keeps: of 1,000
// memories, each edited five times, in a file without free pages.
func BenchmarkEdits(b *testing.B) {
	for _, size := range []int{200, 1000, 5000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			text := func(n, round int) string {
				return strings.Repeat(fmt.Sprintf("Word%d of round%d stands here. ", n, round), size/20+1)[:size]
			}
			const memories, rounds = 1000, 5
			for b.Loop() {
				d := dbtest.New(b)
				s, ids := memory.Store(ref.View{DB: d, Caller: ref.Caller{Actor: "ada", Origin: "person"}}), []string{}
				bytes := func() int64 {
					_, after, err := d.Vacuum(b.Context())
					if err != nil {
						b.Fatal(err)
					}
					return after
				}
				for n := range memories {
					stored, err := s.Remember(b.Context(), memory.StoreArgs{Title: new(fmt.Sprint("Memory ", n)), Content: text(n, 0), Dedup: "off"}, nil)
					if err != nil {
						b.Fatal(err)
					}
					ids = append(ids, stored.Memory.ID)
				}
				before := bytes()
				for round := range rounds {
					for n, id := range ids {
						if _, err := s.Revise(b.Context(), memory.UpdateArgs{ID: id, Content: new(text(n, round+1))}); err != nil {
							b.Fatal(err)
						}
					}
				}
				kept, _, err := db.One[int64](b.Context(), d, `select coalesce(sum(length(cast(before as blob))), 0) from journal`)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(bytes()-before)/memories/rounds, "B/edit")
				b.ReportMetric(float64(kept)/memories/rounds, "B-before/edit")
			}
		})
	}
}
