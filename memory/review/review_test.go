package review_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hence/edges"
	"hence/edges/belief"
	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/lists"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/review"
)

var (
	person = ref.Caller{Actor: "ada", Origin: "person"}
	agent  = ref.Caller{Actor: "bot", Origin: "agent"}
)

// run makes the call of a tool as tools do.
func run(ctx context.Context, v ref.View, tool string, raw []byte) error {
	s := memory.Store(v)
	decode := func(a any) {
		if err := json.Unmarshal(raw, a); err != nil {
			panic(err)
		}
	}
	var err error
	switch tool {
	case "memory_store":
		var a memory.StoreArgs
		decode(&a)
		_, err = s.Remember(ctx, a, nil)
	case "memory_checkpoint":
		var a memory.CheckpointArgs
		decode(&a)
		_, err = s.Checkpoint(ctx, a, nil)
	case "memory_update":
		var a memory.UpdateArgs
		decode(&a)
		_, err = s.Correct(ctx, a, nil)
	case "memory_forget":
		var a memory.ForgetArgs
		decode(&a)
		_, err = s.Forget(ctx, a)
	case "memory_restore":
		var a memory.RestoreArgs
		decode(&a)
		_, err = s.Restore(ctx, a)
	case "memory_verify":
		var a belief.VerifyArgs
		decode(&a)
		_, err = s.Verify(ctx, a)
	case "memory_link":
		var a edges.LinkAllArgs
		decode(&a)
		_, err = belief.Graph(v).LinkAll(ctx, a)
	case "memory_unlink":
		var a edges.UnlinkArgs
		decode(&a)
		_, err = edges.Graph(v).Unlink(ctx, a)
	}
	return err
}

// asks makes an agent's call in a session.
func asks(t *testing.T, d *db.DB, session, tool string, raw string) (waits bool, err error) {
	t.Helper()
	ctx := review.WithSession(t.Context(), func() string { return session })
	return review.Desk{DB: d, Caller: agent}.Answer(ctx, tool, []byte(raw), false, func(ctx context.Context, v ref.View) error {
		return run(ctx, v, tool, []byte(raw))
	})
}

// world is what a store says, read naively.
type world struct{ current, stale, conflicts map[string]bool }

func read(t *testing.T, d *db.DB) world {
	t.Helper()
	set := func(query string) map[string]bool {
		all := map[string]bool{}
		for _, one := range dbtest.Texts(t, d, query) {
			all[one] = true
		}
		return all
	}
	return world{
		set(`select id from memories where status = 'current'`),
		set(`select id || ' ' || because_id || ' ' || reason from stale`),
		set(`
select min(f.id, t.id) || ' ' || max(f.id, t.id)
from edges e
join memories f on f.key = e.from_key and f.status = 'current'
join memories t on t.key = e.to_key and t.status = 'current'
where e.kind = 'contradicts'`),
	}
}

func added(before, after map[string]bool) (all []string) {
	for one := range after {
		if !before[one] {
			all = append(all, one)
		}
	}
	slices.Sort(all)
	return all
}

// generator makes random calls.
type generator struct {
	*rand.Rand
	n int
}

func (g *generator) link(ids []string) map[string]any {
	kinds := []string{"depends-on", "derived-from", "contradicts", "supports", "causes", "supersedes", "part-of"}
	return map[string]any{"to": ids[g.IntN(len(ids))], "type": kinds[g.IntN(len(kinds))]}
}

func (g *generator) store(ids []string) map[string]any {
	g.n++
	a := map[string]any{"content": fmt.Sprintf("Text number %d says what %d says.", g.n, g.IntN(1000)), "title": fmt.Sprintf("Memory %d", g.n)}
	for range g.IntN(3) {
		one, _ := a["links"].([]map[string]any)
		a["links"] = append(one, g.link(ids))
	}
	if g.IntN(3) == 0 {
		a["supersedes"] = []string{ids[g.IntN(len(ids))]}
	}
	if g.IntN(4) == 0 {
		a["source"] = []string{"web", "tool", "person"}[g.IntN(3)]
	}
	return a
}

