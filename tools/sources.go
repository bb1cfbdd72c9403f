package tools

import (
	"context"
	"slices"

	codewriting "hence/code/writing"
	"hence/internal/db"
	"hence/internal/ref"
	"hence/vault"
)

// sources are what a caller has besides memories.
type sources struct {
	notes   bool            // a vault
	code    bool            // a repository
	allowed map[string]bool // what a person allowed for one, see Tool.Needs
}

// findSources finds what a caller has, as far as its toolsets are wanted.
func findSources(ctx context.Context, d *db.DB, caller ref.Caller, o Options) (has sources, err error) {
	wanted := func(set string) bool { return len(o.Toolsets) == 0 || slices.Contains(o.Toolsets, set) }
	if wanted(VaultSet) {
		vaults, err := vault.Importer{DB: d, Caller: caller}.Vaults(ctx)
		if err != nil {
			return has, err
		}
		has.notes = len(vaults) > 0
	}
	if !wanted(CodeSet) {
		return has, nil
	}
	all, err := codewriting.New(ref.View{DB: d, Caller: caller}).Permissions(ctx)
	has.code, has.allowed = len(all) > 0, map[string]bool{}
	for _, p := range all {
		has.allowed[codewriting.Patches] = has.allowed[codewriting.Patches] || p.Patch
		has.allowed[codewriting.Tests] = has.allowed[codewriting.Tests] || len(p.Suites) > 0
	}
	return has, err
}

// serve reports whether a tool has something to work on.
func (has sources) serve(t Tool) bool {
	switch t.Toolset {
	case VaultSet:
		return has.notes
	case CodeSet:
		return has.code && (t.Needs == "" || has.allowed[t.Needs])
	}
	return true
}
