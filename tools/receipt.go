package tools

import (
	"cmp"
	"context"
	"reflect"
	"time"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/receipts"
	"hence/internal/ref"
)

// shownIn is what an answer shows.
type shownIn struct {
	memories []ref.Shown
	leftOut  int // see receipts.Receipt
}

// read returns what a result shows.
func read(result any) shownIn { return shownIn{ref.ShownIn(result), leftOut(result)} }

// leftOut returns how many rows a result says that it left out, -1 if it says only that there are some.
func leftOut(result any) (n int) {
	v := reflect.ValueOf(result)
	if v.Kind() != reflect.Struct {
		return 0
	}
	number := func(v reflect.Value, name string) int {
		if f := v.FieldByName(name); f.IsValid() && f.CanInt() {
			return int(f.Int())
		}
		return 0
	}
	if lists := v.FieldByName("NotShown"); lists.IsValid() && lists.Kind() == reflect.Slice {
		for i := range lists.Len() {
			n += number(lists.Index(i), "Count")
		}
		return n
	}
	if cut := v.FieldByName("Truncated"); !cut.IsValid() || !cut.Bool() {
		return 0
	}
	return cmp.Or(max(0, number(v, "TotalCount")-number(v, "ReturnedCount")), -1)
}

// start is when a call began, and the last row of the journal then.
type start struct {
	at   time.Time
	seen int64
}

// begin notes the start of a call, which may write unless it reads.
func (o Options) begin(ctx context.Context, reads bool) start {
	s := start{at: time.Now(), seen: receipts.Written}
	if reads && o.Stamped != nil {
		s.seen, _ = receipts.Seen(ctx, o.Stamped) // 0 if it cannot be read: the receipt then names what was shown
	}
	return s
}

// observe tells the observers of an answer. What an agent was given has its session, and the stamp of
// what it shows; of others, such as the person at the page, only the call is counted.
func (o Options) observe(ctx context.Context, began start, r receipts.Receipt, shown shownIn, answer []byte) {
	if len(o.Observers) == 0 {
		return
	}
	r.At, r.Took, r.Outcome = began.at, time.Since(began.at), cmp.Or(r.Outcome, receipts.OK)
	if r.Session = o.sessionOf(ctx); r.Session == "" || o.Stamped == nil {
		r.Session, r.Arguments = "", ""
	} else if stamp, err := receipts.StampOf(context.WithoutCancel(ctx), o.Stamped, began.seen, shown.memories); err == nil { // an answer does not fail because of its receipt
		r.Stamp, r.LeftOut, r.Hash = stamp, shown.leftOut, receipts.HashOf(answer)
	}
	for _, observe := range o.Observers {
		observe(r)
	}
}

// sessionOf returns the id of the session of a call, "" if it has none, by which its receipts and what it
// has stored and waits are found. The id of an HTTP session is a hash, because anyone who knows it could speak in the session.
func (o Options) sessionOf(ctx context.Context) string {
	id := sessionID(ctx)
	if id == "" || o.Session != "" {
		return o.Session
	}
	return db.Hash("session " + id)[:32]
}

// observeReading tells the observers of a prompt or a resource that an agent was given.
func (o Options) observeReading(ctx context.Context, began start, name, arguments string, c ref.Caller, result any, text string, err error) {
	r := receipts.Receipt{Tool: name, Arguments: arguments, Actor: c.Actor, Namespace: c.Namespace, BytesIn: len(arguments), BytesOut: len(text)}
	shown := shownIn{}
	if err != nil {
		r.Outcome = string(fault.CodeOf(err))
	} else {
		shown = read(result)
	}
	o.observe(ctx, began, r, shown, []byte(text))
}
