package exchange_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory/exchange/lines"
)

// BenchmarkLines imports and exports a million lines, seven edges for three memories. The
// environment variable LINES sets another number of lines:
//
//	go test ./memory/exchange -run '^$' -bench Lines -benchtime 1x -timeout 30m
func BenchmarkLines(b *testing.B) {
	number := 1_000_000
	if n, err := strconv.Atoi(os.Getenv("LINES")); err == nil {
		number = n
	}
	path := filepath.Join(b.TempDir(), "lines.jsonl")
	writeLines(b, path, number)
	d, err := db.Open(b.Context(), filepath.Join(b.TempDir(), "lines.db"), db.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { d.Close() })
	s := ref.View{DB: d, Caller: ref.Caller{Actor: "bench", Origin: "person"}}

	measure := func(name string, once func(in *os.File) error) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				in, err := os.Open(path)
				if err != nil {
					b.Fatal(err)
				}
				peak := dbtest.WatchMemory()
				if err := once(in); err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(peak(), "peak-MB")
				in.Close()
			}
			b.ReportMetric(float64(number*b.N)/b.Elapsed().Seconds(), "lines/s")
		})
	}
	// For comparison: only parse the same lines as JSON, three times, as an import does.
	measure("Yardstick", func(in *os.File) error {
		for range 3 {
			if _, err := in.Seek(0, io.SeekStart); err != nil {
				return err
			}
			for scanner := bufio.NewScanner(in); scanner.Scan(); {
				var line map[string]any
				if err := json.Unmarshal(scanner.Bytes(), &line); err != nil {
					return err
				}
			}
		}
		return nil
	})
	measure("Import", func(in *os.File) error {
		done, err := lines.Import(b.Context(), s, in, lines.ImportArgs{Name: path})
		if err == nil && done.Memories.Added+done.Edges.Added != number {
			err = fmt.Errorf("%+v of %d lines", done, number)
		}
		return err
	})
	measure("Export", func(*os.File) error {
		done, err := lines.Export(b.Context(), s, io.Discard)
		if err == nil && done.Memories+done.Edges != number {
			err = fmt.Errorf("%+v of %d lines", done, number)
		}
		return err
	})
}

// writeLines writes a file with seven edges for three memories.
func writeLines(b *testing.B, path string, lines int) {
	memories := lines * 3 / 10
	writeMemories(b, path, memories, lines-memories)
}

// writeMemories writes a file of memories with 20 to 80 words and of edges between them.
func writeMemories(b *testing.B, path string, memories, edges int) {
	file, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	out := bufio.NewWriter(file)
	random := rand.New(rand.NewPCG(7, 2026))
	zipf := rand.NewZipf(random, 1.1, 3, 20_000)
	write := func(line map[string]any) {
		text, err := json.Marshal(line)
		if err != nil {
			b.Fatal(err)
		}
		out.Write(append(text, '\n'))
	}
	for i := range memories {
		words := make([]string, 20+random.IntN(61))
		for j := range words {
			words[j] = "w" + strconv.FormatUint(zipf.Uint64(), 36)
		}
		write(map[string]any{"type": "memory", "id": fmt.Sprintf("m%07d", i), "title": strings.Join(words[:5], " "), "content": strings.Join(words, " ")})
	}
	for i := range edges {
		from := i % memories
		to := (from + 1 + (7919*from+104729*(i/memories))%(memories-1)) % memories // far away, and no edge twice
		write(map[string]any{"type": "edge", "id": fmt.Sprintf("e%07d", i), "from": fmt.Sprintf("m%07d", from), "to": fmt.Sprintf("m%07d", to), "edge_type": "causes"})
	}
	if err := out.Flush(); err != nil {
		b.Fatal(err)
	}
	if err := file.Close(); err != nil {
		b.Fatal(err)
	}
}
