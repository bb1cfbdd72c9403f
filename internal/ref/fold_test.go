package ref_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	_ "hence/internal/repeattest"
	"hence/internal/script"
)

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
		if err := d.KeepUp(context.Background()); err != nil { // as when the store is opened
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

// What others have written is folded by the next batch, and when a store is opened.
func TestTitlesOfOthersAreFoldedLater(t *testing.T) {
	d := dbtest.New(t)
	for _, keep := range []func() error{
		func() error { return d.KeepUp(t.Context()) },
		func() error {
			_, err := d.Write(t.Context(), "tester", db.Now(), db.S(`update memories set importance = 0.25`))
			return err
		},
	} {
		for _, shell := range []string{
			`insert into memories (id, title) values ('a', 'Ærø'), ('b', 'plain'), ('c', 'Ж' || printf('%.*c', 1000, 'x'))`,
			`update memories set title = 'Élan' where id = 'b'`,
			`update memories set title = title || '!'`,
		} {
			dbtest.Script(t, d.Path(), shell)
			if err := keep(); err != nil {
				t.Fatal(err)
			}
			want := []string{}
			for _, title := range dbtest.Texts(t, d, `select title from memories where title glob '*[^ -~]*' and length(title) <= 1000 order by key`) {
				want = append(want, script.Key(title))
			}
			if got := dbtest.Texts(t, d, `select folded from folded_titles order by memory`); !slices.Equal(got, want) {
				t.Errorf("%q are folded, want %q", got, want)
			}
		}
		dbtest.Script(t, d.Path(), `delete from memories`)
	}
}
