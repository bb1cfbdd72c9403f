package embed

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	_ "hence/internal/repeattest"

	"pgregory.net/rapid"
)

// builtinVectors returns the vectors that the built-in table gives to texts.
func builtinVectors(t testing.TB, texts ...string) [][]float32 {
	e, err := Open(Builtin)
	if err != nil {
		t.Fatal(err)
	}
	vectors, err := e.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	return vectors
}

// cosineOf returns the cosine of two vectors of the length one.
func cosineOf(a, b []float32) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func isZero(v []float32) bool { return !slices.ContainsFunc(v, func(x float32) bool { return x != 0 }) }

func TestBuiltin_RanksWhatIsMeantAboveWhatIsNot(t *testing.T) {
	for _, tt := range []struct {
		question, meant string
		others          []string
	}{
		{"productivity", "Flow state: hours of deep focus, without interruptions, in which work goes by itself.", []string{
			"The ferry to the island leaves twice a day in winter.", "A recipe for bread with rye, salt and a sour dough.",
			"Bolts of the bridge were replaced after the flood.", "The choir sings on Thursdays in the old church.",
			"A wolf was seen near the village again.", "Rent is due on the first of each month.",
			"The vaccine is kept in the blue fridge.", "Sand dunes move a few metres a year.",
			"Her uncle sold the violin to a museum.", "Rain fell on the tents all night."}},
		{"medicine", "The doctor prescribed two pills against the fever.", []string{"The train was late because of snow.", "We painted the fence green."}},
		{"holiday abroad", "Our trip to Portugal: beaches, a hotel, the flight back.", []string{"The invoice was paid in March.", "Compilers translate programs."}},
		{"correct mistakes", "Spell checking marks wrong letters in words.", []string{"The garden has apples and plums.", "Buses run every hour."}},
		{"money for old age", "Pension: what is saved each year until retirement.", []string{"The team won the match.", "A lamp hangs over the table."}},
	} {
		t.Run(tt.question, func(t *testing.T) {
			v := builtinVectors(t, append([]string{tt.question, tt.meant}, tt.others...)...)
			meant := cosineOf(v[0], v[1])
			for i, other := range tt.others {
				if c := cosineOf(v[0], v[2+i]); c >= meant {
					t.Errorf("%q has the cosine %.3f, and %q %.3f", tt.meant, meant, other, c)
				}
			}
		})
	}
}

func TestBuiltin_LeavesOtherLanguagesAndNumbersOut(t *testing.T) {
	for name, text := range map[string]string{
		"Empty": "", "Signs": "— … !? ()", "Numbers": "2026-11-26 14:30, 42",
		"German":    "Der Bundestag beschloss gestern eine Änderung der Straßenverkehrsordnung für Radfahrer und Fußgänger.",
		"French":    "Les propriétaires doivent déclarer chaque année leurs revenus fonciers auprès des impôts.",
		"Polish":    "Wczoraj rozmawialiśmy z sąsiadami o naprawie dachu.",
		"Russian":   "Вчера мы говорили с соседями о ремонте крыши.",
		"Japanese":  "昨日、屋根の修理について隣の人と話しました。",
		"Mostly":    "数据库的锁在写入时 deadlock 会超时",
		"Question":  "Wie groß ist das Fenster",
		"Small":     "das ist gut",
		"Server":    "ich habe ein Problem mit dem Server",
		"Door":      "comment ouvrir la porte",
		"Train":     "¿dónde está la estación de tren?",
		"Gibberish": "xqzt vvkrp \xff\xfe zzgrl",
	} {
		t.Run(name, func(t *testing.T) {
			if !isZero(builtinVectors(t, text)[0]) {
				t.Errorf("%q has a vector", text)
			}
		})
	}
}

func TestBuiltin_ReadsWordsAsTheIndexDoes(t *testing.T) {
	for name, same := range map[string][2]string{
		"Case":        {"Solar PANELS", "solar panels"},
		"Accents":     {"café résumé", "cafe resume"},
		"Identifiers": {"getUserName", "get user name"},
		"Snake":       {"max_retry_count", "max retry count"},
		"Punctuation": {"wind, water; fire!", "wind water fire"},
		"Numbers":     {"we moved boxes 2024", "we moved boxes"},
	} {
		t.Run(name, func(t *testing.T) {
			v := builtinVectors(t, same[0], same[1])
			if c := cosineOf(v[0], v[1]); c < 0.9999 {
				t.Errorf("%q and %q have the cosine %.4f", same[0], same[1], c)
			}
		})
	}
}

