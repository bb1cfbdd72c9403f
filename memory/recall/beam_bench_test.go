package recall_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory/recall"
)

// The benchmark of retrieval on BEAM (Tavakoli et al., Beyond a million tokens:
// benchmarking and enhancing long-term memory in LLMs, 2025): for each question about a chat
// of a person with a model, the share of the messages with its evidence that is among the
// best k, and whether any of them is.

// chat is a conversation of a person with a model.
type chat struct {
	Name     string `json:"name"`
	Messages []struct {
		ID      int    `json:"id"`
		Role    string `json:"role"` // user or assistant
		Time    string `json:"time"` // a date in the first message of a day, else ""
		Content string `json:"content"`
	} `json:"messages"`
	Questions []struct {
		Kind     string `json:"kind"`
		Text     string `json:"question"`
		Evidence []int  `json:"evidence"`
	} `json:"questions"`
}

func readBeam(b *testing.B) (all []chat) {
	if err := json.Unmarshal(sharedFile(b, "beam/dev.json"), &all); err != nil {
		b.Fatal(err)
	}
	return all
}

// lines returns the chat's messages as memories in a namespace of its own, each following the
// one before. A message has no title, as if an agent had stored it. It was created a minute
// after the one before on the same day.
func (c chat) lines(b *testing.B) (lines []any) {
	day, minute := time.Date(2024, 1, 1, 8, 0, 0, 0, time.UTC), 0
	for i, m := range c.Messages {
		if m.Time != "" {
			date, err := time.Parse("January-02-2006", m.Time)
			if err != nil {
				b.Fatal(err)
			}
			day, minute = date.Add(8*time.Hour), 0
		}
		origin, actor := "person", "user"
		if m.Role == "assistant" {
			origin, actor = "agent", "assistant"
		}
		lines = append(lines, memoryLine{
			Type: "memory", ID: c.id(m.ID), Namespace: c.Name, Kind: "message", Content: m.Content,
			Origin: origin, Actor: actor, CreatedAt: day.Add(time.Duration(minute) * time.Minute).Format(time.RFC3339),
		})
		minute++
		if i > 0 {
			lines = append(lines, edgeLine{Type: "edge", From: c.id(m.ID), To: c.id(c.Messages[i-1].ID), EdgeType: "follows"})
		}
	}
	return lines
}

// id returns the id of a message in the store.
func (c chat) id(message int) string { return fmt.Sprintf("chat %s, message %04d", c.Name, message) }

// BenchmarkBeam prints a row of a table for each way to search, for all questions, those
// of one kind, and those of each half of the chats:
//
//	go test ./memory/recall -run '^$' -bench Beam -benchtime 1x
func BenchmarkBeam(b *testing.B) {
	chats := readBeam(b)
	s, plain := recall.Searcher{DB: dbtest.New(b), Caller: ref.Caller{Actor: "bench", Origin: "person"}}, newYardstick(b)
	for _, c := range chats {
		importLines(b, s, c.lines(b))
		for _, m := range c.Messages {
			if _, err := plain.Exec(`insert into plain values (?, ?, '', ?)`, c.id(m.ID), c.Name, m.Content); err != nil {
				b.Fatal(err)
			}
		}
	}
	no := false
	ways := []struct {
		name   string
		search func(c chat, text string) []string
	}{
		{"plain FTS5 OR", func(c chat, text string) []string { return plain.search(b, c.Name, text, true) }},
		{"plain FTS5 OR, no stopwords", func(c chat, text string) []string { return plain.search(b, c.Name, text, false) }},
		{"keyword", func(c chat, text string) []string {
			return searchIDs(b, s, recall.SearchArgs{Query: text, Mode: "keyword", Namespace: c.Name, Graph: &no, Limit: 20, Detail: "index"})
		}},
		{"keyword and graph", func(c chat, text string) []string {
			return searchIDs(b, s, recall.SearchArgs{Query: text, Mode: "keyword", Namespace: c.Name, Limit: 20, Detail: "index"})
		}},
	}
	b.Logf("| items | search | questions | number | @1 | @5 | @10 | @20 | any@10 |")
	for _, way := range ways {
		var kinds, halves tally
		b.Run(way.name, func(b *testing.B) {
			for b.Loop() {
				kinds, halves = tally{}, tally{}
				for i, c := range chats {
					half := "chats 1–10, looked at"
					if i >= len(chats)/2 {
						half = "chats 11–20, held out"
					}
					for _, q := range c.Questions {
						wanted := []string{}
						for _, message := range q.Evidence {
							wanted = append(wanted, c.id(message))
						}
						answer := way.search(c, q.Text)
						kinds.count(answer, wanted, strings.ReplaceAll(q.Kind, "_", " "))
						halves.count(answer, wanted, "all kinds", half)
					}
				}
			}
			halves.reportAny(b, "messages", way.name)
		})
		b.Run(way.name+"/by kind", func(b *testing.B) { // one benchmark logs ten rows at most
			for b.Loop() {
			}
			kinds.reportAny(b, "messages", way.name)
		})
	}
}
