package exchange_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory/exchange/lines"
	"hence/memory/exchange/merge"
	"hence/memory/exchange/transcripts"
	"hence/memory/journal"
)

// outcome is what an import did with the memories of a file, or with its edges.
type outcome struct{ Added, Changed, Present, Older, Undecided int }

func outcomeOf(done lines.Imported) outcome {
	return outcome{done.Memories.Added + done.Edges.Added, done.Memories.Changed + done.Edges.Changed, done.Memories.Present + done.Edges.Present, done.Older, len(done.Undecided)}
}

// Nothing is called unchanged that is not stored: a newer line is taken in, an older one is
// named, and one that cannot be decided is listed with both texts.
func TestImportOfAChangedLine(t *testing.T) {
	full := func(fields string) string {
		return `{"type":"memory","id":"m","namespace":"default","kind":"fact","title":"T","content":"one","tags":["a"],"properties":{"x":1,"y":2},"status":"current",` +
			`"importance":0.5,"pinned":false,"confidence":null,"origin":"import","actor":"i","uri":null,"created_at":"2026-01-01T00:00:00Z",` + fields + `}`
	}
	memory := func(fields string) string { return `{"type":"memory","id":"m",` + fields + `}` }
	ends := `{"type":"memory","id":"a","title":"A"}` + "\n" + `{"type":"memory","id":"b","title":"B"}` + "\n"
	edge := func(fields string) string {
		return ends + `{"type":"edge","from":"a","to":"b","edge_type":"causes",` + fields + `}`
	}
	for _, c := range []struct {
		name, first, second string
		want                outcome
		text                string
	}{
		{"Newer", memory(`"content":"one","updated_at":"2026-01-01T00:00:00Z"`), memory(`"content":"two","updated_at":"2026-05-01T00:00:00Z"`), outcome{Changed: 1}, "two [] 0.5 {} 2"},
		{"Older", memory(`"content":"one","updated_at":"2026-05-01T00:00:00Z"`), memory(`"content":"two","updated_at":"2026-01-01T00:00:00Z"`), outcome{Older: 1}, "one [] 0.5 {} 1"},
		{"OfTheSameTime", memory(`"content":"one","updated_at":"2026-05-01T00:00:00Z"`), memory(`"content":"two","updated_at":"2026-05-01T01:00:00+01:00"`), outcome{Undecided: 1}, "one [] 0.5 {} 1"},
		{"WithoutATime", memory(`"content":"one"`), memory(`"content":"two"`), outcome{Undecided: 1}, "one [] 0.5 {} 1"},
		{"Equal", memory(`"content":"one","updated_at":"2026-01-01T00:00:00Z"`), memory(`"content":"one","updated_at":"2026-05-01T00:00:00Z"`), outcome{Present: 1}, "one [] 0.5 {} 1"},
		{"InTheYear9000", memory(`"content":"one","updated_at":"2026-01-01T00:00:00Z"`), memory(`"content":"two","updated_at":"9000-01-01T00:00:00Z"`), outcome{Undecided: 1}, "one [] 0.5 {} 1"},
		{"TheTagsOnly", memory(`"content":"one","tags":["a"],"updated_at":"2026-01-01T00:00:00Z"`), memory(`"content":"one","tags":["b"],"updated_at":"2026-05-01T00:00:00Z"`), outcome{Changed: 1}, `one ["b"] 0.5 {} 2`},
		{"TheWeightOnly", memory(`"content":"one","updated_at":"2026-01-01T00:00:00Z"`), memory(`"content":"one","importance":0.9,"updated_at":"2026-05-01T00:00:00Z"`), outcome{Changed: 1}, `one [] 0.9 {} 2`},
		{"WhatIsNotStatedStays", memory(`"content":"one","tags":["a"],"properties":{"x":1},"importance":0.9,"updated_at":"2026-01-01T00:00:00Z"`), memory(`"content":"two","updated_at":"2026-05-01T00:00:00Z"`), outcome{Changed: 1}, `two ["a"] 0.9 {"x":1} 2`},
		{"AWholeLine", full(`"updated_at":"2026-01-01T00:00:00Z","revision":1`), full(`"updated_at":"2026-05-01T00:00:00Z","revision":7,"aliases":["U"]`), outcome{Changed: 1}, `one ["a"] 0.5 {"x":1,"y":2} 2`},
		{"KeysInAnotherOrder", full(`"updated_at":"2026-01-01T00:00:00Z","revision":1`), strings.Replace(full(`"updated_at":"2026-05-01T00:00:00Z","revision":1`), `"x":1,"y":2`, `"y":2,"x":1`, 1), outcome{Present: 1}, `one ["a"] 0.5 {"x":1,"y":2} 1`},
		{"Forgotten", full(`"updated_at":"2026-01-01T00:00:00Z","revision":1`), strings.Replace(full(`"updated_at":"2026-05-01T00:00:00Z","revision":2`), `"current"`, `"forgotten"`, 1), outcome{Changed: 1}, `one ["a"] 0.5 {"x":1,"y":2} 2`},
		{"TwiceInAFile", memory(`"content":"zero","updated_at":"2025-01-01T00:00:00Z"`), memory(`"content":"one","updated_at":"2026-05-01T00:00:00Z"`) + "\n" + memory(`"content":"two","updated_at":"2026-06-01T00:00:00Z"`), outcome{Changed: 2}, "two [] 0.5 {} 2"},
		{"LessTrusted", memory(`"content":"one","source":"agent","updated_at":"2026-01-01T00:00:00Z"`), memory(`"content":"two","updated_at":"2026-05-01T00:00:00Z"`), outcome{Undecided: 1}, "one [] 0.5 {} 1"},
		{"AnEdgeLinkedAgain", edge(`"weight":0.5,"created_at":"2026-01-01T00:00:00Z"`), edge(`"weight":0.9,"created_at":"2026-05-01T00:00:00Z"`), outcome{Changed: 1, Present: 2}, "0.9"},
		{"AnEdgeLinkedEarlier", edge(`"weight":0.5,"created_at":"2026-05-01T00:00:00Z"`), edge(`"weight":0.9,"created_at":"2026-01-01T00:00:00Z"`), outcome{Older: 1, Present: 2}, "0.5"},
		{"AnEdgeWithoutATime", edge(`"weight":0.5`), edge(`"weight":0.9`), outcome{Undecided: 1, Present: 2}, "0.5"},
		{"AnEdgeThatSaysTheSame", edge(`"weight":0.5,"note":"n"`), edge(`"weight":0.5`), outcome{Present: 3}, "0.5"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := dbtest.New(t)
			if _, err := take(d, c.first); err != nil {
				t.Fatal(err)
			}
			state := func() string {
				return strings.Join(dbtest.Texts(t, d, `
select content || ' ' || tags || ' ' || importance || ' ' || properties || ' ' || revision from memories where id = 'm'
union all
select weight from edges`), "\n")
			}
			before := state()
			done, err := take(d, c.second)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, outcomeOf(done)); diff != "" {
				t.Errorf("Import (-want +got):\n%s%+v", diff, done)
			}
			if got := state(); got != c.text {
				t.Errorf("there is now %s, want %s", got, c.text)
			}
			for _, u := range done.Undecided {
				if u.Here == u.There || u.Why == "" {
					t.Errorf("%+v", u)
				}
			}
			again, err := take(d, c.second)
			if want := (outcome{0, 0, c.want.Changed + c.want.Present, c.want.Older, c.want.Undecided}); err != nil || c.name != "TwiceInAFile" && outcomeOf(again) != want {
				t.Errorf("a second time: %+v, %v, want %+v", outcomeOf(again), err, want)
			}
			if c.want.Changed == 0 {
				return
			}
			undone, err := journal.Journal{DB: d, Caller: ref.Caller{Actor: "importer"}}.Undo(t.Context(), journal.UndoArgs{})
			if err != nil {
				t.Fatal(err)
			}
			noRevision := func(text string) string { return text[:max(strings.LastIndex(text, " "), 0)] }
			if got := state(); noRevision(got) != noRevision(before) {
				t.Errorf("undone (%+v) there is %s, want %s", undone, got, before)
			}
		})
	}
}

