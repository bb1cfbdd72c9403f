package code_test

import (
	"cmp"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hence/code"
	"hence/code/golang"
	"hence/code/symbol"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory/recall"
	"hence/memory/recall/answer"
	"hence/projection"
)

// maxSymbols bounds the symbols of a repository to search for.
const maxSymbols = 200

// commented is a symbol. question is the first sentence of its comment, without its name.
type commented struct {
	uri, question string
	file          string
	line          int
}

// BenchmarkComments searches for symbols of the Go repositories in HENCE_REPOSITORIES by the
// first sentences of their comments. The comments are removed before the import.
func BenchmarkComments(b *testing.B) {
	for _, dir := range filepath.SplitList(os.Getenv("HENCE_REPOSITORIES")) {
		b.Run(filepath.Base(dir), func(b *testing.B) {
			for b.Loop() {
				askByComments(b, dir)
			}
		})
	}
}

func askByComments(b *testing.B, dir string) {
	hidden := filepath.Join(b.TempDir(), "hidden")
	if err := os.CopyFS(hidden, os.DirFS(dir)); err != nil {
		b.Fatal(err)
	}
	all := readComments(b, hidden)
	slices.SortFunc(all, func(x, y commented) int { return cmp.Compare(hashOf(x.uri), hashOf(y.uri)) })
	symbols := all[:min(maxSymbols, len(all))]
	removeComments(b, symbols)
	into := code.Importer{DB: dbtest.New(b), Caller: ref.Caller{Actor: "bench", Origin: "person"}}
	if _, err := into.Mirror().Import(b.Context(), projection.ImportArgs{Dir: hidden, Name: "repository"}); err != nil {
		b.Fatal(err)
	}
	first, five := 0, 0
	for _, c := range symbols {
		got, err := recall.Searcher{DB: into.DB, Caller: into.Caller}.Search(b.Context(), recall.SearchArgs{Query: c.question, Kinds: []string{code.Kind}, Limit: 5})
		if err != nil {
			b.Fatal(err)
		}
		place := slices.IndexFunc(got.Results, func(r answer.Found) bool { return r.URI == c.uri })
		if place == 0 {
			first++
		}
		if place >= 0 {
			five++
		}
	}
	b.ReportMetric(float64(len(symbols)), "pairs")
	b.ReportMetric(float64(first)/float64(len(symbols)), "@1")
	b.ReportMetric(float64(five)/float64(len(symbols)), "@5")
}

var (
	firstSentence = regexp.MustCompile(`(?s)^.*?(?:\.(?:\s|$)|$)`)
	aLetter       = regexp.MustCompile(`\pL{2,}`)
)

// readComments returns the functions, methods and types of Go files, without tests, whose
// first sentence has at least six words besides the name.
func readComments(b *testing.B, dir string) (all []commented) {
	files, texts := []symbol.File{}, map[string][]string{}
	err := filepath.WalkDir(dir, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		text, err := os.ReadFile(file)
		name, _ := filepath.Rel(dir, file)
		name = filepath.ToSlash(name)
		texts[name] = strings.Split(string(text), "\n")
		files = append(files, golang.Read(name, text))
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	golang.Number(files)
	for _, f := range files {
		for _, d := range f.Declarations {
			own := d.Name[strings.LastIndexByte(d.Name, '.')+1:]
			asks := strings.TrimSpace(strings.TrimPrefix(firstSentence.FindString(d.Doc), own))
			if d.Sort != symbol.Const && d.Sort != symbol.Var && isAbove(texts[f.Path], d.StartLine) && len(aLetter.FindAllString(asks, -1)) >= 6 {
				all = append(all, commented{"code://repository/" + string(symbol.KeyOf(f.Module, d.Name)), asks, filepath.Join(dir, filepath.FromSlash(f.Path)), d.StartLine})
			}
		}
	}
	return all
}

// isAbove reports whether the line before a line is a comment.
func isAbove(lines []string, line int) bool {
	return line > 1 && strings.HasPrefix(strings.TrimSpace(lines[line-2]), "//")
}

// removeComments removes the comments of symbols from their files.
func removeComments(b *testing.B, symbols []commented) {
	slices.SortFunc(symbols, func(x, y commented) int { return cmp.Or(strings.Compare(x.file, y.file), y.line-x.line) })
	for _, c := range symbols {
		text, err := os.ReadFile(c.file)
		if err != nil {
			b.Fatal(err)
		}
		lines := strings.Split(string(text), "\n")
		from := c.line - 1
		for from > 0 && strings.HasPrefix(strings.TrimSpace(lines[from-1]), "//") {
			from--
		}
		if err := os.WriteFile(c.file, []byte(strings.Join(slices.Delete(lines, from, c.line-1), "\n")), 0o644); err != nil {
			b.Fatal(err)
		}
	}
}

func hashOf(text string) uint32 {
	sum := fnv.New32a()
	sum.Write([]byte(text))
	return sum.Sum32()
}
