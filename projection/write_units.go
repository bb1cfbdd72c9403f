package projection

import (
	"context"
	"encoding/hex"
	"maps"
	"slices"

	"hence/internal/db"
	"hence/internal/lists"
	"hence/memory"
	"hence/memory/record"
)

// unitRow is a unit beside its memory, for the statements after upsertUnits.
type unitRow struct {
	*Unit
	URI    string  `column:"uri" is:""`
	File   string  `column:"in_file" is:""` // uri of the file that holds it; "": none
	Cut    *string `column:"cut" is:""`
	Count  int     `column:"tokens" is:"symbol"`
	Sketch string  `column:"sketch" is:""` // in hex
	memory []any
}

var (
	ofUnit   = record.Of[unitRow]()
	ofSymbol = record.Where(ofUnit, "symbol") // the columns of the table symbols
)

// unitStatements returns the statements that write the units of documents. They do not
// touch an unchanged unit, so that it has no row in the journal.
func (p *project) unitStatements(documents []*Document) []db.Stmt {
	rows := []unitRow{}
	var statements []db.Stmt
	for _, d := range documents {
		for i := range d.Units {
			row := p.unitRow(&d.Units[i], p.Format.URI(p.name, d.Path), d.TextSource, d.changeTime())
			if rows = append(rows, row); p.units.other[row.Name] && p.isReread(d) {
				statements = append(statements, memory.KeepBasis(row.URI, row.Hash)...)
			}
		}
	}
	return append(statements, p.unitRowStatements(rows)...)
}

func (p *project) unitRowStatements(units []unitRow) []db.Stmt {
	if len(units) == 0 {
		return nil
	}
	var memories, beside db.Rows
	titles := []string{}
	for _, u := range units {
		titles = append(titles, u.Title)
		memories.Row(u.memory...)
		beside.Row(record.Values(ofUnit, &u)...)
	}
	rows := beside.Arg()
	return append([]db.Stmt{
		db.S(upsertUnits, memories.Arg()), db.S(insertUnitSections, rows, p.namespace, p.Format.Origin), db.S(updateUnitSections, rows), db.S(upsertSymbols, rows, p.vault),
	}, db.FoldTitles(titles...)...)
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
			rows = append(rows, p.unitRow(&wholes[i], "", "", db.Now()))
		}
	}
	for chunk := range slices.Chunk(rows, groupFiles) {
		if err := p.commit(ctx, p.unitRowStatements(chunk)...); err != nil {
			return err
		}
	}
	return nil
}

func (p *project) unitRow(u *Unit, file, source, updated string) unitRow {
	row := p.newRow(u.Kind, u.Title, u.Aliases, u.Tags, u.Properties)
	row.Content, row.Source, row.URI, row.ContentHash, row.Sectioned, row.UpdatedAt = u.Content, source, p.Format.URI(p.name, u.Name), u.Hash, true, updated
	return unitRow{
		Unit: u, URI: row.URI, File: file, Cut: memory.Cut(0, row.Title, u.Heading, row.Aliases, row.Tags, u.Content, ""),
		Count: u.Tokens.Count, Sketch: hex.EncodeToString(sketchBytes(u.Tokens)), memory: record.Values(mirrored, &row),
	}
}

// upsertUnits is upsertMemories without changes to units that are the same.
var upsertUnits = upsertMemories + `
where status = 'forgotten'
  or (` + record.List(remade, "%[1]s") + `)
    is not (` + record.List(remade, "excluded.%[1]s") + `)`

// fromUnits is the source of rows r of ofUnit, each with its memory m.
var fromUnits = `
from (
  select ` + record.Row(ofUnit) + `
  from (select value from json_each(?1) limit -1) g
  limit -1
) r
cross join memories m on m.uri = r.uri
`

var insertUnitSections = `
insert into sections (key, memory, ordinal, heading, cut, words)
select
  (select next from section_ranges where namespace = ?2 and is_code = (?3 = 'code')) + row_number() over () - 1,
  m.key,
  0,
  r.heading,
  r.cut,
  nullif(r.words, '')` + fromUnits + `
where not exists (select 1 from sections s where s.memory = m.key)`

var updateUnitSections = `
with changed (section, heading, words) as materialized (
  select
    s.key,
    r.heading,
    nullif(r.words, '')` + fromUnits + `
  cross join sections s on s.memory = m.key
  where (s.heading, s.words) is not (r.heading, nullif(r.words, ''))
)
update sections
set
  heading = c.heading,
  words = c.words
from changed c
where sections.key = c.section`

var upsertSymbols = `
insert into symbols (memory, mirror, file, sketch, ` + record.List(ofSymbol, "%[1]s") + `)
select
  m.key,
  ?2,
  f.key,
  nullif(unhex(r.sketch), x''),
  ` + record.List(ofSymbol, "r.%[1]s") + fromUnits + `
left join memories f on f.uri = nullif(r.in_file, '')
where true
on conflict (memory) do update set
  mirror = excluded.mirror,
  file = excluded.file,
  sketch = excluded.sketch,
  ` + record.List(ofSymbol, "%[1]s = excluded.%[1]s") + `
where (file, sketch, ` + record.List(ofSymbol, "%[1]s") + `)
  is not (excluded.file, excluded.sketch, ` + record.List(ofSymbol, "excluded.%[1]s") + `)`

// moveUnits gives the memories of renamed units their new names.
func (p *project) moveUnits(ctx context.Context) error {
	moves := lists.Map(slices.Sorted(maps.Keys(p.units.moves)), func(memory int64) move {
		return move{Memory: memory, URI: p.Format.URI(p.name, p.units.moves[memory])}
	})
	leaving := db.List(slices.Collect(maps.Keys(p.units.moves)))
	for chunk := range slices.Chunk(moves, groupFiles) {
		rows := db.List(chunk)
		if err := p.commit(ctx, db.S(freeURIs, rows, leaving), db.S(setURIs, rows)); err != nil {
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
		if err := p.commit(ctx, db.S(dangleOwn, rows), db.S(deleteSymbols, rows), db.S(forget, rows, "its file has it no more")); err != nil {
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
