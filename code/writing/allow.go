package writing

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"hence/code/suite"
	"hence/internal/fault"
	"hence/internal/permit"
	"hence/projection"
)

// The permissions that a person may give.
const (
	Patches = "patch"
	Tests   = "test"
)

// Permissions are what tools may do to a repository.
type Permissions struct {
	Repository string        `json:"repository"`
	Root       string        `json:"root"`
	Elsewhere  bool          `json:"elsewhere,omitempty"` // it was not imported on this machine: nothing is allowed
	Patch      bool          `json:"patch"`
	Suites     []suite.Suite `json:"suites"`
}

// AllowPatch sets whether tools may change the files of a repository; "" names the only
// one. It fails with not_found, with ambiguous if "" could name several, and with unavailable
// for a repository that was not imported on this machine.
func (w Writer) AllowPatch(ctx context.Context, repository string, allow bool) error {
	return w.change(ctx, "code allow patch", repository, func(p *Permissions) error {
		p.Patch = allow
		return nil
	})
}

// AllowSuite lets tools run a suite in a repository. It replaces a suite with the same name.
// It fails with invalid_argument for a suite that cannot be run, and as AllowPatch does.
func (w Writer) AllowSuite(ctx context.Context, repository string, s suite.Suite) error {
	const operation = "code allow test"
	if err := s.Check(operation); err != nil {
		return err
	}
	return w.change(ctx, operation, repository, func(p *Permissions) error {
		p.Suites = append(p.without(s.Name), s)
		return nil
	})
}

// ForbidSuite deletes a suite. It fails with not_found if there is none, and as AllowPatch
// does.
func (w Writer) ForbidSuite(ctx context.Context, repository, name string) error {
	const operation = "code forbid test"
	return w.change(ctx, operation, repository, func(p *Permissions) error {
		rest := p.without(name)
		if len(rest) == len(p.Suites) {
			return fault.New(fault.NotFound, "%s: the repository %s has no suite %q; hence code allowed lists them", operation, p.Repository, name)
		}
		p.Suites = rest
		return nil
	})
}

// without returns the suites but for that of a name.
func (p Permissions) without(name string) []suite.Suite {
	return slices.DeleteFunc(slices.Clone(p.Suites), func(s suite.Suite) bool { return s.Name == name })
}

// change changes what tools may do to a repository, in the user's records on this machine.
func (w Writer) change(ctx context.Context, operation, repository string, change func(*Permissions) error) error {
	v, err := w.repository(ctx, operation, repository)
	if err != nil {
		return err
	}
	if w.DB.ReadOnly() {
		return fault.New(fault.ReadOnly, "%s: the store was opened read-only", operation)
	}
	if err := v.CheckHere(operation, "repository"); err != nil {
		return err
	}
	records, p, err := w.permissions(ctx, v)
	if err != nil {
		return err
	}
	if err := change(&p); err != nil {
		return err
	}
	slices.SortFunc(p.Suites, func(a, b suite.Suite) int { return strings.Compare(a.Name, b.Name) })
	suites, err := json.Marshal(p.Suites)
	if err != nil {
		return fault.Wrap(fault.Internal, err, "%s: the suites cannot be written as JSON", operation)
	}
	return records.Put(permit.Folder{Name: v.Name, Root: v.Root, Patch: p.Patch, Suites: suites})
}

// Permissions returns what tools may do to each repository that the caller may see.
func (w Writer) Permissions(ctx context.Context) (all []Permissions, err error) {
	repositories, err := w.importer().Mirror().Vaults(ctx)
	if err != nil {
		return nil, err
	}
	records, err := permit.Of(ctx, w.DB, w.DB)
	if err != nil {
		return nil, err
	}
	all = []Permissions{}
	for _, v := range repositories {
		p, failed := permissionsOf(records, v)
		all, err = append(all, p), cmp.Or(err, failed)
	}
	return all, err
}

// permissions returns the user's records, and what tools may do to a repository by them.
func (w Writer) permissions(ctx context.Context, v projection.Vault) (permit.Records, Permissions, error) {
	records, err := permit.Of(ctx, w.DB, w.DB)
	if err != nil {
		return records, Permissions{}, err
	}
	p, err := permissionsOf(records, v)
	return records, p, err
}

// permissionsOf returns what tools may do to a repository by the user's records. They may do
// nothing to one that was not imported on this machine.
func permissionsOf(records permit.Records, v projection.Vault) (Permissions, error) {
	p := Permissions{Repository: v.Name, Root: v.Root, Elsewhere: !v.Here, Suites: []suite.Suite{}}
	f, err := records.Folder(v.Name)
	if err != nil || !v.Here {
		return p, err
	}
	if p.Patch = f.Patch; f.Suites != nil {
		if err := json.Unmarshal(f.Suites, &p.Suites); err != nil {
			return p, fault.Wrap(fault.Unavailable, err, "the suites of the repository %s cannot be read; allow them again", v.Name)
		}
	}
	return p, nil
}

// checkAllowed fails with read_only if the user has not allowed tools to patch a repository
// on this machine.
func (w Writer) checkAllowed(ctx context.Context, operation string, v projection.Vault) error {
	_, p, err := w.permissions(ctx, v)
	if err == nil && !p.Patch {
		err = fault.New(fault.ReadOnly, "%s: tools may not change the repository %s; a person allows it with hence code allow patch --repository %s", operation, v.Name, v.Name)
	}
	return err
}

// repository returns the repository with a name, or the only one for "". It fails with
// not_found and ambiguous.
func (w Writer) repository(ctx context.Context, operation, name string) (projection.Vault, error) {
	all, err := w.importer().Mirror().Vaults(ctx)
	if err != nil {
		return projection.Vault{}, err
	}
	names := []string{}
	for _, v := range all {
		if v.Name == name || name == "" && len(all) == 1 {
			return v, nil
		}
		names = append(names, v.Name)
	}
	switch {
	case len(all) == 0:
		return projection.Vault{}, fault.New(fault.NotFound, "%s: the store has no repository; hence import --code DIR imports one", operation)
	case name == "":
		return projection.Vault{}, fault.New(fault.Ambiguous, "%s: the store has %d repositories; name one", operation, len(all)).With("candidates", names[:min(len(names), 5)])
	}
	return projection.Vault{}, fault.New(fault.NotFound, "%s: there is no repository %q", operation, name).With("candidates", names[:min(len(names), 5)])
}
