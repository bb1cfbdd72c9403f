package memory_test

import (
	"slices"
	"testing"

	"hence/edges"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory"
)

// A successor is offered the edges of what it replaces that it lacks: to what is current or to its successor, and of kinds that say
// what the old one rested on, belonged to, supported or caused.
func TestStoreOffersTheEdgesOfWhatItReplaces(t *testing.T) {
	s := memory.Store{DB: dbtest.New(t), Caller: ref.Caller{Actor: "ada", Origin: ref.Person}}
	store := func(title string, a memory.StoreArgs) memory.StoreResult {
		t.Helper()
		a.Title, a.Content, a.Dedup = &title, title+".", "off"
		r, err := s.Remember(t.Context(), a, nil)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	link := func(to string, kind edges.Kind) memory.NewLink { return memory.NewLink{To: to, Type: string(kind)} }
	for _, title := range []string{"Gateway", "Ledger", "Area", "Claim", "Effect", "Gone", "Kin", "Source", "Rival"} {
		store(title, memory.StoreArgs{})
	}
	store("Old", memory.StoreArgs{Links: []memory.NewLink{
		link("Gateway", edges.DependsOn), link("Ledger", edges.DependsOn), link("Area", edges.PartOf), link("Claim", edges.Supports), link("Effect", edges.Causes),
		link("Gone", edges.DependsOn), link("Kin", edges.RelatesTo), link("Source", edges.DerivedFrom), link("Rival", edges.Contradicts),
	}})
	if _, err := s.Forget(t.Context(), memory.ForgetArgs{ID: "Gone"}); err != nil {
		t.Fatal(err)
	}
	store("Gateway two", memory.StoreArgs{Supersedes: []string{"Gateway"}})
	for _, c := range []struct {
		name  string
		args  memory.StoreArgs
		wants []string
	}{
		{"New", memory.StoreArgs{Supersedes: []string{"Old"}, Links: []memory.NewLink{link("Ledger", edges.RelatesTo)}}, []string{"depends-on Gateway two", "part-of Area", "supports Claim", "causes Effect"}},
		{"Newer", memory.StoreArgs{Supersedes: []string{"New"}}, []string{}},
		{"Alone", memory.StoreArgs{}, []string{}},
	} {
		got := []string{}
		for _, i := range store(c.name, c.args).TakesOver {
			got = append(got, string(i.Type)+" "+i.To.Title)
		}
		if !slices.Equal(got, c.wants) {
			t.Errorf("%s is offered %q, want %q", c.name, got, c.wants)
		}
	}
}
