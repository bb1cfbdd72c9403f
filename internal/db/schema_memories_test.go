package db_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestIDsMadeByTheSchemaAreUUIDs(t *testing.T) {
	s := newShell(t)
	s.do(t, `insert into memories (title) select value from json_each('["a","b","c","d","e","f","g","h"]')`)
	for _, id := range s.rows(t, `select id from memories`) {
		if !regexp.MustCompile(`^01[0-9a-f]{6}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(id) {
			t.Errorf("%s is not a UUIDv7", id)
		}
	}
}

func TestEditByHandCountsAndMarksTheHash(t *testing.T) {
	for _, c := range []struct {
		name, script string
		revision     string
		rehashed     bool
	}{
		{"Content", `update memories set content = 'other'`, "2", true},
		{"Title", `update memories set title = 'other'`, "2", false},
		{"Importance", `update memories set importance = 1`, "2", false},
		{"SameContent", `update memories set content = content`, "1", false},
		{"Status", `update memories set status = 'superseded'`, "1", false},
		{"ByAWriter", `update memories set content = 'other', content_hash = 'h', revision = 2`, "2", true},
		{"ByAWriterWithTheSameHash", `update memories set title = 'other', revision = 2`, "2", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newShell(t)
			s.do(t, memories("a")+`update memories set content_hash = 'known', updated_at = '2020-01-01T00:00:00.000Z';`)
			s.do(t, c.script)
			s.want(t, `select revision from memories`, c.revision)
			s.want(t, `select content_hash <> 'known' from memories`, map[bool]string{true: "1", false: "0"}[c.rehashed])
			if byHand := c.revision == "2" && !strings.Contains(c.script, "revision"); byHand {
				s.want(t, `select updated_at > '2026' from memories`, "1")
			}
		})
	}
}

func TestPurgeLeavesNoText(t *testing.T) {
	const secret = "zebrafish"
	s := newShell(t)
	s.do(t, memories("a", "b", "c"))
	for _, script := range []string{
		`update memories set title = 'zebrafish', content = 'a zebrafish', tags = '["zebrafish"]', aliases = '["zebrafish"]', properties = '{"k":"zebrafish"}', forget_reason = 'zebrafish' where id = 'b'`,
		`update memories set title = 'Title', content = 'another zebrafish', tags = '[]' where id = 'b'`,
		edge("b", "supersedes", "a") + edge("c", "depends-on", "b") + edge("b", "causes", "c"),
		`update edges set note = 'zebrafish', rel = 'zebrafish'`,
		`update edges set note = 'one more zebrafish'`,
		`delete from edges where kind = 'causes'`,
		`insert into sites (note, kind, origin, target, target_key, line, start_byte, end_byte, context) select key, 'links-to', 'wikilink', 'zebrafish', 'zebrafish', 1, 0, 1, 'zebrafish' from memories where id = 'b'`,
		`insert into mirrors (key, name, root, extraction, imported_at) values (1, 'v', '/', 1, '')`,
		`insert into files (memory, mirror, path, size, modified, file_hash, warnings) select key, 1, 'zebrafish.md', 1, 1, '', '["zebrafish"]' from memories where id = 'b'`,
		`insert into verifications select c.key, b.key, 'changed', 'zebrafish', '' from memories b, memories c where b.id = 'b' and c.id = 'c'`,
		`insert into unsettled values ('out', 'default', 'x', 'b', 'missing', '{"note":"zebrafish"}')`,
		`insert into stamps values ('b', 'title', '2026-01-01T00:00:00.000Z~t', '["=zebrafish"]')`, // as Hence does the upkeep
		`insert into unlinked values ('b', 'c', 'causes', 'zebrafish', 'b-causes-c', 'default', '2026-01-01T00:00:00.000Z')`,
		`insert into before_merges values (-1, 'b', '{"verify_note":"zebrafish"}'), (-1, 'out', '{"from":"x","to":"b","line":{"note":"zebrafish"}}')`,
	} {
		s.do(t, script)
	}
	tables := s.rows(t, `select name from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite\_%' escape '\'`)
	holding := func() []string {
		holders := []string{}
		for _, table := range tables {
			if strings.Contains(strings.Join(s.rows(t, `select * from `+table), "\n"), secret) {
				holders = append(holders, table)
			}
		}
		if len(s.rows(t, `select rowid from section_search where section_search match ?`, secret)) > 0 {
			holders = append(holders, "section_search")
		}
		slices.Sort(holders)
		return holders
	}
	if before := holding(); !slices.Equal(before, []string{"before_merges", "edges", "files", "journal", "memories", "section_search", "sites", "stamps", "unlinked", "unsettled", "verifications"}) {
		t.Fatalf("the text is in %v before; the test does not show what it is to show", before)
	}
	s.do(t, `delete from memories where id = 'b'`)
	if after := holding(); len(after) > 0 {
		t.Errorf("the text is still in %v", after)
	}
	s.do(t, `create virtual table temp.vocabulary using fts5vocab (main, section_search, row)`)
	s.want(t, `select term from vocabulary where term like 'zebra%'`)
	s.want(t, `select status from memories where id = 'a'`, "current")
	s.want(t, `select count(*) from journal where id = 'b' and action = 'purge'`, "1")
	checkIndex(t, s)
}
