package projection

import (
	"context"
	"encoding/hex"
	"slices"

	"hence/internal/db"
	"hence/memory"
)

// unitRow is a unit as a memory, for upsertUnits and the statements after it.
type unitRow struct {
	memoryRow
	*Unit
	file string // uri of the file that holds it; "": none
	cut  *string
}

func (u unitRow) row() []any {
	return append(u.memoryRow.row(), u.Heading, u.cut, u.Words, u.file, u.Sort, u.Exported, u.StartLine, u.EndLine, u.Start, u.End, u.TextHash, u.Tokens.Count, hex.EncodeToString(sketchBytes(u.Tokens)))
}

// unitStatements returns the statements that write the units of documents. They do not
// touch an unchanged unit, so that it has no row in the journal.
func (p *project) unitStatements(documents []*Document) []db.Stmt {
	rows := []unitRow{}
	for _, d := range documents {
		for i := range d.Units {
			rows = append(rows, p.unitRow(&d.Units[i], p.Format.URI(p.name, d.Path), d.changeTime()))
		}
	}
	return p.unitRowStatements(rows)
}

func (p *project) unitRowStatements(rows []unitRow) (all []db.Stmt) {
	for _, rows := range lists(rows) {
		all = append(all, db.S(upsertUnits, rows, p.namespace, p.name, p.Format.Origin), db.S(insertUnitSections, rows, p.namespace),
			db.S(updateUnitSections, rows), db.S(upsertSymbols, rows, p.vault))
	}
	return all
}

// writeWholes writes the units that several files make up.
func (p *project) writeWholes(ctx context.Context) error {
	if !p.Format.Units {
		return nil
	}
	rows := []unitRow{}
	wholes := p.directory.Wholes()
	for i := range wholes {
		if !wholes[i].Same {
			rows = append(rows, p.unitRow(&wholes[i], "", db.Now()))
		}
	}
	for chunk := range slices.Chunk(rows, groupFiles) {
		if err := p.commit(ctx, p.unitRowStatements(chunk)...); err != nil {
			return err
		}
	}
	return nil
}

func (p *project) unitRow(u *Unit, file, updated string) unitRow {
	row := memoryRow{
		ID: db.NewID(), Kind: u.Kind, Title: u.Title, Content: u.Content, URI: p.Format.URI(p.name, u.Name),
		ContentHash: u.Hash, Sectioned: 1, Updated: updated,
	}
	row.lists(u.Aliases, u.Tags, u.Properties)
	return unitRow{row, u, file, memory.Cut(0, row.Title, u.Heading, row.Aliases, row.Tags, u.Content, "")}
}

// upsertUnits is upsertMemories without changes to units that are the same.
const upsertUnits = upsertMemories + `
where status = 'forgotten'
  or (namespace, kind, title, content, aliases, tags, properties, content_hash, sectioned)
    is not (
      excluded.namespace, excluded.kind, excluded.title, excluded.content, excluded.aliases, excluded.tags, excluded.properties,
      excluded.content_hash, excluded.sectioned
    )`

const insertUnitSections = `
insert into sections (key, memory, ordinal, heading, cut, words)
select
  (select key from next_code_section where namespace = ?2) + row_number() over () - 1,
  m.key,
  0,
  g.value ->> 14,
  g.value ->> 15,
  nullif(g.value ->> 16, '')
from (select value from json_each(?1) limit -1) g
cross join memories m on m.uri = g.value ->> 7
where not exists (select 1 from sections s where s.memory = m.key)`

const updateUnitSections = `
with changed (section, heading, words) as materialized (
  select
    s.key,
    g.value ->> 14,
    nullif(g.value ->> 16, '')
  from (select value from json_each(?1) limit -1) g
  cross join memories m on m.uri = g.value ->> 7
  cross join sections s on s.memory = m.key
  where (s.heading, s.words) is not (g.value ->> 14, nullif(g.value ->> 16, ''))
)
update sections
set
  heading = c.heading,
  words = c.words
from changed c
where sections.key = c.section`

const upsertSymbols = `
insert into symbols (
  memory, vault, file, sort, exported, start_line, end_line, start_byte, end_byte, text_hash, tokens, sketch
)
select
  m.key,
  ?2,
  f.key,
  g.value ->> 18,
  g.value ->> 19,
  g.value ->> 20,
  g.value ->> 21,
  g.value ->> 22,
  g.value ->> 23,
  g.value ->> 24,
  g.value ->> 25,
  nullif(unhex(g.value ->> 26), x'')
from (select value from json_each(?1) limit -1) g
cross join memories m on m.uri = g.value ->> 7
left join memories f on f.uri = nullif(g.value ->> 17, '')
where true
on conflict (memory) do update set
  vault = excluded.vault,
  file = excluded.file,
  sort = excluded.sort,
  exported = excluded.exported,
  start_line = excluded.start_line,
  end_line = excluded.end_line,
  start_byte = excluded.start_byte,
  end_byte = excluded.end_byte,
  text_hash = excluded.text_hash,
  tokens = excluded.tokens,
  sketch = excluded.sketch
where (file, sort, exported, start_line, end_line, start_byte, end_byte, text_hash, tokens, sketch)
  is not (
    excluded.file, excluded.sort, excluded.exported, excluded.start_line, excluded.end_line, excluded.start_byte,
    excluded.end_byte, excluded.text_hash, excluded.tokens, excluded.sketch
  )`

// moveUnits gives the memories of renamed units their new names.
func (p *project) moveUnits(ctx context.Context) error {
	moves := []move{}
	for memory, name := range p.units.moves {
		moves = append(moves, move{Memory: memory, URI: p.Format.URI(p.name, name)})
	}
	slices.SortFunc(moves, func(a, b move) int { return int(a.Memory - b.Memory) })
	for chunk := range slices.Chunk(moves, groupFiles) {
		rows := db.List(chunk)
		if err := p.commit(ctx, db.S(freeURIs, rows), db.S(setURIs, rows)); err != nil {
			return err
		}
	}
	return nil
}

// forgetGone forgets the memories of units that are gone. Sites of other sources keep their
// edges, so that memories that rest on such a unit are in doubt. The source's own sites
// lose them; they are written again, because their files changed or are dependents.
func (p *project) forgetGone(ctx context.Context) error {
	for chunk := range slices.Chunk(p.units.forgot, groupFiles) {
		rows := db.List(chunk)
		if err := p.commit(ctx, db.S(dangleOwn, rows), db.S(deleteSymbols, rows), db.S(forget, rows, "the symbol is gone")); err != nil {
			return err
		}
	}
	return nil
}

const (
	dangleOwn = `
update sites
set
  edge = null,
  resolved_by = ''
where origin = 'code'
  and edge in ` + edgesAt
	deleteSymbols = `delete from symbols where memory in (select value from json_each(?1))`
)
