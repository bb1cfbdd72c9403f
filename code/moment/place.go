package moment

import (
	"cmp"
	"context"
	"database/sql"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"hence/code"
	"hence/code/checkout"
	"hence/code/symbol"
	"hence/edges"
	"hence/edges/belief"
	"hence/internal/db"
	"hence/memory/recall/near"
	"hence/memory/recall/question"
	"hence/projection"
)

// place is a file within a folder that was imported, or within a repository that was not.
type place struct {
	mirror     int64  // 0: not imported
	repository string // its name
	form       string
	full, path string // the file's path: absolute, and from the root with slashes
	root       string // of a repository that was not imported
	memory     int64  // of the file; 0: none
}

// locate finds the imported folder that a file is in, the innermost of several. A file in another
// worktree of an imported repository is where it is in that. A file of no repository is told by its path
// from the given folder around it.
func (s Finder) locate(ctx context.Context, r *db.Reader, full, folder string) (p place, ok bool, err error) {
	full = filepath.Clean(full)
	real := full
	if around, err := filepath.EvalSymlinks(filepath.Dir(full)); err == nil {
		real = filepath.Join(around, filepath.Base(full))
	}
	tree, _ := checkout.Tree(filepath.Dir(real))
	common, _ := checkout.Common(filepath.Join(tree, ".git"))
	root := ""
	err = db.Each(ctx, r, func(row *sql.Rows) error {
		one, its := place{full: full}, ""
		if err := row.Scan(&one.mirror, &one.repository, &its, &one.form); err != nil {
			return err
		}
		for _, name := range []string{full, real} {
			if below, isBelow := within(its, name); isBelow && len(its) > len(root) {
				p, root = one, its
				p.path = below
			}
		}
		if (root == "" || root == its) && tree != "" && one.form == projection.Code.Form { // a worktree may lie in the repository
			if other, isRepository := checkout.Common(filepath.Join(its, ".git")); isRepository && other == common {
				one.path, _ = within(tree, real)
				p = one
			}
		}
		return nil
	}, `
select
  key,
  name,
  root,
  form
from mirrors
where ?1 in ('', namespace)
order by key`, s.Caller.Namespace)
	if err != nil {
		return p, false, err
	}
	if p.mirror == 0 {
		root := cmp.Or(tree, folder)
		p = place{full: full, repository: filepath.Base(root), root: root}
		p.path, ok = within(root, real)
		return p, ok, nil
	}
	p.memory, _, err = db.One[int64](ctx, r, `select memory from files where mirror = ? and path = ?`, p.mirror, p.path)
	return p, true, err
}

// within returns the path of a file from a folder around it, with slashes.
func within(root, file string) (below string, ok bool) {
	below, err := filepath.Rel(root, file)
	return filepath.ToSlash(below), root != "" && err == nil && filepath.IsLocal(below)
}

// files returns the paths of all files of the folder, as they were imported; of a repository that was
// not, the first maxListed.
func (p place) files(ctx context.Context, r *db.Reader) (all []string, err error) {
	if p.mirror == 0 {
		_ = filepath.WalkDir(p.root, func(name string, d fs.DirEntry, err error) error {
			switch below, _ := within(p.root, name); {
			case err != nil || len(all) == maxListed || ctx.Err() != nil:
				return fs.SkipAll
			case d.IsDir() && name != p.root && (d.Name()[0] == '.' || d.Name() == "node_modules"):
				return fs.SkipDir
			case !d.IsDir():
				all = append(all, below)
			}
			return nil
		})
		return all, ctx.Err()
	}
	return db.Select(ctx, r, db.Value[string], `select path from files where mirror = ? order by path`, p.mirror)
}

const maxListed = 10_000

// tiedKeys are the keys of memories that an edit changes and that others are tied to.
type tiedKeys struct{ symbols, file, folder []int64 }

// tied returns what an edit changes: the symbols that its text does not declare with the same tokens
// any more, the file, and its package.
func (p place) tied(ctx context.Context, r *db.Reader, e Edit) (t tiedKeys, err error) {
	if p.memory != 0 {
		t.file = []int64{p.memory}
	}
	if p.form != projection.Code.Form {
		return t, nil
	}
	if dir := path.Dir(p.path); dir != projection.Root {
		t.folder, err = db.Select(ctx, r, db.Value[int64], `select key from memories where uri = ?`, projection.Code.URI(p.repository, dir))
		if err != nil {
			return t, err
		}
	}
	symbols, err := p.tiedSymbols(ctx, r)
	if err != nil || len(symbols) == 0 {
		return t, err
	}
	text, ok := readFile(p.full)
	if !ok && !e.Done {
		return t, nil
	}
	var before []symbol.Declaration
	after, isWhole := text, true
	if e.Done {
		if before, err = p.imported(ctx, r); err != nil {
			return t, err
		}
	} else {
		before = code.Declarations(p.path, []byte(text)).Declarations
		after, isWhole = e.apply(text)
	}
	file := code.Declarations(p.path, []byte(after))
	for _, one := range symbols {
		at := one.Symbol.Range
		if !e.Done {
			if at, err = one.Now("act", []byte(text)); err != nil {
				continue // it changed before
			}
		}
		stays := isWhole && declares(file.Declarations, before, at)
		if isWhole && file.Broken && !e.Done {
			stays = strings.Contains(after, text[at.Start:at.End])
		}
		if !stays {
			t.symbols = append(t.symbols, one.key)
		}
	}
	return t, nil
}

