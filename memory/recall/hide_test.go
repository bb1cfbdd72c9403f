package recall_test

import (
	"strings"
	"testing"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/recall"
)

// TestSnippetsMaskSecrets searches for a word next to a key in a note, which is stored unmasked.
func TestSnippetsMaskSecrets(t *testing.T) {
	token := "ey" + "J" + strings.Repeat("ab1", 8) + ".ey" + "J" + strings.Repeat("cd2", 9) + "." + strings.Repeat("ef3", 9)
	block := "-----BEGIN PRIVATE" + " KEY-----\n" + strings.Repeat(strings.Repeat("Ab3d", 16)+"\n", 12) + "-----END PRIVATE" + " KEY-----"
	for _, c := range []struct{ name, content, query, gone, want string }{
		{"Whole", "the ribbon opens with AK" + "IA" + strings.Repeat("Q7", 8) + " at night", "ribbon", "IAQ7", "the <ribbon> opens with [secret: aws-key] at night"},
		{"TheMatchItself", "opens with hun" + "ter DB_PASSWORD=hun" + "ter2x", "ter2x hunter2x", "ter2x", ""},
		{"CutAtTheEnd", strings.Repeat("word ", 14) + "ribbon " + strings.Repeat("more ", 13) + token + " end", "ribbon", "cd2cd2", ""},
		{"CutAtTheBeginning", token + " " + strings.Repeat("more ", 15) + "ribbon " + strings.Repeat("word ", 40), "ribbon", "ef3ef3", ""},
		{"ALongBlock", "x\n" + block + "\nribbon " + strings.Repeat("word ", 40), "ribbon", "Ab3d", ""},
		{"NoMatch", "kept elsewhere: " + token, "kept", "cd2cd2", ""},
		{"Chinese", "缎带的密码 " + token + " 缎带", "缎带", "cd2cd2", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := recall.Searcher{DB: dbtest.New(t), Caller: ref.Caller{Actor: "tester", Origin: "agent"}}
			title := "kept"
			stored, err := memory.Store(s).Remember(t.Context(), memory.StoreArgs{Title: &title, Content: "x"}, nil)
			if err != nil {
				t.Fatal(err)
			}
			statements := append([]db.Stmt{db.S(`update memories set content = ?2, content_hash = ?3 where id = ?1`, stored.Memory.ID, c.content, db.Hash(c.content))},
				memory.CutStatements(memory.Whole{ID: stored.Memory.ID, Title: title, Aliases: "[]", Tags: "[]", Content: c.content, Properties: "{}"})...)
			if _, err := s.DB.Write(t.Context(), "test", db.Now(), statements...); err != nil {
				t.Fatal(err)
			}
			for _, detail := range []string{"summary", "full"} {
				got, err := s.Search(t.Context(), recall.SearchArgs{Query: c.query, Detail: detail})
				if err != nil || len(got.Results) != 1 {
					t.Fatalf("%d results, %v", len(got.Results), err)
				}
				said := markHits(got.Results[0])
				if strings.Contains(got.Results[0].Snippet, c.gone) || detail == "summary" && c.want != "" && said != c.want {
					t.Errorf("%s: %q", detail, said)
				}
			}
		})
	}
}
