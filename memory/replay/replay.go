// Package replay shows again what a conversation was shown: the receipts name parts of memories at a
// change of the journal, and the journal has what their texts were then.
package replay

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"hence/edges/belief"
	"hence/internal/args"
	"hence/internal/db"
	"hence/internal/plural"
	"hence/internal/receipts"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/recall"
)

// Reader reads the receipts of a store, for one caller.
type Reader ref.View

// Args name a session.
type Args struct {
	Session string `json:"session,omitempty" jsonschema:"its id or the beginning of it, or last; none: list the sessions"`
	Also    bool   `json:"also,omitempty" jsonschema:"list what existed then and matched, and was not shown"`
	Since   bool   `json:"since,omitempty" jsonschema:"say what became of what was shown"`
	Skip    int    `json:"skip,omitempty" min:"0" jsonschema:"answers to leave out at the beginning"`
	Limit   int    `json:"limit,omitempty" default:"50" min:"1" max:"1000" jsonschema:"most answers, or sessions"`
}

// Result is what a session was shown, or the list of sessions.
type Result struct {
	Session   string             `json:"session,omitempty"`
	Sessions  []receipts.Session `json:"sessions,omitempty"`
	Answers   []Answer           `json:"answers"`
	Truncated bool               `json:"truncated"`
	Next      string             `json:"next,omitempty"`
}

// Answer is one answer of then.
type Answer struct {
	At        string      `json:"at"`
	Agent     string      `json:"agent,omitempty"` // the id of a helper
	Tool      string      `json:"tool"`
	Arguments string      `json:"arguments,omitempty"`
	Outcome   string      `json:"outcome"`
	LeftOut   int         `json:"left_out,omitempty" jsonschema:"by the budget; -1: some"`
	Hash      []byte      `json:"hash" jsonschema:"of the answer, the first 16 bytes of its SHA-256"`
	Shown     []Shown     `json:"shown"`
	Also      []ref.Named `json:"also,omitempty"`
}

// Shown is a part of a memory as it was shown. Without a Text only its title was.
type Shown struct {
	ref.Named
	Why      string   `json:"why"`
	Revision int      `json:"revision"`
	From     int      `json:"from,omitempty" jsonschema:"bytes of its content then"`
	To       int      `json:"to,omitempty"`
	Text     string   `json:"text,omitempty"`
	Erased   bool     `json:"erased,omitempty" jsonschema:"it was purged since"`
	Since    []string `json:"since,omitempty"`
}

// wait is how long other processes are waited for that write receipts.
const wait = 5 * time.Second

// Replay returns what a session was shown, the earliest first, or the sessions, the latest first. It fails
// as receipts.Book.Find does.
func (s Reader) Replay(ctx context.Context, a Args) (result Result, err error) {
	result.Answers = []Answer{}
	if err := args.Check("replay", &a); err != nil {
		return result, err
	}
	tag, err := db.Tag(ctx, s.DB)
	if err != nil {
		return result, err
	}
	book, err := receipts.Open(ctx, s.DB.State(), wait)
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, book.Close()) }()
	scope := receipts.Scope{Store: tag, Namespace: s.Caller.Namespace}
	if a.Session == "" {
		result.Sessions, err = book.Sessions(ctx, scope, a.Limit)
		return result, err
	}
	if result.Session, err = book.Find(ctx, scope, a.Session); err != nil {
		return result, err
	}
	all, err := book.Of(ctx, scope, result.Session, time.UnixMilli(0))
	if err != nil {
		return result, err
	}
	all = all[min(a.Skip, len(all)):]
	if result.Truncated = len(all) > a.Limit; result.Truncated {
		all, result.Next = all[:a.Limit], "skip"
	}
	for _, r := range all {
		one, err := s.answer(ctx, r, a)
		if err != nil {
			return result, err
		}
		result.Answers = append(result.Answers, one)
	}
	return result, nil
}

// answer returns the answer that a receipt is of.
func (s Reader) answer(ctx context.Context, r receipts.Receipt, a Args) (one Answer, err error) {
	one = Answer{At: db.Time(r.At), Agent: r.Agent, Tool: r.Tool, Arguments: r.Arguments, Outcome: r.Outcome, LeftOut: r.LeftOut, Hash: r.Hash, Shown: []Shown{}}
	err = s.DB.Read(ctx, func(q *db.Reader) error {
		for _, part := range r.Shown {
			shown, err := s.textOfThen(ctx, q, part, r.Seen, a.Since)
			if err != nil {
				return err
			}
			one.Shown = append(one.Shown, shown)
		}
		return nil
	})
	if err == nil && a.Also {
		one.Also, err = s.notShown(ctx, r, one.Shown)
	}
	return one, err
}

