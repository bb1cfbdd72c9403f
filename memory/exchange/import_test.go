package exchange_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory/exchange/lines"
)

func TestMissingFieldsTakeDefaults(t *testing.T) {
	d := dbtest.New(t)
	lines := "\uFEFF" + `{"type":"edge","from":"b c","to":"a","edge_type":"caused_by"}` + "\r\n\n" +
		`{"type":"memory","id":"a","content":"# One\nmore"}` + "\n" +
		`{"type":"memory","id":"b c","title":"Two","status":"forgotten","tags":["#y","x","y"],"created_at":"2026-01-01T01:00:00+01:00"}`
	done, err := take(d, lines)
	if err != nil || done.Lines != 3 || done.Memories.Added != 2 || done.Edges.Added != 1 {
		t.Fatalf("Import = %+v, %v", done, err)
	}
	got := dbtest.Texts(t, d, `
select concat_ws('|', id, namespace, kind, title, tags, properties, status, importance, pinned, origin, actor, revision,
  substr(created_at, 1, 10) = substr(strftime('%Y-%m-%d', 'now'), 1, 10), created_at = updated_at, forgotten_at, content_hash)
from memories
order by id`)
	want := []string{
		"a|default|fact|One|[]|{}|current|0.5|0|import|importer|1|1|1|" + db.Hash("# One\nmore"),
		"b c|default|fact|Two|" + `["x","y"]` + "|{}|forgotten|0.5|0|import|importer|1|0|1|2026-01-01T00:00:00.000Z|" + db.Hash(""),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("memories (-want +got):\n%s", diff)
	}
	edges := dbtest.Texts(t, d, `select from_id || ' ' || kind || ' ' || to_id || ' ' || weight || ' ' || origin from edge_list`)
	if diff := cmp.Diff([]string{"a causes b c 1.0 import"}, edges); diff != "" {
		t.Errorf("edges (-want +got):\n%s", diff)
	}
}

// hundreds returns n texts in JSON.
func hundreds(n int) (texts []string) {
	for i := range n {
		texts = append(texts, fmt.Sprintf("%q", fmt.Sprint("t", i)))
	}
	return texts
}

