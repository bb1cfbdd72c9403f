package erase

import (
	"cmp"
	"context"
	"database/sql"
	"maps"
	"slices"
	"strings"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/lists"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/review"
	"hence/memory/sources"
)

// What is done to a memory.
const (
	Purge   = "purge"   // the record, its edges and its text go
	Rewrite = "rewrite" // another text takes the place of its text, whose earlier ones go
	Keep    = "keep"
)

// Thing is a memory that an erasure is about, or that may hold the text of one.
type Thing struct {
	ref.Named
	Kind   string `json:"kind"`
	Why    string `json:"why,omitempty" jsonschema:"derived, version, quotes, turn, checkpoint or shares"`
	Do     string `json:"do" jsonschema:"proposed, or done: purge, rewrite or keep"`
	Person bool   `json:"person,omitempty" jsonschema:"a person said it"`
	File   string `json:"file,omitempty" jsonschema:"its file or place in code, which is the person's and stays"`

	key       int64
	namespace string
	texts     []string // all that it says
	said      string   // of it, when it was verified or forgotten: see clean
	hash      string   // of its content
	choice    Choice
}

// selectThings selects what scanThing reads.
const selectThings = `
select
  m.key,
  m.id,
  m.title,
  m.kind,
  m.own_rank >= 5,
  iif(` + ref.IsOfFile + `, coalesce(m.uri, ''), ''),
  m.namespace,
  m.content,
  m.aliases,
  m.tags,
  m.properties,
  coalesce(m.source_url, ''),
  coalesce(m.verify_note, '') || char(10) || coalesce(m.forget_reason, '')
from memories m
`

func scanThing(row *sql.Rows) (t Thing, err error) {
	t.texts = make([]string, 6)
	x := t.texts
	err = row.Scan(&t.key, &t.ID, &t.Title, &t.Kind, &t.Person, &t.File, &t.namespace, &x[1], &x[2], &x[3], &x[4], &x[5], &t.said)
	x[0], t.hash = t.Title, db.Hash(x[1])
	return t, err
}

// isSaid reports whether the caller may not purge or rewrite a thing.
func (s Store) isSaid(t Thing) bool {
	return !s.Caller.IsPerson() && (t.Person || t.File != "")
}

// roots returns what an erasure is named by: a memory or a call that waits, or all that came from a place.
func (s Store) roots(ctx context.Context, r *db.Reader, a Args, calls []review.Call) (things []Thing, err error) {
	ids, isNamed := []string{}, func(c review.Call) bool { return a.From == c.Actor || a.From == c.By.Session }
	switch {
	case (a.ID == "") == (a.From == ""):
		return nil, fault.New(fault.InvalidArgument, "erase: name a memory by id, or a source, address, actor or session by from")
	case a.ID != "":
		var m ref.Memory
		if m, err = s.Caller.Find(ctx, r, a.ID); err == nil {
			ids = append(ids, m.ID)
		}
		isNamed = func(c review.Call) bool { return err != nil && c.IsCalled(a.ID) }
	default:
		ids, err = sources.Store(s).Came(ctx, r, a.From)
	}
	waiting := asThings(slices.DeleteFunc(slices.Clone(calls), func(c review.Call) bool { return !isNamed(c) }))
	if err != nil && (len(waiting) == 0 || fault.CodeOf(err) != fault.NotFound) {
		return nil, err
	}
	// The texts that gave way to theirs in merges go with them.
	things, err = db.Select(ctx, r, scanThing, selectThings+`
where m.key in (`+memory.WithOtherEdits+`)
order by m.id`, db.List(ids), memory.OtherEdit)
	for n := range things {
		if things[n].Do = Purge; s.isSaid(things[n]) {
			return nil, fault.New(fault.ReadOnly, "erase: a person said %s, or has it as a file, and only a person erases it: hence erase %s", things[n].Text(), ref.ShortID(things[n].ID))
		}
	}
	return append(things, waiting...), err
}

// waiting is the kind of a call that waits for a person, as a thing.
const waiting = "waiting"

func asThings(calls []review.Call) []Thing {
	return lists.Map(calls, func(c review.Call) Thing {
		return Thing{
			Named: ref.Named{ID: c.ID, Title: c.Titles()[0]}, Kind: waiting, Do: Purge, namespace: c.Namespace,
			texts: []string{c.Titles()[0], strings.Join(c.Texts(), "\n"), "", "", "", ""}, hash: db.Hash(string(c.Arguments)),
		}
	})
}

// selectLineage selects what lies along edges from the memories with the ids ?1: what is derived from them, the
// texts that they replaced or that replaced them, and what came with them in a checkpoint.
const selectLineage = `
with recursive
roots (key) as materialized (
  select key
  from memories
  where id in (select value from json_each(?1))
),
derived (key) as (
  select key from roots
  union
  select e.from_key
  from derived d
  join edges e on e.to_key = d.key and e.kind = 'derived-from'
),
versions (key) as (
  select key from roots
  union
  select iif(e.from_key = v.key, e.to_key, e.from_key)
  from versions v
  join edges e on v.key in (e.from_key, e.to_key) and e.kind = 'supersedes'
),
sessions (key) as (
  select key from roots where (select kind from memories where key = roots.key) = 'session'
  union
  select e.to_key
  from roots r
  join edges e on e.from_key = r.key and e.kind = 'part-of'
  join memories s on s.key = e.to_key and s.kind = 'session'
)
select
  id,
  min(why)
from (
  select key, '1derived' as why from derived
  union all
  select key, '2version' from versions
  union all
  select key, '4checkpoint' from sessions
  union all
  select e.from_key, '4checkpoint'
  from sessions s
  join edges e on e.to_key = s.key and e.kind = 'part-of'
)
join memories using (key)
where key not in (select key from roots)
  and ?2 in ('', namespace)
group by id
order by 2, id`

