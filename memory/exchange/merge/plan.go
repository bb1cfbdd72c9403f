package merge

import (
	"context"
	"database/sql"
	"iter"
	"maps"
	"slices"
	"time"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/lists"
	"hence/memory"
	"hence/memory/exchange/lines"
)

// plan is the list of changes that a merge makes to the store.
type plan struct {
	seq          int64            // the last row of the journal in the plan's snapshot
	inserts      []lines.Memory   // new memories
	updates      []lines.Revision // changed memories
	superseded   []string         // ids of superseded memories without a known successor
	purges       []string         // ids of memories to delete
	purged       []lines.Removed  // purges to remember
	renewed      []lines.Removed  // purges of memories here, which the other side has stored again
	links        []lines.Edge     // new edges
	relinks      []lines.Edge     // changed edges
	unlinks      []lines.Edge     // edges to remove, without remembering that they were
	newRemovals  []lines.Removed  // removals to remember
	voidRemovals []lines.Removed  // removals to drop: a later one takes their place
	unsettled    []lines.Edge     // edges to keep outside the graph
	settled      []string         // ids of edges to delete from the table unsettled
	toSettle     []ToSettle
	unlinkCount  int               // how many edges in unlinks the other side removed
	namespaces   map[string]string // namespaces of edges by id

	forgetsBefore string // the time before which removals are no longer remembered
}

// planner makes a plan, from the rows that it reads from the store.
type planner struct {
	*merge
	*plan
	ctx        context.Context
	r          *db.Reader
	ours       map[string]lines.Memory  // the store's memories that the merge concerns and does not purge, by id
	ends       map[string]end           // ends of edges, by id and by uri
	purgesByID map[string]lines.Removed // the latest purges, by id of the memory
	places     map[lines.Place]*candidates

	purgedHere, purgedThere map[string]string // the times of each side's own purges, by id

	persons        map[string]bool         // whether a person wrote the joined text of a memory, by id
	otherTexts     map[string]lines.Memory // memories that keep the losing texts of this merge, by id
	otherTextEdges []lines.Edge            // edges by which the winning memories supersede those in otherTexts
	oldUnsettled   []lines.Edge            // the store's unsettled edges
	refusals       map[lines.Place]string  // why an edge is kept out of the graph
	newEdgeIDs     map[string]string       // new ids of edges by the ids that they lose
}

// end is a memory at one end of an edge.
type end struct {
	id, uri, namespace, hash string
	isPersons                bool // a person wrote its text
}

// candidates holds the versions and removals of the edge of one place.
type candidates struct {
	ours          *lines.Edge     // the store's edge, nil if there is none or only notes declare it
	hasSites      bool            // notes declare the edge too
	versions      []lines.Edge    // the other versions: of the other side, and unsettled ones of the store
	removals      []lines.Removed // removals of both sides
	storedRemoval *lines.Removed  // the store's removal, one of removals
}

