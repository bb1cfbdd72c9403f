package vault

import (
	"cmp"
	"context"
	"errors"

	"golang.org/x/text/unicode/norm"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/lists"
	"hence/internal/ref"
	"hence/memory"
	"hence/projection/folder"
)

// File is a file of an open vault, or the path of a new one. The caller closes it.
type File struct {
	*OpenVault
	Path string // from the root, with slashes; its existing part is spelled as on disk
}

// Bytes returns the bytes of the file. It fails with too_large for more than MaxFile bytes,
// with not_found if the file is gone, and with unavailable if it cannot be read.
func (s File) Bytes(operation string) ([]byte, error) {
	return s.ReadFor(operation, s.Path, MaxFile, ErrMissing(operation, s.Path))
}

// FindFile finds the file on disk that a caller means: by its path in the named vault; or,
// if no vault is named, by its path in the only vault that has it, or by another name of
// its memory. A path may lack .md, may be a uri, and may use another Unicode form than the
// name on disk. FindFile fails with outside_vault for a path that leads out of the vault or
// that imports leave out, with ambiguous if several vaults have the path, with unavailable
// if no vault has it and the folder of one is gone, and with not_found.
func (i Importer) FindFile(ctx context.Context, operation, vault, name string) (File, error) {
	vault, path, err := ParsePath(operation, vault, name)
	if err != nil {
		return File{}, err
	}
	vaults, err := i.FindVaults(ctx, operation, vault)
	if err != nil {
		return File{}, err
	}
	var files []File
	var gone error
	for _, v := range vaults {
		s, ok, err := openFile(operation, v, path)
		if fault.CodeOf(err) == fault.Unavailable {
			gone = err // another vault may have it
			continue
		}
		if err != nil {
			return File{}, errors.Join(err, closeAll(files))
		}
		if ok {
			files = append(files, s)
		}
	}
	switch {
	case len(files) == 1:
		return files[0], nil
	case len(files) > 1:
		names := lists.Map(files, func(s File) string { return s.Name })
		return File{}, cmp.Or(closeAll(files), error(severalVaults(operation, path, names)))
	case vault != "":
		return File{}, cmp.Or(gone, i.absent(ctx, operation, vault, path))
	}
	s, err := i.findByName(ctx, operation, path, vaults)
	if fault.CodeOf(err) == fault.NotFound {
		err = cmp.Or(gone, err)
	}
	return s, err
}

// FindNote is FindFile for notes. For another file it fails with invalid_argument.
func (i Importer) FindNote(ctx context.Context, operation, vault, name string) (File, error) {
	f, err := i.FindFile(ctx, operation, vault, name)
	if err == nil && !IsNote(f.Path) {
		return File{}, errors.Join(fault.New(fault.InvalidArgument, "%s: %s is not a note (.md)", operation, f.Path), f.Close())
	}
	return f, err
}

// Vacant returns the path for a caller's new file, with the extension added if it is
// missing. It does not check whether a file exists there, see folder.CheckFree. It fails
// with outside_vault as FindFile does, and for a name that not every system allows; with
// invalid_argument for a name that no link can contain, or a path that exceeds a bound; and
// as Vault does.
func (i Importer) Vacant(ctx context.Context, operation, vault, name, extension string) (File, error) {
	vault, path, err := ParsePath(operation, vault, name)
	if err != nil {
		return File{}, err
	}
	if err := folder.CheckNewPath(operation, path); err != nil {
		return File{}, err
	}
	if !hasExtension(path, extension) {
		path += extension
	}
	if err := folder.CheckBounds(operation, path); err != nil {
		return File{}, err
	}
	v, err := i.Vault(ctx, operation, vault)
	if err != nil {
		return File{}, err
	}
	o, err := Open(operation, v)
	if err != nil {
		return File{}, err
	}
	if path, err = o.Spell(operation, norm.NFC.String(path)); err != nil {
		return File{}, errors.Join(err, o.Close())
	}
	return File{o, path}, nil
}

