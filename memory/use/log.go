package use

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"hence/internal/db"
	"hence/internal/receipts"
	"hence/internal/ref"
)

// Reader reads the receipts that this machine has of a store, as conversations.
type Reader ref.View

// receiptWait is how long it waits for another process that writes receipts.
const receiptWait = 5 * time.Second

// open opens the receipts; without a state directory there are none, and the book is nil.
func (q Reader) open(ctx context.Context) (*receipts.Book, error) {
	if q.DB.State() == "" {
		return nil, nil
	}
	return receipts.Open(ctx, q.DB.State(), receiptWait)
}

// nearly is how far apart clocks and log lines of one event may be.
const nearly = 2 * time.Minute

// beside are the lists of an answer that name memories only beside what it shows.
var beside = map[string]bool{
	"named": true, "edges": true, "nodes": true, "path": true, "alternatives": true, "stale": true, "because": true, "contradicted_by": true,
	"superseded_by": true, "near": true, "left_off": true,
}

// talk is a conversation, as its receipts tell it.
type talk struct {
	id       string
	receipts []receipts.Receipt // the earliest first
}

// subject is a memory that a receipt shows.
type subject struct {
	Memory
	key        int64
	kind       string
	superseded time.Time
}

// read returns the receipts since a time, and the memories that they show and that are there still.
func (q Reader) read(ctx context.Context, book *receipts.Book, since time.Time) (tag string, all []receipts.Receipt, subjects map[int64]subject, err error) {
	if tag, err = db.Tag(ctx, q.DB); err != nil {
		return "", nil, nil, err
	}
	if all, err = book.Of(ctx, receipts.Scope{Store: tag, Namespace: q.Caller.Namespace}, "", since); err != nil {
		return "", nil, nil, err
	}
	keys := map[int64]bool{}
	for _, r := range all {
		for _, s := range r.Shown {
			keys[s.Key] = true
		}
	}
	subjects = map[int64]subject{}
	err = db.Each(ctx, q.DB, func(row *sql.Rows) error {
		var s subject
		var superseded string
		err := row.Scan(&s.key, &s.ID, &s.kind, &s.Title, &s.Content, &superseded)
		s.superseded, _ = time.Parse(time.RFC3339Nano, superseded) // "": the zero time
		subjects[s.key] = s
		return err
	}, `
select
  m.key,
  m.id,
  m.kind,
  m.title,
  m.content,
  coalesce((select e.created_at from edges e where e.to_key = m.key and e.kind = 'supersedes'), '')
from json_each(?1) j
cross join memories m on m.key = j.value
where ?2 in ('', m.namespace)`, db.List(slices.Sorted(maps.Keys(keys))), q.Caller.Namespace)
	return tag, all, subjects, err
}

// shownIn returns the memories that a receipt shows, and not only beside others, each once.
func shownIn(r receipts.Receipt, subjects map[int64]subject) (all []subject) {
	for _, s := range r.Shown {
		m, isThere := subjects[s.Key]
		if isThere && !beside[s.Why] && s.Is(m.ID) && !slices.ContainsFunc(all, func(o subject) bool { return o.key == s.Key }) {
			all = append(all, m)
		}
	}
	return all
}

// stepsOf returns what a receipt tells of a conversation.
func stepsOf(r receipts.Receipt, subjects map[int64]subject) (steps []Step) {
	hook, isHook := strings.CutPrefix(r.Tool, "hook:")
	tool, isHence := ToolOf(r.Tool)
	switch {
	case r.Arguments == "":
	case hook == "prompt":
		steps = append(steps, Step{At: r.At, By: Person, Text: r.Arguments})
	case isHook: // a tool and its input
		name, input, hasInput := strings.Cut(r.Arguments, " ")
		if _, isHence := ToolOf(name); hasInput && !isHence { // the server has a receipt of its own
			written, found := Divide([]byte(input))
			steps = append(steps, Step{At: r.At, By: Other, Text: found}, Step{At: r.At, By: Agent, Text: written})
		}
	case isHence || ways[tool] != "":
		steps = append(steps, Step{At: r.At, By: Agent, Tool: tool, Text: r.Arguments})
	}
	if all := shownIn(r, subjects); len(all) > 0 {
		s := Step{At: r.At, By: Hence}
		for _, m := range all {
			s.Shown = append(s.Shown, m.ID)
		}
		steps = append(steps, s)
	}
	return steps
}

// conversationOf returns the id that a client gives to the conversation of a receipt of its hooks.
func conversationOf(r receipts.Receipt) string {
	if r.Agent != "" {
		return r.Session + "/" + r.Agent
	}
	return r.Session
}

// talks puts receipts together as conversations. A server does not learn the session of its client: it is known if the
// conversation was taken in, and else it is the only one with hooks that went on all the time.
func talks(all []receipts.Receipt, kept []receipts.Use) (talks []*talk) {
	type span struct{ first, last time.Time }
	hooked, spans, known := map[string]bool{}, map[string]span{}, map[string]string{}
	for _, u := range kept {
		known[u.Session] = u.Conversation
	}
	for _, r := range all {
		id := conversationOf(r)
		s, isSeen := spans[id]
		if !isSeen {
			s.first = r.At
		}
		spans[id] = span{s.first, r.At}
		hooked[id] = hooked[id] || strings.HasPrefix(r.Tool, "hook:")
	}
	for id, s := range spans {
		around := []string{}
		for other, o := range spans {
			if hooked[other] && !s.first.Before(o.first.Add(-nearly)) && !s.last.After(o.last.Add(nearly)) {
				around = append(around, other)
			}
		}
		if _, isKnown := known[id]; !isKnown && !hooked[id] && len(around) == 1 {
			known[id] = cmp.Or(known[around[0]], around[0])
		}
	}
	byID := map[string]*talk{}
	for _, r := range all {
		id := cmp.Or(known[conversationOf(r)], conversationOf(r))
		if byID[id] == nil {
			byID[id] = &talk{id: id}
			talks = append(talks, byID[id])
		}
		byID[id].receipts = append(byID[id].receipts, r)
	}
	return talks
}

