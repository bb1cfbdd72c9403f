package db_test

import (
	"slices"
	"strings"
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
			"range": func(t *rapid.T) {
				start := rapid.IntRange(0, 4).Draw(t, "start")
				s.do(t, `
insert or ignore into sections (memory, ordinal, heading, level, body_start, body_end)
select key, ?, ?, 1, ?, ? from memories where key = ?`, rapid.IntRange(0, 3).Draw(t, "ordinal"), word("heading"), start, start+rapid.IntRange(1, 12).Draw(t, "bytes"), pick())
			},
			"another range": func(t *rapid.T) {
				s.do(t, `update sections set body_end = body_end + 2 where memory = ? and body is null`, pick())
			},
			"heading": func(t *rapid.T) { s.do(t, `update sections set heading = ? where memory = ?`, text(), pick()) },
			"body": func(t *rapid.T) {
				s.do(t, `update sections set body = ? where memory = ? and body_end = 0`, text(), pick())
			},
			"cutSections": func(t *rapid.T) { s.do(t, `delete from sections where memory = ? and ordinal > 0`, pick()) },
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

// The text of a section is a part of its memory's content, in bytes.
func TestASectionIsAPartOfTheContent(t *testing.T) {
	s := newShell(t)
	s.do(t, `
insert into memories (key, id, title, content, sectioned) values (1, 'n', 'A note', 'bäys ferry rope', 1);
insert into sections (memory, ordinal, heading, body_start, body_end) values (1, 0, '', 0, 6), (1, 1, 'Then', 6, 12), (1, 2, 'Empty', 12, 12);`)
	s.want(t, `select s.ordinal, t.body from section_text t join sections s on s.key = t.key`, "0|bäys ", "1|ferry ", "2|")
	s.want(t, `select s.ordinal from section_search f join sections s on s.key = f.rowid where section_search match 'ferry'`, "1")
	checkIndex(t, s)
	s.do(t, `update memories set content = 'gull ' || content, content_hash = 'another', revision = revision + 1 where key = 1`)
	s.want(t, `select count(*) from sections`, "0")
	checkIndex(t, s)
	s.do(t, `
update memories set sectioned = 0 where key = 1;
insert into sections (memory, ordinal, heading, body_start, body_end) values (1, 0, '', 0, 6);
update memories set content = 'ledger' where key = 1`)
	s.want(t, `select s.ordinal, t.body from section_text t join sections s on s.key = t.key`, "0|ledger")
	checkIndex(t, s)
	if _, err := s.sql.Exec(`update sections set memory = 2`); err == nil || !strings.Contains(err.Error(), "a section keeps its memory") {
		t.Errorf("another memory: %v", err)
	}
}

func TestASectionWithoutAKeyIsPutAmongThoseOfCode(t *testing.T) {
	s := newShell(t)
	s.do(t, `
insert into memories (key, title, sectioned, origin) values (1, 'queue.go', 1, 'code');
insert into sections (memory, ordinal, heading, body) values (1, 0, 'Drain', 'ferry');`)
	checkPlaces(t, s)
}

// A section keeps its key where no namespace has a range for it, as of a memory that is not there.
func TestASectionWithoutARangeIsStored(t *testing.T) {
	s := newShell(t)
	s.do(t, memories("a")+`insert into sections (memory, ordinal) values (99, 0); delete from namespaces; update memories set content = 'other'; insert into sections (memory, ordinal, body) select key, 7, 'x' from memories;`)
	s.want(t, `select count(*) from sections`, "3")
	s.do(t, `update memories set content = 'again', namespace = 'another'`)
	s.want(t, `select count(*) from sections s join section_ranges r on r.namespace = 'another' and s.key between r.first and r.last where s.memory <> 99`, "1")
}
