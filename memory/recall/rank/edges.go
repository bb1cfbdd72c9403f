package rank

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

	"hence/edges"
	"hence/internal/db"
	"hence/memory/recall/question"
)

// edgeWeight says how much of its score the memory at one end of an edge propagates to the memory
// at the other end.
type edgeWeight struct {
	kind     edges.Kind
	forward  float64 // to the end that the edge points to
	backward float64
	isSum    bool // propagate the whole score instead of column by column; never for edges of files
	maxBytes int  // only a memory whose text is at most this long receives; 0: any
}

// edgeWeights are the constants of propagation.
//
// follows and part-of were measured on the four conversations of LoCoMo
// (make bench-recall, docs/benchmarks.md), each in its own store and all in one,
// and are not sensitive: recall@10 of turns stays between 0.778 and 0.786 for
// forward 0.3 to 0.5 with backward 0.5 to 0.7 of follows, and for 0.7 to 1.0 backward
// of part-of; recall@1 is 0.403 to 0.422 for forward 0.3, and 0.392 to 0.410 for 0.5.
// Recall@5 of sessions is between 0.899 and 0.907 for 0.3 to 1.0 forward along part-of.
//
// A reply depends on its message more than the other way round. Long texts have enough
// words of their own, and the texts before and after them are usually about something
// else, so follows propagates nothing to them: with sessions of 1,100 bytes and more,
// recall@5 was between 0.900 and 0.907 for any bound from 500 to 1,500, and recall@10
// was lower without a bound. A question that finds a superseded memory wants its
// successor. The other values are by analogy: an edge for a reason has half the weight
// of follows, and a plain link half that of a reason. Edges found by a heuristic, and
// edges between pieces of code, have no weight.
var edgeWeights = []edgeWeight{
	{kind: edges.Supersedes, backward: 0.9},
	{kind: edges.Follows, forward: 0.3, backward: 0.6, maxBytes: 1000},
	{kind: edges.PartOf, forward: 0.7, backward: 0.8, isSum: true},
	{kind: edges.Causes, forward: 0.3, backward: 0.3},
	{kind: edges.DependsOn, forward: 0.3, backward: 0.3},
	{kind: edges.Supports, forward: 0.3, backward: 0.3},
	{kind: edges.DerivedFrom, forward: 0.3, backward: 0.3},
	{kind: edges.Contradicts, forward: 0.3, backward: 0.3},
	{kind: edges.RelatesTo, forward: 0.3, backward: 0.3},
	{kind: edges.Embeds, forward: 0.15, backward: 0.15},
	{kind: edges.RefersTo, forward: 0.15, backward: 0.15},
	{kind: edges.LinksTo, forward: 0.15, backward: 0.15},
	{kind: edges.Calls},
	{kind: edges.Imports},
	{kind: edges.Implements},
	{kind: edges.Mentions},
}

const (
	// minShare is the share of the best score that a memory without a word of the
	// question must receive to become a candidate. Edges follows and supersedes can propagate
	// that much, a plain link cannot.
	minShare = 0.35
	// nextPartShare is how much each next part of a whole, or whole of a part, counts compared
	// with the better one before it.
	nextPartShare = 1.0 / 3
	// minReportedShare is the smallest share of a score that is reported.
	minReportedShare = 0.01
	// maxNeighbours is about how many memories without a word of the question become
	// candidates. A hub has thousands of neighbours, to which it propagates the same.
	maxNeighbours = 5 * depth
	// maxEdges is the most edges that one query reads.
	maxEdges = 20000
)

// Propagated is one edge that raised a result.
type Propagated struct {
	From  string     `json:"from" jsonschema:"id"`
	Type  edges.Kind `json:"type"`
	Share float64    `json:"share" jsonschema:"of the score"`
}

// edge is an edge between memories, at least one of them a candidate.
type edge struct {
	key, from, to int64
	kind          edges.Kind
	weight        float64
	isStated      bool // by an agent, a person or an import, not by a file
}

// arc is an edge in one direction, along which a memory propagates a share of its score.
type arc struct {
	from, to int64
	share    float64
	edgeWeight
}

// addAlongEdges reads the edges of the candidates, and adds the neighbours that may receive enough.
func (p *pool) addAlongEdges(ctx context.Context, r *db.Reader) error {
	proposed := Keys(p.all)
	found, err := readEdges(ctx, r, proposed, p.Filter.Times)
	if err != nil {
		return err
	}
	if err := p.readConversation(ctx, r, found); err != nil {
		return err
	}
	p.addArcs(found)
	if err := p.addNeighbours(ctx, r); err != nil {
		return err
	}
	// Read the other edges between candidates: those with at least one end that was proposed,
	// not added along an edge.
	found, err = unpackEdges(db.One[[]byte](ctx, r, selectAmong, db.List(Keys(p.all)), p.Filter.Times.Bind(), maxEdges, kindNames, db.List(amongCandidates), db.List(proposed)))
	p.addArcs(found)
	return err
}

