package recall_test

import (
	"slices"
	"strings"
	"testing"

	"hence/internal/db/dbtest"
	"hence/memory"
	"hence/memory/recall"
)

// A memory is found by the words of its identifiers, and by an identifier if it has its words.
func TestSearch_FindsWordsOfIdentifiers(t *testing.T) {
	s := storeItems(t,
		item("a", "getUserByID returns null"), item("b", "HTTPServerTimeoutError is raised"), item("c", "parseJSONFile, see the docs"),
		item("d", "It rains in the harbour"), item("e", "the apply secrets step"))
	for query, want := range map[string]string{
		"user by id": "a", "getUserByID": "a", "UserByID": "a", "getUserById": "a", "timeout error": "b", "http server": "b",
		"parse JSON file": "c", "JSONFile": "c", "json": "c", "applySecrets": "e",
	} {
		r := search(t, s, recall.SearchArgs{Query: query})
		if got := titles(r); len(got) == 0 || got[0] != want || len(r.Warnings) > 0 {
			t.Errorf("%s finds %q, warnings %q, want %s", query, got, r.Warnings, want)
		}
	}
	r := search(t, s, recall.SearchArgs{Query: "user by id"})
	if r.Results[0].Snippet != "getUserByID returns null" {
		t.Errorf("snippet %q", r.Results[0].Snippet)
	}
}

func TestSearch_FindsLettersWithoutDecomposition(t *testing.T) {
	s := storeItems(t,
		item("a", "Œuvre and Þórður"), item("b", "Łódź, złoty"), item("c", "IŞIK shines"), item("d", "ışık yanar"), item("e", "Æsir, œil, Ærø"), item("f", "It rains"))
	for query, want := range map[string]string{
		"oeuvre": "a", "thordur": "a", "þórður": "a", "lodz": "b", "zloty": "b", "Łódź": "b", "aesir": "e", "oeil": "e", "aero": "e", "ærø": "e",
	} {
		r := search(t, s, recall.SearchArgs{Query: query})
		if got := titles(r); !slices.Equal(got, []string{want}) || len(r.Warnings) > 0 {
			t.Errorf("%s finds %q, warnings %q, want %s", query, got, r.Warnings, want)
		}
	}
	for _, query := range []string{"IŞIK", "ışık", "isik"} {
		if got := titles(search(t, s, recall.SearchArgs{Query: query})); len(got) != 2 || !slices.Contains(got, "c") || !slices.Contains(got, "d") {
			t.Errorf("%s finds %q, want c and d", query, got)
		}
	}
}

func TestSearch_FindsSigns(t *testing.T) {
	s := storeItems(t, item("a", "Launch day 🚀 at last"), item("b", "The lift costs 12 €"), item("c", "A ticket is $9"), item("d", "It rains ☔ here"), item("🎉", "party"))
	for query, want := range map[string]string{"🚀": "a", "€": "b", "$": "c", "☔": "d", "🎉": "🎉", "🚀 launch": "a", `"☔"`: "d"} {
		r := search(t, s, recall.SearchArgs{Query: query})
		if got := titles(r); !slices.Equal(got, []string{want}) || len(r.Warnings) > 0 {
			t.Errorf("%s finds %q, warnings %q, want %s", query, got, r.Warnings, want)
		}
	}
}

// Texts in properties are found at low weight, and the snippet says which property has them.
func TestSearch_FindsWordsOfProperties(t *testing.T) {
	all := []memory.StoreArgs{item("text", "The walrus protocol"), item("other", "It rains")}
	for title, properties := range map[string]map[string]any{
		"summary": {"summary": "The walrus protocol explained"}, "author": {"author": "[[Ada Ferreira]]"}, "list": {"people": []any{"Nils Okafor", "Tove"}},
		"chinese": {"摘要": "数据库的设计"}, "nested": {"book": map[string]any{"publisher": "Quayside Press"}}, "russian": {"автор": "Анна Ёлкина"},
		"silent": {"id": "walrus", "when": "2026-03-01", "number": 42.0, "url": "https://walrus.example/ferreira", "key": "0a1b2c3d4e5f"},
	} {
		a := item(title, "Nothing of it")
		a.Properties = properties
		all = append(all, a)
	}
	s := storeItems(t, all...)
	for query, want := range map[string]string{
		"walrus protocol": "text,summary", "ferreira": "author", "Nils Okafor": "list", "数据库": "chinese", "quayside": "nested", "елкина": "russian", "explained": "summary",
	} {
		if got := strings.Join(titles(search(t, s, recall.SearchArgs{Query: query})), ","); got != want {
			t.Errorf("%s finds %s, want %s", query, got, want)
		}
	}
	for query, want := range map[string]string{
		"explained": "summary: The walrus protocol explained", "ferreira": "author: Ada Ferreira", "okafor": "people: Nils Okafor", "数据库": "摘要: 数据库的设计", "quayside": "publisher: Quayside Press",
	} {
		if r := search(t, s, recall.SearchArgs{Query: query}); r.Results[0].Snippet != want || len(r.Results[0].Marks) == 0 {
			t.Errorf("%s shows %q, marks %v, want %q", query, r.Results[0].Snippet, r.Results[0].Marks, want)
		}
	}
	dbtest.Script(t, s.DB.Path(), `update memories set properties = '{"summary": "A zebra"}' where title = 'author'`)
	if got := titles(search(t, s, recall.SearchArgs{Query: "zebra"})); !slices.Equal(got, []string{"author"}) {
		t.Errorf("a property set by the shell finds %q", got)
	}
	if got := titles(search(t, s, recall.SearchArgs{Query: "ferreira", Mode: "keyword"})); len(got) > 0 {
		t.Errorf("a property that is gone finds %q", got)
	}
}
