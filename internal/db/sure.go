package db

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"hence/internal/fault"
)

// A batch of a cluster runs on every node, so that each must compute the same from it.
// The schema refuses what is written in nobody's name. Within a batch the columns below
// have defaults that differ on each node, and so do the functions: checkSure refuses
// statements that leave something to them.
var (
	made = map[string][]string{
		"memories":  {"id", "content_hash", "created_at", "updated_at"},
		"edges":     {"id", "created_at"},
		"tokens":    {"created_at"},
		"token_map": {"created_at"},
	}
	insertion = regexp.MustCompile(`(?i)\binsert (?:or \w+ )?into (memories|edges|tokens|token_map) *(?:\(([^)]*)\))?`)
	unsure    = regexp.MustCompile(`(?i)\b(?:random|randomblob) *\(|'now'|\bcurrent_(?:time|date|timestamp)\b|\btemp\.|\blast_insert_rowid\b`)
	checked   sync.Map // text of a statement → error or nil; they are constants
)

// checkSure fails if two nodes could compute different rows from a statement.
func checkSure(text string) error {
	if known, ok := checked.Load(text); ok {
		err, _ := known.(error)
		return err
	}
	var err error
	if words := unsure.FindString(text); words != "" {
		err = fault.New(fault.Internal, "write to a cluster: a statement uses %s, which differs on each node", words)
	}
	for _, into := range insertion.FindAllStringSubmatch(text, -1) {
		named := strings.FieldsFunc(into[2], func(r rune) bool { return strings.ContainsRune(", \n\t", r) })
		for _, column := range made[strings.ToLower(into[1])] {
			if !slices.Contains(named, column) {
				err = fault.New(fault.Internal, "write to a cluster: a row of %s has no %s, which each node would make up", into[1], column)
			}
		}
	}
	checked.Store(text, err)
	return err
}
