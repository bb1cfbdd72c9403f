package db_test

import (
	"testing"

	"pgregory.net/rapid"

	"hence/internal/db/dbtest"
)

// After any changes in a shell, each section has a vector of each embedder or waits for it, and a
// changed text waits.
func TestWhatHasNoVectorWaits(t *testing.T) {
	dbtest.CheckTimes(t, 12)
	s := newShell(t)
	rapid.Check(t, func(t *rapid.T) {
		s.do(t, `begin`)
		defer s.do(t, `rollback`)
		pick := func() int { return rapid.IntRange(1, 4).Draw(t, "one of four") }
		state := func() string { return rapid.SampledFrom([]string{"in force", "building"}).Draw(t, "state") }
		text := func() string { return rapid.SampledFrom(words).Draw(t, "text") }
		t.Repeat(map[string]func(*rapid.T){
			"memory": func(t *rapid.T) {
				s.do(t, `insert or ignore into memories (key, title, content) values (?, ?, ?)`, pick(), text(), text())
			},
			"section": func(t *rapid.T) {
				s.do(t, `insert or ignore into sections (memory, ordinal, body) select key, ?, ? from memories where key = ?`, pick(), text(), pick())
			},
			"cut sections": func(t *rapid.T) { s.do(t, `delete from sections where memory = ? and ordinal > 0`, pick()) },
			"choose":       func(t *rapid.T) { s.do(t, `insert or ignore into embedders (name, state) values ('m', ?)`, state()) },
			"choose none":  func(t *rapid.T) { s.do(t, `delete from embedders where state = ?`, state()) },
			"vectors": func(t *rapid.T) {
				s.do(t, `
insert or replace into vectors (embedder, section, vector)
select e.key, s.key, x'00000000'
from embedders e
cross join sections s
where s.key % 4 < ?`, pick())
			},
			"lose vectors": func(t *rapid.T) { s.do(t, `delete from vectors where section % 4 = ?`, pick()) },
			"title":        func(t *rapid.T) { s.do(t, `update memories set title = title || '!' where key = ?`, pick()) },
			"body":         func(t *rapid.T) { s.do(t, `update sections set body = ? where memory = ?`, text(), pick()) },
			"content": func(t *rapid.T) {
				s.do(t, `update memories set content = ?, content_hash = hex(randomblob(8)) where key = ?`, text(), pick())
			},
			"namespace": func(t *rapid.T) {
				s.do(t, `update memories set namespace = ? where key = ?`, rapid.SampledFrom([]string{"one", "two"}).Draw(t, "namespace"), pick())
			},
			"purge": func(t *rapid.T) { s.do(t, `delete from memories where key = ?`, pick()) },
			"": func(t *rapid.T) {
				wrong := s.rows(t, `
select e.key, s.key
from embedders e
cross join sections s
where exists (select 1 from vectors where embedder = e.key and section = s.key)
  is exists (select 1 from vectors_waiting where embedder = e.key and section = s.key)`)
				if lost := s.rows(t, `select section from vectors where section not in (select key from sections) union all select section from vectors_waiting where section not in (select key from sections)`); len(lost) > 0 {
					t.Fatalf("of sections that are not there: %q", lost)
				}
				if len(wrong) > 0 {
					t.Fatalf("both or neither, of embedder and section: %q", wrong)
				}
			},
		})
	})
}

func TestAChangedTextWaitsForItsVector(t *testing.T) {
	s := newShell(t)
	s.do(t, `
insert into memories (key, id, title, content) values (1, 'n', 'Quay', 'ferry');
insert into embedders (key, name, state) values (1, 'm', 'in force');`)
	for _, change := range []string{
		`update memories set title = 'Harbour'`,
		`update memories set content = 'tide'`,
		`update sections set heading = 'Then'`,
	} {
		s.want(t, `select count(*) from vectors_waiting`, "1")
		s.do(t, `insert into vectors (embedder, section, vector) select 1, key, x'00000000' from sections`)
		s.want(t, `select count(*) from vectors_waiting`, "0")
		s.do(t, change)
	}
	s.want(t, `select count(*) from vectors_waiting`, "1")
	s.do(t, `delete from embedders`)
	s.want(t, `select count(*) from vectors_waiting`, "0")
}
