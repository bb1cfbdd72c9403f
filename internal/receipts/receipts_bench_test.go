package receipts

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// BenchmarkReceipts measures what a receipt of ten memories costs: in time alone, as a hook writes it, and in a batch of
// 200, as a server does.
func BenchmarkReceipts(b *testing.B) {
	for name, batch := range map[string]int{"One": 1, "Batch": maxBatch} {
		b.Run(name, func(b *testing.B) {
			book := openBook(b)
			r := Receipt{
				Session: "019ab3e0-0000-7000-8000-000000000001", Actor: "claude-code", At: time.Now(), Tool: "memory_search", BytesIn: 80, BytesOut: 4000,
				Arguments: `{"query":"when does the night ferry leave the harbour","limit":10,"kinds":["fact"]}`, Hash: HashOf(nil), Stamp: Stamp{Store: strings.Repeat("a", 32), Seen: 250_000},
			}
			for j := range 10 {
				r.Shown = append(r.Shown, Shown{Key: int64(j*104729) % 100_000, Revision: 1, To: 180, Why: "results"})
			}
			took, bytes := []time.Duration{}, 0
			for b.Loop() {
				began := time.Now()
				if err := book.Add(b.Context(), slices.Repeat([]Receipt{r}, batch)...); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(began)/time.Duration(batch))
			}
			if err := book.db.QueryRow(`select (page_count - freelist_count) * page_size from pragma_page_count, pragma_page_size, pragma_freelist_count`).Scan(&bytes); err != nil {
				b.Fatal(err)
			}
			slices.Sort(took)
			b.ReportMetric(float64(bytes)/float64(len(took)*batch), "B/receipt")
			b.ReportMetric(quantile(took, 50), "p50-ms")
			b.ReportMetric(quantile(took, 99), "p99-ms")
		})
	}
}
