package tidy

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"slices"

	"hence/edges"
	"hence/edges/belief"
	"hence/internal/args"
	"hence/internal/budget"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/prose"
	"hence/internal/ref"
	"hence/internal/secret"
	"hence/memory/journal"
	"hence/memory/review"
)

// maxSettled is the most proposals that one call accepts and rejects.
const maxSettled = 200

// settleFound is settle for what the rules found.
func (t Tidier) settleFound(ctx context.Context, namespace string, a Args) (did belief.Consequences, err error) {
	byKey, err := t.findByKeys(ctx, namespace, slices.Concat(a.Accept, a.Reject))
	if err != nil {
		return did, err
	}
	var watch belief.Watch
	now, statements, declared, ids := db.Now(), []db.Stmt{}, []edges.Declaration{}, []string{}
	for _, p := range byKey { // it stands while its memories have the status and the revisions that the rules read
		for _, m := range p.memories {
			statements = append(statements, db.Expect(`
exists (select 1 from memories where id = ? and revision = ? and status = ?)`, errMoved(p.Key), m.ID, m.Revision, m.Status))
		}
	}
	err = t.DB.Read(ctx, func(r *db.Reader) error {
		for _, key := range a.Accept {
			p := byKey[key]
			if p.change.edge.Kind != "" {
				declared = append(declared, p.change.edge)
			}
			for _, m := range p.memories {
				ids = append(ids, m.ID)
			}
			changes, err := p.change.do(ctx, r, t, now)
			if err != nil {
				return err
			}
			statements = append(append(statements, changes...), p.unreject())
			if p.change.stays {
				statements = append(statements, p.reject(t.Caller.Actor, now)...)
			}
		}
		watch, err = belief.NewWatch(ctx, r, ids...)
		return err
	})
	if err != nil {
		return did, err
	}
	for _, key := range a.Reject {
		statements = append(statements, byKey[key].reject(t.Caller.Actor, now)...)
	}
	if len(a.Accept) > 1 { // one line of the log
		batch := journal.Batch{Operation: "tidy", Namespace: namespace, What: fmt.Sprintf("%d proposals", len(a.Accept))}
		if batch.Number, err = journal.NewBatch(ctx, t.DB); err != nil {
			return did, err
		}
		statements = append(append(statements, batch.Open()), batch.Close()...)
	}
	if _, err = t.DB.Write(ctx, t.Caller.Actor, now, statements...); err != nil {
		return did, edges.Graph(t).Explain(ctx, err, declared...)
	}
	return did, t.DB.Read(ctx, func(r *db.Reader) error {
		did, err = watch.Consequences(ctx, r)
		return err
	})
}

// findByKeys returns the proposals with some keys. It fails with conflict for one that no
// longer stands.
func (t Tidier) findByKeys(ctx context.Context, namespace string, keys []string) (map[string]proposal, error) {
	if len(keys) > maxSettled {
		return nil, fault.New(fault.TooLarge, "tidy: %d proposals are accepted or rejected, and at most %d in one call; split them into several calls", len(keys), maxSettled)
	}
	wanted := map[string]bool{}
	for i, key := range keys {
		kind, err := kindOf(key)
		if err != nil {
			return nil, err
		}
		if slices.Contains(keys[:i], key) {
			return nil, fault.New(fault.InvalidArgument, "tidy: the proposal %s is named twice", key)
		}
		wanted[kind] = true
	}
	all, _, err := t.find(ctx, namespace, func(kind string) bool { return wanted[kind] })
	byKey := map[string]proposal{}
	for _, p := range all {
		if slices.Contains(keys, p.Key) {
			byKey[p.Key] = p
		}
	}
	for _, key := range keys {
		if _, ok := byKey[key]; err == nil && !ok {
			err = errMoved(key)
		}
	}
	return byKey, err
}

// reject returns the statements that remember a rejection.
func (p proposal) reject(actor, now string) []db.Stmt {
	statements := []db.Stmt{}
	for _, m := range p.memories {
		statements = append(statements, db.S(`
insert into rejections (memory, mark, what, actor, at)
select
  key,
  ?2,
  ?3,
  ?4,
  ?5
from memories
where id = ?1
on conflict do nothing`, m.ID, p.mark, p.What, actor, now))
	}
	return statements
}

func (p proposal) unreject() db.Stmt { return db.S(`delete from rejections where mark = ?`, p.mark) }

// readRejections reads the marks of rejected proposals, and the members of rejected clusters.
func (w *world) readRejections(ctx context.Context, r *db.Reader) error {
	clusters := map[string]map[string]bool{}
	err := db.Each(ctx, r, func(row *sql.Rows) error {
		var key int64
		var mark, what string
		if err := row.Scan(&key, &mark, &what); err != nil {
			return err
		}
		m := w.byKey[key]
		if m == nil {
			return nil
		}
		w.rejected[mark] = true
		if what == "summarise" {
			if clusters[mark] == nil {
				clusters[mark] = map[string]bool{}
				w.refused = append(w.refused, clusters[mark])
			}
			clusters[mark][m.ID] = true
		}
		return nil
	}, `
select
  memory,
  mark,
  what
from rejections
order by mark, memory`)
	return err
}

