package recall_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/recall"
)

// storeCrowd returns a searcher over a store of current memories with two sections each, both
// with the word "links". Every second memory also has "rarely", every hundredth "seldom", and
// some more memories are forgotten, superseded or over. Memories with odd numbers are in the
// namespace odd.
func storeCrowd(t *testing.T, size int) recall.Searcher {
	d := dbtest.New(t)
	dbtest.Fill(t, d,
		db.S(`
with recursive n (n) as (select 1 union all select n + 1 from n where n < ?1)
insert into memories (key, title, content, sectioned, namespace, kind)
select
  n,
  'memory ' || n,
  'links',
  1,
  iif(n % 2, 'odd', 'default'),
  iif(n % 10, 'fact', 'event')
from n`, size),
		db.S(`
insert into sections (memory, ordinal, heading, body)
select
  m.key,
  o.value,
  'part ' || o.value,
  'links to others' || iif(m.key % 2, '', ' rarely') || iif(m.key % 100, '', ' seldom')
from memories m
join json_each('[0, 1]') o`),
		db.S(`insert into memories (title, content) values ('gone', 'links'), ('old', 'links')`),
		db.S(`update memories set status = 'forgotten', forgotten_at = '2026-01-01T00:00:00.000Z' where title = 'gone'`),
		db.S(`update memories set status = 'superseded' where title = 'old'`),
		db.S(`insert into memories (title, content, valid_to) values ('over', 'links', '2020-01-01T00:00:00.000Z')`),
	)
	return recall.Searcher{DB: d, Caller: ref.Caller{Actor: "tester", Origin: "agent"}}
}

// The total is the number of all memories that match, however few of them are read, or it says
// that there are at least that many.
func TestTotalCount(t *testing.T) {
	dbtest.SkipUnderRace(t)
	few, many := storeCrowd(t, 3000), storeCrowd(t, 6000)
	odd := func(s recall.Searcher) recall.Searcher {
		s.Caller.Namespace, s.Caller.Confined = "odd", true
		return s
	}
	for _, c := range []struct {
		name  string
		s     recall.Searcher
		args  recall.SearchArgs
		count int
		exact bool
	}{
		{"EveryMemory", few, recall.SearchArgs{Query: "links"}, 3000, true},
		{"EveryMemoryWithoutEdges", few, recall.SearchArgs{Query: "links", Graph: new(bool)}, 3000, true},
		{"OfAnyStatus", few, recall.SearchArgs{Query: "links", Status: "all"}, 3001, true},
		{"AnyWord", few, recall.SearchArgs{Query: "rarely seldom"}, 1500, true},
		{"ACommonWordThatOnlyScores", few, recall.SearchArgs{Query: "seldom links"}, 3000, true},
		{"UnderAFilter", few, recall.SearchArgs{Query: "links kind:event"}, 300, true},
		{"Without", few, recall.SearchArgs{Query: "links -seldom"}, 2970, true},
		{"FewOfMany", many, recall.SearchArgs{Query: "seldom"}, 60, true},
		{"MoreThanAreCounted", many, recall.SearchArgs{Query: "links"}, 1000, false},
		{"FilterOfMany", many, recall.SearchArgs{Query: "links", Kinds: []string{"event"}}, 600, true},
		{"FilterAlone", many, recall.SearchArgs{Query: "kind:fact"}, 5400, true},
		{"OfANamespace", few, recall.SearchArgs{Query: "links", Namespace: "odd"}, 1500, true},
		{"OfALargerOne", many, recall.SearchArgs{Query: "links", Namespace: "odd"}, 1000, false},
		{"LittleOfANamespace", many, recall.SearchArgs{Query: "links", Namespace: "odd", Kinds: []string{"fact"}, Properties: db.Properties{}}, 1000, false},
		// The memories of others influence neither the total nor whether it is exact.
		{"OfTheOnlyNamespace", odd(few), recall.SearchArgs{Query: "links"}, 1500, true},
		{"OfALargerOnlyOne", odd(many), recall.SearchArgs{Query: "links"}, 3000, true},
		{"NoneOfANamespace", many, recall.SearchArgs{Query: "seldom", Namespace: "odd"}, 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, limit := range []int{1, 10, 50} {
				c.args.Limit = limit
				got, err := c.s.Search(t.Context(), c.args)
				if err != nil {
					t.Fatal(err)
				}
				if got.TotalCount != c.count || got.TotalIsExact != c.exact {
					t.Errorf("limit %d: total %d, exact %v; want %d, %v", limit, got.TotalCount, got.TotalIsExact, c.count, c.exact)
				}
				if got.ReturnedCount != min(limit, c.count) || got.Truncated != (limit < c.count) {
					t.Errorf("limit %d: returned %d, truncated %v", limit, got.ReturnedCount, got.Truncated)
				}
			}
		})
	}
}

