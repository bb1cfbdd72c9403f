package memory

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"hence/edges"
	"hence/edges/belief"
	"hence/internal/args"
	"hence/internal/budget"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/lists"
	"hence/internal/plural"
	"hence/internal/ref"
)

const (
	maxEdges     = 100 // edges shown with an opened memory
	maxOpened    = 100 // memories opened in one call
	summaryBytes = 400 // of the content in a summary
)

// readOne reads a memory by its id. It fails with not_found.
func readOne(ctx context.Context, from db.Source, id string) (Memory, error) {
	m, ok, err := db.First(ctx, from, scanMemory, selectMemory+`where m.id = ?`, id)
	if err == nil && !ok {
		err = fault.New(fault.NotFound, "memory %s has been purged by another writer", id)
	}
	return m, err
}

// Open reads memories with their edges. If several are named, one that is not found
// is a warning. It fails with invalid_argument without a name and with too_large for
// more than 100.
func (s Store) Open(ctx context.Context, a GetArgs) (result GetResult, err error) {
	if err := args.Check("get", &a); err != nil {
		return result, err
	}
	names := a.IDs
	if a.ID != "" {
		names = append([]string{a.ID}, names...)
	}
	switch {
	case len(names) == 0:
		return result, fault.New(fault.InvalidArgument, "get: name a memory with id, or several with ids")
	case len(names) > maxOpened:
		return result, fault.New(fault.TooLarge, "get: %d memories are named, and at most %d are opened in one call", len(names), maxOpened)
	}
	return db.From(ctx, s.DB.Read, func(r *db.Reader) (GetResult, error) { return s.open(ctx, r, names, a) })
}

// OpenedIDs returns the ids of the memories that were opened.
func (r GetResult) OpenedIDs() []string {
	return lists.Map(r.Memories, func(m Opened) string { return m.ID })
}

// OpenedStatement returns the statement that records that memories were opened at a time. It
// writes each memory's row of the table opened at most once a day.
func OpenedStatement(ids []string, at string) db.Stmt {
	return db.S(`
insert into opened (memory, at)
select distinct
  m.key,
  ?2
from json_each(?1) j
cross join memories m on m.id = j.value
where true
on conflict (memory) do update
set at = excluded.at
where substr(at, 1, 10) < substr(excluded.at, 1, 10)`, db.List(ids), at)
}

// KeepOpened records that memories were opened now, unless all were recorded today.
func (s Store) KeepOpened(ctx context.Context, ids []string) error {
	now := db.Now()
	new, _, err := db.One[int](ctx, s.DB, `
select count(*)
from json_each(?1) j
cross join memories m on m.id = j.value
left join opened o on o.memory = m.key
where coalesce(substr(o.at, 1, 10), '') < substr(?2, 1, 10)`, db.List(ids), now)
	if err != nil || new == 0 {
		return err
	}
	_, err = s.DB.Write(ctx, s.Caller.Actor, now, OpenedStatement(ids, now))
	return err
}

func (s Store) open(ctx context.Context, r *db.Reader, names []string, a GetArgs) (GetResult, error) {
	matches, err := s.Caller.FindEach(ctx, r, names)
	if err != nil {
		return GetResult{}, err
	}
	all, warnings := []Opened{}, []string{}
	for _, f := range matches {
		if f.Err != nil && len(names) > 1 {
			warnings = append(warnings, ref.Explain(f.Err))
			continue
		}
		if f.Err != nil {
			return GetResult{}, f.Err
		}
		one, more, err := s.openOne(ctx, r, f.ID, a)
		if err != nil {
			return GetResult{}, err
		}
		if a.Offset > 0 && a.Offset >= one.length {
			warnings = append(warnings, fmt.Sprintf("%s ends before offset %d; it has %s", one.Named().Text(), a.Offset, plural.Count(one.length, "character", "characters")))
		}
		warnings = append(warnings, more...)
		all = append(all, one)
	}
	return budget.Fit(ref.In(ctx, r), a.TokenBudget, len(all), func(n, bytes int) GetResult {
		result := GetResult{Memories: []Opened{}, ReturnedCount: n, Warnings: budget.First(warnings, bytes)}
		for _, one := range all[:n] {
			short, cut := one.shorten(bytes)
			result.Memories = append(result.Memories, short)
			result.Truncated = result.Truncated || cut
		}
		result.Truncated = result.Truncated || len(result.Warnings) < len(warnings)
		if bytes == 0 && n == 0 && len(all) > 0 {
			result.Warnings = []string{all[0].named()}
		}
		if result.Truncated = result.Truncated || n < len(all); result.Truncated {
			result.Next = "token_budget"
		}
		return result
	})
}

