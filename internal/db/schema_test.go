package db_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hence"
	"hence/internal/db"
	"hence/internal/db/dbtest"
)

// TestMain makes runs of the random tests repeatable.
func TestMain(m *testing.M) {
	dbtest.FixSeed()
	os.Exit(m.Run())
}

// tb is what testing.T and rapid.T have in common.
type tb interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// shell is a store as the sqlite3 shell has it: one bare connection, foreign
// keys off, nobody named as the writer.
type shell struct {
	path string
	sql  *sql.DB
}

func newShell(t testing.TB) shell {
	t.Helper()
	path := filepath.Join(t.TempDir(), "hence.db")
	d, err := db.Open(t.Context(), path, db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	bare, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	bare.SetMaxOpenConns(1)
	t.Cleanup(func() { bare.Close() })
	return shell{path, bare}
}

func (s shell) do(t tb, script string, args ...any) {
	t.Helper()
	if _, err := s.sql.Exec(script, args...); err != nil {
		t.Fatalf("%s: %v", script, err)
	}
}

// rows returns what a query answers, a line a row, as the shell prints it.
func (s shell) rows(t tb, query string, args ...any) []string {
	t.Helper()
	found, err := s.sql.Query(query, args...)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer found.Close()
	columns, err := found.Columns()
	if err != nil {
		t.Fatal(err)
	}
	lines := []string{}
	for found.Next() {
		values, into := make([]sql.NullString, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := found.Scan(into...); err != nil {
			t.Fatal(err)
		}
		words := make([]string, len(columns))
		for i, v := range values {
			words[i] = v.String
		}
		lines = append(lines, strings.Join(words, "|"))
	}
	if err := found.Err(); err != nil {
		t.Fatal(err)
	}
	return lines
}

func (s shell) want(t testing.TB, query string, lines ...string) {
	t.Helper()
	if diff := gocmp.Diff(append([]string{}, lines...), s.rows(t, query)); diff != "" {
		t.Errorf("%s: -want +got\n%s", query, diff)
	}
}

// memories makes memories named by their ids, with keys from 1.
func memories(ids ...string) string {
	script := ""
	for _, id := range ids {
		script += fmt.Sprintf("insert into memories (id, title, content) values ('%[1]s', 'Title %[1]s', 'text of %[1]s');\n", id)
	}
	return script
}

// edge makes an edge, with the id from-kind-to.
func edge(from, kind, to string) string {
	return fmt.Sprintf(`
insert into edges (id, from_key, to_key, kind)
select '%[1]s-%[2]s-%[3]s', f.key, t.key, '%[2]s'
from memories f, memories t
where f.id = '%[1]s' and t.id = '%[3]s';
`, from, kind, to)
}

func TestSchemaRefuses(t *testing.T) {
	s := newShell(t)
	set := func(column, value string) string {
		return fmt.Sprintf("insert into memories (title, %s) values ('x', %s)", column, value)
	}
	setEdge := func(column, value string) string {
		return fmt.Sprintf("insert into edges (from_key, to_key, kind, %s) values (1, 2, 'causes', %s)", column, value)
	}
	joined := memories("a", "b", "c")
	for _, c := range []struct{ name, before, script string }{
		{"NoTitle", "", `insert into memories (content) values ('x')`},
		{"EmptyTitle", "", `insert into memories (title) values ('')`},
		{"BlankTitle", "", `insert into memories (title) values ('  ')`},
		{"NULInTitle", "", `insert into memories (title) values ('a' || char(0) || 'b')`},
		{"NULInContent", "", set("content", "'a' || char(0)")},
		{"EmptyID", "", set("id", "''")},
		{"IDOver200Bytes", "", set("id", "'"+strings.Repeat("ø", 101)+"'")},
		{"IDTwice", memories("a"), set("id", "'a'")},
		{"URITwice", "insert into memories (title, uri) values ('x', 'u');", set("uri", "'u'")},
		{"EmptyNamespace", "", set("namespace", "''")},
		{"LongNamespace", "", set("namespace", "'"+strings.Repeat("x", 101)+"'")},
		{"EmptyKind", "", set("kind", "''")},
		{"LongKind", "", set("kind", "'"+strings.Repeat("x", 65)+"'")},
		{"AliasesThatAreNoList", "", set("aliases", "'{}'")},
		{"TagsThatAreNoList", "", set("tags", `'"x"'`)},
		{"PropertiesThatAreAList", "", set("properties", "'[]'")},
		{"UnknownStatus", "", set("status", "'lost'")},
		{"ImportanceOverOne", "", set("importance", "1.01")},
		{"ImportanceUnderZero", "", set("importance", "-0.01")},
		{"ImportanceAsAWord", "", set("importance", "'high'")},
		{"PinnedTwice", "", set("pinned", "2")},
		{"ConfidenceOverOne", "", set("confidence", "1.5")},
		{"UnknownOrigin", "", set("origin", "'nobody'")},
		{"RevisionZero", "", set("revision", "0")},
		{"RevisionAsAWord", "", set("revision", "'first'")},
		{"CreatedOnABareDate", "", set("created_at", "'2026-01-01'")},
		{"ValidInLocalTime", "", set("valid_from", "'2026-01-01T00:00:00+01:00'")},
		{"ValidFromAtItsEnd", "", `insert into memories (title, valid_from, valid_to) values ('x', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z')`},
		{"ForgottenAtNoTime", "", set("status", "'forgotten'")},
		{"CurrentAndForgotten", "", set("forgotten_at", "'2026-01-01T00:00:00.000Z'")},
		{"ForgottenByStatusAlone", memories("a"), `update memories set status = 'forgotten'`},
		{"AnotherID", memories("a"), `update memories set id = 'b'`},
		{"AnotherKey", memories("a"), `update memories set key = 2`},
		{"AnotherNamespaceWithEdges", joined + edge("a", "causes", "b"), `update memories set namespace = 'x' where id = 'b'`},
		{"CurrentWithASuccessor", joined + edge("b", "supersedes", "a"), `update memories set status = 'current' where id = 'a'`},
		{"RestoredToCurrentWithASuccessor", joined + edge("b", "supersedes", "a") +
			`update memories set status = 'forgotten', forgotten_at = '2026-01-01T00:00:00.000Z' where id = 'a';`,
			`update memories set status = 'current', forgotten_at = null where id = 'a'`},

		{"UnknownKindOfEdge", joined, `insert into edges (from_key, to_key, kind) values (1, 2, 'likes')`},
		{"KindInUpperCase", joined, `insert into edges (from_key, to_key, kind) values (1, 2, 'Causes')`},
		{"NoWeight", joined, setEdge("weight", "0")},
		{"WeightOverOne", joined, setEdge("weight", "1.0001")},
		{"UnknownOriginOfEdge", joined, setEdge("origin", "'vault'")},
		{"EdgeValidBackward", joined, `insert into edges (from_key, to_key, kind, valid_from, valid_to) values (1, 2, 'causes', '2026-01-02T00:00:00.000Z', '2026-01-01T00:00:00.000Z')`},
		{"SelfEdge", joined, `insert into edges (from_key, to_key, kind) values (1, 1, 'causes')`},
		{"FromNowhere", joined, `insert into edges (from_key, to_key, kind) values (99, 1, 'causes')`},
		{"ToNowhere", joined, `insert into edges (from_key, to_key, kind) values (1, 99, 'causes')`},
		{"FromNull", joined, `insert into edges (from_key, to_key, kind) values (null, 1, 'causes')`},
		{"FromNowhereToNowhere", joined, `insert into edges (from_key, to_key, kind) values (98, 99, 'causes')`},
		{"AcrossNamespaces", joined + `insert into memories (title, namespace) values ('x', 'other');`, `insert into edges (from_key, to_key, kind) values (1, 4, 'causes')`},
		{"TheSameEdgeTwice", joined + edge("a", "causes", "b"), `insert into edges (from_key, to_key, kind) values (1, 2, 'causes')`},
		{"ContradictsBothWays", joined + edge("a", "contradicts", "b"), `insert into edges (from_key, to_key, kind) values (2, 1, 'contradicts')`},
		{"RelatesBothWays", joined + edge("b", "relates-to", "a"), `insert into edges (from_key, to_key, kind) values (1, 2, 'relates-to')`},
		{"SecondSuccessor", joined + edge("b", "supersedes", "a"), `insert into edges (from_key, to_key, kind) values (3, 1, 'supersedes')`},
		{"SecondSuccessorByAnotherWord", joined + edge("b", "supersedes", "a"), `insert into edges (from_key, to_key, kind, rel) values (2, 1, 'supersedes', 'x')`},
		{"CircleOfTwoSupersessions", joined + edge("b", "supersedes", "a"), `insert into edges (from_key, to_key, kind) values (1, 2, 'supersedes')`},
		{"CircleOfThreeSupersessions", joined + edge("c", "supersedes", "b") + edge("b", "supersedes", "a"), `insert into edges (from_key, to_key, kind) values (1, 3, 'supersedes')`},
		{"CircleOfTwoDependences", joined + edge("b", "depends-on", "a"), `insert into edges (from_key, to_key, kind) values (1, 2, 'depends-on')`},
		{"CircleOfThreeDependences", joined + edge("c", "depends-on", "b") + edge("b", "depends-on", "a"), `insert into edges (from_key, to_key, kind, rel) values (1, 3, 'depends-on', 'x')`},
		{"AnotherFrom", joined + edge("a", "causes", "b"), `update edges set from_key = 3`},
		{"AnotherTo", joined + edge("a", "causes", "b"), `update edges set to_key = 3`},
		{"AnotherKind", joined + edge("a", "causes", "b"), `update edges set kind = 'supersedes'`},
		{"AnotherEdgeKey", joined + edge("a", "causes", "b"), `update edges set key = 7`},
		{"AnotherEdgeID", joined + edge("a", "causes", "b"), `update edges set id = 'x'`},
		{"WeightRaisedOverOne", joined + edge("a", "causes", "b"), `update edges set weight = 2`},

		{"SectionTwice", memories("a"), `insert into sections (memory, ordinal) values (1, 0)`},
		{"SevenHashes", memories("a"), `insert into sections (memory, ordinal, level) values (1, 1, 7)`},
		{"VaultWithASlash", "", `insert into vaults (name, root, extraction, imported_at) values ('a/b', '/', 1, '')`},
		{"SecondWriter", "", `insert into writer (only_row) values (2)`},
		{"ExpectationThatDoesNotHold", "", `insert into expectation (holds) values (0)`},
		{"ExpectationOfNull", "", `insert into expectation (holds) values (null)`},
		{"UnknownAction", "", `insert into journal (at, actor, action, thing, id) values ('', '', 'read', 'memory', 'x')`},
		{"BeforeThatIsNoObject", "", `insert into journal (at, actor, action, thing, id, before) values ('', '', 'update', 'memory', 'x', '[]')`},
		{"VerificationOfNoReason", memories("a", "b"), `insert into verifications values (1, 2, 'bored', 'x', '')`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.do(t, "begin;\n"+c.before)
			defer s.do(t, "rollback")
			if _, err := s.sql.Exec(c.script); !db.Refused(err) {
				t.Errorf("%s: %v, want a refusal", c.script, err)
			}
		})
	}
}

func TestSchemaRefusesWhatIsNoJSON(t *testing.T) {
	s := newShell(t)
	for _, column := range []string{"aliases", "tags", "properties"} {
		if _, err := s.sql.Exec(fmt.Sprintf(`insert into memories (title, %s) values ('x', '{"open')`, column)); err == nil {
			t.Errorf("%s took what is no JSON", column)
		}
	}
}

func TestSchemaTakesWhatIsWithinBounds(t *testing.T) {
	s := newShell(t)
	joined := memories("a", "b", "c")
	for name, script := range map[string]string{
		"TitleAlone":               `insert into memories (title) values ('x')`,
		"IDOf200Bytes":             `insert into memories (title, id) values ('x', '` + strings.Repeat("ø", 100) + `')`,
		"ImportanceAtItsEnds":      `insert into memories (title, importance) values ('x', 0), ('x', 1)`,
		"WithoutURITwice":          `insert into memories (title) values ('x'), ('x')`,
		"WeightOfOne":              joined + `insert into edges (from_key, to_key, kind, weight) values (1, 2, 'causes', 1)`,
		"CircleOfCauses":           joined + edge("a", "causes", "b") + edge("b", "causes", "a"),
		"CircleOfTwoAcyclicKinds":  joined + edge("a", "supersedes", "b") + edge("b", "depends-on", "a"),
		"ParallelKinds":            joined + edge("a", "causes", "b") + edge("a", "supports", "b"),
		"ParallelWords":            joined + edge("a", "causes", "b") + `insert into edges (from_key, to_key, kind, rel) values (1, 2, 'causes', 'x')`,
		"DiamondOfDependences":     joined + edge("c", "depends-on", "a") + edge("c", "depends-on", "b") + edge("b", "depends-on", "a"),
		"OneReplacesTwo":           joined + edge("c", "supersedes", "a") + edge("c", "supersedes", "b"),
		"SuccessorAfterTheFirst":   joined + edge("c", "supersedes", "a") + `delete from edges;` + edge("b", "supersedes", "a"),
		"NamespaceWithoutEdges":    joined + `update memories set namespace = 'x' where id = 'a'`,
		"SupersededWithoutAnEdge":  joined + `update memories set status = 'superseded' where id = 'a'`,
		"ExpectationThatHolds":     `insert into expectation (holds) values (1)`,
		"TheSameWordAcrossAnother": joined + edge("a", "contradicts", "b") + `insert into edges (from_key, to_key, kind, rel) values (2, 1, 'contradicts', 'x')`,
	} {
		t.Run(name, func(t *testing.T) {
			s.do(t, "begin")
			defer s.do(t, "rollback")
			s.do(t, script)
		})
	}
}

func TestEveryTableIsStrictAndCommented(t *testing.T) {
	s := newShell(t)
	s.want(t, `
select name
from pragma_table_list
where schema = 'main' and type = 'table' and not strict and name not like 'sqlite\_%' escape '\'`)
	lines := strings.Split(hence.Schema, "\n")
	tables := 0
	for i, line := range lines {
		if !strings.HasPrefix(line, "create table ") && !strings.HasPrefix(line, "create virtual table ") {
			continue
		}
		tables++
		above := i - 1
		for lines[above] == "" {
			above--
		}
		if !strings.HasPrefix(lines[above], "--") {
			t.Errorf("nothing says what this is for: %s", line)
		}
	}
	if tables < 10 {
		t.Errorf("schema.sql has %d tables, want 10 or more: the test looks for the wrong words", tables)
	}
}

func TestViewsHaveTheColumnsOfTheContract(t *testing.T) {
	s := newShell(t)
	for view, columns := range map[string]string{
		"memory_list":    "id, namespace, kind, title, status, tags, origin, uri, created_at, updated_at",
		"edge_list":      "from_id, from_title, kind, rel, to_id, to_title, weight, origin, actor, valid_from, valid_to, created_at",
		"lineage":        "old_id, old_title, new_id, new_title, reason, at",
		"stale":          "id, title, because_id, because_title, reason",
		"dangling_links": "from_title, uri, target, rel, line",
		"journal_list":   "at, actor, action, id, title, what",
	} {
		got := strings.Join(s.rows(t, `select name from pragma_table_info(?)`, view), ", ")
		if got != columns {
			t.Errorf("%s (%s), want (%s)", view, got, columns)
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
}

func TestSupersedingFlipsTheStatus(t *testing.T) {
	const statuses = `select id, status from memories order by id`
	for _, c := range []struct {
		name, script string
		want         []string
	}{
		{"Superseded", "", []string{"a|superseded", "b|superseded", "c|current"}},
		{"EdgeDeleted", `delete from edges where id = 'b-supersedes-a'`, []string{"a|current", "b|superseded", "c|current"}},
		{"SuccessorPurged", `delete from memories where id = 'c'`, []string{"a|superseded", "b|current"}},
		{"MiddlePurged", `delete from memories where id = 'b'`, []string{"a|current", "c|current"}},
		{"ForgottenStaysForgotten", `
update memories set status = 'forgotten', forgotten_at = '2026-01-01T00:00:00.000Z' where id = 'a';
delete from edges where id = 'b-supersedes-a'`, []string{"a|forgotten", "b|superseded", "c|current"}},
		{"ForgottenIsNotSuperseded", memories("f") + `
update memories set status = 'forgotten', forgotten_at = '2026-01-01T00:00:00.000Z' where id = 'f';` + edge("c", "supersedes", "f"),
			[]string{"a|superseded", "b|superseded", "c|current", "f|forgotten"}},
		{"OtherKindsFlipNothing", edge("a", "contradicts", "c") + edge("c", "depends-on", "a") + `delete from edges where kind = 'contradicts'`,
			[]string{"a|superseded", "b|superseded", "c|current"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newShell(t)
			s.do(t, memories("a", "b", "c")+edge("b", "supersedes", "a")+edge("c", "supersedes", "b")+c.script)
			s.want(t, statuses, c.want...)
		})
	}
}

// words stem to themselves and have nothing in common.
var words = []string{"ferry", "quay", "ledger", "gull", "rope", "tide"}

// checkIndex compares the full-text index with the text, as FTS5 itself does
// and word by word.
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

func TestFullTextIndexFollowsTheText(t *testing.T) {
	s := newShell(t)
	rapid.Check(t, func(t *rapid.T) {
		s.do(t, `begin`)
		defer s.do(t, `rollback`)
		word := func(name string) string { return rapid.SampledFrom(words).Draw(t, name) }
		text := func() string { return word("one") + " " + word("two") }
		list := func() string { return `["` + word("in a list") + `"]` }
		pick := func() int { return rapid.IntRange(1, 4).Draw(t, "memory") }
		t.Repeat(map[string]func(*rapid.T){
			"insert": func(t *rapid.T) {
				sectioned := rapid.IntRange(0, 1).Draw(t, "sectioned")
				s.do(t, `insert or ignore into memories (key, title, content, tags, sectioned) values (?, ?, ?, ?, ?)`, pick(), text(), text(), list(), sectioned)
			},
			"title":   func(t *rapid.T) { s.do(t, `update memories set title = ? where key = ?`, text(), pick()) },
			"tags":    func(t *rapid.T) { s.do(t, `update memories set tags = ? where key = ?`, list(), pick()) },
			"aliases": func(t *rapid.T) { s.do(t, `update memories set aliases = ? where key <= ?`, list(), pick()) },
			"content": func(t *rapid.T) { s.do(t, `update memories set content = ? where key = ?`, text(), pick()) },
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
			"":      func(t *rapid.T) { checkIndex(t, s) },
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

func TestJournalHasARowForEachChange(t *testing.T) {
	for _, c := range []struct {
		name, before, script string
		want                 []string // actor|action|thing|id|before
	}{
		{"Store", "", memories("a"), []string{"sqlite3|store|memory|a|"}},
		{"Title", memories("a"), `update memories set title = 'New'`, []string{`sqlite3|update|memory|a|{"title":"Title a"}`}},
		{"SeveralAtOnce", memories("a"), `update memories set kind = 'decision', tags = '["x"]', pinned = 1, confidence = 0.5`,
			[]string{`sqlite3|update|memory|a|{"kind":"fact","tags":[],"pinned":0,"confidence":null}`}},
		{"PropertiesAsJSON", memories("a") + `update memories set properties = '{"n":[1]}';`, `update memories set properties = '{}'`,
			[]string{`sqlite3|update|memory|a|{"properties":{"n":[1]}}`}},
		{"NothingChanged", memories("a"), `update memories set title = title, status = status`, nil},
		{"TwoRows", memories("a", "b"), `update memories set importance = 1`,
			[]string{`sqlite3|update|memory|a|{"importance":0.5}`, `sqlite3|update|memory|b|{"importance":0.5}`}},
		{"Forget", memories("a"), `update memories set status = 'forgotten', forgotten_at = '2026-01-01T00:00:00.000Z', forget_reason = 'old'`,
			[]string{`sqlite3|forget|memory|a|{"status":"current","forgotten_at":null,"forget_reason":null}`}},
		{"Restore", memories("a") + `update memories set status = 'forgotten', forgotten_at = '2026-01-01T00:00:00.000Z', forget_reason = 'old';`,
			`update memories set status = 'current', forgotten_at = null, forget_reason = null`,
			[]string{`sqlite3|restore|memory|a|{"status":"forgotten","forgotten_at":"2026-01-01T00:00:00.000Z","forget_reason":"old"}`}},
		{"Verify", memories("a"), `update memories set verified_at = '2026-01-01T00:00:00.000Z'`,
			[]string{`sqlite3|verify|memory|a|{"verified_at":null}`}},
		{"Namespace", memories("a"), `update memories set namespace = 'other'`, []string{`sqlite3|update|memory|a|{"namespace":"default"}`}},
		{"Supersede", memories("a", "b"), edge("b", "supersedes", "a"),
			[]string{"sqlite3|link|edge|b-supersedes-a|", `sqlite3|supersede|memory|a|{"status":"current"}`}},
		{"Reinstate", memories("a", "b") + edge("b", "supersedes", "a") + `update edges set created_at = '2026-01-01T00:00:00.000Z';`, `delete from edges`, []string{
			`sqlite3|unlink|edge|b-supersedes-a|{"from":"b","to":"a","kind":"supersedes","rel":"","weight":1.0,"origin":"person","actor":"","note":"","declared":1,"basis":null,"valid_from":null,"valid_to":null,"created_at":"2026-01-01T00:00:00.000Z"}`,
			`sqlite3|reinstate|memory|a|{"status":"superseded"}`}},
		{"Relink", memories("a", "b") + edge("a", "causes", "b"), `update edges set weight = 0.5, note = 'less sure'`, []string{
			`sqlite3|relink|edge|a-causes-b|{"from":"a","to":"b","rel":"","weight":1.0,"note":"","valid_from":null,"valid_to":null}`}},
		{"Purge", memories("a"), `delete from memories`, []string{"sqlite3|purge|memory|a|"}},
		{"NamedWriter", memories("a") + `update writer set actor = 'ada', at = '2026-01-01T00:00:00.000Z';`, `update memories set title = 'New'`,
			[]string{`ada|update|memory|a|{"title":"Title a"}`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newShell(t)
			s.do(t, c.before+`delete from journal;`)
			s.do(t, c.script)
			s.want(t, `select actor, action, thing, id, before from journal order by seq`, c.want...)
			if c.name == "NamedWriter" {
				s.want(t, `select at from journal`, "2026-01-01T00:00:00.000Z")
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
		`insert into vaults (key, name, root, extraction, imported_at) values (1, 'v', '/', 1, '')`,
		`insert into files (memory, vault, path, size, modified, file_hash, warnings) select key, 1, 'zebrafish.md', 1, 1, '', '["zebrafish"]' from memories where id = 'b'`,
		`insert into verifications select c.key, b.key, 'changed', 'zebrafish', '' from memories b, memories c where b.id = 'b' and c.id = 'c'`,
	} {
		s.do(t, script)
	}
	tables := s.rows(t, `select name from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite\_%' escape '\'`)
	holding := func() []string {
		found := []string{}
		for _, table := range tables {
			if strings.Contains(strings.Join(s.rows(t, `select * from `+table), "\n"), secret) {
				found = append(found, table)
			}
		}
		if len(s.rows(t, `select rowid from section_search where section_search match ?`, secret)) > 0 {
			found = append(found, "section_search")
		}
		slices.Sort(found)
		return found
	}
	if before := holding(); !slices.Equal(before, []string{"edges", "files", "journal", "memories", "section_search", "sites", "verifications"}) {
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

func TestStale(t *testing.T) {
	for _, c := range []struct {
		name, script string
		want         []string // id|because_id|reason
	}{
		{"NotByItself", "", nil},
		{"Superseded", edge("x", "supersedes", "a"), []string{"b|a|superseded", "c|a|superseded"}},
		{"SupersededByHand", `update memories set status = 'superseded' where id = 'a'`, []string{"b|a|superseded", "c|a|superseded"}},
		{"SupersededNoMore", edge("x", "supersedes", "a") + `delete from edges where kind = 'supersedes'`, nil},
		{"Forgotten", `update memories set status = 'forgotten', forgotten_at = '2026-01-01T00:00:00.000Z' where id = 'a'`, []string{"b|a|forgotten", "c|a|forgotten"}},
		{"Contradicted", edge("x", "contradicts", "a"), []string{"b|a|contradicted", "c|a|contradicted"}},
		{"ContradictedFromTheOtherEnd", edge("a", "contradicts", "x"), []string{"b|a|contradicted", "c|a|contradicted"}},
		{"ContradictedByTheSuperseded", edge("a", "contradicts", "x") + edge("y", "supersedes", "x"), nil},
		{"Changed", `update memories set content = 'other' where id = 'a'`, []string{"b|a|changed", "c|a|changed"}},
		{"ChangedInTheMiddle", `update memories set content = 'other' where id = 'b'`, []string{"c|b|changed"}},
		{"ChangedInTitleOnly", `update memories set title = 'other' where id = 'a'`, nil},
		{"TwoReasons", edge("x", "supersedes", "a") + `update memories set content = 'other' where id = 'b'`,
			[]string{"b|a|superseded", "c|a|superseded", "c|b|changed"}},
		{"OnlyWhatIsCurrent", edge("x", "supersedes", "a") + edge("y", "supersedes", "b"), []string{"c|a|superseded", "c|b|superseded"}},
		{"NotAlongOtherKinds", edge("x", "causes", "y") + edge("x", "supports", "y") + edge("x", "part-of", "y") +
			`update memories set status = 'superseded' where id = 'y'`, nil},
		{"NotAlongEdgesThatAreOver", `update edges set valid_to = '2020-01-01T00:00:00.000Z';` + edge("x", "supersedes", "a"), nil},
		{"NotAlongEdgesToCome", `update edges set valid_from = '9000-01-01T00:00:00.000Z';` + edge("x", "supersedes", "a"), nil},
		{"Verified", edge("x", "supersedes", "a") + verified("b", "a", "superseded", "x-supersedes-a"), nil},
		{"VerifiedFurtherOn", edge("x", "supersedes", "a") + verified("c", "a", "superseded", "x-supersedes-a"), []string{"b|a|superseded"}},
		{"VerifiedOfAnotherSuccessor", edge("x", "supersedes", "a") + verified("b", "a", "superseded", "x-supersedes-a") +
			`delete from edges where kind = 'supersedes';` + edge("y", "supersedes", "a"), []string{"b|a|superseded", "c|a|superseded"}},
		{"VerifiedForAnotherReason", edge("x", "supersedes", "a") + verified("b", "a", "forgotten", "x-supersedes-a"), []string{"b|a|superseded", "c|a|superseded"}},
		{"BasisRenewed", `
update memories set content = 'other' where id = 'a';
update edges set basis = (select content_hash from memories where id = 'a') where id = 'b-depends-on-a'`, nil},
		{"NotByItsOwnDoubt", edge("b", "supersedes", "a") + edge("c", "contradicts", "b"), nil},
		{"RoundACircleOfSources", edge("a", "derived-from", "c") + `update memories set status = 'superseded' where id = 'b'`,
			[]string{"a|b|superseded", "c|b|superseded"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newShell(t)
			s.do(t, memories("a", "b", "c", "x", "y")+edge("b", "depends-on", "a")+edge("c", "derived-from", "b"))
			s.do(t, c.script)
			s.want(t, `select id, because_id, reason from stale order by 1, 2, 3`, c.want...)
		})
	}
}

func verified(memory, because, reason, mark string) string {
	return fmt.Sprintf(`
insert into verifications
select m.key, b.key, '%s', '%s', ''
from memories m, memories b
where m.id = '%s' and b.id = '%s';
`, reason, mark, memory, because)
}

// ground is an edge by which one memory rests on another; basis is what the
// other read when the edge was made.
type ground struct{ from, to, basis string }

func TestStaleIsWhatRecomputationSays(t *testing.T) {
	s := newShell(t)
	ids := []string{"a", "b", "c", "d", "e"}
	rapid.Check(t, func(t *rapid.T) {
		s.do(t, `delete from memories; delete from journal;`+memories(ids...))
		pick := func(name string) string { return rapid.SampledFrom(ids).Draw(t, name) }
		try := func(script string) { _, _ = s.sql.Exec(script) } // what the schema refuses does not happen
		for range rapid.IntRange(1, 14).Draw(t, "operations") {
			one, two := pick("one"), pick("two")
			switch rapid.IntRange(0, 9).Draw(t, "operation") {
			case 0, 1, 2:
				try(edge(one, "depends-on", two))
			case 3, 4:
				try(edge(one, "derived-from", two))
			case 5:
				try(edge(one, "supersedes", two))
			case 6:
				try(edge(one, "contradicts", two))
			case 7:
				try(fmt.Sprintf(`update memories set content = content || '.' where id = '%s'`, one))
			case 8:
				try(fmt.Sprintf(`update memories set status = 'forgotten', forgotten_at = '2026-01-01T00:00:00.000Z' where id = '%s'`, one))
			case 9:
				if rapid.Bool().Draw(t, "verify") {
					s.do(t, `
insert or ignore into verifications
select s.memory, s.because, s.reason, s.mark, ''
from stale_because s
join memories m on m.key = s.memory
where m.id = ?`, one)
				} else {
					s.do(t, `delete from edges where from_key = (select key from memories where id = ?) and kind <> 'derived-from'`, one)
				}
			}
		}
		if got, want := s.rows(t, `select id, because_id, reason from stale order by 1, 2, 3`), staleOf(t, s); !slices.Equal(got, want) {
			t.Fatalf("stale = %v, want %v\n%v\n%v", got, want, s.rows(t, `select * from edge_list`), s.rows(t, `select * from verifications`))
		}
	})
}

// staleOf computes the view stale from the plain rows.
func staleOf(t tb, s shell) []string {
	status, hash := map[string]string{}, map[string]string{}
	for _, row := range s.rows(t, `select id, status, content_hash from memories`) {
		f := strings.Split(row, "|")
		status[f[0]], hash[f[0]] = f[1], f[2]
	}
	type doubt struct{ reason, mark, by string }
	doubts := map[string][]doubt{}
	grounds := []ground{}
	for _, row := range s.rows(t, `
select e.id, f.id, t.id, e.kind, e.basis
from edges e
join memories f on f.key = e.from_key
join memories t on t.key = e.to_key`) {
		f := strings.Split(row, "|")
		id, from, to := f[0], f[1], f[2]
		switch f[3] {
		case "supersedes":
			doubts[to] = append(doubts[to], doubt{"superseded", id, from})
		case "contradicts":
			if status[from] == "current" {
				doubts[to] = append(doubts[to], doubt{"contradicted", id, from})
			}
			if status[to] == "current" {
				doubts[from] = append(doubts[from], doubt{"contradicted", id, to})
			}
		default:
			grounds = append(grounds, ground{from, to, f[4]})
		}
	}
	for id, st := range status {
		if st == "forgotten" {
			doubts[id] = append(doubts[id], doubt{"forgotten", "2026-01-01T00:00:00.000Z", ""})
		}
	}
	looked := map[string]bool{}
	for _, row := range s.rows(t, `
select m.id, b.id, v.reason, v.mark
from verifications v
join memories m on m.key = v.memory
join memories b on b.key = v.because`) {
		looked[row] = true
	}
	lines := map[string]bool{}
	for because := range status {
		spread := func(first []string, d doubt) {
			seen := map[string]bool{}
			for len(first) > 0 {
				at := first[0]
				first = first[1:]
				if seen[at] || at == d.by { // nobody is stale by a doubt of their own
					continue
				}
				seen[at] = true
				if status[at] == "current" {
					lines[at+"|"+because+"|"+d.reason] = true
				}
				for _, g := range grounds {
					if g.to == at && g.from != because && !looked[strings.Join([]string{g.from, because, d.reason, d.mark}, "|")] {
						first = append(first, g.from)
					}
				}
			}
		}
		changed := []string{}
		for _, g := range grounds {
			if g.to == because && g.basis != hash[because] {
				changed = append(changed, g.from)
			}
		}
		spread(changed, doubt{"changed", hash[because], ""})
		for _, d := range doubts[because] {
			direct := []string{}
			for _, g := range grounds {
				if g.to == because && !looked[strings.Join([]string{g.from, because, d.reason, d.mark}, "|")] {
					direct = append(direct, g.from)
				}
			}
			spread(direct, d)
		}
	}
	all := []string{}
	for line := range lines {
		all = append(all, line)
	}
	sort.Strings(all)
	return all
}

func site(note, edge string, line int) string {
	return fmt.Sprintf(`
insert into sites (note, edge, kind, origin, target, target_key, line, start_byte, end_byte, resolved_by)
select m.key, e.key, 'links-to', 'wikilink', 'T', 't', %d, 0, 1, iif(e.key is null, '', 'path')
from memories m
left join edges e on e.id = '%s'
where m.id = '%s';
`, line, edge, note)
}

func TestAnEdgeLivesAsLongAsASiteOrADeclaration(t *testing.T) {
	for _, c := range []struct{ name, declared, script, left string }{
		{"OneSiteGone", "0", `delete from sites where line = 1`, "1"},
		{"AllSitesGone", "0", `delete from sites`, "0"},
		{"AllSitesGoneButDeclared", "1", `delete from sites`, "1"},
		{"SitesLeadElsewhere", "0", `update sites set edge = null`, "0"},
		{"SitesLeadElsewhereButDeclared", "1", `update sites set edge = null`, "1"},
		{"OneSiteLeadsElsewhere", "0", `update sites set edge = null where line = 2`, "1"},
		{"SiteEditedInPlace", "0", `update sites set line = line + 10, context = 'x'`, "1"},
		{"UndeclaredWithSites", "1", `update edges set declared = 0`, "1"},
		{"UndeclaredWithoutSites", "1", `delete from sites; update edges set declared = 0`, "0"},
		{"NotePurged", "0", `delete from memories where id = 'n'`, "0"},
		{"TargetPurged", "0", `delete from memories where id = 'm'`, "0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newShell(t)
			s.do(t, memories("n", "m")+edge("n", "links-to", "m")+`update edges set declared = 1;`+
				site("n", "n-links-to-m", 1)+site("n", "n-links-to-m", 2)+`update edges set declared = `+c.declared+`;`)
			s.want(t, `select count(*) from edges`, "1")
			s.do(t, c.script)
			s.want(t, `select count(*) from edges`, c.left)
			s.want(t, `select count(*) from sites where edge is not null and edge not in (select key from edges)`, "0")
		})
	}
}

func TestDanglingLinks(t *testing.T) {
	s := newShell(t)
	s.do(t, memories("n", "m")+`update memories set uri = 'obsidian-fs://v/n.md' where id = 'n';`+edge("n", "links-to", "m")+
		site("n", "", 1)+site("n", "n-links-to-m", 2)+site("n", "", 3)+site("n", "", 4)+`
update sites set anchor = '#Part', rel = 'parent' where line = 3;
update sites set refused = 'cycle', resolved_by = 'path' where line = 4;`)
	s.want(t, `select * from dangling_links`, "Title n|obsidian-fs://v/n.md|T|links-to|1", "Title n|obsidian-fs://v/n.md|T#Part|parent|3")
	s.do(t, `delete from memories where id = 'm'`)
	s.want(t, `select line from dangling_links`, "1", "2", "3")
}

func TestIDsMadeByTheSchemaAreUUIDs(t *testing.T) {
	s := newShell(t)
	s.do(t, `insert into memories (title) select value from json_each('["a","b","c","d","e","f","g","h"]')`)
	for _, id := range s.rows(t, `select id from memories`) {
		if !regexp.MustCompile(`^01[0-9a-f]{6}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(id) {
			t.Errorf("%s is no UUIDv7", id)
		}
	}
}

func TestBatchIsWrittenInItsOwnersName(t *testing.T) {
	d := dbtest.New(t)
	if _, err := d.Write(t.Context(), "ada", "2026-01-01T00:00:00.000Z", db.S(`insert into memories (title) values ('x')`)); err != nil {
		t.Fatal(err)
	}
	if n := dbtest.Count(t, d, `select count(*) from journal where actor = 'ada' and at = '2026-01-01T00:00:00.000Z'`); n != 1 {
		t.Errorf("%d rows in ada's name, want 1", n)
	}
	dbtest.Script(t, d.Path(), `insert into memories (title) values ('y')`)
	if n := dbtest.Count(t, d, `select count(*) from journal where actor = 'sqlite3' and at > '2026-01-02'`); n != 1 {
		t.Errorf("%d rows in the shell's name, want 1", n)
	}
}

// The stock program: Debian ships 3.40.
func TestSqlite3Program(t *testing.T) {
	program, err := exec.LookPath("sqlite3")
	if err != nil {
		t.Skip("there is no sqlite3 program on this machine's PATH")
	}
	run := func(path, script string) (string, error) {
		c := exec.Command(program, "-batch", "-bail", path)
		c.Stdin = strings.NewReader(script)
		out, err := c.CombinedOutput()
		return strings.TrimSpace(string(out)), err
	}
	s := newShell(t)
	content, _ := json.Marshal(strings.Repeat("ferry ", 100))
	s.do(t, memories("a", "b", "c")+edge("b", "supersedes", "a")+edge("c", "depends-on", "a")+
		site("c", "", 1)+`update memories set content = '`+string(content)+`' where id = 'b'; delete from memories where id = 'a';`+edge("b", "depends-on", "c"))
	for _, c := range []struct {
		name, script, want string
		refused            bool
	}{
		{"Integrity", `pragma integrity_check; pragma foreign_key_check;`, "ok", false},
		{"View", `select from_title, kind, to_title from edge_list limit 5;`, "Title b|depends-on|Title c", false},
		{"EveryView", `
.output /dev/null
select * from memory_list; select * from edge_list; select * from lineage; select * from stale; select * from dangling_links; select * from journal_list;
.output
select 'read';`, "read", false},
		{"Search", `select count(*) from section_search where section_search match 'ferry';`, "1", false},
		{"Edit", `update memories set title = 'By hand' where id = 'b'; select revision from memories where id = 'b';`, "3", false},
		{"Insert", `insert into memories (title) values ('New'); select status, length(id) from memories where title = 'New';`, "current|36", false},
		{"Link", edge("b", "supersedes", "c") + `select status from memories where id = 'c';`, "superseded", false},
		{"Circle", edge("c", "depends-on", "b"), "circle", true},
		{"SecondSuccessor", memories("d") + edge("d", "supersedes", "c"), "UNIQUE", true},
		{"Dump", `.dump`, "PRAGMA foreign_keys=OFF", false},
		{"StillSound", `insert into section_search (section_search, rank) values ('integrity-check', 1); pragma integrity_check; pragma foreign_key_check;`, "ok", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := run(s.path, c.script)
			if (err != nil) != c.refused {
				t.Fatalf("%s: %v", out, err)
			}
			if c.refused || c.name == "Dump" {
				if !strings.Contains(out, c.want) {
					t.Errorf("%.200s does not say %q", out, c.want)
				}
			} else if out != c.want {
				t.Errorf("%q, want %q", out, c.want)
			}
		})
	}
	fresh := filepath.Join(t.TempDir(), "fresh.db")
	if out, err := run(fresh, hence.Schema+`select count(*) from edge_list;`); err != nil || out != "0" {
		t.Errorf("schema.sql in the program: %s, %v", out, err)
	}
	d, err := db.Open(t.Context(), fresh, db.Options{})
	if err != nil {
		t.Fatalf("a file made by the program: %v", err)
	}
	d.Close()
}
