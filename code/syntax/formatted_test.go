package syntax_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"hence/code/syntax"
	"hence/projection/tokens"
)

// BenchmarkFormatted counts the symbols of a folder, and those whose tokens are others in a copy of it that a formatter
// has gone over. HENCE_FORMATTED names both, with a colon between them.
func BenchmarkFormatted(b *testing.B) {
	folders := filepath.SplitList(os.Getenv("HENCE_FORMATTED"))
	if len(folders) != 2 {
		b.Skip("HENCE_FORMATTED does not name two folders")
	}
	read := func(path string) map[string]tokens.Sum {
		text, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		file, _ := syntax.Read(filepath.Base(path), text)
		sums := map[string]tokens.Sum{}
		for _, d := range file.Declarations {
			sums[d.Name] = d.Tokens
		}
		return sums
	}
	for b.Loop() {
		symbols, other := 0, 0
		err := filepath.WalkDir(folders[0], func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || syntax.Language(path, nil) == "" {
				return err
			}
			inside, _ := filepath.Rel(folders[0], path)
			after := read(filepath.Join(folders[1], inside))
			for name, sum := range read(path) {
				if symbols++; after[name].Hash != sum.Hash {
					other++
					b.Logf("%s: %s", inside, name)
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(symbols), "symbols")
		b.ReportMetric(float64(other), "changed")
	}
}
