package memory_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory"
)

// words makes words of random letters, and remembers those that must be gone.
type words struct {
	random *rand.Rand
	gone   []string
}

// one returns a word that stays.
func (w *words) one() string {
	letters := make([]byte, 16)
	for i := range letters {
		letters[i] = "bcdfghjklmnpqrtvwx"[w.random.IntN(18)] // no endings that the tokenizer cuts off
	}
	return string(letters)
}

// some returns a text of n words that must be gone.
func (w *words) some(n int) string {
	text := []string{}
	for range n {
		text = append(text, w.one())
	}
	w.gone = append(w.gone, text...)
	return strings.Join(text, " ")
}

// left returns the words whose middle is in a file of a store: an index keeps a word without the
// letters that it has in common with the one before.
func (w *words) left(t testing.TB, path string) (left []string) {
	t.Helper()
	const from, to = 5, 14
	middles := map[string]string{}
	for _, word := range w.gone {
		middles[word[from:to]] = word
	}
	for _, suffix := range []string{"", "-wal"} {
		content, err := os.ReadFile(path + suffix)
		if err != nil && (suffix == "" || !os.IsNotExist(err)) {
			t.Fatal(err)
		}
		for at := range max(0, len(content)-(to-from)+1) {
			if word, ok := middles[string(content[at:at+to-from])]; ok {
				left = append(left, word+" in "+suffix)
			}
		}
	}
	return left
}

func TestAPurgeLeavesNoByte(t *testing.T) {
	if dbtest.OnCluster() {
		t.Skip("a node keeps its own log")
	}
	person := ref.Caller{Actor: "ada", Origin: "person"}
	for name, prepare := range map[string]func(t *testing.T, s memory.Store, w *words) (id string){
		"ShortText": func(t *testing.T, s memory.Store, w *words) string { return remember(t, s, w.some(1)).ID },
		"TextOfManyPages": func(t *testing.T, s memory.Store, w *words) string {
			return remember(t, s, w.some(1), func(a *memory.StoreArgs) { a.Content = w.some(4000) }).ID
		},
		"TagsPropertiesAndAliases": func(t *testing.T, s memory.Store, w *words) string {
			return remember(t, s, w.some(1), func(a *memory.StoreArgs) {
				a.Tags, a.Properties = []string{w.some(1)}, map[string]any{w.some(1): w.some(3), "aliases": []any{w.some(1)}}
			}).ID
		},
		"EarlierTexts": func(t *testing.T, s memory.Store, w *words) string {
			m := remember(t, s, w.some(2))
			for range 5 {
				revise(t, s, m.ID, w.some(300))
			}
			return m.ID
		},
		"NotesOfEdges": func(t *testing.T, s memory.Store, w *words) string {
			m, other := remember(t, s, w.some(1)), remember(t, s, "other")
			if _, err := edges.Graph(s).Link(t.Context(), edges.LinkArgs{From: m.ID, To: other.ID, Type: "supports", Note: w.some(2), Rel: w.some(1)}); err != nil {
				t.Fatal(err)
			}
			return m.ID
		},
		"ForgottenBefore": func(t *testing.T, s memory.Store, w *words) string {
			m := remember(t, s, w.some(1))
			if _, err := s.Forget(t.Context(), memory.ForgetArgs{ID: m.ID, Reason: w.some(1)}); err != nil {
				t.Fatal(err)
			}
			return m.ID
		},
		"AmongManyOthers": func(t *testing.T, s memory.Store, w *words) (id string) {
			for n := range 300 {
				if n == 150 {
					id = remember(t, s, w.some(1), func(a *memory.StoreArgs) { a.Content = w.some(50) }).ID
				}
				remember(t, s, fmt.Sprint(w.one(), n), func(a *memory.StoreArgs) { a.Content = w.one() + " " + w.one() })
			}
			return id
		},
		"AfterTheIndexWasMerged": func(t *testing.T, s memory.Store, w *words) string {
			m := remember(t, s, w.some(1), func(a *memory.StoreArgs) { a.Content = w.some(200) })
			for range 60 {
				remember(t, s, w.one())
				revise(t, s, m.ID, w.some(40))
			}
			return m.ID
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := memory.Store{DB: dbtest.New(t), Caller: person}
			w := &words{random: rand.New(rand.NewPCG(1, 2))}
			remember(t, s, "stays")
			id := prepare(t, s, w)
			if len(w.left(t, s.DB.Path())) == 0 {
				t.Fatal("the words are not in the files before the purge: nothing is tested")
			}
			result, err := s.Forget(t.Context(), memory.ForgetArgs{ID: id, Purge: true})
			if err != nil || len(result.Warnings) > 0 {
				t.Fatal(err, result.Warnings)
			}
			if left := w.left(t, s.DB.Path()); len(left) > 0 {
				t.Errorf("%d of %d words are left, such as %s", len(left), len(w.gone), left[0])
			}
		})
	}
}

