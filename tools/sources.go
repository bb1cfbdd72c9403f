package tools

import (
	"context"
	"slices"

	codewriting "hence/code/writing"
	"hence/internal/db"
	"hence/internal/ref"
	"hence/vault"
)

// sources says what a caller can read besides memories.
type sources struct {
	notes   bool            // there is a vault
	code    bool            // there is a repository
	allowed map[string]bool // permissions that a person gave for any repository, see Tool.Needs
}

// findSources returns what a caller can read besides memories. It leaves out sources whose
// toolset is not offered.
func findSources(ctx context.Context, d *db.DB, caller ref.Caller, o Options) (s sources, err error) {
	wanted := func(set string) bool { return len(o.Toolsets) == 0 || slices.Contains(o.Toolsets, set) }
	if wanted(VaultSet) {
		vaults, err := vault.Importer{DB: d, Caller: caller}.Vaults(ctx)
		if err != nil {
			return s, err
		}
		s.notes = len(vaults) > 0
	}
	if !wanted(CodeSet) {
		return s, nil
	}
	repositories, err := codewriting.New(ref.View{DB: d, Caller: caller}).Permissions(ctx)
	s.code, s.allowed = len(repositories) > 0, map[string]bool{}
	for _, p := range repositories {
		s.allowed[codewriting.Patches] = s.allowed[codewriting.Patches] || p.Patch
		s.allowed[codewriting.Tests] = s.allowed[codewriting.Tests] || len(p.Suites) > 0
	}
	return s, err
}

// suffices reports whether there is something for a tool to work on.
func (s sources) suffices(t Tool) bool {
	switch t.Toolset {
	case VaultSet:
		return s.notes
	case CodeSet:
		return s.code && (t.Needs == "" || s.allowed[t.Needs])
	}
	return true
}
