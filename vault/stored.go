package vault

import (
	"cmp"
	"context"
	"slices"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/lists"
	"hence/internal/script"
)

// Stored is a file of a vault, as the store has it since the last import.
type Stored struct {
	Memory   int64
	VaultKey int64
	Vault    string // the vault's name
	Path     string
}

const selectStored = `
select
  f.memory,
  v.key,
  v.name,
  f.path
from files f
join mirrors v on v.key = f.mirror
`

var scanStored = db.Fields(func(f *Stored) []any {
	return []any{&f.Memory, &f.VaultKey, &f.Vault, &f.Path}
})

// FindStored finds the file that a caller means as FindFile does, but in the store instead
// of on disk.
func (i Importer) FindStored(ctx context.Context, r *db.Reader, operation, vault, name string) (Stored, error) {
	vault, path, err := ParsePath(operation, vault, name)
	if err != nil {
		return Stored{}, err
	}
	all, err := i.Mirror().ReadVaults(ctx, r)
	if err != nil {
		return Stored{}, err
	}
	if _, err := findVaultsIn(all, operation, vault); err != nil {
		return Stored{}, err
	}
	spelled := append(script.Forms(path), script.Forms(path+".md")...)
	notes, err := db.Select(ctx, r, scanStored, selectStored+`
where f.path in (select value from json_each(?1))
  and ?2 in ('', v.name)
  and ?3 in ('', v.namespace)`, db.List(spelled), vault, i.Caller.Namespace)
	if err != nil {
		return Stored{}, err
	}
	// Within one vault the given path comes before the path with .md.
	slices.SortFunc(notes, func(a, b Stored) int {
		return cmp.Or(cmp.Compare(a.Vault, b.Vault), cmp.Compare(slices.Index(spelled, a.Path), slices.Index(spelled, b.Path)))
	})
	notes = slices.CompactFunc(notes, func(a, b Stored) bool { return a.VaultKey == b.VaultKey })
	switch {
	case len(notes) == 1:
		return notes[0], nil
	case len(notes) > 1:
		names := lists.Map(notes, func(f Stored) string { return f.Vault })
		return Stored{}, severalVaults(operation, path, names)
	case vault != "":
		return Stored{}, ErrMissing(operation, path)
	}
	m, err := i.Caller.Find(ctx, r, path)
	if err != nil {
		return Stored{}, err
	}
	if notes, err = db.Select(ctx, r, scanStored, selectStored+`where f.memory = ?`, m.Key); err != nil {
		return Stored{}, err
	}
	if len(notes) == 0 {
		return Stored{}, fault.New(fault.NotFound, "%s: %q is a memory that is not a file of a vault; get_neighborhood shows what is linked to it", operation, name)
	}
	return notes[0], nil
}
