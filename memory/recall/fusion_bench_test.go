package recall_test

import (
	"testing"

	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory/embed"
	"hence/memory/embed/embedtest"
	"hence/memory/recall"
)

// BenchmarkFusion prints what is found of LoCoMo and of BEAM by words alone, by words and the table of
// the program, and by words and a model that knows no meaning:
//
//	go test ./memory/recall -run '^$' -bench Fusion -benchtime 1x
func BenchmarkFusion(b *testing.B) {
	conversations, chats := readLocomo(b), readBeam(b)
	b.Logf("| items | search | of | questions | @1 | @5 | @10 | @20 |")
	for _, model := range []struct{ name, embedder string }{{"the built-in table", embed.Builtin}, {"random vectors", embedtest.Random(b)}} {
		stores := []recall.Searcher{}
		for _, c := range conversations {
			s := recall.Searcher{DB: dbtest.New(b), Caller: ref.Caller{Actor: "bench", Origin: "agent"}}
			c.store(b, s, true)
			setEmbedder(b, s, model.embedder)
			stores = append(stores, s)
		}
		chatting := recall.Searcher{DB: dbtest.New(b), Caller: ref.Caller{Actor: "bench", Origin: "person"}}
		for _, c := range chats {
			importLines(b, chatting, c.lines(b))
		}
		setEmbedder(b, chatting, model.embedder)
		for _, mode := range []string{"keyword", "hybrid"} {
			name := "words and " + model.name
			if mode == "keyword" {
				name = "words"
				if model.embedder != embed.Builtin {
					continue // the same again
				}
			}
			b.Run(name, func(b *testing.B) {
				for _, items := range []string{"turn", "session"} {
					var t tally
					for i, c := range conversations {
						for _, q := range c.questions {
							answer := searchIDs(b, stores[i], recall.SearchArgs{Query: q.text, Mode: mode, Namespace: c.name, Kinds: []string{items}, Limit: 20, Detail: "index"})
							t.count(answer, c.evidenceOf(items, q), "all")
						}
					}
					t.report(b, items+"s", name)
				}
				var t tally
				for _, c := range chats {
					for _, q := range c.Questions {
						wanted := []string{}
						for _, message := range q.Evidence {
							wanted = append(wanted, c.id(message))
						}
						t.count(searchIDs(b, chatting, recall.SearchArgs{Query: q.Text, Mode: mode, Namespace: c.Name, Limit: 20, Detail: "index"}), wanted, "all")
					}
				}
				t.report(b, "messages", name)
			})
		}
	}
}