// The versions of a memory may come in any order, in one file or several: the newest stands.
func TestTheNewestOfManyLinesStands(t *testing.T) {
	if dbtest.OnCluster() {
		dbtest.CheckTimes(t, 25)
	}
	d, check := dbtest.New(t), 0
	rapid.Check(t, func(r *rapid.T) {
		check++
		newest, told := map[string]int{}, 0
		for range rapid.IntRange(1, 4).Draw(r, "files") {
			lines := []string{}
			for range rapid.IntRange(1, 6).Draw(r, "lines") {
				id, day := fmt.Sprint(rapid.SampledFrom([]string{"a", "b"}).Draw(r, "id"), check), rapid.IntRange(1, 28).Draw(r, "day")
				newest[id] = max(newest[id], day)
				lines = append(lines, fmt.Sprintf(`{"type":"memory","id":%q,"content":"of day %d","updated_at":"2026-02-%02dT00:00:00Z"}`, id, day, day))
			}
			done, err := take(d, strings.Join(lines, "\n"))
			if err != nil {
				r.Fatal(err)
			}
			if o := outcomeOf(done); o.Added+o.Changed+o.Present+o.Older+o.Undecided != len(lines) {
				r.Fatalf("of %d lines it tells %+v", len(lines), o)
			}
			told += done.Memories.Added
		}
		for id, day := range newest {
			if got := dbtest.Texts(t, d, `select content from memories where id = ?`, id); got[0] != fmt.Sprintf("of day %d", day) {
				r.Fatalf("%s is %q, want of day %d", id, got, day)
			}
		}
		if told != len(newest) {
			r.Fatalf("%d memories are said to be added, want %d", told, len(newest))
		}
	})
}