// ParsePath parses and checks a path argument, see folder.CheckPath. If it is a uri, that
// also names the vault. It returns the vault's name, "" if none is named, and the path.
func ParsePath(operation, vault, name string) (in, path string, err error) {
	if uriVault, rest, ok := ref.SplitNoteURI(name); ok {
		if vault != "" && uriVault != vault {
			return "", "", fault.New(fault.InvalidArgument, "%s: the uri %s is not in the vault %s", operation, name, vault)
		}
		if _, err := folder.CheckPath(operation, uriVault); err != nil {
			return "", "", err
		}
		vault, name = uriVault, rest
	}
	path, err = folder.CheckPath(operation, name)
	return vault, path, err
}

// openFile opens a vault and finds a file in it by its path, with or without .md. If there
// is none, ok is false and the vault is closed again.
func openFile(operation string, v Vault, path string) (s File, ok bool, err error) {
	o, err := Open(operation, v)
	if err != nil {
		return File{}, false, err
	}
	for _, candidate := range []string{path, path + ".md"} {
		spelled, err := o.Spell(operation, candidate)
		if err == nil {
			ok, err = o.IsFile(operation, spelled)
		}
		if err != nil {
			return File{}, false, errors.Join(err, o.Close())
		}
		if ok {
			return File{o, spelled}, true, nil
		}
	}
	return File{}, false, o.Close()
}

// findByName finds a file by a name of its memory, such as id or title.
func (i Importer) findByName(ctx context.Context, operation, name string, vaults []Vault) (File, error) {
	m, err := db.From(ctx, i.DB.Read, func(r *db.Reader) (ref.Memory, error) { return i.Caller.Find(ctx, r, name) })
	if code := fault.CodeOf(err); err != nil && code != fault.NotFound {
		return File{}, err
	}
	in, path, _ := ref.SplitNoteURI(m.URI)
	hadFile := false
	for _, v := range vaults {
		if v.Name != in {
			continue
		}
		if s, ok, err := openFile(operation, v, path); err != nil || ok {
			return s, err
		}
		hadFile = true
	}
	if err := folder.CheckNames(operation, name); err != nil {
		return File{}, err
	}
	switch {
	case hadFile && m.Status == memory.Forgotten:
		return File{}, fault.New(fault.NotFound, "%s: the file %s of the vault %s was deleted; memory_get shows the text that it had", operation, path, in)
	case hadFile:
		return File{}, errDeleted(operation, in, path)
	case m.ID != "":
		return File{}, fault.New(fault.NotFound, "%s: %q is a memory that is not a file of a vault; open it with memory_get", operation, name)
	}
	return File{}, cmp.Or(err, error(ErrMissing(operation, name)))
}

// absent returns the error for a path at which a vault has no file.
func (i Importer) absent(ctx context.Context, operation, vault, path string) error {
	known, err := db.From(ctx, i.DB.Read, func(r *db.Reader) (Stored, error) { return i.FindStored(ctx, r, operation, vault, path) })
	switch {
	case fault.CodeOf(err) == fault.NotFound:
		return ErrMissing(operation, path)
	case err != nil:
		return err
	}
	return errDeleted(operation, vault, known.Path)
}

// errDeleted returns the error for a file that existed at the last import and is gone.
func errDeleted(operation, vault, path string) *fault.Error {
	return fault.New(fault.NotFound, "%s: the file %s of the vault %s was deleted after the last import; run vault_import to update the store", operation, path, vault)
}

// ErrMissing returns the error for a file that is not in the vault.
func ErrMissing(operation, name string) *fault.Error {
	return fault.New(fault.NotFound, "%s: there is no file %q in the vault; list_notes shows which there are", operation, name)
}

// severalVaults returns the error for a path that several vaults have.
func severalVaults(operation, path string, vaults []string) *fault.Error {
	candidates, text := firstNames(vaults)
	return fault.New(fault.Ambiguous, "%s: %q is in %d vaults (%s); name one with vault, or write %s", operation, path, len(vaults), text, URI(vaults[0], path)).
		With("candidates", candidates)
}

func closeAll(spots []File) (err error) {
	for _, s := range spots {
		err = errors.Join(err, s.Close())
	}
	return err
}
