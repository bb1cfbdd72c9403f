package exchange_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory"
)

// An import can create one id in several stores. An editor of the memory in one store has
// seen only the text that this store created.
func TestNothingIsLostOfAMemoryThatTwoStoresCreated(t *testing.T) {
	entity := `{"type":"entity","name":"Alice","entityType":"person","observations":[%q]}`
	line := `{"type":"memory","id":%q,"created_at":"2031-01-01T00:00:00Z","title":%q,"content":%q,"properties":{"likes":%q}}`
	cases := map[string]struct {
		here, there string // lines
		edit        memory.UpdateArgs
		want        []string // the memory's state in both stores
	}{
		"TextAgain":    {fmt.Sprintf(line, "TextAgain", "Alice", "nuts", "x"), fmt.Sprintf(line, "TextAgain", "Alice", "tea", "x"), memory.UpdateArgs{Content: new("milk")}, []string{"nuts"}},
		"Title":        {fmt.Sprintf(line, "Title", "Alice", "-", "x"), fmt.Sprintf(line, "Title", "Bob", "-", "x"), memory.UpdateArgs{Title: new("Cyd")}, []string{"Alice (other edit)"}},
		"Property":     {fmt.Sprintf(line, "Property", "Alice", "-", "nuts"), fmt.Sprintf(line, "Property", "Alice", "-", "tea"), memory.UpdateArgs{Properties: db.Properties{"likes": "milk"}}, []string{"nuts"}},
		"PropertyGone": {fmt.Sprintf(line, "PropertyGone", "Alice", "-", "nuts"), fmt.Sprintf(line, "PropertyGone", "Alice", "-", "tea"), memory.UpdateArgs{Properties: db.Properties{"likes": nil}}, []string{"nuts"}},
		"OtherField":   {fmt.Sprintf(line, "OtherField", "Alice", "nuts", "x"), fmt.Sprintf(line, "OtherField", "Alice", "tea", "x"), memory.UpdateArgs{Title: new("Cyd")}, []string{"nuts", "tea"}},
	}
	for order, otherWay := range map[string]bool{"OneWay": false, "TheOtherWay": true} {
		t.Run(order, func(t *testing.T) {
			one, other := newPerson(t), newPerson(t)
			one.take(fmt.Sprintf(entity, "nuts"))
			other.take(fmt.Sprintf(entity, "tea"))
			entityID := dbtest.Texts(t, other.DB, `select id from memories`)[0]
			edit := func(a memory.UpdateArgs) {
				if _, err := (memory.Store{DB: other.DB, Caller: other.caller()}).Revise(t.Context(), a); err != nil {
					t.Fatal(err)
				}
			}
			edit(memory.UpdateArgs{ID: entityID, Content: new("milk")})
			for id, c := range cases {
				one.take(c.here)
				other.take(c.there)
				c.edit.ID = id
				edit(c.edit)
			}
			first, second := one.DB, other.DB
			if otherWay {
				first, second = second, first
			}
			syncBoth(t, first, second)
			for _, d := range []*db.DB{first, second} {
				want := func(id string, all ...string) {
					const of = `(select to_id as id from edge_list where from_id = ?1 union all select ?1)`
					for _, words := range all {
						if got := dbtest.Texts(t, d, `select id from memories where id in `+of+` and ?2 in (title, content, properties ->> '$.likes')`, id, words); len(got) == 0 {
							t.Errorf("%s: %q is gone:\n%s", id, words, export(t, d))
						}
					}
					if n := dbtest.Count(t, d, `select count(*) from memories where id in `+of, id); n != 2 {
						t.Errorf("%s: %d memories, want 2:\n%s", id, n, export(t, d))
					}
				}
				want(entityID, "- nuts\n")
				for id, c := range cases {
					want(id, c.want...)
				}
				if n := dbtest.Count(t, d, `select count(*) from memories`); n != 2*(1+len(cases)) {
					t.Errorf("%d memories in all, want two of each of %d:\n%s", n, 1+len(cases), export(t, d))
				}
			}
		})
	}
}

