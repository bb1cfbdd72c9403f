package db_test

import (
	"context"
	"encoding/binary"
	"testing"

	"pgregory.net/rapid"

	"hence/internal/db"
	"hence/internal/db/dbtest"
)

func TestFingerprintsTellValuesAndTypesApart(t *testing.T) {
	d := dbtest.New(t)
	key := db.NewFingerprintKey()
	seen := map[int64]string{}
	for _, values := range []string{
		`null`, `0`, `1`, `-1`, `0.0`, `1.0`, `''`, `'0'`, `x''`, `x'30'`, `'a'`, `'a', null`, `null, 'a'`, `'a', ''`, `'', 'a'`, `'ab', 'c'`, `'a', 'bc'`,
		`'abcdefgh'`, `'abcdefgh' || char(0)`, `'abcdefgh', 0`, `'abcdefghi'`, `'abcdefg'`, `'1'`, `x'61'`, `9223372036854775807`, `cast(zeroblob(8) as text)`, `zeroblob(8)`, `zeroblob(16)`,
	} {
		one, _, err := db.One[int64](t.Context(), d, `select fingerprint(?1, `+values+`)`, []byte(key))
		if err != nil {
			t.Fatal(err)
		}
		if other, isTaken := seen[one]; isTaken {
			t.Errorf("%s has the fingerprint of %s", values, other)
		}
		seen[one] = values
		again, _, _ := db.One[int64](t.Context(), d, `select fingerprint(?1, `+values+`)`, []byte(key))
		other, _, _ := db.One[int64](t.Context(), d, `select fingerprint(?1, `+values+`)`, []byte(db.NewFingerprintKey()))
		if again != one || other == one {
			t.Errorf("%s: %d, again %d, by another key %d", values, one, again, other)
		}
	}
	if _, _, err := db.One[int64](t.Context(), d, `select fingerprint('short', 1)`); err == nil {
		t.Error("a short key is taken")
	}
}

func TestHasNumberFindsWhatIsInTheList(t *testing.T) {
	d := dbtest.New(t)
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOf(rapid.Int64Range(-20, 20)).Draw(t, "numbers")
		packed := db.Packed{}
		for _, n := range all {
			packed = binary.LittleEndian.AppendUint64(packed, uint64(n))
		}
		list := db.NumbersOf(packed[:len(all)/2*8], packed[len(all)/2*8:])
		for wanted := int64(-21); wanted <= 21; wanted++ {
			there := false
			for _, n := range all {
				there = there || n == wanted
			}
			if has, _, err := db.One[bool](context.Background(), d, `select has_number(?1, ?2)`, []byte(list), wanted); err != nil || has != there {
				t.Fatalf("%d in %v: %v, %v", wanted, all, has, err)
			}
		}
	})
}