func TestWrongLinesAreNamedAndNothingIsWritten(t *testing.T) {
	good := `{"type":"memory","id":"good","title":"Good"}`
	d := dbtest.New(t)
	for _, c := range []struct{ name, line, want string }{
		{"NoJSON", `{"type":"memory"`, "not a JSON object"},
		{"CutShort", `{"type":"memory","title":"x`, "not a JSON object"},
		{"TwoObjects", `{"type":"memory","title":"x"} {}`, "after the object"},
		{"TwoTypes", `{"type":"memory","title":"x","type":"edge"}`, "two types"},
		{"AList", `[1]`, "not a JSON object: it has the wrong type, array"},
		{"NoType", `{"id":"x"}`, "no type"},
		{"OtherType", `{"type":"thing"}`, "not a type of line"},
		{"UnknownField", `{"type":"memory","title":"x","colour":"red"}`, `unknown field "colour"; the fields of type memory are type, id, `},
		{"FieldOfAMemory", `{"type":"edge","from":"a","to":"b","kind":"causes"}`, `unknown field "kind"; the fields of type edge are type, id, from, to, edge_type, `},
		{"WrongType", `{"type":"memory","title":5}`, "title has the wrong type, number"},
		{"Nothing", `{"type":"memory"}`, "neither a title nor content"},
		{"ManyTags", `{"type":"memory","title":"x","tags":[` + strings.Join(hundreds(201), ",") + `]}`, "201 tags"},
		{"LongTag", `{"type":"memory","title":"x","tags":["` + strings.Repeat("x", 201) + `"]}`, "a tag has more than 200"},
		{"HugeNumber", `{"type":"memory","title":"x","properties":{"a":1e999}}`, "properties cannot be read"},
		{"BlankTitle", `{"type":"memory","title":"  "}`, "title is blank"},
		{"TitleOfOtherBlanks", `{"type":"memory","title":"\n\t\u00a0"}`, "title is blank"},
		{"NUL", `{"type":"memory","title":"x","content":"a\u0000b"}`, "NUL"},
		{"InvalidUTF8", "{\"type\":\"memory\",\"title\":\"\xff\"}", "UTF-8"},
		{"LongID", `{"type":"memory","title":"x","id":"` + strings.Repeat("i", 201) + `"}`, "at most 200"},
		{"Status", `{"type":"memory","title":"x","status":"gone"}`, "status"},
		{"Origin", `{"type":"memory","title":"x","origin":"moon"}`, "origin"},
		{"Importance", `{"type":"memory","title":"x","importance":2}`, "importance"},
		{"Time", `{"type":"memory","title":"x","created_at":"2026-02-30T00:00:00Z"}`, "created_at"},
		{"Span", `{"type":"memory","title":"x","valid_from":"2026-02-02T00:00:00Z","valid_to":"2026-02-01T00:00:00Z"}`, "line 2: valid_from (2026-02-02T00:00:00.000Z) must be before valid_to (2026-02-01T00:00:00.000Z); change one of them"},
		{"EmptySpan", `{"type":"memory","title":"x","valid_from":"2026-02-01T00:00:00Z","valid_to":"2026-02-01T01:00:00+01:00"}`, "line 2: valid_from (2026-02-01T00:00:00.000Z) must be before valid_to (2026-02-01T00:00:00.000Z); change one of them"},
		{"SpanOfAnEdge", `{"type":"edge","from":"a","to":"b","edge_type":"causes","valid_from":"2026-02-02T00:00:00Z","valid_to":"2026-02-01T00:00:00Z"}`, "line 2: valid_from (2026-02-02T00:00:00.000Z) must be before valid_to (2026-02-01T00:00:00.000Z); change one of them"},
		{"TimeOfAnEdge", `{"type":"edge","from":"a","to":"b","edge_type":"causes","valid_from":"never"}`, `valid_from is "never"`},
		{"EmptyTimeOfAnEdge", `{"type":"edge","from":"a","to":"b","edge_type":"causes","valid_from":""}`, `valid_from is ""`},
		{"EmptyEndOfAnEdge", `{"type":"edge","from":"a","to":"b","edge_type":"causes","valid_from":null,"valid_to":""}`, `valid_to is ""`},
		{"EmptyValidity", `{"type":"memory","title":"x","valid_to":""}`, `valid_to is ""`},
		{"EmptyVerification", `{"type":"memory","title":"x","verified_at":""}`, `verified_at is ""`},
		{"EmptyForgetting", `{"type":"memory","title":"x","status":"forgotten","forgotten_at":""}`, `forgotten_at is ""`},
		{"ReasonOfAVerification", `{"type":"memory","title":"x","verifications":[{"because":"good","reason":"","mark":"m","at":"2026-02-01T00:00:00Z"}]}`, `reason of a verification is ""`},
		{"TimeOfAVerification", `{"type":"memory","title":"x","verifications":[{"because":"good","reason":"changed","mark":"m","at":""}]}`, `at of a verification is ""`},
		{"NoTimeOfARemoval", `{"type":"purged","id":"x"}`, `at is ""`},
		{"Properties", `{"type":"memory","title":"x","properties":[1]}`, "properties"},
		{"HugeNumber", `{"type":"memory","title":"x","properties":{"a":1e999}}`, "properties"},
		{"DeepProperties", `{"type":"memory","title":"x","properties":{"a":` + strings.Repeat("[", 600) + strings.Repeat("]", 600) + `}}`, "nested"},
		{"Revision", `{"type":"memory","title":"x","revision":-1}`, "revision"},
		{"EdgeType", `{"type":"edge","from":"a","to":"b","edge_type":"likes"}`, "no type of edge"},
		{"NoEnd", `{"type":"edge","from":"a","edge_type":"causes"}`, "to is missing"},
		{"Loop", `{"type":"edge","from":"a","to":"a","edge_type":"causes"}`, "same memory"},
		{"Weight", `{"type":"edge","from":"a","to":"b","edge_type":"causes","weight":0}`, "weight"},
		{"NoName", `{"type":"entity","entityType":"person"}`, "no name"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := take(d, good+"\n"+c.line+"\n")
			if fault.CodeOf(err) != fault.InvalidArgument || !strings.Contains(err.Error(), "line 2: ") || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Import: %v, want one that names line 2 and %q", err, c.want)
			}
			if n := dbtest.Count(t, d, `select count(*) from journal`); n != 0 {
				t.Errorf("%d changes were kept", n)
			}
		})
	}
}

