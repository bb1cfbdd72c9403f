package memory_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/edges"
	"hence/internal/ref"
	"hence/memory"
)

// What is removed for good tells what rested on it, and what it had replaced.
func TestAPurgeTellsWhatGoesWithIt(t *testing.T) {
	s := rests(t)
	remember(t, s, "newer", func(a *memory.StoreArgs) { a.Supersedes = []string{"ground"} })
	for n := range 11 {
		remember(t, s, fmt.Sprintf("on newer %02d", n), linkTo("newer", "depends-on"))
	}
	got, err := s.Forget(t.Context(), memory.ForgetArgs{ID: "newer", Purge: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.RestedOnIt) != 10 || got.RestedOnIt[0].Title != "on newer 00" || got.RestedOnItCount != 11 {
		t.Errorf("%d of %d rested on it: %+v", len(got.RestedOnIt), got.RestedOnItCount, got.RestedOnIt)
	}
	if diff := cmp.Diff([]string{"ground"}, titlesOf(got.CurrentAgain)); diff != "" {
		t.Errorf("current again (-want +got):\n%s", diff)
	}
	if got, err = s.Forget(t.Context(), memory.ForgetArgs{ID: "middle"}); err != nil || len(got.RestedOnIt)+len(got.CurrentAgain) > 0 {
		t.Errorf("a memory that can be restored loses %+v, %v", got.Loss, err)
	}
}

func TestUnlinkTellsWhatIsCurrentAgain(t *testing.T) {
	s := rests(t)
	remember(t, s, "newer", func(a *memory.StoreArgs) { a.Supersedes = []string{"ground"} })
	for _, c := range []struct{ from, to, word, want string }{
		{"top", "middle", "depends-on", ""},
		{"ground", "newer", "superseded-by", "ground"},
		{"ground", "newer", "superseded-by", ""}, // it is gone
	} {
		got, err := edges.Graph(s).Unlink(t.Context(), edges.UnlinkArgs{From: c.from, To: c.to, Type: c.word})
		if said := strings.Join(titlesOf(got.CurrentAgain), ", "); err != nil || said != c.want {
			t.Errorf("unlink %s %s %s: %q is current again, want %q; %v", c.from, c.word, c.to, said, c.want, err)
		}
	}
}

func titlesOf(all []ref.Named) (titles []string) {
	for _, one := range all {
		titles = append(titles, one.Title)
	}
	return titles
}
