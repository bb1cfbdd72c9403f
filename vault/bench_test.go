package vault_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/vault"
)

// The size of the generated vault of the benchmarks, which is that of a large real vault.
const (
	benchNotes = 10_000
	benchLinks = 100_000
)

// words returns a generated vocabulary. The names of notes are made of it too, so that some
// of them occur in the text of other notes.
func words(r *rand.Rand) []string {
	const syllables = "ba be bi bo da de di do fa fe ga go ka ke la le li lo ma me mi mo na ne no pa pe ra re ri ro sa se so ta te ti to va ve za zo"
	parts := strings.Fields(syllables)
	all := make([]string, 6000)
	for i := range all {
		for range 2 + r.IntN(3) {
			all[i] += parts[r.IntN(len(parts))]
		}
	}
	return all
}

// writeBenchVault writes a vault of benchNotes notes and benchLinks links: wikilinks,
// Markdown links, embeds, properties, inline fields, some of them dangling.
func writeBenchVault(t testing.TB, dir string) {
	t.Helper()
	r := rand.New(rand.NewPCG(4, 2026))
	vocabulary := words(r)
	pick := func() string { return vocabulary[int(float64(len(vocabulary))*r.Float64()*r.Float64())] }
	names := make([]string, benchNotes)
	for i := range names {
		names[i] = fmt.Sprintf("%s %s %d", pick(), pick(), i)
		if i%10 == 0 {
			names[i] = pick() + " " + pick() + " " + pick()
		}
	}
	for i, name := range names {
		target := func() string {
			if r.IntN(25) == 0 {
				return "not written yet " + pick()
			}
			return names[r.IntN(len(names))]
		}
		var b strings.Builder
		fmt.Fprintf(&b, "---\ntags: [%s, area/%s]\naliases: [%s %s %d]\nstatus: open\ndepends-on: \"[[%s]]\"\n---\n", pick(), pick(), pick(), pick(), i, names[r.IntN(i+1)])
		left := benchLinks/benchNotes - 1
		for section := range 4 {
			fmt.Fprintf(&b, "## %s %d\n\n", pick(), section)
			for range 3 {
				for range 18 + r.IntN(20) {
					b.WriteString(pick())
					b.WriteByte(' ')
				}
				if left > 0 {
					left--
					switch r.IntN(10) {
					case 0:
						fmt.Fprintf(&b, "see [that](<%s.md>)", target())
					case 1:
						fmt.Fprintf(&b, "![[%s]]", target())
					case 2:
						fmt.Fprintf(&b, "[supports:: [[%s]]]", target())
					default:
						fmt.Fprintf(&b, "[[%s]] and more", target())
					}
				}
				b.WriteString(".\n\n")
			}
		}
		path := filepath.Join(dir, fmt.Sprintf("folder %d", i%40), name+".md")
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// BenchmarkImport measures imports, and as a yardstick the time to read and hash the same
// files.
func BenchmarkImport(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "v")
	writeBenchVault(b, dir)
	b.Run("Yardstick", func(b *testing.B) {
		for b.Loop() {
			readAndHash(b, dir)
		}
		b.ReportMetric(benchNotes*float64(b.N)/b.Elapsed().Seconds(), "notes/s")
	})
	b.Run("Cold", func(b *testing.B) {
		debug.FreeOSMemory() // the memory of the generator
		peak := dbtest.WatchMemory()
		for b.Loop() {
			b.StopTimer()
			i := vault.Importer{DB: dbtest.New(b), Caller: ref.Caller{Actor: "bench"}}
			b.StartTimer()
			report := benchImport(b, i, dir)
			b.StopTimer()
			b.ReportMetric(float64(report.Links), "links")
			b.ReportMetric(float64(report.Edges), "edges")
			b.StartTimer()
		}
		b.ReportMetric(benchNotes*float64(b.N)/b.Elapsed().Seconds(), "notes/s")
		b.ReportMetric(peak(), "peak-MB")
	})
	b.Run("Edited", func(b *testing.B) { benchEdited(b, dir) })
	b.Run("Unchanged", func(b *testing.B) {
		i := vault.Importer{DB: dbtest.New(b), Caller: ref.Caller{Actor: "bench"}}
		benchImport(b, i, dir)
		b.ResetTimer()
		for b.Loop() {
			if report := benchImport(b, i, dir); report.HasChanged() {
				b.Fatalf("something changed: %+v", report)
			}
		}
	})
}

// benchEdited measures the time from the write of a note until a search finds it, including
// the delays of the watcher.
func benchEdited(b *testing.B, dir string) {
	i := vault.Importer{DB: dbtest.New(b), Caller: ref.Caller{Actor: "bench"}}
	ctx, cancel := context.WithCancel(context.Background())
	reports, done := make(chan vault.Report), make(chan error)
	go func() {
		done <- i.Watch(ctx, vault.ImportArgs{Dir: dir}, func(r vault.Report, err error) {
			if err != nil {
				b.Error(err)
			}
			reports <- r
		})
	}()
	<-reports
	notes, err := filepath.Glob(filepath.Join(dir, "folder 7", "*.md"))
	if err != nil {
		b.Fatal(err)
	}
	n := 0
	for b.Loop() {
		n++
		text, err := os.ReadFile(notes[n%len(notes)])
		if err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(notes[n%len(notes)], fmt.Appendf(text, "\nedited %d [[%s]]\n", n, filepath.Base(notes[0])), 0o644); err != nil {
			b.Fatal(err)
		}
		if r := <-reports; r.Updated != 1 {
			b.Fatalf("an edit of one note is reported as %+v", r)
		}
	}
	b.StopTimer()
	cancel()
	if err := <-done; err != nil {
		b.Fatal(err)
	}
}

func benchImport(b *testing.B, i vault.Importer, dir string) vault.Report {
	b.Helper()
	report, err := i.Import(context.Background(), vault.ImportArgs{Dir: dir})
	if err != nil {
		b.Fatal(err)
	}
	return report
}

func readAndHash(b *testing.B, dir string) {
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		sha256.Sum256(text)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
}
