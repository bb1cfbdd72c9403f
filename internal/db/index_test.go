package db_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"hence/internal/db"
)

func TestIndexFindsWhatAMapFinds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		near := rapid.Int64Range(-3, 40)
		any := rapid.OneOf(near, rapid.Int64(), rapid.SampledFrom([]int64{math.MinInt64, math.MaxInt64}))
		keys := rapid.SliceOfDistinct(rapid.SampledFrom([]*rapid.Generator[int64]{near, any}).Draw(t, "of"), func(key int64) int64 { return key }).Draw(t, "keys")
		at, x := map[int64]int32{}, db.IndexOf(keys)
		for i, key := range keys {
			at[key] = int32(i)
		}
		for _, key := range append(keys, rapid.SliceOf(any).Draw(t, "asked")...) {
			want, known := at[key]
			if got, ok := x.Place(key); ok != known || ok && got != want {
				t.Fatalf("%d of %v: %d, %v", key, keys, got, ok)
			}
		}
	})
}
