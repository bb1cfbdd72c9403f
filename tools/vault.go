package tools

import (
	"context"

	"hence/tools/show"
	"hence/vault"
	"hence/vault/reading"
	"hence/vault/writing"
)

func vaultTools(i vault.Importer, r reading.Reader) []Tool {
	return in(VaultSet,
		define("vault_import", "Take in a vault's edits", removes,
			"Take in what was edited in a vault since the last import. Use read_note for a note as it is now.",
			func(ctx context.Context, a vault.ReimportArgs) (vault.Report, error) {
				telling := i
				telling.Progress = progress(ctx)
				return telling.Reimport(ctx, a)
			}, show.Imported),
		define("list_notes", "List notes", reads,
			"Page through notes by folder, tag and property. Use memory_search for what they say.",
			r.ListNotes, show.Notes),
		define("read_note", "Read a note", reads,
			"Read a note, or some lines or a section of it, as it is on disk now. Use memory_get for its edges.",
			r.ReadNote, show.Note),
		define("get_headings", "Outline a note", reads,
			"The headings of a long note, to choose a section for read_note.",
			r.Headings, show.Headings),
		define("get_frontmatter", "Read a note's frontmatter", reads,
			"A note's properties alone; read_note has them with the text.",
			r.Frontmatter, show.Frontmatter),
		define("get_tags", "List tags", reads,
			"Which tags there are and how often, or the notes of one. Use list_notes for several.",
			r.Tags, show.Tags),
		define("get_backlinks", "Find backlinks", reads,
			"Where notes link to a note or name it unlinked, or, outgoing, what it links to; line by line. Use get_neighborhood for edges of memories too.",
			r.Backlinks, show.Backlinks),
		define("check_vault", "Check a vault", reads,
			"What may want mending in a vault. Use get_backlinks for one note.",
			r.Check, show.Checked),
	)
}

// writingTools write notes. They are offered only with Options.VaultWrite.
func writingTools(w writing.Writer) []Tool {
	tools := in(VaultSet,
		define("create_note", "Create a note", adds,
			"Write a new note into a vault. Use update_note for one that is there, memory_store for what needs no file.",
			w.CreateNote, func(r writing.WriteResult) show.Doc { return show.Written("Created", r) }),
		define("update_note", "Edit a note", changes,
			"Replace, append to, prepend to or patch a note. Use set_frontmatter for properties.",
			w.UpdateNote, func(r writing.WriteResult) show.Doc { return show.Written("Updated", r) }),
		define("set_frontmatter", "Set a note's properties", removes,
			"Set or remove properties of a note; all else stays. Use update_note for the text.",
			w.SetFrontmatter, func(r writing.WriteResult) show.Doc { return show.Written("Updated", r) }),
		define("move_note", "Move or rename a note", changes,
			"Give a note or other file a new path; links are rewritten so that they lead where they led.",
			w.MoveNote, show.Moved),
	)
	for n := range tools {
		tools[n].EditsNotes = true
	}
	return tools
}
