package nodetest

import "testing"

// Nodes that have not started yet do not get one address twice.
func TestFreeAddress_IsAnotherEachTime(t *testing.T) {
	given := map[string]bool{}
	for range 1000 { // of ten thousand: two would be the same
		address := freeAddress(t)
		if given[address] {
			t.Fatalf("%s is given twice", address)
		}
		given[address] = true
	}
}