// addArcs adds the arcs of edges, one for each direction in which an edge propagates.
func (p *pool) addArcs(all []edge) {
	for _, e := range all {
		w := p.turns.adjust(e, weightOf(e.kind))
		w.isSum = w.isSum && e.isStated
		if w.forward > 0 {
			p.arcs = append(p.arcs, arc{e.from, e.to, w.forward * e.weight, w})
		}
		if w.backward > 0 {
			p.arcs = append(p.arcs, arc{e.to, e.from, w.backward * e.weight, w})
		}
	}
}

// weightOf returns the weight of a kind, the zero value if it has none.
func weightOf(kind edges.Kind) (w edgeWeight) {
	if i := slices.IndexFunc(edgeWeights, func(w edgeWeight) bool { return w.kind == kind }); i >= 0 {
		w = edgeWeights[i]
	}
	return w
}

// readEdges returns the edges of memories along which a neighbour may become a candidate.
func readEdges(ctx context.Context, r *db.Reader, keys []int64, times edges.Times) ([]edge, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	return unpackEdges(db.One[[]byte](ctx, r, selectReaching, db.List(keys), times.Bind(), maxEdges, kindNames, db.List(reaching)))
}

// unpackEdges returns the edges of a query of packEdges, each once, sorted by key.
func unpackEdges(packed []byte, _ bool, err error) ([]edge, error) {
	all := make([]edge, 0, db.Packed(packed).Len(6))
	for row := range db.Packed(packed).Rows(6) {
		all = append(all, edge{row[0], row[1], row[2], kindByOffset[row[3]], math.Float64frombits(uint64(row[4])), row[5] != 0})
	}
	return eachOnce(all), err // an edge between two of the memories may be read twice
}

// eachOnce returns edges sorted by key, each once.
func eachOnce(all []edge) []edge {
	slices.SortFunc(all, func(a, b edge) int { return cmp.Compare(a.key, b.key) })
	return slices.CompactFunc(all, func(a, b edge) bool { return a.key == b.key })
}

// kindNames are the kinds of edgeWeights, each between blanks. kindByOffset are the kinds
// by the offset of the blank before their name, which is how packEdges encodes them.
// reaching are the kinds of edges along which a neighbour may become a candidate. Along those
// of amongCandidates, candidates propagate only to other candidates.
var kindNames, kindByOffset, reaching, amongCandidates = func() (names string, byOffset map[int64]edges.Kind, reaching, among []edges.Kind) {
	names, byOffset = " ", map[int64]edges.Kind{}
	for _, w := range edgeWeights {
		byOffset[int64(len(names))] = w.kind
		names += string(w.kind) + " "
		switch most := max(w.forward, w.backward); {
		case most >= minShare && !w.isSum:
			reaching = append(reaching, w.kind)
		case most > 0:
			among = append(among, w.kind)
		}
	}
	return names, byOffset, reaching, among
}()

// selectReaching and selectAmong pack the edges of the kinds ?5 that belong to the answer at
// the times ?2, the first at either end of the memories ?1, the second between two of them.
// They encode a kind as its offset in kindNames, which is ?4.
var (
	selectReaching = packEdges(edges.BothWays(selectEdge + `
from json_each(?1) c
cross join edges e on e.{from_key|to_key} = c.value
where e.kind in (select value from json_each(?5))
  and (` + edges.Holds("e", "?2") + ` or ` + edges.Succeeds("e", "?2") + `)`))

	// The plus keeps the engine from looking up each pair: most have no edge.
	selectAmong = packEdges(selectEdge + `
from json_each(?1) c
cross join edges e on e.from_key = c.value
where +e.to_key in (select value from json_each(?1))
  and e.kind in (select value from json_each(?5))
  and (c.value in (select value from json_each(?6)) or e.to_key in (select value from json_each(?6)))
  and ` + edges.Holds("e", "?2"))
)

const selectEdge = `
select
  e.key,
  e.from_key,
  e.to_key,
  e.kind,
  e.weight,
  e.origin in ('agent', 'person', 'import') as stated`

// packEdges returns a query that packs at most ?3 edges that another query selects, for
// unpackEdges.
func packEdges(selected string) string {
	return `
select pack(key, from_key, to_key, instr(?4, ' ' || kind || ' '), weight, stated)
from (` + selected + `
limit ?3
)`
}

