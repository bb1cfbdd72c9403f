package tools

import (
	"context"

	"hence/edges"
	"hence/memory"
	"hence/memory/recall"
	"hence/tools/show"
)

func memoryTools(s memory.Store, r recall.Searcher, g edges.Graph) []Tool {
	return in(MemorySet,
		memoryStore(s, r),
		memoryGet(s),
		memoryUpdate(s),
		memoryForget(s),
		memoryRestore(s),
		memoryList(s),
		memorySearch(r),
		findRelated(r),
		memoryLink(g),
		memoryUnlink(g),
		memoryVerify(s),
	)
}

func memoryStore(s memory.Store, r recall.Searcher) Tool {
	return define(about{
		name: "memory_store", title: "Store a memory",
		description: "Remember something new, with its edges, in one step. When it replaces what was believed, name the old memories in supersedes. " +
			"Use memory_update to correct wording, and memory_link for an edge between memories that exist.",
		hints: adds,
	}, func(ctx context.Context, a memory.StoreArgs) (memory.StoreResult, error) {
		return s.Remember(ctx, a, r.Similar)
	}, show.Stored)
}

func memoryGet(s memory.Store) Tool {
	return define(about{
		name: "memory_get", title: "Open memories",
		description: "Read memories or notes in full, with their edges, when you know their names. Use memory_search to find them first.",
		hints:       reads,
	}, s.Open, show.Opened)
}

func memoryUpdate(s memory.Store) Tool {
	return define(about{
		name: "memory_update", title: "Correct a memory",
		description: "Correct or annotate a memory in place. When the fact itself has changed, use memory_store with supersedes.",
		hints:       changes,
	}, s.Revise, show.Updated)
}

func memoryForget(s memory.Store) Tool {
	return define(about{
		name: "memory_forget", title: "Forget a memory",
		description: "Put away a memory that was wrong; memory_restore brings it back, unless purge removed it. When something newer replaces it, use memory_store with supersedes.",
		hints:       removes,
	}, s.Forget, show.Forgotten)
}

func memoryRestore(s memory.Store) Tool {
	return define(about{
		name: "memory_restore", title: "Restore a forgotten memory",
		description: "Bring back a memory that memory_forget put away. memory_list with status forgotten shows which there are.",
		hints:       settles,
	}, s.Restore, show.Restored)
}

func memoryList(s memory.Store) Tool {
	return define(about{
		name: "memory_list", title: "List memories",
		description: "Page through memories by kind, tag, status or time, without a question. Use memory_search when you look for something.",
		hints:       reads,
	}, s.List, show.Listed)
}

func memorySearch(r recall.Searcher) Tool {
	return define(about{
		name: "memory_search", title: "Search memories",
		description: "Find the memories and notes that a question is about, best first. Superseded ones do not show unless status is all. " +
			"Use memory_get to read one in full, and expand for what lies around it.",
		hints: reads,
	}, r.Search, show.Found)
}

func findRelated(r recall.Searcher) Tool {
	return define(about{
		name: "find_related", title: "Find what is near a memory",
		description: "Find memories similar to a given memory. Unlinked ones come first. Use memory_search for a question, and expand for what is linked.",
		hints:       reads,
	}, r.Related, show.Related)
}

func memoryLink(g edges.Graph) Tool {
	return define(about{
		name: "memory_link", title: "Link two memories",
		description: "Join two memories that exist by a typed edge; linking again updates it. Types: " + kinds() + ". " +
			"Use memory_store with links or supersedes when one of them is new.",
		hints: settles,
	}, g.Link, show.Linked)
}

func memoryUnlink(g edges.Graph) Tool {
	return define(about{
		name: "memory_unlink", title: "Unlink two memories",
		description: "Take back an edge that was wrong. One that a note declares stays until the note is edited. Unlinking supersedes makes the older memory current again.",
		hints:       removes,
	}, g.Unlink, show.Unlinked)
}

func memoryVerify(s memory.Store) Tool {
	return define(about{
		name: "memory_verify", title: "Verify a stale memory",
		description: "Say that a stale memory was looked at and still holds. When it does not, use memory_store with supersedes.",
		hints:       settles,
	}, s.Verify, show.Verified)
}
