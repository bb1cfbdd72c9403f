package tools

import (
	"testing"

	"hence/internal/db/dbtest"
	"hence/internal/fault"
)

// A call with another name for an argument, or with words in another case, gets the same
// answer as with the name in the schema.
func TestArgumentsAreForgiving(t *testing.T) {
	d := dbtest.New(t)
	attach(t, d, "default", "", map[string]string{"a/One.md": "---\nup: \"[[Two]]\"\ntags: [Ferry]\n---\nSee [[Two]].\n", "a/Two.md": "Two is a [link](Three.md) from here.\n", "Three.md": "Three"})
	a := meet(t, d, Options{})
	a.ask("memory_store", `{"title": "Four", "content": "Four rests on One.", "kind": "decision", "links": [{"to": "One", "type": "depends-on", "rel": "Why"}]}`)
	for _, c := range []struct{ name, tool, listed, other string }{
		{"IDs", "find_related", `{"id": "One"}`, `{"ids": ["One"]}`},
		{"SeedsAndHops", "expand", `{"seed_doc_ids": ["One"], "hops": 2}`, `{"seeds": ["One"], "max_hops": 2}`},
		{"IDAndDepth", "expand", `{"seed_doc_ids": ["One"], "hops": 2}`, `{"id": "One", "depth": 2}`},
		{"Depth", "get_neighborhood", `{"id": "One", "depth": 2}`, `{"ids": ["One"], "hops": 2}`},
		{"FromAndTo", "memory_path", `{"from_id": "Four", "to_id": "Two", "max_hops": 3}`, `{"from": "Four", "to": "Two", "depth": 3}`},
		{"Trace", "memory_trace", `{"id": "Four", "direction": "upstream", "max_hops": 2}`, `{"seeds": "Four", "direction": "upstream", "hops": 2}`},
		{"Kinds", "memory_list", `{"kind": "decision"}`, `{"kinds": ["Decision"]}`},
		{"Kind", "memory_search", `{"query": "One", "kinds": ["decision"]}`, `{"query": "One", "kind": "DECISION"}`},
		{"Under", "memory_search", `{"query": "Two", "path_prefix": ["a"]}`, `{"query": "Two", "under": "a"}`},
		{"PathPrefix", "list_notes", `{"under": "a"}`, `{"path_prefix": ["a"]}`},
		{"Tags", "list_notes", `{"tags": ["Ferry"]}`, `{"tags": "FERRY"}`},
		{"Rels", "expand", `{"seed_doc_ids": ["Four"], "hops": 1, "rels": ["Why"]}`, `{"seed_doc_ids": "Four", "hops": 1, "rels": "why"}`},
		{"EdgeTypes", "expand", `{"seed_doc_ids": ["Four"], "hops": 1, "edge_types": ["depends-on"]}`, `{"seed_doc_ids": "Four", "hops": 1, "edge_types": "Depends_On"}`},
		{"Origins", "expand", `{"seed_doc_ids": ["One"], "hops": 1, "origins": ["frontmatter"]}`, `{"seed_doc_ids": "One", "hops": 1, "origins": "Frontmatter"}`},
		{"TypesOfAnOrigin", "get_neighborhood", `{"id": "Two", "origins": ["markdown"]}`, `{"id": "Two", "edge_types": "Hyperlink"}`},
		{"FrontmatterRef", "get_neighborhood", `{"id": "One", "origins": ["frontmatter"]}`, `{"id": "One", "edge_types": ["frontmatter-ref"]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			want, got := a.ask(c.tool, c.listed), a.ask(c.tool, c.other)
			if want.IsError || string(structured(t, want)) != string(structured(t, got)) {
				t.Errorf("%s: %s\n%s: %s", c.listed, structured(t, want), c.other, structured(t, got))
			}
		})
	}
	if e := a.refused("memory_path", `{"from": "Four", "from_id": "Four", "to": "Two"}`); e.Code != string(fault.InvalidArgument) {
		t.Errorf("both names of an argument: %+v", e)
	}
}