// addNeighbours adds memories that are not candidates yet if a single arc could propagate
// enough to them: about maxNeighbours, those that receive most first. All their sections are
// candidates, and the first section is shown.
func (p *pool) addNeighbours(ctx context.Context, r *db.Reader) error {
	received := map[int64]float64{}
	for _, a := range p.arcs {
		if a.isSum || a.share < minShare || p.byMemory[a.to] != nil {
			continue
		}
		score := 0.0 // of a memory that is not a candidate
		if from := p.byMemory[a.from]; from != nil {
			score = from.Score
		}
		received[a.to] = max(received[a.to], a.share*score)
	}
	neighbours := slices.SortedFunc(maps.Keys(received), func(a, b int64) int {
		return cmp.Or(cmp.Compare(received[b], received[a]), cmp.Compare(a, b))
	})
	enough := len(p.all) + maxNeighbours
	for batch := range slices.Chunk(neighbours, depth) {
		found, err := db.Select(ctx, r, scanCandidate, selectNeighbours, p.Filter.Bind(db.List(batch))...)
		for _, c := range found {
			p.add(c).isNeighbour = true
		}
		if err != nil || len(p.all) >= enough {
			return err
		}
	}
	return nil
}

var selectNeighbours = `
select` + candidateOf("s.key", "0.0", "true") + `
from json_each(?1) c
cross join memories m on m.key = c.value
cross join sections s on s.memory = m.key
where ` + question.Passes + `
order by s.ordinal`

// propagate adds to every candidate's score the shares that arcs propagate. It drops neighbours that
// do not receive enough.
func propagate(_ context.Context, _ *db.Reader, p *pool, by change) error {
	received := map[int64][]arc{}
	for _, a := range p.arcs {
		if to := p.byMemory[a.to]; p.byMemory[a.from] != nil && to != nil && (a.maxBytes == 0 || to.size <= a.maxBytes) {
			received[a.to] = append(received[a.to], a)
		}
	}
	best := 0.0
	for _, c := range p.all {
		arcs := received[c.Memory]
		slices.SortFunc(arcs, func(a, b arc) int {
			return cmp.Or(cmp.Compare(p.byMemory[a.from].ID, p.byMemory[b.from].ID), cmp.Compare(a.kind, b.kind), cmp.Compare(b.share, a.share))
		})
		before := c.Score
		c.receive(arcs, p.byMemory)
		c.gains[by.id] += c.Score - before
		if c.passes {
			best = max(best, c.Score)
		}
	}
	p.all = slices.DeleteFunc(p.all, func(c *Candidate) bool { return c.isNeighbour && c.Score < minShare*best })
	return nil
}

// receive adds to a candidate's score the shares that arcs propagate, and records the edges that
// contributed: for each column the largest share, if it exceeds the candidate's own score in
// the column; then whole scores along part-of, the best first.
func (c *Candidate) receive(arcs []arc, senders map[int64]*Candidate) {
	gains, sums := make([]float64, len(arcs)), []int{}
	for column, own := range c.columns {
		best, sender := own, -1
		for i, a := range arcs {
			if sent := a.share * senders[a.from].columns[column]; !a.isSum && sent > best {
				best, sender = sent, i
			}
		}
		if sender >= 0 {
			gains[sender] += best - own
		}
	}
	for i, gain := range gains {
		c.Score += gain
		if arcs[i].isSum {
			sums = append(sums, i)
		}
	}
	if c.Score > 0 {
		sent := func(i int) float64 { return arcs[i].share * senders[arcs[i].from].ownScore() }
		slices.SortStableFunc(sums, func(a, b int) int { return cmp.Compare(sent(b), sent(a)) })
		share := 1.0
		for _, i := range sums {
			gains[i] += sent(i) * share
			c.Score += sent(i) * share
			share *= nextPartShare
		}
	}
	for i, a := range arcs {
		if share := math.Round(1000*gains[i]/c.Score) / 1000; gains[i] > 0 && share >= minReportedShare {
			c.Edges = append(c.Edges, Propagated{From: senders[a.from].ID, Type: a.kind, Share: share})
		}
	}
	slices.SortStableFunc(c.Edges, func(a, b Propagated) int { return cmp.Compare(b.Share, a.Share) })
}

// speaker is who said a memory, and what kind it is.
type speaker struct{ origin, actor, kind string }

// Fields returns the columns of a speaker.
func (s *speaker) Fields() []any { return []any{&s.origin, &s.actor, &s.kind} }

// conversation holds the speakers of the candidates of a question and of the memories before and
// after them, by the memories' keys.
type conversation struct {
	speakers map[int64]speaker
	replies  map[int64]bool // memories that are a model's reply to a person
}

// replyShare is the share of its score that a reply propagates to its message: more than other
// memories along follows, because it says in other words what was asked. Between two messages of a
// person is the reply of a model. So the two propagate to each other across the reply, in each direction
// the product of the shares of the two edges follows, and the next message and the reply nothing.
// It was chosen on ten of the chats of BEAM (make bench-recall).
const replyShare = 0.6

