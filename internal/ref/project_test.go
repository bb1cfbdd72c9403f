package ref_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
)

// The conditions in SQL look at the text of the tags first, and say what Go says of the tags one by one, whatever
// letters the text has.
func TestNearnessInSQLIsThatOfTheTags(t *testing.T) {
	d := dbtest.New(t)
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"shop", "Shop", "shops", "shop/web", `a"b`, "ü", `c\d`, ""})
		c := ref.Caller{Project: name.Draw(t, "project"), SharesProject: name.Draw(t, "shared")}
		tags := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
			return rapid.SampledFrom([]string{"project/", "Project/", "projects/", "x", "not/project/"}).Draw(t, "prefix") + name.Draw(t, "name")
		}), 0, 3).Draw(t, "tags")
		text := db.List(tags)
		if rapid.Bool().Draw(t, "escaped") { // as somebody may write it in the sqlite3 shell
			text = strings.NewReplacer("p", `\u0070`, "/", `\/`).Replace(text)
		}
		want := int64(ref.OfNoProject)
		own, foreign := false, false
		for _, tag := range tags {
			foreign = foreign || len(tag) >= len("project/") && strings.EqualFold(tag[:len("project/")], "project/")
			own = own || foreign && c.ForeignProject(append([]string{"project/none"}, tag)) == ""
		}
		switch {
		case c.Project == "" || own:
			want = ref.OfProject
		case foreign:
			want = ref.OfOtherProject
		}
		got, _, err := db.One[int64](t.Context(), d, `select `+ref.Nearness("?2")+` from (select ?1 as tags) m`, text, c.Own())
		belongs, _, failed := db.One[bool](t.Context(), d, `select `+ref.Belongs("?2")+` from (select ?1 as tags) m`, text, c.Own())
		if err != nil || failed != nil || got != want || belongs != (c.Project != "" && own || c.Project == "" && !foreign) {
			t.Fatalf("%s for %s: nearness %d, want %d; belongs: %v; %v, %v", text, c.Own(), got, want, belongs, err, failed)
		}
	})
}