func TestBuiltin_ReadsTheFirstWordsOfALongText(t *testing.T) {
	begin := strings.Repeat("river ", maxWords)
	v := builtinVectors(t, begin, begin+strings.Repeat("finance ", maxWords))
	if !slices.Equal(v[0], v[1]) {
		t.Error("words after the first ones change the vector")
	}
}

func TestBuiltin_WeighsTheBeginningMore(t *testing.T) {
	filler := strings.Repeat("river garden winter street ", 20)
	v := builtinVectors(t, "invoices", "invoices "+filler, filler+" invoices")
	if first, last := cosineOf(v[0], v[1]), cosineOf(v[0], v[2]); first <= last {
		t.Errorf("the cosine with the first word of a text is %.3f, with the last one %.3f", first, last)
	}
}

func TestBuiltin_VectorsHaveTheLengthOne(t *testing.T) {
	for i, v := range builtinVectors(t, "a note about boats", "boats", strings.Repeat("Long texts of many words. ", 500)) {
		if c := cosineOf(v, v); math.Abs(c-1) > 1e-5 {
			t.Errorf("text %d: the length is %v", i, c)
		}
	}
}

// Calls that share words of texts give the vectors that single calls give.
func TestBuiltin_AVectorDoesNotDependOnTheOtherTexts(t *testing.T) {
	texts := []string{"boats on the river", "the river in spring", "getUserByID", "ÄÖÜ", "the boats"}
	for i, v := range builtinVectors(t, texts...) {
		if !slices.Equal(v, builtinVectors(t, texts[i])[0]) {
			t.Errorf("%q has another vector alone", texts[i])
		}
	}
}

func TestPairs_NameTheNearestWords(t *testing.T) {
	for _, tt := range []struct{ question, text, word, near string }{
		{"medicine for children", "The doctor was at the museum.", "medicine", "doctor"},
		{"a journey by ship", "Boats and lamps.", "ship", "boats"},
	} {
		pairs := Pairs(tt.question, tt.text)
		if !slices.ContainsFunc(pairs, func(p Pair) bool { return p.Word == tt.word && p.Near == tt.near }) {
			t.Errorf("Pairs(%q, %q) = %v, want %s ~ %s", tt.question, tt.text, pairs, tt.word, tt.near)
		}
		if len(pairs) > maxPairs || !slices.IsSortedFunc(pairs, func(a, b Pair) int { return int(math.Copysign(1, float64(b.Cosine-a.Cosine))) }) {
			t.Errorf("pairs %v are too many or not in order", pairs)
		}
	}
	for _, tt := range [][2]string{{"the of and", "a the to"}, {"boats", "a boat and boats"}, {"", "boats"}, {"boats", ""}, {"ferry", "invoice"}, {"how", "you"}, {"how do I sail", "you and me"}, {"船", "boats"}} {
		if pairs := Pairs(tt[0], tt[1]); len(pairs) > 0 {
			t.Errorf("Pairs(%q, %q) = %v, want none", tt[0], tt[1], pairs)
		}
	}
}

func TestIsForm(t *testing.T) {
	for words, want := range map[[2]string]bool{
		{"product", "product"}: true, {"product", "products"}: true, {"product", "productivity"}: false, {"products", "productive"}: false,
		{"city", "cities"}: true, {"plan", "planned"}: true, {"planned", "planning"}: true, {"use", "using"}: true, {"bus", "buses"}: true,
		{"general", "generic"}: false, {"boat", "ship"}: false, {"", "boat"}: false, {"", ""}: true,
	} {
		if IsForm(words[0], words[1]) != want || IsForm(words[1], words[0]) != want {
			t.Errorf("IsForm of %q is not %v both ways", words, want)
		}
	}
}

func TestCloseness(t *testing.T) {
	for _, tt := range []struct {
		shows, question, closer, farther string
	}{
		{"the word itself", "boats", "We bought boats.", "We bought ships."},
		{"a word that is near", "medicine", "The doctor came.", "The invoice came."},
		{"a word among others that are not near", "medicine", "An invoice of the doctor for paint, paper and bricks.", "An invoice of the mason for paint, paper and bricks."},
		{"each word of the question", "a doctor in winter", "The doctor came through snow.", "The doctor came, a doctor."},
		{"a word that is said often", "medicine", "The doctor saw a doctor.", "The doctor saw a mason."},
		{"a short text", "medicine", "The doctor.", "The doctor spoke to the mason of bricks, paint, paper, windows and invoices."},
	} {
		scores := Closeness(tt.question, []string{tt.farther, tt.closer, "Trains leave at noon."})
		if scores[1] <= scores[0] {
			t.Errorf("%s: %q is %.3f close to %q, and %q is %.3f", tt.shows, tt.closer, scores[1], tt.question, tt.farther, scores[0])
		}
	}
	few := Closeness("medicine", []string{"The doctor has bricks.", "The mason has bricks.", "The tailor has bricks."})
	many := Closeness("medicine", []string{"The doctor has bricks.", "A doctor and a mason.", "The doctor has paint."})
	if many[0] >= few[0] {
		t.Errorf("a word that all texts have counts %.3f, one that a single text has %.3f", many[0], few[0])
	}
}

