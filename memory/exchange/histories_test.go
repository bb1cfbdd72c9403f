package exchange_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
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
	"hence/memory/exchange/lines"
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

// together is how many histories happen in one store, about.
const together = 400

// groupsOf returns every history of that many stores after a past, and how many there are. Those that differ only by
// symmetry count once, and the histories of a group share an order. The first store does the same in each group of an
// order, so that its file is made once: place n has sequence n modulo their number, and does it alone where no history
// waits for it any more.
func (l *laboratory) groupsOf(t dbtest.TB, p past, sequences [][]operation, stores int) (groups []group, number int) {
	seen, places := map[string]bool{}, len(sequences)*max(1, together/len(sequences))
	begin := sync.OnceValue(func() []byte { return l.begin(t, p, places) })
	for _, o := range ordersOf(p, stores) {
		alone := make([]history, places)
		for n := range alone {
			alone[n] = make(history, stores)
			alone[n][0] = sequences[n%len(sequences)]
		}
		first := sync.OnceValue(func() []byte { return l.act(t, begin(), o, 0, alone) })
		waiting, left := newHistories(p, o, sequences, stores, seen)
		for left > 0 {
			g := group{past: p, order: o, histories: slices.Clone(alone), begin: begin, first: first}
			for n := range places {
				if own := &waiting[n%len(sequences)]; len(*own) > 0 {
					g.histories[n], *own = (*own)[0], (*own)[1:]
					g.tried++
				}
			}
			groups, number, left = append(groups, g), number+g.tried, left-g.tried
		}
	}
	return groups, number
}

// newHistories returns the histories in an order that were not seen yet, by the sequence of the first store, and how many
// they are. The other stores' sequences are counted from the first's, so that about as many histories have each of these.
func newHistories(p past, o order, sequences [][]operation, stores int, seen map[string]bool) (byFirst [][]history, number int) {
	byFirst = make([][]history, len(sequences))
	h, turns := make(history, stores), make([]int, stores)
	var choose func(n int)
	choose = func(n int) {
		if n < stores {
			for turns[n] = range sequences {
				choose(n + 1)
			}
			return
		}
		for first := range sequences {
			for store, turn := range turns {
				h[store] = sequences[(first+turn)%len(sequences)]
			}
			if key := h.key(p, o); !seen[key] {
				seen[key] = true
				byFirst[first], number = append(byFirst[first], slices.Clone(h)), number+1
			}
		}
	}
	choose(1)
	return byFirst, number
}

// someHistories draws a few.
func (l *laboratory) someHistories(t dbtest.TB, p past, sequences [][]operation, stores int, chance *rand.Rand) group {
	const few = 40
	orders := ordersOf(p, stores)
	histories := make([]history, few)
	for n := range histories {
		for range stores {
			histories[n] = append(histories[n], sequences[chance.IntN(len(sequences))])
		}
	}
	return l.groupOf(t, p, orders[chance.IntN(len(orders))], histories)
}

// Two stores with two operations each, and three with one, on two memories, end in the same bytes and
// with the same doubts in whatever order they merge, and nothing that one of them acknowledged is lost.
// HENCE_HISTORIES=1 tries all of them, up to symmetry, 0.1 a tenth; otherwise a few are drawn. HENCE_HISTORIES_AFTER=N
// goes on where an earlier run ended, after the first N.
func TestAllShortHistoriesMerge(t *testing.T) {
	dbtest.SkipUnderRace(t)
	dbtest.SkipOnCluster(t, "it copies files")
	seed, err := strconv.ParseUint(flag.Lookup("rapid.seed").Value.String(), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	share, _ := strconv.ParseFloat(os.Getenv("HENCE_HISTORIES"), 64)
	chance, lab, groups, total := rand.New(rand.NewPCG(1, seed)), newLaboratory(t), []group{}, 0
	for _, of := range [][2]int{{3, 1}, {2, 2}} { // three stores at first, where the order of merging has the most to say
		stores, length := of[0], of[1]
		for n, p := range pasts {
			if share == 0 && n != int(seed)%len(pasts) {
				continue
			}
			sequences := lab.sequences(t, p, length)
			if share == 0 {
				groups = append(groups, lab.someHistories(panicking{t}, p, sequences, stores, chance))
				continue
			}
			all, number := lab.groupsOf(panicking{t}, p, sequences, stores)
			for _, g := range all {
				if chance.Float64() < share {
					groups = append(groups, g)
				}
			}
			total += number
			t.Logf("%d stores after %s: %d sequences, %d histories", stores, p.name, len(sequences), number)
		}
	}
	after, _ := strconv.Atoi(os.Getenv("HENCE_HISTORIES_AFTER"))
	before, chosen := 0, 0
	todo := make(chan group, len(groups))
	for _, g := range groups {
		if before += g.tried; before > after {
			chosen += g.tried
			todo <- g
		}
	}
	close(todo)
	t.Logf("%d of %d histories are tried", chosen, total)
	var tried, failed atomic.Int64
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
				const step = 5_000
				if n := tried.Add(int64(g.tried)); n/step > (n-int64(g.tried))/step {
					t.Logf("%d are tried", n)
				}
			}
		})
	}
	working.Wait()
	if n := failed.Load(); n > 0 {
		t.Errorf("%d histories fail", n)
	}
}
