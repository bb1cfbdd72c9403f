package ref_test

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/internal/spelling"
)

func findEach(t *testing.T, d *db.DB, names ...string) (memories []ref.Found) {
	t.Helper()
	if err := d.Read(t.Context(), func(r *db.Reader) (err error) {
		memories, err = ref.Caller{}.FindEach(t.Context(), r, names)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return memories
}

func known(err error) *fault.Error {
	e := &fault.Error{}
	errors.As(err, &e)
	return e
}

// A name that is the short id of one memory and a prefix of another's id is ambiguous.
func TestShortIDThatIsAPrefixIsAmbiguous(t *testing.T) {
	d := store(t,
		[6]string{"0192aaaa-0000-7000-8000-00000123abcd", "default", "By its end", "", "", "current"},
		[6]string{"0123abcd-0000-7000-8000-000000000001", "default", "By its start", "", "", "current"},
		[6]string{"same8888same8888", "default", "By both", "", "", "current"},
		[6]string{"p", "default", "0123abcd", "", "", "current"},
	)
	for _, name := range []string{"0123abcd", "0123ABCD"} {
		_, err := find(t, d, ref.Caller{}, name)
		if fault.CodeOf(err) != fault.Ambiguous || len(ref.Candidates(known(err))) != 2 {
			t.Errorf("Find(%s): %v, want two candidates", name, err)
		}
	}
	if m, err := find(t, d, ref.Caller{}, "0123abcd-"); err != nil || m.Title != "By its start" {
		t.Errorf("a longer prefix: %+v, %v", m, err)
	}
	if m, err := find(t, d, ref.Caller{}, "same8888"); err != nil || m.Title != "By both" {
		t.Errorf("start and end of one id: %+v, %v", m, err)
	}
}

func TestShortID(t *testing.T) {
	for _, c := range []struct{ name, id, want string }{
		{"OfAUUID", "01900000-0000-7000-8000-0000deadbeef", "deadbeef"},
		{"NotOfAnIDOfAnotherMake", "conversation-26-session-1", "conversation-26-session-1"},
		{"NotOfAUUIDInBraces", "{01900000-0000-7000-8000-0000deadbeef}", "{01900000-0000-7000-8000-0000deadbeef}"},
		{"NotOfAnythingOf36Characters", strings.Repeat("x", 36), strings.Repeat("x", 36)},
		{"NotOfAShortOne", "a1", "a1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := ref.ShortID(c.id); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

func TestCandidatesSayWhatTheyAre(t *testing.T) {
	d := store(t)
	dbtest.Script(t, d.Path(), `
insert into memories (id, kind, title, content, created_at) values
  ('a', 'decision', 'Same', 'It was'||char(10)||'  decided. '||printf('%.*c', 200, 'x'), '2026-03-01T10:00:00.000Z'),
  ('b', 'fact', 'Same', '', '2026-03-02T10:00:00.000Z');
insert into memories (id, title) values ('c', 'successor');
insert into edges (from_key, to_key, kind) select n.key, o.key, 'supersedes' from memories n join memories o on o.id = 'b' where n.id = 'c'`)
	_, err := find(t, d, ref.Caller{}, "Same")
	got := ref.Candidates(known(err))
	for i := range got {
		if len(got[i].FirstWords) > 90 {
			t.Errorf("the first words are %d bytes", len(got[i].FirstWords))
		}
		got[i].FirstWords = strings.TrimRight(got[i].FirstWords, "x…")
	}
	want := []ref.Candidate{
		{Named: ref.Named{ID: "a", Title: "Same"}, Kind: "decision", Status: "current", CreatedAt: "2026-03-01T10:00:00.000Z", FirstWords: "It was decided."},
		{Named: ref.Named{ID: "b", Title: "Same"}, Kind: "fact", Status: "superseded", CreatedAt: "2026-03-02T10:00:00.000Z"},
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, said := range []string{"a is \"Same\" (decision, 2026-03-01): It was decided.", "b is \"Same\" (fact, superseded, 2026-03-02)"} {
		if text := ref.Explain(err); !strings.Contains(text, said) {
			t.Errorf("%q does not say %q", text, said)
		}
	}
}

// Only the first five names that need them get similar titles or candidates, but every name
// gets its error.
func TestFindEachExplainsFiveNames(t *testing.T) {
	rows := [][6]string{{"one", "default", "Ferry", "", "", "current"}}
	names := []string{"Ferry"}
	for i := range 7 {
		rows = append(rows,
			[6]string{fmt.Sprintf("n%d", i), "default", fmt.Sprintf("Harbour number %d", i), "", "", "current"},
			[6]string{fmt.Sprintf("a%d", i), "default", fmt.Sprintf("Twin %d", i), "", "", "current"},
			[6]string{fmt.Sprintf("b%d", i), "default", fmt.Sprintf("Twin %d", i), "", "", "current"})
		names = append(names, fmt.Sprintf("Harbour numbre %d", i), fmt.Sprintf("Twin %d", i))
	}
	names = append(names, "Harbour numbre 0", " ", "one")
	near, candidates := 0, 0
	memories := findEach(t, store(t, rows...), names...)
	for i, f := range memories {
		want := fault.Code("")
		switch {
		case strings.HasPrefix(names[i], "Harbour"):
			want = fault.NotFound
		case strings.HasPrefix(names[i], "Twin"):
			want = fault.Ambiguous
		case names[i] == " ":
			want = fault.InvalidArgument
		}
		if fault.CodeOf(f.Err) != want || (f.Err == nil) != (f.ID == "one") {
			t.Errorf("%q: %+v, want %q", names[i], f, want)
		}
		if titles := ref.Near(known(f.Err)); len(titles) > 0 {
			near++
			if want := strings.Replace(names[i], "numbre", "number", 1); titles[0] != want {
				t.Errorf("%q: nearest is %q, want %q", names[i], titles[0], want)
			}
		}
		if len(ref.Candidates(known(f.Err))) > 0 {
			candidates++
		}
	}
	if near != 6 || candidates != 5 {
		t.Errorf("%d names have near titles and %d candidates, want 6 (five, one of them twice) and 5", near, candidates)
	}
}

// nearest is the naive reference of the search for similar titles.
func nearest(name string, titles []string) []string {
	distance := func(title string) int {
		return spelling.NewRuler(strings.ToLower(name)).Distance([]rune(strings.ToLower(title)))
	}
	ruler := spelling.NewRuler(name)
	inPart := func(title string) int { // mistakes in the nearest part
		least := len(name)
		for from := range title {
			for to := from; to <= len(title); to++ {
				least = min(least, ruler.Distance([]rune(title[from:to])))
			}
		}
		return least
	}
	isPart := func(title string) bool {
		return len(name) >= 3 && strings.Contains(title, name) || spelling.MaxMistakes(name) > 0 && inPart(title) <= spelling.MaxMistakes(name)
	}
	rank := func(title string) int {
		if isPart(title) {
			return min(distance(title), inPart(title)+1)
		}
		return distance(title)
	}
	near := slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(titles))), func(title string) bool {
		return 2*distance(title) > len(name) && !isPart(title)
	})
	slices.SortStableFunc(near, func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(distance(a), distance(b)))
	})
	if len(near) == 0 {
		return nil
	}
	return near[:min(len(near), 3)]
}

// The similar titles in an error are those of the naive reference.
func TestNearTitlesAgreeWithASearchOfAll(t *testing.T) {
	titles := []string{}
	rows := [][6]string{}
	for i := range 400 {
		title := fmt.Sprintf("%c%c%c %c", 'a'+i%5, 'a'+i/5%5, 'a'+i/25%5, 'a'+i%3)
		titles = append(titles, title)
		rows = append(rows, [6]string{fmt.Sprint(i), "default", title, "", "", "current"})
	}
	d := store(t, rows...)
	for _, name := range []string{"abx a", "zzz", "aab", "bcda a", "e", "eeeeee", "ab a", "abcd", "eddca"} {
		_, err := find(t, d, ref.Caller{}, name)
		if diff := gocmp.Diff(nearest(name, titles), ref.Near(known(err))); diff != "" {
			t.Errorf("%q (-want +got):\n%s", name, diff)
		}
	}
}
