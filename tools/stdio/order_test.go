package stdio

import (
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Reads between two writes see the first and not the second, whenever they run.
func TestOrder(t *testing.T) {
	o := newOrder()
	var mu sync.Mutex
	written := 0
	seen := map[int][]int{}
	var all sync.WaitGroup
	want := map[int][]int{}
	for i := range 300 {
		writes := i%7 == 0
		begin, end := o.next(writes)
		at := i/7 + 1
		if !writes {
			want[at] = append(want[at], at)
		}
		all.Go(func() {
			defer end()
			begin()
			mu.Lock()
			defer mu.Unlock()
			if writes {
				written++
			} else {
				seen[at] = append(seen[at], written)
			}
		})
	}
	all.Wait()
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("what reads saw (-want +got):\n%s", diff)
	}
}
