package vault

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory"
	"hence/projection"
	"hence/projection/folder"
)

// OpenVault is a vault whose folder is open. Nothing outside that folder can be
// reached through it. The caller closes it.
type OpenVault struct {
	Vault
	*folder.Folder
	settings settings
}

// File is where a path argument leads: a file of a vault, or room for one. It
// is to be closed.
type File struct {
	*OpenVault
	Path string // from the root with slashes, spelled as on disk as far as it is there
}

// Bytes returns the bytes of the file. It fails with too_large for more than an
// import reads, with not_found where the file has gone since it was found, and
// with unavailable.
func (s File) Bytes(operation string) ([]byte, error) {
	source, err := s.Read(folder.Entry{Path: s.Path}, MaxFile)
	switch {
	case len(source) > MaxFile:
		return nil, fault.New(fault.TooLarge, "%s: %s has more than %d bytes, and is not read", operation, s.Path, MaxFile)
	case errors.Is(err, fs.ErrNotExist):
		return nil, Missing(operation, s.Path)
	case err != nil:
		return nil, fault.Wrap(fault.Unavailable, err, "%s: %s cannot be read", operation, s.Path)
	}
	return source, nil
}

// uriScheme is what URI begins with.
const uriScheme = ref.NoteScheme + "://"

// Existing finds the file that a caller means: by its path in the vault of that
// name, or, where no vault is named, by its path in the only vault that has it,
// or by any other name of its memory. A path may lack .md, may be a uri, and may
// be composed in another way than the name on disk. It fails with outside_vault
// for a path that leads out of the vault or to what import leaves out, with
// ambiguous where several vaults have it, with unavailable where none has it and
// the folder of one is gone, and with not_found.
func (i Importer) Existing(ctx context.Context, operation, vault, name string) (File, error) {
	vault, path, err := ParsePath(operation, vault, name)
	if err != nil {
		return File{}, err
	}
	vaults, err := i.Attached(ctx, operation, vault)
	if err != nil {
		return File{}, err
	}
	var found []File
	var gone error
	for _, v := range vaults {
		s, ok, err := openFile(operation, v, path)
		if fault.CodeOf(err) == fault.Unavailable {
			gone = err // another may have it
			continue
		}
		if err != nil {
			return File{}, errors.Join(err, closeAll(found))
		}
		if ok {
			found = append(found, s)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		names := []string{}
		for _, s := range found {
			names = append(names, s.Name)
		}
		return File{}, cmp.Or(closeAll(found), error(severalVaults(operation, path, names)))
	case vault != "":
		return File{}, cmp.Or(gone, i.absent(ctx, operation, vault, path))
	}
	s, err := i.named(ctx, operation, path, vaults)
	if fault.CodeOf(err) == fault.NotFound {
		err = cmp.Or(gone, err)
	}
	return s, err
}

// ExistingNote is Existing for notes only: another file is an invalid_argument.
func (i Importer) ExistingNote(ctx context.Context, operation, vault, name string) (File, error) {
	f, err := i.Existing(ctx, operation, vault, name)
	if err == nil && !IsNote(f.Path) {
		return File{}, errors.Join(fault.New(fault.InvalidArgument, "%s: %s is not a note (.md)", operation, f.Path), f.Close())
	}
	return f, err
}

// Vacant finds the place where a caller wants a new file, whose path may lack the
// extension. It does not look whether something is there: see Folder.Occupied. It fails with
// outside_vault as Existing does, and for a name that not every system can hold,
// with invalid_argument for one that no link can hold or a path over the bounds,
// and with ambiguous where there are several vaults and none is named.
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
	vaults, err := i.Attached(ctx, operation, vault)
	if err != nil {
		return File{}, err
	}
	if len(vaults) > 1 {
		return File{}, fault.New(fault.Ambiguous, "%s: there are %d vaults (%s); name one with vault, or write %svault/path", operation, len(vaults), listNames(projection.FirstNames(vaults), len(vaults)), uriScheme).
			With("candidates", projection.FirstNames(vaults))
	}
	o, err := Open(operation, vaults[0])
	if err != nil {
		return File{}, err
	}
	if path, err = o.Spell(operation, norm.NFC.String(path)); err != nil {
		return File{}, errors.Join(err, o.Close())
	}
	return File{o, path}, nil
}

// ParsePath takes a path argument apart and checks it, see checkPath.
func ParsePath(operation, vault, name string) (in, path string, err error) {
	rest, isURI := strings.CutPrefix(name, uriScheme)
	if isURI {
		if in, rest, _ = strings.Cut(rest, "/"); vault != "" && in != vault {
			return "", "", fault.New(fault.InvalidArgument, "%s: the uri %s is not in the vault %s", operation, name, vault)
		}
		if _, err := folder.CheckPath(operation, in); err != nil {
			return "", "", err
		}
		vault = in
	}
	path, err = folder.CheckPath(operation, rest)
	return vault, path, err
}

