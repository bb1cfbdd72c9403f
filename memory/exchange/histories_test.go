package exchange_test

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hence/edges"
	"hence/edges/belief"
	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/doctor"
	"hence/memory/exchange/lines"
	"hence/memory/exchange/merge"
)

// operation is one operation of a history, on the memories a and b: a verb, for link and unlink with
// a kind, and the memories that it names.
type operation struct {
	verb     string
	kind     edges.Kind
	from, to string // to is for link and unlink
}

func (o operation) String() string {
	return strings.TrimSpace(fmt.Sprint(o.verb, " ", o.from, " ", o.kind, " ", o.to))
}

// mirrored is the operation with the memories exchanged.
func (o operation) mirrored() operation {
	o.from = map[string]string{"a": "b", "b": "a"}[o.from]
	if o.to != "" {
		o.to = map[string]string{"a": "b", "b": "a"}[o.to]
	}
	return o
}

// alphabet is every operation. Causes stands for the kinds without rules.
var alphabet = func() (all []operation) {
	for _, m := range []string{"a", "b"} {
		other := map[string]string{"a": "b", "b": "a"}[m]
		for _, verb := range []string{"store", "store the same", "edit", "forget", "restore", "purge", "verify"} {
			all = append(all, operation{verb: verb, from: m})
		}
		for _, kind := range []edges.Kind{edges.Supersedes, edges.DependsOn, edges.DerivedFrom, edges.Contradicts, edges.Causes} {
			all = append(all, operation{"link", kind, m, other}, operation{"unlink", kind, m, other})
		}
	}
	return all
}()

// past is what the stores of a history have in common.
type past struct {
	name       string
	memories   []string
	operations []operation
}

var pasts = []past{
	{name: "nothing"},
	{name: "two memories", memories: []string{"a", "b"}},
	{name: "a doubt", memories: []string{"a", "b"}, operations: []operation{{"link", edges.DependsOn, "a", "b"}, {verb: "edit", from: "b"}}},
	{name: "edges that were unlinked", memories: []string{"a", "b"}, operations: []operation{
		{"link", edges.Contradicts, "a", "b"}, {"unlink", edges.Contradicts, "a", "b"}, {"link", edges.DependsOn, "a", "b"}, {"unlink", edges.DependsOn, "a", "b"},
	}},
	{name: "a successor", memories: []string{"a", "b"}, operations: []operation{{"link", edges.Supersedes, "a", "b"}}},
}

func (p past) isSymmetric() bool { return len(p.operations) == 0 }

// order says at which times the operations of each store happen, and whether the stores are copies
// of one file, with one tag.
type order struct {
	at     [][]int
	copied bool
}

// history is what each store did.
type history [][]operation

func (h history) String() string {
	stores := []string{}
	for _, done := range h {
		stores = append(stores, strings.Join(strings.Split(fmt.Sprint(done), ","), ";"))
	}
	return strings.Join(stores, " | ")
}

// key names a history in an order, the same for those that differ only in which store is which and,
// after a symmetric past, in which memory is which.
func (h history) key(p past, o order) string {
	own := func(h history) string {
		stores := []string{}
		for n, done := range h {
			stores = append(stores, fmt.Sprint(o.at[n], done))
		}
		slices.Sort(stores)
		return fmt.Sprint(o.copied, stores)
	}
	if !p.isSymmetric() {
		return own(h)
	}
	mirrored := history{}
	for _, done := range h {
		other := []operation{}
		for _, one := range done {
			other = append(other, one.mirrored())
		}
		mirrored = append(mirrored, other)
	}
	return min(own(h), own(mirrored))
}

// slots is how many times there are.
const slots = 4

var firstMoment = time.Date(2031, 1, 1, 0, 0, 0, 0, time.UTC)

func momentOf(slot int) time.Time { return firstMoment.Add(time.Duration(slot+1) * time.Minute) }

