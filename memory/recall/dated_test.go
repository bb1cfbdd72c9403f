package recall_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/memory/recall"
)

// A time in a question prefers memories that were created then, however common or rare the
// other words are, and excludes nothing.
func TestSearch_ATimeInAQuestionDecidesAmongEquals(t *testing.T) {
	now := time.Now().UTC()
	march := time.Date(now.AddDate(0, -3, 0).Year(), 3, 11, 10, 0, 0, 0, time.UTC)
	for _, fillers := range []int{0, 60} {
		s := storeItems(t)
		insert := func(title, content string, at time.Time) {
			dbtest.Fill(t, s.DB, db.S(`insert into memories (title, content, created_at) values (?, ?, ?)`, title, content, db.Time(at)))
		}
		insert("Cache", "We decided to keep the cache in Redis.", now.AddDate(0, 0, -14))
		insert("Queue", "We decided to use NATS for the queue.", now.AddDate(0, 0, -1))
		insert("Login", "We decided that logins last ten days.", march)
		insert("Colours", "We decided the colours of the charts.", march.AddDate(0, 2, 0))
		insert("Backups", "We decided to make backups at night.", march.AddDate(0, 1, 0))
		insert("Lunch", "Lunch was soup.", march.AddDate(0, 1, 0))
		insert("Parade", "The band will play in the parade.", march.AddDate(-1, 4, 0))
		insert("Trip", "A trip to the sea.", march.AddDate(0, 1, 0))
		for i := range fillers {
			insert(fmt.Sprint("Filler ", i), fmt.Sprintf("Some text number %d of the year %d.", i, march.Year()), march.AddDate(0, 1, i%28))
		}
		for question, want := range map[string]string{
			"what did we decide yesterday":           "Queue",
			"decided " + march.Format(time.DateOnly): "Login",
			"decided " + march.Format("2006-01"):     "Login",
			"what did we decide in March":            "Login",
			"will the band play in the parade":       "Parade",
		} {
			if strings.HasSuffix(question, "in March") && now.Month() == time.March {
				continue // this March is meant
			}
			got := search(t, s, recall.SearchArgs{Query: question})
			if len(got.Results) == 0 || got.Results[0].Title != want {
				t.Errorf("%q among %d others: %q, want %s first", question, fillers, titles(got), want)
				continue
			}
			if isDated := want != "Parade"; (got.Results[0].Why.Time != "") != isDated || isDated && got.TotalCount < 5 {
				t.Errorf("%q: %+v of %d", question, got.Results[0].Why, got.TotalCount)
			}
		}
	}
}

// A date is searched as one word, not by each of its numbers.
func TestSearch_ADateIsOneWord(t *testing.T) {
	s := storeItems(t, item("Then", "The release of 2026-03-11 was late."), item("Other", "03 of 11 crates came in 2026."))
	got := search(t, s, recall.SearchArgs{Query: "release 2026-03-11"})
	if strings.Join(titles(got), " ") != "Then" {
		t.Errorf("found %q", titles(got))
	}
}
