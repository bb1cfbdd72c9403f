package tools

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"hence/edges"
	"hence/edges/belief"
	"hence/edges/walk"
	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/recall"
	"hence/tools/stdio"
	"hence/tools/wiretest"
)

// A conversation of an agent calls every tool. Each result is checked against its output
// schema.
func TestConversation(t *testing.T) {
	a := newAgent(t)

	slow, _ := get[memory.StoreResult](a, "memory_store",
		`{"title": "Cold starts take 8 s", "content": "Measured on staging: a cold start takes 8 s.", "kind": "event", "tags": ["perf/latency"], "properties": {"ms": 8000}}`)
	sqlite, said := get[memory.StoreResult](a, "memory_store",
		`{"title": "Use SQLite", "content": "One file, no server.", "kind": "decision",
		  "links": [{"to": "Cold starts take 8 s", "type": "depends-on", "note": "no server to start"}]}`)
	if diff := cmp.Diff([]string{"depends-on"}, kindsOf(sqlite.Edges)); diff != "" {
		t.Errorf("stored edges (-want +got):\n%s", diff)
	}
	for _, want := range []string{"Use SQLite", "by claude (agent)", `—depends-on→ "Cold starts take 8 s"`} {
		if !strings.Contains(said, want) {
			t.Errorf("the text does not say %q:\n%s", want, said)
		}
	}

	cached, _ := get[memory.StoreResult](a, "memory_store",
		`{"title": "Cold starts take 1 s", "content": "After the cache: 1 s.", "supersedes": ["`+slow.Memory.ID+`"], "reason": "the cache landed"}`)
	if len(cached.Superseded) != 1 || cached.Superseded[0].ID != slow.Memory.ID {
		t.Errorf("superseded %v, want %s", cached.Superseded, slow.Memory.ID)
	}

	linked, said := get[belief.LinkResult](a, "memory_link", `{"from": "Cold starts take 1 s", "to": "Use SQLite", "type": "caused_by", "weight": 0.5}`)
	if !linked.Created || linked.Edge.Type != edges.Causes || linked.Edge.From.Title != "Use SQLite" || linked.Edge.Weight != 0.5 {
		t.Errorf("linked %+v", linked)
	}
	if want := `Linked "Use SQLite" —causes→ "Cold starts take 1 s"`; said != want {
		t.Errorf("the text is %q, want %q", said, want)
	}
	if again, _ := get[belief.LinkResult](a, "memory_link", `{"from": "Use SQLite", "to": "Cold starts take 1 s", "type": "causes"}`); again.Created || again.Edge.Weight != 0.5 {
		t.Errorf("linked again: %+v", again)
	}

	result, said := get[recall.SearchResult](a, "memory_search", `{"query": "cold start", "mode": "keyword"}`)
	if diff := cmp.Diff([]string{"Cold starts take 1 s"}, titlesFound(result)); diff != "" {
		t.Errorf("search (-want +got):\n%s", diff)
	}
	if !strings.Contains(said, "by claude (agent)") {
		t.Errorf("the text of a search does not say who wrote:\n%s", said)
	}
	if all, _ := get[recall.SearchResult](a, "memory_search", `{"query": "cold start", "mode": "keyword", "status": "all"}`); len(all.Results) != 2 {
		t.Errorf("with status all: %v", titlesFound(all))
	}

	path, said := get[walk.PathResult](a, "memory_path", `{"from_id": "Cold starts take 1 s", "to_id": "Cold starts take 8 s", "alternatives": 3}`)
	if path.Hops != 1 || path.Path[0].Type != edges.Supersedes || len(path.Alternatives) != 1 {
		t.Errorf("path: %+v", path)
	}
	one, eight, store := ref.ShortID(path.Path[0].ID), ref.ShortID(path.Path[1].ID), ref.ShortID(path.Alternatives[0][1].ID)
	if want := "1 hop: Cold starts take 1 s —supersedes→ Cold starts take 8 s\n" +
		`  "Cold starts take 1 s" (` + one + `), "Cold starts take 8 s" (` + eight + ") [superseded]\n" +
		"or 2 hops: Cold starts take 1 s ←causes— Use SQLite —depends-on→ Cold starts take 8 s\n" +
		`  "Cold starts take 1 s" (` + one + `), "Use SQLite" (` + store + `), "Cold starts take 8 s" (` + eight + ") [superseded]"; said != want {
		t.Errorf("the text is\n%s\nwant\n%s", said, want)
	}
	if none, said := get[walk.PathResult](a, "memory_path", `{"from_id": "Cold starts take 8 s", "to_id": "Use SQLite", "direction": "forward"}`); none.Found || said != none.Message {
		t.Errorf("no path: %+v, %q", none, said)
	}

	around, said := get[walk.ExpandResult](a, "expand", `{"seed_doc_ids": ["Use SQLite", "no such thing"], "hops": 2, "include_superseded": true}`)
	if around.ReturnedCount != 2 || len(around.Warnings) != 1 {
		t.Errorf("expand: %+v", around)
	}
	if want := "- —causes→ " + `"Cold starts take 1 s"`; !strings.Contains(said, want) {
		t.Errorf("the text of expand lacks %q:\n%s", want, said)
	}
	near, said := get[walk.NeighborhoodResult](a, "get_neighborhood", `{"id": "Use SQLite", "include_superseded": true}`)
	if len(near.Nodes) != 2 || len(near.Edges) != 3 {
		t.Errorf("neighbourhood: %+v", near)
	}
	if want := `"Cold starts take 1 s" —supersedes→ "Cold starts take 8 s"`; !strings.Contains(said, want) {
		t.Errorf("the text of the neighbourhood lacks %q:\n%s", want, said)
	}
	line, said := get[edges.HistoryResult](a, "memory_history", `{"id": "Cold starts take 8 s"}`)
	if len(line.Chain) != 2 || line.Current.ID != cached.Memory.ID {
		t.Errorf("history: %+v", line)
	}
	if !strings.Contains(said, "because the cache landed") {
		t.Errorf("the text of history lacks the reason:\n%s", said)
	}

	opened, said := get[memory.GetResult](a, "memory_get", `{"ids": ["Use SQLite", "Cold starts take 8 s", "no such thing"]}`)
	if opened.ReturnedCount != 2 || len(opened.Warnings) != 1 || opened.Memories[1].SupersededBy == nil {
		t.Errorf("get: %+v", opened)
	}
	for _, want := range []string{"—causes→", "superseded by", "One file, no server.", "warning: "} {
		if !strings.Contains(said, want) {
			t.Errorf("the text of get lacks %q:\n%s", want, said)
		}
	}

	updated, _ := get[memory.UpdateResult](a, "memory_update", `{"id": "Cold starts take 8 s", "properties": {"ms": null, "where": "staging"}, "expected_revision": 1.0, "tags": null}`)
	if diff := cmp.Diff(db.Properties{"where": "staging"}, updated.Memory.Properties); diff != "" {
		t.Errorf("properties after the update (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"perf/latency"}, updated.Memory.Tags); diff != "" {
		t.Errorf("tags after an update with null (-want +got):\n%s", diff)
	}

	if gone, _ := get[memory.ForgetResult](a, "memory_forget", `{"id": "Use SQLite", "reason": "a test"}`); gone.Status != "forgotten" {
		t.Errorf("forget: %+v", gone)
	}
	if list, _ := get[memory.ListResult](a, "memory_list", `{"status": "forgotten"}`); list.ReturnedCount != 1 {
		t.Errorf("list of forgotten: %+v", list)
	}
	if back, _ := get[memory.RestoreResult](a, "memory_restore", `{"id": "`+sqlite.Memory.ID+`"}`); back.Memory.Status != memory.Current {
		t.Errorf("restore: %+v", back)
	}
	if cut, _ := get[edges.UnlinkResult](a, "memory_unlink", `{"from": "Use SQLite", "to": "Cold starts take 1 s", "type": "causes"}`); cut.Removed != 1 {
		t.Errorf("unlink: %+v", cut)
	}
	if gone, said := get[memory.ForgetResult](a, "memory_forget", `{"id": "Use SQLite", "purge": true}`); gone.Status != "purged" || !strings.Contains(said, "deleted and overwritten") {
		t.Errorf("purge: %+v, %q", gone, said)
	}
}

// The structured result is the domain's, byte for byte, so that the command
// line prints the same.
func TestStructuredIsTheDomainsResult(t *testing.T) {
	d := dbtest.New(t)
	var out strings.Builder
	err := stdio.Serve(t.Context(), newServer(t, d), strings.NewReader(
		toolCall(1, "memory_store", `{"content": "<b>5 > 4 & 3</b> \u2028 é", "properties": {"z": 1, "a": [null, 2.50, 1e21]}}`)+"\n"+
			toolCall(2, "memory_list", `{}`)), &out)
	if err != nil {
		t.Fatal(err)
	}
	sent := wiretest.Answers(t, out.String())
	result, err := (memory.Store{DB: d, Caller: caller}).List(t.Context(), memory.ListArgs{})
	if err != nil {
		t.Fatal(err)
	}
	want, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(sent[1].Result.StructuredContent)); diff != "" {
		t.Errorf("structured (-want +got):\n%s", diff)
	}
}