// So may the versions of an edge, also with several ids and before the edge is stored.
func TestTheNewestOfManyLinesOfAnEdgeStands(t *testing.T) {
	dbtest.CheckTimes(t, 30)
	d, check := dbtest.New(t), 0
	rapid.Check(t, func(r *rapid.T) {
		check++
		newest, told, sites := 0, 0, false
		file := fmt.Sprintf(`{"type":"memory","id":"a%d","title":"A"}`+"\n"+`{"type":"memory","id":"b%[1]d","title":"B"}`, check)
		for range rapid.IntRange(1, 3).Draw(r, "files") {
			lines := rapid.IntRange(1, 5).Draw(r, "lines")
			for range lines {
				day, further := rapid.IntRange(1, 28).Draw(r, "day"), rapid.SampledFrom([]string{"", `,"id":"one%d"`, `,"id":"other%d"`}).Draw(r, "id")
				if further != "" {
					further = fmt.Sprintf(further, check)
				}
				ends := rapid.SampledFrom([]string{`"from":"a%d","to":"b%[1]d"`, `"from":"b%d","to":"a%[1]d"`}).Draw(r, "ends")
				if newest == 0 && rapid.Bool().Draw(r, "in a note") {
					sites, further = true, further+`,"declared":true,"sites":[{"line":1,"anchor":"","context":"of it"}]`
				}
				newest = max(newest, day)
				file += fmt.Sprintf("\n"+`{"type":"edge",`+ends+`,"edge_type":"contradicts","note":"of day %d","created_at":"2026-02-%02[2]dT00:00:00Z"%s}`, check, day, further)
			}
			done, err := take(d, file)
			if err != nil {
				r.Fatal(err)
			}
			if e := done.Edges; e.Added+e.Changed+e.Present+done.Older+len(done.Undecided) != lines {
				r.Fatalf("of %d lines it tells %+v, %d older, undecided %+v", lines, e, done.Older, done.Undecided)
			}
			told, file = told+done.Edges.Added, ""
		}
		got := dbtest.Texts(t, d, `
select e.note || (select ' ' || count(*) from sites where edge = e.key)
from edges e
join memories m on m.key in (e.from_key, e.to_key)
where m.id = ?`, fmt.Sprint("a", check))
		want := fmt.Sprintf("of day %d %d", newest, map[bool]int{true: 1}[sites])
		if told != 1 || len(got) != 1 || got[0] != want {
			r.Fatalf("%d edges are said to be added, and there are %q, want %s\n%s", told, got, want, file)
		}
	})
}