// A question of more words than the limit is answered by the rarest of them, and the total says
// that more memories may match.
func TestTotalCount_OfALongQuestion(t *testing.T) {
	s, store := storeLibrary(t)
	words := []string{}
	for i := range 40 {
		words = append(words, fmt.Sprintf("word%dk", i))
	}
	if _, err := store.Remember(t.Context(), memory.StoreArgs{Content: strings.Join(words, " ")}, nil); err != nil {
		t.Fatal(err)
	}
	got, err := s.Search(t.Context(), recall.SearchArgs{Query: strings.Join(words, " ")})
	if err != nil || got.TotalCount != 1 || got.TotalIsExact || got.Truncated {
		t.Errorf("total %d, exact %v, truncated %v, %v; want at least 1", got.TotalCount, got.TotalIsExact, got.Truncated, err)
	}
}

func TestPathPrefix(t *testing.T) {
	d := dbtest.New(t)
	dbtest.Fill(t, d, db.S(`
insert into memories (title, content, uri)
select
  value,
  'a note',
  value
from json_each(?)`, db.List([]string{
		"obsidian-fs://demo/a/One.md", "obsidian-fs://demo/b/Two.md", "obsidian-fs://demo2/a/Three.md", "obsidian-fs://demo2/A b/Four.md", "code://repo/a/five.go",
	})), db.S(`insert into memories (title, content) values ('a/none', 'a note')`))
	s := recall.Searcher{DB: d, Caller: ref.Caller{Actor: "tester", Origin: "agent"}}
	one, two, three, four, five := "obsidian-fs://demo/a/One.md", "obsidian-fs://demo/b/Two.md", "obsidian-fs://demo2/a/Three.md", "obsidian-fs://demo2/A b/Four.md", "code://repo/a/five.go"
	for _, c := range []struct {
		name   string
		prefix []string
		query  string
		want   []string
		warned int
	}{
		{"Folder", []string{"a/"}, "note", []string{five, one, three}, 0},
		{"AsPagesPrintIt", []string{"demo/a/", "demo2/A b/"}, "note", []string{one, four}, 0},
		{"AsPagesPrintAVault", nil, "note path:demo2/", []string{three, four}, 0},
		{"TheBeginningOfAVault", nil, "note path:dem", []string{}, 1},
		{"Several", []string{"a/O", "b/"}, "note", []string{one, two}, 0},
		{"URIOfAVault", []string{"obsidian-fs://demo/"}, "note", []string{one, two}, 0},
		{"URIOfAVaultWithoutASlash", []string{"obsidian-fs://demo"}, "note", []string{one, two}, 0},
		{"URIOfAFolder", []string{"obsidian-fs://demo2/A b/"}, "note", []string{four}, 0},
		{"URIOfAnotherKind", []string{"code://repo/a"}, "note", []string{five}, 0},
		{"AllNotes", []string{"obsidian-fs://"}, "note", []string{four, three, one, two}, 0},
		{"RepeatedInTheQuery", nil, `note path:b/ path:"A b/"`, []string{four, two}, 0},
		{"URIInTheQuery", nil, "note path:obsidian-fs://demo/a/", []string{one}, 0},
		{"OfBoth", []string{"obsidian-fs://demo/", "b/"}, "note path:a/ path:A", []string{one}, 0},
		{"Alone", nil, "path:a/ path:b/", []string{five, one, three, two}, 0},
		{"WhereNothingIs", []string{"nowhere/", "a/"}, "note path:b/ path:void/", []string{}, 2},
		{"WhereNothingMatches", []string{"a/"}, "unheard", []string{}, 0},
		{"Empty", []string{""}, `note path:b/`, []string{two}, 0},
		{"OfAVault", nil, "vault demo2: note", []string{three, four}, 0},
		{"OfAVaultAndAFolder", []string{"a/"}, "vault demo: note", []string{one}, 0},
		{"OfNoVault", nil, "vault dem: note", []string{}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			query, vault := c.query, ""
			if rest, ok := strings.CutPrefix(query, "vault "); ok {
				vault, query, _ = strings.Cut(rest, ": ")
			}
			got, err := s.Search(t.Context(), recall.SearchArgs{Query: query, PathPrefix: c.prefix, Vault: vault})
			if err != nil {
				t.Fatal(err)
			}
			listed := []string{}
			for _, one := range got.Results {
				listed = append(listed, one.URI)
			}
			slices.Sort(listed)
			slices.Sort(c.want)
			if !slices.Equal(listed, c.want) || len(got.Warnings) != c.warned || got.TotalCount != len(c.want) {
				t.Errorf("found %q of %d, with warnings %q; want %q and %d warnings", listed, got.TotalCount, got.Warnings, c.want, c.warned)
			}
		})
	}
}
