package embed

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/internal/fault"
)

func TestOpen_Refuses(t *testing.T) {
	for name, want := range map[string]fault.Code{
		"":                           fault.InvalidArgument,
		"bulitin":                    fault.InvalidArgument,
		"static:":                    fault.InvalidArgument,
		"openai:http://x":            fault.InvalidArgument,
		"openai:ftp://x,m":           fault.InvalidArgument,
		"static:/no/such/folder/yet": fault.NotFound,
	} {
		if _, err := Open(name); fault.CodeOf(err) != want {
			t.Errorf("Open(%q): %v, want %s", name, err, want)
		}
	}
}

func cosine(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func vectorsOf(t *testing.T, e Embedder, texts ...string) [][]float32 {
	t.Helper()
	vectors, err := e.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	return vectors
}

// model writes a tiny model, pieces of words and a vector for each, and returns its folder.
func model(t *testing.T, pieces map[string][]float32, order []string, kind string) string {
	t.Helper()
	folder := t.TempDir()
	vocabulary := map[string]int{"[UNK]": 0}
	data := make([]byte, 0, 8*len(order))
	width := 0
	put := func(v []float32) {
		for _, x := range v {
			if kind == "F16" {
				data = binary.LittleEndian.AppendUint16(data, map[float32]uint16{0: 0, 1: 0x3c00, -1: 0xbc00}[x])
			} else {
				data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
			}
		}
		width = len(v)
	}
	put(make([]float32, len(pieces[order[0]])))
	for i, piece := range order {
		vocabulary[piece] = i + 1
		put(pieces[piece])
	}
	write := func(name string, content []byte) {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	asJSON := func(value any) []byte {
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	write("tokenizer.json", asJSON(map[string]any{
		"normalizer":    map[string]any{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": nil, "lowercase": true},
		"pre_tokenizer": map[string]any{"type": "BertPreTokenizer"},
		"model":         map[string]any{"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100, "vocab": vocabulary},
	}))
	header := asJSON(map[string]any{
		"__metadata__": map[string]string{"format": "pt"},
		"embeddings":   map[string]any{"dtype": kind, "shape": []int{len(order) + 1, width}, "data_offsets": []int{0, len(data)}},
	})
	write("model.safetensors", append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...), data...))
	return folder
}

func TestStatic_FindsMeaningWithoutACommonWord(t *testing.T) {
	for _, kind := range []string{"F32", "F16"} {
		folder := model(t, map[string][]float32{
			"car": {1, 0}, "automobile": {1, 0}, "boat": {0, 1}, "##s": {0, 0}, "!": {0, 0}, "ferry": {0, 1}, "cafe": {-1, 0}, "船": {0, 1},
		}, []string{"car", "automobile", "boat", "##s", "!", "ferry", "cafe", "船"}, kind)
		e, err := Open("static:" + folder)
		if err != nil {
			t.Fatal(err)
		}
		v := vectorsOf(t, e, "Cars!", "automobile", "ferry", "Café", "我船", "unheard", "")
		for _, c := range []struct {
			name string
			a, b int
			want float64
		}{
			{"Synonym", 0, 1, 1}, {"Other", 0, 2, 0}, {"Accent", 3, 0, -1}, {"Chinese", 4, 2, 1}, {"Unknown", 5, 0, 0}, {"Empty", 6, 0, 0},
		} {
			if got := cosine(v[c.a], v[c.b]); math.Abs(got-c.want) > 1e-6 {
				t.Errorf("%s: %s: cosine = %v, want %v", kind, c.name, got, c.want)
			}
		}
	}
}

func TestTokenizer(t *testing.T) {
	ids := map[string]int{"un": 0, "##aff": 1, "##able": 2, "a": 3, ".": 4, "##a": 5, "-": 6}
	k := &tokenizer{ids: ids, prefix: "##", maxWord: 10, lowerCase: true, stripAccents: true, splitChinese: true}
	for text, want := range map[string][]int{
		"Unaffable":                   {0, 1, 2},
		"unaffable. A":                {0, 1, 2, 4, 3},
		"a-a":                         {3, 6, 3},
		"á\u200ba\x00":                {3, 5},
		"unx a":                       {3}, // a word with a part outside the vocabulary is left out
		"aaaaaaaaaaa a":               {3}, // so is a word that is too long
		"\t\n":                        {},
		strings.Repeat("a ", 3) + ".": {3, 3, 3, 4},
	} {
		if diff := cmp.Diff(want, k.tokens(text, 5)); diff != "" {
			t.Errorf("tokens(%q) (-want +got):\n%s", text, diff)
		}
	}
	if n := len(k.tokens("a a a a a a a", 5)); n != 5 {
		t.Errorf("%d tokens, want 5 at most", n)
	}
}

func TestStatic_RefusesWhatIsNoModel(t *testing.T) {
	good := func(t *testing.T) string {
		return model(t, map[string][]float32{"a": {1, 0}}, []string{"a"}, "F32")
	}
	for name, spoil := range map[string]func(file []byte) []byte{
		"CutShort":   func(f []byte) []byte { return f[:len(f)-1] },
		"NoHeader":   func(f []byte) []byte { return f[:4] },
		"LongHeader": func(f []byte) []byte { f[7] = 0xff; return f },
		"NoTable":    func(f []byte) []byte { return []byte(strings.Replace(string(f), "embeddings", "embeddingz", 1)) },
		"OtherKind":  func(f []byte) []byte { return []byte(strings.Replace(string(f), "F32", "U32", 1)) },
		"FewRows":    func(f []byte) []byte { return []byte(strings.Replace(string(f), "[2,2]", "[1,4]", 1)) },
	} {
		t.Run(name, func(t *testing.T) {
			folder := good(t)
			path := filepath.Join(folder, "model.safetensors")
			file, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, spoil(file), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := Open("static:" + folder); fault.CodeOf(err) != fault.InvalidArgument {
				t.Errorf("Open: %v, want invalid_argument", err)
			}
		})
	}
	folder := good(t)
	if err := os.WriteFile(filepath.Join(folder, "tokenizer.json"), []byte(`{"model": {"type": "Unigram", "vocab": [["a", 0.1]]}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open("static:" + folder); fault.CodeOf(err) != fault.InvalidArgument || !strings.Contains(err.Error(), "Unigram") {
		t.Errorf("Open with a tokenizer of another type: %v", err)
	}
	folder = good(t)
	const mapping = `{"embeddings":{"dtype":"F32","shape":[1,3],"data_offsets":[0,12]},"mapping":{"dtype":"I32","shape":[2],"data_offsets":[0,8]}}`
	if err := os.WriteFile(filepath.Join(folder, "model.safetensors"), safetensors(mapping, 3), 0o600); err != nil {
		t.Fatal(err)
	}
	want := "embedder static:" + folder + ": the model cannot be read; get model.safetensors and tokenizer.json again, or choose another model: " +
		"model.safetensors is damaged: token 1 maps to row 1065353216 of a table of 1 rows"
	if _, err := Open("static:" + folder); err == nil || err.Error() != want {
		t.Errorf("Open with a row that is missing: %v, want %s", err, want)
	}
}

func TestHalf(t *testing.T) {
	for h, want := range map[uint16]float32{
		0x0000: 0, 0x3c00: 1, 0xc000: -2, 0x3555: 0.33325195, 0x0001: 5.9604645e-8, 0x7bff: 65504, 0x7c00: float32(math.Inf(1)),
	} {
		if got := half(h); got != want {
			t.Errorf("half(%#x) = %v, want %v", h, got, want)
		}
	}
}
