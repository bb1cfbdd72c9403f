// Package briefing writes briefings for agents that begin a session, within a budget: the
// rules, where the last session left off, the decisions in force, unsettled memories, and
// recent changes.
//
// Each list has a share of the budget, and passes the unused part on to the next list. The
// part that the last list does not use is offered to all lists again. So a long list
// displaces no other, and a store without decisions shows more of the rest.
//
// The lists of rules and decisions hold only memories that a person said or confirmed.
// Those of agents are in a separate list, and texts of strangers are in neither: see the
// view trusts.
//
// A briefing only reads, and uses no model. It contains neither relative dates nor details
// of the call, so that its text is the same, byte for byte, until a memory changes, or begins
// or ceases to be valid: clients cache the beginning of a conversation.
package briefing

import (
	"cmp"
	"context"
	"time"

	"hence/edges"
	"hence/edges/belief"
	"hence/internal/args"
	"hence/internal/db"
	"hence/internal/ref"
)

// Briefer writes the briefings of a store, for one caller.
type Briefer ref.View

// Args are the arguments of Brief.
type Args struct {
	About        string `json:"about,omitempty" jsonschema:"what is worked on: ranks decisions"`
	TokenBudget  int    `json:"token_budget,omitempty" default:"1200" min:"64" max:"50000"`
	Since        string `json:"since,omitempty" jsonschema:"default: the last session"`
	Others       bool   `json:"others,omitempty" jsonschema:"of other projects too"`
	WithoutRules bool   `json:"-"` // for an agent whose context still has them
	ForHelper    bool   `json:"-"` // only rules and decisions, for the helper of an agent
	Client       string `json:"-"` // the agent's, which loads files itself; "": the caller

	// By is the deadline for reading the last lists, for a caller who cannot wait: a list
	// that is late is left out, and NotShown names it. Ranking by About may take half of the
	// time until By, and is skipped if it takes longer. Zero sets no limit.
	By time.Time `json:"-"`
}

// bytes returns the budget in bytes, at 4 bytes per token.
func (a Args) bytes() int { return 4 * a.TokenBudget }

// MaxText is the maximum length of a briefing's text in characters, whatever its budget:
// clients cut the output of a hook after 10,000.
const MaxText = 9000

// Result is a briefing. A memory is in one list only, the first to which it belongs.
type Result struct {
	Project  string `json:"project,omitempty"`
	Memories int    `json:"memories"` // current ones, without notes, files and turns
	Notes    int    `json:"notes"`
	Turns    int    `json:"turns,omitempty"` // of conversations that were imported

	SupersededNotes int      `json:"superseded_notes,omitempty"` // beside Notes
	Code            []Code   `json:"code,omitempty" jsonschema:"imported repositories"`
	Rules           []Entry  `json:"rules" jsonschema:"pinned memories, preferences, rules, instructions"`
	LeftOff         *LeftOff `json:"left_off,omitempty" jsonschema:"the last session"`
	Holds           []Held   `json:"holds" jsonschema:"decisions, each with a reason"`
	// Unconfirmed lists rules and decisions of agents, which no person said or confirmed.
	Unconfirmed []Held      `json:"unconfirmed"`
	ToSettle    []Unsettled `json:"to_settle" jsonschema:"stale memories and open contradictions"`
	Changed     Changed     `json:"changed"`
	NotShown    []Unshown   `json:"not_shown"`
}

// Code is an imported repository of source code.
type Code struct {
	Repository string `json:"repository"`
	Files      int    `json:"files"`
	Symbols    int    `json:"symbols"`
	Read       string `json:"read" jsonschema:"day of the last import"`
}

// Entry is a memory in a list, with the beginning of its text.
type Entry struct {
	ref.Named
	Kind    string    `json:"kind"`
	Text    string    `json:"text,omitempty"`    // without the part that the title repeats
	Doubt   string    `json:"doubt,omitempty"`   // stale or contradicted
	Project string    `json:"project,omitempty"` // its project, if it is not the caller's
	Shown   ref.Range `json:"-"`                 // the part of the content that the text is of: see ShownRange
}

// ShownRange returns the part of the content that Text is of.
func (e Entry) ShownRange() ref.Range {
	if e.Text == "" {
		return ref.Range{}
	}
	return e.Shown
}

// Held is a decision in force, with the first of its reasons.
type Held struct {
	Entry
	Because *Because `json:"because,omitempty"`
}

// Because is the edge between a decision and a reason. Its direction is out if it leads
// from the decision, else in.
type Because struct {
	Type      edges.Kind `json:"type"`
	Direction string     `json:"direction"`
	ref.Named
}

