package db

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"hence/internal/db/remote"
	"hence/internal/fault"
	"hence/internal/pattern"
)

// A batch of a cluster claims a row of the table landed, which the schema refuses the
// second time. maxLanded is how many of these rows are kept: a batch that arrives after so
// many others is refused, because its row may have been deleted.
const maxLanded = 10_000

// What a cluster's batch begins with. Each of the first three has its own error.
const (
	expectWriter = `insert into expectation (holds) select count(*) from writer`
	expectSchema = `insert into expectation (holds) select schema_hash = ? from store`
	expectRecent = `insert into expectation (holds) select batch - ?1 <= ?2 from writer`
	insertLanded = `insert into landed (batch, id, changed) select batch, ?, (` + selectLastRow + `) || '' from writer`
	deleteLanded = `delete from landed where batch <= (select batch from writer) - ?`

	addChanged = `update landed set changed = changed || ?2 || changes() where id = ?1`
	addLastRow = `update landed set changed = changed || ' ' || (` + selectLastRow + `) where id = ?`

	countVoid  = `update writer set batch = batch + 1`
	voidLanded = `insert into landed (batch, id) select batch, ? from writer`
)

// write is Write on a cluster. What it cannot fold or hash waits for the next batch.
func (c *cluster) write(ctx context.Context, actor, now string, statements []Stmt) ([]int64, error) {
	changed, err := c.send(ctx, actor, now, statements)
	if err == nil {
		var upkeep []Stmt
		_ = c.own.read(ctx, func(n *conn) (err error) {
			upkeep, err = computed(ctx, n)
			return err
		})
		if len(upkeep) > 0 {
			_, _ = c.send(ctx, actor, now, upkeep)
		}
	}
	return changed, err
}

// send has the cluster run a batch. A result or a refusal is returned when the node's file
// shows what the cluster decided on.
func (c *cluster) send(ctx context.Context, actor, now string, statements []Stmt) ([]int64, error) {
	doing := "write to " + c.path
	if err := ctx.Err(); err != nil {
		return nil, explain(err, "%s", doing)
	}
	id := NewID()
	b, places, err := c.batch(ctx, id, actor, now, statements)
	if err != nil {
		return nil, err
	}
	is := c.client.Execute(ctx, b)
	if is.Kind == remote.AlreadyLanded {
		return c.outcomeOf(ctx, id, is, statements, places)
	}
	return c.outcome(ctx, id, is, statements, places)
}

// batch returns what the cluster is sent, and the places of the caller's statements in it.
func (c *cluster) batch(ctx context.Context, id, actor, now string, statements []Stmt) (b remote.Batch, places []int, err error) {
	_ = c.own.read(ctx, func(*conn) error { return nil }) // if the file cannot be read right now, what was read last does as well
	add := func(text string, args ...any) {
		b.Statements = append(b.Statements, remote.Statement{SQL: text, Args: args})
	}
	add(beginWriting, actor, now)
	add(expectWriter)
	add(expectSchema, current.hash)
	add(expectRecent, c.own.seen.Load(), maxLanded)
	add(insertLanded, id)
	add(deleteLanded, maxLanded)
	uncounted := ""
	for i, s := range statements {
		if err := checkDeterministic(s.SQL); err != nil {
			return b, nil, err
		}
		places = append(places, len(b.Statements))
		add(s.SQL, s.Args...)
		// A statement that asks what the one before it changed must come right after that.
		if i+1 < len(statements) && strings.Contains(statements[i+1].SQL, "changes()") {
			uncounted += " 0"
			continue
		}
		add(addChanged, id, uncounted+" ")
		uncounted = ""
	}
	add(addLastRow, id)
	for _, s := range Upkeep {
		add(s.SQL)
	}
	add(endWriting)
	b.Claimed = func(_ int, words string) bool { return strings.Contains(words, "landed.id") }
	b.Void = []remote.Statement{{SQL: countVoid}, {SQL: voidLanded, Args: []any{id}}}
	return b, places, nil
}

// The places of the first statements of a batch.
const (
	atWriter = 1
	atSchema = 2
	atRecent = 3
)

// How long a write waits until the node's file shows it, and a refusal until it shows
// what refused it.
const (
	waitToShow  = 5 * time.Second
	waitToAgree = 2 * time.Second
)

// outcome turns what became of a batch into what Write returns.
func (c *cluster) outcome(ctx context.Context, id string, is remote.Outcome, statements []Stmt, places []int) ([]int64, error) {
	doing := "write to " + c.path
	switch is.Kind {
	case remote.Landed:
		changed := make([]int64, len(statements))
		for i := range statements {
			changed[i] = is.Changed[places[i]]
		}
		_, _, err := c.show(ctx, id, c.unseen())
		return changed, err
	case remote.Refused:
		return nil, c.refusal(ctx, is, statements, places)
	case remote.NotLanded:
		return nil, fault.Wrap(fault.Unavailable, is.Err, "%s: no node of the cluster took it, and nothing was written; try again", doing)
	}
	unknown := fault.Wrap(fault.OutcomeUnknown, is.Err,
		"%s: no node of the cluster answered in time, and it may have been written or may yet be; when the nodes answer again, see with hence log whether it was, before it is repeated", doing).With("request", id)
	changed, void, err := c.show(ctx, id, unknown)
	if err != nil || void {
		return nil, unknown
	}
	return readCounts(changed, len(statements)), nil
}

