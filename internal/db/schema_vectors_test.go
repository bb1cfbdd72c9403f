package db_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hence/internal/db/dbtest"
)

// After any changes in a shell, a section has a vector of what it says or waits for it, of each embedder. A
// server is played by the shell here: it writes the text itself for a vector, and none for an empty text.
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
				part := pick()
				for state, column := range map[string]string{"in force": "vector", "building": "next"} {
					s.do(t, strings.ReplaceAll(`
insert into vectors (section, {column})
select t.key, cast(t.title || t.heading || t.body as blob)
from vectors_waiting w
join embedders e on e.key = w.embedder and e.state = ?1
join section_text t on t.key = w.section
where w.section % 4 < ?2
  and t.title <> ''
on conflict (section) do update set {column} = excluded.{column}`, "{column}", column), state, part)
				}
				s.do(t, `delete from vectors_waiting where section % 4 < ?`, part)
			},
			"put in force": func(t *rapid.T) {
				s.do(t, `delete from embedders where state = 'in force' and exists (select 1 from embedders where state = 'building')`)
				s.do(t, `update embedders set state = 'in force' where state = 'building'`)
			},
			"title": func(t *rapid.T) { s.do(t, `update memories set title = title || '!' where key = ?`, pick()) },
			"body":  func(t *rapid.T) { s.do(t, `update sections set body = ? where memory = ?`, text(), pick()) },
			"content": func(t *rapid.T) {
				s.do(t, `update memories set content = ?, content_hash = hex(randomblob(8)) where key = ?`, text(), pick())
			},
			"namespace": func(t *rapid.T) {
				s.do(t, `update memories set namespace = ? where key = ?`, rapid.SampledFrom([]string{"one", "two"}).Draw(t, "namespace"), pick())
			},
			"purge": func(t *rapid.T) { s.do(t, `delete from memories where key = ?`, pick()) },
			"": func(t *rapid.T) {
				if lost := s.rows(t, `select section from vectors where section not in (select key from sections) union all select section from vectors_waiting where section not in (select key from sections)`); len(lost) > 0 {
					t.Fatalf("of sections that are not there: %q", lost)
				}
				if lost := s.rows(t, `select section from vectors where vector is not null and not exists (select 1 from embedders where state = 'in force') or next is not null and not exists (select 1 from embedders where state = 'building')`); len(lost) > 0 {
					t.Fatalf("vectors of no embedder: %q", lost)
				}
				if wrong := s.rows(t, `
select e.state || ' ' || t.key
from embedders e
cross join section_text t
left join vectors v on v.section = t.key
where not exists (select 1 from vectors_waiting w where w.section = t.key and w.embedder = e.key)
  and iif(e.state = 'building', v.next, v.vector) is not nullif(cast(t.title || t.heading || t.body as blob), iif(t.title = '', cast(t.title || t.heading || t.body as blob), null))`); len(wrong) > 0 {
					t.Fatalf("the vectors are of another text, and do not wait: %q", wrong)
				}
			},
		})
	})
}

func TestAChangedTextWaitsForItsVector(t *testing.T) {
	s := newShell(t)
	s.do(t, `
insert into memories (key, id, title, content) values (1, 'n', 'Quay', 'ferry')`)
	for _, change := range []string{
		`update memories set title = 'Harbour'`,
		`update memories set content = 'tide'`,
		`update sections set heading = 'Then'`,
	} {
		s.want(t, `select count(*) from vectors_waiting`, "1")
		s.do(t, `insert into vectors (section, vector) select key, x'00000000' from sections; delete from vectors_waiting`)
		s.want(t, `select count(*) from vectors_waiting`, "0")
		s.do(t, change)
	}
	s.want(t, `select (select count(*) from vectors_waiting) || (select count(*) from vectors)`, "10")
	s.do(t, `delete from embedders`)
	s.want(t, `select count(*) from vectors_waiting`, "0")
}
