package writing

import (
	"context"
	"encoding/json"

	"hence/code/suite"
	"hence/internal/db"
	"hence/internal/fault"
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
	Patch      bool          `json:"patch"`
	Suites     []suite.Suite `json:"suites"`
}

// AllowPatch sets whether tools may change the files of a repository; "" names the only
// one. It fails with not_found and, if "" could name several, with ambiguous.
func (w Writer) AllowPatch(ctx context.Context, repository string, allow bool) error {
	v, err := w.repository(ctx, "code allow patch", repository)
	if err != nil {
		return err
	}
	_, err = w.DB.Write(ctx, w.Caller.Actor, db.Now(), db.S(`update vaults set patches = ?2 where name = ?1`, v.Name, allow))
	return err
}

// AllowSuite lets tools run a suite in a repository. It replaces a suite with the same name.
// It fails with invalid_argument for a suite that cannot be run, and as AllowPatch does.
func (w Writer) AllowSuite(ctx context.Context, repository string, s suite.Suite) error {
	const operation = "code allow test"
	if err := s.Check(operation); err != nil {
		return err
	}
	v, err := w.repository(ctx, operation, repository)
	if err != nil {
		return err
	}
	_, err = w.DB.Write(ctx, w.Caller.Actor, db.Now(), db.S(`
insert into suites (vault, name, arguments, folder, timeout_s, environment)
select
  key,
  ?2,
  ?3,
  ?4,
  ?5,
  ?6
from vaults
where name = ?1
on conflict (vault, name) do update set
  arguments = excluded.arguments,
  folder = excluded.folder,
  timeout_s = excluded.timeout_s,
  environment = excluded.environment`,
		v.Name, s.Name, db.List(s.Arguments), s.Folder, s.TimeoutS, db.List(s.Environment)))
	return err
}

// ForbidSuite deletes a suite. It fails with not_found if there is none, and as AllowPatch
// does.
func (w Writer) ForbidSuite(ctx context.Context, repository, name string) error {
	const operation = "code forbid test"
	v, err := w.repository(ctx, operation, repository)
	if err != nil {
		return err
	}
	_, err = w.DB.Write(ctx, w.Caller.Actor, db.Now(),
		db.Expect(`exists (select 1 from suites where vault = (select key from vaults where name = ?1) and name = ?2)`,
			fault.New(fault.NotFound, "%s: the repository %s has no suite %q; hence code allowed lists them", operation, v.Name, name), v.Name, name),
		db.S(`
delete from suites
where vault = (select key from vaults where name = ?1)
  and name = ?2`, v.Name, name))
	return err
}

// Permissions returns what tools may do to each repository that the caller may see.
func (w Writer) Permissions(ctx context.Context) (all []Permissions, err error) {
	repositories, err := w.importer().Repositories(ctx)
	if err != nil {
		return nil, err
	}
	all = []Permissions{}
	err = w.DB.Read(ctx, func(r *db.Reader) error {
		for _, v := range repositories {
			p := Permissions{Repository: v.Name, Root: v.Root}
			if p.Patch, _, err = db.One[bool](ctx, r, `select patches from vaults where name = ?`, v.Name); err != nil {
				return err
			}
			if p.Suites, err = suitesOf(ctx, r, v.Name); err != nil {
				return err
			}
			all = append(all, p)
		}
		return nil
	})
	return all, err
}

// checkAllowed fails with read_only if no person has allowed tools to patch a repository.
func (w Writer) checkAllowed(ctx context.Context, operation, repository string) error {
	allowed, _, err := db.One[bool](ctx, w.DB, `select patches from vaults where name = ?`, repository)
	if err == nil && !allowed {
		err = fault.New(fault.ReadOnly, "%s: tools may not change the repository %s; a person allows it with hence code allow patch --repository %s", operation, repository, repository)
	}
	return err
}

// repository returns the repository with a name, or the only one for "". It fails with
// not_found and ambiguous.
func (w Writer) repository(ctx context.Context, operation, name string) (projection.Vault, error) {
	all, err := w.importer().Repositories(ctx)
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

// suitesOf returns the suites of a repository, in the order of their names.
func suitesOf(ctx context.Context, r *db.Reader, repository string) (all []suite.Suite, err error) {
	type stored struct {
		suite.Suite
		arguments, environment string
	}
	rows, err := db.Select(ctx, r, db.Fields(func(s *stored) []any {
		return []any{&s.Name, &s.arguments, &s.Folder, &s.TimeoutS, &s.environment}
	}), `
select
  s.name,
  s.arguments,
  s.folder,
  s.timeout_s,
  s.environment
from suites s
join vaults v on v.key = s.vault
where v.name = ?
order by s.name`, repository)
	all = []suite.Suite{}
	for _, s := range rows {
		if err := json.Unmarshal([]byte(s.arguments), &s.Arguments); err != nil {
			return nil, fault.Wrap(fault.Internal, err, "the arguments of the suite %s cannot be read", s.Name)
		}
		if err := json.Unmarshal([]byte(s.environment), &s.Environment); err != nil {
			return nil, fault.Wrap(fault.Internal, err, "the variables of the suite %s cannot be read", s.Name)
		}
		all = append(all, s.Suite)
	}
	return all, err
}