// ReconsiderArgs name proposals that were rejected.
type ReconsiderArgs struct {
	Keys []string `json:"keys" jsonschema:"of proposals that still stand, at most 200"`
}

// ReconsiderResult counts the proposals that are listed again.
type ReconsiderResult struct {
	Changed int `json:"changed"`
}

// Reconsider forgets that proposals were rejected. It fails as Tidy does.
func (t Tidier) Reconsider(ctx context.Context, a ReconsiderArgs) (result ReconsiderResult, err error) {
	if err := args.Check("reconsider", &a); err != nil {
		return result, err
	}
	byKey, err := t.findByKeys(ctx, t.Caller.Namespace, a.Keys)
	if err != nil {
		return result, err
	}
	statements := edges.Keys(a.Keys, func(key string) db.Stmt { return byKey[key].unreject() })
	_, err = t.DB.Write(ctx, t.Caller.Actor, db.Now(), statements...)
	return ReconsiderResult{Changed: len(statements)}, err
}

// proposal is a Proposal with what accepting or rejecting it needs.
type proposal struct {
	Proposal
	memories  []*memo // in the order of Memories
	sure      float64 // surer ones are listed first
	change    change
	support   [][]*memo    // what supports each of memories; may be nil
	textBytes int          // bytes of the text of a memory
	about     string       // the id of a wish, which is part of the key; "" for others
	then      *Member      // how the last memory would read; may be nil
	mark      string       // what a rejection remembers
	waits     *review.Call // nil for what a rule found
	rejected  bool
}

const (
	keyDigits    = 10  // hexadecimal digits of a key: with 10,000 proposals, one in 20,000 stores has a key twice
	shownBytes   = 200 // of the text of a memory
	decidedBytes = review.ShownBytes
)

// propose makes a proposal about some memories.
func propose(sure float64, why string, do change, memories ...*memo) proposal {
	return proposal{Proposal: Proposal{Why: why}, memories: memories, sure: sure, change: do, textBytes: shownBytes}
}

// decide returns a proposal that only a person decides. It shows up to decidedBytes of a
// text, because the person answers for it.
func decide(p proposal) proposal {
	p.textBytes = decidedBytes
	return p
}

// identify fills in the keys and the marks of proposals of one kind, and whether each was
// rejected.
func (w *world) identify(kind string, proposals []proposal) []proposal {
	for i := range proposals {
		p := &proposals[i]
		p.What = kind
		key, mark := sha256.New(), sha256.New()
		fmt.Fprintln(key, kind+p.about)
		fmt.Fprintln(mark, kind+p.about)
		for _, m := range p.memories {
			fmt.Fprintln(key, len(m.ID), m.ID, m.Revision)
			fmt.Fprintln(mark, len(m.ID), m.ID, len(m.Title), m.Title, m.ContentHash)
		}
		p.Key = kind + "-" + hex.EncodeToString(key.Sum(nil))[:keyDigits]
		p.mark = hex.EncodeToString(mark.Sum(nil))
		p.rejected = w.rejected[p.mark] || kind == "summarise" && w.refusedCluster(p.memories)
	}
	return proposals
}

// describe returns a proposal with its memories and its call.
func (p proposal) describe() Proposal {
	p.Call = p.change.call
	if p.Call.Tool == acceptTool {
		p.Call.Arguments["accept"] = []string{p.Key}
	}
	p.Memories = []Member{}
	for n, m := range p.memories {
		member := m.member(p.textBytes)
		if n < len(p.support) {
			for _, one := range p.support[n][:min(len(p.support[n]), mostSupporting)] {
				member.SupportedBy = append(member.SupportedBy, one.name())
			}
		}
		p.Memories = append(p.Memories, member)
	}
	if p.then != nil {
		p.Memories = append(p.Memories, *p.then)
	}
	return p.Proposal
}

// refusedCluster reports whether more than half of the memories are in one cluster that was
// rejected.
func (w *world) refusedCluster(memories []*memo) bool {
	for _, ids := range w.refused {
		common := 0
		for _, m := range memories {
			if ids[m.ID] {
				common++
			}
		}
		if 2*common > len(memories) {
			return true
		}
	}
	return false
}

// member returns a memory as a proposal shows it, with a number of bytes of its text.
func (m *memo) member(bytes int) Member {
	member := Member{Named: m.name(), At: m.since()}
	member.Trust = m.Trust
	text := prose.OneLine(m.Content)
	if text != m.Title {
		member.Text, _ = budget.Cut(secret.Mask(text), bytes)
	}
	if bytes == decidedBytes {
		member.Title, member.Text = prose.Visible(member.Title), prose.Visible(member.Text)
	}
	return member
}

// name names a memory, without what looks like a secret in its title.
func (m *memo) name() ref.Named { return ref.Named{ID: m.ID, Title: secret.Mask(m.Title)} }

// quote names a memory in a sentence, with its mark.
func (m *memo) quote() string {
	title, _ := budget.Cut(m.name().Title, 80)
	return fmt.Sprintf("%q%s", title, ref.Named{Trust: m.Trust}.Mark())
}