// doIn does an operation in a store, in whose texts the words stand. The memories of a history have ids
// with a prefix of its own.
func (o operation) doIn(d *db.DB, prefix, words string) (err error) {
	ctx, c := context.Background(), ref.Caller{Actor: "person", Origin: "person"}
	s, g, id, to := memory.Store{DB: d, Caller: c}, edges.Graph{DB: d, Caller: c}, prefix+o.from, prefix+o.to
	switch o.verb {
	case "store", "store the same":
		if o.verb == "store the same" {
			words = "the same"
		}
		line := db.List(map[string]any{"type": "memory", "id": id, "title": prefix + o.from, "content": prefix + words, "created_at": firstMoment, "origin": "person"})
		done, err := lines.Import(ctx, ref.View{DB: d, Caller: c}, strings.NewReader(line), lines.ImportArgs{Name: "lines"})
		if err == nil && done.Memories.Added == 0 {
			err = fault.New(fault.Exists, "the memory is there")
		}
		return err
	case "edit":
		_, err = s.Revise(ctx, memory.UpdateArgs{ID: id, Content: new(prefix + words)})
	case "forget", "purge":
		_, err = s.Forget(ctx, memory.ForgetArgs{ID: id, Purge: o.verb == "purge"})
	case "restore":
		_, err = s.Restore(ctx, memory.RestoreArgs{ID: id})
	case "verify":
		_, err = s.Verify(ctx, belief.VerifyArgs{ID: id})
	case "link":
		_, err = g.Link(ctx, edges.LinkArgs{From: id, To: to, Type: string(o.kind)})
	case "unlink":
		_, err = g.Unlink(ctx, edges.UnlinkArgs{From: id, To: to, Type: string(o.kind)})
	}
	return err
}

// laboratory makes stores.
type laboratory struct {
	empty  []byte
	folder string
	count  atomic.Int64
}

func newLaboratory(t *testing.T) *laboratory {
	d := dbtest.New(t)
	path := d.Path()
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	empty, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return &laboratory{empty: empty, folder: dbtest.Folder(t)}
}