// The lines of an export know what their writer had seen, so a text that was edited apart is
// not replaced without a word.
func TestImportReplacesNoTextThatItsWriterHadNotSeen(t *testing.T) {
	here, there := newPerson(t), newPerson(t)
	there.store("Meal")
	if _, err := take(here.DB, export(t, there.DB)); err != nil {
		t.Fatal(err)
	}
	there.edit("Meal", "two")
	if done, err := take(here.DB, export(t, there.DB)); err != nil || done.Memories.Changed != 1 {
		t.Fatalf("Import = %+v, %v, want the edit of the other store", done, err)
	}
	here.edit("Meal", "three, here")
	there.edit("Meal", "three, there")
	done, err := take(here.DB, export(t, there.DB))
	if err != nil || len(done.Undecided) != 1 || done.Undecided[0].Here != "three, here" || done.Undecided[0].There != "three, there" {
		t.Errorf("Import = %+v, %v, want both texts", done, err)
	}
}

// An entity grows with its file, and loses nothing of what it has here.
func TestImportOfAnEntityThatHasGrown(t *testing.T) {
	ada := func(kind string, said ...string) string {
		return fmt.Sprintf(`{"type":"entity","name":"Ada","entityType":%q,"observations":["%s"]}`+"\n", kind, strings.Join(said, `","`))
	}
	for _, c := range []struct {
		name, first, between, second, text string
		want                               outcome
	}{
		{"TwiceInAFile", ada("person", "tea") + ada("person", "boat"), "", "", "- tea\n- boat\n []", outcome{Added: 1, Changed: 1}},
		{"ThreeTimes", ada("person", "tea") + ada("person", "tea") + ada("person", "boat", "tea"), "", "", "- tea\n- boat\n []", outcome{Added: 1, Changed: 1, Present: 1}},
		{"Grown", ada("person", "tea"), "", ada("person", "tea", "boat"), "- tea\n- boat\n []", outcome{Changed: 1}},
		{"TwoTypes", ada("person", "tea") + ada("ship", "sails"), "", "", "- tea\n- sails\n [\"ship\"]", outcome{Added: 1, Changed: 1}},
		{"Shrunk", ada("person", "tea", "boat"), "", ada("person", "boat"), "- tea\n- boat\n []", outcome{Present: 1}},
		{"EditedHere", ada("person", "tea"), `update memories set content = 'Likes tea, and said so.'`, ada("person", "boat"), "Likes tea, and said so.\n- boat\n []", outcome{Changed: 1}},
		{"LinesAndMarks", ada("person", `one\n- two`), "", ada("person", `one\n- two`, "- two", "one"), "- one\n  - two\n- - two\n- one\n []", outcome{Changed: 1}},
		{"Confirmed", ada("person", "tea"), `update memories set confirmed = content_hash || ' ' || title`, ada("person", "boat"), "- tea\n []", outcome{Undecided: 1}},
		{"Forgotten", ada("person", "tea"), `update memories set status = 'forgotten', forgotten_at = '2026-01-01T00:00:00.000Z'`, ada("person", "boat"), "- tea\n []", outcome{Undecided: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.name == "EditedHere" && dbtest.OnCluster() {
				t.Skip("a text is not edited by hand there")
			}
			d := dbtest.New(t)
			done, err := take(d, c.first)
			if err != nil {
				t.Fatal(err)
			}
			if c.between != "" {
				if _, err := d.Write(t.Context(), "ada", db.Now(), db.S(c.between)); err != nil {
					t.Fatal(err)
				}
			}
			if c.second != "" {
				if done, err = take(d, c.second); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(c.want, outcomeOf(done)); diff != "" {
				t.Errorf("Import (-want +got):\n%s%+v", diff, done)
			}
			if got := dbtest.Texts(t, d, `select content || ' ' || tags from memories`); len(got) != 1 || got[0] != c.text {
				t.Errorf("there is now %q, want %q", got, c.text)
			}
		})
	}
}

// One bad line of the MCP memory server's file costs that line, and a refused relation stops no
// other.
func TestOneBadLineOfTheMCPMemoryServerCostsOneLine(t *testing.T) {
	entity := func(name string) string {
		return fmt.Sprintf(`{"type":"entity","name":%q,"entityType":"x","observations":["of %s"]}`, name, name)
	}
	relation := func(from, word, to string) string {
		return fmt.Sprintf(`{"type":"relation","from":%q,"to":%q,"relationType":%q}`, from, to, word)
	}
	first, last := entity("A")+"\n"+entity("B"), entity("C")+"\n"+relation("C", "knows", "A")
	for _, c := range []struct {
		name, file     string
		memories       string
		edges, leftOut int
		said           string
	}{
		{"CutShort", first + "\n" + last + "\n" + `{"type":"rel`, "A B C", 1, 1, "line 5 was left out: it is not a JSON object"},
		{"BadEscape", first + "\n" + `{"type":"entity","name":"\q"}` + "\n" + last, "A B C", 1, 1, "line 3 was left out"},
		{"ConflictMarks", "<<<<<<< ours\n" + first + "\n=======\n" + last + "\n>>>>>>> theirs", "A B C", 1, 3, "line 1 was left out"},
		{"Loop", first + "\n" + relation("A", "knows", "A") + "\n" + last, "A B C", 1, 1, "line 3 was left out: both ends are the same"},
		{"AMark", `{"type":"_aim","source":"x"}` + "\n" + first + "\n" + last, "A B C", 1, 1, `line 1 was left out: "_aim"`},
		{"TwoObjects", first + "\n" + entity("D") + entity("E") + "\n" + last, "A B C", 1, 1, "line 3 was left out"},
		{"NoName", first + "\n" + `{"type":"entity","entityType":"x"}` + "\n" + last, "A B C", 1, 1, "line 3 was left out: the entity has no name"},
		{"NoEnd", first + "\n" + `{"type":"relation","from":"A","relationType":"x"}` + "\n" + last, "A B C", 1, 1, "line 3 was left out"},
		{"ToNobody", first + "\n" + relation("A", "knows", "Nobody") + "\n" + last, "A B C", 1, 1, "line 3 was left out: the relation"},
		{"TwoSuccessors", first + "\n" + relation("A", "replaced_by", "B") + "\n" + last + "\n" + relation("A", "replaced_by", "C"), "A B C", 2, 1, "already has a successor"},
		{"ACycle", first + "\n" + relation("A", "depends_on", "B") + "\n" + relation("B", "depends_on", "A") + "\n" + last, "A B C", 2, 1, "line 4: the edge would close a cycle"},
		{"Invalid", first + "\n\xff\xfe\n" + last, "A B C", 1, 1, "line 3 was left out: it is not valid UTF-8"},
		{"Many", first + strings.Repeat("\nx", 9) + "\n" + last, "A B C", 1, 9, "and 6 more were left out"},
		{"NoTypes", `{"name":"A","entityType":"x","observations":[]}` + "\n" + entity("B") + "\n" + entity("C") + "\n" + `{"from":"C","to":"A","relationType":"knows"}`, "A B C", 1, 0, ""},
		{"AnArray", "[" + strings.ReplaceAll(first+"\n"+last, "\n", ",\n ") + "]", "A B C", 1, 0, ""},
		{"ACutArray", "[" + strings.ReplaceAll(first+"\n"+last, "\n", ",") + `,{"type":"ent`, "A B C", 1, 1, "line 5 was left out: from here on the file cannot be read"},
		{"AGraph", "{\n  \"entities\": [" + strings.ReplaceAll(first, "\n", ", ") + "," + entity("C") + "],\n \"relations\": [" + relation("C", "knows", "A") + "]\n}", "A B C", 1, 0, ""},
		{"AGraphWithoutTypes", strings.NewReplacer(`"type":"entity",`, "", `"type":"relation",`, "").Replace(`{"relations":[` + relation("C", "knows", "A") + `],"more":{"a":[1]},"entities":[` + strings.ReplaceAll(first, "\n", ", ") + "," + entity("C") + `]}`), "A B C", 1, 0, ""},
		{"AGraphWithOneBad", `{"entities":[` + strings.ReplaceAll(first, "\n", ",") + `,5,{},null,` + entity("C") + `],"relations":[` + relation("C", "knows", "A") + `]}`, "A B C", 1, 3, "line 3 was left out"},
		{"UTF16", "\xff\xfe" + wide(first+"\n"+last), "A B C", 1, 0, ""},
		{"ByteOrderMark", "\uFEFF[" + strings.ReplaceAll(first+"\n"+last, "\n", ",") + "]", "A B C", 1, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := dbtest.New(t)
			done, err := take(d, c.file)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(dbtest.Texts(t, d, `select title from memories order by 1`), " "); got != c.memories {
				t.Errorf("memories: %s, want %s", got, c.memories)
			}
			if n := dbtest.Count(t, d, `select count(*) from edges`); n != c.edges || done.LeftOut != c.leftOut {
				t.Errorf("%d edges, want %d; %d lines left out, want %d: %q", n, c.edges, done.LeftOut, c.leftOut, done.Warnings)
			}
			if said := strings.Join(done.Warnings, "\n"); !strings.Contains(said, c.said) {
				t.Errorf("it says %q, not %q", said, c.said)
			}
		})
	}
}

