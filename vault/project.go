package vault

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/vault/note"
	"hence/vault/resolve"
)

// group is the number of files that are written in one batch: enough to be
// quick, few enough to let other writers in.
const group = 100

// project is one import on its way.
type project struct {
	Importer
	name, namespace string
	known           known

	files   []entry           // everything in the folder
	added   []document        // new paths, those moved to included
	updated []document        // known paths with other bytes
	touched []document        // known paths with the same bytes and another time
	failed  []document        // could not be read
	removed []string          // known paths that are gone, those moved from included
	moved   map[string]string // new path → old path

	resolver *resolve.Index
	vault    int64            // key of the vault
	memories map[string]int64 // path → key of the memory, once they are written

	mu          sync.Mutex // guards done: files are read side by side
	done, total int
}

// URI returns the name of a vault's file among memories.
func URI(vault, path string) string { return "obsidian-fs://" + vault + "/" + path }

// step counts one more file as read or written.
func (p *project) step() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	if p.Progress != nil {
		p.Progress(p.done, p.total)
	}
}

// written are the documents to be written, in the order of their paths.
func (p *project) written() []document {
	all := slices.Concat(p.added, p.updated)
	slices.SortFunc(all, func(a, b document) int { return strings.Compare(a.path, b.path) })
	return all
}

// index makes the resolver know every file of the vault and its aliases.
func (p *project) index() {
	p.resolver = resolve.New(nil)
	for _, f := range p.files {
		p.resolver.Add(f.path)
		p.resolver.Aliases(f.path, p.known.files[f.path].aliases)
	}
	for _, d := range p.written() {
		p.resolver.Aliases(d.path, d.aliases)
	}
}

// write brings the store to what the folder holds: first the memories, so
// that every link finds its end, then the links, a group at a time.
func (p *project) write(ctx context.Context, dir string) error {
	if err := p.writeVault(ctx, dir); err != nil {
		return err
	}
	if err := p.forgetRemoved(ctx); err != nil {
		return err
	}
	documents := p.written()
	for chunk := range slices.Chunk(documents, group) {
		if err := p.writeMemories(ctx, chunk); err != nil {
			return err
		}
	}
	if err := p.loadMemories(ctx); err != nil {
		return err
	}
	for chunk := range slices.Chunk(documents, group) {
		if err := p.writeLinks(ctx, chunk); err != nil {
			return err
		}
	}
	if err := p.resolveAgain(ctx, documents); err != nil {
		return err
	}
	if err := p.writeTouched(ctx); err != nil {
		return err
	}
	return p.finish(ctx)
}

// batch writes statements in the importer's name.
func (p *project) batch(ctx context.Context, statements []db.Stmt) error {
	if len(statements) == 0 {
		return nil
	}
	_, err := p.DB.Write(ctx, p.Caller.Actor, db.Now(), statements...)
	return err
}

// writeVault makes the vault's row. Its extraction stays what it was until
// everything is written, so that an import which is stopped goes on.
func (p *project) writeVault(ctx context.Context, dir string) error {
	if p.known.vault == 0 || p.known.root != dir {
		err := p.batch(ctx, []db.Stmt{db.S(`
insert into vaults (name, root, namespace, extraction, imported_at)
values (?1, ?2, ?3, 0, (select at from writer))
on conflict (name) do update set root = excluded.root`, p.name, dir, p.namespace)})
		if err != nil {
			return err
		}
	}
	return p.DB.Read(ctx, func(r *db.Reader) (err error) {
		p.vault, _, err = db.One[int64](ctx, r, `select key from vaults where name = ?`, p.name)
		return err
	})
}

func (p *project) finish(ctx context.Context) error {
	if p.known.extraction == extraction && len(p.added)+len(p.updated)+len(p.removed) == 0 {
		return nil
	}
	return p.batch(ctx, []db.Stmt{db.S(`
update vaults
set
  extraction = ?2,
  imported_at = (select at from writer)
where key = ?1`, p.vault, extraction)})
}

// forgetRemoved forgets what is gone. What was moved is left for its new path.
func (p *project) forgetRemoved(ctx context.Context) error {
	from := map[string]bool{}
	for _, path := range p.moved {
		from[path] = true
	}
	statements := []db.Stmt{}
	for _, path := range p.removed {
		if from[path] {
			continue
		}
		key := p.known.files[path].memory
		statements = append(statements,
			db.S(`delete from sites where note = ?`, key),
			db.S(`update sites set edge = null, resolved_by = '', candidates = '[]' where edge in (
  select key from edges where from_key = ?1
  union all
  select key from edges where to_key = ?1
)`, key),
			db.S(`delete from files where memory = ?`, key),
			db.S(`
update memories
set
  status = 'forgotten',
  forgotten_at = (select at from writer),
  forget_reason = 'the file is gone',
  revision = revision + 1,
  updated_at = (select at from writer)
where key = ?
  and status <> 'forgotten'`, key))
	}
	for chunk := range slices.Chunk(statements, 4*group) {
		if err := p.batch(ctx, chunk); err != nil {
			return err
		}
	}
	return nil
}