func TestCloseness_IsANumberForAllTexts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.SampledFrom([]string{"boats", "doctor", "the", "船", "", "getUserByID", "12", "medicine\n"}), 0, 6)
		text := rapid.Map(words, func(w []string) string { return strings.Join(w, " ") })
		texts := rapid.SliceOfN(text, 0, 5).Draw(t, "texts")
		for i, score := range Closeness(text.Draw(t, "question"), texts) {
			if !(score >= 0 && score <= 2) {
				t.Errorf("%q is %v close", texts[i], score)
			}
		}
	})
}

// smallTable returns a table of three words and two rows.
func smallTable() []byte {
	file := []byte(tableMark)
	for _, n := range []uint32{3, 6, 2, 2, 0, 1, 3, 6} { // the counts; where words begin and end
		file = binary.LittleEndian.AppendUint32(file, n)
	}
	file = append(file, "abcdef"...)
	for _, weight := range []float32{1, 0.5, 0} {
		file = binary.LittleEndian.AppendUint32(file, math.Float32bits(weight))
	}
	return append(file, 0, 0, 1, 0, 1, 0, 127, 0, 0, 129)
}

func TestReadTable_RefusesWhatIsCutOrLonger(t *testing.T) {
	whole := string(smallTable())
	if _, err := readTable(whole); err != nil {
		t.Fatal(err)
	}
	for size := range len(whole) {
		if _, err := readTable(whole[:size]); err == nil {
			t.Errorf("the first %d bytes of %d are taken", size, len(whole))
		}
	}
	if _, err := readTable(whole + "\x00"); err == nil {
		t.Error("a table with a byte more is taken")
	}
}

// The table is the one that release/model wrote.
func TestBuiltin_HasTheHashBesideIt(t *testing.T) {
	line, err := os.ReadFile("en-1.table.sha256")
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprintf("%x  en-1.table\n", sha256.Sum256([]byte(english))); got != string(line) {
		t.Errorf("the table's hash is %q, and beside it stands %q; make model writes both", got, line)
	}
	if len(english) > 10_000_000 {
		t.Errorf("the table has %d bytes", len(english))
	}
}

// FuzzTable checks that a damaged table is refused, or gives each text a vector of the table's
// dimensions that is zero or has the length one.
func FuzzTable(f *testing.F) {
	f.Add(smallTable(), "a bc def ABC")
	f.Add([]byte(tableMark), "")
	for i := range smallTable() {
		damaged := smallTable()
		damaged[i] ^= 0xff
		f.Add(damaged, "a bc def 日本 bcDef")
	}
	f.Fuzz(func(t *testing.T, file []byte, text string) {
		table, err := readTable(string(file))
		if err != nil {
			return
		}
		vectors, err := table.Embed(t.Context(), []string{text, "a", "bc def"})
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range vectors {
			if len(v) != table.dimensions {
				t.Fatalf("%d numbers, want %d", len(v), table.dimensions)
			}
			if c := cosineOf(v, v); !isZero(v) && math.Abs(c-1) > 1e-3 {
				t.Errorf("a vector has the length %v", c)
			}
		}
		for _, a := range table.wordsOf(text) {
			Cosine(table.row(a), table.row(a))
		}
	})
}

func BenchmarkBuiltin(b *testing.B) {
	words := strings.Fields("The ferry leaves when the tide allows it, and nobody waits for people who are late; getUserByID returns an account with its Settings. Harbour master, weather service and captain decide together at noon which island is served.")
	texts, size := make([]string, 300), 0
	for i := range texts {
		texts[i] = strings.Join(slices.Concat(words[i%len(words):], words, words), " ")
		size += len(texts[i])
	}
	b.SetBytes(int64(size))
	for b.Loop() {
		builtinVectors(b, texts...)
	}
}