func (g *generator) call(ids []string) (tool, raw string) {
	one := ids[g.IntN(len(ids))]
	var a map[string]any
	switch g.IntN(12) {
	case 0, 1, 2, 3:
		tool, a = "memory_store", g.store(ids)
	case 4:
		second := g.store(ids)
		second["links"] = []map[string]any{{"to": "#1", "type": "depends-on"}}
		tool, a = "memory_checkpoint", map[string]any{"goal": fmt.Sprint("Goal ", g.n), "learned": []any{g.store(ids), second}}
	case 5, 6:
		tool, a = "memory_update", map[string]any{"id": one, "content": fmt.Sprint("New words ", g.IntN(1000))}
	case 7:
		tool, a = "memory_forget", map[string]any{"id": one, "reason": "old"}
	case 8:
		tool, a = "memory_restore", map[string]any{"id": one}
	case 9:
		tool, a = "memory_verify", map[string]any{"id": one}
	case 10:
		tool, a = "memory_unlink", g.link(ids)
		a["from"] = one
	default:
		tool, a = "memory_link", g.link(ids)
		a["from"] = one
	}
	return tool, db.List(a)
}

// What was foretold of a call is what accepting it does, by a naive reading of the store before and after; and
// while it waits, no row of memories, edges or journal is there. HENCE_CASES says how many calls.
func TestWhatWasForetoldIsWhatAcceptingDoes(t *testing.T) {
	cases, _ := strconv.Atoi(os.Getenv("HENCE_CASES"))
	if cases == 0 {
		cases = 150
	}
	g := &generator{Rand: rand.New(rand.NewPCG(41, 5))}
	var d *db.DB
	waited, accepted, refused, effects := 0, 0, 0, 0
	for n := 0; waited < cases; n++ {
		if n%300 == 0 {
			d = dbtest.New(t)
			if err := (review.Desk{DB: d, Caller: person}).SetPolicy(t.Context(), review.All); err != nil {
				t.Fatal(err)
			}
			for i := range 8 {
				by := []ref.Caller{person, agent}[i%2]
				if err := run(t.Context(), ref.View{DB: d, Caller: by}, "memory_store", []byte(db.List(map[string]any{"content": fmt.Sprintf("Seed %d of %d.", i, n), "title": fmt.Sprintf("Seed %d", i)}))); err != nil {
					t.Fatal(err)
				}
			}
		}
		ids := dbtest.Texts(t, d, `select id from memories order by id desc limit 40`)
		if tool, raw := g.call(ids); g.IntN(3) == 0 {
			_ = run(t.Context(), ref.View{DB: d, Caller: []ref.Caller{person, agent}[g.IntN(2)]}, tool, []byte(raw)) // some are refused
		}
		waiting := dbtest.Texts(t, d, `select id from asked where memory is null`)
		if len(waiting) > 0 && g.IntN(2) == 0 {
			ids = append(ids, waiting...) // of its own session
		}
		tool, raw := g.call(ids)
		before := dbtest.Texts(t, d, `select (select count(*) from memories) || ' ' || (select count(*) from edges) || ' ' || (select coalesce(max(seq), 0) from journal)`)
		waits, err := asks(t, d, "s", tool, raw)
		if !waits {
			continue
		}
		waited++
		if after := dbtest.Texts(t, d, `select (select count(*) from memories) || ' ' || (select count(*) from edges) || ' ' || (select coalesce(max(seq), 0) from journal)`); err != nil || !slices.Equal(before, after) {
			t.Fatalf("%s %s changes the store from %v to %v, %v", tool, raw, before, after, err)
		}
		desk := review.Desk{DB: d, Caller: person}
		calls, err := desk.Waiting(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		c := calls[g.IntN(len(calls))]
		foretold, err := desk.Foretell(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		was := read(t, d)
		err = desk.Accept(t.Context(), []review.Call{c})
		if (err != nil) != (foretold.Refused != "") {
			t.Fatalf("%s %s: foretold %+v, and it is %v", c.Tool, c.Arguments, foretold, err)
		}
		if err != nil {
			refused++
			if len(foretold.Needed) == 0 {
				if err := desk.Drop(t.Context(), []review.Call{c}); err != nil {
					t.Fatal(err)
				}
			}
			continue
		}
		accepted++
		is := read(t, d)
		superseded, staleNow := []string{}, map[string]bool{}
		for _, id := range added(is.current, was.current) {
			if dbtest.Texts(t, d, `select status from memories where id = ?`, id)[0] == "superseded" {
				superseded = append(superseded, id)
			}
		}
		for _, one := range added(was.stale, is.stale) {
			staleNow[strings.Fields(one)[0]] = true
		}
		conflicts := added(was.conflicts, is.conflicts)
		told := lists.Map(foretold.Supersedes, func(m ref.Named) string { return m.ID })
		slices.Sort(told)
		toldStale := map[string]bool{}
		for _, m := range foretold.NowStale {
			toldStale[m.ID] = true
		}
		toldConflicts := lists.Map(foretold.Conflicts, func(c belief.Conflict) string { return min(c.A.ID, c.B.ID) + " " + max(c.A.ID, c.B.ID) })
		slices.Sort(toldConflicts)
		toldConflicts = slices.Compact(toldConflicts)
		effects += len(superseded) + len(staleNow) + len(conflicts)
		count := max(foretold.NowStaleCount, len(toldStale))
		if !slices.Equal(told, superseded) || count != len(staleNow) || len(added(staleNow, toldStale)) > 0 || !slices.Equal(toldConflicts, conflicts) {
			t.Fatalf("%s %s: foretold %+v, and it superseded %v, made stale %v, brought the conflicts %v", c.Tool, c.Arguments, foretold, superseded, staleNow, conflicts)
		}
	}
	t.Logf("%d calls waited: %d were accepted, %d refused; %d effects", waited, accepted, refused, effects)
	if accepted < waited/3 || effects < waited/3 {
		t.Error("too few calls do anything")
	}
}

// An agent accepts nothing of what waits, and sees no other session's.
func TestAnAgentDecidesNothing(t *testing.T) {
	d := dbtest.New(t)
	desk := review.Desk{DB: d, Caller: person}
	if err := (review.Desk{DB: d, Caller: agent}).SetPolicy(t.Context(), review.Off); fault.CodeOf(err) != fault.ReadOnly {
		t.Error(err)
	}
	if err := desk.SetPolicy(t.Context(), review.All); err != nil {
		t.Fatal(err)
	}
	if waits, err := asks(t, d, "s", "memory_store", `{"content": "x"}`); !waits || err != nil {
		t.Fatal(waits, err)
	}
	all, err := desk.Waiting(t.Context(), "")
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	if err := (review.Desk{DB: d, Caller: agent}).Accept(t.Context(), all); fault.CodeOf(err) != fault.ReadOnly {
		t.Error(err)
	}
	for session, want := range map[string]int{"s": 1, "other": 0, "": 0} {
		ctx := review.WithSession(t.Context(), func() string { return session })
		if seen, err := (review.Desk{DB: d, Caller: agent}).Waiting(ctx, ""); err != nil || len(seen) != want {
			t.Errorf("%q sees %v, %v", session, seen, err)
		}
	}
	for _, purge := range []string{`{"id": "Seed", "purge": true}`} {
		if err := run(t.Context(), ref.View{DB: d, Caller: agent}, "memory_store", []byte(`{"content": "Seed"}`)); err != nil {
			t.Fatal(err)
		}
		if _, err := asks(t, d, "s", "memory_forget", purge); fault.CodeOf(err) != fault.ReadOnly {
			t.Error(err)
		}
	}
}

// With the policy low-trust, only what is trusted less than an agent's own word waits, and what needs it.
func TestLowTrust(t *testing.T) {
	d := dbtest.New(t)
	if err := (review.Desk{DB: d, Caller: person}).SetPolicy(t.Context(), review.LowTrust); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		tool, raw string
		waits     bool
	}{
		{"memory_store", `{"content": "My own words.", "title": "Own"}`, false},
		{"memory_store", `{"content": "A page says so.", "title": "Page", "source": "web"}`, true},
		{"memory_store", `{"content": "A page says so.", "title": "Page", "source": "web"}`, false}, // it waits already
		{"memory_store", `{"content": "It follows from the page.", "title": "Derived", "links": [{"to": "Page", "type": "derived-from"}]}`, true},
		{"memory_link", `{"from": "Own", "to": "Page", "type": "relates-to"}`, true},
		{"memory_link", `{"from": "Own", "to": "Derived", "type": "depends-on"}`, true},
		{"memory_checkpoint", `{"goal": "Nothing but mine"}`, false},
		{"memory_checkpoint", `{"goal": "With output", "learned": [{"content": "The tool printed it.", "source": "tool"}]}`, true},
		{"memory_update", `{"id": "Own", "content": "My own new words."}`, false},
		{"memory_update", `{"id": "Own", "content": "The page says more.", "source": "web"}`, true},
		{"memory_forget", `{"id": "Own"}`, false},
	} {
		if waits, err := asks(t, d, "s", c.tool, c.raw); err != nil || waits != c.waits {
			t.Errorf("%s %s waits %t, %v", c.tool, c.raw, waits, err)
		}
	}
	if got := dbtest.Texts(t, d, `select title from memories where kind <> 'session'`); !slices.Equal(got, []string{"Own"}) {
		t.Errorf("%q is stored", got)
	}
}

// A change of a person's words by an agent is a proposal as without the policy, and no call that waits.
func TestAPersonsWordsAreAskedFor(t *testing.T) {
	for _, c := range []struct{ tool, raw string }{
		{"memory_update", `{"id": "Said", "content": "Otherwise."}`},
		{"memory_update", `{"id": "Said", "title": "Another name"}`},
		{"memory_update", `{"id": "Said", "valid_to": "2020-01-01"}`},
		{"memory_update", `{"id": "Said", "everywhere": true}`},
		{"memory_forget", `{"id": "Said", "reason": "old"}`},
	} {
		t.Run(c.tool, func(t *testing.T) {
			d := dbtest.New(t)
			if err := run(t.Context(), ref.View{DB: d, Caller: person}, "memory_store", []byte(`{"content": "As I say.", "title": "Said"}`)); err != nil {
				t.Fatal(err)
			}
			if err := (review.Desk{DB: d, Caller: person}).SetPolicy(t.Context(), review.All); err != nil {
				t.Fatal(err)
			}
			waits, err := asks(t, d, "s", c.tool, c.raw)
			if n := dbtest.Count(t, d, `select count(*) from asked where memory is not null`); waits || err != nil || n != 1 {
				t.Errorf("%s waits %t, %d proposals, %v", c.raw, waits, n, err)
			}
		})
	}
}

// A call that waits is about the memories that its names meant when it was made, whatever has these names by now.
func TestNamesMeanWhatTheyMeant(t *testing.T) {
	const beside = "Old supports Ground"
	for _, c := range []struct{ tool, raw, is string }{
		{"memory_store", `{"content": "It is 7100 now.", "title": "New", "supersedes": ["Port"]}`, beside + "; New supersedes Old"},
		{"memory_store", `{"content": "It is 7100 now.", "title": "Port", "supersedes": ["Port"]}`, beside + "; Port supersedes Old"},
		{"memory_store", `{"content": "So it follows.", "title": "New", "links": [{"to": "Port", "type": "depends-on"}]}`, beside + "; New depends-on Old"},
		{"memory_store", `{"content": "So it follows.", "title": "New", "links": [{"from": "Port", "type": "depends-on"}]}`, beside + "; Old depends-on New"},
		{"memory_checkpoint", `{"learned": [{"content": "It is 7100 now.", "title": "New", "supersedes": ["Port"]}]}`, beside + "; New supersedes Old"},
		{"memory_checkpoint", `{"learned": [{"content": "One."}, {"content": "Two.", "title": "Two", "links": [{"to": "#1", "type": "depends-on"}]}]}`, beside + "; Two depends-on One."},
		{"memory_link", `{"from": "Port", "to": "Ground", "type": "depends-on"}`, beside + "; Old depends-on Ground"},
		{"memory_link", `{"links": [{"from": "Ground", "to": "Port", "type": "causes"}]}`, beside + "; Ground causes Old"},
		{"memory_unlink", `{"from": "Port", "to": "Ground", "type": "supports"}`, ""},
		{"memory_verify", `{"id": "Port", "note": "looked"}`, beside},
	} {
		d := dbtest.New(t)
		say := func(tool, raw string) {
			t.Helper()
			if err := run(t.Context(), ref.View{DB: d, Caller: person}, tool, []byte(raw)); err != nil {
				t.Fatal(err)
			}
		}
		say("memory_store", `{"content": "The relay port is 7001.", "title": "Port", "source": "agent"}`)
		say("memory_store", `{"content": "The ground.", "title": "Ground", "source": "agent"}`)
		desk := review.Desk{DB: d, Caller: person}
		if err := run(t.Context(), ref.View{DB: d, Caller: agent}, "memory_link", []byte(`{"from": "Port", "to": "Ground", "type": "supports"}`)); err != nil {
			t.Fatal(err)
		}
		if err := desk.SetPolicy(t.Context(), review.All); err != nil {
			t.Fatal(err)
		}
		if waits, err := asks(t, d, "s", c.tool, c.raw); !waits || err != nil {
			t.Fatal(c, waits, err)
		}
		say("memory_update", `{"id": "Port", "title": "Old"}`)
		say("memory_store", `{"content": "Lisbon has four docks.", "title": "Port", "source": "agent"}`)
		waiting, err := desk.Waiting(t.Context(), "")
		if err == nil {
			err = desk.Accept(t.Context(), waiting)
		}
		got := strings.Join(dbtest.Texts(t, d, `
select f.title || ' ' || e.kind || ' ' || t.title
from edges e
join memories f on f.key = e.from_key
join memories t on t.key = e.to_key
where e.kind not in ('mentions', 'part-of', 'follows')
order by f.title <> 'Old' or t.title <> 'Ground' or e.kind <> 'supports', e.id`), "; ")
		if got != c.is || err != nil {
			t.Errorf("%s %s: %q, want %q, %v", c.tool, c.raw, got, c.is, err)
		}
	}
}

// What accepting a checkpoint stores has the title that was foretold, however late a person accepts it.
func TestAcceptingLater_KeepsTheTitleOfASession(t *testing.T) {
	dbtest.SkipOnCluster(t, "nothing waits there")
	d := dbtest.New(t)
	desk := review.Desk{DB: d, Caller: person}
	if err := desk.SetPolicy(t.Context(), review.All); err != nil {
		t.Fatal(err)
	}
	if waits, err := asks(t, d, "s", "memory_checkpoint", `{"goal": "Ship it"}`); err != nil || !waits {
		t.Fatal(waits, err)
	}
	dbtest.Script(t, d.Path(), `update asked set at = '2026-01-02T03:04:05.000Z'`)
	waiting, err := desk.Waiting(t.Context(), "")
	if err != nil || len(waiting) != 1 {
		t.Fatal(waiting, err)
	}
	effect, err := desk.Foretell(t.Context(), waiting[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := desk.Accept(t.Context(), waiting); err != nil {
		t.Fatal(err)
	}
	want := "Session of 2026-01-02 03:04: Ship it"
	if got := dbtest.Texts(t, d, `select title from memories`); len(got) != 1 || got[0] != want || effect.Changed()[0].Title != want || waiting[0].Titles()[0] != want {
		t.Errorf("%q, foretold %q and listed %q", got, effect.Changed()[0].Title, waiting[0].Titles())
	}
}
