package journal

import (
	"fmt"
	"slices"
	"strings"
)

// The columns of a memory whose old values the journal keeps: the list of the
// trigger memory_updated. Undo restores status and verified_at in other ways.
var (
	plain   = strings.Fields(`namespace kind title content importance pinned confidence uri source source_url confirmed valid_from valid_to forgotten_at forget_reason`)
	lists   = strings.Fields(`aliases tags properties`)
	derived = strings.Fields(`status verified_at`)

	// currentValues is an SQL expression: the columns of the memory m, in the form of a
	// journal row's before.
	currentValues = "json_object(" + format(`'%[1]s', m.%[1]s`, plain, derived) + ", " + format(`'%[1]s', json(m.%[1]s)`, lists) + ")"
	// oldValues are the assignments of an update that sets the columns to their values in ?2,
	// a journal row's before.
	oldValues = format(`%[1]s = iif(json_type(?2, '$.%[1]s') is null, %[1]s, ?2 ->> '$.%[1]s')`, plain, lists)
)

// format applies a pattern to each column, and joins the results with commas.
func format(pattern string, columns ...[]string) string {
	parts := []string{}
	for _, name := range slices.Concat(columns...) {
		parts = append(parts, fmt.Sprintf(pattern, name))
	}
	return strings.Join(parts, ", ")
}
