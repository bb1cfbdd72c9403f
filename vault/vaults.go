package vault

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"hence/internal/fault"
	"hence/internal/lists"
	"hence/projection/folder"
)

// Vaults returns the vaults that the caller may see, sorted by name.
func (i Importer) Vaults(ctx context.Context) ([]Vault, error) { return i.Mirror().Vaults(ctx) }

// FindVaults returns the vault with a name, or all vaults if the name is "", among those that
// the caller may see. It fails with not_found if there is none.
func (i Importer) FindVaults(ctx context.Context, operation, name string) ([]Vault, error) {
	all, err := i.Vaults(ctx)
	if err != nil {
		return nil, err
	}
	return findVaultsIn(all, operation, name)
}

// findVaultsIn is FindVaults with all vaults that the caller may see given.
func findVaultsIn(all []Vault, operation, name string) ([]Vault, error) {
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

// Vault returns the vault with a name, or the only vault if the name is "". It fails as
// FindVaults does, and with ambiguous if there are several.
func (i Importer) Vault(ctx context.Context, operation, name string) (Vault, error) {
	all, err := i.FindVaults(ctx, operation, name)
	if err != nil {
		return Vault{}, err
	}
	if len(all) > 1 {
		names := lists.Map(all, func(v Vault) string { return v.Name })
		candidates, text := firstNames(names)
		return Vault{}, fault.New(fault.Ambiguous, "%s: there are %d vaults (%s); name one", operation, len(all), text).With("candidates", candidates)
	}
	return all[0], nil
}

// firstNames returns the first few names, as a list, and as a text with the number of the
// others.
func firstNames(names []string) (first []string, text string) {
	const few = 5
	first = names[:min(len(names), few)]
	if text = strings.Join(first, ", "); len(names) > few {
		text += fmt.Sprintf(" and %d more", len(names)-few)
	}
	return first, text
}

// OpenVault is a vault whose folder is open. Nothing outside that folder can be
// reached through it. The caller closes it.
type OpenVault struct {
	Vault
	*folder.Folder
	settings settings
}

// Open opens a vault's folder and reads its owner's settings. It fails with unavailable if
// the folder cannot be opened, and with invalid_argument for a mistake in the settings.
func Open(operation string, v Vault) (*OpenVault, error) {
	f, err := v.Open(operation, "vault", "mount it, or import the vault from where it is now")
	if err != nil {
		return nil, err
	}
	settings, err := readSettings(f)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &OpenVault{Vault: v, Folder: f, settings: settings}, nil
}

// Listed holds the first items of a list, and the number of all.
type Listed[T any] struct {
	Items         []T  `json:"items"`
	TotalCount    int  `json:"total_count"`
	ReturnedCount int  `json:"returned_count"`
	Truncated     bool `json:"truncated"`
}

// ListOf returns the first items of a list that has total items.
func ListOf[T any](first []T, total int) Listed[T] {
	return Listed[T]{Items: first, TotalCount: total, ReturnedCount: len(first), Truncated: len(first) < total}
}
