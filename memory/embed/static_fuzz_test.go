package embed

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"hence/internal/fault"
)

const tokenizerJSON = `{"normalizer":{"type":"BertNormalizer","lowercase":true,"handle_chinese_chars":true},"pre_tokenizer":{"type":"BertPreTokenizer"},"model":{"type":"WordPiece","vocab":{"a":0,"##b":1,".":2}}}`

// safetensors returns a file with a header and the numbers 0, 1, 2 … after it.
func safetensors(header string, numbers int) []byte {
	file := append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...)
	for n := range numbers {
		file = binary.LittleEndian.AppendUint32(file, math.Float32bits(float32(n)))
	}
	return file
}

// FuzzStatic checks that the files of a model are refused, or yield vectors with the same
// number of dimensions for every text, and with finite numbers unless the file holds others.
func FuzzStatic(f *testing.F) {
	for _, header := range []string{
		`{"embeddings":{"dtype":"F32","shape":[3,2],"data_offsets":[0,24]}}`,
		`{"embeddings":{"dtype":"F16","shape":[3,4],"data_offsets":[0,24]},"__metadata__":{"a":"b"}}`,
		`{"embeddings":{"dtype":"F64","shape":[3,1],"data_offsets":[0,24]}}`,
		`{"embeddings":{"dtype":"F32","shape":[1,3],"data_offsets":[0,12]},"mapping":{"dtype":"I32","shape":[3],"data_offsets":[0,12]},"weights":{"dtype":"F32","shape":[3],"data_offsets":[12,24]}}`,
		`{"embeddings":{"dtype":"F32","shape":[0,2],"data_offsets":[0,0]}}`,
		`{"embeddings":{"dtype":"F32","shape":[-1,2],"data_offsets":[5,3]}}`,
		`{"embeddings":{"dtype":"F32","shape":[9223372036854775807,9223372036854775807],"data_offsets":[0,18446744073709551615]}}`,
		`{"embeddings":null}`, `[]`, ``,
	} {
		f.Add(safetensors(header, 6), []byte(tokenizerJSON), "Ab a. 日")
	}
	f.Add([]byte{1, 2, 3}, []byte(`{"model":{"type":"WordPiece","vocab":{}}}`), "")
	f.Add(safetensors(`{"embeddings":{"dtype":"F32","shape":[0,2],"data_offsets":[0,0]}}`, 0), []byte(`{"normalizer":{"type":"BertNormalizer"},"pre_tokenizer":{"type":"BertPreTokenizer"},"model":{"type":"WordPiece","vocab":{}}}`), "a")
	folder := f.TempDir()
	f.Fuzz(func(t *testing.T, model, tokenizer []byte, text string) {
		for name, content := range map[string][]byte{"model.safetensors": model, "tokenizer.json": tokenizer} {
			if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		m, err := Open("static:" + folder)
		if err != nil {
			if fault.CodeOf(err) != fault.InvalidArgument {
				t.Errorf("Open: %v, want invalid_argument", err)
			}
			return
		}
		vectors, err := m.Embed(context.Background(), []string{text, "", "a a. ab"})
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range vectors {
			if len(v) == 0 || len(v) != len(vectors[0]) {
				t.Errorf("vectors of %d and of %d numbers", len(v), len(vectors[0]))
			}
		}
	})
}

// FuzzTokenizer checks that the tokens of any text are ids of the vocabulary, and at most as
// many as requested.
func FuzzTokenizer(f *testing.F) {
	for _, vocabulary := range []string{`{"a":0,"##b":1,"日":7}`, `{"":0,"##":1}`, `{"a":-1}`, `{"a":1e99}`, `[]`, `{"\ud800":9223372036854775807}`} {
		f.Add(vocabulary, "##", "Ab á.日本 ab\u0000\xff")
	}
	f.Fuzz(func(t *testing.T, vocabulary, prefix, text string) {
		quoted, err := json.Marshal(prefix)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "tokenizer.json")
		file := `{"normalizer":{"type":"BertNormalizer","lowercase":true,"strip_accents":true,"handle_chinese_chars":true},"pre_tokenizer":{"type":"BertPreTokenizer"},` +
			`"model":{"type":"WordPiece","continuing_subword_prefix":` + string(quoted) + `,"vocab":` + vocabulary + `}}`
		if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
		k, err := readTokenizer(path)
		if err != nil {
			return
		}
		known := map[int]bool{}
		for _, id := range k.ids {
			known[id] = true
		}
		const most = 5
		tokens := k.tokens(text, most)
		if len(tokens) > most {
			t.Errorf("%d tokens, want %d at most", len(tokens), most)
		}
		for _, token := range tokens {
			if !known[token] {
				t.Errorf("the token %d is not in the vocabulary", token)
			}
		}
	})
}
