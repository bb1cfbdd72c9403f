package db

import (
	"encoding/json"

	"hence/internal/fault"
)

// ReadColumn decodes a JSON column of a memory (tags, aliases or properties) into target, a
// pointer. name is the memory's id, or the path of a note. It fails with unavailable, and
// names the memory, for a value that was written while the schema's checks were off.
func ReadColumn(name, column, text string, target any) error {
	if json.Unmarshal([]byte(text), target) != nil {
		return fault.New(fault.Unavailable, "memory %s cannot be read, because its %s are %.80q; hence doctor says how to mend it", name, column, text)
	}
	return nil
}
