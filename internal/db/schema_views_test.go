package db_test

import (
	"strings"
	"testing"
)

func TestViewsHaveTheColumnsOfTheContract(t *testing.T) {
	s := newShell(t)
	for view, columns := range map[string]string{
		"memory_list":    "id, namespace, kind, title, status, tags, origin, uri, created_at, updated_at",
		"edge_list":      "from_id, from_title, kind, rel, to_id, to_title, weight, origin, actor, valid_from, valid_to, created_at",
		"lineage":        "old_id, old_title, new_id, new_title, reason, at",
		"stale":          "id, title, because_id, because_title, reason",
		"orphans":        "id, namespace, kind, title, uri, links",
		"dangling_links": "from_title, uri, target, rel, line",
		"journal_list":   "at, actor, action, id, title, what",
	} {
		got := strings.Join(s.rows(t, `select name from pragma_table_info(?)`, view), ", ")
		if got != columns {
			t.Errorf("%s (%s), want (%s)", view, got, columns)
		}
	}
}

// With one `m.key in (from_key, to_key)` instead of two `not exists`, the view took two minutes for
// 6,648 notes.
func TestOrphansAreFoundByIndexes(t *testing.T) {
	s := newShell(t)
	for _, step := range s.rows(t, `explain query plan select * from orphans`) {
		if strings.Contains(step, "SCAN e") {
			t.Errorf("every edge is read for every memory: %s", step)
		}
	}
}

func TestViewsRead(t *testing.T) {
	s := newShell(t)
	s.do(t, memories("a", "b")+edge("b", "supersedes", "a")+`
update edges set note = 'a was wrong', created_at = '2026-01-01T00:00:00.000Z';`)
	s.want(t, `select id, title, status from memory_list order by id`, "a|Title a|superseded", "b|Title b|current")
	s.want(t, `select from_id, from_title, kind, to_id, to_title, weight from edge_list`, "b|Title b|supersedes|a|Title a|1")
	s.want(t, `select * from lineage`, "a|Title a|b|Title b|a was wrong|2026-01-01T00:00:00.000Z")
	s.want(t, `select actor, action, id, title, what from journal_list`,
		"sqlite3|store|a|Title a|", "sqlite3|store|b|Title b|", "sqlite3|link|b-supersedes-a|Title b|supersedes → Title a",
		"sqlite3|supersede|a|Title a|status", "sqlite3|relink|b-supersedes-a|Title b|supersedes → Title a")
	s.do(t, `delete from edges`)
	s.want(t, `select action, title, what from journal_list where action like '%link' `,
		"link|Title b|supersedes → Title a", "relink|Title b|supersedes → Title a", "unlink|Title b|supersedes → Title a")
}
