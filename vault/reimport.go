package vault

import (
	"context"
	"fmt"

	"hence/internal/fault"
	"hence/projection/folder"
)

// ReimportArgs name an attached vault.
type ReimportArgs struct {
	Name   string `json:"name,omitempty" jsonschema:"the vault's"`
	DryRun bool   `json:"dry_run,omitempty" jsonschema:"only say what would change"`
}

// maxWarnings is the number of warnings in the report of Reimport.
const maxWarnings = 50

// Reimport imports a vault again from where it was imported last. It fails with
// not_found where the caller sees no such vault, with ambiguous where there are
// several and none is named, and with unavailable where the folder is gone. An
// import that was stopped keeps what it has written, and the next one goes on.
// Of many warnings the report has the first; Check lists them all.
func (i Importer) Reimport(ctx context.Context, a ReimportArgs) (Report, error) {
	const operation = "vault_import"
	vaults, err := i.Attached(ctx, operation, a.Name)
	if err != nil {
		return Report{}, err
	}
	if len(vaults) > 1 {
		return Report{}, fault.New(fault.Ambiguous, "%s: there are %d vaults; name one", operation, len(vaults)).With("candidates", namesOfVaults(vaults))
	}
	v := vaults[0]
	o, err := Open(operation, v)
	if err != nil {
		return Report{}, err
	}
	if err := o.Close(); err != nil {
		return Report{}, err
	}
	report, err := i.Import(ctx, ImportArgs{Dir: v.Root, Name: v.Name, DryRun: a.DryRun})
	if more := len(report.Warnings) - maxWarnings; more > 0 {
		report.Warnings = append(report.Warnings[:maxWarnings:maxWarnings], folder.Warning{Text: fmt.Sprintf("and %d more; check_vault lists them", more)})
	}
	return report, err
}

// shownVaults is the number of vaults that an ambiguous name offers.
const shownVaults = 5

// namesOfVaults are the names of the first few.
func namesOfVaults(vaults []Vault) []string {
	names := []string{}
	for _, v := range vaults[:min(len(vaults), shownVaults)] {
		names = append(names, v.Name)
	}
	return names
}
