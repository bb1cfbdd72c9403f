package remote

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"hence/internal/pause"
)

// Batch is statements that are carried out together or not at all, and once at most.
type Batch struct {
	Statements []Statement
	// Claimed reports whether a refusal, of the statement of a number, says that the
	// batch was carried out before.
	Claimed func(statement int, words string) bool
	// Void are statements that claim the batch's place and change nothing else: after
	// them it is refused wherever it still waits. Without any, a doubt stays.
	Void []Statement
	// Patience is for how long nodes are asked in turn; 0 is the client's.
	Patience time.Duration
}

// Kind is how a batch ended.
type Kind int

// The kinds.
const (
	Landed        Kind = iota // carried out now; Changed says how many rows by statement
	AlreadyLanded             // carried out by an earlier try, whose answer was lost
	Refused                   // refused by the statement of number Statement, for Words; nothing is written, now or later
	NotLanded                 // no node has taken it, now or later
	Unknown                   // it may have been, or may yet be, carried out
)

// Outcome is what became of a batch.
type Outcome struct {
	Kind      Kind
	Changed   []int64
	Statement int
	Words     string // of the engine
	Err       error  // why the last node that was asked did not do it
	// Voided is the outcome if the batch that was AlreadyLanded is the one that was made void:
	// where an answer was lost, only the row of the claim tells them apart.
	Voided *Outcome
}

// The errors of one try.
var (
	errDenied   = errors.New("the node refuses the user, the password or the certificate; see HENCE_RQLITE_USER and HENCE_RQLITE_PASSWORD")
	errNoLeader = errors.New("the node knows of no leader")
)

// Execute runs a batch at most once. It asks the nodes in turn until one answers or the
// patience has run out. If an earlier request got no answer and may still arrive, a refusal
// counts only after the batch has been made void.
func (c *Client) Execute(ctx context.Context, b Batch) Outcome {
	body, err := encode(b.Statements)
	if err != nil {
		return Outcome{Kind: NotLanded, Err: err}
	}
	doubt := false
	until := time.Now().Add(cmp.Or(b.Patience, c.Patience))
	for try := 0; ; try++ {
		a := c.try(ctx, try, body)
		switch {
		case a.err == nil && a.refused < 0:
			return Outcome{Kind: Landed, Changed: a.changed}
		case a.err == nil && b.Claimed(a.refused, a.words):
			return Outcome{Kind: AlreadyLanded}
		case a.err == nil:
			refused := Outcome{Kind: Refused, Statement: a.refused, Words: a.words}
			return c.settle(ctx, b, doubt, refused)
		}
		doubt = doubt || a.doubt
		err = a.err
		over := try+1 >= len(c.address.Nodes) && (time.Now().After(until) || ctx.Err() != nil || errors.Is(err, errDenied))
		if over {
			return c.settle(ctx, b, doubt, Outcome{Kind: NotLanded, Err: err})
		}
		if (try+1)%len(c.address.Nodes) == 0 {
			_ = pause.For(ctx, betweenRounds) // if ctx is done, the next round is the last
		}
	}
}

const betweenRounds = 50 * time.Millisecond

// settle makes a batch void if a request of it may still be on its way, so that the
// outcome stays what it is.
func (c *Client) settle(ctx context.Context, b Batch, doubt bool, outcome Outcome) Outcome {
	if !doubt {
		return outcome
	}
	if b.Void == nil {
		return Outcome{Kind: Unknown, Err: outcome.Err}
	}
	body, err := encode(b.Void)
	if err != nil {
		return Outcome{Kind: Unknown, Err: err}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.Settle)
	defer cancel()
	for try := 0; ; try++ {
		a := c.try(ctx, try, body)
		switch {
		case a.err == nil && a.refused < 0:
			return outcome
		case a.err == nil && b.Claimed(a.refused, a.words):
			return Outcome{Kind: AlreadyLanded, Voided: &outcome}
		case a.err == nil:
			return Outcome{Kind: Unknown, Words: a.words, Err: errors.New(a.words)}
		}
		if ctx.Err() != nil {
			return Outcome{Kind: Unknown, Err: a.err}
		}
		_ = pause.For(ctx, betweenRounds)
	}
}

// answer is what one node said to a batch.
type answer struct {
	changed []int64
	refused int    // the number of the statement that was refused; -1 if none was
	words   string // why
	err     error  // why there is neither
	doubt   bool   // with err: the batch may be carried out all the same
}

// try sends a batch to one node.
func (c *Client) try(ctx context.Context, try int, body []byte) answer {
	place, node := c.node(try)
	ctx, cancel := context.WithTimeout(ctx, c.Try+time.Duration(len(body)>>20)*perMegabyte)
	defer cancel()
	r, err := c.ask(ctx, http.MethodPost, node, "/db/execute?transaction&noparse&norwrandom&norwtime", "application/json", body)
	if err != nil {
		return answer{err: err, doubt: r.sent}
	}
	a := readAnswer(r)
	if a.err == nil {
		c.last.Store(int64(place))
	}
	return a
}

// unwritten are the words of a node that has not passed a request on.
var unwritten = []string{"leader not found", "not leader", "store not open", "store not ready"}

// readAnswer decides what an answer means. What it does not know leaves a doubt.
func readAnswer(r reply) answer {
	words := strings.TrimSpace(string(r.body))
	switch {
	case r.status == http.StatusUnauthorized || r.status == http.StatusForbidden:
		return answer{err: errDenied}
	case r.status == http.StatusServiceUnavailable && slices.Contains(unwritten, words):
		return answer{err: errNoLeader}
	case r.status == http.StatusBadRequest || r.status == http.StatusNotFound || r.status == http.StatusRequestEntityTooLarge:
		return answer{err: fmt.Errorf("the node does not take the request (HTTP %d: %.200s)", r.status, words)}
	case r.status != http.StatusOK:
		return answer{err: fmt.Errorf("the node answers HTTP %d: %.200s", r.status, words), doubt: true}
	}
	var decoded struct {
		Results []struct {
			Changed int64  `json:"rows_affected"`
			Error   string `json:"error"`
		} `json:"results"`
		Error string `json:"error"`
	}
	if err := json.Unmarshal(r.body, &decoded); err != nil {
		return answer{err: fmt.Errorf("the node's answer cannot be read: %w", err), doubt: true}
	}
	if decoded.Error != "" {
		if slices.Contains(unwritten, decoded.Error) {
			return answer{err: errNoLeader}
		}
		return answer{err: fmt.Errorf("the node says: %.200s", decoded.Error), doubt: true}
	}
	a := answer{refused: -1}
	for i, result := range decoded.Results {
		if result.Error != "" {
			return answer{refused: i, words: result.Error}
		}
		a.changed = append(a.changed, result.Changed)
	}
	return a
}
