package ref_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	_ "hence/internal/repeattest"
	"hence/internal/script"
)

// The table letters of the schema has exactly the letters beyond ASCII that script.Key changes,
// with their keys, except Hangul syllables, which the schema decomposes by their code points.
func TestLettersAreFoldedAsKeysAre(t *testing.T) {
	want := []string{}
	for r := rune(0x80); r <= 0x10ffff; r++ {
		if letter := string(r); (r < 0xd800 || r > 0xdfff) && !(0xac00 <= r && r <= 0xd7a3) {
			if folded := script.Key(letter); folded != letter {
				want = append(want, letter+" "+folded)
			}
		}
	}
	got := dbtest.Texts(t, dbtest.New(t), `select letter || ' ' || folded from letters order by unicode(letter)`)
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%d letters, want %d", len(got), len(want))
		for i := range min(len(got), len(want)) {
			if got[i] != want[i] {
				t.Fatalf("first difference: %q, want %q", got[i], want[i])
			}
		}
	}
}

// The view title_folding folds in one step what the pattern leaves out.
func TestPatternOfFoldableTextHasEachLetter(t *testing.T) {
	left := dbtest.Texts(t, dbtest.New(t), `select letter from letters where letter not glob (select pattern from foldable_text)`)
	if len(left) > 0 {
		t.Errorf("letters that the pattern leaves out: %q", left)
	}
}

// A title in any case and Unicode normal form finds its memory, and only titles that are equal
// after Go's case folding do.
func TestSameTitleFoldsAsUnicodeDoes(t *testing.T) {
	d := dbtest.New(t)
	folded := func(text string) string { return norm.NFC.String(cases.Fold().String(norm.NFC.String(text))) }
	letters := rapid.StringOfN(rapid.SampledFrom([]rune("aAsSzß ẞſKkåÅÅσΣςиИйě\u030cĚ日ǅǆﬁfFiIİıΐ\u0301がか한.")), 1, 3, -1).
		Filter(func(s string) bool { return strings.TrimSpace(s) != "" })
	title := rapid.Custom(func(t *rapid.T) string {
		plain := rapid.SampledFrom([]string{"", "", "Plain", "Plain ASCII – and 日本 … ("})
		return letters.Draw(t, "letters") + plain.Draw(t, "between") + letters.Draw(t, "letters") + plain.Draw(t, "after")
	})
	recase := []func(string) string{strings.ToUpper, strings.ToLower, strings.ToTitle, folded, norm.NFD.String, strings.Clone}
	namespace := 0
	rapid.Check(t, func(t *rapid.T) {
		namespace++
		titles := rapid.SliceOfN(title, 1, 6).Draw(t, "titles")
		script := ""
		for i, title := range titles {
			id := fmt.Sprintf("%d-%d", namespace, i)
			if rapid.Bool().Draw(t, "renamed") {
				script += fmt.Sprintf("insert into memories (id, namespace, title) values ('%s', 'n%d', 'Ældre');", id, namespace)
				script += fmt.Sprintf("update memories set title = '%s' where id = '%s';", title, id)
			} else {
				script += fmt.Sprintf("insert into memories (id, namespace, title) values ('%s', 'n%d', '%s');", id, namespace, title)
			}
		}
		if err := dbtest.TryScript(t, d.Path(), script); err != nil {
			t.Fatal(err)
		}
		name := rapid.SampledFrom(recase).Draw(t, "case")(rapid.SampledFrom(titles).Draw(t, "title"))
		want := []string{}
		for i, title := range titles {
			if folded(title) == folded(name) {
				want = append(want, fmt.Sprintf("%d-%d", namespace, i))
			}
		}
		got := []string{}
		err := d.Read(context.Background(), func(r *db.Reader) error {
			memories, err := ref.Caller{Namespace: fmt.Sprintf("n%d", namespace)}.SameTitle(context.Background(), r, name)
			for _, m := range memories {
				got = append(got, m.ID)
			}
			return err
		})
		if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%q of %q: %v, %v; want %v", name, titles, got, err, want)
		}
	})
}

// A folded title is deleted with its memory.
func TestFoldedTitleGoesWithItsMemory(t *testing.T) {
	d := store(t, [6]string{"a", "default", "Ærø", "", "", "current"}, [6]string{"b", "default", "ærø", "", "", "current"})
	dbtest.Script(t, d.Path(), `update memories set title = 'Aeroe' where id = 'a'; delete from memories where id = 'b'`)
	if n := dbtest.Count(t, d, `select count(*) from folded_titles`); n != 0 {
		t.Errorf("%d folded titles are left", n)
	}
}

// The store folds titles beyond ASCII as Go folds names.
func TestTitlesAreFoldedAsNamesAre(t *testing.T) {
	d := dbtest.New(t)
	letters := []rune{}
	for r := rune(0x20); r <= 0x1ffff; r++ {
		if folded := script.Key(string(r)); !unicode.IsControl(r) && (folded != string(r) || r < 0x180) {
			letters = append(letters, r)
		}
	}
	checks := 0
	rapid.Check(t, func(t *rapid.T) {
		checks++
		title := rapid.StringOfN(rapid.SampledFrom(letters), 1, 40, -1).Draw(t, "letters") +
			rapid.SampledFrom([]string{"", "Plain ASCII – and 日本 …", "한국어"}).Draw(t, "after") + "ё"
		id := fmt.Sprint("k", checks)
		batch := db.S(`insert into memories (id, title) values (?, ?)`, id, title)
		if _, err := d.Write(context.Background(), "tester", db.Now(), batch); err != nil {
			t.Fatal(err)
		}
		var got string
		err := d.Read(context.Background(), func(r *db.Reader) (err error) {
			got, _, err = db.One[string](context.Background(), r, `select folded from folded_titles where memory = (select key from memories where id = ?)`, id)
			return err
		})
		if want := script.Key(title); got != want || err != nil {
			t.Errorf("%+q is folded to %+q, want %+q, %v", title, got, want, err)
		}
	})
}
