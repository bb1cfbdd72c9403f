package memory

import (
	"context"
	"database/sql"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"hence/internal/db"
	"hence/internal/script"
)

// Cut returns the JSON text for a section's column cut: those of the section's texts that
// package script cuts into words, as they are indexed. It is nil if script changes none.
func Cut(title, heading, aliases, tags, body string) *string {
	cut := map[string]string{}
	put := func(field, text, as string) {
		if as != text {
			cut[field] = as
		}
	}
	put("title", title, script.CutName(title))
	put("heading", heading, script.Cut(heading))
	put("aliases", aliases, script.CutName(aliases))
	put("tags", tags, script.CutName(tags))
	put("body", body, script.Cut(body))
	if len(cut) == 0 {
		return nil
	}
	var text strings.Builder
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false) // escapes would only make the text longer
	if err := e.Encode(cut); err != nil {
		panic(err) // a map of strings always encodes
	}
	return new(strings.TrimSpace(text.String()))
}

// Whole has the texts of a memory that is one section. Aliases and tags are JSON.
type Whole struct{ ID, Title, Aliases, Tags, Content string }

// CutStatements returns the statement that fills the column cut of the one section of each
// memory, for the transaction that writes these memories; nil if all texts are ASCII. One
// statement serves all of them, because the full-text index flushes its pending rows whenever
// a statement begins. A stored memory with other texts than given is left as it is.
func CutStatements(memories ...Whole) []db.Stmt {
	rows := db.NewGiven(0)
	for _, m := range memories {
		if !isASCII(m.Title) || !isASCII(m.Aliases) || !isASCII(m.Tags) || !isASCII(m.Content) {
			rows.Row(m.ID, m.Title, m.Aliases, m.Tags, m.Content, Cut(m.Title, "", m.Aliases, m.Tags, m.Content))
		}
	}
	if rows.Len() == 0 {
		return nil
	}
	return []db.Stmt{db.S(`
with found (section, cut) as materialized (
  select
    s.key,
    g.c6
  from given(?1) g
  cross join memories m on m.id = g.c1
  cross join sections s on s.memory = m.key
  where s.uncut = 1
    and s.body is null
    and m.title = g.c2
    and m.aliases = g.c3
    and m.tags = g.c4
    and m.content = g.c5
)
update sections
set
  uncut = 0,
  cut = f.cut
from found f
where sections.key = f.section`, rows.Arg())}
}

// isASCII reports whether a text is all ASCII. A trigger marks the section of any other text
// as uncut.
func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// cutGroup is how many sections are cut together.
const cutGroup = 200

// CutSections fills the column cut of sections that were written without it, as the sqlite3
// shell writes them, so that search finds all of their text. It does nothing if the store is
// read-only.
func (s Store) CutSections(ctx context.Context) error {
	if s.DB.ReadOnly() {
		return nil
	}
	for {
		batch, err := s.cutWaiting(ctx)
		if err != nil || len(batch) == 0 {
			return err
		}
		if _, err := s.DB.Write(ctx, s.Caller.Actor, db.Now(), batch...); err != nil {
			return err
		}
	}
}

// cutWaiting returns the statements that cut the first cutGroup uncut sections. A section
// whose memory is changed before they run stays uncut.
func (s Store) cutWaiting(ctx context.Context) (batch []db.Stmt, err error) {
	return db.Select(ctx, s.DB, func(row *sql.Rows) (db.Stmt, error) {
		var key, revision int64
		var title, heading, aliases, tags, body string
		err := row.Scan(&key, &revision, &title, &heading, &aliases, &tags, &body)
		return db.S(`
update sections
set
  uncut = 0,
  cut = ?3
where key = ?1
  and uncut = 1
  and (select revision from memories where key = sections.memory) = ?2`, key, revision, Cut(title, heading, aliases, tags, body)), err
	}, `
select
  t.key,
  m.revision,
  t.title,
  t.heading,
  t.aliases,
  t.tags,
  t.body
from sections s
cross join section_text t on t.key = s.key
cross join memories m on m.key = s.memory
where s.uncut = 1
order by s.key
limit ?`, cutGroup)
}
