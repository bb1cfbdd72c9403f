// Package replay shows again what a conversation was shown: the receipts name parts of memories at a
// change of the journal, and the journal has what their texts were then.
package replay

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"hence/edges/belief"
	"hence/internal/args"
	"hence/internal/budget"
	"hence/internal/db"
	"hence/internal/plural"
	"hence/internal/receipts"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/recall"
	"hence/memory/review"
)

// Reader reads the receipts of a store, for one caller.
type Reader ref.View

// Args name a session.
type Args struct {
	Session     string `json:"session,omitempty" jsonschema:"its id or the beginning of it, or last; none: list the sessions"`
	Also        bool   `json:"also,omitempty" jsonschema:"list what existed then and matched, and was not shown"`
	Since       bool   `json:"since,omitempty" jsonschema:"say what became of what was shown"`
	Limit       int    `json:"limit,omitempty" default:"50" min:"1" max:"1000" jsonschema:"most answers, or sessions"`
	Cursor      string `json:"cursor,omitempty"`
	TokenBudget int    `json:"token_budget,omitempty" min:"64"`
}

// RecallArgs name a session for an agent.
type RecallArgs struct {
	Session     string `json:"session,omitempty" jsonschema:"id or last; none: this one"`
	Also        bool   `json:"also,omitempty" jsonschema:"and what matched then, but was not shown"`
	Cursor      string `json:"cursor,omitempty"`
	TokenBudget int    `json:"token_budget,omitempty" min:"64"`
}

// Shown is what a session was shown.
type Shown struct {
	Session       string   `json:"session,omitempty"`
	Answers       []Answer `json:"answers"`
	ReturnedCount int      `json:"returned_count"`
	Truncated     bool     `json:"truncated"`
	Next          string   `json:"next,omitempty"`
}

// Result is what a session was shown, or the list of sessions.
type Result struct {
	Shown
	Sessions []receipts.Session `json:"sessions,omitempty"`
}

// Answer is one answer of then.
type Answer struct {
	At        string      `json:"at"`
	Agent     string      `json:"agent,omitempty"` // the id of a helper
	Tool      string      `json:"tool"`
	Arguments string      `json:"arguments,omitempty"`
	Outcome   string      `json:"outcome"`
	LeftOut   int         `json:"left_out,omitempty" jsonschema:"rows; -1: some"`
	Hash      []byte      `json:"hash" jsonschema:"of the answer, the first 16 bytes of its SHA-256"`
	Shown     []Part      `json:"shown"`
	Also      []ref.Named `json:"also,omitempty"`
	Same      *bool       `json:"same,omitempty" jsonschema:"asked again, the whole answer is the same"`
	SameWhy   string      `json:"same_why,omitempty"`
}

// Part is a part of a memory as it was shown. Without a Text only its title was.
type Part struct {
	ref.Named
	Why      string `json:"why"`
	Revision int    `json:"revision"`
	From     int    `json:"from,omitempty" jsonschema:"bytes of its content then"`
	To       int    `json:"to,omitempty"`
	Text     string `json:"text,omitempty"`
	Waited   bool   `json:"waited,omitempty" jsonschema:"a call that waited stores it; without an id that is not there to be shown"`
	Erased   bool   `json:"erased,omitempty" jsonschema:"it was purged since"`
	Since    *Since `json:"since,omitempty"`
}

// Since is what became of a memory since it was shown.
type Since struct {
	Edited         bool           `json:"edited,omitempty"`
	Forgotten      bool           `json:"forgotten,omitempty"`
	SupersededBy   *ref.End       `json:"superseded_by,omitempty"`
	Stale          []belief.Doubt `json:"stale,omitempty"`
	ContradictedBy []ref.End      `json:"contradicted_by,omitempty"`
}

// cut returns it as belief.Brief has it, and nothing only where a text has no room either.
func (s *Since) cut(bytes int) *Since {
	if s == nil || bytes < leastSince {
		return nil
	}
	short := *s
	short.Stale, short.ContradictedBy = belief.Brief(s.Stale, s.ContradictedBy, bytes)
	return &short
}

// leastSince is the room, in bytes of each text, below which an answer leaves out what became of a memory.
const leastSince = 20

// Texts say it in words.
func (s Since) Texts() (news []string) {
	if s.Edited {
		news = append(news, "edited")
	}
	if s.SupersededBy != nil {
		news = append(news, "superseded by "+s.SupersededBy.Named.Text())
	}
	if s.Forgotten {
		news = append(news, "forgotten")
	}
	for _, d := range s.Stale {
		news = append(news, "stale: "+d.Text())
	}
	for _, other := range s.ContradictedBy {
		news = append(news, "contradicted by "+other.Named.Text())
	}
	return news
}

