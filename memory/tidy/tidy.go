// Package tidy proposes what could be tidied in a store, and does what is accepted.
//
// Proposals are found by rules, never by a model: the same memories give the same
// proposals, in the same order, whatever the order in which they were stored. Nothing
// is changed before somebody accepts; what is accepted in one call is one transaction,
// which undo takes back.
//
// # What is read
//
// The rules read the current memories of one namespace after another, with their
// edges, so that a caller who is confined to a namespace learns nothing of others.
// Notes are the files of a person: a proposal of a rule may tie a memory to a note, and
// never replaces, forgets or edits a note. Files without text, code, and the turns of imported
// conversations are left out.
//
// # Bounded work
//
// No rule compares all pairs. Texts are compared if they have the same key (the text
// without case, spaces and punctuation; the text without one of its numbers), or if they
// share one of their rarest words or runs of words (the prefix filter of Chaudhuri, Ganti
// and Kaushik, A primitive operator for similarity joins, 2006). Clusters are stars
// (Aslam, Pelekhov and Rus, The star clustering algorithm, 2004).
//
// # What agents ask for
//
// An agent's change of a person's words is kept as a proposal too: a link as an edge
// (edges.Proposed), any other change in the table asked. Only a person accepts these, and
// then answers for the text. They are listed whatever the memory's status and age.
//
// # Keys
//
// The key of a proposal is made of its kind and the ids and revisions of its memories.
// Before one is accepted, the rules run again: a proposal that they no longer make is a
// conflict, and the transaction itself expects the same revisions. A rejection
// remembers the kind and the texts, so that the same proposal does not come back, but
// one about edited texts does.
//
// # Reading
//
// A memory fades if nobody opens it. The table opened holds when a memory was last
// opened by memory_get. A server writes it together with the counts of its calls
// (package usage), in the background, at most once a day for each memory. A process
// that may not write keeps nothing.
package tidy

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"hence/edges"
	"hence/edges/belief"
	"hence/internal/args"
	"hence/internal/budget"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory/review"
)

// Tidier proposes changes that tidy a store, and makes them. It checks the files that
// memories cite only if the caller's project has a folder.
type Tidier ref.View

// Args say what to propose, and which proposals are accepted or rejected.
type Args struct {
	Propose     []string `json:"propose,omitempty" enum:"pending,asked,same,replaced,conflict,link,summarise,fading,expired,broken,secret" jsonschema:"default: all"`
	Accept      []string `json:"accept,omitempty" jsonschema:"keys"`
	Reject      []string `json:"reject,omitempty" jsonschema:"keys; they do not come back"`
	Namespace   string   `json:"namespace,omitempty"`
	Limit       int      `json:"limit,omitempty" default:"20" min:"1" max:"200"`
	TokenBudget int      `json:"token_budget,omitempty" min:"64"`
}

// Result lists proposals. After Accept or Reject it lists proposals only of the kinds
// that Propose names.
type Result struct {
	Proposals     []Proposal        `json:"proposals"`
	Accepted      int               `json:"accepted,omitempty"`
	Rejected      int               `json:"rejected,omitempty"`
	NowStale      []belief.NowStale `json:"now_stale,omitempty"`
	NowStaleCount int               `json:"now_stale_count,omitempty"` // all of them, if NowStale does not list all
	TakesOver     []edges.Inherited `json:"takes_over,omitempty"`
	NotShown      []edges.Count     `json:"not_shown"` // how many more of each kind
	ReturnedCount int               `json:"returned_count"`
	Truncated     bool              `json:"truncated"`
	Next          string            `json:"next,omitempty"`
	Warnings      []string          `json:"warnings"`
}

// Proposal is one thing that could be tidied. Call does it.
type Proposal struct {
	Key      string         `json:"key"`
	What     string         `json:"what"`
	Why      string         `json:"why"`
	Memories []Member       `json:"memories"`
	Call     Call           `json:"call"`
	Does     *review.Effect `json:"does,omitempty"` // what accepting does, of a call that waits and, for a person, of what an agent asked for
}

// Member is a memory of a proposal. Text is the beginning of its content, "" if the
// title says it.
type Member struct {
	ref.Named
	Text        string      `json:"text,omitempty"`
	At          string      `json:"at"` // the time since which it holds
	SupportedBy []ref.Named `json:"supported_by,omitempty"`
}

// Call is a call of a tool.
type Call struct {
	Tool      string         `json:"tool"`
	Arguments map[string]any `json:"arguments"`
}

// rule finds the proposals of a kind.
type rule struct {
	name string
	find func(*world) []proposal
}

