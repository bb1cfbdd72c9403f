package vault

import (
	"context"
	"database/sql"
	"encoding/json"

	"hence/internal/db"
)

// known is what the store knows of a vault.
type known struct {
	vault      int64 // 0: never imported
	name       string
	root       string
	namespace  string
	extraction int
	files      map[string]knownFile // by path
}

// knownFile is what the store knows of a file.
type knownFile struct {
	memory   int64
	size     int64
	modified int64
	hash     string
	aliases  []string
}

// load reads what the store knows of a vault.
func (i Importer) load(ctx context.Context, name string) (k known, err error) {
	k = known{name: name, files: map[string]knownFile{}}
	err = i.DB.Read(ctx, func(r *db.Reader) error {
		_, err := db.Select(ctx, r, func(row *sql.Rows) (struct{}, error) {
			return struct{}{}, row.Scan(&k.vault, &k.root, &k.namespace, &k.extraction)
		}, `
select
  key,
  root,
  namespace,
  extraction
from vaults
where name = ?`, name)
		if err != nil {
			return err
		}
		_, err = db.Select(ctx, r, func(row *sql.Rows) (struct{}, error) {
			var path, aliases string
			var f knownFile
			if err := row.Scan(&path, &f.memory, &f.size, &f.modified, &f.hash, &aliases); err != nil {
				return struct{}{}, err
			}
			if aliases != "[]" {
				if err := json.Unmarshal([]byte(aliases), &f.aliases); err != nil {
					return struct{}{}, err
				}
			}
			k.files[path] = f
			return struct{}{}, nil
		}, `
select
  f.path,
  f.memory,
  f.size,
  f.modified,
  f.file_hash,
  m.aliases
from files f
join memories m on m.key = f.memory
where f.vault = ?`, k.vault)
		return err
	})
	return k, err
}
