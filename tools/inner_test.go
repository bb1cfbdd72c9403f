package tools

import (
	"fmt"
	"sync"
	"testing"

	"hence/internal/db/dbtest"
)

// More calls than the store has connections are all answered, though each reads who wrote what it
// names while it reads.
func TestConcurrentReads_AllEnd(t *testing.T) {
	d := dbtest.New(t)
	a := meet(t, d, Options{})
	for i := range 12 {
		a.ask("memory_store", fmt.Sprintf(`{"title": "M%d", "content": "Memory %d of the ledger.", "dedup": "off", "source": "web", "links": [%s]}`, i, i,
			map[bool]string{true: `{"to": "M0", "type": "supports"}`}[i > 0]))
	}
	calls := []struct{ tool, arguments string }{
		{"expand", `{"id": "M0"}`}, {"get_neighborhood", `{"id": "M1", "depth": 2}`}, {"memory_path", `{"from_id": "M1", "to_id": "M2"}`},
		{"memory_trace", `{"id": "M0"}`}, {"memory_search", `{"query": "ledger"}`}, {"memory_list", `{}`}, {"graph_overview", `{}`}, {"memory_get", `{"id": "M0"}`},
	}
	var running sync.WaitGroup
	for range 20 {
		for _, c := range calls {
			running.Go(func() {
				if r := a.ask(c.tool, c.arguments); r.IsError {
					t.Errorf("%s %s: %s", c.tool, c.arguments, text(t, r))
				}
			})
		}
	}
	running.Wait()
}