// outcomeOf is outcome for a batch that was carried out before, or was made void: the row
// that it claimed tells.
func (c *cluster) outcomeOf(ctx context.Context, id string, is remote.Outcome, statements []Stmt, places []int) ([]int64, error) {
	changed, void, err := c.show(ctx, id, c.unseen())
	switch {
	case err != nil && is.Voided != nil:
		is.Kind = remote.Unknown
		return c.outcome(ctx, id, is, statements, places)
	case err != nil:
		return nil, err
	case void && is.Voided != nil:
		return c.outcome(ctx, id, *is.Voided, statements, places)
	}
	return readCounts(changed, len(statements)), nil
}

func (c *cluster) unseen() error {
	return fault.New(fault.OutcomeUnknown,
		"write to %s: the cluster has written it, but the node beside this server does not show it yet; do not repeat it, and read it when the node has caught up", c.path).With("written", true)
}

// show waits until the node's file shows the row that a batch claimed, and returns its
// counts, or that it was made void. After a time it fails with late.
func (c *cluster) show(ctx context.Context, id string, late error) (changed string, void bool, err error) {
	ctx = context.WithoutCancel(ctx) // it is written, and the caller must learn that
	err = c.await(ctx, min(waitToShow, c.client.Patience), func() (shown bool, _ error) {
		failed := c.own.read(ctx, func(n *conn) error {
			outcome, ok, err := First(ctx, &Reader{n}, Value[*string], `select changed from landed where id = ?`, id)
			if ok {
				shown, void = true, outcome == nil
				if outcome != nil {
					changed = *outcome
				}
			}
			return err
		})
		if failed != nil {
			return false, nil // the file is being replaced: the row is in the next one
		}
		return shown, nil
	}, late)
	if numbers := numbersOf(changed); err == nil && !void {
		receiptOf(ctx).note(numbers[0], numbers[len(numbers)-1])
	}
	return changed, void, err
}

// readCounts reads the rows that each statement changed.
func readCounts(changed string, statements int) []int64 {
	counts := make([]int64, statements)
	if numbers := numbersOf(changed); len(numbers) > 0 { // not those of what was made void
		copy(counts, numbers[1:])
	}
	return counts
}

// numbersOf reads what a batch has written about itself: the journal's last row before
// it, the rows that each statement changed, and the journal's last row.
func numbersOf(changed string) []int64 {
	numbers := []int64{}
	for _, text := range strings.Fields(changed) {
		n, _ := strconv.ParseInt(text, 10, 64) // written by addChanged
		numbers = append(numbers, n)
	}
	return numbers
}

// refusal is the error of a batch that was refused. The node's file may be older than what
// it was refused for. So it first waits until the file is as new: who then plans again
// does so on the state that refused the last plan.
func (c *cluster) refusal(ctx context.Context, is remote.Outcome, statements []Stmt, places []int) error {
	doing := "write to " + c.path
	switch is.Statement {
	case atWriter:
		return ErrNoWriter
	case atSchema:
		return fault.New(fault.ReadOnly, "%s: another server has migrated the cluster's store to another version; update hence", doing)
	case atRecent:
		return fault.New(fault.Unavailable, "%s: the node's file is more than %d transactions behind the cluster, and nothing was written; try again when it has caught up", doing, maxLanded)
	}
	c.catchUp(ctx)
	failed := nodeError{is.Words}
	if i := slices.Index(places, is.Statement); i >= 0 {
		if s := statements[i]; s.Refused != nil && IsRefused(failed) {
			return s.Refused
		}
	}
	return explain(failed, "%s", doing)
}

// catchUp waits until the node's file has all that has landed by now. If that takes long,
// it does not.
func (c *cluster) catchUp(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, waitToAgree)
	defer cancel()
	newest := c.newest(ctx)
	_ = c.await(ctx, waitToAgree, func() (bool, error) {
		err := c.own.read(ctx, func(*conn) error { return nil })
		return err == nil && c.own.seen.Load() >= newest, nil
	}, nil)
}

// Every node of a cluster runs each batch, so all must compute the same rows from it. The
// columns in generatedColumns have defaults that differ between nodes, and so do the results of
// the functions that nondeterministic matches: checkDeterministic refuses statements that use
// them. The schema refuses writes outside a batch.
var (
	generatedColumns = map[string][]string{
		"memories":  {"id", "content_hash", "created_at", "updated_at"},
		"edges":     {"id", "created_at"},
		"tokens":    {"created_at"},
		"token_map": {"created_at"},
	}
	insertion        = pattern.Lazy(`(?i)\binsert (?:or \w+ )?into (memories|edges|tokens|token_map) *(?:\(([^)]*)\))?`)
	nondeterministic = pattern.Lazy(`(?i)\b(?:random|randomblob) *\(|'now'|\bcurrent_(?:time|date|timestamp)\b|\btemp\.|\blast_insert_rowid\b`)
	checked          sync.Map // cache of checkDeterministic: error or nil by the text of a statement
)

// checkDeterministic fails if two nodes could compute different rows from a statement.
func checkDeterministic(text string) error {
	if cached, ok := checked.Load(text); ok {
		err, _ := cached.(error)
		return err
	}
	var err error
	if words := nondeterministic().FindString(text); words != "" {
		err = fault.New(fault.Internal, "write to a cluster: a statement uses %s, which differs on each node", words)
	}
	for _, match := range insertion().FindAllStringSubmatch(text, -1) {
		columns := strings.FieldsFunc(match[2], func(r rune) bool { return strings.ContainsRune(", \n\t", r) })
		for _, column := range generatedColumns[strings.ToLower(match[1])] {
			if !slices.Contains(columns, column) {
				err = fault.New(fault.Internal, "write to a cluster: a row of %s has no %s, which each node would generate itself", match[1], column)
			}
		}
	}
	checked.Store(text, err)
	return err
}
