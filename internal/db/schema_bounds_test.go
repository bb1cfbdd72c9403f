package db_test

import (
	"fmt"
	"strings"
	"testing"

	"hence/internal/db"
)

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
		{"LineEndInTitle", "", `insert into memories (title) values ('a' || char(10) || 'b')`},
		{"LastC1InTitle", "", `insert into memories (title) values ('a' || char(159))`},
		{"TabInKind", "", set("kind", "'a' || char(9)")},
		{"NULInKind", "", set("kind", "'a' || char(0) || 'b'")},
		{"DeleteInActor", "", set("actor", "'a' || char(127) || 'b'")},
		{"EscapeInActorOfAnEdge", memories("a", "b"), setEdge("actor", "char(27) || 'a'")},
		{"TabInRel", memories("a", "b"), setEdge("rel", "'a' || char(9) || 'b'")},
		{"NextLineInRel", memories("a", "b") + edge("a", "causes", "b"), `update edges set rel = 'a' || char(133)`},
		{"TabInATag", "", set("tags", `'["a","b\tc"]'`)},
		{"NULInATag", "", set("tags", `'["a\u0000c"]'`)},
		{"ControlInATagLater", memories("a"), `update memories set tags = '["a\u001b"]'`},
		{"TitleReworded", memories("a"), `update memories set title = 'a' || char(13)`},
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
		{"AMemoryReplacedByItsID", memories("a"), `insert or replace into memories (id, title) values ('a', 'x')`},
		{"AMemoryReplacedByItsKey", memories("a"), `replace into memories (key, title) values (1, 'x')`},
		{"AMemoryReplacedByItsURI", "insert into memories (title, uri) values ('x', 'u');", `insert or replace into memories (title, uri) values ('y', 'u')`},
		{"AMemoryMovedOverAnother", "insert into memories (title, uri) values ('x', 'u'), ('y', 'v');", `update or replace memories set uri = 'u'`},
		{"ReplacementOfNothing", "", `insert or replace into memories (title) values ('x')`},
		{"ImportanceOverOne", "", set("importance", "1.01")},
		{"ImportanceOfAThird", "", set("importance", "1.0 / 3")},
		{"ImportanceOf13Digits", "", set("importance", "0.1234567890123")},
		{"ConfidenceOfASum", "", set("confidence", "0.1 + 0.2")},
		{"WeightOfAThird", joined + edge("a", "causes", "b"), `update edges set weight = 1.0 / 3`},
		{"WeightOf16Digits", joined + edge("a", "causes", "b"), `update edges set weight = 0.1720342911467333`},
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
		{"CycleOfTwoSupersessions", joined + edge("b", "supersedes", "a"), `insert into edges (from_key, to_key, kind) values (1, 2, 'supersedes')`},
		{"CycleOfThreeSupersessions", joined + edge("c", "supersedes", "b") + edge("b", "supersedes", "a"), `insert into edges (from_key, to_key, kind) values (1, 3, 'supersedes')`},
		{"CycleOfTwoDependences", joined + edge("b", "depends-on", "a"), `insert into edges (from_key, to_key, kind) values (1, 2, 'depends-on')`},
		{"CycleOfThreeDependences", joined + edge("c", "depends-on", "b") + edge("b", "depends-on", "a"), `insert into edges (from_key, to_key, kind, rel) values (1, 3, 'depends-on', 'x')`},
		{"AnEdgeReplacedByItsEnds", joined + edge("a", "causes", "b"), `insert or replace into edges (from_key, to_key, kind) values (1, 2, 'causes')`},
		{"AnEdgeReplacedByItsID", joined + edge("a", "causes", "b"), `insert or replace into edges (id, from_key, to_key, kind) values ('a-causes-b', 2, 3, 'supports')`},
		{"ASuccessorReplaced", joined + edge("b", "supersedes", "a"), `replace into edges (from_key, to_key, kind) values (3, 1, 'supersedes')`},
		{"AnEdgeRewordedOverAnother", joined + edge("a", "causes", "b") + `insert into edges (from_key, to_key, kind, rel) values (1, 2, 'causes', 'x');`,
			`update or replace edges set rel = 'x'`},
		{"AnotherFrom", joined + edge("a", "causes", "b"), `update edges set from_key = 3`},
		{"AnotherTo", joined + edge("a", "causes", "b"), `update edges set to_key = 3`},
		{"AnotherKind", joined + edge("a", "causes", "b"), `update edges set kind = 'supersedes'`},
		{"AnotherEdgeKey", joined + edge("a", "causes", "b"), `update edges set key = 7`},
		{"AnotherEdgeID", joined + edge("a", "causes", "b"), `update edges set id = 'x'`},
		{"WeightRaisedOverOne", joined + edge("a", "causes", "b"), `update edges set weight = 2`},

		{"SectionTwice", memories("a"), `insert into sections (memory, ordinal) values (1, 0)`},
		{"SevenHashes", memories("a"), `insert into sections (memory, ordinal, level) values (1, 1, 7)`},
		{"VaultWithASlash", "", `insert into mirrors (name, root, extraction, imported_at) values ('a/b', '/', 1, '')`},
		{"SecondWriter", "", `insert into writer (only_row) values (2)`},
		{"NoWriter", "", `delete from writer`},
		{"AWriterReplaced", "", `replace into writer (only_row) values (1)`},
		{"ABatchCountedTwice", "update writer set batch = 7;", `update writer set batch = 6`},
		{"ExpectationThatDoesNotHold", "", `insert into expectation (holds) values (0)`},
		{"ExpectationOfNull", "", `insert into expectation (holds) values (null)`},
		{"UnknownAction", "", `insert into journal (at, actor, action, thing, id) values ('', '', 'read', 'memory', 'x')`},
		{"BeforeThatIsNoObject", "", `insert into journal (at, actor, action, thing, id, before) values ('', '', 'update', 'memory', 'x', '[]')`},
		{"VerificationOfNoReason", memories("a", "b"), `insert into verifications values (1, 2, 'bored', 'x', '')`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.do(t, "begin;\n"+c.before)
			defer s.do(t, "rollback")
			if _, err := s.sql.Exec(c.script); !db.IsRefused(err) {
				t.Errorf("%s: %v, want a refusal", c.script, err)
			}
		})
	}
}

