package tools

import (
	"context"

	"hence/edges"
	"hence/edges/belief"
	"hence/memory"
	"hence/memory/briefing"
	"hence/memory/recall"
	"hence/memory/recall/near"
	"hence/memory/tidy"
	"hence/tools/show"
)

func memoryTools(s memory.Store, r recall.Searcher, g edges.Graph, t tidy.Tidier) []Tool {
	return setToolset(MemorySet,
		define("memory_brief", "Begin with a briefing", reads,
			"Read at the start of a conversation: rules, where the last session left off, decisions that hold, what to settle, what changed. Use memory_search for a question.",
			briefing.Briefer(s).Brief, show.Briefing),
		define("memory_store", "Store a memory", adds,
			"Remember something new, with its edges. When it replaces what was believed, name the old memories in supersedes. "+
				"Use memory_update to correct wording, memory_link for memories that exist.",
			func(ctx context.Context, a memory.StoreArgs) (memory.StoreResult, error) {
				return s.Remember(ctx, a, near.Finder(r).Near)
			}, show.Stored),
		define("memory_checkpoint", "Store a session's outcome", adds,
			"At the end of a piece of work, store its goal, outcome, next step and lessons in one call. Use memory_store in between.",
			func(ctx context.Context, a memory.CheckpointArgs) (memory.CheckpointResult, error) {
				return s.Checkpoint(ctx, a, near.Finder(r).Near)
			}, show.Checkpointed),
		define("memory_get", "Open memories", reads,
			"Read memories or notes in full, with their edges, when you know their names. Use memory_search to find them first.",
			s.Open, show.Opened),
		define("memory_update", "Correct a memory", changes,
			"Correct or annotate a memory in place. When the fact itself has changed, use memory_store with supersedes.",
			func(ctx context.Context, a memory.UpdateArgs) (memory.UpdateResult, error) {
				return s.Correct(ctx, a, near.Finder(r).Near)
			}, show.Updated),
		define("memory_forget", "Forget a memory", removes,
			"Forget a memory that was wrong; memory_restore brings it back. When something newer replaces it, use memory_store with supersedes.",
			s.Forget, show.Forgotten),
		define("memory_restore", "Restore a forgotten memory", sets,
			"Bring back a forgotten memory; memory_list with status forgotten lists them.",
			s.Restore, show.Restored),
		define("memory_list", "List memories", reads,
			"List memories by kind, tag, status or time, page by page. Use memory_search to find them by what they say.",
			s.List, show.Listed),
		define("memory_search", "Search memories", reads,
			"Find memories and notes about a question, best first. Superseded ones are left out unless status is all. "+
				"Use memory_get to read one, and expand to see what it is linked to.",
			r.Search, show.Found),
		define("find_related", "Find similar memories", reads,
			"Find memories similar to one. Unlinked ones come first. Use memory_search for a question, and expand for what is linked.",
			r.FindRelated, show.Related),
		define("memory_link", "Link two memories", sets,
			"Join two memories that exist by a typed edge; linking again updates it. Use memory_store with links or supersedes when one of them is new.",
			belief.Graph(g).LinkAll, show.Linked),
		define("memory_unlink", "Unlink two memories", removes,
			"Remove an edge that was wrong. One that a note declares stays until the note is edited. Removing supersedes makes the older memory current again.",
			g.Unlink, show.Unlinked),
		define("memory_verify", "Verify a stale memory", sets,
			"Record that a stale memory was reviewed and still holds. If it does not, use memory_store with supersedes.",
			s.Verify, show.Verified),
		define("memory_tidy", "Tidy memories", changes,
			"Propose what could be tidied (duplicates, replaced facts, conflicts, missing links …). Accept or reject each by its key; nothing changes before.",
			t.Tidy, show.Tidied),
	)
}
