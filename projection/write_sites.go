package projection

import (
	"context"
	"maps"
	"slices"

	"hence/edges/acyclic"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/lists"
	"hence/memory/record"
)

// writeAllSites replaces the sites of files, and marks the files as read. It inserts the
// new sites before it deletes the old ones, so that an edge that is still declared keeps
// its id.
func (p *project) writeAllSites(ctx context.Context) error {
	prepare := func(group []*Document) (func() error, error) { return p.prepareSites(ctx, group) }
	return ahead(groups(slices.Concat(p.documents, p.dependents)), prepare, func(write func() error) error { return write() })
}

// prepareSites returns a function that writes the sites of some files.
func (p *project) prepareSites(ctx context.Context, group []*Document) (write func() error, err error) {
	sites, files, err := p.rowsOf(ctx, group)
	if err != nil {
		return nil, err
	}
	keys, read := lists.Map(files, func(f fileRow) int64 { return f.Memory }), db.JSON(files)
	statements := p.siteStatements(sites, insertSites)
	for _, d := range group {
		d.Sites = nil
	}
	return func() error { return p.writeSites(ctx, keys, read, statements) }, nil
}

// writeSites writes the sites of some files by their memories; read is the files in JSON, for updateFiles.
func (p *project) writeSites(ctx context.Context, files []int64, read string, sites []db.Stmt) error {
	if err := p.touchEdgesOf(ctx, files); err != nil {
		return err
	}
	last, _, err := db.One[int64](ctx, p.DB, `select coalesce(max(key), 0) from sites`) // the newest site so far
	if err != nil {
		return err
	}
	statements := append([]db.Stmt{db.Expect(noOtherImport, errAnotherImport, read)}, sites...)
	statements = append(statements, db.S(deleteOldSites, read, last), db.S(markSuperseded, read), db.S(updateFiles, read))
	if err := p.commit(ctx, statements...); err != nil {
		return err
	}
	for range files {
		p.step()
	}
	return p.touchEdgesOf(ctx, files)
}

const noOtherImport = `
not exists (
  select 1
  from json_each(?1) j
  left join files f on f.memory = j.value ->> 'memory'
  where f.size is not -1
)`

var errAnotherImport = fault.New(fault.Conflict, "import: another import of this vault is under way; run it again when it is done")

const deleteOldSites = `
delete from sites
where note in (select value ->> 'memory' from json_each(?1))
  and key <= ?2`

// markSuperseded sets the status of files that are not forgotten to what they declare, except that a file with a
// successor is always superseded.
const markSuperseded = `
update memories
set status = n.status
from (
  select
    m.key,
    iif(
      j.value ->> 'superseded' or exists (select 1 from edges e where e.to_key = m.key and e.kind = 'supersedes'),
      'superseded',
      'current'
    ) as status
  from json_each(?1) j
  cross join memories m on m.key = j.value ->> 'memory'
) n
where memories.key = n.key
  and memories.status <> n.status
  and memories.status <> 'forgotten'`

// rowsOf returns the sites of files, resolved, and the rows of the files.
func (p *project) rowsOf(ctx context.Context, group []*Document) (sites []site, files []fileRow, err error) {
	count := lists.Sum(group, func(d *Document) int { return len(d.Sites) })
	sites = make([]site, 0, count)
	paths := make([]string, 0, len(group)+count)
	for _, d := range group {
		paths = append(paths, d.Path)
		for _, s := range d.Sites {
			if d.edited != "" && s.ContextEnd > 0 {
				s.Context, s.ContextStart, s.ContextEnd = d.edited[s.ContextStart:s.ContextEnd], 0, 0
			}
			s.Source = d.Path
			sites = append(sites, site{Site: s, at: d.changeTime()})
		}
	}
	resolve(p.directory, sites)
	if err := p.meanElsewhere(ctx, sites); err != nil {
		return nil, nil, err
	}
	for _, s := range sites {
		paths = append(paths, s.Path, s.From)
	}
	if err := p.loadKeys(ctx, paths); err != nil {
		return nil, nil, err
	}
	for i := range sites {
		sites[i].join(p.memories)
	}
	for _, d := range group {
		files = append(files, fileRow{p.memories[d.Path], d.Size, d.Modified, d.Hash, d.Superseded, listOf(d.Words)})
	}
	return sites, files, nil
}