// As long as another process reads the log it cannot be emptied: the purge says so, and a later
// change does it.
func TestAPurgeWhileAnotherProcessReadsSaysSo(t *testing.T) {
	if dbtest.OnCluster() {
		t.Skip("a node keeps its own log")
	}
	s := memory.Store{DB: dbtest.New(t), Caller: ref.Caller{Actor: "ada", Origin: "person"}}
	w := &words{random: rand.New(rand.NewPCG(1, 2))}
	id := remember(t, s, w.some(3)).ID
	other, err := db.Open(t.Context(), s.DB.Path(), db.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	err = other.Read(t.Context(), func(r *db.Reader) error {
		if _, _, err := db.One[int](t.Context(), r, `select count(*) from memories`); err != nil {
			return err
		}
		result, err := s.Forget(context.Background(), memory.ForgetArgs{ID: id, Purge: true})
		if said := strings.Join(result.Warnings, "; "); !strings.Contains(said, "still in its log") {
			t.Errorf("the purge says %q", said)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	remember(t, s, "later")
	if left := w.left(t, s.DB.Path()); len(left) > 0 || s.DB.KeepsErased() != "" {
		t.Errorf("left after a later change: %q, %s", left, s.DB.KeepsErased())
	}
}

func revise(t testing.TB, s memory.Store, id, content string) {
	t.Helper()
	if _, err := s.Revise(t.Context(), memory.UpdateArgs{ID: id, Content: &content}); err != nil {
		t.Fatal(err)
	}
}

// In half-used pages the engine leaves what it moved; a vacuum leaves nothing.
func TestAfterAPurgeAVacuumLeavesNoByte(t *testing.T) {
	if dbtest.OnCluster() {
		t.Skip("a node keeps its own log")
	}
	dbtest.CheckTimes(t, 5)
	empties := dbtest.NewEmpties(t)
	rapid.Check(t, func(t *rapid.T) {
		d, remove := empties.Next(t)
		defer remove()
		s := memory.Store{DB: d, Caller: ref.Caller{Actor: "ada", Origin: "person"}}
		seed := rapid.Uint64().Draw(t, "seed")
		w := &words{random: rand.New(rand.NewPCG(seed, 1))}
		kept := &words{random: rand.New(rand.NewPCG(seed, 2))}
		going, staying := []string{}, []string{}
		for range rapid.IntRange(3, 12).Draw(t, "memories") {
			of, ids := w, &going
			if rapid.Bool().Draw(t, "stays") {
				of, ids = kept, &staying
			}
			a := memory.StoreArgs{Content: of.some(rapid.IntRange(1, 60).Draw(t, "words")), Dedup: "off"}
			result, err := s.Remember(context.Background(), a, nil)
			if err != nil {
				t.Fatal(err)
			}
			*ids = append(*ids, result.Memory.ID)
			if rapid.Bool().Draw(t, "changes") {
				text := of.some(rapid.IntRange(1, 40).Draw(t, "new words"))
				if _, err := s.Revise(context.Background(), memory.UpdateArgs{ID: result.Memory.ID, Content: &text}); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, id := range going {
			if _, err := s.Forget(context.Background(), memory.ForgetArgs{ID: id, Purge: true}); err != nil {
				t.Fatal(err)
			}
		}
		if _, _, err := d.Vacuum(context.Background()); err != nil {
			t.Fatal(err)
		}
		for suffix, path := range map[string]string{"": d.Path(), "-wal": d.Path() + "-wal"} {
			content, _ := os.ReadFile(path)
			for _, word := range w.gone {
				if bytes.Contains(bytes.ToLower(content), []byte(word[5:14])) {
					t.Fatalf("%s is left in %q", word, suffix)
				}
			}
		}
	})
}
