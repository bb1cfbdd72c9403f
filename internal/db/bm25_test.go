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
	_ "hence/internal/repeattest"
)

// scored returns the sections that match, each with a score.
func scored(ctx context.Context, d *db.DB, function, match string, arguments ...any) (map[int64]float64, error) {
	scores := map[int64]float64{}
	err := d.Read(ctx, func(r *db.Reader) error {
		return db.Each(ctx, r, func(row *sql.Rows) error {
			var section int64
			var score float64
			err := row.Scan(&section, &score)
			scores[section] = score
			return err
		}, "select rowid, "+function+" from section_search where section_search match ?1", append([]any{match}, arguments...)...)
	})
	return scores, err
}

// bestOf returns the sections that match best.
func bestOf(t *rapid.T, d *db.DB, function, match string, best int) (sections []string) {
	err := d.Read(context.Background(), func(r *db.Reader) (err error) {
		sections, err = db.Select(context.Background(), r, func(row *sql.Rows) (string, error) {
			var section int64
			var score float64
			err := row.Scan(&section, &score)
			return fmt.Sprintf("%d %.9g", section, score), err
		}, "select rowid, "+function+" from section_search where section_search match ? order by 2, 1 limit ?", match, best)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return sections
}

// bm25_of agrees with bm25 of FTS5, both when it gets no numbers about the phrases and when it
// gets the numbers that bm25 would compute. No row here is longer than twice the average.
func TestBM25Of_IsBM25(t *testing.T) {
	d := dbtest.New(t)
	words := strings.Fields("ant bee cat dog eel fox gnu hen")
	const weights = `8.0, 4.0, 6.0, 3.0, 1.0`
	rapid.Check(t, func(t *rapid.T) {
		ctx := context.Background()
		batch := []db.Stmt{db.S(`delete from memories`)}
		memories := rapid.IntRange(1, 12).Draw(t, "memories")
		having := map[string]int{}
		for n := range memories {
			texts := []string{"", ""}
			seen := map[string]bool{}
			for i := range texts {
				drawn := rapid.SliceOfN(rapid.SampledFrom(words), 4, 6).Draw(t, "words")
				texts[i] = strings.Join(drawn, " ")
				for _, w := range drawn {
					seen[w] = true
				}
			}
			for w := range seen {
				having[w]++
			}
			batch = append(batch, db.S(`insert into memories (key, title, content, content_hash) values (?1, ?2, ?3, ?1)`, n+1, texts[0], texts[1]))
		}
		if _, err := d.Write(ctx, "test", db.Now(), batch...); err != nil {
			t.Fatal(err)
		}
		asked := rapid.SliceOfNDistinct(rapid.SampledFrom(words), 1, 4, rapid.ID[string]).Draw(t, "asked")
		idfs := make([]string, len(asked))
		for i, w := range asked {
			n := float64(having[w])
			idf := math.Log((float64(memories) - n + 0.5) / (n + 0.5))
			if idfs[i] = fmt.Sprint(max(idf, 1e-6)); rapid.Bool().Draw(t, "not known") {
				idfs[i] = "?"
			}
		}
		question := strings.Join(asked, " OR ")
		best := rapid.IntRange(1, 13).Draw(t, "best")
		for _, wanted := range []int{best, 0} {
			if diff := cmp.Diff(
				bestOf(t, d, fmt.Sprintf("bm25(section_search, %s)", weights), question, best),
				bestOf(t, d, fmt.Sprintf("bm25_of(section_search, '%s', %d, %s)", strings.Join(idfs, " "), wanted, weights), question, best),
			); diff != "" {
				t.Fatalf("%s, the best %d (-bm25 +bm25_of):\n%s", question, best, diff)
			}
		}
		proposing := rapid.IntRange(1, len(asked)).Draw(t, "proposing")
		given, silent := strings.Join(idfs, " "), strings.Repeat("0 ", proposing)
		for _, c := range []struct{ idfs, match, as string }{
			{given, question, question},
			{"", question, question},
			{"? 1", question + " OR " + asked[0] + " OR nowhere", question + " OR " + asked[0] + " OR nowhere"}, // fewer than phrases
			{silent + given, "(" + strings.Join(asked[:proposing], " OR ") + ") AND (" + question + ")", question},
		} {
			want, err := scored(ctx, d, "bm25(section_search, "+weights+")", c.as)
			if err != nil {
				t.Fatal(err)
			}
			got, err := scored(ctx, d, "bm25_of(section_search, '"+c.idfs+"', 0, "+weights+")", c.match)
			if err != nil {
				t.Fatal(err)
			}
			for section, score := range got {
				if math.Abs(score-want[section]) > 1e-9*math.Abs(score) {
					t.Fatalf("%s with %s: section %d has %v, bm25 gives %v", c.match, c.idfs, section, score, want[section])
				}
			}
			if c.match == c.as && len(got) != len(want) {
				t.Fatalf("%d sections match, want %d", len(got), len(want))
			}
		}
	})
}

// bm25_of reads the lengths of many rows in one pass: adjacent rows, rows far apart, and rows in
// reverse order.
func TestBM25Of_IsBM25OfManyRows(t *testing.T) {
	d := dbtest.New(t)
	batch, key := []db.Stmt{}, 0
	for n := range 600 {
		if key++; n > 300 {
			key += n % 23
		}
		text := "ant" + strings.Repeat(" dog", n%4)
		if n%3 == 0 {
			text += " bee"
		}
		if n%40 == 0 {
			text += " cat"
		}
		batch = append(batch, db.S(`insert into memories (key, title, content, content_hash) values (?1, 'eel', ?2, ?1)`, key, text))
	}
	if _, err := d.Write(t.Context(), "test", db.Now(), batch...); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		match string
		rows  int
	}{{"ant", 600}, {"bee", 200}, {"cat", 15}, {"ant OR cat", 600}, {"nowhere", 0}} {
		for _, order := range []string{"rowid", "rowid desc", "2, 1"} {
			rows := 0
			err := d.Read(t.Context(), func(r *db.Reader) error {
				return db.Each(t.Context(), r, func(row *sql.Rows) error {
					var section int64
					var got, want float64
					rows++
					err := row.Scan(&section, &got, &want)
					if math.Abs(got-want) > 1e-9*math.Abs(want) {
						t.Errorf("%s by %s: section %d has %v, bm25 gives %v", c.match, order, section, got, want)
					}
					return err
				}, "select rowid, bm25_of(section_search, '', 0), bm25(section_search) from section_search where section_search match ? order by "+order, c.match)
			})
			if err != nil || rows != c.rows {
				t.Errorf("%s by %s: %d rows, %v", c.match, order, rows, err)
			}
		}
	}
}

// naiveBM25 returns the BM25 score of a word, given how often it occurs in a row and the length of
// the row as a multiple of the average.
func naiveBM25(idf, often, length float64) float64 {
	return idf * often * (1.2 + 1) / (often + 1.2*(1-0.75+0.75*length))
}

func TestBM25Of_LengthBeyondTwiceTheUsualCountsByItsRoot(t *testing.T) {
	d := dbtest.New(t)
	words := []int{3, 4, 5, 6, 7, 8, 9, 10, 20, 40, 80, 160} // of each memory, its title among them
	total := 0
	for i, n := range words {
		dbtest.Script(t, d.Path(), fmt.Sprintf(`insert into memories (key, title, content) values (%d, 'ant', 'ant%s')`, i+1, strings.Repeat(" bee", n-2)))
		total += n
	}
	got, err := scored(t.Context(), d, "bm25_of(section_search, '1.5', 0, 1.0, 1.0, 1.0, 1.0, 1.0)", "ant")
	if err != nil {
		t.Fatal(err)
	}
	soft := 0
	for i, n := range words {
		length := float64(n) * float64(len(words)) / float64(total)
		if length > 2 {
			length = math.Sqrt(2 * length)
			soft++
		}
		if want := -naiveBM25(1.5, 2, length); math.Abs(got[int64(i+1)]-want) > 1e-9 {
			t.Errorf("%d words: %v, want %v", n, got[int64(i+1)], want)
		}
	}
	if soft < 2 || soft == len(words) {
		t.Errorf("%d of the memories are long", soft)
	}
}

func TestBM25Of_OtherArguments(t *testing.T) {
	d := dbtest.New(t)
	dbtest.Script(t, d.Path(), `insert into memories (id, title, content) values ('a', 'ant', 'bee'), ('b', 'bee', 'cat'), ('c', 'cat', 'ant'), ('d', 'x', 'y')`)
	want, err := scored(t.Context(), d, "bm25(section_search)", "ant OR bee")
	if err != nil || len(want) != 3 {
		t.Fatal(want, err)
	}
	for name, idfs := range map[string]any{
		"Null": nil, "Number": 7, "Words": "ant bee", "TooFew": "1", "TooMany": "1 2 3", "Half": "1 2x", "Comma": "1,2", "Long": strings.Repeat("9 ", 5000),
		"Blob": []byte{0, 1, 2}, "Endless": strings.Repeat("9", 5000) + " ?x",
	} {
		t.Run(name, func(t *testing.T) {
			got, err := scored(t.Context(), d, "bm25_of(section_search, ?2)", "ant OR bee", idfs)
			if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%v, %v; want what bm25 gives: %v", got, err, want)
			}
		})
	}
	if _, err := scored(t.Context(), d, "bm25_of(section_search)", "ant OR bee"); err != nil {
		t.Error(err)
	}
}