// plan plans the merge on the snapshot of r.
func (m *merge) plan(ctx context.Context, r *db.Reader) (*plan, error) {
	p := &planner{
		merge: m, plan: &plan{namespaces: map[string]string{}}, ctx: ctx, r: r,
		ours: map[string]lines.Memory{}, ends: map[string]end{}, places: map[lines.Place]*candidates{}, newEdgeIDs: map[string]string{},
		otherTexts: map[string]lines.Memory{}, persons: map[string]bool{},
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

// readState reads the last row number of the journal, and how long removals are remembered.
func (p *planner) readState() (err error) {
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

// covers reports whether the merge covers a namespace.
func (p *planner) covers(namespace string) bool {
	return p.store.Caller.Namespace == "" || p.store.Caller.Namespace == namespace
}

// planPurges decides which memories are purged: those of the side that does not know the latest purge.
func (p *planner) planPurges() error {
	p.purgesByID, p.purgedHere, p.purgedThere = map[string]lines.Removed{}, map[string]string{}, map[string]string{}
	stored, err := db.Select(p.ctx, p.r, lines.ScanRemoved, lines.SelectRemoved, "")
	if err != nil {
		return err
	}
	ids := lists.Map(p.theirs.removed, func(l lines.Removed) string { return l.ID })
	if err := p.readOurs(slices.Concat(ids, p.theirs.order)); err != nil {
		return err
	}
	for _, l := range slices.Concat(stored, purgesBefore(maps.Values(p.ours))) {
		if l.Type == lines.TypePurged {
			p.purgesByID[l.ID], p.purgedHere[l.ID] = l, l.At
		}
	}
	for _, l := range slices.Concat(p.theirs.removed, purgesBefore(maps.Values(p.theirs.memories))) {
		if l.Type != lines.TypePurged || !p.covers(l.InNamespace()) {
			continue
		}
		ours, isHere := p.ours[l.ID]
		earlier, isKnown := p.purgesByID[l.ID]
		switch {
		case isHere && ours.Namespace != l.InNamespace():
			p.LeaveOut("a memory that the other side purged was left as it is: it is in another namespace here")
		case isKnown && earlier.InNamespace() != l.InNamespace():
		default:
			if p.purgedThere[l.ID] = max(p.purgedThere[l.ID], l.At); l.At > earlier.At {
				p.purge(l)
			}
		}
	}
	return p.purgeOtherTexts()
}

// purgesBefore returns the purges after which memories were stored again.
func purgesBefore(all iter.Seq[lines.Memory]) (purges []lines.Removed) {
	for m := range all {
		if at := lines.TimeOf(m.Changed.Head(lines.PurgedField)); at != "" {
			purges = append(purges, lines.Removed{Type: lines.TypePurged, ID: m.ID, At: at, Namespace: m.Namespace})
		}
	}
	return purges
}

// purge plans the purge of a memory, which the store may lack.
func (p *planner) purge(l lines.Removed) {
	p.purgesByID[l.ID] = l
	_, isHere := p.ours[l.ID]
	_, isThere := p.theirs.memories[l.ID]
	delete(p.ours, l.ID)
	switch {
	case isThere && !p.isVoidThere(l.ID):
		if isHere {
			p.renewed = append(p.renewed, l)
		}
	case isHere:
		p.purges, p.purged = append(p.purges, l.ID), append(p.purged, l)
	case p.isRemembered(l.At):
		p.purged = append(p.purged, l)
	}
}

// isVoidHere reports whether one of the store's memories with these ids is from before its latest purge.
func (p *planner) isVoidHere(ids ...string) bool { return p.isVoid(p.purgedHere, ids) }

// isVoidThere reports the same of the other side's.
func (p *planner) isVoidThere(ids ...string) bool { return p.isVoid(p.purgedThere, ids) }

func (p *planner) isVoid(purged map[string]string, ids []string) bool {
	return slices.ContainsFunc(ids, func(id string) bool { return purged[id] < p.purgesByID[id].At })
}

// isGone reports whether a memory is purged and neither side has stored it again.
func (p *planner) isGone(id string) bool {
	_, isPurged := p.purgesByID[id]
	_, isHere := p.ours[id]
	_, isThere := p.theirs.memories[id]
	return isPurged && !isHere && (!isThere || p.isVoidThere(id))
}

// purgeOtherTexts purges the memories that keep losing texts of a purged memory, on either
// side.
func (p *planner) purgeOtherTexts() error {
	for queue := slices.Sorted(maps.Keys(p.purgesByID)); len(queue) > 0; {
		voidHere := slices.DeleteFunc(slices.Clone(queue), func(id string) bool { return !p.isVoidHere(id) })
		replaced, err := db.Select(p.ctx, p.r, db.Fields(func(pair *[2]string) []any { return []any{&pair[0], &pair[1]} }), `
select
  f.id,
  t.id
from json_each(?1) j
cross join memories f on f.id = j.value
cross join edges e on e.from_key = f.key and e.kind = 'supersedes'
cross join memories t on t.key = e.to_key
order by f.id, t.id`, db.List(voidHere))
		if err != nil {
			return err
		}
		for _, e := range p.theirs.edges {
			if e.Kind == string(edges.Supersedes) && p.isVoidThere(e.From) {
				replaced = append(replaced, [2]string{e.From, e.To})
			}
		}
		if err := p.readOurs(lists.Map(replaced, func(pair [2]string) string { return pair[1] })); err != nil {
			return err
		}
		queue = nil
		for _, pair := range replaced {
			l, id := p.purgesByID[pair[0]], pair[1]
			if p.purgesByID[id].At < l.At && p.covers(l.InNamespace()) && p.isOtherText(id) {
				l.ID, queue = id, append(queue, id)
				p.purge(l)
			}
		}
	}
	return nil
}

// isOtherText reports whether the joined memory keeps a losing text, by its tag.
func (p *planner) isOtherText(id string) bool {
	joined, isHere := p.ours[id]
	theirs, isThere := p.theirs.memories[id]
	if text, isNew := p.otherTexts[id]; isNew && !isThere {
		theirs, isThere = text, isNew
	}
	switch {
	case isHere && isThere:
		joined = lines.JoinMemories(joined, theirs).Memory
	case isThere:
		joined = theirs
	}
	return slices.Contains(joined.Tags, memory.OtherEdit)
}

// isRemembered reports whether a removal at that time is still kept.
func (p *planner) isRemembered(at string) bool { return at >= p.forgetsBefore }

// planMemories joins the memories of both sides, and plans the memories that keep losing
// texts.
func (p *planner) planMemories() error {
	texts := p.otherTexts
	for _, id := range p.theirs.order {
		m := p.theirs.memories[id]
		ours, isHere := p.ours[id]
		isLeftOut := p.isVoidThere(id) || !p.covers(m.Namespace) || isHere && (ours.URI != "" || ours.Namespace != m.Namespace)
		for _, text := range append(p.planMemory(m), p.theirs.gaveWay[id]...) {
			otherMemory, edge := m.OtherText(text)
			if _, isKnown := texts[otherMemory.ID]; isKnown || isLeftOut {
				continue
			}
			texts[otherMemory.ID] = otherMemory
			p.otherTextEdges = append(p.otherTextEdges, edge)
		}
	}
	ids := slices.Sorted(maps.Keys(texts))
	if err := p.readOurs(ids); err != nil {
		return err
	}
	for _, id := range ids {
		if !slices.ContainsFunc(p.inserts, func(m lines.Memory) bool { return m.ID == id }) {
			p.planMemory(texts[id])
		}
	}
	return nil
}

// planMemory joins one memory with the store's, and returns the losing texts.
func (p *planner) planMemory(theirs lines.Memory) []lines.Memory {
	if p.isVoidThere(theirs.ID) || !p.covers(theirs.Namespace) {
		return nil
	}
	theirs.Verifications = p.verificationsHere(theirs)
	ours, isHere := p.ours[theirs.ID]
	switch {
	case !isHere:
		if p.isDeclaredSuperseded(theirs) {
			p.superseded = append(p.superseded, theirs.ID)
		}
		if theirs.Status == memory.Superseded {
			theirs.Status = memory.Current // until its successor's edge is inserted
		}
		p.inserts = append(p.inserts, theirs)
		p.ends[theirs.ID] = end{id: theirs.ID, namespace: theirs.Namespace, hash: theirs.ContentHash}
		p.persons[theirs.ID] = theirs.IsPersons()
		return nil
	case ours.URI != "" || ours.Namespace != theirs.Namespace:
		p.LeaveOut("a memory of the other side was left out: its id belongs to another memory here")
		return nil
	}
	ours.Verifications = slices.DeleteFunc(slices.Clone(ours.Verifications), func(v lines.Verification) bool { return p.isVoidHere(v.Because) })
	j := lines.JoinMemories(ours, theirs)
	p.persons[ours.ID] = j.IsPersons()
	if p.isDeclaredSuperseded(theirs) && ours.Status == memory.Current {
		p.superseded = append(p.superseded, ours.ID)
	}
	if update := (lines.Revision{Old: ours, New: j.Memory}); update.Differs() {
		p.updates = append(p.updates, update)
	}
	return j.GaveWay
}

// isDeclaredSuperseded reports whether a memory of the other side is superseded although
// that side has no successor of it.
func (p *planner) isDeclaredSuperseded(m lines.Memory) bool {
	return m.Status == memory.Superseded && !p.theirs.replaced[m.ID]
}

// readOurs adds the store's memories with these ids to p.ours, but for those that are purged.
func (p *planner) readOurs(ids []string) error {
	err := lines.ReadMemories(p.ctx, p.r, ids, p.ours)
	for _, id := range ids {
		if p.isVoidHere(id) {
			delete(p.ours, id)
		}
	}
	return err
}

// readEnds reads the store's memories at the ends of all edges and removals of the merge,
// and its unsettled edges.
func (p *planner) readEnds() (err error) {
	p.oldUnsettled, err = db.Select(p.ctx, p.r, lines.ScanUnsettled, "select"+lines.UnsettledFields+lines.UnsettledFrom, p.store.Caller.Namespace)
	if err != nil {
		return err
	}
	p.oldUnsettled = slices.DeleteFunc(p.oldUnsettled, func(e lines.Edge) bool { return p.isVoidHere(e.From, e.To) }) // the purge drops them
	names := []string{}
	for _, e := range slices.Concat(p.theirs.edges, p.otherTextEdges, p.oldUnsettled) {
		names = append(names, e.From, e.To, e.FromURI, e.ToURI)
	}
	for _, l := range p.theirs.removed {
		names = append(names, l.From, l.To, l.FromURI, l.ToURI)
	}
	return p.addEnds(names)
}

// addEnds adds the memories with these ids or uris to p.ends. A name may be "" or given twice. It sorts the names.
func (p *planner) addEnds(names []string) error {
	names = slices.DeleteFunc(names, func(name string) bool { return name == "" })
	slices.Sort(names)
	for batch := range slices.Chunk(slices.Compact(names), lines.ChunkLines) {
		err := db.Each(p.ctx, p.r, func(row *sql.Rows) error {
			var e end
			if err := row.Scan(&e.id, &e.uri, &e.namespace, &e.hash, &e.isPersons); err != nil {
				return err
			}
			if p.isVoidHere(e.id) {
				return nil
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
  m.content_hash,
  `+lines.IsPersons+`
from json_each(?1) j
cross join memories m on m.id = j.value or m.uri = j.value`, db.List(batch))
		if err != nil {
			return err
		}
	}
	return nil
}

// freeLinks returns the new edges to which no rule of the graph applies.
func (p *plan) freeLinks() []lines.Edge {
	return slices.DeleteFunc(slices.Clone(p.links), func(e lines.Edge) bool { return edges.Kind(e.Kind).Acyclic() })
}

// report adds the numbers of the plan's changes to a result.
func (p *plan) report(done *Merged) {
	done.Memories.Added += len(p.inserts)
	for _, u := range p.updates {
		// A change of times and stamps only has no row in the journal, and cannot be undone.
		old, new := u.Old, u.New
		old.UpdatedAt, old.Revision, old.Changed = new.UpdatedAt, new.Revision, new.Changed
		if (lines.Revision{Old: old, New: new}).Differs() {
			done.Memories.Changed++
		}
		if old.ForgottenAt == "" && new.ForgottenAt != "" {
			done.Forgotten++
		}
	}
	done.Edges.Added += len(p.links)
	done.Edges.Changed += len(p.relinks)
	done.Purged += len(p.purges)
	done.Unlinked += p.unlinkCount
	done.Settle = append(done.Settle, p.toSettle...)
}
