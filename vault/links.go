package vault

import (
	"context"
	"database/sql"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/vault/note"
	"hence/vault/resolve"
)

// loadMemories reads which memory each file is, now that all are written.
func (p *project) loadMemories(ctx context.Context) error {
	p.memories = map[string]int64{}
	return p.DB.Read(ctx, func(r *db.Reader) error {
		_, err := db.Select(ctx, r, func(row *sql.Rows) (struct{}, error) {
			var path string
			var key int64
			err := row.Scan(&path, &key)
			p.memories[path] = key
			return struct{}{}, err
		}, `select path, memory from files where vault = ?`, p.vault)
		return err
	})
}

// writeLinks writes the links of files in place of those they had, and with
// them that the files have been read. New sites go in before the old ones go
// out, so that an edge which is still declared stays the same edge.
func (p *project) writeLinks(ctx context.Context, documents []document) error {
	statements := []db.Stmt{}
	last, err := p.lastSite(ctx)
	if err != nil {
		return err
	}
	for _, d := range documents {
		key := p.memories[d.path]
		statements = append(statements, db.Expect(`(select size from files where memory = ?) = -1`, errAnotherImport, key))
		made := map[declaredEdge]bool{}
		for _, l := range d.links {
			more, err := p.siteBatch(d, l, made)
			if err != nil {
				return err
			}
			statements = append(statements, more...)
		}
		statements = append(statements,
			db.S(`delete from sites where note = ?1 and key <= ?2`, key, last),
			db.S(markSuperseded, key, d.superseded()),
			db.S(`
update files
set
  size = ?2,
  modified = ?3,
  file_hash = ?4
where memory = ?1`, key, d.size, d.modified, d.hash))
		p.step()
	}
	return p.batch(ctx, statements)
}

var errAnotherImport = fault.New(fault.Conflict, "import: another import of this vault is under way; run it again when it is done")

// lastSite is the newest site there is before a batch is written.
func (p *project) lastSite(ctx context.Context) (key int64, err error) {
	err = p.DB.Read(ctx, func(r *db.Reader) error {
		key, _, err = db.One[int64](ctx, r, `select coalesce(max(key), 0) from sites`)
		return err
	})
	return key, err
}

// A note may say by itself that it is superseded, and take it back. One that
// has a successor is superseded whatever it says.
const markSuperseded = `
update memories
set status = iif(
  ?2 or exists (select 1 from edges e where e.to_key = memories.key and e.kind = 'supersedes'),
  'superseded',
  'current'
)
where key = ?1
  and status <> iif(
    ?2 or exists (select 1 from edges e where e.to_key = memories.key and e.kind = 'supersedes'),
    'superseded',
    'current'
  )`

// site is a link as it is kept: what it declares, and what it means now.
type site struct {
	key  int64 // 0: not stored yet
	note int64
	declaration
	lenient    string
	target     int64 // key of the memory it means; 0: dangling
	resolvedBy string
	candidates []string
}

// siteOf resolves a link.
func (p *project) siteOf(source string, l note.Link) site {
	s := site{note: p.memories[source], declaration: declares(l), lenient: string(l.Lenient)}
	p.resolve(&s, source, l.Target)
	return s
}

// resolve finds what a site's target means now.
func (p *project) resolve(s *site, source, target string) {
	found := p.resolver.Resolve(source, target)
	s.target, s.resolvedBy, s.candidates = p.memories[found.Path], string(found.By), found.Candidates
	switch {
	case s.target == 0: // no file, or one that could not be read
		s.resolvedBy = ""
	case s.lenient != "":
		s.resolvedBy = s.lenient
	}
}

// ends are the memories that the site's edge joins.
func (s site) ends() (from, to int64) {
	if s.backward {
		return s.target, s.note
	}
	return s.note, s.target
}

// hasEdge reports whether the site declares an edge: it does unless it
// dangles or leads to its own note.
func (s site) hasEdge() bool { return s.target != 0 && s.target != s.note }

// edgeBatch returns the statement that makes the site's edge, unless it is
// there or the schema would refuse it.
func (p *project) edgeBatch(s site, at string) []db.Stmt {
	if !s.hasEdge() {
		return nil
	}
	text := insertEdge
	if s.kind.Acyclic() {
		text = insertAcyclicEdge
	}
	from, to := s.ends()
	return []db.Stmt{db.S(text, edges.NewID(), from, to, s.kind, s.rel, s.origin, p.name, at)}
}

const insertEdge = `
insert into edges (id, from_key, to_key, kind, rel, origin, actor, declared, created_at)
values (?1, ?2, ?3, ?4, ?5, ?6, ?7, 0, ?8)
on conflict do nothing`

const insertAcyclicEdge = `
insert into edges (id, from_key, to_key, kind, rel, origin, actor, declared, created_at)
select
  ?1,
  ?2,
  ?3,
  ?4,
  ?5,
  ?6,
  ?7,
  0,
  ?8
where not exists (
  with recursive reached (key) as (
    select ?3
    union
    select e.to_key
    from reached r
    join edges e on e.from_key = r.key and e.kind = ?4
  )
  select 1 from reached where key = ?2
)
on conflict do nothing`

// theEdge finds the edge of a site by its ends ?1 and ?2, kind ?3 and rel ?4,
// whichever way a symmetric one (?5) is stored.
const theEdge = `(
  select key
  from edges
  where from_key = ?1
    and to_key = ?2
    and kind = ?3
    and rel = ?4
  union all
  select key
  from edges
  where ?5
    and from_key = ?2
    and to_key = ?1
    and kind = ?3
    and rel = ?4
)`

// whyRefused says why a site that has a target, ?6, has no edge.
const whyRefused = `iif(
  not ?6 or exists ` + theEdge + `,
  '',
  iif(
    ?3 = 'supersedes' and exists (select 1 from edges where kind = 'supersedes' and to_key = ?2),
    'successor',
    'cycle'
  )
)`

// declaredEdge is what makes an edge of a note one edge, however often the
// note declares it.
type declaredEdge struct {
	target   int64
	kind     edges.Kind
	rel      string
	backward bool
}

func (p *project) siteBatch(d document, l note.Link, made map[declaredEdge]bool) ([]db.Stmt, error) {
	s := p.siteOf(d.path, l)
	candidates, err := asJSON(s.candidates)
	if err != nil {
		return nil, err
	}
	from, to := s.ends()
	statements := []db.Stmt{}
	if edge := (declaredEdge{s.target, s.kind, s.rel, s.backward}); !made[edge] {
		made[edge] = true
		statements = p.edgeBatch(s, d.time())
	}
	return append(statements, db.S(`
insert into sites (
  edge, refused, note, kind, rel, backward, origin, target, target_key, anchor, display,
  line, start_byte, end_byte, context, lenient, resolved_by, candidates
) values (
  `+theEdge+`, `+whyRefused+`, ?7, ?3, ?4, ?8, ?9, ?10, ?11, ?12, ?13,
  ?14, ?15, ?16, ?17, ?18, ?19, ?20
)`, from, to, s.kind, s.rel, s.kind.Symmetric(), s.hasEdge(), s.note, s.backward, s.origin,
		l.Target, resolve.Key(l.Target), l.Anchor, l.Display,
		l.Span.Start.Line, l.Span.Start.Offset, l.Span.End.Offset, l.Context, s.lenient, s.resolvedBy, candidates[0])), nil
}
