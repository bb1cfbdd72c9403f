package projection

import (
	"cmp"
	"context"
	"slices"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/lists"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/record"
)

// memoryRow is a file or unit as a memory, for upsertMemories.
type memoryRow struct {
	record.Memory
	Aliases    string `column:"aliases" is:"mirrored"` // as JSON
	Tags       string `column:"tags" is:"mirrored"`
	Properties string `column:"properties" is:"mirrored"`
	Sectioned  bool   `column:"sectioned" is:"mirrored"`
}

var (
	mirrored = record.Where(record.Of[memoryRow](), "mirrored")
	timeless = record.Except(mirrored, "created_at")
	remade   = record.Except(mirrored, "id", "uri", "origin", "actor", "created_at", "updated_at") // by a later import
)

// writeAllMemories writes files as memories with their sections. They do not
// count as read until their links are written too.
func (p *project) writeAllMemories(ctx context.Context) error {
	prepare := func(group []*Document) ([][]db.Stmt, error) { return p.memoryChunks(group), nil }
	if err := ahead(groups(p.documents), prepare, p.writeMemories(ctx)); err != nil {
		return err
	}
	for group := range groups(p.dependents) { // their units may have other names now
		if err := p.commit(ctx, p.unitStatements(group)...); err != nil {
			return err
		}
	}
	return p.writeWholes(ctx)
}

// writeMemories returns a function that runs each chunk of statements in one transaction.
func (p *project) writeMemories(ctx context.Context) func([][]db.Stmt) error {
	return func(chunks [][]db.Stmt) error {
		for _, statements := range chunks {
			if err := p.commit(ctx, statements...); err != nil {
				return err
			}
		}
		return nil
	}
}

// memoryChunks returns the statements that write documents, a chunk for each transaction,
// and frees the documents' text.
func (p *project) memoryChunks(documents []*Document) (chunks [][]db.Stmt) {
	for group := range groups(documents) {
		chunks = append(chunks, p.memoryStatements(group))
		for _, d := range group {
			d.Content, d.Sections, d.Properties, d.Units, d.bytes = "", nil, nil, nil, nil
		}
	}
	return chunks
}

func (p *project) memoryStatements(group []*Document) []db.Stmt {
	var memories, sections, files db.Rows
	var statements []db.Stmt
	titles := []string{}
	for _, d := range group {
		row := p.memoryRow(d)
		titles = append(titles, row.Title)
		if before := cmp.Or(p.moved[d.Path], d.Path); p.relinked[before] != "" && p.relinked[before] == p.known.Files[before].Hash || d.ContentHash != "" && p.isReread(d) {
			statements = append(statements, memory.KeepBasis(row.URI, row.ContentHash)...)
		}
		// A file that is read again and was not edited does not bring back what somebody forgot.
		if old := p.known.Files[d.Path]; !old.forgotten || old.Hash != d.Hash {
			memories.Row(record.Values(mirrored, &row)...)
		}
		hash := ""
		if p.Format.Keeps { // so that what an interrupted import has kept is known to be there
			hash = d.Hash
		}
		files.Row(row.URI, d.Path, db.JSON(listOf(d.Warnings)), hash)
		for _, s := range d.Sections {
			cut := memory.Cut(s.Ordinal, row.Title, s.Heading, row.Aliases, row.Tags, s.text(d.Content), row.Properties)
			sections.Row(row.URI, s.Ordinal, s.Heading, s.Level, s.StartLine, s.EndLine, s.Body, s.BodyStart, s.BodyEnd, cut)
		}
	}
	statements = append(statements, db.S(deleteSections, files.Arg()), db.S(upsertMemories, memories.Arg()), db.S(insertSections, sections.Arg(), p.namespace))
	statements = append(statements, db.FoldTitles(titles...)...)
	statements = append(append(statements, db.S(upsertFiles, files.Arg(), p.vault)), p.unitStatements(group)...)
	return append(statements, p.keepVersions(group)...)
}

// isReread reports whether a file is read again though it is as it was. Where this version of Hence hashes its text or its
// units otherwise, nobody has edited them, and what rests on them does not become stale.
func (p *project) isReread(d *Document) bool { return p.again && p.known.Files[d.Path].Hash == d.Hash }

