package exchange

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"time"

	"hence/edges"
	"hence/internal/db"
	"hence/memory"
)

// plan is what a merge writes.
type plan struct {
	seq        int64 // the last row of the journal when it was made
	inserts    []memoryLine
	updates    []revision
	superseded []string // ids of memories that their lines call superseded
	purges     []string
	purged     []removedLine // to be remembered
	links      []edgeLine    // new edges
	relinks    []edgeLine
	unlinks    []string // ids of edges
	dead       []removedLine
	alive      []removedLine // of edges that were linked again
	quiet      []edgeLine    // of unlinks, those whose removal is not remembered
	unsettled  []edgeLine    // to be kept
	settled    []string      // ids of edges that are no longer unsettled
	settle     []ToSettle
	unlinked   int // of unlinks, those that somebody unlinked
	forgotten  int
	spaces     map[string]string // namespaces of edges by id

	forgetsBefore string // the time before which removals are no longer remembered
}

// revision is a memory of the store and what it becomes.
type revision struct{ old, new memoryLine }

// planning is the state while a plan is made: what is read of the store.
type planning struct {
	*merge
	*plan
	ctx    context.Context
	r      *db.Reader
	ours   map[string]memoryLine // those that the other side has too
	ends   map[string]end        // by id and by uri: ends of edges
	gone   map[string]removedLine
	places map[place]*candidates

	texts   map[string]memoryLine // that gave way in this merge
	made    []edgeLine            // of these
	kept    []edgeLine            // the store's unsettled edges
	refused map[place]string
	renamed map[string]string // ids of edges that have another id from now on
}

// end is a memory at the end of an edge.
type end struct {
	id, uri, namespace, hash string
	coming                   bool // the merge inserts it
}

// candidates are the sides of the edge of one place.
type candidates struct {
	ours    *edgeLine
	sited   bool // notes declare it too
	all     []edgeLine
	removed []removedLine
	stored  *removedLine // the store's own
}

