package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// measureCluster compares a store on a cluster of three local nodes with one in a plain file.
// It gets rqlited with get.sh: version 10 if its source is in ../shared, else the version from
// npm.
func measureCluster(ctx context.Context, b *bench) error {
	b.say("cluster: rqlited")
	cmd := exec.CommandContext(ctx, "internal/node/nodetest/get.sh", ".cache/rqlite")
	cmd.Stderr = os.Stderr
	output, err := cmd.Output()
	programs := strings.Fields(string(output))
	switch {
	case err != nil:
		return fmt.Errorf("no rqlited to measure with: %w", err)
	case len(programs) == 0:
		return errors.New("no rqlited to measure with: get.sh printed no path")
	}
	if err := os.Setenv("HENCE_TEST_RQLITED", programs[len(programs)-1]); err != nil {
		return err
	}
	defer os.Unsetenv("HENCE_TEST_RQLITED")
	return benchmarks("cluster", "./cmd/hence", "Cluster", "1x")(ctx, b)
}
