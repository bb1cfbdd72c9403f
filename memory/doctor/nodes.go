package doctor

import (
	"context"
	"strings"

	"hence/internal/node"
)

// examineNodes compares the tables of all nodes of a cluster. Nodes that cannot be
// compared now are not a problem of the store; hence cluster status says why.
func examineNodes(ctx context.Context, d Doctor) (problems []string, err error) {
	o, err := node.Examine(ctx, d.DB.Cluster(), true)
	if err != nil {
		return nil, err
	}
	for _, table := range o.Differing {
		problems = append(problems, "the table "+table+" is not the same on "+strings.Join(o.Apart, ", ")+" as on the other nodes")
	}
	return problems, nil
}

// noteNodes says what a person should know of the nodes.
func noteNodes(ctx context.Context, d Doctor) ([]string, error) {
	o, err := node.Examine(ctx, d.DB.Cluster(), false)
	return o.Warnings, err
}