// memoryRow returns a file as a memory. CreatedAt is empty if the file does not say when it was
// written.
func (p *project) memoryRow(d *Document) memoryRow {
	row := p.newRow(d.Kind, d.Title, d.Aliases, d.Tags, d.Properties)
	address := []rune(d.SourceURL)
	row.Content, row.Source, row.SourceURL = d.Content, d.TextSource, string(address[:min(len(address), ref.MaxURL)])
	row.URI, row.ContentHash, row.UpdatedAt = p.Format.URI(p.name, d.Path), cmp.Or(d.ContentHash, d.Hash), d.changeTime()
	row.Sectioned = len(d.Sections) > 0
	if !d.Created.IsZero() {
		row.CreatedAt = min(db.Time(d.Created), row.UpdatedAt)
	}
	return row
}

// newRow returns a memory of the import, with what the schema wants on one line cleaned.
func (p *project) newRow(kind, title string, aliases, tags []string, properties map[string]any) memoryRow {
	return memoryRow{
		Memory: record.Memory{
			ID: db.NewID(), Namespace: p.namespace, Kind: db.WithoutControls(kind), Title: db.WithoutControls(title), Origin: p.Format.Origin, Actor: p.name,
		},
		Aliases: db.JSON(listOf(aliases)), Tags: db.JSON(lists.Map(tags, db.WithoutControls)), Properties: db.JSON(properties),
	}
}

