package projection

import (
	"cmp"
	"context"
	"database/sql"
	"io/fs"
	"os"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/permit"
	"hence/projection/folder"
)

// Vault is a folder that was imported.
type Vault struct {
	Name      string `json:"name"`
	Root      string `json:"root"` // the folder's absolute path
	Namespace string `json:"namespace"`
	Here      bool   `json:"-"` // this user imported it on this machine, so that Root may be opened
}

// Permit sets Root and Here by what the user allows on this machine: a row that came with a
// store from elsewhere opens no folder.
func (v *Vault) Permit(records permit.Records) error {
	f, err := records.Folder(v.Name)
	if err == nil && f.Root != "" {
		v.Root, v.Here = f.Root, true
	}
	return err
}

// CheckHere fails with unavailable if the folder of a vault was not imported on this machine
// by this user. word is vault or repository.
func (v Vault) CheckHere(operation, word string) error {
	if v.Here {
		return nil
	}
	return fault.New(fault.Unavailable, "%[1]s: the %[2]s %[3]s was imported elsewhere, from %[4]s, and its folder is not opened; import it here with hence import FOLDER --name %[3]s, or take the whole store over with hence adopt", operation, word, v.Name, v.Root)
}

// Open opens the folder of a vault. It fails with unavailable, and says how to mend it, if it cannot. word is
// vault or repository.
func (v Vault) Open(operation, word, mend string) (*folder.Folder, error) {
	if err := v.CheckHere(operation, word); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(v.Root)
	if err != nil {
		return nil, fault.New(fault.Unavailable, "%s: the folder of the %s %s cannot be opened (%s); %s", operation, word, v.Name, folder.Reason(err), mend)
	}
	return &folder.Folder{Dir: root, Label: v.Name}, nil
}

// Known is what the store knows of a folder.
type Known struct {
	Vault
	Key        int64                // in the table vaults; 0: never imported
	Version    int64                // see Source.Version; 0 after an import that was stopped
	Files      map[string]KnownFile // by path
	form       string
	importedAt string // time of the last import that changed something
}

// KnownFile is what the store knows of a file.
type KnownFile struct {
	Memory   int64 // key of its memory
	Size     int64
	Modified int64 // nanoseconds since 1970
	Hash     string
	Words    string // Document.Words as a JSON list
	Aliases  []string

	mode      fs.FileMode // if its version is kept; 0: not known
	forgotten bool        // its memory is, and not because the file had gone
}

// ReadKnown reads what the store knows of a vault and all its files, by the vault's name.
func (m Mirror) ReadKnown(ctx context.Context, name string) (k Known, err error) {
	return m.known(ctx, name, selectKnown)
}

// known reads what the store knows of a vault and of the files that a query selects. The
// query's ?1 is the vault's key; args follow.
func (m Mirror) known(ctx context.Context, name, query string, args ...any) (k Known, err error) {
	k = Known{Vault: Vault{Name: name}, Files: map[string]KnownFile{}}
	err = m.DB.Read(ctx, func(r *db.Reader) error {
		err := db.Each(ctx, r, func(row *sql.Rows) error {
			return row.Scan(&k.Key, &k.form, &k.Root, &k.Namespace, &k.Version, &k.importedAt)
		}, selectVault, name)
		if err != nil {
			return err
		}
		if k.Key != 0 {
			records, err := permit.Of(ctx, m.DB, r)
			if err == nil {
				err = k.Permit(records)
			}
			if err != nil {
				return err
			}
		}
		return db.Each(ctx, r, func(row *sql.Rows) error {
			var path, aliases string
			var f KnownFile
			if err := row.Scan(&path, &f.Memory, &f.Size, &f.Modified, &f.Hash, &f.Words, &aliases, &f.mode, &f.forgotten); err != nil {
				return err
			}
			if aliases != "[]" {
				if err := db.ReadColumn(path, "aliases", aliases, &f.Aliases); err != nil {
					return err
				}
			}
			k.Files[path] = f
			return nil
		}, query, append([]any{k.Key}, args...)...)
	})
	return k, err
}

const selectVault = `
select
  key,
  form,
  root,
  namespace,
  extraction,
  imported_at
from mirrors
where name = ?`

const knownColumns = `
  f.path,
  f.memory,
  f.size,
  f.modified,
  f.file_hash,
  f.words,
  m.aliases,
  coalesce((select mode from versions v where v.memory = f.memory and v.hash = f.file_hash), 0),
  m.status = 'forgotten'`

const selectKnown = `
select ` + knownColumns + `
from files f
join memories m on m.key = f.memory
where f.mirror = ?1`

// selectKnownBelow selects the files at or below the paths of a JSON list, ?2.
const selectKnownBelow = `
select ` + knownColumns + `
from json_each(?2) p
cross join files f on f.mirror = ?1 and f.path >= p.value and f.path < p.value || '0' and (f.path = p.value or f.path > p.value || '/')
join memories m on m.key = f.memory`

// HasChanged reports whether a file is new, or its size, its time or, where that is kept, who may read it differs
// from the known one.
func (k Known) HasChanged(f folder.Entry) bool {
	old, ok := k.Files[f.Path]
	return !ok || old.Size != f.Size || old.Modified != f.Modified || old.mode != 0 && old.mode != f.Mode
}

// Vaults returns the vaults of the format that the caller may see, sorted by name.
func (m Mirror) Vaults(ctx context.Context) ([]Vault, error) { return m.ReadVaults(ctx, m.DB) }

// ReadVaults is Vaults within the snapshot of a reader.
func (m Mirror) ReadVaults(ctx context.Context, r db.Source) ([]Vault, error) {
	records, err := permit.Of(ctx, m.DB, r)
	if err != nil {
		return nil, err
	}
	all, err := db.Select(ctx, r, db.Fields(func(v *Vault) []any { return []any{&v.Name, &v.Root, &v.Namespace} }), `
select
  name,
  root,
  namespace
from mirrors
where ?1 in (namespace, '')
  and form = ?2
order by name`, m.Caller.Namespace, m.Format.Form)
	for i := range all {
		err = cmp.Or(err, all[i].Permit(records))
	}
	return all, err
}