// kinds are the kinds of proposal, in the order in which they are listed.
var kinds = []rule{
	{pendingKind, nil}, // see listPending
	{"asked", (*world).listAsked},
	{"same", (*world).same},
	{"replaced", (*world).listReplaced},
	{"conflict", (*world).conflicts},
	{"link", (*world).links},
	{"summarise", (*world).summaries},
	{"fading", (*world).listFading},
	{"expired", (*world).listExpired},
	{"broken", (*world).listBroken},
	{"secret", (*world).secrets},
}

// Tidy makes the accepted changes, remembers the rejected ones, and proposes. It fails with
// conflict, and changes nothing, if an accepted or rejected proposal no longer stands.
func (t Tidier) Tidy(ctx context.Context, a Args) (result Result, err error) {
	if err := args.Check("tidy", &a); err != nil {
		return result, err
	}
	result = Result{Proposals: []Proposal{}, NotShown: []edges.Count{}, Warnings: []string{}}
	namespace, err := t.Caller.Reads(a.Namespace)
	if err != nil {
		return result, err
	}
	if len(a.Accept)+len(a.Reject) > 0 {
		if err := t.mayAccept(ctx, a); err != nil {
			return result, err
		}
		if err := t.DB.KeepUp(ctx); err != nil { // a rejection names hashes
			return result, err
		}
		did, err := t.settle(ctx, namespace, a)
		if err != nil {
			return result, err
		}
		result.NowStale, result.NowStaleCount, result.TakesOver = did.NowStale, did.NowStaleCount, did.TakesOver
		result.Accepted, result.Rejected = len(a.Accept), len(a.Reject)
		if len(a.Propose) == 0 {
			return list(ctx, result, listing{}, a)
		}
	}
	all, left, err := t.find(ctx, namespace, func(kind string) bool { return len(a.Propose) == 0 || slices.Contains(a.Propose, kind) })
	if err != nil {
		return result, err
	}
	found := choose(slices.DeleteFunc(all, func(p proposal) bool { return p.rejected }), a.Limit)
	if err := t.foretell(ctx, found.chosen); err != nil {
		return result, err
	}
	if left > 0 {
		result.Warnings = append(result.Warnings, fmt.Sprintf("%d memories that changed longest ago were not examined", left))
	}
	return list(ctx, result, found, a)
}

// mayAccept fails with read_only for an agent that accepts anything while all that agents do waits for a person.
func (t Tidier) mayAccept(ctx context.Context, a Args) error {
	if t.Caller.IsPerson() || len(a.Accept) == 0 {
		return nil
	}
	policy, err := review.Desk(t).Policy(ctx)
	if err == nil && policy == review.All {
		err = fault.New(fault.ReadOnly, "tidy: a person decides here what is accepted, by hence review or hence tidy")
	}
	return err
}

// mayStore fails with read_only for an agent that accepts a text which repeats strangers while such texts wait for a person.
func (t Tidier) mayStore(ctx context.Context, accepted []proposal) error {
	i := slices.IndexFunc(accepted, func(p proposal) bool {
		return slices.Contains([]string{"memory_store", "memory_update"}, p.change.call.Tool) && slices.ContainsFunc(p.memories, func(m *memo) bool { return m.Trust != "" })
	})
	if t.Caller.IsPerson() || i < 0 {
		return nil
	}
	policy, err := review.Desk(t).Policy(ctx)
	if err == nil && policy == review.LowTrust {
		err = fault.New(fault.ReadOnly, "tidy: %s stores what is trusted less than your own word, and a person decides about that, by hence tidy", accepted[i].Key)
	}
	return err
}