// imported returns the symbols of the file as they were imported.
func (p place) imported(ctx context.Context, r *db.Reader) ([]symbol.Declaration, error) {
	return db.Select(ctx, r, db.Fields(func(d *symbol.Declaration) []any { return []any{&d.Name, &d.Start, &d.End, &d.Tokens.Hash} }), `
select
  substr(m.uri, instr(m.uri, '#') + 1),
  s.start_byte,
  s.end_byte,
  m.content_hash
from symbols s
cross join memories m on m.key = s.memory
where s.file = ?`, p.memory)
}

// declares reports whether declarations after an edit have the tokens of those before it in a range, and no
// more within them. After a move they may be within others.
func declares(after, before []symbol.Declaration, at code.Range) bool {
	within := func(all []symbol.Declaration, at code.Range) []symbol.Declaration {
		return slices.DeleteFunc(slices.Clone(all), func(d symbol.Declaration) bool { return d.Start < at.Start || d.End > at.End })
	}
	inside := within(before, at)
	for _, d := range inside {
		i := slices.IndexFunc(after, func(o symbol.Declaration) bool {
			return o.Tokens.Hash == d.Tokens.Hash && symbol.OwnName(o.Name) == symbol.OwnName(d.Name)
		})
		if i < 0 || d.Start == at.Start && d.End == at.End && len(within(after, code.Range{Start: after[i].Start, End: after[i].End})) != len(inside) {
			return false
		}
	}
	return len(inside) > 0
}

// tiedSymbol is a symbol of a file that memories are tied to.
type tiedSymbol struct {
	code.Place
	key int64
}

// tiedSymbols returns the symbols of the file that memories other than code are tied to, the smallest
// first: a method before its class.
func (p place) tiedSymbols(ctx context.Context, r *db.Reader) ([]tiedSymbol, error) {
	return db.Select(ctx, r, func(row *sql.Rows) (one tiedSymbol, err error) {
		its, uri := code.Symbol{}, ""
		err = row.Scan(append([]any{&one.key, &one.ID, &one.Title, &uri}, its.Fields()...)...)
		its.Name = strings.TrimPrefix(uri, projection.Code.URI(p.repository, ""))
		one.Path, one.Symbol = p.path, &its
		return one, err
	}, `
select
  m.key,
  m.id,
  m.title,
  m.uri,`+code.SymbolColumns+`
from symbols s
cross join memories m on m.key = s.memory
where s.file = ?1
  and (
    exists (select 1 from edges e where e.to_key = s.memory and e.origin <> 'code')
    or exists (select 1 from edges e where e.from_key = s.memory and e.origin <> 'code')
  )
order by s.end_byte - s.start_byte, s.start_byte`, p.memory)
}

// readFile returns the text of a file that tools may read.
func readFile(name string) (string, bool) {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > code.MaxFile {
		return "", false
	}
	text, err := os.ReadFile(name)
	return string(text), err == nil
}

// apply returns the text of a file after the edit; ok is false if the edit does not say it, or
// changes what the file does not have.
func (e Edit) apply(before string) (after string, ok bool) {
	if e.Content != nil {
		return *e.Content, true
	}
	after, ok = before, len(e.Changes) > 0
	for _, c := range e.Changes {
		if ok = ok && strings.Contains(after, c.Old); c.Old != "" {
			after = strings.ReplaceAll(after, c.Old, c.New)
		}
	}
	return after, ok
}

// tiedTo are the memories that are tied to others: directly, and through a memory that rests on
// these.
type tiedTo struct{ direct, indirect []near.Hit }

// ties returns the memories, other than code, that rest on the memories with the given keys or that
// somebody linked to these: what rests on them first, then the more important.
func (s Finder) ties(ctx context.Context, r *db.Reader, f question.Filter, keys []int64, except []string) (t tiedTo, err error) {
	if len(keys) == 0 {
		return t, nil
	}
	ids, err := db.Select(ctx, r, db.Value[string], `select m.id from json_each(?) j cross join memories m on m.key = j.value`, db.List(keys))
	if err != nil {
		return t, err
	}
	resting, _, err := belief.RestingOn(ctx, r, ids, maxResting)
	if err != nil {
		return t, err
	}
	depths := db.Rows{}
	for _, one := range resting {
		depths.Row(one.ID, len(one.Route))
	}
	err = db.Each(ctx, r, func(row *sql.Rows) error {
		var hit near.Hit
		depth := 0
		err := row.Scan(&hit.Memory, &hit.Section, &depth)
		if depth > directly {
			t.indirect = append(t.indirect, hit)
		} else {
			t.direct = append(t.direct, hit)
		}
		return err
	}, selectTies, f.Bind(nil, db.List(keys), db.List(except), s.Caller.Own(), depths.Arg(), maxResting)...)
	return t, err
}

const (
	maxResting = 50 // memories that rest on what an edit changes, of which the first are shown
	directly   = 2  // length of the route from a memory to what it rests on
)

// selectTies reads the memories ?13, each with the length of its route, and those that an edge which
// somebody declared joins to the memories ?10.
var selectTies = `
with tied (memory, depth) as (
  select
    m.key,
    j.value ->> 1
  from json_each(?13) j
  cross join memories m on m.id = j.value ->> 0
  union all` + edges.BothWays(`
  select
    e.{from_key|to_key},
    2.5
  from json_each(?10) j
  cross join edges e on e.{to_key|from_key} = j.value and e.declared = 'explicit'`) + `
)
select
  m.key,
  ` + question.FirstSection + `,
  cast(min(t.depth) as integer)
from tied t
cross join memories m on m.key = t.memory
where ` + near.Fits + `
group by m.key
order by min(t.depth), ` + near.Decides + ` desc, m.importance desc, m.updated_at desc, m.id
limit ?14`