// then is a memory as it was after a change of the journal.
type then struct {
	id, title, content, now, status string
	key                             int64
}

// textOfThen returns a part of a memory as it was after a row of the journal: the old value of the first
// change after it, or else the present one.
func (s Reader) textOfThen(ctx context.Context, q *db.Reader, part receipts.Shown, seen int64, since bool) (Shown, error) {
	shown := Shown{Why: part.Why, Revision: part.Revision}
	m, ok, err := db.First(ctx, q, db.Fields(func(m *then) []any { return []any{&m.key, &m.id, &m.status, &m.now, &m.title, &m.content} }), `
select
  m.key,
  m.id,
  m.status,
  m.content,
  coalesce((
    select j.before ->> '$.title'
    from journal j
    where j.id = m.id
      and j.thing = 'memory'
      and j.seq > ?2
      and json_type(j.before, '$.title') is not null
    order by j.seq
    limit 1
  ), m.title),
  coalesce((
    select j.before ->> '$.content'
    from journal j
    where j.id = m.id
      and j.thing = 'memory'
      and j.seq > ?2
      and json_type(j.before, '$.content') is not null
    order by j.seq
    limit 1
  ), m.content)
from memories m
where m.key = ?1
  and ?3 in ('', m.namespace)
  and (select min(seq) from journal j where j.id = m.id and j.action = 'store') <= ?2 -- else a purge gave its key to another`,
		part.Key, seen, s.Caller.Namespace)
	if err != nil {
		return shown, err
	}
	if !ok || !part.Is(m.id) {
		shown.Erased = true
		return shown, nil
	}
	shown.ID, shown.Title = m.id, m.title
	if part.To < 0 {
		part.To = len(m.content)
	}
	if part.From < part.To && part.To <= len(m.content) {
		shown.From, shown.To, shown.Text = part.From, part.To, m.content[part.From:part.To]
	}
	if since {
		shown.Since, err = becameOf(ctx, q, m)
	}
	return shown, err
}

// becameOf says what happened to a memory since.
func becameOf(ctx context.Context, q *db.Reader, m then) (news []string, err error) {
	if m.now != m.content {
		news = append(news, "edited")
	}
	switch m.status {
	case memory.Superseded:
		successor, err := memory.Successor(ctx, q, m.key)
		if err != nil {
			return nil, err
		}
		if successor != nil {
			news = append(news, "superseded by "+successor.Named.Text())
		}
	case "forgotten":
		news = append(news, "forgotten")
	}
	stale, err := belief.Stale(ctx, q, []int64{m.key})
	if err != nil {
		return nil, err
	}
	for _, d := range stale[m.key] {
		news = append(news, "stale: "+d.Text())
	}
	contradicting, err := belief.FindContradicting(ctx, q, []int64{m.key})
	for _, other := range contradicting[m.key] {
		news = append(news, "contradicted by "+other.Named.Text())
	}
	return news, err
}

// mostAlso is how many memories are looked at that matched then.
const mostAlso = 50

// notShown returns the memories that were known when a search was made, match it, and were not shown.
// Other answers have no question.
func (s Reader) notShown(ctx context.Context, r receipts.Receipt, shown []Shown) (also []ref.Named, err error) {
	var question recall.SearchArgs
	switch {
	case r.Tool == "hook:prompt":
		question.Query = r.Arguments
	case r.Tool != "memory_search" || json.Unmarshal([]byte(r.Arguments), &question) != nil:
		return nil, nil
	}
	question.KnownAt, question.Limit, question.Cursor, question.TokenBudget = db.Time(r.At), mostAlso, "", 0
	if strings.TrimSpace(question.Query) == "" {
		return nil, nil
	}
	found, err := recall.Searcher(s).Search(ctx, question)
	for _, f := range found.Results {
		if !slices.ContainsFunc(shown, func(one Shown) bool { return one.ID == f.ID }) {
			also = append(also, f.Named)
		}
	}
	return also, err
}

// KeepArgs say for how long receipts are kept.
type KeepArgs struct {
	Days string `json:"days,omitempty" jsonschema:"a number of days, or off; none: say what is set"`
}

// Kept is what is set for all stores of this user.
type Kept struct {
	Days int    `json:"days"` // 0: none are made
	File string `json:"file"`
}

// Text says it in words.
func (k Kept) Text() string {
	if k.Days == 0 {
		return "no receipts are kept"
	}
	return "receipts are kept for " + plural.Count(k.Days, "day", "days") + " in " + k.File
}
