package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// measureCluster measures a store on a cluster of three nodes on this machine beside one in
// a plain file. It installs rqlited by itself: the newest version whose source it can get, or
// else the one of npm.
func measureCluster(ctx context.Context, b *bench) error {
	b.say("cluster: rqlited")
	get := exec.CommandContext(ctx, "internal/node/nodetest/get.sh", ".cache/rqlite")
	get.Stderr = os.Stderr
	said, err := get.Output()
	programs := strings.Fields(string(said))
	if err != nil || len(programs) == 0 {
		return fmt.Errorf("no rqlited to measure with: %w", err)
	}
	if err := os.Setenv("HENCE_TEST_RQLITED", programs[len(programs)-1]); err != nil {
		return err
	}
	defer os.Unsetenv("HENCE_TEST_RQLITED")
	return benchmarks("cluster", "./cmd/hence", "Cluster", "1x")(ctx, b)
}
