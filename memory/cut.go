package memory

import (
	"context"
	"database/sql"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"hence/internal/db"
	"hence/internal/pattern"
	"hence/internal/script"
)

// Cut returns the JSON text for a section's column cut: those of the section's texts that
// package script cuts into words, as they are indexed, and the words that it is found by beside
// its own. It is nil if there are none. properties are those of a memory that is not source code,
// as JSON; "" for code, whose words are indexed otherwise.
func Cut(ordinal int, title, heading, aliases, tags, body, properties string) *string {
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
	if properties != "" {
		put("words", "", furtherWords(ordinal, title, heading, aliases, tags, body, properties))
	}
	if len(cut) == 0 {
		return nil
	}
	return new(db.JSON(cut))
}

// Whole has the texts of a memory that is one section. Aliases, tags and properties are JSON.
type Whole struct{ ID, Title, Aliases, Tags, Content, Properties string }

// CutStatements returns the statements that fold the titles of memories and fill the column cut of
// their one section, for the transaction that writes these memories; none if none needs it. One
// statement serves all of them, because the full-text index flushes its pending rows whenever
// a statement begins. A stored memory with other texts than given is left as it is.
func CutStatements(memories ...Whole) []db.Stmt {
	rows, titles := db.Rows{}, []string{}
	for _, m := range memories {
		titles = append(titles, m.Title)
		cut := Cut(0, m.Title, "", m.Aliases, m.Tags, m.Content, m.Properties)
		if cut != nil || !script.IsASCII(m.Title+m.Aliases+m.Tags+m.Content) {
			rows.Row(m.ID, m.Title, m.Aliases, m.Tags, m.Content, cut, m.Properties)
		}
	}
	folded := db.FoldTitles(titles...)
	if len(rows) == 0 {
		return folded
	}
	return append(folded, db.S(`
with found (section, cut) as materialized (
  select
    s.key,
    g.value ->> 5
  from json_each(?1) g
  cross join memories m on m.id = g.value ->> 0
  cross join sections s on s.memory = m.key
  where s.uncut = 1
    and s.body is null
    and s.body_end = 0
    and m.title = g.value ->> 1
    and m.aliases = g.value ->> 2
    and m.tags = g.value ->> 3
    and m.content = g.value ->> 4
    and m.properties = json(g.value ->> 6)
)
update sections
set
  uncut = 0,
  cut = f.cut
from found f
where sections.key = f.section`, rows.Arg()))
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
		var ordinal int
		var title, heading, aliases, tags, body, properties string
		err := row.Scan(&key, &revision, &ordinal, &title, &heading, &aliases, &tags, &body, &properties)
		return db.S(`
update sections
set
  uncut = 0,
  cut = ?3
where key = ?1
  and uncut = 1
  and (select revision from memories where key = sections.memory) = ?2`, key, revision, Cut(ordinal, title, heading, aliases, tags, body, properties)), err
	}, `
select
  t.key,
  m.revision,
  s.ordinal,
  t.title,
  t.heading,
  t.aliases,
  t.tags,
  t.body,
  iif(m.origin = 'code', '', m.properties)
from sections s
cross join section_text t on t.key = s.key
cross join memories m on m.key = s.memory
where s.uncut = 1
order by s.key
limit ?`, cutGroup)
}

const (
	maxPropertyText = 2000  // bytes of a property's text that are indexed
	maxPropertyAll  = 20000 // of all properties of a memory
)

// PropertyText is a text in the properties of a memory.
type PropertyText struct{ Name, Text string }

// saysNothing matches the texts of properties by which nobody searches: dates, numbers, ids,
// addresses.
var saysNothing = pattern.Lazy(`^(?:[-\d.,:/+TZ% ]*|[a-z][a-z0-9+.-]*://\S*|www\.\S+|\S+@\S+\.\S+|(?:[0-9a-fA-F]{6,}-?)+[0-9a-fA-F]*)$`)

// PropertyTexts returns the texts in properties: names, sentences and lists of them, by the
// names of the properties.
func PropertyTexts(properties db.Properties) (texts []PropertyText) {
	left := maxPropertyAll
	var read func(name string, value any, depth int)
	read = func(name string, value any, depth int) {
		switch v := value.(type) {
		case string:
			text := strings.NewReplacer("[[", "", "]]", "", "|", " ").Replace(strings.TrimSpace(v))
			if left -= len(text); left >= 0 && len(text) <= maxPropertyText && !saysNothing().MatchString(text) {
				texts = append(texts, PropertyText{name, text})
			}
		case []any:
			for _, one := range v {
				read(name, one, depth+1)
			}
		case map[string]any:
			if depth > MaxDepth {
				return
			}
			for _, inner := range slices.Sorted(maps.Keys(v)) {
				read(inner, v[inner], depth+1)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		switch strings.ToLower(name) {
		case "id", "uid", "uuid", "tag", "tags", "alias", "aliases", "cssclass", "cssclasses":
			continue
		}
		read(name, properties[name], 1)
	}
	return texts
}

// furtherWords returns the words that a section is found by beside its own, for the column words
// of the index: see script.Further. Those of properties are indexed with the first section,
// unless its text has them.
func furtherWords(ordinal int, title, heading, aliases, tags, body, properties string) string {
	if ordinal > 0 {
		return script.Further(heading, body)
	}
	parts := []string{script.Further(title, heading, aliases, tags, body)}
	read := db.Properties{}
	if properties != "{}" && json.Unmarshal([]byte(properties), &read) == nil {
		for _, p := range PropertyTexts(read) {
			if p.Text != title && !strings.Contains(body, p.Text) {
				parts = append(parts, script.Cut(p.Text), script.Further(p.Text))
			}
		}
	}
	return strings.TrimSpace(strings.Join(parts, "\n"))
}
