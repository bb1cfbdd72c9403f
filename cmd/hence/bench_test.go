package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"hence/internal/db"
	"hence/internal/ref"
	"hence/memory"
)

// BenchmarkStdio is the round trip of memory_get to a server of its own
// process, as a client has it, in a store of 1,000 memories:
//
//	go test ./cmd/hence -run '^$' -bench Stdio -benchtime 5000x
func BenchmarkStdio(b *testing.B) {
	for name, flags := range map[string][]string{"Counted": nil, "NotCounted": {"--no-usage"}} {
		b.Run(name, func(b *testing.B) { benchmarkStdio(b, flags) })
	}
}

func benchmarkStdio(b *testing.B, flags []string) {
	path := filepath.Join(b.TempDir(), "hence.db")
	d, err := db.Open(b.Context(), path, db.Options{})
	if err != nil {
		b.Fatal(err)
	}
	s := memory.Store{DB: d, Caller: ref.Caller{Actor: "bench", Origin: "agent"}}
	for i := range 1000 {
		title := fmt.Sprintf("memory %d", i)
		if _, err := s.Remember(b.Context(), memory.StoreArgs{Title: &title, Content: fmt.Sprintf("What is known about %d.", i)}, nil); err != nil {
			b.Fatal(err)
		}
	}
	if err := d.Close(); err != nil {
		b.Fatal(err)
	}
	server := exec.Command("hence", append([]string{"serve", "--db", path}, flags...)...)
	server.Stderr = os.Stderr
	in, err := server.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := server.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := server.Start(); err != nil {
		b.Fatal(err)
	}
	answers := bufio.NewReader(out)
	ask := func(line string) {
		if _, err := fmt.Fprintln(in, line); err != nil {
			b.Fatal(err)
		}
		if _, err := answers.ReadSlice('\n'); err != nil {
			b.Fatal(err)
		}
	}
	ask(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`)
	took := []time.Duration{}
	for i := 0; b.Loop(); i++ {
		line := fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"memory_get","arguments":{"id":"memory %d"}}}`, i%1000)
		start := time.Now()
		ask(line)
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
	if err := in.Close(); err != nil {
		b.Fatal(err)
	}
	if err := server.Wait(); err != nil {
		b.Fatal(err)
	}
}