// listOf returns a list that is never nil, which JSON would write as null.
func listOf[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

const deleteSections = `
delete from sections
where memory in (
  select m.key
  from json_each(?1) g
  join memories m on m.uri = g.value ->> 0
)`

// upsertMemories inserts or updates memories by their uris. A file or unit that comes back
// under its old name gets its old memory again, in the namespace of the import. If it does not
// say when it was written, it keeps that time, or was written when it changed.
var upsertMemories = `
insert into memories (` + record.List(timeless, "%[1]s") + `, created_at)
select
  ` + record.List(timeless, "r.%[1]s") + `,
  coalesce(nullif(r.created_at, ''), (select m.created_at from memories m where m.uri = r.uri), r.updated_at)
from (
  select ` + record.Row(mirrored) + `
  from (select value from json_each(?1) limit -1) g
) r
where true
on conflict (uri) do update set
  ` + record.List(remade, "%[1]s = excluded.%[1]s") + `,
  created_at = excluded.created_at,
  status = iif(
    status = 'forgotten',
    ` + edges.StatusByEdges + `,
    status
  ),
  forgotten_at = null,
  forget_reason = null,
  revision = revision + 1,
  updated_at = max(updated_at, excluded.updated_at)`

// One statement inserts many sections, because the full-text index flushes its pending
// terms at the start of every statement.
const insertSections = `
insert into sections (key, memory, ordinal, heading, level, start_line, end_line, body, body_start, body_end, cut)
select
  (select next from section_ranges where namespace = ?2 and not is_code) + row_number() over () - 1,
  m.key,
  g.value ->> 1,
  g.value ->> 2,
  g.value ->> 3,
  g.value ->> 4,
  g.value ->> 5,
  nullif(g.value ->> 6, ''),
  g.value ->> 7,
  g.value ->> 8,
  g.value ->> 9
from (select value from json_each(?1) limit -1) g
cross join memories m on m.uri = g.value ->> 0`

// The size is set when the links are written.
const upsertFiles = `
insert into files (memory, mirror, path, size, modified, file_hash, warnings)
select
  m.key,
  ?2,
  g.value ->> 1,
  -1,
  0,
  g.value ->> 3,
  g.value ->> 2
from (select value from json_each(?1) limit -1) g
cross join memories m on m.uri = g.value ->> 0
where true
on conflict (memory) do update set
  path = excluded.path,
  size = -1,
  file_hash = coalesce(nullif(excluded.file_hash, ''), file_hash),
  warnings = excluded.warnings`

// move is a memory that gets another uri.
type move struct {
	Memory int64  `json:"memory"`
	Path   string `json:"path"` // of a file
	URI    string `json:"uri"`
}

// writeMoves gives the memories of moved files their new paths.
func (p *project) writeMoves(ctx context.Context) error {
	moves, paths := []move{}, []string{}
	for _, d := range p.added {
		if from, ok := p.moved[d.Path]; ok {
			paths = append(paths, from)
			moves = append(moves, move{p.known.Files[from].Memory, d.Path, p.Format.URI(p.name, d.Path)})
		}
	}
	if len(moves) == 0 {
		return nil
	}
	rows := db.List(moves)
	return p.commit(ctx, append(p.keepGone(paths), db.S(freeURIs, rows, "[]"), db.S(setURIs, rows),
		db.S(`
update files
set path = j.value ->> 'path'
from json_each(?1) j
where files.memory = j.value ->> 'memory'`, rows))...)
}

const (
	// A forgotten memory, or one that gets another uri too, may still have the new one.
	freeURIs = `
update memories
set uri = null
where (status = 'forgotten' or key in (select value from json_each(?2)))
  and uri in (select value ->> 'uri' from json_each(?1))`
	setURIs = `
update memories
set uri = j.value ->> 'uri'
from json_each(?1) j
where memories.key = j.value ->> 'memory'`
)

// forgetRemoved forgets the memories of files that are gone. Moved files keep theirs.
func (p *project) forgetRemoved(ctx context.Context) error {
	from := map[string]bool{}
	for _, path := range p.moved {
		from[path] = true
	}
	gone := slices.DeleteFunc(slices.Clone(p.removed), func(path string) bool { return from[path] })
	for chunk := range slices.Chunk(gone, groupFiles) {
		keys := lists.Map(chunk, func(path string) int64 { return p.known.Files[path].Memory })
		if err := p.touchEdgesOf(ctx, keys); err != nil {
			return err
		}
		rows := db.List(keys)
		statements := append(p.keepGone(chunk), db.S(deleteSitesOf, rows), db.S(deleteMentionsOf, rows), db.S(dangle, rows), db.S(deleteFiles, rows), db.S(forget, rows, "the file is gone"))
		if err := p.commit(ctx, statements...); err != nil {
			return err
		}
	}
	return nil
}

const (
	deleteSitesOf = `delete from sites where note in (select value from json_each(?1))`
	edgesAt       = `(
  select key from edges where from_key in (select value from json_each(?1))
  union all
  select key from edges where to_key in (select value from json_each(?1))
)`
	deleteMentionsOf = `
delete from sites
where origin = 'mention'
  and edge in ` + edgesAt
	dangle = `
update sites
set
  edge = null,
  resolved_by = iif(lenient = 'bare', 'nobody', ''),
  candidates = '[]'
where edge in ` + edgesAt
	deleteFiles = `delete from files where memory in (select value from json_each(?1))`
	forget      = `
update memories
set
  status = 'forgotten',
  forgotten_at = (select at from writer),
  forget_reason = ?2
where key in (select value from json_each(?1))
  and status <> 'forgotten'`
)

// writeTouched stores the new times of files whose bytes are the same, and who may read them now.
func (p *project) writeTouched(ctx context.Context) error {
	rows := []fileRow{}
	for _, d := range p.touched {
		rows = append(rows, fileRow{Memory: p.known.Files[d.Path].Memory, Size: d.Size, Modified: d.Modified, Hash: d.Hash, Superseded: d.Superseded})
		p.step()
	}
	if len(rows) == 0 {
		return nil
	}
	return p.commit(ctx, append(p.keepVersions(p.touched), db.S(updateFiles, db.JSON(rows)))...)
}

// markDependents marks the dependents as not read, until their sites are written again.
func (p *project) markDependents(ctx context.Context) error {
	if len(p.dependents) == 0 {
		return nil
	}
	paths := lists.Map(p.dependents, func(d *Document) string { return d.Path })
	return p.commit(ctx, db.S(`
update files
set size = -1
where mirror = ?1
  and path in (select value from json_each(?2))`, p.vault, db.List(paths)))
}

// fileRow is a file that has been read, for updateFiles.
type fileRow struct {
	Memory     int64  `json:"memory"`
	Size       int64  `json:"size"`
	Modified   int64  `json:"modified"`
	Hash       string `json:"hash"`
	Superseded bool   `json:"superseded"` // the file itself declares that it is superseded

	Words []string `json:"words,omitzero"` // names that its text has as words; nil: unchanged
}

const updateFiles = `
update files
set
  size = j.value ->> 'size',
  modified = j.value ->> 'modified',
  file_hash = j.value ->> 'hash',
  superseded = j.value ->> 'superseded',
  words = coalesce(j.value -> 'words', words)
from json_each(?1) j
where files.memory = j.value ->> 'memory'`