// below returns the memories that may hold something of the text of others: what lies along edges,
// what quotes them, and what shares a rare word with them; calls that wait too.
func (s Store) below(ctx context.Context, r *db.Reader, roots []Thing, calls []review.Call) ([]Thing, error) {
	whys, ids := map[string]string{}, lists.Map(roots, func(t Thing) string { return t.ID })
	if err := db.Fill(ctx, r, whys, selectLineage, db.List(ids), s.Caller.Namespace); err != nil {
		return nil, err
	}
	earlier, err := readEarlier(ctx, r, ids) // one that was quoted may have been edited since
	if err != nil {
		return nil, err
	}
	said, quotes := slices.Clone(earlier), []func(string) bool{}
	for _, t := range roots {
		said = append(said, t.texts[0], t.texts[1])
		quotes = append(quotes, quoting(t.texts[0]+"\n"+t.texts[1]), quoting(t.texts[1]))
	}
	quotes = append(quotes, lists.Map(earlier, quoting)...)
	marks, things, shared := newMarks(said, longest-1), []Thing{}, sharing{}
	numbers := newWords(said, func(word string) bool { return len(word) >= window/2 && strings.ContainsAny(word, "0123456789") })
	err = each(ctx, r, s.Caller.Namespace, calls, func(t Thing) {
		why, isTied := whys[t.ID]
		if slices.Contains(ids, t.ID) {
			return
		}
		shares := false
		holds := func() bool {
			return slices.ContainsFunc(t.texts, func(text string) bool {
				has := marks.Holds([]byte(text))
				shares = shares || has
				return has && slices.ContainsFunc(quotes, func(quotes func(string) bool) bool { return quotes(text) })
			})
		}
		switch isCheckpoint := why == "4checkpoint"; {
		case (!isTied || isCheckpoint) && holds():
			if why = "3quotes"; t.Kind == "turn" {
				why = "3turn"
			}
		case shares && t.Kind == waiting:
			why = "5shares"
		case !isTied:
			text := []byte(strings.Join(t.texts, "\x00"))
			if numbers.find((&reader{size: 1}).whole, text, shared.by(t.ID)); shares {
				marks.find((&reader{}).whole, text, shared.by(t.ID))
			}
			return
		}
		if t.Why, t.Do = why[1:], Purge; t.Why == "checkpoint" || t.File != "" || s.isSaid(t) {
			t.Do = Keep
		}
		things = append(things, t)
	})
	if err != nil {
		return nil, err
	}
	order := []string{"derived", "version", "quotes", "turn", "checkpoint"}
	slices.SortStableFunc(things, func(a, b Thing) int { return slices.Index(order, a.Why) - slices.Index(order, b.Why) })
	rest, err := db.Select(ctx, r, scanThing, selectThings+`
where m.id in (select value from json_each(?))
order by m.id`, db.List(shared.most()))
	for n := range rest {
		rest[n].Why, rest[n].Do = "shares", Keep
	}
	return append(things, rest...), err
}

// each calls f with calls that wait and with the memories of a namespace, of all for "".
func each(ctx context.Context, r *db.Reader, namespace string, calls []review.Call, f func(t Thing)) error {
	for _, t := range asThings(calls) {
		f(t)
	}
	return db.Each(ctx, r, func(row *sql.Rows) error {
		t, err := scanThing(row)
		if err == nil {
			f(t)
		}
		return err
	}, selectThings+`
where ?1 in ('', m.namespace)
order by m.id`, namespace)
}

// sharing has the memories in which a part of the text stands, by the part.
type sharing map[uint64][]string

const (
	rare      = 8  // memories that share a part
	mostShare = 20 // that are listed
)

func (s sharing) by(id string) func(w uint64) {
	return func(w uint64) {
		if ids := s[w]; len(ids) <= rare && !slices.Contains(ids, id) {
			s[w] = append(ids, id)
		}
	}
}

// most returns the memories that share most of the parts that few have.
func (s sharing) most() []string {
	counts := map[string]int{}
	for _, ids := range s {
		if len(ids) <= rare {
			for _, id := range ids {
				counts[id]++
			}
		}
	}
	ids := slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return cmp.Or(counts[b]-counts[a], strings.Compare(a, b)) })
	return ids[:min(len(ids), mostShare)]
}

// quoting is memory.Quoting, and finds also a text of one or two words as a whole.
func quoting(text string) func(other string) bool {
	quotes, text := memory.Quoting(text), strings.ToLower(strings.TrimSpace(text))
	isShort := len(strings.Fields(text)) < 3 && len(text) >= window
	return func(other string) bool {
		return quotes(other) || isShort && strings.Contains(strings.ToLower(other), text)
	}
}

func textsOf(things []Thing) (texts []string) {
	for _, t := range things {
		texts = append(append(texts, t.texts...), t.said)
	}
	return texts
}

// readEarlier returns what memories said before their edits.
func readEarlier(ctx context.Context, r *db.Reader, ids []string) ([]string, error) {
	return db.Select(ctx, r, db.Value[string], `
select b.value
from json_each(?1) i
cross join journal j on j.id = i.value and j.before is not null
cross join json_each(j.before) b
where b.key in ('title', 'content', 'tags', 'properties', 'aliases', 'forget_reason')
  and b.value is not null`, db.List(ids))
}
