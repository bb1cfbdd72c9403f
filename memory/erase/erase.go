package erase

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"hence"
	"hence/internal/args"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/lists"
	"hence/internal/permit"
	"hence/internal/receipts"
	"hence/internal/ref"
	"hence/internal/script"
	"hence/internal/secret"
	"hence/memory"
	"hence/memory/review"
)

// Store is the view of a store that one caller erases from.
type Store ref.View

// Args are the arguments of Erase.
type Args struct {
	ID     string   `json:"id,omitempty" jsonschema:"id, path or title"`
	From   string   `json:"from,omitempty" jsonschema:"or a source, address, actor or session"`
	Also   []Choice `json:"also,omitempty" jsonschema:"of what is below; the rest is kept"`
	DryRun *bool    `json:"dry_run,omitempty" default:"true" jsonschema:"only list what is below"`
	All    bool     `json:"-"` // do what is proposed with what is below and not named
}

// Choice says what to do with a memory that may hold the erased text too.
type Choice struct {
	ID      string `json:"id" jsonschema:"id, path or title"`
	Do      string `json:"do" enum:"purge,rewrite,keep"`
	Content string `json:"content,omitempty" jsonschema:"rewrite: the new text"`
	Title   string `json:"title,omitempty" jsonschema:"rewrite: the new title, else the text's first line"`
}

// Result is what an erasure is about, and its receipt unless it is a dry run.
type Result struct {
	Erased   []Thing  `json:"erased"`
	Below    []Thing  `json:"below" jsonschema:"what is derived from it, quotes it, came with it or shares a rare word with it"`
	Receipt  *Receipt `json:"receipt,omitempty"`
	DryRun   bool     `json:"dry_run,omitempty"`
	Warnings []string `json:"warnings"`
}

// plan is what an erasure does. It has no text.
type plan struct {
	Things []doing `json:"things"`
	Marks  *Marks  `json:"marks,omitempty"` // while it is under way
	Words  *Marks  `json:"words,omitempty"` // too: its short words
	Kept   int     `json:"kept,omitempty"`  // of both, how many stand in what is kept
	Hold   string  `json:"hold,omitempty"`  // short ids of what is kept and may hold it
	Agent  bool    `json:"agent,omitempty"` // an agent erases, and leaves what a person said
	Counts Counts  `json:"counts"`
}

// doing is what is done to one memory.
type doing struct {
	ID     string `json:"id"`
	Key    int64  `json:"key,omitempty"` // by which receipts name it
	Do     string `json:"do"`
	Hash   string `json:"hash"`              // SHA-256 of its content
	IsFile bool   `json:"is_file,omitempty"` // whose name may be its title

	choice Choice
}

// Erase takes a memory, or all that came from a place, out of everything that Hence owns, with what is chosen
// of what is below it. It first finishes what an interrupted erasure left. For an agent it fails with
// read_only unless a person allows it, and for what a person said.
func (s Store) Erase(ctx context.Context, a Args) (result Result, err error) {
	if err := args.Check("erase", &a); err != nil {
		return result, err
	}
	records, err := permit.Of(ctx, s.DB, s.DB)
	switch isAgent := !s.Caller.IsPerson(); {
	case err == nil && isAgent && s.Caller.Namespace != "":
		err = fault.New(fault.ReadOnly, "erase: the files of the store hold other namespaces too, and you see only %s; ask a person for hence erase", s.Caller.Namespace)
	case err == nil && isAgent && !records.MayErase():
		err = fault.New(fault.ReadOnly, "erase: agents may not erase from this store; a person erases with hence erase, or allows it with hence erase --agents allow")
	case err == nil && isAgent && !*a.DryRun:
		var policy string
		if policy, err = review.Desk(s).Policy(ctx); err == nil && policy == review.All {
			err = fault.New(fault.ReadOnly, "erase: while all that agents do waits for a person (hence review --policy all), only a person erases, by hence erase; show the person the list of a dry run")
		}
	}
	if err != nil {
		return result, err
	}
	result = Result{DryRun: *a.DryRun, Warnings: []string{}}
	if !result.DryRun {
		if _, err := s.Finish(ctx); err != nil {
			return result, err
		}
	}
	var p plan
	calls, err := review.Desk(s).Waiting(ctx, s.Caller.Namespace)
	if err != nil {
		return result, err
	}
	err = s.DB.Read(ctx, func(r *db.Reader) error {
		if result.Erased, err = s.roots(ctx, r, a, calls); err != nil {
			return err
		}
		if result.Below, err = s.below(ctx, r, result.Erased, calls); err != nil {
			return err
		}
		chosen, err := s.choose(ctx, r, a, result)
		if err == nil {
			p, err = s.plan(ctx, r, chosen, calls)
		}
		hold := slices.DeleteFunc(slices.Clone(result.Below), func(t Thing) bool { return t.Do != Keep || t.Why == "checkpoint" })
		p.Hold = lists.Join(hold, ", ", func(t Thing) string { return ref.ShortID(t.ID) })
		return err
	})
	if err == nil {
		err = ref.Mark(ctx, s.DB, &result) // what is gone cannot be marked afterwards
	}
	if err != nil || result.DryRun || len(p.Things) == 0 {
		return result, err
	}
	id, err := s.begin(ctx, p)
	if err != nil {
		return result, err
	}
	result.Receipt, err = s.finish(ctx, id)
	return result, err
}

