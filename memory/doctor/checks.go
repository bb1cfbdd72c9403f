package doctor

import (
	"context"
	"database/sql"
	"slices"

	"hence/internal/components"
	"hence/internal/db"
)

func examineFile(ctx context.Context, d Doctor) ([]string, error) { return d.DB.Check(ctx) }

const selectSections = `
select 'memory ' || m.id || ' has no section, and search does not find it'
from memories m
where not exists (select 1 from sections s where s.memory = m.key)
order by m.id`

func examineSections(ctx context.Context, d Doctor) ([]string, error) {
	return d.texts(ctx, selectSections)
}

func fixSections(ctx context.Context, d Doctor) error {
	return d.write(ctx, db.S(`
insert into sections (memory, ordinal)
select m.key, 0
from memories m
where not exists (select 1 from sections s where s.memory = m.key)`))
}

// examineIndex compares the index with the text. FTS5 does so itself, as a
// command that looks like a write.
func examineIndex(ctx context.Context, d Doctor) ([]string, error) {
	if d.DB.ReadOnly() {
		return nil, nil
	}
	err := d.write(ctx, db.S(`insert into section_search (section_search, rank) values ('integrity-check', 1)`))
	if db.Damaged(err) {
		return []string{"the index is not that of the text"}, nil
	}
	return nil, err
}

func fixIndex(ctx context.Context, d Doctor) error {
	return d.write(ctx, db.S(`insert into section_search (section_search) values ('rebuild')`))
}

func examineSupersession(ctx context.Context, d Doctor) ([]string, error) {
	return d.texts(ctx, `
select 'memory ' || m.id || ' has a successor, and is current'
from memories m
join edges e on e.to_key = m.key and e.kind = 'supersedes'
where m.status = 'current'
order by m.id`)
}

func fixSupersession(ctx context.Context, d Doctor) error {
	return d.write(ctx, db.S(`
update memories
set status = 'superseded'
where status = 'current'
  and key in (select to_key from edges where kind = 'supersedes')`))
}

// examineCycles looks for edges that lie on a cycle of a kind that has none.
func examineCycles(ctx context.Context, d Doctor) (problems []string, err error) {
	type edge struct {
		id       string
		from, to int64
	}
	for _, kind := range []string{"supersedes", "depends-on"} {
		var all []edge
		err := d.DB.Read(ctx, func(r *db.Reader) (err error) {
			all, err = db.Select(ctx, r, func(row *sql.Rows) (e edge, err error) {
				err = row.Scan(&e.id, &e.from, &e.to)
				return e, err
			}, `select id, from_key, to_key from edges where kind = ? order by id`, kind)
			return err
		})
		if err != nil {
			return nil, err
		}
		next := map[int64][]int64{}
		for _, e := range all {
			next[e.from] = append(next[e.from], e.to)
		}
		component := components.Of(next)
		for _, e := range all {
			if component[e.from] == component[e.to] {
				problems = append(problems, "edge "+e.id+" ("+kind+") lies on a cycle")
			}
		}
	}
	return problems, nil
}

// wrongHash is a memory whose hash is not that of its text: edited by hand, or
// by a program that does not know of hashes.
type wrongHash struct{ id, title, was, is string }

// wrongHashes compares every text with its hash. The hash of a picture or a
// drawing in a vault is that of its file.
func (d Doctor) wrongHashes(ctx context.Context) (wrong []wrongHash, err error) {
	err = d.DB.Read(ctx, func(r *db.Reader) error {
		return db.Each(ctx, r, func(row *sql.Rows) error {
			var h wrongHash
			var content string
			if err := row.Scan(&h.id, &h.title, &content, &h.was); err != nil {
				return err
			}
			if h.is = db.Hash(content); h.is != h.was {
				wrong = append(wrong, h)
			}
			return nil
		}, `
select
  id,
  title,
  content,
  content_hash
from memories
where uri is null
  or kind = 'note'
order by id`)
	})
	return wrong, err
}

