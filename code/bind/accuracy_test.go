package bind_test

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hence/code/bind"
	"hence/code/symbol"
	"hence/code/syntax"
)

// pair is a caller and a callee.
type pair struct{ from, to symbol.Key }

// BenchmarkCalls compares the calls that Bind finds in the repositories of HENCE_SCIP with
// those in the repository's index.scip. A call of a constructor counts as a call of its
// class. HENCE_SCIP_SHOW=20 prints the first 20 differences.
func BenchmarkCalls(b *testing.B) {
	folders := filepath.SplitList(os.Getenv("HENCE_SCIP"))
	if len(folders) == 0 {
		b.Skip("HENCE_SCIP names no folders with an index.scip")
	}
	for _, folder := range folders {
		b.Run(filepath.Base(folder), func(b *testing.B) {
			files := readFolder(b, folder)
			text, err := os.ReadFile(filepath.Join(folder, "index.scip"))
			if err != nil {
				b.Fatal(err)
			}
			index, err := bind.ReadIndex(text)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				compareCalls(b, files, index)
			}
		})
	}
}

func readFolder(b *testing.B, folder string) (files []*syntax.Places) {
	err := filepath.WalkDir(folder, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(folder, file)
		if err != nil {
			return err
		}
		if _, places := syntax.Read(filepath.ToSlash(name), text); places != nil {
			files = append(files, places)
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return files
}

func compareCalls(b *testing.B, files []*syntax.Places, index *bind.Index) {
	got, want, unjudged := calls(files, nil, false), calls(files, index, true), 0
	for p, ref := range calls(files, index, false) {
		if _, known := want[p]; !known && ref.By != symbol.ByScip {
			delete(got, p)
			unjudged++
		}
	}
	b.ReportMetric(float64(unjudged), "untold")
	right := 0
	tiers := map[symbol.Evidence][2]int{}
	wrong, missed := []string{}, []string{}
	for p, ref := range got {
		tier := tiers[ref.By]
		if _, ok := want[p]; ok {
			right++
			tier[0]++
		} else {
			wrong = append(wrong, fmt.Sprintf("%s:%d %s → %s by %s", ref.Path, ref.Line, p.from, p.to, ref.By))
		}
		tier[1]++
		tiers[ref.By] = tier
	}
	for p, ref := range want {
		if _, ok := got[p]; !ok {
			missed = append(missed, fmt.Sprintf("%s:%d %s → %s", ref.Path, ref.Line, p.from, p.to))
		}
	}
	b.ReportMetric(float64(right)/float64(max(1, len(got))), "precision")
	b.ReportMetric(float64(right)/float64(max(1, len(want))), "recall")
	b.ReportMetric(float64(len(want)), "calls")
	show(b, "wrong", wrong)
	show(b, "missed", missed)
	for tier, n := range tiers {
		b.Logf("%s: %d of %d right", tier, n[0], n[1])
	}
}

// calls returns the calls of a repository, or only those from its index if indexOnly is
// true. An index has no calls of variables, because it does not have their values, and no
// calls outside of named declarations. Such calls are not judged.
func calls(files []*syntax.Places, index *bind.Index, indexOnly bool) map[pair]symbol.Reference {
	all := map[pair]symbol.Reference{}
	references, _, _ := bind.Bind(context.Background(), files, index)
	for _, ref := range references {
		if ref.Kind != "calls" || indexOnly && ref.By != symbol.ByScip {
			continue
		}
		p := pair{ref.From, classOfConstructor(ref.To)}
		if _, known := all[p]; !known && p.from != p.to {
			all[p] = ref
		}
	}
	return all
}

// classOfConstructor returns the class of a constructor, or any other key itself.
func classOfConstructor(key symbol.Key) symbol.Key {
	for _, name := range []string{".constructor", ".__init__"} {
		if class, isCut := strings.CutSuffix(string(key), name); isCut {
			return symbol.Key(class)
		}
	}
	return key
}

func show(b *testing.B, what string, lines []string) {
	var limit int
	if _, err := fmt.Sscan(os.Getenv("HENCE_SCIP_SHOW"), &limit); err != nil {
		return
	}
	slices.SortFunc(lines, func(x, y string) int { return cmp.Compare(hashed(x), hashed(y)) })
	for _, line := range lines[:min(limit, len(lines))] {
		fmt.Println(what, line)
	}
}

// hashed returns a hash, by which lines are sorted so that the first ones are a sample.
func hashed(text string) uint32 {
	h := uint32(2166136261)
	for _, c := range []byte(text) {
		h = (h ^ uint32(c)) * 16777619
	}
	return h
}
