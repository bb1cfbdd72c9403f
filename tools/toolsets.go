package tools

import (
	"context"

	codereading "hence/code/reading"
	codewriting "hence/code/writing"
	"hence/edges"
	"hence/edges/belief"
	"hence/edges/walk"
	"hence/internal/ref"
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

func memoryTools() []Tool {
	return []Tool{
		define("memory_brief", reads, briefing.Briefer.Brief, show.Briefing),
		define("memory_store", adds, func(v ref.View, ctx context.Context, a memory.StoreArgs) (memory.StoreResult, error) {
			return memory.Store(v).Remember(ctx, a, near.Finder(v).Near)
		}, show.Stored),
		define("memory_checkpoint", adds, func(v ref.View, ctx context.Context, a memory.CheckpointArgs) (memory.CheckpointResult, error) {
			return memory.Store(v).Checkpoint(ctx, a, near.Finder(v).Near)
		}, show.Checkpointed),
		define("memory_get", reads, memory.Store.Open, show.Opened),
		define("memory_update", changes, func(v ref.View, ctx context.Context, a memory.UpdateArgs) (memory.UpdateResult, error) {
			return memory.Store(v).Correct(ctx, a, near.Finder(v).Near)
		}, show.Updated),
		define("memory_forget", removes, memory.Store.Forget, show.Forgotten),
		define("memory_restore", sets, memory.Store.Restore, show.Restored),
		define("memory_list", reads, memory.Store.List, show.Listed),
		define("memory_search", reads, recall.Searcher.Search, show.Found),
		define("find_related", reads, recall.Searcher.FindRelated, show.Related),
		define("memory_link", sets, belief.Graph.LinkAll, show.Linked),
		define("memory_unlink", removes, edges.Graph.Unlink, show.Unlinked),
		define("memory_verify", sets, memory.Store.Verify, show.Verified),
		define("memory_replay", reads, func(v ref.View, ctx context.Context, a replay.RecallArgs) (replay.Shown, error) {
			return replay.Reader(v).Recall(ctx, a, review.SessionOf(ctx))
		}, show.Replayed),
		define("memory_tidy", changes, tidy.Tidier.Tidy, show.Tidied),
		define("memory_erase", changes, erase.Store.Erase, show.Erased).needing(erasing),
	}
}

func graphTools() []Tool {
	return []Tool{
		define("memory_path", reads, walk.Graph.Path, show.Paths),
		define("expand", reads, walk.Graph.Expand, show.Expanded),
		define("get_neighborhood", reads, walk.Graph.Neighborhood, show.Neighborhood),
		define("memory_history", reads, edges.Graph.History, show.History),
		define("memory_trace", reads, walk.Graph.Trace, func(r walk.TraceResult) show.Doc { return show.Traced(r) }),
		define("graph_overview", reads, walk.Graph.Overview, show.Overview),
	}
}

func vaultTools() []Tool {
	return []Tool{
		define("vault_import", removes, func(v ref.View, ctx context.Context, a vault.ReimportArgs) (vault.Report, error) {
			return vault.Importer{DB: v.DB, Caller: v.Caller, Progress: progress(ctx)}.Reimport(ctx, a)
		}, show.Imported),
		define("list_notes", reads, reading.Reader.ListNotes, show.Notes),
		define("read_note", reads, reading.Reader.ReadNote, show.Note),
		define("get_headings", reads, reading.Reader.Headings, show.Headings),
		define("get_frontmatter", reads, reading.Reader.Frontmatter, show.Frontmatter),
		define("get_tags", reads, reading.Reader.Tags, show.Tags),
		define("get_backlinks", reads, reading.Reader.Backlinks, show.Backlinks),
		define("check_vault", reads, reading.Reader.Check, show.Checked),
		define("create_note", adds, By(writing.New, writing.Writer.CreateNote), func(r writing.WriteResult) show.Doc { return show.Written("Created", r) }).editing(),
		define("update_note", changes, By(writing.New, writing.Writer.UpdateNote), func(r writing.WriteResult) show.Doc { return show.Written("Updated", r) }).editing(),
		define("set_frontmatter", removes, By(writing.New, writing.Writer.SetFrontmatter), func(r writing.WriteResult) show.Doc { return show.Written("Updated", r) }).editing(),
		define("move_note", changes, By(writing.New, writing.Writer.MoveNote), show.Moved).editing(),
	}
}

func codeTools() []Tool {
	return []Tool{
		define("code_outline", reads, codereading.Reader.Outline, show.Outlined),
		define("code_read", reads, codereading.Reader.Read, show.CodeRead),
		define("code_patch", changes, By(codewriting.New, codewriting.Writer.Patch), show.Patched).needing(codewriting.Patches),
		define("code_test", runs, By(codewriting.New, codewriting.Writer.Test), show.Tested).needing(codewriting.Tests),
	}
}

// By makes a call of a method whose value make returns.
func By[V, A, R any](make func(ref.View) V, call func(V, context.Context, A) (R, error)) func(ref.View, context.Context, A) (R, error) {
	return func(v ref.View, ctx context.Context, a A) (R, error) { return call(make(v), ctx, a) }
}

// needing returns a tool that needs a permission.
func (t Tool) needing(permission string) Tool {
	t.Needs = permission
	return t
}

// editing returns a tool that writes into the folder of a vault.
func (t Tool) editing() Tool {
	t.EditsNotes = true
	return t
}