func examineHashes(ctx context.Context, d Doctor) (problems []string, err error) {
	wrong, err := d.wrongHashes(ctx)
	for _, h := range wrong {
		problems = append(problems, "memory "+h.id+" ("+h.title+") has not the hash of its text: it was edited by hand")
	}
	return problems, err
}

// fixHashes notes the hash of the text as it is. What rests on a text that was
// edited stays in doubt: it remembers another hash still.
func fixHashes(ctx context.Context, d Doctor) error {
	wrong, err := d.wrongHashes(ctx)
	if err != nil {
		return err
	}
	statements := []db.Stmt{}
	for _, h := range wrong {
		statements = append(statements,
			db.S(`update edges set basis = ?3 where basis = ?2 and to_key = (select key from memories where id = ?1)`, h.id, h.was, h.is),
			db.S(`update memories set content_hash = ?3 where id = ?1 and content_hash = ?2`, h.id, h.was, h.is))
	}
	return d.write(ctx, statements...)
}

func examineSites(ctx context.Context, d Doctor) ([]string, error) {
	return d.texts(ctx, `
select 'a place in ' || m.title || ' (line ' || s.line || ') declares an edge that is not there'
from sites s
join memories m on m.key = s.note
where s.edge is not null
  and not exists (select 1 from edges e where e.key = s.edge)
union all
select 'edge ' || e.id || ' lives by places in notes, and there is none'
from edges e
where e.declared = 'site'
  and not exists (select 1 from sites s where s.edge = e.key)`)
}

func examinePermissions(_ context.Context, d Doctor) ([]string, error) {
	private, err := d.DB.Private()
	if err != nil || private {
		return nil, err
	}
	return []string{"others on this machine may read the file"}, nil
}

func fixPermissions(_ context.Context, d Doctor) error { return d.DB.MakePrivate() }

// missing returns what a new store has and this one has not, or otherwise.
// What is in this one besides is its owner's business.
func (d Doctor) missing(ctx context.Context) (missing []db.Object, there map[string]bool, err error) {
	want, err := db.NewObjects()
	if err != nil {
		return nil, nil, err
	}
	has, err := d.DB.Objects(ctx)
	if err != nil {
		return nil, nil, err
	}
	there = map[string]bool{}
	says := map[string]string{}
	for _, o := range has {
		there[o.Name], says[o.Kind+" "+o.Name] = true, o.Plain()
	}
	for _, o := range want {
		if text, ok := says[o.Kind+" "+o.Name]; !ok || text != o.Plain() {
			missing = append(missing, o)
		}
	}
	return missing, there, nil
}

func examineRules(ctx context.Context, d Doctor) (problems []string, err error) {
	missing, there, err := d.missing(ctx)
	for _, o := range missing {
		problem := o.Kind + " " + o.Name + " is missing"
		if there[o.Name] {
			problem = o.Kind + " " + o.Name + " is not that of this version"
		}
		if find := broken[o.Name]; find != nil {
			rows, err := find(ctx, d)
			if err != nil {
				return nil, err
			}
			if len(rows) > 0 {
				problem += ", and cannot be made while " + rows[0]
			}
		}
		problems = append(problems, problem)
	}
	return problems, err
}

// fixRules makes what is missing from the text of the schema. What is there in
// another form is left: somebody made it so. So is what cannot be made, because
// rows are there that it does not allow. Without a rule that takes the vector of
// a text that changes, nobody knows which vectors are of which text: all go, and
// are made anew.
func fixRules(ctx context.Context, d Doctor) error {
	missing, there, err := d.missing(ctx)
	if err != nil {
		return err
	}
	for _, o := range missing {
		if o.Kind == "table" || there[o.Name] {
			continue
		}
		statements := []db.Stmt{db.S(o.SQL)}
		if slices.Contains(keepVectors, o.Name) {
			statements = append(statements, db.S(`delete from vector_codes`), db.S(`delete from vectors`))
		}
		if err := d.write(ctx, statements...); err != nil && !db.Refused(err) {
			return err
		}
	}
	return nil
}
