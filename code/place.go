package code

import (
	"context"
	"database/sql"
	"errors"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/permit"
	"hence/internal/ref"
	"hence/projection"
	"hence/projection/folder"
)

// MaxFile is the size in bytes of the largest file that is imported, read and patched.
const MaxFile = maxFile

// Place is a file of a repository on disk, or a symbol in it. The caller closes it.
type Place struct {
	*folder.Folder
	Repository projection.Vault
	ID, Title  string  // of the memory
	Path       string  // from the root with slashes, spelled as on disk
	FileID     string  // of the file's memory
	FileHash   string  // of the imported bytes
	Symbol     *Symbol // nil: the whole file
}

// Symbol is a declaration as it was imported.
type Symbol struct {
	Name string // within the repository, as in its uri: internal/db#Open
	Range
	TextHash string // see projection.TextHash
	Tokens   string // hash of its tokens
	Alone    bool   // the only one in its file with its name, numbers aside
}

// SymbolColumns are the columns of a symbol s of the memory m, in the order of Fields.
var SymbolColumns = `
  coalesce(s.start_line, 0),
  coalesce(s.end_line, 0),
  coalesce(s.start_byte, 0),
  coalesce(s.end_byte, 0),
  coalesce(s.text_hash, ''),
  m.content_hash,
  not exists (
    select 1
    from symbols t
    cross join memories twin on twin.key = t.memory
    where t.file = s.file
      and t.memory <> s.memory
      and ` + plainName(`twin.uri`) + ` = ` + plainName(`m.uri`) + `
  )`

// plainName returns the SQL expression for the name of a symbol in its uri, without its number.
func plainName(uri string) string {
	name := `substr(` + uri + `, instr(` + uri + `, '#') + 1)`
	return `substr(` + name + `, 1, instr(` + name + ` || '~', '~') - 1)`
}

// Fields returns where to scan SymbolColumns.
func (s *Symbol) Fields() []any {
	return []any{&s.StartLine, &s.EndLine, &s.Start, &s.End, &s.TextHash, &s.Tokens, &s.Alone}
}

// Range is where a declaration stands in its file.
type Range struct {
	StartLine, EndLine int // from 1, inclusive
	Start, End         int // bytes from the start of the file
}

// Find finds on disk a file by its path, or a file or symbol by any name of its memory, whichever is given.
// It fails with outside_vault for a path that leads out of the repository, to a file that
// an import leaves out or to one that may hold secrets, with invalid_argument for a memory
// that is neither file nor symbol, with unavailable if the repository's folder is gone,
// and with not_found and ambiguous.
func (i Importer) Find(ctx context.Context, operation, path, id string) (p Place, err error) {
	name, err := NameOf(operation, path, id)
	if err == nil {
		err = checkPath(operation, name)
	}
	if err != nil {
		return p, err
	}
	err = i.DB.Read(ctx, func(r *db.Reader) error {
		m, err := i.Caller.Find(ctx, r, name)
		if err != nil {
			return err
		}
		if err := p.read(ctx, r, operation, m); err != nil {
			return err
		}
		records, err := permit.Of(ctx, i.DB, r)
		if err != nil {
			return err
		}
		return p.Repository.Permit(records)
	})
	if err != nil {
		return Place{}, err
	}
	return p.open(operation)
}

// NameOf returns the path or the id, whichever the caller gave. It fails with
// invalid_argument if both or neither are given.
func NameOf(operation, path, id string) (string, error) {
	if (path == "") == (id == "") {
		return "", fault.New(fault.InvalidArgument, "%s: give either the path of a file or the id of a symbol, package or repository", operation)
	}
	return path + id, nil
}

// checkPath fails with outside_vault for a path that leads out of a repository. A name
// that contains a blank or tab passes, because it may be the title of a memory.
func checkPath(operation, name string) error {
	_, rest, isURI := strings.Cut(name, "://")
	if !isURI {
		rest = name
	}
	parts := strings.FieldsFunc(rest, func(r rune) bool { return r == '/' || r == '\\' })
	isOutside := slices.Contains(parts, "..") || !isURI && (path.IsAbs(name) || filepath.IsAbs(name))
	if !isOutside || strings.ContainsAny(name, " \t") {
		return nil
	}
	return fault.New(fault.OutsideVault, "%s: %.200q leads out of the repository; give a path from its root", operation, name)
}

// read sets the place of a memory that is a file or symbol, from the store. It fails with
// invalid_argument for any other memory.
func (p *Place) read(ctx context.Context, r *db.Reader, operation string, m ref.Memory) error {
	p.ID, p.Title = m.ID, m.Title
	err := db.Each(ctx, r, func(row *sql.Rows) error {
		var s Symbol
		var isSymbol bool
		v := &p.Repository
		err := row.Scan(append([]any{&v.Name, &v.Root, &v.Namespace, &p.Path, &p.FileID, &p.FileHash, &isSymbol}, s.Fields()...)...)
		if isSymbol {
			s.Name = strings.TrimPrefix(m.URI, format.URI(v.Name, ""))
			p.Symbol = &s
		}
		return err
	}, `
select
  v.name,
  v.root,
  v.namespace,
  f.path,
  whole.id,
  f.file_hash,
  s.memory is not null,`+SymbolColumns+`
from memories m
left join symbols s on s.memory = m.key
join files f on f.memory = coalesce(s.file, m.key)
join memories whole on whole.key = f.memory
join mirrors v on v.key = f.mirror
where m.key = ?1
  and v.form = 'code'`, m.Key)
	switch {
	case err != nil:
		return err
	case p.Path == "":
		return fault.New(fault.InvalidArgument, "%s: the memory %s is not a file or symbol of a repository; memory_get opens it", operation, ref.ShortID(m.ID))
	}
	return nil
}

// open opens the repository and finds the file on disk. It fails with outside_vault for a
// file that may hold secrets, by its name.
func (p Place) open(operation string) (Place, error) {
	base := strings.ToLower(path.Base(p.Path))
	for _, pattern := range secretNames {
		if match, err := path.Match(pattern, base); err == nil && match {
			return Place{}, fault.New(fault.OutsideVault, "%s: %s may hold keys or passwords; tools neither read nor write it", operation, p.Path)
		}
	}
	f, err := OpenFolder(operation, p.Repository)
	if err != nil {
		return Place{}, err
	}
	if p.Path, err = f.Spell(operation, p.Path); err == nil {
		_, err = f.IsFile(operation, p.Path) // refuses a link that leads out
	}
	if err != nil {
		return Place{}, errors.Join(err, f.Close())
	}
	p.Folder = f
	return p, nil
}

// OpenFolder opens the folder of a repository. It fails with unavailable if the folder
// cannot be opened.
func OpenFolder(operation string, v projection.Vault) (*folder.Folder, error) {
	f, err := v.Open(operation, "repository", "import it from where it is now")
	if err == nil {
		setRules(f)
	}
	return f, err
}

// Bytes returns the bytes of the file. It fails with not_found if the file is gone, with
// too_large above MaxFile, and with unavailable if it cannot be read.
func (p Place) Bytes(operation string) ([]byte, error) {
	gone := fault.New(fault.NotFound, "%s: the file %s of the repository %s is gone; import the repository again", operation, p.Path, p.Repository.Name)
	return p.ReadFor(operation, p.Path, MaxFile, gone)
}

// secretNames are patterns for the names of files that may hold secrets, whether or not
// the repository ignores them.
var secretNames = []string{
	".env", ".env.*", "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore",
	"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", ".netrc", ".npmrc", ".pypirc", ".git-credentials",
}