// Texts are short: long memories and long lists are cut.
func TestText_IsShort(t *testing.T) {
	dbtest.SkipUnderRace(t)
	a := newAgent(t)
	long := quote(t, strings.Repeat("lorem ipsum dolor sit amet ", 400))
	for range 30 {
		get[memory.StoreResult](a, "memory_store", `{"dedup": "off", "title": `+quote(t, strings.Repeat("title ", 30))+`, "content": `+long+`}`)
	}
	for tool, arguments := range map[string]string{
		"memory_list":   `{"limit": 200}`,
		"memory_search": `{"query": "lorem", "limit": 50, "detail": "full"}`,
	} {
		if r := a.ask(tool, arguments); len(text(t, r)) > 4*defaultBudget {
			t.Errorf("%s: a text of %d bytes", tool, len(text(t, r)))
		}
	}
}

// A long memory is returned whole if the budget allows, else part by part: text and
// structure say how much is missing and how to continue, and the parts add up to the whole.
func TestLongContentIsReadPartByPart(t *testing.T) {
	a := newAgent(t)
	for _, characters := range []int{5000, 30_000} {
		whole := strings.TrimSpace(strings.Repeat("wörter über é日 \"Kräne\" ", characters/22))
		get[memory.StoreResult](a, "memory_store", fmt.Sprintf(`{"title": "Long %d", "content": %s}`, characters, quote(t, whole)))
		read, calls := "", 0
		for offset := 0; ; calls++ {
			r, said := get[memory.GetResult](a, "memory_get", fmt.Sprintf(`{"id": "Long %d", "offset": %d}`, characters, offset))
			m := r.Memories[0]
			if !strings.Contains(said, m.Content) || len(said) > 4*defaultBudget {
				t.Fatalf("the text of %d bytes has not the content of the structure", len(said))
			}
			read += strings.TrimSuffix(m.Content, "…")
			if m.Cut == nil {
				break
			}
			if m.Cut.Of != utf8.RuneCountInString(whole) || m.Cut.Left+m.Cut.Offset != m.Cut.Of || m.Cut.Offset <= offset || !r.Truncated {
				t.Fatalf("cut: %+v", m.Cut)
			}
			if want := fmt.Sprintf("of %d,%03d characters; go on with offset %d", m.Cut.Of/1000, m.Cut.Of%1000, m.Cut.Offset); !strings.Contains(said, want) {
				t.Errorf("%q is not in the text, which ends %q", want, said[len(said)-100:])
			}
			offset = m.Cut.Offset
		}
		if read != whole || (calls == 0) != (characters == 5000) {
			t.Errorf("%d characters: read in %d calls, as it is: %v", characters, calls+1, read == whole)
		}
	}
}

func kindsOf(all []edges.Edge) []string {
	kinds := []string{}
	for _, e := range all {
		kinds = append(kinds, string(e.Type))
	}
	return kinds
}

func titlesFound(r recall.SearchResult) []string {
	titles := []string{}
	for _, f := range r.Results {
		titles = append(titles, f.Title)
	}
	return titles
}
