package db_test

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"hence/internal/db"
	"hence/internal/db/dbtest"
)

// A text is stored in the file of a node as it is stored in a plain file.
func TestTextsAreTheSameOnACluster(t *testing.T) {
	d := onNode(t)
	rapid.Check(t, func(t *rapid.T) {
		checkSame(t, d, rapid.OneOf(
			rapid.SampledFrom([]string{"x'4142'", "X''", " x'41' ", "x'4", "\xff\xfe", "a\x00b", "", "'", "?1", "--", "\u2028", "<&>", "🚀"}),
			rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
		).Draw(t, "text"), rapid.Int64().Draw(t, "whole"), rapid.Float64().Draw(t, "real"))
	})
}

func FuzzTextsAreTheSameOnACluster(f *testing.F) {
	for _, text := range []string{"x'4142'", "\xff", "a\x00b", "1.0", strings.Repeat("long ", 1<<18)} {
		f.Add(text, int64(1)<<62+1, 0.1+0.2)
	}
	fake := dbtest.NewFake(f)
	d, err := db.Open(f.Context(), fake.Name(), db.Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = d.Close() })
	f.Fuzz(func(t *testing.T, text string, whole int64, real float64) { checkSame(t, d, text, whole, real) })
}

func TestATextOf8MegabytesIsTheSameOnACluster(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing runs beside it, so that the race detector has nothing to see; make test runs it")
	}
	t.Parallel()
	d := onNode(t)
	d.Cluster().Try = time.Minute
	checkSame(t, d, strings.Repeat("ein Text, ü", 8<<20/12), 1, 1)
}

func checkSame(t dbtest.TB, d *db.DB, text string, whole int64, real float64) {
	t.Helper()
	if math.IsNaN(real) || math.IsInf(real, 0) {
		return
	}
	ctx := context.Background()
	// In a list a text is valid UTF-8, and a real number has 12 digits.
	valid := strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", " "), "\ufffd")
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(real, 'e', 11, 64), 64)
	if err != nil {
		return // it became infinite
	}
	list := db.Rows{{valid, whole, rounded}}
	_, err = d.Write(ctx, "tester", db.Now(), db.S(probe), db.S(`delete from probe`),
		db.S(`insert into probe (text, whole, real, bytes) values (?3, ?2, ?1, ?)`, real, whole, text, []byte(text)),
		db.S(`update probe set text_of_list = value ->> 0, whole_of_list = value ->> 1, real_of_list = value ->> 2 from json_each(?)`, list.Arg()))
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		text, ofList        string
		bytes               []byte
		whole, wholeOfList  int64
		number, realOfList  float64
		realType, textOfRow string
	}
	got, _, err := db.First(ctx, d, db.Fields(func(r *row) []any {
		return []any{&r.text, &r.ofList, &r.bytes, &r.whole, &r.wholeOfList, &r.number, &r.realOfList, &r.realType, &r.textOfRow}
	}), `
select
  cast(text as blob),
  cast(text_of_list as blob),
  bytes,
  whole,
  whole_of_list,
  real,
  real_of_list,
  typeof(real),
  typeof(text)
from probe`)
	if err != nil {
		t.Fatal(err)
	}
	near := math.Abs(got.realOfList-rounded) <= math.Abs(rounded)*1e-15
	if size := math.Abs(rounded); size == 0 || size > 1e-9 && size < 1<<52 {
		near = got.realOfList == rounded
	}
	if got.text != text || got.ofList != valid || string(got.bytes) != text || got.whole != whole || got.wholeOfList != whole ||
		got.number != real || !near || got.realType != "real" || got.textOfRow != "text" {
		t.Fatal(fmt.Sprintf("%.200q, %d and %v come back as %+.1000v", text, whole, real, got))
	}
}

// A text may come to a cluster from a file in which the shell wrote it.
func TestAClusterHashesTheTextsThatCameWithoutAHash(t *testing.T) {
	d, _ := onFake(t)
	unhashed := db.S(`
insert into memories (id, title, content, content_hash, created_at, updated_at)
values ('m', 'M', 'text', 'unhashed-1', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z')`)
	if _, err := d.Write(t.Context(), "tester", db.Now(), unhashed); err != nil {
		t.Fatal(err)
	}
	if got := dbtest.Texts(t, d, `select content_hash from memories`); got[0] != db.Hash("text") {
		t.Errorf("the hash is %s", got)
	}
	batch := dbtest.Count(t, d, `select batch from writer`)
	if err := d.KeepUp(t.Context()); err != nil || dbtest.Count(t, d, `select batch from writer`) != batch {
		t.Errorf("the upkeep is done again: %v", err)
	}
}