// open opens a store that has the bytes of a file.
func (l *laboratory) open(t dbtest.TB, file []byte) *db.DB {
	t.Helper()
	path := filepath.Join(l.folder, fmt.Sprint(l.count.Add(1)))
	err := os.WriteFile(path, file, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	d, err := db.Open(context.Background(), path, db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// close removes a store, and returns the bytes of its file.
func (l *laboratory) close(t dbtest.TB, d *db.DB) []byte {
	t.Helper()
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(d.Path())
	if err != nil {
		t.Fatal(err)
	}
	_ = os.Remove(d.Path())
	return file
}

func setClock(t dbtest.TB, d *db.DB, at time.Time) {
	t.Helper()
	if _, err := d.Write(context.Background(), "", db.Time(at), db.S(`select 1`)); err != nil {
		t.Fatal(err)
	}
}

// dateEdges gives the edges that were made just now the time of a slot: their time is that of the machine, where it
// is not the store's.
func dateEdges(t dbtest.TB, d *db.DB, slot int) {
	t.Helper()
	if _, err := d.Write(context.Background(), "", "", db.S(`update edges set created_at = ? where created_at < ?`, db.Time(momentOf(slot)), db.Time(firstMoment))); err != nil {
		t.Fatal(err)
	}
}

func prefixOf(n int) string { return fmt.Sprintf("h%05d-", n) }

// begin returns the file of a store in which number histories have the past.
func (l *laboratory) begin(t dbtest.TB, p past, number int) []byte {
	t.Helper()
	d := l.open(t, l.empty)
	setClock(t, d, firstMoment)
	var text strings.Builder
	for n := range number {
		for _, m := range p.memories {
			fmt.Fprintln(&text, db.List(map[string]any{"type": "memory", "id": prefixOf(n) + m, "title": prefixOf(n) + m, "content": prefixOf(n) + "past " + m, "created_at": firstMoment, "origin": "person"}))
		}
	}
	if _, err := lines.Import(context.Background(), ref.View{DB: d, Caller: ref.Caller{Actor: "person", Origin: "person"}}, strings.NewReader(text.String()), lines.ImportArgs{Name: "past"}); err != nil {
		t.Fatal(err)
	}
	for n := range number {
		for _, o := range p.operations {
			if err := o.doIn(d, prefixOf(n), "past "+o.from+" edited"); err != nil {
				t.Fatal(err)
			}
		}
	}
	dateEdges(t, d, -1)
	return l.close(t, d)
}

// sequences returns the sequences of operations of that length that a store takes after a past, none of
// which is refused or changes nothing.
func (l *laboratory) sequences(t dbtest.TB, p past, length int) (all [][]operation) {
	t.Helper()
	todo := [][]operation{{}}
	for range length {
		longer := [][]operation{}
		for _, s := range todo {
			for _, o := range alphabet {
				longer = append(longer, append(slices.Clone(s), o))
			}
		}
		d := l.open(t, l.begin(t, p, len(longer)))
		todo = nil
		for n, s := range longer {
			taken := true
			for i, o := range s {
				setClock(t, d, momentOf(i))
				before := dbtest.Texts(t, d, `select coalesce(max(seq), 0) from journal`)[0]
				err := o.doIn(d, prefixOf(n), "text")
				if code := fault.CodeOf(err); err != nil && !slices.Contains([]fault.Code{fault.NotFound, fault.Conflict, fault.Cycle, fault.Exists, fault.InvalidArgument}, code) {
					t.Fatal(fmt.Sprint(s, " after ", p.name, ": ", err))
				}
				taken = taken && err == nil && dbtest.Texts(t, d, `select coalesce(max(seq), 0) from journal`)[0] != before
			}
			if taken {
				todo = append(todo, s)
			}
		}
		l.close(t, d)
	}
	return todo
}

// group is some histories that happen in the same stores, in one order.
type group struct {
	past
	order
	histories []history
}

// trial is a group with the stores in which it happened.
type trial struct {
	group
	lab    *laboratory
	files  [][]byte
	faults map[int][]string // by history; of the group as a whole under -1
}

func (g group) try(t dbtest.TB, lab *laboratory) map[int][]string {
	t.Helper()
	r := &trial{group: g, lab: lab, faults: map[int][]string{}}
	begin := lab.begin(t, g.past, len(g.histories))
	stores := []*db.DB{}
	for store := range g.at {
		d := lab.open(t, begin)
		if !g.copied {
			if _, err := d.Write(context.Background(), "", "", db.S(`update store set tag = ?`, fmt.Sprint("tag", store))); err != nil {
				t.Fatal(err)
			}
		}
		stores = append(stores, d)
	}
	for slot := range slots {
		for store, d := range stores {
			if i := slices.Index(g.at[store], slot); i >= 0 {
				setClock(t, d, momentOf(slot))
				for n, h := range g.histories {
					if err := h[store][i].doIn(d, prefixOf(n), textOf(store, i)); err != nil {
						r.fail(n, "%s is refused: %v", h[store][i], err)
					}
				}
				dateEdges(t, d, slot)
			}
		}
	}
	for _, d := range stores {
		r.files = append(r.files, lab.close(t, d))
	}
	var first []string
	for _, way := range ways(len(g.at)) {
		states := r.meet(t, way)
		for store, state := range states[1:] {
			r.compare(withoutRevisions(states[0]), withoutRevisions(state), fmt.Sprintf("after %v store %d differs from store 0", way, store+1))
		}
		state := withoutRevisions(states[0])
		if first == nil {
			first = state
			r.nothingIsLost(states[0])
		}
		r.compare(first, state, fmt.Sprintf("after %v the stores differ from what they are after %v", way, ways(len(g.at))[0]))
	}
	return r.faults
}

func textOf(store, i int) string { return fmt.Sprintf("text %d of store %d", i, store) }

func (r *trial) fail(n int, format string, args ...any) {
	r.faults[n] = append(r.faults[n], fmt.Sprintf(format, args...))
}

// ways returns orders of merging after which every store has everything: each a list of pairs, into
// and from.
func ways(stores int) (all [][][2]int) {
	if stores == 2 {
		return [][][2]int{{{0, 1}, {1, 0}}, {{1, 0}, {0, 1}}}
	}
	for a := range 3 {
		for b := range 3 {
			if c := 3 - a - b; a != b && c >= 0 && c != a && c != b {
				all = append(all,
					[][2]int{{a, b}, {a, c}, {b, a}, {c, a}},         // all meet in a
					[][2]int{{b, a}, {c, b}, {b, c}, {a, b}},         // there and back
					[][2]int{{a, b}, {b, c}, {c, a}, {a, c}, {b, c}}, // around
				)
			}
		}
	}
	return all
}

// meet merges copies of the stores in one way, and returns what is in each of them.
func (r *trial) meet(t dbtest.TB, way [][2]int) (states [][]string) {
	t.Helper()
	stores := []*db.DB{}
	for _, file := range r.files {
		stores = append(stores, r.lab.open(t, file))
	}
	for n, pair := range way {
		mergeWay(t, stores[pair[0]], stores[pair[1]], n%2 == 0)
	}
	for n, d := range stores {
		if done := mergeWay(t, d, stores[(n+1)%len(stores)], true); done.Changes() {
			r.fail(-1, "another merge changes %+v", done)
		}
		states = append(states, append(withoutDerivedPurges(export(t, d)), dbtest.Texts(t, d, `select json_array('stale', id, because_id, reason) from stale order by 1`)...))
	}
	if slices.Equal(way, ways(len(stores))[0]) {
		r.examine(t, stores[0])
	}
	for _, d := range stores {
		r.lab.close(t, d)
	}
	return states
}

// withoutRevisions returns lines without the number of a memory's revisions. Which stores met first decides
// how often a field changed in one; the highest number reaches the others when they next merge.
func withoutRevisions(lines []string) (plain []string) {
	for _, line := range lines {
		plain = append(plain, revision.ReplaceAllString(line, ""))
	}
	return plain
}

var revision = regexp.MustCompile(`"revision":\d+`)

// withoutDerivedPurges returns the lines of an export without the purges of texts that gave way: where the purge
// of a memory comes before the second edit of it, there was no such text, and none is remembered.
func withoutDerivedPurges(text string) []string {
	return slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool {
		return strings.HasPrefix(line, `{"type":"purged"`) && historyOf(line) < 0
	})
}

func (r *trial) examine(t dbtest.TB, d *db.DB) {
	t.Helper()
	report, err := doctor.Doctor{DB: d}.Examine(context.Background(), false)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range report.Findings {
		if !f.Healthy && f.Check != "unfinished files" && f.Check != "permissions" {
			r.fail(-1, "the doctor finds %s: %q", f.Check, f.Problems)
		}
	}
}

func mergeWay(t dbtest.TB, into, from *db.DB, byStore bool) merge.Merged {
	t.Helper()
	s, a := ref.View{DB: into, Caller: ref.Caller{Actor: "merger"}}, lines.ImportArgs{Name: "OTHER"}
	var done merge.Merged
	var err error
	if byStore {
		done, err = merge.Stores(context.Background(), s, ref.View{DB: from}, a)
	} else {
		done, err = merge.Lines(context.Background(), s, strings.NewReader(export(t, from)), a)
	}
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// compare finds the histories in whose lines two states differ.
func (r *trial) compare(first, other []string, what string) {
	if slices.Equal(first, other) {
		return
	}
	for _, side := range []struct {
		sign      string
		here, not []string
	}{{"-", first, other}, {"+", other, first}} {
		there := map[string]bool{}
		for _, line := range side.not {
			there[line] = true
		}
		for _, line := range side.here {
			if !there[line] {
				r.fail(historyOf(line), "%s: %s%s", what, side.sign, line)
			}
		}
	}
	if len(r.faults) == 0 {
		r.fail(-1, "%s: the same lines in another order", what)
	}
}

// historyOf returns the number of the history to which a line belongs, -1 if none.
func historyOf(line string) (n int) {
	_, rest, ok := strings.Cut(line, `"h`)
	if !ok {
		return -1
	}
	if _, err := fmt.Sscanf(rest, "%05d-", &n); err != nil {
		return -1
	}
	return n
}

// nothingIsLost checks what the stores acknowledged against the state that all have in the end.
func (r *trial) nothingIsLost(state []string) {
	of := make([]ended, len(r.histories))
	for n := range of {
		of[n] = ended{memories: map[string]lines.Memory{}, edges: map[string]bool{}, texts: map[string]bool{}}
	}
	for _, line := range state {
		n := historyOf(line)
		if n < 0 {
			continue
		}
		e := &of[n]
		switch {
		case strings.HasPrefix(line, `["stale"`):
		case strings.HasPrefix(line, `{"type":"memory"`):
			var m lines.Memory
			if err := json.Unmarshal([]byte(line), &m); err != nil {
				r.fail(n, "%s: %v", line, err)
			}
			e.memories[m.ID], e.texts[m.Content] = m, true
		default:
			var edge struct {
				Type, From, To, Kind string
				EdgeType             string `json:"edge_type"`
			}
			if err := json.Unmarshal([]byte(line), &edge); err != nil {
				r.fail(n, "%s: %v", line, err)
			}
			name := cmp.Or(edge.EdgeType, edge.Kind)
			e.edges[edge.From+" "+name+" "+edge.To] = true
			e.edges[edge.To+" "+name+" "+edge.From] = true
		}
	}
	for n, h := range r.histories {
		for _, loss := range h.losses(r.past, prefixOf(n), of[n]) {
			r.fail(n, "%s", loss)
		}
	}
}

// ended is what is there of a history in the end.
type ended struct {
	memories map[string]lines.Memory
	texts    map[string]bool
	edges    map[string]bool // "from kind to", in both directions; also those that were removed or are to be settled
}

// losses returns what a store acknowledged and nobody has in the end.
func (h history) losses(p past, prefix string, e ended) (losses []string) {
	purged, again, all, editedSame := map[string]bool{}, map[string]bool{}, map[operation]bool{}, map[string]bool{}
	for _, done := range h {
		for i, o := range done {
			before := func(verb string) bool { return slices.Contains(done[:i], operation{verb: verb, from: o.from}) }
			purged[o.from], all[o] = purged[o.from] || o.verb == "purge", true
			again[o.from] = again[o.from] || strings.HasPrefix(o.verb, "store") && before("purge")
			editedSame[o.from] = editedSame[o.from] || o.verb == "edit" && before("store the same")
		}
	}
	for store, done := range h {
		said, linked := map[string]string{}, map[operation]bool{}
		for _, m := range p.memories {
			said[m] = ""
		}
		isForgotten := map[string]bool{}
		for i, o := range done {
			switch o.verb {
			case "store", "edit":
				said[o.from] = textOf(store, i)
			case "store the same":
				said[o.from] = "the same"
			case "forget":
				isForgotten[o.from] = true
			case "restore":
				isForgotten[o.from] = false
			case "link":
				linked[o] = true
			case "unlink":
				o.verb = "link"
				delete(linked, o)
			}
		}
		for _, m := range slices.Sorted(maps.Keys(said)) {
			id := prefix + m
			there, ok := e.memories[id]
			switch {
			case purged[m]:
				if ok && !again[m] {
					losses = append(losses, fmt.Sprintf("%s was purged, and is there", m))
				}
				continue
			case !ok:
				losses = append(losses, fmt.Sprintf("%s is gone", m))
			case said[m] == "the same" && editedSame[m]:
			case said[m] != "" && !e.texts[prefix+said[m]]:
				losses = append(losses, fmt.Sprintf("%q of %s is gone", said[m], m))
			}
			touched := slices.ContainsFunc([]string{"edit", "restore", "verify", "store", "store the same"}, func(verb string) bool { return all[operation{verb: verb, from: m}] })
			if isForgotten[m] && !touched && there.Status != memory.Forgotten {
				losses = append(losses, fmt.Sprintf("%s was forgotten, and nobody edited, verified or stored it, and is not forgotten", m))
			}
			if all[operation{verb: "verify", from: m}] && there.VerifiedAt == "" {
				losses = append(losses, fmt.Sprintf("the verification of %s is gone", m))
			}
		}
		for _, o := range slices.SortedFunc(maps.Keys(linked), func(a, b operation) int { return cmp.Compare(a.String(), b.String()) }) {
			if !purged["a"] && !purged["b"] && !e.edges[prefix+o.from+" "+string(o.kind)+" "+prefix+o.to] {
				losses = append(losses, fmt.Sprintf("%s is gone", o))
			}
		}
	}
	return losses
}

// panicking is a test in a goroutine that Fatal must not end.
type panicking struct{ dbtest.TB }

func (panicking) Fatal(args ...any) { panic(fmt.Sprint(args...)) }

// tryAlone is try in a goroutine of its own.
func (g group) tryAlone(t dbtest.TB, lab *laboratory) (faults map[int][]string) {
	defer func() {
		if wrong := recover(); wrong != nil {
			faults = map[int][]string{-1: {fmt.Sprint(wrong)}}
		}
	}()
	return g.try(panicking{t}, lab)
}

// ordersOf returns the orders of three stores with one operation, all, or of two with two, without those in which only
// some happen at one time. After a past that brings edges they are three: one store after the other, in turn, at one time.
func ordersOf(p past, stores int) (all []order) {
	if stores == 3 {
		for _, at := range [][3]int{
			{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}, // one after the other
			{0, 0, 1}, {0, 1, 0}, {1, 0, 0}, {0, 1, 1}, {1, 0, 1}, {1, 1, 0}, {0, 0, 0},
		} {
			for _, copied := range []bool{false, true} {
				all = append(all, order{[][]int{{at[0]}, {at[1]}, {at[2]}}, copied})
			}
		}
		return all
	}
	for _, at := range [][2][]int{{{0, 1}, {2, 3}}, {{0, 2}, {1, 3}}, {{0, 3}, {1, 2}}, {{1, 2}, {0, 3}}, {{1, 3}, {0, 2}}, {{2, 3}, {0, 1}}, {{0, 1}, {0, 1}}} {
		all = append(all, order{at[:], false})
	}
	if !p.isSymmetric() {
		return []order{all[0], all[1], all[6]}
	}
	return append(all, order{[][]int{{0, 1}, {0, 1}}, true})
}

// historiesOf returns all histories after a past of so many stores, up to symmetry, by order.
func historiesOf(p past, sequences [][]operation, stores int) (groups []group) {
	seen := map[string]bool{}
	for _, o := range ordersOf(p, stores) {
		g := group{past: p, order: o}
		h := make(history, stores)
		var choose func(n int)
		choose = func(n int) {
			if n < stores {
				for _, h[n] = range sequences {
					choose(n + 1)
				}
			} else if key := h.key(p, o); !seen[key] {
				seen[key] = true
				g.histories = append(g.histories, slices.Clone(h))
			}
		}
		choose(0)
		groups = append(groups, g)
	}
	return groups
}

// someHistories draws a few.
func someHistories(p past, sequences [][]operation, stores int, chance *rand.Rand) group {
	const few = 40
	orders := ordersOf(p, stores)
	g := group{past: p, order: orders[chance.IntN(len(orders))]}
	for range few {
		h := history{}
		for range stores {
			h = append(h, sequences[chance.IntN(len(sequences))])
		}
		g.histories = append(g.histories, h)
	}
	return g
}

// Two stores with two operations each, and three with one, on two memories, end in the same bytes and
// with the same doubts in whatever order they merge, and nothing that one of them acknowledged is lost.
// HENCE_HISTORIES=1 tries all of them, up to symmetry, 0.1 a tenth; otherwise a few are drawn.
func TestAllShortHistoriesMerge(t *testing.T) {
	dbtest.SkipUnderRace(t)
	dbtest.SkipOnCluster(t, "it copies files")
	const together = 400 // histories in one store
	seed, err := strconv.ParseUint(flag.Lookup("rapid.seed").Value.String(), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	share, _ := strconv.ParseFloat(os.Getenv("HENCE_HISTORIES"), 64)
	chance, lab, groups, total := rand.New(rand.NewPCG(1, seed)), newLaboratory(t), []group{}, 0
	for stores, length := range map[int]int{2: 2, 3: 1} {
		for n, p := range pasts {
			if share == 0 && n != int(seed)%len(pasts) {
				continue
			}
			sequences := lab.sequences(t, p, length)
			if share == 0 {
				groups = append(groups, someHistories(p, sequences, stores, chance))
				continue
			}
			number := 0
			for _, g := range historiesOf(p, sequences, stores) {
				number += len(g.histories)
				for part := range slices.Chunk(g.histories, together) {
					if chance.Float64() < share {
						groups = append(groups, group{g.past, g.order, part})
					}
				}
			}
			total += number
			t.Logf("%d stores after %s: %d sequences, %d histories", stores, p.name, len(sequences), number)
		}
	}
	tried := 0
	todo := make(chan group, len(groups))
	for _, g := range groups {
		tried += len(g.histories)
		todo <- g
	}
	close(todo)
	t.Logf("%d of %d histories are tried", tried, total)
	var failed atomic.Int64
	var working sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		working.Go(func() {
			for g := range todo {
				for n, faults := range g.tryAlone(t, lab) {
					if failed.Add(1) > 20 {
						continue
					}
					name := "all"
					if n >= 0 && n < len(g.histories) {
						name = g.histories[n].String()
					}
					t.Errorf("%s, after %s, at %v, copied %v:\n%s", name, g.name, g.at, g.copied, strings.Join(faults[:min(6, len(faults))], "\n"))
				}
			}
		})
	}
	working.Wait()
	if n := failed.Load(); n > 0 {
		t.Errorf("%d histories fail", n)
	}
}
