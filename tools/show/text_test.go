package show

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/edges"
	"hence/edges/belief"
	"hence/edges/walk"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/recall"
	"hence/memory/recall/answer"
)

// Agents read quoted titles with ids, the author of each memory, and names of
// tools and arguments; terminals show some of that in other forms.
func TestText(t *testing.T) {
	gone := belief.Doubt{Named: ref.Named{ID: "id-old", Title: "Old plan"}, Reason: "superseded", Route: []string{"id-s", "id-a", "id-old"}}
	end := func(id string) ref.End { return ref.End{Named: ref.Named{ID: id, Title: "T" + id}, Status: "current"} }
	for _, c := range []struct {
		name string
		doc  Doc
		want string
	}{
		{"Forgotten", Forgotten(memory.ForgetResult{Named: ref.Named{ID: "id-s", Title: "Plan"}, Status: "forgotten"}), `Forgotten "Plan" (id-s)
  memory_restore brings it back`},
		{"Opened", Opened(memory.GetResult{Memories: []memory.Opened{{Memory: memory.Memory{
			ID: "id-s", Title: "Plan", Content: "Sail.", Kind: "fact", Namespace: "default", Status: "current", Importance: 0.5, Origin: "agent", Actor: "claude",
			CreatedAt: "2026-01-02T03:04:05.000Z", UpdatedAt: "2026-01-02T03:04:05.000Z", Revision: 1,
		}}}}), `"Plan" (id-s), fact in default, by claude (agent)
written: 2026-01-02T03:04:05.000Z by claude (agent), revision 1
Sail.`},
		{"OpenedWithAllThatIsSet", Opened(memory.GetResult{Memories: []memory.Opened{{Memory: memory.Memory{
			ID: "id-s", Title: "Plan", Content: "Sail.", Kind: "note", Namespace: "default", Status: "forgotten", Origin: "vault", Actor: "v", Aliases: []string{"A", "B"},
			CreatedAt: "2026-01-02T03:04:05.000Z", UpdatedAt: "2026-02-02T03:04:05.000Z", Revision: 3, ValidFrom: "2026-03-01T00:00:00.000Z", ValidTo: "2026-04-01T12:00:00.000Z",
			Pinned: true, Importance: 0.9, Confidence: new(0.7), VerifiedAt: "2026-03-03T03:04:05.000Z", VerifyNote: "asked", ForgetReason: "wrong", Source: "person",
			Properties: map[string]any{"tags": "x", "owner": "ada"},
		}}}}), `"Plan" (id-s) [forgotten], note in default, by v (vault)
also called: A, B
written: 2026-01-02T03:04:05.000Z by v (vault), revision 3 of 2026-02-02T03:04:05.000Z
verified: 2026-03-03T03:04:05.000Z: asked
true: from 2026-03-01T00:00:00.000Z until 2026-04-01T12:00:00.000Z
worth: pinned, importance 0.9, confidence 0.7
source: person
forgotten: wrong
owner: ada
Sail.`},
		{"Listed", Listed(memory.ListResult{TotalCount: 1, ReturnedCount: 1, Memories: []memory.Summary{{ID: "id-s", Title: "Plan", Kind: "fact", Status: "current", Origin: "agent", UpdatedAt: "2026-02-02T03:04:05.000Z"}}}), `1 of 1 memory
- "Plan" (id-s), fact, by agent, 2026-02-02`},
		{"Found", Found(recall.SearchResult{Query: "q", TotalCount: 1, TotalIsExact: true, ReturnedCount: 1, Results: []answer.Found{{Named: ref.Named{ID: "id-s", Title: "Plan"}, Kind: "fact", Status: "current", Origin: "agent", UpdatedAt: "2026-02-02T03:04:05.000Z", Snippet: "Sail."}}}), `1 of 1 memory for "q"
1. "Plan" (id-s), fact, by agent, 2026-02-02
  Sail.`},
		{"Purged", Forgotten(memory.ForgetResult{Named: ref.Named{ID: "id-s", Title: "Plan"}, Status: "purged", Loss: memory.Loss{
			RestedOnIt:      []belief.Resting{{Named: ref.Named{ID: "id-a", Title: "A"}, Route: []string{"id-a", "id-s"}}, {Named: ref.Named{ID: "id-b", Title: "B"}, Route: []string{"id-b", "id-a", "id-s"}}},
			RestedOnItCount: 3, CurrentAgain: []ref.Named{{ID: "id-old", Title: "Old plan"}},
		}}), `Purged "Plan" (id-s)
  its text is deleted and overwritten; half-used pages may keep pieces of it until hence vacuum, and backups and exports have it as before
  rested on it: "A" (id-a)
  rested on it: "B" (id-b), 2 steps away
  and 1 memory more
  current again: "Old plan" (id-old)`},
		{"Unlinked", Unlinked(edges.UnlinkResult{Removed: 1, CurrentAgain: []ref.Named{{ID: "id-old", Title: "Old plan"}}}), `Removed 1 edge
  current again: "Old plan" (id-old)`},
		{"Stored", Stored(memory.StoreResult{Memory: memory.Memory{ID: "id-s", Title: "Plan", Status: "current", Kind: "fact", Namespace: "default", Origin: "agent", Actor: "claude"}, Created: true, Settle: memory.Settle}), `Stored "Plan" (id-s), fact in default, by claude (agent)
  ` + memory.Settle},
		{"StoredBesideOthers", Stored(memory.StoreResult{Memory: memory.Memory{ID: "id-s", Title: "Plan", Status: "current", Kind: "fact", Namespace: "default", Origin: "agent"}, Created: true, Near: []memory.Near{
			{Named: ref.Named{ID: "id-a", Title: "A"}, Snippet: strings.Repeat("word ", 40)},
		}}), `Stored "Plan" (id-s), fact in default, by agent
  near: "A" (id-a) — word word word word word word word word word word word word word word word…`},
		{"Traced", Traced(walk.TraceResult{
			End:       ref.End{Named: ref.Named{ID: "id-s", Title: "Plan"}, Status: "current"},
			Direction: "upstream", Stale: []belief.Doubt{gone}, ReturnedCount: 1, StaleCount: 1, Truncated: true, Next: "limit",
			Results: []walk.Traced{{
				Seen: ref.Seen{ID: "id-a", Title: "Ground", Kind: "fact", Status: "superseded", Origin: "agent", Actor: "claude"}, Stale: []belief.Doubt{gone},
				Via: walk.Via{Hop: 1, EdgeType: edges.DependsOn, Direction: "out", From: "id-s"}, Route: []string{"id-s", "id-a"},
			}},
		}), `"Plan" (id-s)
  stale: "Old plan" (id-old) was superseded, 2 steps away
what it rests on (1 of 1 stale)
- —depends-on→ "Ground" (id-a) [superseded], fact, by claude (agent)
  stale: "Old plan" (id-old) was superseded, 2 steps away
… more was left out (limit)`},
		{"Neighborhood", Neighborhood(walk.NeighborhoodResult{
			Seed: walk.Center{ID: "id-s", URI: "obsidian-fs://v/the%20seed.md", Title: "Seed", Kind: "note", Tags: []string{"z"}}, ReturnedCount: 1,
			Nodes: []walk.Neighbor{{Seen: ref.Seen{ID: "id-a", URI: "obsidian-fs://v/a/A.md", Title: "A", Kind: "note", Origin: "vault"}, Distance: 1, Tags: []string{"x", "y"}, Via: walk.Via{EdgeType: edges.Causes, Direction: "in", From: "id-s"}}},
			Edges: []walk.Link{{From: "id-a", To: "id-s", Type: edges.Causes}, {From: "id-s", To: "id-a", Type: edges.RefersTo, Rel: "owner"}},
		}), `"Seed" (id-s), the seed.md, note #z and 1 neighbour
- ←causes— "A" (id-a), a/A.md, note, by vault #x #y
and among these:
  "Seed" —refers-to (owner)→ "A"`},
		{"Paths", Paths(walk.PathResult{Found: true, Path: []edges.Hop{
			{End: ref.End{Named: ref.Named{ID: "id-a", Title: "A"}, Status: "current"}, Type: edges.DependsOn, Direction: "out"},
			{End: ref.End{Named: ref.Named{ID: "id-b", Title: "B"}, Status: "superseded"}, Type: edges.Causes, Direction: "in"},
			{End: ref.End{Named: ref.Named{ID: "id-c", Title: "C"}, Status: "forgotten"}},
		}}), `2 hops: A —depends-on→ B ←causes— C
  "A" (id-a), "B" (id-b) [superseded], "C" (id-c) [forgotten]`},
		{"History", History(edges.HistoryResult{
			Chain: []edges.Version{
				{End: ref.End{Named: ref.Named{ID: "id-a", Title: "A"}, Status: "superseded"}, CreatedAt: "2026-01-02T03:04:05.000Z"},
				{End: ref.End{Named: ref.Named{ID: "id-b", Title: "B"}, Status: "current"}, CreatedAt: "2026-02-03T03:04:05.000Z", Reason: "it moved"},
			},
			MergedFrom: []edges.Merged{{End: ref.End{Named: ref.Named{ID: "id-c", Title: "C"}, Status: "superseded"}, Into: "id-b"}},
		}), `2026-01-02T03:04:05.000Z  "A" (id-a) [superseded]
↓ because it moved
2026-02-03T03:04:05.000Z  "B" (id-b) [current]
also "C" (id-c) [superseded]
  was replaced by "B"`},
		{"Overview", Overview(walk.OverviewResult{
			Memories: 3, Components: 1, LargestComponent: 2, ByKind: []edges.Count{{Name: "fact", Count: 3}},
			Conflicts: []belief.Conflict{{A: end("a"), B: end("b")}}, ConflictCount: 1,
			Stale: []belief.StaleMemory{{Named: ref.Named{ID: "id-s", Title: "Plan"}, Stale: []belief.Doubt{gone}}}, StaleCount: 1,
			CausalLoops: []walk.Loop{{Size: 3, Memories: []ref.End{end("a"), end("b")}}}, CausalLoopCount: 2,
			MemoriesAmong: 5, EdgesAmong: 4,
		}), `in conflict (1)
  "Ta" (a) —contradicts— "Tb" (b)
stale (1)
  "Plan" (id-s)
  stale: "Old plan" (id-old) was superseded, 2 steps away
causes in cycles (2)
  "Ta" (a), "Tb" (b) and 1 more
  … and 1 more: raise limit
3 current memories; edges join 2 in one component, superseded ones included
counted among the 5 memories changed last
counted among 4 edges of these
kinds: 3 fact`},
	} {
		if diff := cmp.Diff(c.want, Text(c.doc)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// A client that reads only texts learns the cursor of the next page, also from a text
// that is too long.
func TestTextWithinKeepsTheCursor(t *testing.T) {
	page := Doc{Content(strings.Repeat("long ", 100)), More{Next: "cursor", Cursor: "abc"}}
	const end = "\n… more was left out (cursor abc)"
	for _, bytes := range []int{100, 400, 10_000} {
		text := TextWithin(page, bytes)
		if len(text) > bytes || !strings.HasSuffix(text, end) || strings.Count(text, "abc") != 1 {
			t.Errorf("within %d bytes: %q", bytes, text)
		}
	}
	if text := TextWithin(Doc{Content("short")}, 100); text != "short" {
		t.Errorf("a short text is %q", text)
	}
}

// The text is not cut without notice if the result itself was not cut.
func TestTextWithinSaysThatItWasCut(t *testing.T) {
	const end = "\n… the rest is in the structured result only"
	if text := TextWithin(Doc{Content(strings.Repeat("long ", 100))}, 100); len(text) > 100 || !strings.HasSuffix(text, end) {
		t.Errorf("%q", text)
	}
}
