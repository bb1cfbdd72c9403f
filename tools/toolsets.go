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
	"hence/memory/recall"
	"hence/memory/recall/near"
	"hence/memory/tidy"
	"hence/tools/show"
	"hence/vault"
	"hence/vault/reading"
	"hence/vault/writing"
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

func graphTools(g walk.Graph) []Tool {
	return setToolset(GraphSet,
		define("memory_path", "Find a path", reads,
			"Find how one memory leads to another: the shortest or strongest path. Use expand if you know only the start.",
			g.Path, show.Paths),
		define("expand", "Expand from memories", reads,
			"Walk from memories, nearest first; filter by direction, type of edge and properties. "+
				"Use get_neighborhood for all edges around one memory.",
			g.Expand, show.Expanded),
		define("get_neighborhood", "Get a neighbourhood", reads,
			"List the memories around one memory or note, and all edges among them. Use expand for several seeds, directions or filters.",
			g.Neighborhood, show.Neighborhood),
		define("memory_history", "Follow a memory's history", reads,
			"List what a memory replaced and what replaced it, oldest first, with the reasons, and which one is current. Use expand for other edges.",
			edges.Graph(g).History, show.History),
		define("memory_trace", "Trace reasons or consequences", reads,
			"Find why a memory holds, or what breaks if it does not, each with its route and whether it is stale. Use expand for other edges.",
			g.Trace, func(r walk.TraceResult) show.Doc { return show.Traced(r) }),
		define("graph_overview", "Summarise the graph", reads,
			"Summarise the graph: counts, most linked, orphans, stale, contradictions, causal cycles. Use memory_list for the memories themselves.",
			g.Overview, show.Overview),
	)
}

func vaultTools(i vault.Importer, r reading.Reader) []Tool {
	return setToolset(VaultSet,
		define("vault_import", "Import a vault's edits", removes,
			"Import what was edited in a vault since the last import. Use read_note for a note as it is now.",
			func(ctx context.Context, a vault.ReimportArgs) (vault.Report, error) {
				reporting := i
				reporting.Progress = progress(ctx)
				return reporting.Reimport(ctx, a)
			}, show.Imported),
		define("list_notes", "List notes", reads,
			"List notes by folder, tag and property. Use memory_search for what they say.",
			r.ListNotes, show.Notes),
		define("read_note", "Read a note", reads,
			"Read a note, or some lines or a section of it, as it is on disk now. Use memory_get for its edges.",
			r.ReadNote, show.Note),
		define("get_headings", "Outline a note", reads,
			"List the headings of a note, to choose a section for read_note.",
			r.Headings, show.Headings),
		define("get_frontmatter", "Read a note's frontmatter", reads,
			"Read a note's properties only; read_note has them with the text.",
			r.Frontmatter, show.Frontmatter),
		define("get_tags", "List tags", reads,
			"List tags with their counts, or the notes of one tag. Use list_notes for several.",
			r.Tags, show.Tags),
		define("get_backlinks", "Find backlinks", reads,
			"List links to a note and unlinked mentions of it or, with outgoing, its own links, with lines. Use get_neighborhood for edges of memories too.",
			r.Backlinks, show.Backlinks),
		define("check_vault", "Check a vault", reads,
			"List what may need repair in a vault. Use get_backlinks for one note.",
			r.Check, show.Checked),
	)
}

// writingTools returns the tools that write notes. They are offered only with
// Options.VaultWrite.
func writingTools(w writing.Writer) []Tool {
	tools := setToolset(VaultSet,
		define("create_note", "Create a note", adds,
			"Create a note in a vault. Use update_note for an existing one, memory_store for what needs no file.",
			w.CreateNote, func(r writing.WriteResult) show.Doc { return show.Written("Created", r) }),
		define("update_note", "Edit a note", changes,
			"Replace, append to, prepend to or patch a note. Use set_frontmatter for properties.",
			w.UpdateNote, func(r writing.WriteResult) show.Doc { return show.Written("Updated", r) }),
		define("set_frontmatter", "Set a note's properties", removes,
			"Set or remove properties of a note; the rest stays. Use update_note for the text.",
			w.SetFrontmatter, func(r writing.WriteResult) show.Doc { return show.Written("Updated", r) }),
		define("move_note", "Move or rename a note", changes,
			"Move a note or other file; links are rewritten so that they keep their targets.",
			w.MoveNote, show.Moved),
	)
	for n := range tools {
		tools[n].EditsNotes = true
	}
	return tools
}

func codeTools(r codereading.Reader, w codewriting.Writer) []Tool {
	tools := setToolset(CodeSet,
		define("code_outline", "Outline code", reads,
			"List the symbols of a file, type, package or repository, with who calls them. Use memory_search with kinds code to find one, code_read for its body.",
			r.Outline, show.Outlined),
		define("code_read", "Read code", reads,
			"Read a symbol, or lines of a file, as it is on disk now. Use read_note for notes.",
			r.Read, show.CodeRead),
		define("code_patch", "Change code", changes,
			"Replace a literal text in one file, and see which symbols change and which memories rest on them. A dry run unless dry_run is false.",
			w.Patch, show.Patched),
		define("code_test", "Run tests", runs,
			"Run a test suite that the person allowed. It runs the repository's code with their rights.",
			w.Test, show.Tested),
	)
	tools[2].Needs, tools[3].Needs = codewriting.Patches, codewriting.Tests
	return tools
}
