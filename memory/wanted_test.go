package memory_test

import (
	"testing"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/internal/script"
	"hence/memory"
	"hence/memory/record"
)

func TestHasTag(t *testing.T) {
	s := newStore(t)
	remember(t, s, "m", func(a *memory.StoreArgs) { a.Tags = []string{"Area/Booking/Holds", "ferry", "ПРОЕКТ", "[x^*-"} })
	for wanted, want := range map[string]bool{
		"ferry": true, "FERRY": true, "fer": false, "ferry/x": false,
		"area": true, "area/booking": true, "area/booking/holds": true, "area/book": false, "booking": false,
		"проект": true, "Проект": true, "проекты": false, "[X^*-": true, "[X^a-": false, "*": false, "?erry": false, "^": false,
	} {
		t.Run(wanted, func(t *testing.T) {
			n := dbtest.Count(t, s.DB, `select count(*) from memories m, json_each(?) wanted where `+ref.HasTag, db.List([]string{script.Glob(wanted)}))
			if (n == 1) != want {
				t.Errorf("has it: %v, want %v", n == 1, want)
			}
		})
	}
}

func TestHasProperty(t *testing.T) {
	s := newStore(t)
	remember(t, s, "m", func(a *memory.StoreArgs) {
		a.Properties = map[string]any{"n": 1.0, "yes": true, "word": "1", "list": []any{1.0, "two", false, nil}, "empty": []any{}}
	})
	for wanted, want := range map[string]bool{
		`{"n": 1}`: true, `{"n": 1.0}`: true, `{"n": "1"}`: false, `{"n": true}`: false, `{"n": null}`: false, `{"m": 1}`: false,
		`{"yes": true}`: true, `{"yes": 1}`: false, `{"yes": "true"}`: false,
		`{"word": "1"}`: true, `{"word": 1}`: false,
		`{"list": 1}`: true, `{"list": 1.0}`: true, `{"list": "1"}`: false, `{"list": true}`: false,
		`{"list": "two"}`: true, `{"list": false}`: true, `{"list": 0}`: false, `{"list": null}`: true,
		`{"list": [1,"two",false,null]}`: true, `{"list": []}`: false, `{"empty": []}`: true, `{"empty": null}`: false,
	} {
		t.Run(wanted, func(t *testing.T) {
			n := dbtest.Count(t, s.DB, `select count(*) from memories m, json_each(?) wanted where `+record.HasProperty, wanted)
			if (n == 1) != want {
				t.Errorf("has it: %v, want %v", n == 1, want)
			}
		})
	}
}
