// Package briefing tells an agent what it should know when it begins, within a budget:
// the rules, where the last session left off, what holds, what is to be settled, and
// what has changed.
//
// Each list has a share of the budget, and passes on to the next what it does not use;
// what the last leaves goes round again. So a long list displaces no other, and a store
// without decisions shows more of the rest.
//
// Rules, and decisions that hold, are what a person said or confirmed. Those of agents are
// in a list of their own, and text of strangers is in neither: see the view trusts.
//
// A briefing reads only, and asks no model. It has no relative dates and nothing of the
// call in it, so that it is the same text, byte for byte, until a memory changes or
// begins or ceases to hold: clients cache the beginning of a conversation.
package briefing

import (
	"context"
	"slices"
	"time"

	"hence/edges"
	"hence/edges/belief"
	"hence/internal/args"
	"hence/internal/db"
	"hence/internal/ref"
)

// Briefer writes the briefings of a store, for one caller.
type Briefer ref.View

// Args ask for a briefing.
type Args struct {
	About        string `json:"about,omitempty" jsonschema:"what is worked on: ranks decisions"`
	TokenBudget  int    `json:"token_budget,omitempty" default:"1200" min:"64" max:"50000"`
	Since        string `json:"since,omitempty" jsonschema:"default: the last session"`
	WithoutRules bool   `json:"-"` // for an agent whose context has them still

	// By is when the last lists should have been read, for a caller who cannot wait:
	// what is late is left out, and NotShown says so. Ranking by About takes at most half
	// of the time before, and is left out else. Zero sets no limit.
	By time.Time `json:"-"`
}

// bytes is the budget in bytes.
func (a Args) bytes() int { return 4 * a.TokenBudget }

// MaxText is the longest text of a briefing in characters, whatever its budget: clients
// cut what a hook says beyond 10,000.
const MaxText = 9000

// Result is a briefing. A memory is in one list only: the first that it fits.
type Result struct {
	Project  string   `json:"project,omitempty"`
	Memories int      `json:"memories"` // current ones, without notes, files and turns
	Notes    int      `json:"notes"`
	Turns    int      `json:"turns,omitempty"` // of conversations that were imported
	Rules    []Entry  `json:"rules" jsonschema:"pinned memories, preferences, rules, instructions"`
	LeftOff  *LeftOff `json:"left_off,omitempty" jsonschema:"the last session"`
	Holds    []Held   `json:"holds" jsonschema:"decisions, each with a reason"`
	// Unconfirmed are rules and decisions of agents: no person said or confirmed them.
	Unconfirmed []Held      `json:"unconfirmed"`
	ToSettle    []Unsettled `json:"to_settle" jsonschema:"stale memories and open contradictions"`
	Changed     Changed     `json:"changed"`
	NotShown    []Unshown   `json:"not_shown"`
}

// Entry is a memory in a list, with as much of its text as there is room for.
type Entry struct {
	ref.Named
	Kind    string `json:"kind"`
	Text    string `json:"text,omitempty"`    // what the title does not say
	Doubt   string `json:"doubt,omitempty"`   // stale or contradicted
	Trust   string `json:"trust,omitempty"`   // see ref.Aging
	Project string `json:"project,omitempty"` // another one than the caller's
}

// Held is a decision with the first of its reasons.
type Held struct {
	Entry
	Because *Because `json:"because,omitempty"`
}

// Because is an edge to a reason, as it is stored: out is from the decision.
type Because struct {
	Type      edges.Kind `json:"type"`
	Direction string     `json:"direction"`
	ref.Named
	Trust string `json:"trust,omitempty"`
}

// LeftOff is the last session.
type LeftOff struct {
	ref.Named
	Trust string `json:"trust,omitempty"`
	At    string `json:"at"`
	Goal  string `json:"goal,omitempty"`
	Done  string `json:"done,omitempty"`
	Next  string `json:"next,omitempty"`
	Text  string `json:"text,omitempty"` // of one without these properties
}

// Unsettled is a stale memory, and the first of its reasons; or one of two memories
// that contradict each other, and the other.
type Unsettled struct {
	ref.Named
	Reason     string     `json:"reason" jsonschema:"superseded, forgotten, contradicted or changed: why it is stale; contradicts: both are current; edited: other is a text of it that gave way in a merge"`
	Trust      string     `json:"trust,omitempty"`
	Other      ref.Named  `json:"other"`
	OtherTrust string     `json:"other_trust,omitempty"`
	Successor  *ref.Named `json:"successor,omitempty"` // the current one, of other
	Note       string     `json:"note,omitempty"`
}

// Changed is what was done since a time. Without one, the entries are what changed last.
type Changed struct {
	Since      string  `json:"since,omitempty"`
	Stored     int     `json:"stored,omitempty"`
	Edited     int     `json:"edited,omitempty"`
	Superseded int     `json:"superseded,omitempty"`
	Forgotten  int     `json:"forgotten,omitempty"`
	Notes      int     `json:"notes,omitempty"` // added or edited
	Entries    []Entry `json:"entries"`
}

