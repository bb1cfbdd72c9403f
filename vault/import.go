// Package vault mirrors folders of Markdown notes: it reads notes and canvases, resolves
// their links and finds the names of notes in plain text; package projection does the
// rest. It also finds the file that a caller means.
//
// # Names in plain text
//
// A name that is an ordinary word of its vault makes no mention, see ordinaryShare. To
// know how many notes have each name without reading them all, the column files.words
// keeps the names in each note; an import counts them, subtracts those that the changed
// notes had and adds those that they have. It reads other notes only for names that are
// new, that mean another note, or that became ordinary or ceased to be.
//
// # Names without brackets
//
// A property such as owner: alice-chen is matched with titles and aliases. If no note
// has the name, the site stays without dangling, and becomes an edge when a note gets
// the name. If two notes have it, it means neither: the nearest would be wrong half of
// the time.
package vault

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"hence/internal/args"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory/journal"
	"hence/projection"
	"hence/projection/folder"
	"hence/vault/note"
)

// The arguments and results of an import of a vault.
type (
	ImportArgs        = projection.ImportArgs
	Report            = projection.Report
	Place             = projection.Place
	Vault             = projection.Vault
	Keeper            = projection.Keeper
	ForgetVaultResult = projection.ForgetResult
)

// MaxFile is the size in bytes of the largest note that is read.
const MaxFile = projection.MaxFile

// ErrUnwatchable means that the system does not report changes in a folder.
var ErrUnwatchable = projection.ErrUnwatchable

// Importer imports vaults into a store.
type Importer struct {
	DB       *db.DB
	Caller   ref.Caller
	Progress func(done, total int) // called after each file that is read or written; may be nil
}

// format describes vaults to package projection.
var format = projection.Format{
	Form:     "vault",
	Scheme:   ref.NoteScheme,
	Origin:   "vault",
	Settings: []string{settingsFile, ignoreFile},
	Open:     func(f *folder.Folder) (projection.Source, error) { return readSettings(f) },
}

// URI returns the uri of the memory of a vault's file.
func URI(vault, path string) string { return format.URI(vault, path) }

// Mirror returns the mirror of vaults, which imports and watches their folders.
func (i Importer) Mirror() projection.Mirror {
	return projection.Mirror{DB: i.DB, Caller: i.Caller, Format: format, Progress: i.Progress}
}

// Import brings the store up to date with the folder, see projection.Mirror. For a mistake
// in the vault's .hence.yaml it fails with invalid_argument and imports nothing. Of the
// warnings that most notes of a vault often have, its report has the first three and how
// many notes have one.
func (i Importer) Import(ctx context.Context, a ImportArgs) (Report, error) {
	report, err := i.Mirror().Import(ctx, a)
	report.Warnings = fewOf(report.Warnings, unreadTime, "times that cannot be read")
	report.Warnings = fewOf(report.Warnings, note.UnreadTags, "notes whose tags Obsidian reads as none")
	return report, err
}

// fewOf returns warnings with only the first three of those that have an ending, and the
// number of all.
func fewOf(warnings []folder.Warning, ending, what string) []folder.Warning {
	const few = 3
	n := 0
	warnings = slices.DeleteFunc(slices.Clone(warnings), func(w folder.Warning) bool {
		if strings.HasSuffix(w.Text, ending) {
			n++
			return n > few
		}
		return false
	})
	if n > few {
		warnings = append(warnings, folder.Warning{Text: fmt.Sprintf("%s: %d in all; check_vault lists them", what, n)})
	}
	return warnings
}

// Watch imports a vault and keeps the store up to date with it, see projection.Mirror.
func (i Importer) Watch(ctx context.Context, a ImportArgs, each func(Report, error)) error {
	return i.Mirror().Watch(ctx, a, each)
}

// Project imports a file that Hence has written, see projection.Mirror.
func (i Importer) Project(ctx context.Context, batch journal.Batch, s File) error {
	return i.Mirror().Project(ctx, batch, s.Vault, s.settings, s.Path)
}