// loadKeys reads the memories of files and units into p.memories; 0 for none.
func (p *project) loadKeys(ctx context.Context, names []string) error {
	missing := []string{}
	for _, name := range names {
		if _, ok := p.memories[name]; !ok && name != "" {
			p.memories[name] = 0
			missing = append(missing, name)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	err := db.Fill(ctx, p.DB, p.memories, `
select
  f.path,
  f.memory
from json_each(?2) j
cross join files f on f.mirror = ?1 and f.path = j.value`, p.vault, db.List(missing))
	if err != nil || !p.Format.isCode() {
		return err
	}
	missing = slices.DeleteFunc(missing, func(name string) bool { return p.memories[name] != 0 })
	return db.Fill(ctx, p.DB, p.memories, `
select
  j.value,
  m.key
from json_each(?2) j
cross join memories m on m.uri = iif(j.value = '.', substr(?3, 1, length(?3) - 1), ?3 || j.value)
join symbols s on s.memory = m.key and s.mirror = ?1`, p.vault, db.List(missing), p.Format.prefix(p.name))
}

// touchEdgesOf adds the edges that files declare to p.touchedEdges, for tidyEdges. A first
// import does not need this, because it writes the sites in order.
func (p *project) touchEdgesOf(ctx context.Context, files []int64) error {
	if p.known.Key == 0 {
		return nil
	}
	return db.Fill(ctx, p.DB, p.touchedEdges, `
select distinct
  edge,
  true
from sites
where note in (select value from json_each(?1))
  and edge is not null`, db.List(files))
}

// tidyEdges sets the origin and the word of each touched edge to those of the first place
// that declares it, so that an edge does not depend on the order in which files were
// written.
func (p *project) tidyEdges(ctx context.Context) error {
	if len(p.touchedEdges) == 0 {
		return nil
	}
	keys := slices.Collect(maps.Keys(p.touchedEdges))
	return p.commit(ctx, db.S(`
update edges
set
  origin = n.origin,
  rel = n.rel
from (
  select
    s.edge,
    s.origin,
    s.rel,
    row_number() over (partition by s.edge order by f.path, s.start_byte, s.key) as place
  from json_each(?1) j
  cross join sites s on s.edge = j.value
  join files f on f.memory = s.note
) n
where edges.key = n.edge
  and n.place = 1
  and edges.declared = 'site'
  and (edges.origin, edges.rel) is not (n.origin, n.rel)`, db.List(keys)))
}

// edgeRow returns the row of the edge that a site declares, for insertEdges.
func edgeRow(s site) []any {
	return []any{db.NewShortID(), s.FromKey, s.ToKey, s.Kind, s.Rel, s.Origin, s.at}
}

const insertEdges = `
insert into edges (id, from_key, to_key, kind, rel, origin, actor, declared, created_at)
select
  value ->> 0,
  value ->> 1,
  value ->> 2,
  value ->> 3,
  value ->> 4,
  value ->> 5,
  ?2,
  'site',
  value ->> 6
from (select value from json_each(?1) limit -1)
where true
on conflict do nothing`

// siteStatements returns the statements that insert the edges of sites and write the
// sites; write is insertSites or updateSites. It leaves an edge of a kind that may not have
// cycles to decide, unless it exists.
func (p *project) siteStatements(sites []site, write string) []db.Stmt {
	type edge struct {
		acyclic.Edge[int64]
		rel string
	}
	var wanted, rows db.Rows
	seen := map[edge]bool{}
	for i := range sites {
		s := &sites[i]
		rows.Row(record.Values(ofSite, s)...)
		if e := (edge{s.declares(), s.Rel}); s.FromKey != 0 && !s.Acyclic && !seen[e] { // decide judges acyclic ones
			seen[e] = true
			wanted.Row(edgeRow(*s)...)
		}
	}
	return []db.Stmt{db.S(insertEdges, wanted.Arg(), p.name).Or(errOtherWriter), db.S(write, rows.Arg())}
}