// LeftOff describes where the last session left off.
type LeftOff struct {
	ref.Named
	At   string `json:"at"`
	Goal string `json:"goal,omitempty"`
	Done string `json:"done,omitempty"`
	Next string `json:"next,omitempty"`
	Text string `json:"text,omitempty"` // if it has neither goal nor done nor next
}

// Unsettled is a stale memory with the first of its reasons (Other), or one of two memories
// that contradict each other with the second one, or a memory edited in two stores with the
// losing text.
type Unsettled struct {
	ref.Named
	Reason    string           `json:"reason" jsonschema:"superseded, forgotten, contradicted or changed: why it is stale; contradicts: both are current; edited: other is a text of it that gave way in a merge; loaded: other superseded it, and the client loads its file still"`
	Other     ref.Named        `json:"other"`
	Successor *edges.Successor `json:"successor,omitempty"` // the newest successor of Other
	Note      string           `json:"note,omitempty"`
}

// Changed counts the changes since a time, and lists changed memories. Without a time, it
// lists the memories that changed last.
type Changed struct {
	Since      string  `json:"since,omitempty"`
	Stored     int     `json:"stored,omitempty"`
	Edited     int     `json:"edited,omitempty"`
	Superseded int     `json:"superseded,omitempty"`
	Forgotten  int     `json:"forgotten,omitempty"`
	Notes      int     `json:"notes,omitempty"` // added or edited
	Entries    []Entry `json:"entries"`
}

// Unshown is the number of entries that a list leaves out, and the call that shows them.
type Unshown struct {
	List    string `json:"list"`
	Count   int    `json:"count"`
	AtLeast bool   `json:"at_least,omitempty"`
	Call    string `json:"call"`
}

const (
	maxRanked  = 1000 // how many memories of a list are ranked
	maxChanged = 300  // how many of the memories that changed last are ranked
	maxShown   = 120  // how many memories of a list can be shown
	maxOthers  = 1000 // how many memories of other projects are counted
)

// material holds all entries that a briefing could have, from which fit chooses.
type material struct {
	project        string
	rank           string // the SQL expression for a memory's rank
	counts         Result // with the numbers alone
	code           []Code
	loaded         loaded
	rules          shelf
	session        *LeftOff
	decisions      shelf
	claims         shelf // unconfirmed rules and decisions
	toSettle       []Unsettled
	unsettledCount int     // how many there are
	changed        Changed // without entries
	changes        shelf
	otherCount     int      // of rules and decisions that concern other projects
	lateLists      []string // names of the lists that could not be read in time

	versions    []LeftOff      // of session, cut to shorter and shorter texts
	costs       [5][]int       // of rules, versions, holds, claims and toSettle, in bytes
	changeCosts map[string]int // of the entries of changed, in bytes by id
}

// Brief returns a briefing within the budget. It fails with invalid_argument if an argument
// is wrong.
func (b Briefer) Brief(ctx context.Context, a Args) (result Result, err error) {
	if err := args.Check("brief", &a); err != nil {
		return result, err
	}
	since, err := db.ParseTime("since", a.Since)
	if err != nil {
		return result, err
	}
	k, err := db.From(ctx, b.DB.Read, func(r *db.Reader) (material, error) { return b.read(ctx, r, a, since) })
	if err != nil {
		return result, err
	}
	return k.fit(a), nil
}

// read reads all entries that the briefing could have.
func (b Briefer) read(ctx context.Context, r *db.Reader, a Args, since string) (k material, err error) {
	k.project, k.changed.Since = b.Caller.Project, since
	steps := []func() error{
		func() error { k.rank, err = ref.RankIn(ctx, r); return err },
		func() error { k.counts, err = b.count(ctx, r); return err },
		func() error { k.code, err = b.readCode(ctx, r); return err },
		func() error { k.loaded, err = b.readLoaded(ctx, r, a); return err },
		func() error { return b.readHeld(ctx, r, a, &k) },
	}
	if !a.ForHelper {
		steps = append(steps,
			func() error { k.session, err = b.lastSession(ctx, r); return err },
			func() error { return k.readInTime(ctx, r, a, "to_settle", b.readUnsettled) },
			func() error { return k.readInTime(ctx, r, a, "changed", b.readChanges) })
	}
	for _, step := range append(steps, func() error { return k.mark(ctx, r) }) {
		if err = step(); err != nil {
			break
		}
	}
	return k, err
}

// hasHeld selects whether there is a rule or a decision at all: to plan the queries for them takes longer.
const hasHeld = `
select
  exists (select 1 from memories m indexed by rules_first ` + areRules + `)
  or exists (select 1 from memories m indexed by decisions_first ` + areDecisions + `)`

