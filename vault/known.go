package vault

import (
	"context"
	"database/sql"

	"hence/internal/db"
)

// known is what the store knows of a vault.
type known struct {
	vault      int64 // 0: never imported
	name       string
	root       string
	namespace  string
	extraction int64
	importedAt string               // of the last import that changed something
	files      map[string]knownFile // by path
}

// knownFile is what the store knows of a file.
type knownFile struct {
	memory   int64
	size     int64
	modified int64
	hash     string
	words    string // names that stand in its text as words, in JSON
	called
}

// called is what a note says of its names.
type called struct {
	aliases []string
	wanted  bool // mentions: true: they are looked for in plain text even where they are short or ordinary
}

// load reads what the store knows of a vault.
func (i Importer) load(ctx context.Context, name string) (k known, err error) {
	err = i.DB.Read(ctx, func(r *db.Reader) error {
		if k, err = readVault(ctx, r, name); err != nil {
			return err
		}
		return k.read(ctx, r, selectKnown, k.vault)
	})
	return k, err
}

// readVault reads a vault's row.
func readVault(ctx context.Context, r *db.Reader, name string) (k known, err error) {
	k = known{name: name, files: map[string]knownFile{}}
	_, err = db.Select(ctx, r, func(row *sql.Rows) (struct{}, error) {
		return struct{}{}, row.Scan(&k.vault, &k.root, &k.namespace, &k.extraction, &k.importedAt)
	}, `
select
  key,
  root,
  namespace,
  extraction,
  imported_at
from vaults
where name = ?`, name)
	return k, err
}

const knownColumns = `
  f.path,
  f.memory,
  f.size,
  f.modified,
  f.file_hash,
  f.words,
  m.aliases,
  instr(m.properties, '"mentions":true') and json_type(m.properties, '$.mentions') is 'true'`

const selectKnown = `
select ` + knownColumns + `
from files f
join memories m on m.key = f.memory
where f.vault = ?1`

// selectKnownBelow selects the files at or below paths.
const selectKnownBelow = `
select ` + knownColumns + `
from json_each(?2) p
join files f on f.vault = ?1 and (f.path = p.value or f.path > p.value || '/' and f.path < p.value || '0')
join memories m on m.key = f.memory`

// read reads files into k.
func (k known) read(ctx context.Context, r *db.Reader, query string, args ...any) error {
	_, err := db.Select(ctx, r, func(row *sql.Rows) (struct{}, error) {
		var path, aliases string
		var f knownFile
		if err := row.Scan(&path, &f.memory, &f.size, &f.modified, &f.hash, &f.words, &aliases, &f.wanted); err != nil {
			return struct{}{}, err
		}
		if aliases != "[]" {
			if err := db.ReadColumn(path, "aliases", aliases, &f.aliases); err != nil {
				return struct{}{}, err
			}
		}
		k.files[path] = f
		return struct{}{}, nil
	}, query, args...)
	return err
}

// directory returns who was called what at the last import.
func (k known) directory(s settings) *directory {
	d := newDirectory(s)
	for path, f := range k.files {
		d.set(path, f.called)
	}
	return d
}

// Vault is a vault that was imported.
type Vault struct {
	Name      string `json:"name"`
	Root      string `json:"root"`
	Namespace string `json:"namespace"`
}

// Vaults returns the vaults that the caller may see, by name.
func (i Importer) Vaults(ctx context.Context) (all []Vault, err error) {
	err = i.DB.Read(ctx, func(r *db.Reader) error {
		all, err = i.readVaults(ctx, r)
		return err
	})
	return all, err
}

// readVaults is Vaults within a snapshot.
func (i Importer) readVaults(ctx context.Context, r *db.Reader) ([]Vault, error) {
	return db.Select(ctx, r, func(row *sql.Rows) (v Vault, err error) {
		err = row.Scan(&v.Name, &v.Root, &v.Namespace)
		return v, err
	}, `
select
  name,
  root,
  namespace
from vaults
where ?1 in (namespace, '')
order by name`, i.Caller.Namespace)
}
