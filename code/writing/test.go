package writing

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"time"

	"hence/code"
	"hence/code/suite"
	"hence/internal/args"
	"hence/internal/fault"
	"hence/projection"
	"hence/projection/folder"
)

// TestArgs name a suite and fill its placeholders.
type TestArgs struct {
	Suite       string `json:"suite"`
	Package     string `json:"package,omitempty" jsonschema:"for {package}"`
	Run         string `json:"run,omitempty" jsonschema:"for {run}: the tests to run"`
	TimeoutS    int    `json:"timeout_s,omitempty" min:"1" max:"3600"`
	TokenBudget int    `json:"token_budget,omitempty" min:"64"`
}

// Test runs a suite that a person allowed. A test that fails is a result, not an error.
// It fails with not_found if the caller sees no such suite, with ambiguous if several
// repositories have it, with invalid_argument for a value that the suite does not take,
// and with unavailable if the suite cannot be started or was stopped.
func (w Writer) Test(ctx context.Context, a TestArgs) (result suite.Result, err error) {
	const operation = "code_test"
	if err := args.Check(operation, &a); err != nil {
		return result, err
	}
	repository, s, err := w.suite(ctx, operation, a.Suite)
	if err != nil {
		return result, err
	}
	dir, err := suiteFolder(operation, repository, s)
	if err != nil {
		return result, err
	}
	result, err = s.Run(ctx, operation, dir, suite.Values{Package: a.Package, Run: a.Run}, time.Duration(a.TimeoutS)*time.Second)
	if err != nil {
		return result, err
	}
	return result.Fit(ctx, a.TokenBudget)
}

// suite finds a suite by its name in the repositories that the caller may see, and returns
// it with its repository.
func (w Writer) suite(ctx context.Context, operation, name string) (repository projection.Vault, tests suite.Suite, err error) {
	all, err := w.Permissions(ctx)
	owners, known := []string{}, []string{}
	for _, p := range all {
		for _, s := range p.Suites {
			if s.Name == name {
				tests, owners = s, append(owners, p.Repository)
			}
			known = append(known, s.Name)
		}
	}
	switch {
	case err != nil:
		return repository, tests, err
	case len(owners) > 1:
		return repository, tests, fault.New(fault.Ambiguous, "%s: %d repositories have a suite %q; a person can give them other names", operation, len(owners), name).With("candidates", owners)
	case len(owners) == 0:
		slices.Sort(known)
		return repository, tests, fault.New(fault.NotFound, "%s: there is no suite %q; a person allows one with hence code allow test", operation, name).With("candidates", slices.Compact(known))
	}
	repository, err = w.repository(ctx, operation, owners[0])
	return repository, tests, err
}

// suiteFolder returns the absolute path of the folder that a suite runs in.
func suiteFolder(operation string, v projection.Vault, s suite.Suite) (dir string, err error) {
	f, err := code.OpenFolder(operation, v)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if s.Folder == "" {
		return v.Root, nil
	}
	name, err := folder.CheckPath(operation, s.Folder)
	if err != nil {
		return "", err
	}
	if info, err := f.Dir.Stat(filepath.FromSlash(name)); err != nil || !info.IsDir() {
		return "", fault.New(fault.Unavailable, "%s: the suite %s runs in %s, and the repository %s has no such folder", operation, s.Name, name, v.Name)
	}
	return filepath.Join(v.Root, filepath.FromSlash(name)), nil
}