// Replay returns what a session was shown, the earliest first, or the sessions, the latest first. With again it says
// whether the answers are the same today. It fails as receipts.Book.Find does.
func (s Reader) Replay(ctx context.Context, a Args, again Again) (result Result, err error) {
	result.Answers = []Answer{}
	if err := args.Check("replay", &a); err != nil {
		return result, err
	}
	err = receipts.With(ctx, ref.View(s), func(book *receipts.Book, scope receipts.Scope) error {
		if a.Session == "" {
			result.Sessions, err = book.Sessions(ctx, scope, a.Limit)
			return err
		}
		if a.Session, err = book.Find(ctx, scope, a.Session); err == nil {
			result.Shown, err = s.page(ctx, book, scope, a, again)
		}
		return err
	})
	return result, err
}

// Recall returns what an agent's session was shown, and what became of it; by default of its own. Calls of another session
// that can wait for a person are without their arguments.
func (s Reader) Recall(ctx context.Context, a RecallArgs, own string) (result Shown, err error) {
	if err := args.Check("replay", &a); err != nil {
		return result, err
	}
	err = receipts.With(ctx, ref.View(s), func(book *receipts.Book, scope receipts.Scope) error {
		session := own
		if a.Session != "" {
			if session, err = book.Find(ctx, scope, a.Session); err != nil {
				return err
			}
		}
		result, err = s.page(ctx, book, scope, Args{Session: session, Also: a.Also, Since: true, Limit: defaultLimit, Cursor: a.Cursor, TokenBudget: a.TokenBudget}, nil)
		if a.Session == "" {
			result.Session = "" // it is another one in every run of a server
		}
		for i := range result.Answers { // what another session stores may wait for a person, or was rejected
			if one := &result.Answers[i]; session != own && review.CanWait(one.Tool) {
				one.Arguments = ""
			}
		}
		return err
	})
	return result, err
}

// defaultLimit is how many answers an agent is told at once, at most.
const defaultLimit = 50

// afterAnswer is the place after which the next page begins.
type afterAnswer struct{ Key int64 }

// page returns the answers of a session after the cursor, within the limit and the budget.
func (s Reader) page(ctx context.Context, book *receipts.Book, scope receipts.Scope, a Args, again Again) (result Shown, err error) {
	list, after := "replay of "+a.Session, afterAnswer{}
	if err := db.ReadCursor("replay", list, a.Cursor, &after); err != nil {
		return result, err
	}
	all, err := book.Of(ctx, scope, a.Session, time.UnixMilli(0))
	if err != nil {
		return result, err
	}
	all = all[slices.IndexFunc(all, func(r receipts.Receipt) bool { return r.Key == after.Key })+1:]
	answers, would := []Answer{}, sync.OnceValues(func() ([]review.Touched, error) { return review.Desk(s).Would(ctx) })
	for _, r := range all[:min(len(all), a.Limit)] {
		one, err := s.answer(ctx, r, a, would)
		if err == nil && again != nil {
			one.Same, one.SameWhy, err = s.compare(ctx, r, again)
		}
		if err != nil {
			return result, err
		}
		answers = append(answers, one)
	}
	return budget.Hold(ctx, "replay", a.TokenBudget, len(answers), func(n, bytes int) Shown {
		r := Shown{Session: a.Session, Answers: []Answer{}, ReturnedCount: n}
		for _, one := range answers[:n] {
			r.Answers = append(r.Answers, one.cut(bytes))
		}
		r.Truncated, r.Next = budget.Rest(n, bytes, n < len(all), func() string { return db.Cursor(list, afterAnswer{all[n-1].Key}) })
		return r
	})
}

// cut returns the answer with each text cut to a number of bytes.
func (a Answer) cut(bytes int) Answer {
	parts := slices.Clone(a.Shown) // which are marked
	if a.Shown = parts; bytes == budget.Whole {
		return a
	}
	a.Arguments, _ = budget.Cut(a.Arguments, bytes)
	a.Also = nil
	for i := range parts {
		parts[i].Title, _ = budget.Cut(parts[i].Title, bytes)
		parts[i].Text, _ = budget.Cut(parts[i].Text, bytes)
		parts[i].Since = parts[i].Since.cut(bytes)
	}
	return a
}