// readHeld reads the rules and the decisions.
func (b Briefer) readHeld(ctx context.Context, r *db.Reader, a Args, k *material) error {
	has, _, err := db.One[bool](ctx, r, hasHeld)
	if err != nil || !has {
		return err
	}
	if k.rules.ranking, err = b.readRanked(ctx, r, a, k, selectRules, maxRanked); err != nil {
		return err
	}
	if !a.Others {
		if k.otherCount, err = b.countOthers(ctx, r, k); err != nil {
			return err
		}
	}
	k.rules.sort(func(e row) int { return map[bool]int{false: 1}[e.Pinned] })
	if !a.WithoutRules {
		if k.rules.entries, err = k.rules.list(ctx, r, b.Caller, maxRule, a.bytes()); err != nil {
			return err
		}
	}
	return b.readDecisions(ctx, r, a, k)
}

// mark marks the entries that are stale or contradicted, and all that are strangers' texts.
func (k *material) mark(ctx context.Context, r *db.Reader) error {
	shelves, keys := []*shelf{&k.rules, &k.decisions, &k.claims, &k.changes}, []int64{}
	for _, s := range shelves {
		keys = append(keys, s.keys()[:len(s.entries)]...)
	}
	doubt := map[int64]string{}
	stale, contradicting, err := belief.Doubts(ctx, r, keys)
	for key := range contradicting {
		doubt[key] = "contradicted"
	}
	for key := range stale {
		doubt[key] = "stale"
	}
	for _, s := range shelves {
		for i := range s.entries {
			s.entries[i].Doubt = doubt[s.rows[i].Key]
		}
	}
	return cmp.Or(err, ref.Mark(ctx, r, []any{k.rules.entries, k.session, k.decisions.entries, k.claims.entries, k.toSettle, k.changes.entries}))
}

// count returns the numbers of memories that the caller may read, in a result without lists.
func (b Briefer) count(ctx context.Context, r *db.Reader) (n Result, err error) {
	n, _, err = db.First(ctx, r, db.Fields(func(n *Result) []any { return []any{&n.Memories, &n.Notes, &n.Turns, &n.SupersededNotes} }), `
select
  coalesce(sum(number) filter (where status = 'current' and kind not in ('note', 'file', 'canvas', 'turn', 'code')), 0),
  coalesce(sum(number) filter (where status = 'current' and kind = 'note'), 0),
  coalesce(sum(number) filter (where status = 'current' and kind = 'turn'), 0),
  coalesce(sum(number) filter (where status = 'superseded' and kind = 'note'), 0)
from memory_counts
where ?1 in ('', namespace)`, b.Caller.Namespace)
	return n, err
}

// readCode returns the repositories that the caller may read, the largest first. It says the day
// of the last import alone, because another import that finds nothing new changes no briefing.
func (b Briefer) readCode(ctx context.Context, r *db.Reader) ([]Code, error) {
	const most = 5
	return db.Select(ctx, r, db.Fields(func(c *Code) []any { return []any{&c.Repository, &c.Files, &c.Symbols, &c.Read} }), `
select
  v.name,
  (select count(*) from files f where f.mirror = v.key) as files,
  (select count(*) from symbols s where s.mirror = v.key and s.file is not null) as symbols,
  substr(v.imported_at, 1, 10)
from mirrors v
where v.form = 'code'
  and ?1 in ('', v.namespace)
  and files + symbols > 0
order by symbols desc, v.name
limit ?2`, b.Caller.Namespace, most)
}

// readInTime calls read, which reads a list, until the deadline a.By. A list that is late is
// left out, and its name is added to k.lateLists.
func (k *material) readInTime(ctx context.Context, r *db.Reader, a Args, list string, read func(context.Context, *db.Reader, Args, *material) error) error {
	old := *k
	isLate, err := readBy(ctx, a.By, func(ctx context.Context) error { return read(ctx, r, a, k) })
	if isLate {
		*k = old
		k.lateLists = append(k.lateLists, list)
	}
	return err
}

// readBy calls read with a context that ends at a deadline, and reports whether the deadline
// ended it rather than the caller's context. A zero deadline sets no limit.
func readBy(ctx context.Context, deadline time.Time, read func(ctx context.Context) error) (isLate bool, err error) {
	if deadline.IsZero() {
		return false, read(ctx)
	}
	limited, stop := context.WithDeadline(ctx, deadline)
	defer stop()
	if err = limited.Err(); err == nil {
		err = read(limited)
	}
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		return true, nil
	}
	return false, err
}
