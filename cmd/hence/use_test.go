package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hence/internal/db"
	"hence/internal/receipts"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/exchange/transcripts"
	"hence/memory/use"
	"hence/tools/show"
)

// An import of a conversation makes of what may be a use one that is or is not, each time the same; without writing it changes
// nothing.
func TestImportHeard(t *testing.T) {
	for name, c := range map[string]struct {
		answer      string // of a tool, before the edit
		dry         bool
		used, maybe int
	}{"Used": {"ok", false, 1, 0}, "Read": {"every 47 seconds the quokka balancer forgets sockets", false, 0, 0}, "Dry": {"ok", true, 0, 1}} {
		t.Run(name, func(t *testing.T) {
			path, state := filepath.Join(t.TempDir(), "s.db"), t.TempDir()
			d, err := db.Open(t.Context(), path, db.Options{State: state})
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			v := ref.View{DB: d, Caller: ref.Caller{Actor: "ada", Origin: "person"}}
			stored, err := memory.Store(v).Remember(t.Context(), memory.StoreArgs{Content: "Renewed every 47 seconds: the quokka balancer forgets sockets."}, nil)
			if err != nil {
				t.Fatal(err)
			}
			stamp, err := receipts.StampOf(t.Context(), d, receipts.Written, []ref.Shown{{ID: stored.Memory.ID, Why: "results"}})
			if err != nil {
				t.Fatal(err)
			}
			book, err := receipts.Open(t.Context(), state, time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			defer book.Close()
			at, edit := time.Now().Add(-time.Hour), `{"new_string":"47, the quokka balancer forgets sockets","old_string":""}`
			for i, r := range []receipts.Receipt{{Tool: "memory_search", Arguments: `{"query":"lease"}`, Stamp: stamp}, {Tool: "hook:act", Arguments: "Edit " + edit, Stamp: receipts.Stamp{Store: stamp.Store}}} {
				r.Session, r.At, r.Outcome = "s", at.Add(time.Duration(i)*time.Minute), receipts.OK
				if err := book.Add(t.Context(), r); err != nil {
					t.Fatal(err)
				}
			}
			lines, kinds := "", []string{"user", "assistant"}
			for i, content := range []string{
				`[{"type":"text","text":"go on"}]`, `[{"type":"tool_use","id":"1","name":"mcp__hence__memory_search","input":{"query":"lease"}}]`,
				`[{"type":"tool_result","tool_use_id":"1","content":"every 47 seconds: the quokka balancer forgets sockets"}]`, `[{"type":"tool_use","id":"2","name":"Read","input":{}}]`,
				`[{"type":"tool_result","tool_use_id":"2","content":"` + c.answer + `"}]`, `[{"type":"tool_use","id":"3","name":"Edit","input":` + edit + `}]`,
			} {
				lines += fmt.Sprintf(`{"type":%q,"uuid":"u%d","sessionId":"s","timestamp":%q,"message":{"content":%s}}`+"\n", kinds[i%2], i, db.Time(at.Add(time.Duration(10*i-10)*time.Second)), content)
			}
			file := filepath.Join(t.TempDir(), "s.jsonl")
			if err := os.WriteFile(file, []byte(lines), 0o600); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				done, err := importHeard(t.Context(), v, transcripts.Args{Path: file, Format: transcripts.ClaudeCode, DryRun: c.dry})
				if err != nil || len(done.Warnings) > 0 {
					t.Fatal(done.Warnings, err)
				}
				s, err := use.Reader(v).Stats(t.Context(), use.Args{})
				if err != nil || s.Shown != 1 || s.Used != c.used || s.Possible != c.maybe {
					t.Errorf("%+v, %v", s, err)
				}
			}
		})
	}
}

// The page in words tells counts and never that something helped.
func TestShowUse(t *testing.T) {
	if text := show.Text(showUse(use.Stats{})); !strings.Contains(text, "no receipt") {
		t.Error(text)
	}
	text := show.Text(showUse(use.Stats{Sessions: 2, Shown: 9, Used: 1, Possible: 3, Corrected: 1, TokensPerUsed: 70, Truncated: true}))
	if !strings.Contains(text, "9 shown → 1 used (3 more may be) → 1 corrected") || !strings.Contains(text, "limit") || strings.Contains(text, "help") {
		t.Error(text)
	}
}