// writeMemories writes files as memories with their sections. They do not
// count as read until their links are written too.
func (p *project) writeMemories(ctx context.Context, documents []document) error {
	statements := []db.Stmt{}
	for _, d := range documents {
		more, err := p.memoryBatch(d)
		if err != nil {
			return err
		}
		statements = append(statements, more...)
	}
	return p.batch(ctx, statements)
}

func (p *project) memoryBatch(d document) ([]db.Stmt, error) {
	columns, err := asJSON(d.aliases, d.tags, d.properties, d.warnings)
	if err != nil {
		return nil, fault.Wrap(fault.Internal, err, "import %s", d.path)
	}
	uri := URI(p.name, d.path)
	statements := []db.Stmt{}
	if from, ok := p.moved[d.path]; ok {
		statements = append(statements,
			db.S(`update memories set uri = null where uri = ? and status = 'forgotten'`, uri),
			db.S(`update memories set uri = ?2 where key = ?1`, p.known.files[from].memory, uri),
			db.S(`update files set path = ?2 where memory = ?1`, p.known.files[from].memory, d.path))
	}
	statements = append(statements,
		db.S(`delete from sections where memory = (select key from memories where uri = ?)`, uri),
		db.S(upsertMemory, edges.NewID(), p.namespace, d.kind(), d.title(), d.content, columns[0], columns[1], columns[2],
			p.name, uri, d.contentHash(), len(d.sections) > 0, d.time()))
	for _, s := range d.sections {
		statements = append(statements, db.S(insertSection, uri, s.Ordinal, s.Heading, s.Level, s.StartLine, s.EndLine, sectionBody(d, s)))
	}
	return append(statements, db.S(upsertFile, uri, p.vault, d.path, columns[3])), nil
}

// sectionBody is a section's text, null where it is the note's whole text.
func sectionBody(d document, s note.Section) any {
	if len(d.sections) == 1 && s.Heading == "" && d.isNote() {
		return nil
	}
	return s.Body
}

// A note that comes back under its old path is the memory that it was.
const upsertMemory = `
insert into memories (
  id, namespace, kind, title, content, aliases, tags, properties,
  origin, actor, uri, content_hash, sectioned, created_at, updated_at
) values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 'vault', ?9, ?10, ?11, ?12, ?13, ?13)
on conflict (uri) do update set
  kind = excluded.kind,
  title = excluded.title,
  content = excluded.content,
  aliases = excluded.aliases,
  tags = excluded.tags,
  properties = excluded.properties,
  status = case
    when status <> 'forgotten' then status
    when exists (select 1 from edges e where e.to_key = memories.key and e.kind = 'supersedes') then 'superseded'
    else 'current'
  end,
  forgotten_at = null,
  forget_reason = null,
  content_hash = excluded.content_hash,
  sectioned = excluded.sectioned,
  revision = revision + 1,
  updated_at = max(updated_at, excluded.updated_at)`

const insertSection = `
insert into sections (memory, ordinal, heading, level, start_line, end_line, body)
select
  key,
  ?2,
  ?3,
  ?4,
  ?5,
  ?6,
  ?7
from memories
where uri = ?1`

// The size is set when the links are written.
const upsertFile = `
insert into files (memory, vault, path, size, modified, file_hash, warnings)
select
  key,
  ?2,
  ?3,
  -1,
  0,
  '',
  ?4
from memories
where uri = ?1
on conflict (memory) do update set
  path = excluded.path,
  size = -1,
  warnings = excluded.warnings`

// writeTouched notes the new times of files whose bytes are the same.
func (p *project) writeTouched(ctx context.Context) error {
	statements := []db.Stmt{}
	for _, d := range p.touched {
		statements = append(statements, db.S(`
update files
set
  size = ?2,
  modified = ?3
where memory = ?1`, p.known.files[d.path].memory, d.size, d.modified))
		p.step()
	}
	return p.batch(ctx, statements)
}

// asJSON writes values as the schema keeps lists and objects.
func asJSON(values ...any) ([]string, error) {
	texts := make([]string, len(values))
	for i, v := range values {
		text, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		if texts[i] = string(text); texts[i] == "null" {
			texts[i] = "[]"
		}
	}
	return texts, nil
}