// A text that the editor had seen is not kept, whatever it says: the schema and the merge
// compute the same creation mark for it.
func TestAnEditKnowsWhatItsMemoryWasCreatedAs(t *testing.T) {
	dbtest.CheckTimes(t, 15)
	empty := dbtest.NewEmpties(t)
	text := rapid.StringMatching(`[a-zé\n"\\<&🙂 ]{1,20}`)
	values := rapid.OneOf(
		rapid.Map(text, func(s string) any { return s }),
		rapid.Map(text, func(s string) any { return strings.Repeat(s, 60) }),
		rapid.Map(rapid.Int64(), func(n int64) any { return n }),
		rapid.Map(rapid.Float64Range(-1e20, 1e20), func(n float64) any { return n }),
		rapid.Just[any](0.5), rapid.Just[any](true), rapid.Just[any](false),
		rapid.Map(text, func(s string) any { return []any{s, map[string]any{s: 1.5}} }),
		rapid.Map(text, func(s string) any { return map[string]any{"a b": []any{s, nil}} }),
	)
	rapid.Check(t, func(t *rapid.T) {
		one, removeOne := empty.Next(t)
		defer removeOne()
		other, removeOther := empty.Next(t)
		defer removeOther()
		key, value := text.Draw(t, "key"), values.Draw(t, "value")
		if _, ok := value.(float64); ok { // the schema reads numbers by a path
			key = strings.NewReplacer(`"`, "", `\`, "").Replace(key) + "k"
		}
		line, err := json.Marshal(map[string]any{
			"type": "memory", "id": "a", "title": text.Filter(func(s string) bool { return strings.TrimSpace(s) != "" && !strings.ContainsFunc(s, unicode.IsControl) }).Draw(t, "title"),
			"content": text.Draw(t, "content"), "properties": map[string]any{key: value},
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := take(one, string(line)); err != nil {
			t.Fatal(err)
		}
		mergeFrom(t, other, one)
		edit := memory.UpdateArgs{ID: "a", Title: new("another"), Content: new("another"), Properties: db.Properties{key: values.Draw(t, "new value")}}
		if _, err := (memory.Store{DB: one, Caller: ref.Caller{Actor: "me", Origin: "person"}}).Revise(t.Context(), edit); err != nil {
			t.Fatal(err)
		}
		syncBoth(t, other, one)
		if n := dbtest.Texts(t, other, `select title from memories`); len(n) != 1 {
			t.Fatalf("what was seen is kept besides:\n%s", export(t, other))
		}
	})
}

// However often a text is edited, its writer counts as having seen the first text.
func TestManyEditsDoNotForgetTheCreation(t *testing.T) {
	one, other := newPerson(t), newPerson(t)
	one.store("Log")
	mergeFrom(t, other.DB, one.DB)
	for n := range 60 {
		one.edit("Log", fmt.Sprint("line ", n))
	}
	syncBoth(t, one.DB, other.DB)
	if got := dbtest.Texts(t, other.DB, `select content from memories`); !slices.Equal(got, []string{"line 59"}) {
		t.Errorf("%q", got)
	}
}

// Lines of an older Hence have no creation marks, and lines of a still older one no stamps.
func TestOlderExportsAreMerged(t *testing.T) {
	line := `{"type":"memory","id":"a","created_at":"2031-01-01T00:00:00.000Z","title":"A","content":%q%s}`
	stamped := `,"changed":{"content":["2031-01-02T00:00:00.000Z~tag"]}`
	for name, c := range map[string]struct {
		one, other string
		want       []string
	}{
		"StampsWithoutMarks":  {fmt.Sprintf(line, "old", ""), fmt.Sprintf(line, "new", stamped), []string{"new"}},
		"NoStamps":            {fmt.Sprintf(line, "one", ""), fmt.Sprintf(line, "other", ""), []string{"one", "other"}},
		"NoStampsAndTheSame":  {fmt.Sprintf(line, "one", ""), fmt.Sprintf(line, "one", `,"updated_at":"2031-01-03T00:00:00.000Z"`), []string{"one"}},
		"BothWithoutTheMarks": {fmt.Sprintf(line, "one", strings.Replace(stamped, "02T", "03T", 1)), fmt.Sprintf(line, "other", stamped), []string{"one", "other"}},
	} {
		t.Run(name, func(t *testing.T) {
			one, other := newPerson(t), newPerson(t)
			one.take(c.one)
			other.take(c.other)
			syncBoth(t, one.DB, other.DB)
			if diff := cmp.Diff(c.want, dbtest.Texts(t, one.DB, `select content from memories order by content`)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Forgetting a memory does not affect one with the same id that another store created later.
func TestAMemoryCreatedAfterItWasForgottenElsewhereStays(t *testing.T) {
	at := time.Date(2031, 1, 1, 0, 0, 0, 0, time.UTC)
	create := func(p person, later time.Duration) {
		p.take(fmt.Sprintf(`{"type":"memory","id":"a","title":"A","content":"nuts","created_at":%q}`, db.Time(at.Add(later))))
	}
	for name, c := range map[string]struct {
		created time.Duration
		want    string
	}{"Later": {2 * time.Hour, "current"}, "Earlier": {-time.Hour, "forgotten"}} {
		t.Run(name, func(t *testing.T) {
			one, other := newPerson(t), newPerson(t)
			create(one, 0)
			if _, err := one.Write(t.Context(), "ada", db.Time(at.Add(time.Hour)), memory.ForgetStatement("", "a")); err != nil {
				t.Fatal(err)
			}
			create(other, c.created)
			syncBoth(t, one.DB, other.DB)
			if got := dbtest.Texts(t, one.DB, `select status from memories`); !slices.Equal(got, []string{c.want}) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
