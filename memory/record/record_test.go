package record_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence"
	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/memory/record"
)

// words are those of the tag is.
var words = strings.Fields(`line end null journaled logged edited stamped kept open team shown mirrored`)

func TestTheTableIsThatOfTheSchema(t *testing.T) {
	d := dbtest.New(t)
	for _, c := range []struct {
		table   string
		columns []record.Column
		further []string // columns that are not of the record
	}{
		{"memories", record.Memories, []string{"key", "sectioned"}},
		{"edges", record.Edges, []string{"key", "from_key", "to_key"}},
	} {
		for _, which := range []struct {
			condition string
			columns   []record.Column
			further   []string
		}{
			{"true", c.columns, c.further},
			{`"notnull" = 0 and pk = 0`, record.Where(c.columns, "null"), nil},
		} {
			names, err := db.Select(t.Context(), d, db.Value[string], `select name from pragma_table_info('`+c.table+`') where `+which.condition)
			if err != nil {
				t.Fatal(err)
			}
			differ(t, c.table+" where "+which.condition, names, append(record.Names(which.columns), which.further...))
		}
	}
}

// A trigger that lists columns lists those that the table says.
func TestTheTriggersListTheColumnsOfTheTable(t *testing.T) {
	names := func(columns []record.Column, further ...string) []string {
		return append(record.Names(columns), further...)
	}
	keptOfEdge := record.Names(record.Except(record.Edges, "id"))
	for _, c := range []struct {
		trigger, pattern string
		want             []string
	}{
		{"memory_edited", `after update of ([^()]*) on memories`, names(record.Where(record.Memories, "edited"))},
		{"memory_edited", `is not \(([^)]*)\)`, names(record.Where(record.Memories, "edited"))},
		{"memory_updated", `select '(\w+)'`, names(record.Where(record.Memories, "journaled", "logged"))},
		{"memory_updated", `, 1, old\.(\w+) where`, []string{"aliases", "tags", "properties"}},
		{"edge_updated", `after update of ([^()]*) on edges`, names(record.Where(record.Edges, "journaled"))},
		{"edge_updated", `'(\w+)', old\.`, append(names(record.Where(record.Edges, "journaled")), "declared")},
		{"edge_deleted", `'(\w+)', old\.`, keptOfEdge},
	} {
		_, text, _ := strings.Cut(hence.Schema, "create trigger "+c.trigger+"\n")
		if text == "" {
			_, text, _ = strings.Cut(hence.Schema, "create trigger "+c.trigger+" ")
		}
		text, _, ok := strings.Cut(text, "\nend;")
		if !ok {
			t.Fatalf("there is no trigger %s", c.trigger)
		}
		found := []string{}
		for _, match := range regexp.MustCompile(c.pattern).FindAllStringSubmatch(text, -1) {
			found = append(found, strings.FieldsFunc(match[1], func(r rune) bool { return r == ',' || r == ' ' || r == '\n' })...)
		}
		for n := range found {
			found[n] = strings.TrimPrefix(found[n], "old.")
		}
		found = slices.DeleteFunc(found, func(name string) bool { return name == "verifications" || name == "content_hash" })
		differ(t, c.trigger+": "+c.pattern, found, c.want)
	}
}

// The upkeep stamps every column that the journal records, but for those of which the table says nothing.
func TestTheUpkeepLeavesOutWhatIsNotStamped(t *testing.T) {
	left := regexp.MustCompile(`b\.key not in \(([^)]*)\)`).FindStringSubmatch(db.Upkeep[0].SQL)
	if left == nil {
		t.Fatal("the upkeep leaves out nothing")
	}
	found := strings.FieldsFunc(left[1], func(r rune) bool { return strings.ContainsRune("', ", r) })
	want := []string{"content", "verifications", "verified", "wording_only"} // content_hash stands for the content
	for _, c := range record.Where(record.Memories, "journaled", "logged") {
		if c.Stamp == "" && c.Name != "tags" && c.Name != "properties" {
			want = append(want, c.Name)
		}
	}
	differ(t, "upkeep", found, want)
}

func TestTheTagsHaveKnownWords(t *testing.T) {
	for _, c := range append(slices.Clone(record.Memories), record.Edges...) {
		has := 0
		for _, word := range words {
			if c.Is(word) {
				has++
			}
		}
		if has != c.Words() {
			t.Errorf("the tag of %s has a word that is none of %s", c.Name, strings.Join(words, ", "))
		}
	}
}

// The order of a team's file names columns that there are, each once.
func TestEveryColumnHasItsPlaceInATeamsFile(t *testing.T) {
	differ(t, "team", record.Names(record.Team), record.Names(record.Where(record.Memories, "team")))
}

func differ(t *testing.T, what string, got, want []string) {
	t.Helper()
	got, want = slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))
	if diff := cmp.Diff(want, slices.Compact(got)); diff != "" {
		t.Errorf("%s (-table +found):\n%s", what, diff)
	}
}
