package near

import (
	"testing"

	"hence/internal/db"
	"hence/internal/db/dbtest"
)

// If all words of a text are common, sections with two of them are found, anywhere in the
// store, and sections with one are not.
func TestLookUpText_FindsPairsOfCommonWords(t *testing.T) {
	d := dbtest.New(t)
	dbtest.Script(t, d.Path(), `
insert into memories (key, title, content)
with recursive n (n) as (select 1 union all select n + 1 from n where n < 1100)
select n, 'memory', iif(n % 2, 'alpine', 'harbor')
from n;
insert into memories (key, title, content) values (2000, 'memory', 'alpine harbor')`)
	err := d.Read(t.Context(), func(r *db.Reader) error {
		in, err := readTextKeys(t.Context(), r, "default")
		if err != nil {
			return err
		}
		words, err := lookUpText(t.Context(), r, "the harbor and the alpine", in)
		if err != nil {
			return err
		}
		if len(words) != 1 || len(words[0].sections) != 1 {
			t.Fatalf("found %d words and pairs, want the pair, in one section: %v", len(words), words)
		}
		memory, _, err := db.One[int64](t.Context(), r, `select memory from sections where key = ?`, words[0].sections[0])
		if err != nil || memory != 2000 {
			t.Errorf("found memory %d, %v, want the one that has both", memory, err)
		}
		// A single common word has no pair.
		if words, err = lookUpText(t.Context(), r, "harbor", in); err != nil || len(words) > 0 {
			t.Errorf("%d words and pairs of one common word, %v", len(words), err)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
