package tools

import (
	"context"

	"hence/tools/show"
	"hence/vault"
	"hence/vault/reading"
	"hence/vault/writing"
)

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
