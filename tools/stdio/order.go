package stdio

import "sync"

// order gives calls that run beside each other the outcome that they have one
// by one: a call that writes waits for all before it, and one that reads for
// the last write before it. So an agent may send store and then search without
// waiting for the first answer.
type order struct {
	written chan struct{}   // closed when the last write is done
	reads   *sync.WaitGroup // those after it
}

func newOrder() *order {
	done := make(chan struct{})
	close(done)
	return &order{written: done, reads: new(sync.WaitGroup)}
}

// next gives the next call its place. The call begins when begin returns, and
// must call end. Calls to next must come in the order of the messages.
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