// Attached returns the vault of a name, or every one where there is no name,
// among those that the caller may see. There is at least one.
func (i Importer) Attached(ctx context.Context, operation, name string) ([]Vault, error) {
	all, err := i.Vaults(ctx)
	if err != nil {
		return nil, err
	}
	return attachedOf(operation, all, name)
}

// attachedOf is attached among all vaults that the caller may see.
func attachedOf(operation string, all []Vault, name string) ([]Vault, error) {
	if name != "" {
		all = slices.DeleteFunc(all, func(v Vault) bool { return v.Name != name })
	}
	switch {
	case len(all) > 0:
		return all, nil
	case name != "":
		return nil, fault.New(fault.NotFound, "%s: no vault of the name %q was imported", operation, name)
	}
	return nil, fault.New(fault.NotFound, "%s: no vault was imported; import one first", operation)
}

// Open opens a vault's folder and reads its owner's settings. It fails with
// unavailable where the folder is gone, and with invalid_argument for a mistake in
// the settings.
func Open(operation string, v Vault) (*OpenVault, error) {
	root, err := os.OpenRoot(v.Root)
	if err != nil {
		return nil, fault.New(fault.Unavailable, "%s: the folder of the vault %s cannot be opened (%s); mount it, or import the vault from where it is now", operation, v.Name, folder.Reason(err))
	}
	f := &folder.Folder{Dir: root, Label: v.Name}
	settings, err := readSettings(f)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &OpenVault{Vault: v, Folder: f, settings: settings}, nil
}

// openFile opens a vault if it has a file at a path, with or without .md.
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

// named finds a file by another name of its memory.
func (i Importer) named(ctx context.Context, operation, name string, vaults []Vault) (File, error) {
	var m ref.Memory
	err := i.DB.Read(ctx, func(r *db.Reader) (err error) {
		m, err = i.Caller.Find(ctx, r, name)
		return err
	})
	if code := fault.CodeOf(err); err != nil && code != fault.NotFound {
		return File{}, err
	}
	in, path := fileOf(m.URI)
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
		return File{}, deleted(operation, in, path)
	case m.ID != "":
		return File{}, fault.New(fault.NotFound, "%s: %q is a memory that is not a file of a vault; open it with memory_get", operation, name)
	}
	return File{}, cmp.Or(err, error(Missing(operation, name)))
}

// fileOf takes the uri of a vault's file apart; "" for any other.
func fileOf(uri string) (vault, path string) {
	rest, ok := strings.CutPrefix(uri, uriScheme)
	if !ok {
		return "", ""
	}
	vault, path, _ = strings.Cut(rest, "/")
	return vault, path
}

// absent is the error for a path in a vault at which there is no file.
func (i Importer) absent(ctx context.Context, operation, vault, path string) error {
	var known Stored
	err := i.DB.Read(ctx, func(r *db.Reader) (err error) {
		known, err = i.Imported(ctx, r, operation, vault, path)
		return err
	})
	switch {
	case fault.CodeOf(err) == fault.NotFound:
		return Missing(operation, path)
	case err != nil:
		return err
	}
	return deleted(operation, vault, known.Path)
}

// deleted is the error for a file that was there at the last import.
func deleted(operation, vault, path string) *fault.Error {
	return fault.New(fault.NotFound, "%s: the file %s of the vault %s is gone; vault_import takes that in", operation, path, vault)
}

// Missing is the error for a file that is not in the vault.
func Missing(operation, name string) *fault.Error {
	return fault.New(fault.NotFound, "%s: there is no file %q in the vault; list_notes shows which there are", operation, name)
}

// severalVaults is the error for a path that several vaults have.
func severalVaults(operation, path string, vaults []string) *fault.Error {
	shown := vaults[:min(len(vaults), projection.ShownVaults)]
	return fault.New(fault.Ambiguous, "%s: %q is in %d vaults (%s); name one with vault, or write %s", operation, path, len(vaults), listNames(shown, len(vaults)), URI(vaults[0], path)).
		With("candidates", shown)
}

// listNames lists the first names of a number of vaults.
func listNames(shown []string, count int) string {
	text := strings.Join(shown, ", ")
	if more := count - len(shown); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

func closeAll(spots []File) (err error) {
	for _, s := range spots {
		err = errors.Join(err, s.Close())
	}
	return err
}
