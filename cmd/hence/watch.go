package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"hence/cmd/hence/internal/screen"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/vault"
)

// watch imports a vault and goes on as it is edited, until it is stopped. It
// prints a report, or a line of JSON, for each import that changed something.
func (s *session) watch(ctx context.Context, a vault.ImportArgs) (err error) {
	if a.DryRun {
		return fault.New(fault.InvalidArgument, "import: --watch and --dry-run do not go together")
	}
	d, err := s.open(ctx, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	progress, done := progressBar(s.err)
	return vault.Importer{DB: d, Caller: s.person(), Progress: progress}.Watch(ctx, a, func(r vault.Report, err error) {
		done()
		if err == nil {
			err = s.tellImport(a, r)
		}
		if err != nil {
			fmt.Fprintln(s.err, "hence: "+screen.Clean(err.Error()))
		}
	})
}

func (s *session) tellImport(a vault.ImportArgs, r vault.Report) error {
	if s.asJSON {
		return printJSON(s.out, r)
	}
	v := &view{Page: screen.PageFor(s.out)}
	drawImport(v, a, r)
	return v.Close()
}

// keepVaults keeps the store up with every vault in it while a server runs.
func keepVaults(ctx context.Context, d *db.DB, caller ref.Caller, log *slog.Logger) *vault.Keeper {
	return vault.Importer{DB: d, Caller: caller}.Keep(ctx, func(v vault.Vault, r vault.Report, err error) {
		switch {
		case errors.Is(err, vault.ErrUnwatchable):
			log.Warn("a vault is not watched, but looked at when a tool is called", "vault", v.Name, "error", err)
		case err != nil:
			log.Error("a vault was not imported", "vault", v.Name, "error", err)
		default:
			log.Info("a vault was imported", "vault", v.Name, "added", r.Added, "updated", r.Updated, "moved", r.Moved, "removed", r.Removed)
		}
	})
}
