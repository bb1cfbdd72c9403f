package main

import (
	"encoding/xml"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestTheLinesOfGoBenchmarks(t *testing.T) {
	for _, tt := range []struct {
		name, line string
		benchmark  string
		values     metrics
	}{
		{"WithMetrics", "BenchmarkPath/hence-2   \t 300\t 1370 ns/op\t 4.2 p99-ms", "Path/hence", metrics{"ns/op": 1370, "p99-ms": 4.2}},
		{"WithoutCores", "BenchmarkLoad 1 31000000000 ns/op", "Load", metrics{"ns/op": 31e9}},
		{"HyphenOfTheName", "BenchmarkPath/node-by-node-16 1 5 ns/op", "Path/node-by-node", metrics{"ns/op": 5}},
		{"ALog", "    bench_test.go:12: | search | 1 |", "", nil},
		{"TheEnd", "PASS", "", nil},
		{"NoNumber", "BenchmarkX 1 fast ns/op", "", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			name, values, ok := benchmarkLine(tt.line)
			if name != tt.benchmark || !reflect.DeepEqual(values, tt.values) || ok != (tt.values != nil) {
				t.Errorf("got %q %v %v", name, values, ok)
			}
		})
	}
}

func TestPercentiles(t *testing.T) {
	took := times{}
	for i := range 100 {
		took = append(took, time.Duration(100-i)*time.Millisecond)
	}
	if got := took.percentile(50); got != 51 {
		t.Errorf("p50 is %v", got)
	}
	if got := took.percentile(99); got != 100 {
		t.Errorf("p99 is %v", got)
	}
	if got := (times{time.Second}).percentile(99); got != 1000 {
		t.Errorf("p99 of one is %v", got)
	}
}

func TestARowSaysHowOftenASlowServerWasAsked(t *testing.T) {
	for name, c := range map[string]struct {
		took times
		want string
	}{
		"Quick": {times{time.Millisecond, 3 * time.Millisecond}, "3.00 ms"},
		"Slow":  {times{time.Second, patience}, "30.0 s (2 calls)"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := timesRow("x", c.took).Beside[0]; got != c.want {
				t.Errorf("p99 is %q, want %q", got, c.want)
			}
		})
	}
}

func TestTheCorpusIsTheSameEveryTime(t *testing.T) {
	if one, other := makeCorpus(50), makeCorpus(50); !reflect.DeepEqual(one, other) {
		t.Error("two corpora differ")
	}
	c := makeCorpus(50).first(20)
	if len(c.texts) != 20 {
		t.Errorf("%d texts", len(c.texts))
	}
	for _, r := range c.relations {
		if r.from >= 20 || r.to >= 20 || r.from == r.to {
			t.Errorf("relation %v", r)
		}
	}
}

func TestWordsToSearchForStandInTheText(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	x := text{"x", "# Title\n\nSome words, and then [[a link]] to something else entirely."}
	for range 20 {
		if phrase := x.phrase(r); !strings.Contains(x.body, phrase) || strings.Count(phrase, " ") != 2 {
			t.Errorf("phrase %q", phrase)
		}
		for word := range strings.FieldsSeq(x.question(r)) {
			if !strings.Contains(x.body, word) {
				t.Errorf("word %q", word)
			}
		}
	}
	if got := (text{"y", "a b c"}).phrase(r); got != "" {
		t.Errorf("phrase %q of a text without one", got)
	}
}

// The page says what was measured, and nothing by hand.
func TestThePageIsMadeOfWhatWasMeasured(t *testing.T) {
	docs := filepath.Join("..", "docs")
	if !exists(filepath.Join(docs, "benchmarks.json")) {
		t.Skip("nothing was measured by this program yet")
	}
	kept, err := readResults(filepath.Join(docs, "benchmarks.json"))
	if err != nil {
		t.Fatal(err)
	}
	made, err := kept.page()
	if err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(filepath.Join(docs, "benchmarks.md"))
	if err != nil {
		t.Fatal(err)
	}
	if made != string(written) {
		t.Error("docs/benchmarks.md is not what docs/benchmarks.json and page.md.tmpl make; make bench-page writes it")
	}
	readme, err := os.ReadFile(filepath.Join(docs, "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if made, err = kept.inReadme(string(readme)); err != nil || made != string(readme) {
		t.Errorf("the table of README.md is not what docs/benchmarks.json and readme.md.tmpl make (%v); make bench-page writes it", err)
	}
	for _, c := range charts {
		drawn, err := kept.draw(c)
		if err != nil {
			t.Fatal(err)
		}
		if raw, err := os.ReadFile(filepath.Join(docs, "pictures", c.file)); err != nil || string(raw) != drawn {
			t.Errorf("%s is not what was measured (%v)", c.file, err)
		}
	}
}

func TestATableComparesWithHence(t *testing.T) {
	r := results{Tables: map[string]table{"x": {ID: "x", Title: "Asking <it>", Unit: "ms", Beside: []string{"p99"}, Rows: []row{
		{"hence", 2, []string{"3.00 ms"}}, {"peer", 30, []string{"40 ms"}}, {"other", -1, []string{"–"}},
	}}}}
	got, err := r.table("x")
	if err != nil {
		t.Fatal(err)
	}
	want := `| Asking <it> | p50 | × Hence | p99 |
|---|---|---|---|
| hence | 2.00 ms | – | 3.00 ms |
| peer | 30 ms | 15.0 | 40 ms |
| other | – | – | – |`
	if got != want {
		t.Errorf("got\n%s", got)
	}
	if _, err := r.table("y"); err == nil {
		t.Error("a table that was not measured is written")
	}
	drawn, err := r.draw(chart{"x.svg", "A & B", []string{"x"}})
	if err != nil {
		t.Fatal(err)
	}
	decoder := xml.NewDecoder(strings.NewReader(drawn))
	for err == nil {
		_, err = decoder.Token()
	}
	if !errors.Is(err, io.EOF) {
		t.Errorf("the chart is not XML: %v", err)
	}
	if !regexp.MustCompile(`class="hence"`).MatchString(drawn) || !strings.Contains(drawn, "not offered") {
		t.Error("the chart leaves somebody out")
	}
}
