package moment

import (
	"context"
	"database/sql"
	"path"
	"slices"

	"hence/code"
	"hence/code/symbol"
	"hence/edges/belief"
	"hence/internal/db"
	"hence/memory/recall/answer"
	"hence/memory/recall/near"
	"hence/projection"
)

// Doubts returns the current memories that rest on a symbol or file which no longer is what it was when
// they were stored or verified, of the files with the given absolute paths. It compares the files as
// they are on disk, so that no import needs to have seen a change. What was in doubt before since is left
// out. At most three, without those with the given ids.
func (s Finder) Doubts(ctx context.Context, paths []string, since string, except []string) (found []answer.Found, err error) {
	f, err := s.filter()
	if err != nil {
		return nil, err
	}
	err = s.DB.Read(ctx, func(r *db.Reader) error {
		hits, causes := []near.Hit{}, map[int64]belief.Doubt{}
		for _, full := range paths {
			p, ok, err := s.locate(ctx, r, full, "")
			if err != nil || !ok || p.memory == 0 || p.form != projection.Code.Form {
				if err != nil {
					return err
				}
				continue
			}
			changed, err := p.changed(ctx, r, since)
			if err != nil {
				return err
			}
			for _, c := range changed {
				t, err := s.ties(ctx, r, f, []int64{c.ground}, except)
				if err != nil {
					return err
				}
				for _, hit := range t.direct {
					if hit.Memory == c.memory && causes[hit.Memory].Reason == "" {
						hits, causes[hit.Memory] = append(hits, hit), c.Doubt
					}
				}
			}
		}
		if found, err = describe(ctx, r, hits); err != nil {
			return err
		}
		for i := range found {
			cause := causes[hits[i].Memory]
			if !slices.ContainsFunc(found[i].Stale, func(d belief.Doubt) bool { return d.ID == cause.ID }) {
				found[i].Stale = append([]belief.Doubt{cause}, found[i].Stale...)
			}
		}
		return nil
	})
	return found, err
}

// changedGround is a memory, by its key, with the symbol or file on which it rests and which has changed.
type changedGround struct {
	memory, ground int64
	belief.Doubt
}

// changed returns the memories that rest on the file or on its symbols as these no longer are on
// disk.
func (p place) changed(ctx context.Context, r *db.Reader, since string) (changed []changedGround, err error) {
	hashes, text := map[string]string{}, ""
	modules := []string{projection.Code.URI(p.repository, p.path) + "#", projection.Code.URI(p.repository, path.Dir(p.path)) + "#"}
	err = db.Each(ctx, r, func(row *sql.Rows) error {
		var c changedGround
		var uri, basis string
		var isFile bool
		if err := row.Scan(&c.memory, &c.ground, &c.ID, &c.Title, &uri, &isFile, &basis); err != nil {
			return err
		}
		if len(hashes) == 0 {
			text, _ = readFile(p.full)
			hashes[""] = db.Hash(text)
			file := code.Declarations(p.path, []byte(text))
			for _, d := range file.Declarations {
				hashes[projection.Code.URI(p.repository, string(symbol.KeyOf(file.Module, d.Name)))] = d.Tokens.Hash
			}
		}
		if isFile {
			uri = ""
		}
		if c.Reason = "changed"; hashes[uri] != basis {
			changed = append(changed, c)
		}
		return nil
	}, `
select
  e.from_key,
  m.key,
  m.id,
  m.title,
  m.uri,
  m.key = ?1,
  e.basis
from (
  select ?1 as memory
  union all
  select memory
  from symbols
  where file = ?1
  union all
  select gone.key
  from json_each(?2) module
  cross join memories gone on gone.uri >= module.value and gone.uri < module.value || char(1114111)
  where gone.status = 'forgotten'
    and gone.forgotten_at >= ?3
) g
cross join edges e on e.to_key = g.memory and e.kind in ('depends-on', 'derived-from')
cross join memories m on m.key = g.memory
where e.basis is not null
  and not (m.content_hash <> e.basis and m.updated_at < ?3) -- in doubt before
order by e.key`, p.memory, db.List(modules), since)
	return changed, err
}
