package tools

import (
	"strings"
	"testing"

	"hence/internal/db/dbtest"
	"hence/internal/fault"
)

// A call with another name for an argument, or with words in another case, gets the same
// answer as with the name in the schema.
func TestArgumentsAreForgiving(t *testing.T) {
	d := dbtest.New(t)
	attach(t, d, "default", "", map[string]string{"a/One.md": "---\nup: \"[[Two]]\"\ntags: [Ferry]\n---\nSee [[Two]].\n# Part\nOf it.\n", "a/Two.md": "Two is a [link](Three.md) from here.\n", "Three.md": "Three"})
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
		{"ListAsText", "memory_get", `{"ids": ["One", "Two"]}`, `{"ids": "[\"One\", \"Two\"]"}`},
		{"NumberAsText", "memory_search", `{"query": "One", "limit": 1}`, `{"query": "One", "limit": "1", "kinds": "", "tags": "", "since": ""}`},
		{"ObjectAsText", "list_notes", `{"properties": {"up": "[[Two]]"}}`, `{"properties": "{\"up\": \"[[Two]]\"}"}`},
		{"CommasBetweenTypes", "expand", `{"seed_doc_ids": ["Four"], "edge_types": ["depends-on", "supports"]}`, `{"id": "[\"Four\"]", "hops": "1", "edge_types": "depends-on, supports"}`},
		{"CallAsText", "memory_list", `{"tags": ["Ferry"]}`, `"{\"tags\": \"ferry\"}"`},
		{"Upstream", "memory_trace", `{"id": "Four", "direction": "upstream"}`, `{"id": "Four"}`},
		{"OneHop", "expand", `{"seed_doc_ids": ["Four"], "hops": 1}`, `{"seed_doc_ids": ["Four"], "direction": ""}`},
		{"Heading", "read_note", `{"path": "a/One.md", "section": "Part"}`, `{"path": "a/One.md", "heading": "Part"}`},
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

// The calls that agents shorten do what is meant.
func TestShortCalls(t *testing.T) {
	d := dbtest.New(t)
	attach(t, d, "default", "", map[string]string{"One.md": "one two\n"})
	a := meet(t, d, Options{VaultWrite: true})
	for _, title := range []string{"A", "B", "C"} {
		a.ask("memory_store", `{"title": "`+title+`", "content": "`+title+` is a letter."}`)
	}
	linked := a.ask("memory_link", `{"links": [{"from": "A", "to": "B", "type": "supports"}, {"from": "C", "to": "B", "type": "caused-by"}]}`)
	if got := string(structured(t, linked)); linked.IsError || strings.Count(got, `"created":true`) != 3 { // the first one twice
		t.Errorf("links: %s", got)
	}
	for name, c := range map[string]struct{ tool, call, want string }{
		"LinksAllOrNone": {"memory_link", `{"links": [{"from": "A", "to": "C", "type": "part-of"}, {"from": "A", "to": "Z", "type": "part-of"}]}`, `"Z"`},
		"LinkAndLinks":   {"memory_link", `{"from": "A", "to": "C", "type": "part-of", "links": [{"from": "A", "to": "B", "type": "part-of"}]}`, "not both"},
		"LinkOfOneEnd":   {"memory_link", `{"links": [{"from": "A", "type": "part-of"}]}`, "each of links needs from, to and type"},
		"NoMode":         {"update_note", `{"path": "One.md", "content": "x"}`, "mode is missing; give one of replace, append, prepend, patch"},
	} {
		if e := a.refused(c.tool, c.call); !strings.Contains(e.Message, c.want) {
			t.Errorf("%s: %+v, want %s", name, e, c.want)
		}
	}
	if got := a.ask("memory_path", `{"from": "A", "to": "C", "edge_types": ["part-of"]}`); !strings.Contains(string(structured(t, got)), `"found":false`) {
		t.Errorf("an edge of a refused list is there: %s", structured(t, got))
	}
	if got := a.ask("update_note", `{"path": "One.md", "find": "two", "replace": "2"}`); got.IsError || !strings.Contains(string(structured(t, got)), `"replacements":1`) {
		t.Errorf("patch without mode: %s", structured(t, got))
	}
	if got := a.ask("memory_checkpoint", `{"done": "letters", "learned": ["D is a letter.", {"content": "E is one too."}]}`); got.IsError || !strings.Contains(string(structured(t, got)), `"title":"D is a letter."`) {
		t.Errorf("learned as texts: %s", structured(t, got))
	}
}

// The schemas name the kinds of edge wherever one is asked for, and take other words.
func TestSchemas_NameTheKindsOfEdges(t *testing.T) {
	asked := 0
	for _, tool := range All() {
		for _, name := range []string{`"edge_types":{`, `"type":{`} {
			for _, part := range strings.Split(string(tool.Input), name)[1:] {
				if asked++; !strings.Contains(part[:min(len(part), 300)], `"depends-on","contradicts"`) || !strings.Contains(part, `{"type":"string"}]`) {
					t.Errorf("%s does not name the kinds: %s", tool.Name, part)
				}
			}
		}
	}
	if asked != 6 {
		t.Errorf("%d arguments take a kind of edge, want 6: expand, get_neighborhood, memory_link, memory_path, memory_store, memory_unlink", asked)
	}
}
