package lexicon

import (
	"slices"
	"strings"
	"testing"

	"hence/internal/db"
	"hence/internal/db/dbtest"
)

// The stemmer unifies no two forms of a line, because a word would count twice.
func TestIrregularForms_AreApart(t *testing.T) {
	d := dbtest.New(t)
	batch := []db.Stmt{db.S(`create virtual table stems using fts5 (word, tokenize = 'porter unicode61 remove_diacritics 2')`)}
	for i, line := range strings.Split(strings.TrimSpace(irregular), "\n") {
		forms := strings.Fields(line)
		for _, form := range forms {
			batch = append(batch, db.S(`insert into stems (rowid, word) values (?, ?)`, 10*i+slices.Index(forms, form)+1, form))
		}
	}
	batch = append(batch, db.S(`create virtual table terms using fts5vocab (stems, instance)`))
	if _, err := d.Write(t.Context(), "tester", db.Now(), batch...); err != nil {
		t.Fatal(err)
	}
	if twice := dbtest.Texts(t, d, `select term from terms group by (doc - 1) / 10, term having count(*) > 1`); len(twice) > 0 {
		t.Errorf("stems of two forms of a word: %v", twice)
	}
}