func (s Store) openOne(ctx context.Context, r *db.Reader, id string, a GetArgs) (one Opened, warnings []string, err error) {
	if one.Memory, err = readOne(ctx, r, id); err != nil {
		return one, nil, err
	}
	today := edges.Today()
	one.Ended, one.Begins = validityAt(one.Memory, today)
	one.length = utf8.RuneCountInString(one.Content)
	whole := one.Content
	one.Content = skipCharacters(whole, a.Offset)
	one.start = len(whole) - len(one.Content)
	if a.Detail == "summary" {
		one.cutContent(summaryBytes)
	}
	if one.SupersededBy, err = Successor(ctx, r, one.Key); err != nil {
		return one, nil, err
	}
	stale, contradicting, err := belief.Doubts(ctx, r, []int64{one.Key})
	if err != nil {
		return one, nil, err
	}
	one.Stale, one.ContradictedBy = stale[one.Key], contradicting[one.Key]
	if !*a.IncludeEdges {
		return one, nil, nil
	}
	one.Edges = []OpenedEdge{}
	between, total, err := edges.ReadEdges(ctx, r, ref.Memory{Key: one.Key}, a.Mentions, maxEdges)
	if err != nil {
		return one, nil, err
	}
	for _, e := range between {
		seen := OpenedEdge{ID: e.ID, Type: e.Type, Rel: e.Rel, Direction: "out", Weight: e.Weight, Note: e.Note, Other: e.To}
		if e.ValidTo != "" && e.ValidTo <= today.Marked {
			seen.Ended = e.ValidTo
		}
		if e.From.ID != one.ID {
			seen.Direction, seen.Other = "in", e.From
		}
		one.Edges = append(one.Edges, seen)
	}
	if total > len(between) {
		warnings = []string{fmt.Sprintf("%s has %d edges, and the first %d are shown; expand walks them all", one.Named().Text(), total, len(between))}
	}
	return one, warnings, nil
}

// Successor returns the memory that supersedes another, nil if none does.
func Successor(ctx context.Context, r *db.Reader, key int64) (*ref.End, error) {
	successor, ok, err := db.First(ctx, r, db.Fields(func(e *ref.End) []any { return []any{e, &e.Ended, &e.Begins, &e.Trust} }), `
select `+edges.EndOf("m")+`
from edges e
join memories m on m.key = e.from_key
where e.to_key = ?
  and e.kind = 'supersedes'`, key)
	if !ok {
		return nil, err
	}
	return &successor, nil
}

// skipCharacters returns a text without its first characters.
func skipCharacters(text string, characters int) string {
	for at := range text {
		if characters == 0 {
			return text[at:]
		}
		characters--
	}
	return ""
}

// cutContent cuts the content to a number of bytes, and sets Cut to the part that is missing.
// It reports whether it cut anything.
func (o *Opened) cutContent(bytes int) (cut bool) {
	before := utf8.RuneCountInString(o.Content)
	begins := o.length - before // where the content that is shown begins, unless it was cut
	if o.Cut != nil {
		begins = o.Cut.Offset - before + 1 // the content ends with an ellipsis
	}
	short, cut := budget.Cut(o.Content, bytes)
	if cut {
		shownText := strings.TrimSuffix(short, "…")
		if shownText == "" {
			short = "" // with an ellipsis alone, a reader would ask for the same offset again
		}
		next := begins + utf8.RuneCountInString(shownText)
		o.Content, o.Cut = short, &Missing{Left: o.length - next, Of: o.length, Offset: next}
	}
	return cut
}

// ShownRange returns the part of the whole content that is shown.
func (o Opened) ShownRange() ref.Range {
	shown := o.Content
	if o.Cut != nil {
		shown = strings.TrimSuffix(shown, "…")
	}
	return ref.Range{From: o.start, To: o.start + len(shown)}
}

// named says which memory it is where the smallest budget has no room for more.
func (o Opened) named() string {
	const most = 130 // bytes in JSON, in which some characters take six
	sentence := ""
	for n := most; n > 0; n -= 10 {
		title, _ := budget.Cut(o.Title, n)
		sentence = fmt.Sprintf("%q has %d characters", title, o.length)
		if encoded, err := json.Marshal(sentence); err == nil && len(encoded) <= most {
			break
		}
	}
	return sentence
}

// leastTitle is how many bytes of a title are shown with any other part of the memory.
const leastTitle = 40

// edgeBytes is about how many bytes an edge takes in a result.
const edgeBytes = 300

// shorten cuts each part of a memory that can be long to a number of bytes, and
// reports whether it cut anything.
func (o Opened) shorten(bytes int) (short Opened, cut bool) {
	short = o
	if bytes == budget.Whole {
		return short, false
	}
	var cutTitle bool
	short.Title, cutTitle = budget.Cut(o.Title, max(bytes, leastTitle))
	cut = short.cutContent(max(bytes-len(short.Title), 0))
	if n := bytes / edgeBytes; n < len(o.Edges) {
		short.Edges = o.Edges[:n]
	}
	if properties, err := json.Marshal(o.Properties); err != nil || len(properties) > bytes {
		short.Properties = nil
	}
	if bytes < edgeBytes {
		short.Aliases, short.Tags, short.ForgetReason, short.VerifyNote = nil, []string{}, "", ""
	}
	short.Stale, short.ContradictedBy = belief.Brief(o.Stale, o.ContradictedBy, bytes)
	return short, cut || cutTitle || len(short.Stale) < len(o.Stale) || len(short.ContradictedBy) < len(o.ContradictedBy) || len(short.Edges) < len(o.Edges) || len(short.Properties) < len(o.Properties)
}
