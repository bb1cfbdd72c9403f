package tools

import (
	"context"

	"hence/tools/show"
	"hence/vault"
	"hence/vault/reading"
)

func vaultTools(i vault.Importer, r reading.Reader) []Tool {
	return in(VaultSet,
		vaultImport(i),
		listNotes(r),
		readNote(r),
		getHeadings(r),
		getFrontmatter(r),
		getTags(r),
		getBacklinks(r),
		checkVault(r),
	)
}

func vaultImport(i vault.Importer) Tool {
	return define(about{
		name: "vault_import", title: "Take in a vault's edits",
		description: "Take in what was edited in a vault since the last import. Use read_note for a note as it is now.",
		hints:       removes,
	}, func(ctx context.Context, a vault.ReimportArgs) (vault.Report, error) {
		telling := i
		telling.Progress = progress(ctx)
		return telling.Reimport(ctx, a)
	}, show.Imported)
}

func listNotes(r reading.Reader) Tool {
	return define(about{
		name: "list_notes", title: "List notes",
		description: "Page through notes by folder, tag and property. Use memory_search for what they say.",
		hints:       reads,
	}, r.ListNotes, show.Notes)
}

func readNote(r reading.Reader) Tool {
	return define(about{
		name: "read_note", title: "Read a note",
		description: "Read a note, or some lines or a section of it, as it is on disk now. Use memory_get for its edges.",
		hints:       reads,
	}, r.ReadNote, show.Note)
}

func getHeadings(r reading.Reader) Tool {
	return define(about{
		name: "get_headings", title: "Outline a note",
		description: "The headings of a long note, to choose a section for read_note.",
		hints:       reads,
	}, r.Headings, show.Headings)
}

func getFrontmatter(r reading.Reader) Tool {
	return define(about{
		name: "get_frontmatter", title: "Read a note's frontmatter",
		description: "A note's properties alone; read_note has them with the text.",
		hints:       reads,
	}, r.Frontmatter, show.Frontmatter)
}

func getTags(r reading.Reader) Tool {
	return define(about{
		name: "get_tags", title: "List tags",
		description: "Which tags there are and how often, or the notes of one. Use list_notes for several.",
		hints:       reads,
	}, r.Tags, show.Tags)
}

func getBacklinks(r reading.Reader) Tool {
	return define(about{
		name: "get_backlinks", title: "Find backlinks",
		description: "Where notes link to a note or name it unlinked, or, outgoing, what it links to; line by line. Use get_neighborhood for edges of memories too.",
		hints:       reads,
	}, r.Backlinks, show.Backlinks)
}

func checkVault(r reading.Reader) Tool {
	return define(about{
		name: "check_vault", title: "Check a vault",
		description: "What may want mending in a vault. Use get_backlinks for one note.",
		hints:       reads,
	}, r.Check, show.Checked)
}