// wide returns a text of ASCII in UTF-16, the low byte first.
func wide(text string) string {
	var out strings.Builder
	for _, b := range []byte(text) {
		out.Write([]byte{b, 0})
	}
	return out.String()
}

// Observations come as a list of texts, by other programs as a text or as objects with times.
func TestObservationsInOtherForms(t *testing.T) {
	for said, want := range map[string]string{
		`["a","b"]`: "- a\n- b\n", `"a"`: "- a\n", `null`: "", `[null,"a"," "]`: "- a\n", `[1,true]`: "- 1\n- true\n",
		`[{"content":"a","timestamp":"2026-01-01"}]`:        "- a (timestamp: 2026-01-01)\n",
		`[{"text":"a"},{"observation":"b","n":2,"z":null}]`: "- a\n- b (n: 2)\n",
		`[{"what":"a"}]`: "- {\"what\":\"a\"}\n",
		`{"text":"a"}`:   "- a\n",
	} {
		d := dbtest.New(t)
		if _, err := take(d, `{"type":"entity","name":"A","entityType":"x","observations":`+said+`}`); err != nil {
			t.Fatal(err)
		}
		if got := dbtest.Texts(t, d, `select content from memories`); got[0] != want {
			t.Errorf("%s: %q, want %q", said, got[0], want)
		}
	}
}