// judge judges a conversation by its steps.
func (t talk) judge(steps []Step, subjects map[int64]subject, rarity *Rarity) []Use {
	memories := map[string]Memory{}
	superseded := map[string]time.Time{}
	for _, r := range t.receipts {
		for _, m := range shownIn(r, subjects) {
			memories[m.ID], superseded[m.ID] = m.Memory, m.superseded
		}
	}
	uses := Judge(steps, memories, rarity.IsRare)
	end := t.receipts[len(t.receipts)-1].At.Add(nearly)
	for i, u := range uses {
		if at := superseded[u.ID]; u.Corrected == "" && !at.Before(u.At) && !at.After(end) {
			uses[i].Corrected = Superseded
		}
	}
	return uses
}

// Listener judges conversations as they are taken in. A nil one judges none.
type Listener struct {
	Reader
	book     *receipts.Book
	tag      string
	receipts []receipts.Receipt
	subjects map[int64]subject
}

// Listen returns a listener, which must be closed; nil if there are no receipts of the store.
func (q Reader) Listen(ctx context.Context) (*Listener, error) {
	book, err := q.open(ctx)
	if err != nil {
		return nil, err
	}
	tag, all, subjects, err := q.read(ctx, book, time.UnixMilli(0))
	if err != nil || len(all) == 0 {
		return nil, errors.Join(err, book.Close())
	}
	return &Listener{Reader: q, book: book, tag: tag, receipts: all, subjects: subjects}, nil
}

// Close closes the file of receipts.
func (h *Listener) Close() error {
	if h == nil {
		return nil
	}
	return h.book.Close()
}

// Hear judges a conversation by all that was said and done in it, and keeps how it used what receipts say that it was shown; none
// of its text.
func (h *Listener) Hear(ctx context.Context, id string, steps []Step) error {
	if h == nil {
		return nil
	}
	t := talk{id, h.of(id, steps)}
	if len(t.receipts) == 0 {
		return nil
	}
	all := slices.Clone(steps) // with what was shown, in the order of time
	for _, r := range t.receipts {
		for _, s := range stepsOf(r, h.subjects) {
			if s.By == Hence {
				all = append(all, s)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Step) int { return a.At.Compare(b.At) })
	uses := map[string]Use{}
	err := h.DB.Read(ctx, func(r *db.Reader) error {
		rarity, err := RarityIn(ctx, r, h.Caller.Namespace)
		if err != nil {
			return err
		}
		for _, u := range t.judge(all, h.subjects, rarity) {
			uses[u.ID] = u
		}
		return rarity.Err()
	})
	if err != nil {
		return err
	}
	kept := []receipts.Use{}
	for _, r := range t.receipts {
		for _, s := range r.Shown {
			if u, isJudged := uses[h.subjects[s.Key].ID]; isJudged && !beside[s.Why] {
				kept = append(kept, receipts.Use{Conversation: id, Session: conversationOf(r), Shown: s, How: strings.Join(u.How, " "), Corrected: u.Corrected, At: u.At})
			}
		}
	}
	return h.book.PutUses(ctx, h.tag, kept)
}

// of returns the receipts of a conversation: those under its id, and those of a server that has a receipt of one of its calls.
func (h *Listener) of(id string, steps []Step) (all []receipts.Receipt) {
	if len(steps) == 0 || len(h.receipts) == 0 {
		return nil
	}
	first, last := steps[0].At, steps[0].At
	sessions := map[string]bool{id: true}
	for _, s := range steps {
		if s.At.Before(first) {
			first = s.At
		} else if s.At.After(last) {
			last = s.At
		}
		for _, r := range h.receipts {
			if s.Tool != "" && s.Tool == r.Tool && r.At.Sub(s.At).Abs() <= nearly && isSame(s.Text, r.Arguments) {
				sessions[conversationOf(r)] = true
			}
		}
	}
	for _, r := range h.receipts {
		if name := conversationOf(r); name == id || sessions[name] && !r.At.Before(first.Add(-nearly)) && !r.At.After(last.Add(nearly)) {
			all = append(all, r)
		}
	}
	return all
}

// isSame reports whether the arguments of a call are those of a receipt, which may be cut.
func isSame(given, kept string) bool {
	plain := func(arguments string) string {
		var value any
		if json.Unmarshal([]byte(arguments), &value) == nil {
			return db.JSON(value)
		}
		return strings.Join(strings.Fields(arguments), "")
	}
	return plain(given) == plain(kept) || len(kept) > longArguments && strings.HasPrefix(strings.Join(strings.Fields(given), ""), strings.Join(strings.Fields(kept[:longArguments]), ""))
}

// longArguments are so many bytes of arguments that they may be cut.
const longArguments = 900
