package reading

import (
	"context"
	"database/sql"

	"hence/internal/db"
	"hence/vault"
	"hence/vault/mention"
	"hence/vault/note"
)

// unlinked returns the places in the other notes of a vault that name a note in plain text,
// in the order of path and line. Import notes no places of names that are short or ordinary
// words of the vault, or that its owner muted; who asks about one note wants to see them. A
// name that means another note, or several, is left out.
func unlinked(ctx context.Context, r *db.Reader, f vault.Stored) (found []backlink, err error) {
	if !vault.IsNote(f.Path) {
		return nil, nil
	}
	index, err := namesIn(ctx, r, f)
	if err != nil {
		return nil, err
	}
	names, err := db.Select(ctx, r, db.Fields(func(name *string) []any { return []any{name} }), `
select m.title
from memories m
where m.key = ?1
union
select a.value
from memories m
join json_each(m.aliases) a
where m.key = ?1`, f.Memory)
	forms := []string{}
	for _, name := range names {
		if index.FindByName(name).Path == f.Path {
			forms = append(forms, mention.Key(name, true))
		}
	}
	if err != nil || len(forms) == 0 {
		return nil, err
	}
	finder := mention.New(forms)
	return found, db.Each(ctx, r, func(row *sql.Rows) error {
		var path, content string
		var firstLine int
		if err := row.Scan(&path, &content, &firstLine); err != nil {
			return err
		}
		isNamed := false
		if finder.Find(content, 0, len(content), func(string, int, int) { isNamed = true }); isNamed {
			found = append(found, namedIn(path, content, firstLine, finder)...)
		}
		return nil
	}, `
select
  f.path,
  m.content,
  coalesce((select s.start_line from sections s where s.memory = m.key and s.ordinal = 0), 1)
from files f
join memories m on m.key = f.memory
where f.mirror = ?1
  and f.memory <> ?2
  and m.kind = 'note'
order by f.path`, f.VaultKey, f.Memory)
}

// namedIn returns the places in a note's body that have one of the names, each name once a
// line. firstLine is the line of the file on which its first section starts.
func namedIn(path, content string, firstLine int, names *mention.Finder) (found []backlink) {
	// A blank line before the text, so that "---" on its first line is not read as a fence.
	n := note.Parse([]byte("\n" + content))
	offset := -1 // the line in the file less that in n
	if len(n.Sections) > 0 {
		offset = firstLine - n.Sections[0].StartLine
		if n.Sections[0].Level == 0 {
			offset-- // the first section starts with the blank line here
		}
	}
	last := map[string]int{} // name → the last line that has it
	for _, s := range n.Plain {
		names.Find(s.Line, s.Start, s.End, func(name string, start, end int) {
			if last[name] == s.Number {
				return
			}
			last[name] = s.Number
			b := backlink{place: place{Mention: 1, Path: path, Line: s.Number + offset, Site: int64(len(found))}}
			b.Backlink.Path, b.Backlink.Context = path, s.Context(start, end)
			found = append(found, b)
		})
	}
	return found
}