// Forget purges one memory for a person as Erase does, without what is below it.
func (s Store) Forget(ctx context.Context, a memory.ForgetArgs) (result memory.ForgetResult, r *Receipt, err error) {
	var p plan
	err = s.DB.Read(ctx, func(r *db.Reader) error {
		things, err := s.roots(ctx, r, Args{ID: a.ID}, nil)
		if err == nil {
			p, err = s.plan(ctx, r, things, nil) // what waits and has a part of it goes
		}
		return err
	})
	if err != nil {
		return result, nil, err
	}
	id, record, err := p.record()
	if err != nil {
		return result, nil, err
	}
	if result, err = memory.Store(s).ForgetWith(ctx, a, record); err != nil || result.Proposed {
		return result, nil, err
	}
	r, err = s.finish(ctx, id)
	return result, r, err
}

// choose returns the memories that are purged or rewritten, and sets what is done to those below.
func (s Store) choose(ctx context.Context, r *db.Reader, a Args, result Result) (chosen []Thing, err error) {
	chosen = slices.Clone(result.Erased)
	named := map[string]Choice{}
	for _, c := range a.Also {
		n := slices.IndexFunc(result.Below, func(t Thing) bool { return t.Kind == waiting && (t.ID == c.ID || ref.ShortID(t.ID) == c.ID) })
		var m ref.Named
		if n >= 0 {
			m = result.Below[n].Named
		} else if found, err := s.Caller.Find(ctx, r, c.ID); err == nil {
			m, n = found.Named, slices.IndexFunc(result.Below, func(t Thing) bool { return t.ID == found.ID })
		} else {
			return nil, err
		}
		switch {
		case n < 0:
			return nil, fault.New(fault.InvalidArgument, "erase: %s is not below what is erased; erase it by itself", m.Text())
		case c.Do != Keep && s.isSaid(result.Below[n]):
			return nil, fault.New(fault.ReadOnly, "erase: a person said %s, or has it as a file, and only a person erases it", m.Text())
		case c.Do == Rewrite && c.Content == "":
			return nil, fault.New(fault.InvalidArgument, "erase: %s is rewritten, and its new text is missing; give it as content", m.Text())
		case c.Do == Rewrite && result.Below[n].Kind == waiting:
			return nil, fault.New(fault.InvalidArgument, "erase: %s waits for you; give it another text with hence review --edit, or purge it", m.Text())
		case c.Do == Rewrite && result.Below[n].File != "":
			return nil, fault.New(fault.InvalidArgument, "erase: the text of %s is in its file; edit that, and import the folder again", m.Text())
		}
		c.ID, c.Title = m.ID, cmp.Or(c.Title, memory.ShortTitle(c.Content))
		var cleaner secret.Cleaner
		cleaner.CleanInPlace(&c.Title, &c.Content)
		named[m.ID] = c
	}
	for n := range result.Below {
		t := &result.Below[n]
		c, isNamed := named[t.ID]
		switch {
		case isNamed:
			t.Do = c.Do
		case !a.All && !result.DryRun && t.Kind != waiting: // nothing is lost that a person had agreed to
			t.Do = Keep
		}
		if t.Do != Keep {
			one := *t
			one.choice = c
			chosen = append(chosen, one)
		}
	}
	return chosen, nil
}

