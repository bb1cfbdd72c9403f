package tools

import (
	"hence/tools/show"
	"hence/vault/writing"
)

// writingTools write notes. They are offered only where somebody has said that
// they may be.
func writingTools(w writing.Writer) []Tool {
	tools := in(VaultSet,
		createNote(w),
		updateNote(w),
		setFrontmatter(w),
		moveNote(w),
	)
	for n := range tools {
		tools[n].EditsNotes = true
	}
	return tools
}

func createNote(w writing.Writer) Tool {
	return define(about{
		name: "create_note", title: "Create a note",
		description: "Write a new note into a vault. Use update_note for one that is there, memory_store for what needs no file.",
		hints:       adds,
	}, w.CreateNote, func(r writing.WriteResult) show.Doc { return show.Written("Created", r) })
}

func updateNote(w writing.Writer) Tool {
	return define(about{
		name: "update_note", title: "Edit a note",
		description: "Replace, append to, prepend to or patch a note. Use set_frontmatter for properties.",
		hints:       changes,
	}, w.UpdateNote, func(r writing.WriteResult) show.Doc { return show.Written("Updated", r) })
}

func setFrontmatter(w writing.Writer) Tool {
	return define(about{
		name: "set_frontmatter", title: "Set a note's properties",
		description: "Set or remove properties of a note; all else stays. Use update_note for the text.",
		hints:       removes,
	}, w.SetFrontmatter, func(r writing.WriteResult) show.Doc { return show.Written("Updated", r) })
}

func moveNote(w writing.Writer) Tool {
	return define(about{
		name: "move_note", title: "Move or rename a note",
		description: "Give a note or other file a new path; links are rewritten so that they lead where they led.",
		hints:       changes,
	}, w.MoveNote, show.Moved)
}
