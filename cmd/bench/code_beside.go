package main

import (
	"context"
	"os"
	"path/filepath"
)

// measureBeside measures what is found of LoCoMo and of the vaults in stores that hold
// the symbols of the standard library of Go too, and in stores without.
func measureBeside(ctx context.Context, b *bench) error {
	dir, store := filepath.Join(b.scratch, "standard"), filepath.Join(b.scratch, "standard.db")
	if err := fetchRepository(ctx, "std", dir); err != nil {
		return err
	}
	if err := b.run(ctx, "import", dir, "--code", "--name", "standard", "--db", store); err != nil {
		return err
	}
	if err := os.Setenv("HENCE_BESIDE", store); err != nil {
		return err
	}
	if err := benchmarks("beside-recall", "./memory/recall", "Locomo", "1x")(ctx, b); err != nil {
		return err
	}
	if err := benchmarks("beside-found", "./vault", "Found", "1x")(ctx, b); err != nil {
		return err
	}
	return os.Unsetenv("HENCE_BESIDE")
}
