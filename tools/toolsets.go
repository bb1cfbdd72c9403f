package tools

import (
	"context"

	codereading "hence/code/reading"
	codewriting "hence/code/writing"
	"hence/edges"
	"hence/edges/belief"
	"hence/edges/walk"
	"hence/memory"
	"hence/memory/briefing"
	"hence/memory/erase"
	"hence/memory/recall"
	"hence/memory/recall/near"
	"hence/memory/replay"
	"hence/memory/review"
	"hence/memory/tidy"
	"hence/tools/show"
	"hence/vault"
	"hence/vault/reading"
	"hence/vault/writing"
)

func memoryTools(s memory.Store, r recall.Searcher, g edges.Graph, t tidy.Tidier) []Tool {
	tools := setToolset(MemorySet,
		define("memory_brief", reads, briefing.Briefer(s).Brief, show.Briefing),
		define("memory_store", adds, func(ctx context.Context, a memory.StoreArgs) (memory.StoreResult, error) {
			return s.Remember(ctx, a, near.Finder(r).Near)
		}, show.Stored),
		define("memory_checkpoint", adds, func(ctx context.Context, a memory.CheckpointArgs) (memory.CheckpointResult, error) {
			return s.Checkpoint(ctx, a, near.Finder(r).Near)
		}, show.Checkpointed),
		define("memory_get", reads, s.Open, show.Opened),
		define("memory_update", changes, func(ctx context.Context, a memory.UpdateArgs) (memory.UpdateResult, error) {
			return s.Correct(ctx, a, near.Finder(r).Near)
		}, show.Updated),
		define("memory_forget", removes, s.Forget, show.Forgotten),
		define("memory_restore", sets, s.Restore, show.Restored),
		define("memory_list", reads, s.List, show.Listed),
		define("memory_search", reads, r.Search, show.Found),
		define("find_related", reads, r.FindRelated, show.Related),
		define("memory_link", sets, belief.Graph(g).LinkAll, show.Linked),
		define("memory_unlink", removes, g.Unlink, show.Unlinked),
		define("memory_verify", sets, s.Verify, show.Verified),
		define("memory_replay", reads, func(ctx context.Context, a replay.RecallArgs) (replay.Shown, error) {
			return replay.Reader(s).Recall(ctx, a, review.SessionOf(ctx))
		}, show.Replayed),
		define("memory_tidy", changes, t.Tidy, show.Tidied),
		define("memory_erase", changes, erase.Store(s).Erase, show.Erased),
	)
	tools[len(tools)-1].Needs = erasing
	return tools
}

func graphTools(g walk.Graph) []Tool {
	return setToolset(GraphSet,
		define("memory_path", reads, g.Path, show.Paths),
		define("expand", reads, g.Expand, show.Expanded),
		define("get_neighborhood", reads, g.Neighborhood, show.Neighborhood),
		define("memory_history", reads, edges.Graph(g).History, show.History),
		define("memory_trace", reads, g.Trace, func(r walk.TraceResult) show.Doc { return show.Traced(r) }),
		define("graph_overview", reads, g.Overview, show.Overview),
	)
}

func vaultTools(i vault.Importer, r reading.Reader) []Tool {
	return setToolset(VaultSet,
		define("vault_import", removes, func(ctx context.Context, a vault.ReimportArgs) (vault.Report, error) {
			reporting := i
			reporting.Progress = progress(ctx)
			return reporting.Reimport(ctx, a)
		}, show.Imported),
		define("list_notes", reads, r.ListNotes, show.Notes),
		define("read_note", reads, r.ReadNote, show.Note),
		define("get_headings", reads, r.Headings, show.Headings),
		define("get_frontmatter", reads, r.Frontmatter, show.Frontmatter),
		define("get_tags", reads, r.Tags, show.Tags),
		define("get_backlinks", reads, r.Backlinks, show.Backlinks),
		define("check_vault", reads, r.Check, show.Checked),
	)
}

// writingTools returns the tools that write notes. They are offered only with
// Options.VaultWrite.
func writingTools(w writing.Writer) []Tool {
	tools := setToolset(VaultSet,
		define("create_note", adds, w.CreateNote, func(r writing.WriteResult) show.Doc { return show.Written("Created", r) }),
		define("update_note", changes, w.UpdateNote, func(r writing.WriteResult) show.Doc { return show.Written("Updated", r) }),
		define("set_frontmatter", removes, w.SetFrontmatter, func(r writing.WriteResult) show.Doc { return show.Written("Updated", r) }),
		define("move_note", changes, w.MoveNote, show.Moved),
	)
	for n := range tools {
		tools[n].EditsNotes = true
	}
	return tools
}

func codeTools(r codereading.Reader, w codewriting.Writer) []Tool {
	tools := setToolset(CodeSet,
		define("code_outline", reads, r.Outline, show.Outlined),
		define("code_read", reads, r.Read, show.CodeRead),
		define("code_patch", changes, w.Patch, show.Patched),
		define("code_test", runs, w.Test, show.Tested),
	)
	tools[2].Needs, tools[3].Needs = codewriting.Patches, codewriting.Tests
	return tools
}