// plan returns the plan for some memories, with the marks of their texts: what stands in none that is kept, nor in one of
// some calls that wait.
func (s Store) plan(ctx context.Context, r *db.Reader, chosen []Thing, waits []review.Call) (p plan, err error) {
	ids, purged := []string{}, []string{}
	for _, t := range chosen {
		if p.Things, ids = append(p.Things, doing{t.ID, t.key, t.Do, t.hash, t.File != "", t.choice}), append(ids, t.ID); t.Do == Purge {
			purged = append(purged, t.ID)
		}
	}
	earlier, err := readEarlier(ctx, r, ids)
	if err != nil {
		return p, err
	}
	notes, err := db.Select(ctx, r, db.Value[string], `
select e.note
from json_each(?) i
cross join memories m on m.id = i.value
cross join edges e on e.from_key = m.key or e.to_key = m.key
where e.note <> ''`, db.List(purged)) // which go with them
	if err != nil {
		return p, err
	}
	p.Agent = !s.Caller.IsPerson()
	texts := slices.Concat(textsOf(chosen), earlier, notes)
	p.Marks, p.Words = newMarks(texts, longest), newWords(texts, func(string) bool { return true })
	p.Marks.drop(0, []byte(hence.Schema+receipts.Schema))
	p.Kept = p.Marks.Len() + p.Words.Len()
	stays := func(text string) {
		p.Marks.drop(0, []byte(text))
		if !script.IsASCII(text) {
			p.Marks.drop(0, []byte(escape(text)))
			p.Words.drop(1, []byte(strings.ToLower(text)))
		}
		p.Words.drop(1, []byte(text))
	}
	for _, t := range chosen {
		if t.Do == Rewrite { // its aliases, tags and properties stay
			stays(strings.Join(append([]string{t.choice.Content, t.choice.Title}, t.texts[2:5]...), "\n"))
		}
	}
	names, err := db.Select(ctx, r, db.Value[string], selectNames)
	if err != nil {
		return p, err
	}
	stays(strings.Join(names, "\x00"))
	err = each(ctx, r, "", waits, func(t Thing) {
		if !slices.Contains(ids, t.ID) {
			stays(strings.Join(append(t.texts, t.File), "\x00"))
		}
	})
	p.Kept -= p.Marks.Len() + p.Words.Len()
	return p, err
}

// selectNames selects names that are no texts: of who writes, of namespaces, and of what is mirrored.
const selectNames = `
select actor from journal
union
select name from namespaces
union
select name from tokens
union
select name || ' ' || root from mirrors
union
select operation from batches`

// statements returns the statements that delete and rewrite the memories of a plan.
func (s Store) statements(p plan, given func(doing) (title, content string, ok bool)) (statements []db.Stmt, err error) {
	purged := []string{}
	for _, t := range p.Things {
		if t.Do == Purge {
			purged = append(purged, t.ID)
			continue
		}
		title, content, ok := given(t)
		if !ok {
			continue
		}
		revised, err := memory.Store(s).ReviseStatements(memory.UpdateArgs{ID: t.ID, Title: &title, Content: &content}, "")
		if err != nil {
			return nil, err
		}
		statements = append(statements, revised...)
	}
	return append(append(statements, review.Purge(purged)...), memory.PurgeStatements(purged...)...), nil
}

// begin writes the batch that deletes the rows of a plan. Then it goes on by Finish whatever happens.
func (s Store) begin(ctx context.Context, p plan) (id string, err error) {
	id, record, err := p.record()
	if err != nil {
		return "", err
	}
	statements := []db.Stmt{}
	for _, t := range p.Things {
		if t.Key != 0 { // a call that waits is its session's
			statements = append(statements, memory.Store(s).MayForget(memory.ForgetArgs{ID: t.ID}))
		}
	}
	changes, err := s.statements(p, func(t doing) (string, string, bool) { return t.choice.Title, t.choice.Content, true })
	if err == nil {
		_, err = s.DB.Write(ctx, s.Caller.Actor, db.Now(), append(append(statements, record), changes...)...)
	}
	return id, err
}

// record returns the statement that records an erasure as begun, before its rows are deleted.
func (p plan) record() (id string, _ db.Stmt, err error) {
	text, err := json.Marshal(p)
	if err != nil {
		return "", db.Stmt{}, fault.Wrap(fault.Internal, err, "erase: the plan cannot be written as JSON")
	}
	id = db.NewID()
	return id, db.S(insertErasure, id, string(text)), nil
}

const insertErasure = `
with things (id, done) as materialized (
  select
    value ->> 'id',
    value ->> 'do'
  from json_each(?2, '$.things')
),
ends (id, key) as materialized (
  select
    m.id,
    m.key
  from things t
  join memories m on m.id = t.id
  where t.done = 'purge'
)
insert into erasures (id, at, actor, plan)
select
  ?1,
  w.at,
  w.actor,
  json_set(?2, '$.counts', json_object(
    'memories', (select count(*) from ends),
    'calls', (select count(*) from asked where memory is null and id in (select id from things where done = 'purge')),
    'rewritten', (select count(*) from things where done = 'rewrite'),
    'edges', (select count(*) from edges where from_key in (select key from ends) or to_key in (select key from ends)),
    'earlier_texts', (
      select count(*)
      from journal
      where id in (select id from things)
        and before ->> '$.content' is not null
    )
  ))
from writer w`
