package db

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"hence/internal/fault"
)

// Every node of a cluster runs each batch, so all must compute the same rows from it. The
// columns in generatedColumns have defaults that differ between nodes, and so do the results of
// the functions that nondeterministic matches: checkDeterministic refuses statements that use
// them. The schema refuses writes outside a batch.
var (
	generatedColumns = map[string][]string{
		"memories":  {"id", "content_hash", "created_at", "updated_at"},
		"edges":     {"id", "created_at"},
		"tokens":    {"created_at"},
		"token_map": {"created_at"},
	}
	insertion        = regexp.MustCompile(`(?i)\binsert (?:or \w+ )?into (memories|edges|tokens|token_map) *(?:\(([^)]*)\))?`)
	nondeterministic = regexp.MustCompile(`(?i)\b(?:random|randomblob) *\(|'now'|\bcurrent_(?:time|date|timestamp)\b|\btemp\.|\blast_insert_rowid\b`)
	checked          sync.Map // cache of checkDeterministic: error or nil by the text of a statement
)

// checkDeterministic fails if two nodes could compute different rows from a statement.
func checkDeterministic(text string) error {
	if cached, ok := checked.Load(text); ok {
		err, _ := cached.(error)
		return err
	}
	var err error
	if words := nondeterministic.FindString(text); words != "" {
		err = fault.New(fault.Internal, "write to a cluster: a statement uses %s, which differs on each node", words)
	}
	for _, match := range insertion.FindAllStringSubmatch(text, -1) {
		columns := strings.FieldsFunc(match[2], func(r rune) bool { return strings.ContainsRune(", \n\t", r) })
		for _, column := range generatedColumns[strings.ToLower(match[1])] {
			if !slices.Contains(columns, column) {
				err = fault.New(fault.Internal, "write to a cluster: a row of %s has no %s, which each node would generate itself", match[1], column)
			}
		}
	}
	checked.Store(text, err)
	return err
}