// A relation keeps its direction, and two relations both ways are two edges.
func TestRelationsKeepTheirDirection(t *testing.T) {
	d := dbtest.New(t)
	lines := ""
	for _, name := range []string{"A", "B"} {
		lines += fmt.Sprintf(`{"type":"entity","name":%q,"entityType":"x","observations":[]}`+"\n", name)
	}
	for _, r := range [][3]string{{"A", "B", "reports_to"}, {"B", "A", "reports_to"}, {"A", "B", "knows"}, {"B", "A", "depends_on"}, {"A", "B", "relates_to"}} {
		lines += fmt.Sprintf(`{"type":"relation","from":%q,"to":%q,"relationType":%q}`+"\n", r[0], r[1], r[2])
	}
	for _, want := range []outcome{{Added: 7}, {Present: 7}} {
		done, err := take(d, lines)
		if err != nil || outcomeOf(done) != want {
			t.Errorf("Import = %+v, %v, want %+v", done, err, want)
		}
	}
	got := dbtest.Texts(t, d, `select from_title || ' ' || kind || ' ' || rel || ' ' || to_title from edge_list order by 1`)
	want := []string{"A refers-to knows B", "A refers-to reports_to B", "A relates-to  B", "B depends-on  A", "B refers-to reports_to A"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("edges (-want +got):\n%s", diff)
	}
}