func TestOfManyWrongLinesAFewAreSaid(t *testing.T) {
	for _, c := range []struct{ name, file, want string }{
		{"ANote", strings.Repeat("# A heading\n\nand words\n", 2),
			"nothing was imported; line 1: it is not a JSON object: invalid character '#' looking for beginning of value; " +
				"line 3: it is not a JSON object: invalid character 'a' looking for beginning of value; " +
				"line 4: it is not a JSON object: invalid character '#' looking for beginning of value; and 1 more; " +
				"expected one JSON object per line; to import notes, pass their folder"},
		{"SomeOfMany", `{"type":"memory","title":"Good"}` + strings.Repeat("\nx", 30),
			"nothing was imported; line 2: it is not a JSON object: invalid character 'x' looking for beginning of value; " +
				"line 3: it is not a JSON object: invalid character 'x' looking for beginning of value; " +
				"line 4: it is not a JSON object: invalid character 'x' looking for beginning of value; and 27 more"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := take(dbtest.New(t), c.file)
			if err == nil || !strings.HasSuffix(err.Error(), c.want) {
				t.Errorf("%v\nwant … %s", err, c.want)
			}
		})
	}
}

// Lines are checked in parallel; the error names the first wrong lines in order.
func TestWrongLinesOfALongFileAreNamedInOrder(t *testing.T) {
	const lines, apart = 4000, 90
	var file strings.Builder
	want := []int{}
	for n := 1; n <= lines; n++ {
		if n%apart == 0 {
			file.WriteString("wrong\n")
			want = append(want, n)
			continue
		}
		fmt.Fprintf(&file, `{"type":"memory","title":"%d","content":"%s"}`+"\n", n, strings.Repeat("words ", 100))
	}
	_, err := take(dbtest.New(t), file.String())
	var known *fault.Error
	if !errors.As(err, &known) {
		t.Fatal(err)
	}
	if got := known.Details["lines"]; fmt.Sprint(got) != fmt.Sprint(want[:20]) || !strings.HasSuffix(known.Message, fmt.Sprintf("and %d more", len(want)-3)) {
		t.Errorf("%v, want %v: %v", got, want[:20], err)
	}
}

func TestTheGraphRefusesByLineAndWholeBatches(t *testing.T) {
	memories := `{"type":"memory","id":"a","title":"A"}
{"type":"memory","id":"b","title":"B"}
{"type":"memory","id":"c","title":"C","namespace":"other"}
{"type":"edge","from":"a","to":"b","edge_type":"depends-on"}
`
	for _, c := range []struct {
		name, line string
		code       fault.Code
	}{
		{"Cycle", `{"type":"edge","from":"b","to":"a","edge_type":"depends-on"}`, fault.Cycle},
		{"NoSuchEnd", `{"type":"edge","from":"b","to":"z","edge_type":"causes"}`, fault.InvalidArgument},
		{"TwoNamespaces", `{"type":"edge","from":"b","to":"c","edge_type":"causes"}`, fault.InvalidArgument},
		{"SecondSuccessor", `{"type":"edge","from":"b","to":"a","edge_type":"supersedes"}
{"type":"memory","id":"d","title":"D"}
{"type":"edge","from":"d","to":"a","edge_type":"supersedes"}`, fault.Conflict},
		{"SecondURI", `{"type":"memory","id":"e","title":"E","uri":"u"}` + "\n" + `{"type":"memory","id":"f","title":"F","uri":"u"}`, fault.Conflict},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := dbtest.New(t)
			_, err := take(d, memories+c.line)
			last := fmt.Sprintf("line %d: ", 5+strings.Count(c.line, "\n"))
			if fault.CodeOf(err) != c.code || !strings.Contains(err.Error(), last) {
				t.Errorf("Import: %v, want %s at %s", err, c.code, last)
			}
			if n := dbtest.Count(t, d, `select count(*) from edges`); n != 0 {
				t.Errorf("%d edges of the batch were kept", n)
			}
		})
	}
}

