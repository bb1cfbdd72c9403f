package main

import (
	"context"
	"os"
	"path/filepath"
)

// measureBeside measures how well searches find LoCoMo and the vaults, in stores with and
// without the symbols of Go's standard library.
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
