package db

import (
	"encoding/json"

	"hence/internal/fault"
)

// ReadColumn reads what a column of a memory holds as JSON: tags, aliases or
// properties. The schema refuses what cannot be read; where a row has it all the
// same, written with the rules switched off, the error names the memory. name is
// its id, or the path of a note.
func ReadColumn(name, column, text string, into any) error {
	if json.Unmarshal([]byte(text), into) != nil {
		return fault.New(fault.Unavailable, "memory %s cannot be read, because its %s are %.80q; hence doctor says how to mend it", name, column, text)
	}
	return nil
}