// ForgetVaultArgs names a vault to forget.
type ForgetVaultArgs struct {
	Vault  string `json:"vault"`
	Purge  bool   `json:"purge,omitempty" jsonschema:"remove its records, their edges and their text for good"`
	DryRun bool   `json:"dry_run,omitempty" jsonschema:"only count"`
}

// ForgetVault forgets all memories of a vault, or of a repository of source code, and
// deletes its row, see projection.Mirror.Forget. It fails with not_found if the caller sees
// no vault and no repository with that name.
func (i Importer) ForgetVault(ctx context.Context, a ForgetVaultArgs) (ForgetVaultResult, error) {
	const operation = "forget"
	if err := args.Check(operation, &a); err != nil {
		return ForgetVaultResult{}, err
	}
	v, m, err := i.findMirror(ctx, operation, a.Vault)
	if err != nil {
		return ForgetVaultResult{}, err
	}
	if a.DryRun {
		result, err := m.CountForgotten(ctx, v, a.Purge)
		result.DryRun = true
		return result, err
	}
	result, _, err := m.Forget(ctx, operation, v, a.Purge, journal.Batch{Operation: operation})
	return result, err
}

// findMirror returns the vault, the repository or the folder of an agent with a name, and its mirror.
func (i Importer) findMirror(ctx context.Context, operation, name string) (Vault, projection.Mirror, error) {
	m := i.Mirror()
	v, err := i.Vault(ctx, operation, name)
	if fault.CodeOf(err) != fault.NotFound || name == "" {
		return v, m, err
	}
	for _, m.Format = range []projection.Format{projection.Code, projection.Agents} {
		all, listErr := m.Vaults(ctx)
		if listErr != nil {
			return v, m, listErr
		}
		if at := slices.IndexFunc(all, func(other Vault) bool { return other.Name == name }); at >= 0 {
			return all[at], m, nil
		}
	}
	return v, m, err
}

// UndoImport forgets a vault as the undo of its first import, a batch. It returns the
// number of its own batch. It fails as ForgetVault does.
func (i Importer) UndoImport(ctx context.Context, vault string, batch int64) (ForgetVaultResult, int64, error) {
	v, m, err := i.findMirror(ctx, "undo", vault)
	if err != nil {
		return ForgetVaultResult{}, 0, err
	}
	result, undo, err := m.Forget(ctx, "undo", v, false, journal.Batch{Operation: "forget", Undoes: batch})
	return result, undo.Number, err
}

// ReimportArgs names a vault that was imported.
type ReimportArgs struct {
	Name   string `json:"name,omitempty" jsonschema:"the vault's"`
	DryRun bool   `json:"dry_run,omitempty" jsonschema:"only say what would change"`
}

// maxWarnings is the number of warnings in the report of Reimport.
const maxWarnings = 50

// Reimport imports a vault again from the folder of its last import. It fails with not_found
// if the caller sees no such vault, with ambiguous if there are several and none is named,
// and with unavailable if the folder is gone. If it is stopped, what it has written stays,
// and the next import continues. The report has the first maxWarnings warnings;
// reading.Reader.Check lists all.
func (i Importer) Reimport(ctx context.Context, a ReimportArgs) (Report, error) {
	const operation = "vault_import"
	v, err := i.Vault(ctx, operation, a.Name)
	if err != nil {
		return Report{}, err
	}
	o, err := Open(operation, v)
	if err == nil {
		err = o.Close()
	}
	if err != nil {
		return Report{}, err
	}
	report, err := i.Import(ctx, ImportArgs{Dir: v.Root, Name: v.Name, DryRun: a.DryRun})
	if more := len(report.Warnings) - maxWarnings; more > 0 {
		report.Warnings = append(report.Warnings[:maxWarnings:maxWarnings], folder.Warning{Text: fmt.Sprintf("and %d more; check_vault lists them", more)})
	}
	return report, err
}
