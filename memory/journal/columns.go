package journal

import (
	"fmt"
	"slices"
	"strings"
)

// The columns of a memory whose old values the journal keeps: the list of the
// trigger memory_updated. Undo sets status and verified_at by other ways.
var (
	plain   = strings.Fields(`namespace kind title content importance pinned confidence uri source source_url confirmed valid_from valid_to forgotten_at forget_reason`)
	lists   = strings.Fields(`aliases tags properties`)
	derived = strings.Fields(`status verified_at`)

	// currentValues is an expression: what a journal row's before would hold of
	// the memory m as it is now.
	currentValues = "json_object(" + format(`'%[1]s', m.%[1]s`, plain, derived) + ", " + format(`'%[1]s', json(m.%[1]s)`, lists) + ")"
	// oldValues are assignments of what ?2, a journal row's before, holds.
	oldValues = format(`%[1]s = iif(json_type(?2, '$.%[1]s') is null, %[1]s, ?2 ->> '$.%[1]s')`, plain, lists)
)

func format(pattern string, columns ...[]string) string {
	parts := []string{}
	for _, name := range slices.Concat(columns...) {
		parts = append(parts, fmt.Sprintf(pattern, name))
	}
	return strings.Join(parts, ", ")
}
