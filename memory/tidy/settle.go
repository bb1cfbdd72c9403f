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
	"hence/internal/lists"
	"hence/internal/prose"
	"hence/internal/ref"
	"hence/internal/secret"
	"hence/memory"
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
	if err := t.mayStore(ctx, lists.Map(a.Accept, func(key string) proposal { return byKey[key] })); err != nil {
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
			ids = append(ids, lists.Map(p.memories, func(m *memo) string { return m.ID })...)
			changes, err := p.change.do(ctx, r, t, now)
			if err != nil {
				return err
			}
			statements = append(append(statements, changes...), p.unreject())
			if p.change.stays {
				statements = append(statements, p.reject(t.Caller, now)...)
			}
		}
		watch, err = belief.NewWatch(ctx, r, ids...)
		return err
	})
	if err != nil {
		return did, err
	}
	for _, key := range a.Reject {
		statements = append(statements, byKey[key].reject(t.Caller, now)...)
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
	return db.From(ctx, t.DB.ReadBack, func(r *db.Reader) (belief.Consequences, error) { return watch.Consequences(ctx, r) })
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
func (p proposal) reject(by ref.Caller, now string) []db.Stmt {
	return lists.Map(p.memories, func(m *memo) db.Stmt {
		return db.S(`
insert into rejections (memory, mark, what, actor, by_agent, at)
select
  key,
  ?2,
  ?3,
  ?4,
  ?5,
  ?6
from memories
where id = ?1
on conflict do nothing`, m.ID, p.mark, p.What, by.Actor, !by.IsPerson(), now)
	})
}

func (p proposal) unreject() db.Stmt { return db.S(`delete from rejections where mark = ?`, p.mark) }

// readRejections reads the marks of rejected proposals, and the members of rejected clusters.
func readRejections(ctx context.Context, r *db.Reader, byKey map[int64]*memo, byName map[string]*world) error {
	clusters := map[string]map[string]bool{}
	return db.Each(ctx, r, func(row *sql.Rows) error {
		var key int64
		var mark, what string
		if err := row.Scan(&key, &mark, &what); err != nil {
			return err
		}
		m := byKey[key]
		if m == nil {
			return nil
		}
		w := byName[m.Namespace]
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
	statements := lists.Map(a.Keys, func(key string) db.Stmt { return byKey[key].unreject() })
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
			member.SupportedBy = lists.Map(p.support[n][:min(len(p.support[n]), mostSupporting)], (*memo).name)
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

// change is the effect of accepting a proposal: a call of a tool, and what makes the statements that do
// the same within the transaction that makes all accepted changes.
type change struct {
	call  Call
	do    func(ctx context.Context, r *db.Reader, t Tidier, now string) ([]db.Stmt, error)
	edge  edges.Declaration // what it declares, if anything
	stays bool              // the proposal is not made again while the text is the same
}

// simply returns a change whose statements need no more than who makes it.
func simply(tool string, arguments map[string]any, do func(t Tidier) ([]db.Stmt, error)) change {
	return change{call: Call{tool, arguments}, do: func(_ context.Context, _ *db.Reader, t Tidier, _ string) ([]db.Stmt, error) { return do(t) }}
}

// acceptTool is the tool of a call that only accepts the proposal, for a change that is too long for a call. describe
// adds the key.
const acceptTool = "memory_tidy"

// link declares an edge.
func link(from, to *memo, kind edges.Kind, note string) (c change) {
	c.call = Call{"memory_link", map[string]any{"from": ref.ShortID(from.ID), "to": ref.ShortID(to.ID), "type": kind}}
	c.edge = edges.Declaration{ID: db.NewID(), From: from.ID, To: to.ID, Kind: kind, Note: note}
	c.do = func(_ context.Context, _ *db.Reader, t Tidier, now string) ([]db.Stmt, error) {
		return edges.Graph(t).Settle(now, c.edge), nil
	}
	return c
}

// accede declares an edge that an agent proposed. If it supersedes and all of the new text
// was shown, the person who accepts it answers for that text.
func accede(from, to *memo, kind edges.Kind) change {
	c := link(from, to, kind, "")
	settle := c.do
	c.do = func(ctx context.Context, r *db.Reader, t Tidier, now string) ([]db.Stmt, error) {
		statements, err := settle(ctx, r, t, now)
		if kind == edges.Supersedes && t.Caller.IsPerson() && !from.note() && from.Trust == "" && len(from.Content) <= decidedBytes {
			statements = append(statements, memory.ConfirmStatement(from.ID))
		}
		return statements, err
	}
	return c
}

// forget forgets a memory.
func forget(m *memo, reason string) change {
	return simply("memory_forget", map[string]any{"id": ref.ShortID(m.ID), "reason": reason}, func(t Tidier) ([]db.Stmt, error) {
		return []db.Stmt{memory.Store(t).MayForget(memory.ForgetArgs{ID: m.ID}), memory.ForgetStatement(reason, m.ID)}, nil
	})
}

// cite changes the paths that a memory cites. Its words say the same.
func cite(m *memo, title, text string) change {
	arguments, a := map[string]any{"id": ref.ShortID(m.ID), "wording_only": true}, memory.UpdateArgs{ID: m.ID, WordingOnly: true}
	if title != m.Title {
		arguments["title"], a.Title = title, &title
	}
	if text != m.Content {
		arguments["content"], a.Content = text, &text
	}
	return simply("memory_update", arguments, func(t Tidier) ([]db.Stmt, error) { return memory.Store(t).ReviseStatements(a, "") })
}

// verify records that a memory still holds.
func verify(m *memo, note string) change {
	c := simply("memory_verify", map[string]any{"id": ref.ShortID(m.ID), "note": note}, func(t Tidier) ([]db.Stmt, error) {
		return belief.Graph(t).VerifyStatements(m.Key, m.ID, note), nil
	})
	c.stays = true
	return c
}

// summarise stores a memory that is derived from others.
func summarise(title, content string, members []*memo) change {
	a := memory.StoreArgs{Title: &title, Content: content, Kind: "summary", Namespace: members[0].Namespace, Dedup: "off"}
	links := lists.Map(members, func(m *memo) map[string]any {
		a.Links = append(a.Links, memory.NewLink{To: m.ID, Type: string(edges.DerivedFrom)})
		return map[string]any{"to": ref.ShortID(m.ID), "type": edges.DerivedFrom}
	})
	return change{
		call: Call{"memory_store", map[string]any{"title": title, "kind": "summary", "content": content, "links": links}},
		do: func(ctx context.Context, r *db.Reader, t Tidier, _ string) ([]db.Stmt, error) {
			return memory.Store(t).Compose(ctx, r, a)
		},
	}
}

// drop drops an edge that the graph refused.
func drop(e refusedEdge) change {
	arguments := map[string]any{"from": ref.ShortID(e.from.ID), "to": ref.ShortID(e.to.ID), "type": e.kind}
	if e.rel != "" {
		arguments["rel"] = e.rel
	}
	return simply("memory_unlink", arguments, func(t Tidier) ([]db.Stmt, error) { return edges.DropUnsettled(e.id, t.Caller.IsPerson()), nil })
}

// mask takes what looks like a secret out of a memory.
func mask(m *memo) change {
	return change{call: Call{acceptTool, map[string]any{}}, do: func(ctx context.Context, r *db.Reader, t Tidier, _ string) ([]db.Stmt, error) {
		content, ok, err := db.One[string](ctx, r, `select content from memories where id = ?`, m.ID)
		if err != nil || !ok {
			return nil, err
		}
		var c secret.Cleaner
		title, clean := c.Clean(m.Title), c.Clean(content)
		a := memory.UpdateArgs{ID: m.ID, Title: &title, Content: &clean, WordingOnly: true}
		if properties := map[string]any(m.Properties); len(properties) > 0 {
			a.Properties, _ = c.CleanValue(properties).(map[string]any)
			for name := range properties { // an update merges properties: null removes a name that held a secret
				if _, stays := a.Properties[name]; !stays {
					a.Properties[name] = nil
				}
			}
		}
		return memory.Store(t).ReviseStatements(a, "")
	}}
}

// grant makes a change that an agent asked for, and deletes the wish.
func grant(m *memo, w wish) change {
	tool, arguments := acceptTool, map[string]any{}
	if w.action == "purge" { // which is not one change among others, because no undo takes it back
		tool, arguments = "memory_forget", map[string]any{"id": ref.ShortID(m.ID), "purge": true}
	}
	return simply(tool, arguments, func(t Tidier) (statements []db.Stmt, err error) {
		s := memory.Store(t)
		switch a := w.change.UpdateArgs; w.action {
		case "update":
			a.ID = m.ID
			statements, err = s.ReviseStatements(a, "")
			if a.Title != nil || a.Content != nil && len(*a.Content) <= decidedBytes {
				statements = append(statements, memory.ConfirmStatement(m.ID))
			}
		case "forget":
			statements = []db.Stmt{s.MayForget(memory.ForgetArgs{ID: m.ID}), memory.ForgetStatement(w.change.Reason, m.ID)}
		case "purge":
			err = fault.New(fault.InvalidArgument, "tidy: no undo brings back what is removed for good, so that a list does not accept it; hence forget %s --purge removes it, and says what rested on it, or reject the proposal", ref.ShortID(m.ID))
		}
		return append(statements, db.S(`delete from asked where id = ?`, w.id)), err
	})
}

// errMoved returns the conflict for a proposal that no longer stands.
func errMoved(key string) error {
	return fault.New(fault.Conflict, "tidy: the proposal %s no longer stands, because a memory of it has changed or it was settled; list the proposals again", key).
		With("key", key)
}