func TestImportLeavesWhatIsThere(t *testing.T) {
	d := dbtest.New(t)
	if _, err := take(d, `{"type":"memory","id":"a","title":"Mine"}`); err != nil {
		t.Fatal(err)
	}
	done, err := take(d, `{"type":"memory","id":"a","title":"Theirs"}`)
	want := []lines.Undecided{{
		Line: 1, ID: "a", Title: "Mine", Trust: "import", Why: "it has no updated_at; give it a later one, or store its text with hence update", Here: `title "Mine"`, There: `title "Theirs"`,
	}}
	if diff := cmp.Diff(want, done.Undecided); err != nil || done.Memories.Present != 0 || diff != "" {
		t.Fatalf("Import = %+v, %v (-want +got):\n%s", done, err, diff)
	}
	if got := dbtest.Texts(t, d, `select title from memories`); got[0] != "Mine" {
		t.Errorf("the memory is now %q", got)
	}
}

func TestALineThatIsThereTwiceTakesNothingFromTheOthers(t *testing.T) {
	d := dbtest.New(t)
	memory := `{"type":"memory","id":"a","title":"A","changed":{"title":["2026-01-01T00:00:00.000Z~1"]}}` + "\n"
	edge := `{"type":"edge","id":"e","from":"a","to":"b","edge_type":"relates-to","changed":{"said":["2026-01-01T00:00:00.000Z~1"]}}` + "\n"
	done, err := take(d, memory+memory+`{"type":"memory","id":"b","title":"B"}`+"\n"+edge+edge+
		`{"type":"edge","id":"f","from":"a","to":"c","edge_type":"relates-to","unsettled":"missing"}`)
	if err != nil || done.Memories != (lines.Came{Added: 2, Present: 1}) || done.Edges != (lines.Came{Added: 1, Present: 1}) {
		t.Fatalf("Import = %+v, %v", done, err)
	}
	got := dbtest.Texts(t, d, `select id || ' ' || field from stamps union all select id || ' ' || why from unsettled`)
	if diff := cmp.Diff([]string{"a title", "e said", "f missing"}, got); diff != "" {
		t.Errorf("stamps and unsettled edges (-want +got):\n%s", diff)
	}
}

func TestLinesWithoutIDsComeOnce(t *testing.T) {
	d := dbtest.New(t)
	for range 2 {
		if _, err := take(d, `{"type":"memory","title":"No id"}`); err != nil {
			t.Fatal(err)
		}
	}
	if n := dbtest.Count(t, d, `select count(*) from memories`); n != 1 {
		t.Errorf("%d memories of one line, want 1", n)
	}
}

func TestDryRunSaysWhatWouldComeOfIt(t *testing.T) {
	d := dbtest.New(t)
	if _, err := take(d, `{"type":"memory","id":"a","title":"A"}`); err != nil {
		t.Fatal(err)
	}
	s := ref.View{DB: d}
	try := func(text string) (lines.Imported, error) {
		return lines.Import(t.Context(), s, strings.NewReader(text), lines.ImportArgs{Name: "FILE", DryRun: true})
	}
	done, err := try(`{"type":"memory","id":"a","title":"A"}
{"type":"memory","id":"b","title":"B"}
{"type":"edge","from":"b","to":"a","edge_type":"supersedes"}`)
	if err != nil || !done.DryRun || done.Memories != (lines.Came{Added: 1, Present: 1}) || done.Edges.Added != 1 {
		t.Errorf("Import = %+v, %v", done, err)
	}
	if _, err := try(`{"type":"edge","from":"nobody","to":"a","edge_type":"causes"}`); fault.CodeOf(err) != fault.InvalidArgument {
		t.Errorf("Import of an edge to nowhere: %v", err)
	}
	if got := dbtest.Texts(t, d, `select title || status from memories`); len(got) != 1 || got[0] != "Acurrent" {
		t.Errorf("the store holds %q now", got)
	}
}

