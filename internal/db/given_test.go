package db_test

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hence/internal/db"
	"hence/internal/db/dbtest"
)

// readGiven returns the rows that a statement reads from given, with the types of their values.
func readGiven(ctx context.Context, d *db.DB, columns int, list any) (rows []string, err error) {
	cells := make([]string, columns)
	for i := range cells {
		cells[i] = fmt.Sprintf("typeof(c%d) || ' ' || coalesce(hex(c%d), '')", i+1, i+1)
	}
	err = d.Read(ctx, func(r *db.Reader) (err error) {
		rows, err = db.Select(ctx, r, func(row *sql.Rows) (text string, err error) {
			return text, row.Scan(&text)
		}, "select "+strings.Join(cells, " || '|' || ")+" from given(?)", list)
		return err
	})
	return rows, err
}

func TestGiven(t *testing.T) {
	d := dbtest.New(t)
	for name, c := range map[string]struct {
		give func(g *db.Given)
		want []string
	}{
		"Nothing":        {func(*db.Given) {}, []string{}},
		"ARowOfNothing":  {func(g *db.Given) { g.Row() }, []string{"null |null |null "}},
		"Values":         {func(g *db.Given) { g.Row(7, "a", nil) }, []string{"integer 37|text 61|null "}},
		"LeftOut":        {func(g *db.Given) { g.Row(7) }, []string{"integer 37|null |null "}},
		"Shorter":        {func(g *db.Given) { g.Row(1, 2, 3); g.Row(4) }, []string{"integer 31|integer 32|integer 33", "integer 34|null |null "}},
		"Bool":           {func(g *db.Given) { g.Row(true, false) }, []string{"integer 31|integer 30|null "}},
		"EmptyText":      {func(g *db.Given) { g.Row("") }, []string{"text |null |null "}},
		"NUL":            {func(g *db.Given) { g.Row("a\x00b") }, []string{"text 610062|null |null "}},
		"NotASCII":       {func(g *db.Given) { g.Row("å") }, []string{"text C3A5|null |null "}},
		"Real":           {func(g *db.Given) { g.Row(0.1, float64(-3), (*float64)(nil)) }, []string{"real " + hex("0.1") + "|real " + hex("-3.0") + "|null "}},
		"OrNull":         {func(g *db.Given) { g.Row((*string)(nil), new("a")) }, []string{"null |text 61|null "}},
		"Pointers":       {func(g *db.Given) { g.Row(new(int64(7)), new(true), new(new("a"))) }, []string{"integer 37|integer 31|text 61"}},
		"LargestNumbers": {func(g *db.Given) { g.Row(int64(math.MaxInt64), int64(math.MinInt64)) }, []string{"integer " + hex("9223372036854775807") + "|integer " + hex("-9223372036854775808") + "|null "}},
	} {
		t.Run(name, func(t *testing.T) {
			var g db.Given
			c.give(&g)
			got, err := readGiven(t.Context(), d, 3, g.Arg())
			if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
				t.Errorf("%v, rows (-want +got):\n%s", err, diff)
			}
		})
	}
}

func hex(text string) string { return fmt.Sprintf("%X", text) }

func TestGiven_IsWhatWasGiven(t *testing.T) {
	d := dbtest.New(t)
	rapid.Check(t, func(t *rapid.T) {
		g, want := db.NewGiven(rapid.IntRange(0, 100).Draw(t, "room")), []string{}
		for range rapid.IntRange(0, 20).Draw(t, "rows") {
			g.Row()
			cells := make([]string, 24)
			given := rapid.IntRange(0, 24).Draw(t, "columns")
			for i := range cells {
				cells[i] = "null "
				if i >= given {
					continue
				}
				switch rapid.IntRange(0, 2).Draw(t, "kind") {
				case 0:
					g.Add(nil)
				case 1:
					n := rapid.Int64().Draw(t, "number")
					g.Add(n)
					cells[i] = "integer " + hex(fmt.Sprint(n))
				case 2:
					text := rapid.String().Draw(t, "text")
					g.Add(text)
					cells[i] = "text " + hex(text)
				}
			}
			want = append(want, strings.Join(cells, "|"))
		}
		got, err := readGiven(context.Background(), d, 24, g.Arg())
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Fatalf("%v, rows (-want +got):\n%s", err, diff)
		}
	})
}

func TestGiven_TooManyColumns(t *testing.T) {
	defer func() {
		if said := recover(); said == nil {
			t.Error("a row takes 33 columns")
		}
	}()
	g := db.NewGiven(0)
	g.Row()
	for range 33 {
		g.Add(nil)
	}
}

func TestGiven_OtherBytes(t *testing.T) {
	d := dbtest.New(t)
	for name, list := range map[string]any{
		"Number":         7,
		"Text":           "abc",
		"TooManyColumns": []byte{33},
		"NoValue":        []byte{1},
		"UnknownTag":     []byte{1, 9},
		"HalfANumber":    []byte{1, 1, 0, 0, 0},
		"HalfAReal":      []byte{1, 3, 0, 0, 0},
		"NoLength":       []byte{1, 2, 1},
		"LongerThanItIs": []byte{1, 2, 200, 0, 0, 0, 'a'},
		"EndlessText":    []byte{1, 2, 255, 255, 255, 255, 'a'},
		"AfterAGoodRow":  []byte{1, 0, 3},
	} {
		t.Run(name, func(t *testing.T) {
			if rows, err := readGiven(t.Context(), d, 1, list); err == nil || !strings.Contains(err.Error(), "is not what given.go writes") {
				t.Errorf("rows %v, error %v", rows, err)
			}
		})
	}
	if rows, err := readGiven(t.Context(), d, 1, nil); err != nil || len(rows) != 0 {
		t.Errorf("of null: rows %v, error %v", rows, err)
	}
}

// FuzzGiven checks that any bytes are either rows or an error, and that given reads nothing beyond
// them.
func FuzzGiven(f *testing.F) {
	g := db.NewGiven(0)
	g.Row(-1, "text", nil)
	g.Row()
	f.Add(g.Arg())
	f.Add([]byte{1, 2, 255, 255, 255, 255, 'a'})
	d := dbtest.New(f)
	f.Fuzz(func(t *testing.T, list []byte) {
		rows, err := readGiven(t.Context(), d, 24, list)
		if err == nil && len(rows) > len(list) {
			t.Errorf("%d rows of %d bytes", len(rows), len(list))
		}
	})
}
