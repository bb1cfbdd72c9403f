package tools

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"hence/internal/db/dbtest"
)

// hubNotes are notes of a vault around one that every other links to. Titles have 33 characters
// on average, as in vaults that people keep.
func hubNotes(leaves int) map[string]string {
	words := strings.Fields("ledger seat booking queue payment gateway harbour ferry deck scanner refund winter timetable crew price terminal release incident season quay")
	title := func(i int) string {
		n := i*7919 + 13
		return fmt.Sprintf("%s %s of the %s %s %d", words[n%20], words[n/20%20], words[n/400%20], words[n/7%20], i)
	}
	notes := map[string]string{"Everything about the harbour.md": "The middle of all.\n"}
	for i := range leaves {
		notes["notes/of/the/year/"+title(i)+".md"] = fmt.Sprintf("---\ntags: [area/booking, storage]\n---\nOf [[Everything about the harbour]], and after [[%s]]. %s\n", title((i*31+1)%leaves), strings.Repeat("More text. ", 40))
	}
	return notes
}

// At their default limits the walks around a hub fit the default budget, text and structure, and
// their pages bring all of it.
func TestLeanWalks_HubFits(t *testing.T) {
	dbtest.SkipUnderRace(t)
	d := dbtest.New(t)
	attach(t, d, "default", "", hubNotes(260))
	a := meet(t, d, Options{})
	for _, c := range []struct {
		tool, arguments string
		rows, all       int
	}{
		{"expand", `"id": "Everything about the harbour"`, 100, 260},
		{"get_neighborhood", `"id": "Everything about the harbour"`, 50, 260},
		{"get_neighborhood", `"id": "Everything about the harbour", "limit": 60`, 60, 260},
		{"expand", `"id": "Everything about the harbour", "direction": "incoming", "edge_types": "links-to"`, 100, 260},
		{"expand", `"id": "Everything about the harbour", "detail": "full"`, 1, 260},
	} {
		seen, cursor := map[string]bool{}, ""
		for page := 0; page == 0 || cursor != ""; page++ {
			result := a.ask(c.tool, `{`+c.arguments+`, "cursor": "`+cursor+`"}`)
			raw := structured(t, result)
			var got struct {
				Results, Nodes []struct{ ID string }
				Next           string
			}
			if err := json.Unmarshal(raw, &got); err != nil || result.IsError {
				t.Fatalf("%s: %s %v", c.arguments, raw, err)
			}
			rows := append(got.Results, got.Nodes...)
			if size := max(len(raw), len(text(t, result))); size > 4*defaultBudget || page == 0 && len(rows) < c.rows {
				t.Errorf("%s %s: %d rows in %d tokens, want %d in %d", c.tool, c.arguments, len(rows), size/4, c.rows, defaultBudget)
			}
			for _, row := range rows {
				if seen[row.ID] {
					t.Fatalf("%s %s: page %d has %s again", c.tool, c.arguments, page, row.ID)
				}
				seen[row.ID] = true
			}
			if cursor = got.Next; len(cursor) > 48 {
				t.Errorf("%s: a cursor of %d bytes", c.tool, len(cursor))
			}
			if !strings.Contains(text(t, result), cursor) {
				t.Errorf("%s: the text lacks the cursor", c.tool)
			}
		}
		if len(seen) != c.all {
			t.Errorf("%s %s: %d on all pages, want %d", c.tool, c.arguments, len(seen), c.all)
		}
	}
}

// A lean row has what a choice needs and nothing that most rows have in common; a full row all.
func TestLeanWalks_Rows(t *testing.T) {
	d := dbtest.New(t)
	attach(t, d, "default", "", map[string]string{"One.md": "[[Two]]\n", "Two.md": "---\ndepends-on: \"[[Three]]\"\ntags: [x]\n---\nText of two.\n", "Three.md": "Text of three.\n"})
	a := meet(t, d, Options{})
	for _, c := range []struct {
		tool, arguments string
		has, lacks      []string
	}{
		{"expand", `{"id": "One", "hops": 2}`, []string{`"hop":2`, `"from":"`, `"edge_type":"depends-on"`}, []string{`"route"`, `"content_hash"`, `"snippet"`, `"uri"`, `"tags"`, `"rel"`, `"origin"`, `"status"`, `"seed_doc_id"`}},
		{"expand", `{"id": "One", "hops": 2, "detail": "full"}`, []string{`"route":[`, `"content_hash":"`, `"snippet":"Text of two.`, `"uri":"`, `"tags":["x"]`, `"origin":"vault"`, `"seed_doc_id"`}, nil},
		{"expand", `{"seed_doc_ids": ["One", "Three"]}`, []string{`"seed_doc_id":"`}, []string{`"from"`}},
		{"get_neighborhood", `{"id": "One", "depth": 2}`, []string{`"distance":2`, `"edges":[{"from":"`}, []string{`"rel"`, `"origin"`, `"snippet"`}},
		{"get_neighborhood", `{"id": "One", "depth": 2, "detail": "full"}`, []string{`"rel":""`, `"uri":"obsidian-fs://default/Three.md"`, `"tags":["x"]`, `"origin":"vault"`}, []string{`"snippet"`}},
	} {
		got := string(structured(t, a.ask(c.tool, c.arguments)))
		for _, part := range c.has {
			if !strings.Contains(got, part) {
				t.Errorf("%s %s lacks %s: %s", c.tool, c.arguments, part, got)
			}
		}
		for _, part := range c.lacks {
			if strings.Contains(got, part) {
				t.Errorf("%s %s has %s: %s", c.tool, c.arguments, part, got)
			}
		}
	}
	// A lean id names its memory again.
	var lean struct{ Results []struct{ ID string } }
	if err := json.Unmarshal(structured(t, a.ask("expand", `{"id": "One"}`)), &lean); err != nil || len(lean.Results) != 1 || len(lean.Results[0].ID) != 8 {
		t.Fatalf("%+v, %v", lean, err)
	}
	if got := a.ask("memory_get", `{"id": "`+lean.Results[0].ID+`"}`); got.IsError || !strings.Contains(text(t, got), "Text of two") {
		t.Errorf("the short id names %s", text(t, got))
	}
}