func TestNamespaceOfTheCallerTakesAll(t *testing.T) {
	d := dbtest.New(t)
	s := ref.View{DB: d, Caller: ref.Caller{Namespace: "team"}}
	text := `{"type":"memory","id":"a","title":"A","namespace":"elsewhere"}` + "\n" + `{"type":"memory","title":"B"}`
	if _, err := lines.Import(t.Context(), s, strings.NewReader(text), lines.ImportArgs{}); err != nil {
		t.Fatal(err)
	}
	if _, err := take(d, `{"type":"memory","id":"c","title":"C"}`); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if done, err := lines.Export(t.Context(), s, &out); err != nil || done.Memories != 2 || strings.Contains(out.String(), "elsewhere") {
		t.Errorf("Export of the namespace = %+v, %v\n%s", done, err, &out)
	}
}

func TestAFailedImportSaysWhatIsIn(t *testing.T) {
	dbtest.SkipUnderRace(t)
	const memory, edge = `{"type":"memory","id":"a","title":"A"}`, `{"type":"edge","from":"a","to":"nowhere","edge_type":"causes"}`
	for _, c := range []struct {
		name, lines string
		dryRun      bool
		want        string // the end of the error
	}{
		{"WhatHenceUndoTakesBack", memory + "\n" + edge, false, "; what came before is in (memories: 1, edges: 0), and hence undo takes it back"},
		{"Nothing", edge, false, "neither in the file nor in the store"},
		{"NothingOfARehearsal", memory + "\n" + edge, true, "neither in the file nor in the store"},
		{"MoreThanCanBeTakenBack", many(10_001) + edge, false,
			"; what came before is in (memories: 10001, edges: 0)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := ref.View{DB: dbtest.New(t)}
			_, err := lines.Import(t.Context(), s, strings.NewReader(c.lines), lines.ImportArgs{Name: "FILE", DryRun: c.dryRun})
			if fault.CodeOf(err) != fault.InvalidArgument || !strings.HasSuffix(err.Error(), c.want) {
				t.Errorf("Import: %v\nwant … %s", err, c.want)
			}
		})
	}
}

// many returns the lines of n memories.
func many(n int) string {
	var lines strings.Builder
	for i := range n {
		fmt.Fprintf(&lines, `{"type":"memory","id":"m%d","title":"M"}`+"\n", i)
	}
	return lines.String()
}

