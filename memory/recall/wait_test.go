package recall_test

import (
	"strings"
	"testing"
	"time"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/memory/recall"
)

// A search does not wait for another process's long transaction to cut what the shell wrote. It says that this may be missing.
func TestASearchDoesNotWaitForAnotherWriter(t *testing.T) {
	dbtest.SkipOnCluster(t, "edits by hand are refused there")
	d := dbtest.New(t)
	dbtest.Script(t, d.Path(), `insert into memories (id, title, content) values ('m', 'Harbour', '港口 of Ærø')`)
	patient, err := db.Open(t.Context(), d.Path(), db.Options{Wait: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	defer patient.Close()
	defer dbtest.HoldWriter(t, d.Path())()
	searched := make(chan error, 1)
	var found recall.SearchResult
	go func() {
		var err error
		found, err = recall.Searcher{DB: patient}.Search(t.Context(), recall.SearchArgs{Query: "harbour"})
		searched <- err
	}()
	select {
	case err := <-searched:
		if err != nil || len(found.Results) != 1 || !strings.Contains(strings.Join(found.Warnings, "\n"), "may not be found yet") {
			t.Errorf("%+v, %v; want what is there, with a warning", found, err)
		}
	case <-time.After(time.Minute):
		t.Fatal("it waits for the other process")
	}
}
