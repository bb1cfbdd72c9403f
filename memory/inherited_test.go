package memory_test

import (
	"slices"
	"testing"

	"hence/edges"
	"hence/edges/belief"
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

// Linking a successor to what is there offers the same, naming the successor, and only when it is new.
func TestLinkOffersTheEdgesOfWhatItReplaces(t *testing.T) {
	caller := ref.Caller{Actor: "ada", Origin: ref.Person}
	s := memory.Store{DB: dbtest.New(t), Caller: caller}
	for title, on := range map[string]string{"Gateway": "", "Old": "Gateway", "New": "", "Plain": ""} {
		a := memory.StoreArgs{Title: &title, Content: title + "."}
		if on != "" {
			if _, err := s.Remember(t.Context(), memory.StoreArgs{Title: &on, Content: on + "."}, nil); err != nil {
				t.Fatal(err)
			}
			a.Links = []memory.NewLink{{To: on, Type: "depends-on", Rel: "pays by"}}
		}
		if _, err := s.Remember(t.Context(), a, nil); err != nil {
			t.Fatal(err)
		}
	}
	offered := func(a edges.LinkArgs) (all []string) {
		t.Helper()
		r, err := belief.Graph{DB: s.DB, Caller: caller}.Link(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range r.TakesOver {
			all = append(all, i.From.Title+" "+string(i.Type)+" ("+i.Rel+") "+i.To.Title)
		}
		return all
	}
	if got := offered(edges.LinkArgs{From: "Plain", To: "Old", Type: "relates-to"}); got != nil {
		t.Errorf("a relation offers %q", got)
	}
	supersedes := edges.LinkArgs{From: "New", To: "Old", Type: "supersedes"}
	if got := offered(supersedes); !slices.Equal(got, []string{"New depends-on (pays by) Gateway"}) {
		t.Errorf("a successor is offered %q", got)
	}
	if got := offered(supersedes); got != nil {
		t.Errorf("one that was a successor before is offered %q", got)
	}
}