// find returns the proposals of some kinds, by kind, the surest first, and how many
// memories were left out.
func (t Tidier) find(ctx context.Context, namespace string, wanted func(kind string) bool) (all []proposal, left int, err error) {
	if wanted(pendingKind) {
		if all, err = t.listPending(ctx, namespace); err != nil {
			return nil, 0, err
		}
	}
	if !slices.ContainsFunc(kinds[1:], func(k rule) bool { return wanted(k.name) }) {
		return all, 0, nil
	}
	err = t.DB.Read(ctx, func(r *db.Reader) error {
		worlds, more, err := t.read(ctx, r, namespace)
		if err != nil {
			return err
		}
		left = more
		for _, k := range kinds {
			if k.find == nil || !wanted(k.name) {
				continue
			}
			proposals := []proposal{}
			for _, w := range worlds {
				proposals = append(proposals, w.identify(k.name, k.find(w))...)
			}
			slices.SortFunc(proposals, func(a, b proposal) int {
				return cmp.Or(cmp.Compare(b.sure, a.sure), strings.Compare(a.memories[0].ID, b.memories[0].ID), strings.Compare(a.Key, b.Key))
			})
			all = append(all, proposals...)
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		return nil
	})
	return all, left, err
}

// listing is what the rules find.
type listing struct {
	chosen []proposal    // as many as the limit allows
	counts []edges.Count // all that are not rejected, by kind
}

// choose takes as many of the proposals as the limit allows. Each kind gets the same share
// of it, and what a kind does not use goes to the others in their order.
func choose(proposals []proposal, limit int) (found listing) {
	for _, p := range proposals {
		if n := len(found.counts); n == 0 || found.counts[n-1].Name != p.What {
			found.counts = append(found.counts, edges.Count{Name: p.What})
		}
		found.counts[len(found.counts)-1].Count++
	}
	shares, free := map[string]int{}, limit
	for _, c := range found.counts {
		shares[c.Name] = min(c.Count, limit/len(found.counts))
		free -= shares[c.Name]
	}
	for _, c := range found.counts {
		more := min(free, c.Count-shares[c.Name])
		shares[c.Name] += more
		free -= more
	}
	for _, p := range proposals {
		if shares[p.What] > 0 {
			shares[p.What]--
			found.chosen = append(found.chosen, p)
		}
	}
	return found
}

// list cuts the chosen proposals to the budget.
func list(ctx context.Context, result Result, found listing, a Args) (Result, error) {
	return budget.Fit(ctx, a.TokenBudget, len(found.chosen), func(n, bytes int) Result {
		answer := result
		answer.Proposals = []Proposal{}
		listed := map[string]int{}
		for _, p := range found.chosen[:n] {
			short, cut := p.describe().shorten(bytes)
			answer.Proposals = append(answer.Proposals, short)
			answer.Truncated = answer.Truncated || cut
			listed[p.What]++
		}
		answer.NotShown = []edges.Count{}
		left := -n
		for _, c := range found.counts {
			left += c.Count
			if more := c.Count - listed[c.Name]; more > 0 {
				answer.NotShown = append(answer.NotShown, edges.Count{Name: c.Name, Count: more})
			}
		}
		if bytes < budget.Whole {
			told := answer.NowStale[:min(len(answer.NowStale), (bytes+memberBytes-1)/memberBytes)]
			warnings := budget.First(answer.Warnings, bytes)
			answer.Truncated = answer.Truncated || len(warnings) < len(answer.Warnings) || len(told) < len(answer.NowStale)
			answer.Warnings, answer.NowStale, answer.TakesOver = warnings, told, answer.TakesOver[:min(len(answer.TakesOver), len(told))]
		}
		answer.ReturnedCount = n
		switch {
		case n < len(found.chosen) || answer.Truncated:
			answer.Next = "token_budget"
		case left > 0:
			answer.Next = "limit"
		}
		answer.Truncated = answer.Next != ""
		return answer
	})
}

// shorten cuts the texts of a proposal to a number of bytes.
func (p Proposal) shorten(bytes int) (short Proposal, cut bool) {
	if bytes == budget.Whole {
		return p, false
	}
	short = p
	var cutWhy bool
	if short.Why, cutWhy = budget.Cut(p.Why, bytes); cutWhy {
		cut = true
	}
	short.Memories = []Member{}
	for _, m := range p.Memories {
		if len(short.Memories)*memberBytes > bytes {
			return short, true
		}
		var cutTitle, cutText bool
		m.Title, cutTitle = budget.Cut(m.Title, bytes)
		m.Text, cutText = budget.Cut(m.Text, bytes)
		cut = cut || cutTitle || cutText || len(m.SupportedBy) > 0
		m.SupportedBy = nil
		short.Memories = append(short.Memories, m)
	}
	if bytes < 2*memberBytes && short.Does != nil {
		short.Does, cut = nil, true
	}
	if bytes < memberBytes {
		short.Call = Call{Tool: p.Call.Tool, Arguments: map[string]any{}}
		cut = true
	}
	return short, cut
}

// memberBytes is about how many bytes a memory of a proposal takes in a result.
const memberBytes = 200

// kindOf returns the kind that a key names. It fails with invalid_argument for a text
// that is not a key.
func kindOf(key string) (string, error) {
	kind, rest, ok := strings.Cut(key, "-")
	if ok && len(rest) == keyDigits && slices.ContainsFunc(kinds, func(k rule) bool { return k.name == kind }) {
		return kind, nil
	}
	return "", fault.New(fault.InvalidArgument, "tidy: %q is not the key of a proposal; give a key as the list of proposals has it", key)
}