// A memory of another namespace does not count as present.
func TestAnIDOfAnotherNamespaceIsRefused(t *testing.T) {
	const (
		a    = `{"type":"memory","id":"a","title":"A"}` + "\n"
		b    = `{"type":"memory","id":"b","title":"B"}` + "\n"
		edge = `{"type":"edge","from":"a","to":"b","edge_type":"causes"}` + "\n"
	)
	for _, c := range []struct {
		name, namespace, lines string
		code                   fault.Code
		says                   string
	}{
		{"IntoTheSameOne", "one", a + b + edge, "", ""},
		{"IntoAnother", "two", `{"type":"memory","id":"c","title":"C"}` + "\n" + a, fault.Conflict, `line 2: the id "a" belongs to a memory of another namespace than "two"`},
		{"WhereTheLineSays", "", strings.Replace(a, `"id"`, `"namespace":"one","id"`, 1), "", ""},
		{"WhereTheLineSaysAnother", "", a, fault.Conflict, `line 1: the id "a" belongs to a memory of another namespace than "default"`},
		{"TwiceInOneFile", "", strings.ReplaceAll(a+a, `"a"`, `"d"`) + `{"type":"memory","id":"d","title":"D","namespace":"two"}`, fault.Conflict, "line 3: "},
		{"AnEdgeThere", "two", edge, fault.InvalidArgument, `line 1: the edge joins memories of another namespace than "two"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := dbtest.New(t)
			take := func(namespace, text string) (lines.Imported, error) {
				s := ref.View{DB: d, Caller: ref.Caller{Namespace: namespace}}
				return lines.Import(t.Context(), s, strings.NewReader(text), lines.ImportArgs{Name: "FILE"})
			}
			if _, err := take("one", a+b); err != nil {
				t.Fatal(err)
			}
			_, err := take(c.namespace, c.lines)
			if fault.CodeOf(err) != c.code || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("Import: %v, want code %q with %q", err, c.code, c.says)
			}
			if n := dbtest.Count(t, d, `select count(*) from memories where namespace <> 'one'`) + dbtest.Count(t, d, `select count(*) from edges`); err != nil && n != 0 {
				t.Errorf("%d rows were kept", n)
			}
		})
	}
}

func TestAStoppedImportGoesOn(t *testing.T) {
	const memories = 10 // five make a batch
	blank := strings.Repeat(" ", 200_000)
	var given strings.Builder
	for i := range memories {
		fmt.Fprintf(&given, "{\"type\":\"memory\",\"id\":\"m%04d\",\"title\":\"M%d\",\"content\":\"a%sb\"}\n", i, i, blank)
		if i > 0 {
			fmt.Fprintf(&given, "{\"type\":\"edge\",\"from\":\"m%04d\",\"to\":\"m%04d\",\"edge_type\":\"follows\"}\n", i, i-1)
		}
	}
	d := dbtest.New(t)
	s := ref.View{DB: d}
	ctx, stop := context.WithCancel(t.Context())
	total := len(given.String())
	_, err := lines.Import(ctx, s, strings.NewReader(given.String()), lines.ImportArgs{Progress: func(done, _ int) {
		if done > total { // a batch has been written
			stop()
		}
	}})
	if fault.CodeOf(err) != fault.Unavailable {
		t.Fatalf("Import that was stopped: %v", err)
	}
	half := dbtest.Count(t, d, `select count(*) from memories`)
	if half == 0 || half == memories {
		t.Fatalf("%d memories are there after half an import", half)
	}
	done, err := take(d, given.String())
	if err != nil || done.Memories != (lines.Came{Added: memories - half, Present: half}) || done.Edges.Added != memories-1 {
		t.Errorf("Import = %+v, %v, want the rest of what had %d", done, err, half)
	}
}

// The file has the format that @modelcontextprotocol/server-memory writes.
func TestImportOfTheMCPMemoryServer(t *testing.T) {
	lines, err := os.ReadFile("testdata/mcp-memory.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	d := dbtest.New(t)
	for range 2 { // twice changes nothing
		if _, err := take(d, string(lines)); err != nil {
			t.Fatal(err)
		}
	}
	got := dbtest.Texts(t, d, `select kind || ': ' || title || '|' || content from memories order by title`)
	want := []string{
		"project: Hence|- Written in Go\n- One file,\n  two lines\n",
		"person: John_Smith|- Speaks fluent Spanish\n- Prefers mornings\n",
		"entity: Nothing|",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("memories (-want +got):\n%s", diff)
	}
	got = dbtest.Texts(t, d, `select from_title || ' —' || kind || coalesce(':' || nullif(rel, ''), '') || '→ ' || to_title from edge_list order by 1`)
	want = []string{
		"Hence —depends-on→ Nothing",
		"John_Smith —causes:caused by→ Hence",
		"John_Smith —refers-to:works_on→ Hence",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("edges (-want +got):\n%s", diff)
	}
	done, err := take(d, string(lines))
	if err != nil || done.LeftOut != 1 || len(done.Warnings) != 1 || !strings.Contains(done.Warnings[0], "line 7") {
		t.Errorf("Import = %+v, %v; want a word about the relation to nobody", done, err)
	}
}
