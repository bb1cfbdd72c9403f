package journal_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hence/edges"
	"hence/internal/args"
	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/exchange/lines"
	"hence/memory/exchange/merge"
	"hence/memory/journal"
)

// aReal draws any number from 0 to 1, and numbers near those that a tool or a person would give.
func aReal(t *rapid.T, name string) float64 {
	n := rapid.Float64Range(0, 1).Draw(t, name)
	switch rapid.IntRange(0, 4).Draw(t, "form") {
	case 0:
		n = float64(rapid.IntRange(1, 1000).Draw(t, "part")) / float64(rapid.IntRange(1000, 3000).Draw(t, "whole"))
	case 1:
		n = math.Nextafter(float64(rapid.IntRange(1, 9).Draw(t, "tenths"))/10, float64(rapid.IntRange(0, 1).Draw(t, "towards")))
	case 2:
		n = 0.1720342911467333 // which a node wrote as …299
	}
	return max(n, 1e-9)
}

// Any real number comes back the same from storing, update, undo, redo, export, import and merge, as
// the number with 12 digits, which all versions of the engine write and read the same.
func TestRealNumbersStayTheSame(t *testing.T) {
	dbtest.CheckTimes(t, 10)
	empty := dbtest.NewEmpties(t)
	rapid.Check(t, func(t *rapid.T) {
		ctx := context.Background()
		d, remove := empty.Next(t)
		defer remove()
		w := over(d)
		numbers := func(d *db.DB) []string {
			return dbtest.Texts(t, d, `select json_array(id, printf('%!.17g', importance), printf('%!.17g', confidence)) from memories union all select json_array(id, printf('%!.17g', weight)) from edges order by 1`)
		}
		given := []float64{}
		real := func(name string) *float64 {
			n := aReal(t, name)
			given = append(given, args.Round(n))
			return &n
		}
		a := remember(t, w, "a", func(a *memory.StoreArgs) { a.Importance, a.Confidence = real("importance"), real("confidence") })
		remember(t, w, "b", func(b *memory.StoreArgs) {
			b.Links = []memory.NewLink{{To: a.ID, Type: "supports", Weight: real("weight")}}
		})
		states := [][]string{numbers(d)}
		for range rapid.IntRange(1, 4).Draw(t, "changes") {
			var err error
			if rapid.Bool().Draw(t, "link") {
				_, err = w.Link(ctx, edges.LinkArgs{From: "b", To: "a", Type: "supports", Weight: real("weight")})
			} else {
				_, err = w.Revise(ctx, memory.UpdateArgs{ID: a.ID, Importance: real("importance"), Confidence: real("confidence")})
			}
			if err != nil {
				t.Fatal(err)
			}
			if now := numbers(d); !cmp.Equal(now, states[len(states)-1]) {
				states = append(states, now)
			}
		}
		stored := strings.Join(dbtest.Texts(t, d, `select before from journal where before is not null`), " ") + fmt.Sprint(given)
		for _, n := range given { // none is written with more digits than it was given
			if digits := fmt.Sprintf("%.17g", n); args.Round(n) != n || strings.Contains(stored, digits) && len(digits) > 19 {
				t.Fatalf("%s has more than 12 digits", digits)
			}
		}
		undos := []int64{}
		for n := len(states) - 2; n >= 0; n-- {
			done, err := w.Undo(ctx, journal.UndoArgs{})
			if err != nil {
				t.Fatal(err)
			}
			undos = append(undos, done.By)
			if diff := cmp.Diff(states[n], numbers(d)); diff != "" {
				t.Fatalf("after an undo (-was +is):\n%s", diff)
			}
		}
		for n := len(undos) - 1; n >= 0; n-- {
			if _, err := w.Undo(ctx, journal.UndoArgs{Seq: undos[n]}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(states[len(undos)-n], numbers(d)); diff != "" {
				t.Fatalf("after a redo (-was +is):\n%s", diff)
			}
		}
		text := exported(t, d)
		imported, removeImported := empty.Next(t)
		defer removeImported()
		if _, err := lines.Import(ctx, ref.View{DB: imported}, strings.NewReader(text), lines.ImportArgs{}); err != nil {
			t.Fatal(err)
		}
		merged, removeMerged := empty.Next(t)
		defer removeMerged()
		if _, err := merge.Stores(ctx, ref.View{DB: merged, Caller: ref.Caller{Actor: "merger"}}, ref.View{DB: d}, lines.ImportArgs{Name: "OTHER"}); err != nil {
			t.Fatal(err)
		}
		for how, other := range map[string]*db.DB{"import": imported, "merge": merged} {
			if diff := cmp.Diff(numbers(d), numbers(other)); diff != "" {
				t.Fatalf("after an %s (-was +is):\n%s", how, diff)
			}
			if diff := cmp.Diff(text, exported(t, other)); diff != "" && how == "import" {
				t.Fatalf("another export (-was +is):\n%s", diff)
			}
		}
	})
}

func exported(t dbtest.TB, d *db.DB) string {
	t.Helper()
	var out bytes.Buffer
	if _, err := lines.Export(context.Background(), ref.View{DB: d}, &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