// Unshown is how much of a list was left out, and the call that shows it.
type Unshown struct {
	List    string `json:"list"`
	Count   int    `json:"count"`
	AtLeast bool   `json:"at_least,omitempty"`
	Call    string `json:"call"`
}

const (
	considered = 1000 // memories of a list that are ranked
	lately     = 300  // likewise, of those that changed last
	candidates = 120  // of a list that could be shown
)

// known is all that a briefing could tell, from which fit chooses.
type known struct {
	project   string
	counts    counts
	ruled     ranking
	rules     []Entry
	session   *LeftOff
	holds     []Held
	held      ranking
	claims    []Held // unconfirmed
	claimed   ranking
	toSettle  []Unsettled
	unsettled int
	changed   Changed
	changes   ranking
	late      []string // lists that there was no time for

	versions    []LeftOff      // of the session, the longest first
	costs       [5][]int       // of rules, versions, holds, claims and toSettle, in bytes
	changeCosts map[string]int // of the entries of changed, by id
}

// Brief returns a briefing.
func (b Briefer) Brief(ctx context.Context, a Args) (result Result, err error) {
	if err := args.Check("brief", &a); err != nil {
		return result, err
	}
	since, err := db.ParseTime("since", a.Since)
	if err != nil {
		return result, err
	}
	var k known
	err = b.DB.Read(ctx, func(r *db.Reader) error {
		k, err = b.read(ctx, r, a, since)
		return err
	})
	if err != nil {
		return result, err
	}
	return k.fit(a), nil
}

func (b Briefer) read(ctx context.Context, r *db.Reader, a Args, since string) (k known, err error) {
	k.project = b.Caller.Project
	if k.counts, err = b.count(ctx, r); err != nil {
		return k, err
	}
	if k.ruled, err = b.readRanked(ctx, r, selectRules, considered); err != nil {
		return k, err
	}
	k.ruled.sort(func(e row) int { return map[bool]int{false: 1}[e.pinned] })
	if !a.WithoutRules {
		if k.rules, err = k.ruled.entries(ctx, r, maxRule, a.bytes()); err != nil {
			return k, err
		}
	}
	var lastSession string
	if k.session, lastSession, err = b.lastSession(ctx, r); err != nil {
		return k, err
	}
	if err := b.decide(ctx, r, a, &k); err != nil {
		return k, err
	}
	if err := k.inTime(ctx, a, "to_settle", func(ctx context.Context) error { return b.settle(ctx, r, a, &k) }); err != nil {
		return k, err
	}
	if err := k.inTime(ctx, a, "changed", func(ctx context.Context) error { return b.change(ctx, r, since, lastSession, &k) }); err != nil {
		return k, err
	}
	return k, k.doubt(ctx, r)
}

// doubt says of each entry whether it is stale or contradicted.
func (k *known) doubt(ctx context.Context, r *db.Reader) error {
	keys := slices.Concat(k.ruled.keys()[:len(k.rules)], k.held.keys()[:len(k.holds)], k.claimed.keys()[:len(k.claims)], k.changes.keys()[:len(k.changed.Entries)])
	doubt := map[int64]string{}
	contradicting, err := belief.FindContradicting(ctx, r, keys)
	if err != nil {
		return err
	}
	for key := range contradicting {
		doubt[key] = "contradicted"
	}
	stale, err := belief.Stale(ctx, r, keys)
	for key := range stale {
		doubt[key] = "stale"
	}
	for i := range k.rules {
		k.rules[i].Doubt = doubt[k.ruled.rows[i].key]
	}
	for i := range k.holds {
		k.holds[i].Doubt = doubt[k.held.rows[i].key]
	}
	for i := range k.claims {
		k.claims[i].Doubt = doubt[k.claimed.rows[i].key]
	}
	for i := range k.changed.Entries {
		k.changed.Entries[i].Doubt = doubt[k.changes.rows[i].key]
	}
	return err
}

// counts are numbers of current memories.
type counts struct{ memories, notes, turns int }

// count returns how many current memories the caller may read: notes, turns of
// conversations, and others that are not files.
func (b Briefer) count(ctx context.Context, r *db.Reader) (counts, error) {
	n, _, err := db.First(ctx, r, db.Fields(func(n *counts) []any { return []any{&n.memories, &n.notes, &n.turns} }), `
select
  coalesce(sum(number) filter (where kind not in ('note', 'file', 'canvas', 'turn', 'code')), 0),
  coalesce(sum(number) filter (where kind = 'note'), 0),
  coalesce(sum(number) filter (where kind = 'turn'), 0)
from memory_counts
where status = 'current'
  and ?1 in ('', namespace)`, b.Caller.Namespace)
	return n, err
}