func TestSchemaRefusesWhatIsNoJSON(t *testing.T) {
	s := newShell(t)
	for _, column := range []string{"aliases", "tags", "properties"} {
		if _, err := s.sql.Exec(fmt.Sprintf(`insert into memories (title, %s) values ('x', '{"open')`, column)); err == nil {
			t.Errorf("%s took text that is not JSON", column)
		}
	}
}

func TestSchemaTakesWhatIsWithinBounds(t *testing.T) {
	s := newShell(t)
	joined := memories("a", "b", "c")
	for name, script := range map[string]string{
		"TitleAlone":              `insert into memories (title) values ('x')`,
		"IDOf200Bytes":            `insert into memories (title, id) values ('x', '` + strings.Repeat("ø", 100) + `')`,
		"NextToControls":          `insert into memories (title, kind, tags) values (char(32) || '~' || char(160) || char(8232), 'é–\t', '["a b","\\t"]')`,
		"ImportanceAtItsEnds":     `insert into memories (title, importance) values ('x', 0), ('x', 1)`,
		"WithoutURITwice":         `insert into memories (title) values ('x'), ('x')`,
		"WeightOfOne":             joined + `insert into edges (from_key, to_key, kind, weight) values (1, 2, 'causes', 1)`,
		"CycleOfCauses":           joined + edge("a", "causes", "b") + edge("b", "causes", "a"),
		"CycleOfTwoAcyclicKinds":  joined + edge("a", "supersedes", "b") + edge("b", "depends-on", "a"),
		"ParallelKinds":           joined + edge("a", "causes", "b") + edge("a", "supports", "b"),
		"ParallelWords":           joined + edge("a", "causes", "b") + `insert into edges (from_key, to_key, kind, rel) values (1, 2, 'causes', 'x')`,
		"DiamondOfDependences":    joined + edge("c", "depends-on", "a") + edge("c", "depends-on", "b") + edge("b", "depends-on", "a"),
		"OneReplacesTwo":          joined + edge("c", "supersedes", "a") + edge("c", "supersedes", "b"),
		"SuccessorAfterTheFirst":  joined + edge("c", "supersedes", "a") + `delete from edges;` + edge("b", "supersedes", "a"),
		"NamespaceWithoutEdges":   joined + `update memories set namespace = 'x' where id = 'a'`,
		"SupersededWithoutAnEdge": joined + `update memories set status = 'superseded' where id = 'a'`,
		"AMemoryThereOrIgnored":   joined + `insert or ignore into memories (id, title) values ('a', 'x'), ('d', 'x')`,
		"AMemoryThereOrUpdated":   joined + `insert into memories (id, title) values ('a', 'x') on conflict (id) do update set title = excluded.title`,
		"AURIOrIgnored":           `insert into memories (title, uri) values ('x', 'u'), ('y', 'v'); update or ignore memories set uri = 'u'`,
		"AnEdgeThereOrIgnored":    joined + edge("a", "causes", "b") + `insert or ignore into edges (from_key, to_key, kind) values (1, 2, 'causes')`,
		"AnEdgeThereOrUpdated": joined + edge("a", "causes", "b") + `insert into edges (from_key, to_key, kind) values (1, 2, 'causes')
on conflict (from_key, to_key, kind, rel) do update set note = 'once more'`,
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