// What a program wrote with control characters comes in without them, and the same once.
func TestControlCharactersOfTheMCPMemoryServerAreTakenOut(t *testing.T) {
	d := dbtest.New(t)
	const lines = `{"type":"entity","name":"two\nlines","entityType":"ki\tnd","observations":["a\nb"]}
{"type":"entity","name":"B","entityType":"\u0001","observations":[]}
{"type":"relation","from":"two\nlines","to":"B","relationType":"lo\u0085ves"}`
	for _, want := range []outcome{{Added: 3}, {Present: 3}} {
		if done, err := take(d, lines); err != nil || outcomeOf(done) != want || len(done.Warnings) > 0 {
			t.Errorf("Import = %+v, %v, want %+v", done, err, want)
		}
	}
	got := dbtest.Texts(t, d, `select title || '|' || kind from memories union all select from_title || '|' || rel || '|' || to_title from edge_list order by 1`)
	if want := []string{"B|\uFFFD", "two lines|ki nd", "two lines|lo ves|B"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestControlCharactersOfConversationsAreTakenOut(t *testing.T) {
	d, path := dbtest.New(t), filepath.Join(t.TempDir(), "a.jsonl")
	line := `{"type":"assistant","uuid":"u","sessionId":"s","timestamp":"2026-01-02T03:04:05Z","message":{"role":"assistant","model":"mo\ndel","content":[{"type":"text","text":"so\u001b[2J it is"}]}}`
	if err := os.WriteFile(path, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	done, err := transcripts.Import(t.Context(), ref.View{DB: d}, transcripts.Args{Path: path, Format: transcripts.ClaudeCode})
	if err != nil || done.Turns != 1 {
		t.Fatalf("%+v, %v", done, err)
	}
	if got := dbtest.Texts(t, d, `select actor || '|' || title from memories where kind = 'turn'`); !slices.Equal(got, []string{"mo del|so [2J it is"}) {
		t.Errorf("%q", got)
	}
}

func TestIsForeign(t *testing.T) {
	for file, want := range map[string]bool{
		`{"type":"entity","name":"A","entityType":"x","observations":[]}`:               true,
		"x\n" + `{"type":"relation","from":"A","to":"B","relationType":"y"}`:            true,
		`[{"type":"entity","name":"A","entityType":"x","observations":[]}]`:             true,
		`{"entities":[{"name":"A","entityType":"x","observations":[]}],"relations":[]}`: true,
		`{"type":"memory","content":"x"}` + "\n" + `{"type":"entity","name":"A"}`:       false,
		"": false, "# A note": false,
	} {
		in := strings.NewReader(file)
		if is, err := lines.IsForeign(in); err != nil || is != want || in.Len() != len(file) {
			t.Errorf("%s: %v, %v, want %v; %d bytes left of %d", file, is, err, want, in.Len(), len(file))
		}
	}
	// A merge would make a double of an entity that it finds among other lines.
	_, err := merge.Lines(t.Context(), ref.View{DB: dbtest.New(t), Caller: ref.Caller{}}, strings.NewReader(`{"type":"memory","id":"m","content":"x"}`+"\n"+`{"type":"entity","name":"A","entityType":"x"}`), lines.ImportArgs{Name: "FILE"})
	if err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("Merge: %v, want a refusal of line 2", err)
	}
}