func (c conversation) isPerson(key int64) bool { return c.speakers[key].origin == "person" }

func (c conversation) isSameSpeaker(a, b int64) bool {
	return c.speakers[a].origin == c.speakers[b].origin && c.speakers[a].actor == c.speakers[b].actor
}

// isReply reports whether an edge follows is from a model's reply to a person's message. A
// memory that an agent stores on purpose follows nothing, or a memory of another kind.
func (c conversation) isReply(e edge) bool {
	return c.speakers[e.from].origin == "agent" && c.isPerson(e.to) && c.speakers[e.from].kind == c.speakers[e.to].kind
}

// readConversation reads the speakers of the candidates and of the other ends of their edges
// follows, and adds the arcs between messages of a person across a reply. It reads nothing if no
// edge is follows or no person speaks in the store.
func (p *pool) readConversation(ctx context.Context, r *db.Reader, found []edge) error {
	isOther := func(e edge) bool { return e.kind != edges.Follows }
	follows := slices.DeleteFunc(slices.Clone(found), isOther)
	if len(follows) == 0 || !p.peopleSpeak {
		return nil
	}
	p.turns = conversation{map[int64]speaker{}, map[int64]bool{}}
	for _, c := range p.all {
		p.turns.speakers[c.Memory] = speaker{c.Origin, c.Actor, c.Kind}
	}
	if err := p.turns.read(ctx, r, follows); err != nil {
		return err
	}
	beside, err := readEdges(ctx, r, p.keysBetween(follows), p.Filter.Times)
	if err != nil {
		return err
	}
	follows = eachOnce(append(follows, slices.DeleteFunc(beside, isOther)...))
	if err := p.turns.read(ctx, r, follows); err != nil {
		return err
	}
	for _, e := range follows {
		p.turns.replies[e.from] = p.turns.replies[e.from] || p.turns.isReply(e)
	}
	p.addArcsAcrossReplies(follows)
	return nil
}

// peopleSpeak reports whether a namespace, or the store if it is "", has a memory that a
// person said.
func peopleSpeak(ctx context.Context, r *db.Reader, namespace string) (speak bool, err error) {
	speak, _, err = db.One[bool](ctx, r, `
select exists (
  select 1
  from memory_counts
  where origin = 'person'
    and number > 0
    and ?1 in ('', namespace)
)`, namespace)
	return speak, err
}

// read adds the speakers at the ends of edges, except those that are known already.
func (c conversation) read(ctx context.Context, r *db.Reader, all []edge) error {
	unknown := []int64{}
	for _, e := range all {
		for _, key := range []int64{e.from, e.to} {
			if _, isKnown := c.speakers[key]; !isKnown {
				unknown = append(unknown, key)
			}
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	return db.Fill(ctx, r, c.speakers, `
select
  m.key,
  m.origin,
  m.actor,
  m.kind
from json_each(?1) c
cross join memories m on m.key = c.value`, db.List(unknown))
}

// keysBetween returns the memories directly before and after a person's candidate that another
// speaker said and that are not candidates: their edges are not read yet.
func (p *pool) keysBetween(follows []edge) (keys []int64) {
	for _, e := range follows {
		for _, ends := range [][2]int64{{e.from, e.to}, {e.to, e.from}} {
			if p.byMemory[ends[0]] != nil && p.byMemory[ends[1]] == nil && p.turns.isPerson(ends[0]) && !p.turns.isSameSpeaker(ends[0], ends[1]) {
				keys = append(keys, ends[1])
			}
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// addArcsAcrossReplies adds the arcs between two messages of the same person with one memory of
// another speaker between them.
func (p *pool) addArcsAcrossReplies(follows []edge) {
	byLater := map[int64][]edge{}
	for _, e := range follows {
		byLater[e.from] = append(byLater[e.from], e)
	}
	w := weightOf(edges.Follows)
	for _, later := range follows {
		for _, earlier := range byLater[later.to] {
			from, to, weight := later.from, earlier.to, later.weight*earlier.weight
			if p.turns.isPerson(from) && from != to && p.turns.isSameSpeaker(from, to) && !p.turns.isSameSpeaker(from, later.to) {
				p.arcs = append(p.arcs, arc{from, to, w.forward * w.forward * weight, w}, arc{to, from, w.backward * w.backward * weight, w})
			}
		}
	}
}

// adjust returns the weight of an edge, changed if it is a reply or follows one.
func (c conversation) adjust(e edge, w edgeWeight) edgeWeight {
	switch {
	case e.kind != edges.Follows:
	case c.isReply(e):
		w.forward = replyShare
	case c.isPerson(e.from) && c.replies[e.to]:
		w.forward, w.backward = 0, 0
	}
	return w
}