// answer returns the answer that a receipt is of.
func (s Reader) answer(ctx context.Context, r receipts.Receipt, a Args, would func() ([]review.Touched, error)) (one Answer, err error) {
	one = Answer{At: db.Time(r.At), Agent: r.Agent, Tool: r.Tool, Arguments: r.Arguments, Outcome: r.Outcome, LeftOut: r.LeftOut, Hash: r.Hash, Shown: []Part{}}
	err = s.DB.Read(ctx, func(q *db.Reader) error {
		for _, part := range r.Shown {
			shown, err := s.textOfThen(ctx, q, part, r.Seen, a.Since)
			if err == nil && shown.Waited && shown.ID == "" {
				err = shown.seek(part, would)
			}
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
	id, title, content, status string
	nowContent, nowStatus      string
	key                        int64
}

// textOfThen returns a part of a memory as it was after a row of the journal: the old value of the first
// change after it, or else the present one.
func (s Reader) textOfThen(ctx context.Context, q *db.Reader, part receipts.Shown, seen int64, since bool) (Part, error) {
	shown := Part{Why: part.Why, Revision: part.Revision, Waited: part.Key < 0}
	if shown.Waited {
		shown.Revision = 0
	}
	m, ok, err := db.First(ctx, q, db.Fields(func(m *then) []any {
		return []any{&m.key, &m.id, &m.nowStatus, &m.nowContent, &m.title, &m.content, &m.status}
	}), `
select
  m.key,
  m.id,
  m.status,
  m.content,
  `+ofThen("title")+`,
  `+ofThen("content")+`,
  `+ofThen("status")+`
from memories m
where m.key = iif(?1 < 0, (select key from memories where substr(id, -8) = printf('%08x', -1 - ?1)), ?1) -- one that waited was accepted
  and ?3 in ('', m.namespace)
  and (?1 < 0 or (select min(seq) from journal j where j.id = m.id and j.action = 'store') <= ?2) -- else a purge gave its key to another`,
		part.Key, seen, s.Caller.Namespace)
	if err != nil {
		return shown, err
	}
	if !ok || !part.Is(m.id) {
		shown.Erased = !shown.Waited
		return shown, nil
	}
	shown.ID, shown.Title = m.id, m.title
	shown.show(part, m.content)
	if since {
		shown.Since, err = becameOf(ctx, q, m)
	}
	return shown, err
}

// seek shows a part of a memory that waits still.
func (p *Part) seek(part receipts.Shown, would func() ([]review.Touched, error)) error {
	all, err := would()
	for _, m := range all {
		if part.IsOf(0, m.ID) {
			p.ID, p.Title = m.ID, m.Title
			p.show(part, m.Content)
		}
	}
	return err
}

// show sets the text of a part from the content of then. A person may have changed one that waited.
func (p *Part) show(part receipts.Shown, content string) {
	isSame := !p.Waited || part.Revision == receipts.Sum(content)
	if part.To < 0 {
		part.To = len(content)
	}
	if isSame && part.From < part.To && part.To <= len(content) {
		p.From, p.To, p.Text = part.From, part.To, content[part.From:part.To]
	}
}

// ofThen returns an SQL expression: a column of the memory m as it was after the row ?2 of the journal.
func ofThen(column string) string {
	return strings.ReplaceAll(`coalesce((
    select j.before ->> '$.{column}'
    from journal j
    where j.id = m.id
      and j.thing = 'memory'
      and j.seq > ?2
      and json_type(j.before, '$.{column}') is not null
    order by j.seq
    limit 1
  ), m.{column})`, "{column}", column)
}

// becameOf says what happened to a memory since, nil if nothing did.
func becameOf(ctx context.Context, q *db.Reader, m then) (*Since, error) {
	news := Since{Edited: m.nowContent != m.content, Forgotten: m.nowStatus == memory.Forgotten && m.status != m.nowStatus}
	var err error
	if m.nowStatus == memory.Superseded && m.status != m.nowStatus {
		if news.SupersededBy, err = memory.Successor(ctx, q, m.key); err != nil {
			return nil, err
		}
	}
	stale, contradicting, err := belief.Doubts(ctx, q, []int64{m.key})
	if news.Stale, news.ContradictedBy = stale[m.key], contradicting[m.key]; len(news.Texts()) == 0 {
		return nil, err
	}
	return &news, err
}

// mostAlso is how many memories are looked at that matched then.
const mostAlso = 50

// notShown returns the memories that were known when a search was made, match it, and were not shown.
// Other answers have no question.
func (s Reader) notShown(ctx context.Context, r receipts.Receipt, shown []Part) (also []ref.Named, err error) {
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
		if !slices.ContainsFunc(shown, func(one Part) bool { return one.ID == f.ID }) {
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
