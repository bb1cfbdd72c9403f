package doctor

import (
	"context"
	"strings"

	"hence/internal/node"
)

// examineNodes lists the tables that differ between the nodes of a cluster. A node that
// cannot be compared now is not a problem of the store; hence cluster status reports it.
func examineNodes(ctx context.Context, d Doctor) (problems []string, err error) {
	status, err := node.Examine(ctx, d.DB.Cluster(), true)
	if err != nil {
		return nil, err
	}
	for _, table := range status.Differing {
		problems = append(problems, "the table "+table+" is not the same on "+strings.Join(status.Apart, ", ")+" as on the other nodes")
	}
	return problems, nil
}

// noteNodes returns the warnings about the nodes of a cluster.
func noteNodes(ctx context.Context, d Doctor) ([]string, error) {
	status, err := node.Examine(ctx, d.DB.Cluster(), false)
	return status.Warnings, err
}
