package vault

import (
	"cmp"
	"context"
	"database/sql"
	"slices"

	"hence/internal/db"
	"hence/internal/fault"
)

// stored is a file of a vault as it was imported last.
type stored struct {
	memory int64
	vault  int64
	name   string // of the vault
	path   string
}

const selectStored = `
select
  f.memory,
  v.key,
  v.name,
  f.path
from files f
join vaults v on v.key = f.vault
`

func scanStored(row *sql.Rows) (f stored, err error) {
	err = row.Scan(&f.memory, &f.vault, &f.name, &f.path)
	return f, err
}

// imported finds the file that a caller means, as existing does, among those
// that were imported.
func (i Importer) imported(ctx context.Context, r *db.Reader, operation, vault, name string) (stored, error) {
	vault, path, err := parsePath(operation, vault, name)
	if err != nil {
		return stored{}, err
	}
	all, err := i.readVaults(ctx, r)
	if err != nil {
		return stored{}, err
	}
	if _, err := attachedOf(operation, all, vault); err != nil {
		return stored{}, err
	}
	spelled := append(spellings(path), spellings(path+".md")...)
	found, err := db.Select(ctx, r, scanStored, selectStored+`
where f.path in (select value from json_each(?1))
  and ?2 in ('', v.name)
  and ?3 in ('', v.namespace)`, db.List(spelled), vault, i.Caller.Namespace)
	if err != nil {
		return stored{}, err
	}
	// In one vault the path as it is given comes before one with .md.
	slices.SortFunc(found, func(a, b stored) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(slices.Index(spelled, a.path), slices.Index(spelled, b.path)))
	})
	found = slices.CompactFunc(found, func(a, b stored) bool { return a.vault == b.vault })
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		names := []string{}
		for _, f := range found {
			names = append(names, f.name)
		}
		return stored{}, severalVaults(operation, path, names)
	case vault != "":
		return stored{}, missing(operation, path)
	}
	m, err := i.Caller.Find(ctx, r, path)
	if err != nil {
		return stored{}, err
	}
	if found, err = db.Select(ctx, r, scanStored, selectStored+`where f.memory = ?`, m.Key); err != nil {
		return stored{}, err
	}
	if len(found) == 0 {
		return stored{}, fault.New(fault.NotFound, "%s: %q is a memory that is not a file of a vault; get_neighborhood shows what is linked to it", operation, name)
	}
	return found[0], nil
}
