package db_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"hence/internal/db/dbtest"
)

// words stem to themselves and have nothing in common.
var words = []string{"ferry", "quay", "ledger", "gull", "rope", "tide"}

// checkIndex compares the full-text index with the text, with the check of FTS5 and word by word.
func checkIndex(t tb, s shell) {
	t.Helper()
	s.do(t, `insert into section_search (section_search, rank) values ('integrity-check', 1)`)
	for _, word := range words {
		got := s.rows(t, `select rowid from section_search where section_search match ? order by rowid`, word)
		want := s.rows(t, `
select key
from section_text
where instr(title || ' ' || heading || ' ' || aliases || ' ' || tags || ' ' || body, ?)
order by key`, word)
		if !slices.Equal(got, want) {
			t.Fatalf("%q is found in the sections %v, want %v", word, got, want)
		}
	}
}

// checkPlaces fails if a section is outside the range of its namespace, or of its source code.
func checkPlaces(t tb, s shell) {
	t.Helper()
	if wrong := s.rows(t, `
select m.namespace || ' ' || m.origin || ' ' || s.key
from sections s
join memories m on m.key = s.memory
join namespaces n on n.name = m.namespace
where (s.key >> 32) is not n.key - iif(m.origin = 'code', 1 << 30, 0)`); len(wrong) > 0 {
		t.Fatalf("out of their range: %q", wrong)
	}
	if n := s.rows(t, `select count(*) from memories where namespace not in (select name from namespaces)`); n[0] != "0" {
		t.Fatalf("%s memories are in a namespace without a range", n[0])
	}
}

func TestFullTextIndexFollowsTheText(t *testing.T) {
	dbtest.CheckTimes(t, 12)
	s := newShell(t)
	rapid.Check(t, func(t *rapid.T) {
		s.do(t, `begin`)
		defer s.do(t, `rollback`)
		word := func(name string) string { return rapid.SampledFrom(words).Draw(t, name) }
		text := func() string { return word("one") + " " + word("two") }
		list := func() string { return `["` + word("in a list") + `"]` }
		pick := func() int { return rapid.IntRange(1, 4).Draw(t, "memory") }
		namespace := func() string { return rapid.SampledFrom([]string{"one", "two", "three"}).Draw(t, "namespace") }
		t.Repeat(map[string]func(*rapid.T){
			"insert": func(t *rapid.T) {
				sectioned := rapid.IntRange(0, 1).Draw(t, "sectioned")
				s.do(t, `insert or ignore into memories (key, title, content, tags, sectioned, namespace, origin) values (?, ?, ?, ?, ?, ?, ?)`,
					pick(), text(), text(), list(), sectioned, namespace(), rapid.SampledFrom([]string{"agent", "agent", "code"}).Draw(t, "origin"))
			},
			"namespace":      func(t *rapid.T) { s.do(t, `update memories set namespace = ? where key = ?`, namespace(), pick()) },
			"all namespaces": func(t *rapid.T) { s.do(t, `update or ignore memories set namespace = ?`, namespace()) },
			"key":            func(t *rapid.T) { s.do(t, `update or ignore sections set key = key + 5 where memory = ?`, pick()) },
			"title":          func(t *rapid.T) { s.do(t, `update memories set title = ? where key = ?`, text(), pick()) },
			"tags":           func(t *rapid.T) { s.do(t, `update memories set tags = ? where key = ?`, list(), pick()) },
			"aliases":        func(t *rapid.T) { s.do(t, `update memories set aliases = ? where key <= ?`, list(), pick()) },
			"content":        func(t *rapid.T) { s.do(t, `update memories set content = ? where key = ?`, text(), pick()) },
			"contentByAWriter": func(t *rapid.T) {
				s.do(t, `update memories set content = ?, content_hash = hex(randomblob(8)), revision = revision + 1 where key = ?`, text(), pick())
			},
			"everything": func(t *rapid.T) {
				s.do(t, `update memories set title = ?, content = ?, tags = ?, aliases = ?`, text(), text(), list(), list())
			},
			"section": func(t *rapid.T) {
				s.do(t, `
insert or ignore into sections (memory, ordinal, heading, level, body)
select key, ?, ?, 1, nullif(?, 'gull') from memories where key = ?`, rapid.IntRange(0, 3).Draw(t, "ordinal"), word("heading"), word("body"), pick())
			},
			"heading":     func(t *rapid.T) { s.do(t, `update sections set heading = ? where memory = ?`, text(), pick()) },
			"body":        func(t *rapid.T) { s.do(t, `update sections set body = ? where memory = ?`, text(), pick()) },
			"cutSections": func(t *rapid.T) { s.do(t, `delete from sections where memory = ? and ordinal > 0`, pick()) },
			"moveSection": func(t *rapid.T) {
				s.do(t, `update or ignore sections set memory = (select max(key) from memories) where memory = ?`, pick())
			},
			"refused": func(t *rapid.T) {
				s.do(t, `update or ignore memories set title = ?, content = ?, importance = 7 where key = ?`, text(), text(), pick())
				s.do(t, `update or ignore sections set heading = ?, level = 7`, word("heading"))
			},
			"forget": func(t *rapid.T) {
				s.do(t, `update memories set status = 'forgotten', forgotten_at = '2026-01-01T00:00:00.000Z' where key = ?`, pick())
			},
			"purge": func(t *rapid.T) { s.do(t, `delete from memories where key = ?`, pick()) },
			"": func(t *rapid.T) {
				checkIndex(t, s)
				checkPlaces(t, s)
			},
		})
	})
}

func TestContentEditedByHandLosesItsSections(t *testing.T) {
	s := newShell(t)
	s.do(t, `
insert into memories (key, id, title, content, sectioned) values (1, 'n', 'A note', 'ferry then quay', 1);
insert into sections (memory, ordinal, heading, body) values (1, 0, '', 'ferry'), (1, 1, 'Then', 'quay');
update memories set title = 'Another title' where key = 1;`)
	s.want(t, `select ordinal, heading, body from sections`, "0||ferry", "1|Then|quay")
	s.do(t, `update memories set content = 'only rope' where key = 1`)
	s.want(t, `select ordinal, heading, body from sections`, "0||")
	s.want(t, `select sectioned from memories`, "0")
	checkIndex(t, s)
}

func TestASectionWithoutAKeyIsPutAmongThoseOfCode(t *testing.T) {
	s := newShell(t)
	s.do(t, `
insert into memories (key, title, sectioned, origin) values (1, 'queue.go', 1, 'code');
insert into sections (memory, ordinal, heading, body) values (1, 0, 'Drain', 'ferry');`)
	checkPlaces(t, s)
}