func (m *merge) plan(ctx context.Context, r *db.Reader) (*plan, error) {
	p := &planning{
		merge: m, plan: &plan{spaces: map[string]string{}}, ctx: ctx, r: r,
		ours: map[string]memoryLine{}, ends: map[string]end{}, places: map[place]*candidates{}, renamed: map[string]string{},
		texts: map[string]memoryLine{},
	}
	for _, step := range []func() error{
		p.readState, p.planPurges, p.readGrounds, p.planMemories, p.readEnds, p.gatherEdges, p.settleGraph, p.decideEdges, p.carryVerifications, p.dropVoidVerifications,
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return p.plan, nil
}

// readState reads how far the journal has come, and how long removals are remembered.
func (p *planning) readState() (err error) {
	var days int
	if p.seq, _, err = db.One[int64](p.ctx, p.r, `select coalesce(max(seq), 0) from journal`); err != nil {
		return err
	}
	if days, _, err = db.One[int](p.ctx, p.r, `select coalesce(max(keep_days), 180) from store`); err != nil {
		return err
	}
	p.forgetsBefore = db.Time(time.Now().AddDate(0, 0, -days))
	return nil
}

// sees reports whether the merge is about a namespace.
func (p *planning) sees(namespace string) bool {
	return p.store.Caller.Namespace == "" || p.store.Caller.Namespace == namespace
}

// planPurges decides which memories are purged on both sides.
func (p *planning) planPurges() error {
	p.gone = map[string]removedLine{}
	own, err := db.Select(p.ctx, p.r, scanRemoved, selectRemoved, "")
	if err != nil {
		return err
	}
	for _, l := range own {
		if l.Type == typePurged {
			p.gone[l.ID] = l
		}
	}
	for _, l := range p.theirs.removed {
		if l.Type != typePurged || !p.sees(l.namespace()) {
			continue
		}
		namespace, here, err := db.One[string](p.ctx, p.r, `select namespace from memories where id = ?`, l.ID)
		if err != nil {
			return err
		}
		before, known := p.gone[l.ID]
		switch {
		case here && namespace != l.namespace():
			p.leaveOut("a memory that the other side purged was left as it is: it is in another namespace here")
			continue
		case here:
			p.purges = append(p.purges, l.ID)
		case known && (before.At <= l.At || before.namespace() != l.namespace()):
			continue
		}
		p.gone[l.ID] = l
		if here || p.remembers(l.At) {
			p.purged = append(p.purged, l)
		}
	}
	return p.purgeOtherTexts()
}

// purgeOtherTexts purges the texts that gave way to a purged memory, on either side.
func (p *planning) purgeOtherTexts() error {
	for open := slices.Sorted(maps.Keys(p.gone)); len(open) > 0; {
		replaced, err := db.Select(p.ctx, p.r, db.Fields(func(pair *[2]string) []any { return []any{&pair[0], &pair[1]} }), `
select
  f.id,
  t.id
from json_each(?1) j
cross join memories f on f.id = j.value
cross join edges e on e.from_key = f.key and e.kind = 'supersedes'
cross join memories t on t.key = e.to_key
order by f.id, t.id`, db.List(open))
		if err != nil {
			return err
		}
		for _, e := range p.theirs.edges {
			if e.EdgeType == string(edges.Supersedes) && p.isGone(e.From) {
				replaced = append(replaced, [2]string{e.From, e.To})
			}
		}
		if err := p.readOurs(edges.Keys(replaced, func(pair [2]string) string { return pair[1] })); err != nil {
			return err
		}
		open = nil
		for _, pair := range replaced {
			l, id := p.gone[pair[0]], pair[1]
			_, here := p.ours[id]
			if p.isGone(id) || !p.sees(l.namespace()) || !p.isOtherText(id) {
				continue
			}
			l.ID, open = id, append(open, id)
			p.gone[id] = l
			if here {
				p.purges = append(p.purges, id)
			}
			if here || p.remembers(l.At) {
				p.purged = append(p.purged, l)
			}
		}
	}
	return nil
}

// isOtherText reports whether both sides together say that a memory holds a text that gave
// way.
func (p *planning) isOtherText(id string) bool {
	one, here := p.ours[id]
	other, there := p.theirs.memories[id]
	if text, now := p.texts[id]; now && !there {
		other, there = text, now
	}
	switch {
	case here && there:
		one = joinMemories(one, other).memoryLine
	case there:
		one = other
	}
	return slices.Contains(one.Tags, memory.OtherEdit)
}

// remembers reports whether a removal of a time is still kept.
func (p *planning) remembers(at string) bool { return at >= p.forgetsBefore }

// planMemories joins the memories of both sides, and those that are made of texts that
// gave way.
func (p *planning) planMemories() error {
	if err := p.readOurs(p.theirs.order); err != nil {
		return err
	}
	texts := p.texts
	for _, id := range p.theirs.order {
		m := p.theirs.memories[id]
		ours, here := p.ours[id]
		left := p.isGone(id) || !p.sees(m.Namespace) || here && (ours.URI != nil || ours.Namespace != m.Namespace)
		for _, text := range append(p.planMemory(m), p.theirs.gaveWay[id]...) {
			other, edge := m.otherText(text)
			if _, twice := texts[other.ID]; twice || left {
				continue
			}
			texts[other.ID] = other
			p.made = append(p.made, edge)
		}
	}
	ids := slices.Sorted(maps.Keys(texts))
	if err := p.readOurs(ids); err != nil {
		return err
	}
	for _, id := range ids {
		if !slices.ContainsFunc(p.inserts, func(m memoryLine) bool { return m.ID == id }) {
			p.planMemory(texts[id])
		}
	}
	return nil
}

// planMemory joins one memory with the store's, and returns the texts that gave way.
func (p *planning) planMemory(theirs memoryLine) []memoryLine {
	if _, gone := p.gone[theirs.ID]; gone || !p.sees(theirs.Namespace) {
		return nil
	}
	theirs.Verifications = p.verificationsHere(theirs)
	ours, here := p.ours[theirs.ID]
	switch {
	case !here:
		if p.isDeclaredSuperseded(theirs) {
			p.superseded = append(p.superseded, theirs.ID)
		}
		if theirs.Status == memory.Superseded {
			theirs.Status = memory.Current // until its successor's edge is inserted
		}
		p.inserts = append(p.inserts, theirs)
		p.ends[theirs.ID] = end{id: theirs.ID, namespace: theirs.Namespace, hash: theirs.ContentHash, coming: true}
		return nil
	case ours.URI != nil || ours.Namespace != theirs.Namespace:
		p.leaveOut("a memory of the other side was left out: its id is taken here")
		return nil
	}
	j := joinMemories(ours, theirs)
	if p.isDeclaredSuperseded(theirs) && ours.Status == memory.Current {
		p.superseded = append(p.superseded, ours.ID)
	}
	if revised := (revision{ours, j.memoryLine}); revised.differs() {
		p.updates = append(p.updates, revised)
		if ours.ForgottenAt == nil && j.ForgottenAt != nil {
			p.forgotten++
		}
	}
	return j.gaveWay
}

// isDeclaredSuperseded reports whether a memory of the other side is superseded without
// a successor.
func (p *planning) isDeclaredSuperseded(m memoryLine) bool {
	return m.Status == memory.Superseded && !p.theirs.replaced[m.ID]
}

func (p *planning) isGone(id string) bool { _, gone := p.gone[id]; return gone }

// differs reports whether anything that the store has of the memory changes. Its status
// follows from edges, unless it is forgotten.
func (r revision) differs() bool {
	old, new := r.old, r.new
	old.Status, new.Status = "", ""
	return !linesEqual(&old, &new)
}

// readOurs reads memories of the store.
func (p *planning) readOurs(ids []string) error { return readMemories(p.ctx, p.r, ids, p.ours) }

// readMemories adds the memories of some ids to a map.
func readMemories(ctx context.Context, from db.Source, ids []string, into map[string]memoryLine) error {
	for group := range slices.Chunk(ids, chunkLines) {
		err := db.Each(ctx, from, func(row *sql.Rows) error {
			m, err := scanMemory(row)
			if err != nil {
				return err
			}
			if m.ContentHash == "" {
				m.ContentHash = db.Hash(m.Content)
			}
			into[m.ID] = m
			return nil
		}, memoryColumns+`
from json_each(?1) j
cross join memories m on m.id = j.value`, db.List(group))
		if err != nil {
			return err
		}
	}
	return nil
}

// readEnds reads what the ends of the other side's edges are here.
func (p *planning) readEnds() error {
	names := map[string]bool{}
	add := func(all ...string) {
		for _, name := range all {
			names[name] = true
		}
	}
	for _, e := range p.theirs.edges {
		add(e.From, e.To, e.FromURI, e.ToURI)
	}
	for _, l := range p.theirs.removed {
		add(l.From, l.To, l.FromURI, l.ToURI)
	}
	for _, e := range p.made {
		add(e.From, e.To)
	}
	own, err := db.Select(p.ctx, p.r, scanUnsettled, "select"+unsettledFields+unsettledFrom, p.store.Caller.Namespace)
	if err != nil {
		return err
	}
	for _, e := range own {
		add(e.From, e.To, e.FromURI, e.ToURI)
	}
	p.kept = own
	delete(names, "")
	return p.readNames(slices.Sorted(maps.Keys(names)))
}

func (p *planning) readNames(names []string) error {
	for group := range slices.Chunk(names, chunkLines) {
		err := db.Each(p.ctx, p.r, func(row *sql.Rows) error {
			var e end
			if err := row.Scan(&e.id, &e.uri, &e.namespace, &e.hash); err != nil {
				return err
			}
			if e.uri != "" {
				p.ends[e.uri] = e
			}
			p.ends[e.id] = e
			return nil
		}, `
select
  m.id,
  coalesce(m.uri, ''),
  m.namespace,
  m.content_hash
from json_each(?1) j
cross join memories m on m.id = j.value
union all
select
  m.id,
  m.uri,
  m.namespace,
  m.content_hash
from json_each(?1) j
cross join memories m on m.uri = j.value`, db.List(group))
		if err != nil {
			return err
		}
	}
	return nil
}

// freeLinks are the new edges that no rule of the graph concerns.
func (p *plan) freeLinks() []edgeLine {
	return slices.DeleteFunc(slices.Clone(p.links), func(e edgeLine) bool { return edges.Kind(e.EdgeType).Acyclic() })
}

// report adds up what the plan does.
func (p *plan) report(done *Merged) {
	done.Memories.Added += len(p.inserts)
	for _, u := range p.updates {
		// Of times and stamps alone the journal has no row, which undo takes back.
		old, new := u.old, u.new
		old.UpdatedAt, old.Revision, old.Changed = new.UpdatedAt, new.Revision, new.Changed
		if (revision{old, new}).differs() {
			done.Memories.Changed++
		}
	}
	done.Edges.Added += len(p.links)
	done.Edges.Changed += len(p.relinks)
	done.Forgotten += p.forgotten
	done.Purged += len(p.purges)
	done.Unlinked += p.unlinked
	done.Settle = append(done.Settle, p.settle...)
}
