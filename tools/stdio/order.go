package stdio

import "sync"

// order gives concurrent calls the results that they would have one after another: a call
// that writes waits for all calls before it, and one that reads waits for the last write
// before it. So an agent may send a store and a search without waiting for the first answer.
type order struct {
	written chan struct{}   // closed when the last write is done
	reads   *sync.WaitGroup // reads after that write
}

func newOrder() *order {
	done := make(chan struct{})
	close(done)
	return &order{written: done, reads: new(sync.WaitGroup)}
}

// next registers the next call, which must run begin first, to wait for its turn, and end
// last. next must be called in the order of the messages.
func (o *order) next(writes bool) (begin, end func()) {
	written, reads := o.written, o.reads
	if !writes {
		reads.Add(1)
		return func() { <-written }, reads.Done
	}
	done := make(chan struct{})
	o.written, o.reads = done, new(sync.WaitGroup)
	return func() { <-written; reads.Wait() }, func() { close(done) }
}
