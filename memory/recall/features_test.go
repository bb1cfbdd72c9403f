package recall_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/memory"
	"hence/memory/recall"
	"hence/memory/recall/rank"
)

// reasonsOf returns the features that moved each result of a question, by its title.
func reasonsOf(t *testing.T, s recall.Searcher, query string) map[string][]rank.Reason {
	reasons := map[string][]rank.Reason{}
	for _, f := range search(t, s, recall.SearchArgs{Query: query}).Results {
		reasons[f.Title] = f.Why.Features
	}
	return reasons
}

// Each feature of the ranking moves a memory in a question that people ask, and is told with its
// share. The shares of a result add up to its score.
func TestWhy_NamesEachFeature(t *testing.T) {
	person := func(title, content string) db.Stmt {
		return db.S(`insert into memories (title, content, kind, origin, actor) values (?, ?, 'message', 'person', 'Ada')`, title, content)
	}
	reply := func(title, content string) db.Stmt {
		return db.S(`insert into memories (title, content, kind, origin, actor) values (?, ?, 'message', 'agent', 'model')`, title, content)
	}
	follows := func(later, earlier string) db.Stmt {
		return db.S(`insert into edges (from_key, to_key, kind) select a.key, b.key, 'follows' from memories a, memories b where a.title = ? and b.title = ?`, later, earlier)
	}
	for _, c := range []struct {
		feature, query, title string
		isLowered             bool
		rows                  []db.Stmt
	}{
		{"section", "ferry", "one", false, []db.Stmt{person("one", "The ferry leaves.")}},
		{"whole", "ferry", "one", false, []db.Stmt{person("one", "The ferry leaves.")}},
		{"near words", "job queue", "one", false, []db.Stmt{person("one", "The job queue is long."), person("two", "A job.")}},
		{"date", "what did we decide in 2026-03", "one", false, []db.Stmt{
			db.S(`insert into memories (title, content, created_at) values ('one', 'We decide on the quay.', '2026-03-02T10:00:00.000Z')`),
		}},
		{"repeated by a reply", "ferry quay", "two", true, []db.Stmt{person("one", "Is the ferry late?"), reply("two", "The ferry is late, at the quay."), follows("two", "one")}},
		{"edges", "ferry quay", "two", false, []db.Stmt{person("one", "Is the ferry late?"), reply("two", "It waits at the quay."), follows("two", "one")}},
		{"instruction", "ferry tickets", "one", false, []db.Stmt{person("one", "Always buy tickets of the ferry in advance.")}},
		{"time", "when does the ferry leave", "one", false, []db.Stmt{person("one", "The ferry leaves next week.")}},
		{"speaker", "what does Ada say of the ferry", "one", false, []db.Stmt{person("one", "The ferry is late.")}},
		{"turn", "ferry", "one", true, []db.Stmt{db.S(`insert into memories (title, content, kind) values ('one', 'The ferry.', 'turn')`)}},
		{"stranger", "ferry", "one", true, []db.Stmt{db.S(`insert into memories (title, content, source) values ('one', 'The ferry.', 'web')`)}},
		{"name", "night ferry", "Night ferry", false, []db.Stmt{person("Night ferry", "It leaves at eleven.")}},
		{"recency", "port of the queue", "Port of the queue, since the audit: 5000", false, []db.Stmt{
			db.S(`insert into memories (title, content, created_at) values ('Port of the queue: 4000', '', '2026-03-02T10:00:00.000Z')`),
			db.S(`insert into memories (title, content, created_at) values ('Port of the queue, since the audit: 5000', '', '2026-03-03T10:00:00.000Z')`),
		}},
		{"last", "ferry", "ferry.png", true, []db.Stmt{person("one", "The ferry."), db.S(`insert into memories (title, content, kind) values ('ferry.png', '', 'file')`)}},
	} {
		t.Run(c.feature, func(t *testing.T) {
			s := storeItems(t)
			dbtest.Fill(t, s.DB, c.rows...)
			reasons, sum := reasonsOf(t, s, c.query)[c.title], 0.0
			for _, r := range reasons {
				sum += r.Share
			}
			i := slices.IndexFunc(reasons, func(r rank.Reason) bool { return r.Feature == c.feature })
			if i < 0 || (reasons[i].Share < 0) != c.isLowered || math.Abs(sum-1) > 0.05 {
				t.Errorf("%+v, want %s, and a sum of 1", reasons, c.feature)
			}
		})
	}
	s, m := storeVehicles(t), newMeanings(t)
	setEmbedder(t, s, m.name)
	if got := reasonsOf(t, s, "car"); !slices.ContainsFunc(got["m1"], func(r rank.Reason) bool { return r.Feature == "meaning" }) {
		t.Errorf("%+v, want meaning", got)
	}
}

// Of statements that are nearly as good, and have the same words of the question in their names, the one that was stated
// last comes first. Others keep their order: what is clearly better, what is named otherwise, and what a conversation or
// a note says.
func TestTheNewestOfTwoStatementsComesFirst(t *testing.T) {
	stated := func(title, content, kind, at string) db.Stmt {
		return db.S(`insert into memories (title, content, kind, created_at) values (?, ?, ?, ?)`, title, content, kind, at)
	}
	const before, after = "2026-03-02T10:00:00.000Z", "2026-03-03T10:00:00.000Z"
	for _, c := range []struct {
		name, older, newer, question string
		kind, want                   string
	}{
		{"Facts", "Port of the queue: 4000", "Port of the queue, since the audit: 5000", "port of the queue", "fact", after},
		{"Decisions", "We keep rows of the queue a week", "We keep rows of the queue for a month from now on", "rows of the queue", "decision", after},
		{"Equals", "Port of the queue: 4000", "Port of the queue: 5000", "port of the queue", "fact", after},
		{"ClearlyBetter", "Port of the queue: 4000", "The queue has a port of its own at the quay in Tromsø beside that of the mirror, the broker, the planner and the console", "port of the queue", "fact", before},
		{"OtherNames", "Port of the queue: 4000", "The queue of the quay: a port", "port 4000", "fact", before},
		{"Messages", "Port of the queue: 4000", "Port of the queue, since the audit: 5000", "port of the queue", "message", before},
		{"Turns", "Port of the queue: 4000", "Port of the queue, since the audit: 5000", "port of the queue", "turn", before},
		{"Notes", "Port of the queue: 4000", "Port of the queue, since the audit: 5000", "port of the queue", "note", before},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := storeItems(t)
			dbtest.Fill(t, s.DB, stated(c.older, c.older+".", c.kind, before), stated(c.newer, c.newer+".", c.kind, after))
			want := map[string]string{before: c.older, after: c.newer}[c.want]
			if got := titles(search(t, s, recall.SearchArgs{Query: c.question})); len(got) != 2 || got[0] != want {
				t.Errorf("%q, want %q first", got, want)
			}
		})
	}
}

// What is stored for the project comes first among equals, and a search says so.
func TestWhy_NamesTheProject(t *testing.T) {
	s := storeItems(t, item("one", "The ferry."), memory.StoreArgs{Title: new("two"), Content: "The ferry.", Tags: []string{"project/quay"}, Dedup: "off"})
	s.Caller.Project = "quay"
	got := search(t, s, recall.SearchArgs{Query: "ferry"})
	if titles := strings.Join(titles(got), " "); titles != "two one" || !got.Results[0].Why.Project {
		t.Errorf("%s, %+v", titles, got.Results[0].Why)
	}
}
