package adjacency_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"hence/edges"
	"hence/edges/graphtest"
	"hence/edges/walk"
	"hence/edges/walk/adjacency"
	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
)

// ctx is the context of helpers that accept both testing.T and rapid.T.
var ctx = context.Background()

func keptAndFollowed(t testing.TB, d *db.DB) bool {
	t.Helper()
	var snapshot *adjacency.Snapshot
	err := d.Read(t.Context(), func(r *db.Reader) (err error) {
		snapshot, err = adjacency.CopyOf(d).Snapshot(t.Context(), r)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return snapshot != nil
}

func TestAPathFromMemoryKeepsToMaxHops(t *testing.T) {
	d := dbtest.New(t)
	w := graphtest.Line(t, d, 14)
	if err := adjacency.CopyOf(d).Renew(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	for hops := 1; hops <= 10; hops++ {
		for to := 1; to <= 12; to++ {
			got, err := walk.Graph(w.Graph(d)).Path(t.Context(), walk.PathArgs{From: w.ID("00"), To: w.ID(fmt.Sprintf("%02d", to)), MaxHops: hops})
			if err != nil || got.Found != (to <= hops) || got.Found && got.Hops != to {
				t.Errorf("to %d in %d hops: found %v, %d hops, %v", to, hops, got.Found, got.Hops, err)
			}
		}
	}
	if !keptAndFollowed(t, d) {
		t.Error("these paths were not found in memory")
	}
}

// A change in one process updates or invalidates the copy in another.
func TestTheCopyOfTheGraph(t *testing.T) {
	insert := `insert into edges (from_key, to_key, kind) values (1, 5, 'causes');`
	for _, c := range []struct {
		name   string
		script string
		kept   bool // it can be followed
	}{
		{"FollowsANewEdge", insert, true},
		{"FollowsADeletedEdge", `delete from edges where key = 3`, true},
		{"FollowsANewMemory", `insert into memories (title) values ('new')`, true},
		{"FollowsAPurge", `delete from memories where key = 3`, true},
		{"FollowsAStatus", `update memories set status = 'forgotten', forgotten_at = '2026-01-01T00:00:00.000Z' where key = 3`, true},
		{"FollowsAHundredRows", `insert into memories (title) with n (i) as (select 1 union all select i + 1 from n where i < 100) select 'm' || i from n`, true},
		{"GoesWithMoreRows", `insert into memories (title) with n (i) as (select 1 union all select i + 1 from n where i < 101) select 'm' || i from n`, false},
		{"HasNothingToDoWithUsage", `insert into usage (at, actor, tool, arguments, micros, bytes_in, bytes_out, outcome) values ('', '', '', '{}', 1, 1, 1, 'ok')`, true},
		{"StaysOverAnOldPartOfTheJournal", `delete from journal where seq < 5`, true},
		{"GoesWithTheJournal", `delete from journal`, false},
		{"GoesWithTheLastRow", `delete from journal where seq = (select max(seq) from journal)`, false},
		{"GoesWithARowThatCameAfter", insert + `insert into edges (from_key, to_key, kind) values (1, 6, 'causes'); delete from journal where seq = (select max(seq) - 1 from journal)`, false},
		{"GoesWithAnEdgeThatIsNotTold", insert + `delete from journal where seq = (select max(seq) from journal)`, false},
		{"GoesWithASecondEdgeThatIsNotTold", insert + `insert into edges (from_key, to_key, kind) values (1, 6, 'causes'); delete from journal where seq = (select max(seq) from journal)`, false},
		{"GoesWithAnotherLastRow", `update journal set id = 'x' where seq = (select max(seq) from journal)`, false},
		{"GoesWithTheWriter", `drop trigger writer_stays; delete from writer`, false},
		{"GoesWithATrigger", `drop trigger edge_inserted`, false},
		{"GoesWithATriggerThatWasAwayForATime", `create trigger now_and_then after insert on edges begin select 1; end; drop trigger now_and_then`, false},
		{"GoesWithAVacuum", `vacuum`, false},
		{"GoesWithAKeyFarAway", `insert into memories (key, title) values (100000000, 'far')`, false},
		{"GoesWithAKeyBelowZero", `insert into memories (key, title) values (-1, 'far')`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := dbtest.New(t)
			w := graphtest.Line(t, d, 8)
			if err := adjacency.CopyOf(d).Renew(t.Context(), d); err != nil {
				t.Fatal(err)
			}
			if !keptAndFollowed(t, d) {
				t.Fatal("it is not kept to begin with")
			}
			switch c.name {
			case "GoesWithAVacuum":
				dbtest.SkipOnCluster(t, "a node vacuums its file itself")
			case "GoesWithTheWriter":
				dbtest.SkipOnCluster(t, "a cluster takes no batch without the row of the writer")
			}
			dbtest.Script(t, d.Path(), c.script)
			if got := keptAndFollowed(t, d); got != c.kept {
				t.Errorf("kept %v, want %v", got, c.kept)
			}
			// Whether the copy is used or not, the answer must be that of the store.
			other, err := db.Open(t.Context(), d.Path(), db.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer other.Close()
			a := walk.PathArgs{From: w.ID("00"), To: w.ID("06"), MaxHops: 10, Alternatives: 3}
			(&twins{w: w, kept: d, bySQL: other}).answers(t, a)
		})
	}
}

func TestNoCopyOfAGraphThatIsNotJournaled(t *testing.T) {
	dbtest.SkipOnCluster(t, "it deletes the row of the table writer, which no batch can do without")
	for _, script := range []string{
		`drop trigger edge_inserted`,
		`drop trigger memory_updated; create trigger memory_updated after update of title on memories begin select 1; end`,
		`drop trigger writer_stays; delete from writer`,
		`delete from journal`,
	} {
		d := dbtest.New(t)
		graphtest.Line(t, d, 4)
		dbtest.Script(t, d.Path(), script)
		if err := adjacency.CopyOf(d).Renew(t.Context(), d); err != nil || keptAndFollowed(t, d) {
			t.Errorf("%s: kept, %v", script, err)
		}
	}
}

func TestTheCopyOfTheGraphGoesWithARestoredBackup(t *testing.T) {
	dbtest.SkipOnCluster(t, "it restores a backup by the path of the file")
	d := dbtest.New(t)
	w := graphtest.Line(t, d, 4)
	backup := filepath.Join(t.TempDir(), "backup.db")
	if err := d.Backup(t.Context(), backup); err != nil {
		t.Fatal(err)
	}
	shortcut := edges.LinkArgs{From: w.ID("00"), To: w.ID("03"), Type: "causes"}
	if _, err := w.Graph(d).Link(t.Context(), shortcut); err != nil {
		t.Fatal(err)
	}
	if err := adjacency.CopyOf(d).Renew(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	if _, err := db.RestoreBackup(t.Context(), backup, d.Path(), db.Options{}); err != nil {
		t.Fatal(err)
	}
	if keptAndFollowed(t, d) {
		t.Error("the copy is of the store as it was before")
	}
	// The journal now has other rows, beyond the last row of the copy.
	for _, to := range []string{"02", "03", "04"} {
		if _, err := w.Graph(d).Link(t.Context(), edges.LinkArgs{From: w.ID("00"), To: w.ID(to), Type: "supports"}); err != nil {
			t.Fatal(err)
		}
	}
	if keptAndFollowed(t, d) {
		t.Error("the copy was followed over another journal")
	}
	got, err := walk.Graph(w.Graph(d)).Path(t.Context(), walk.PathArgs{From: w.ID("00"), To: w.ID("03")})
	if err != nil || got.Hops != 1 || got.Path[0].Type != edges.Supports || len(got.Path[0].Edges) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}

// A command that searches once does not build the copy; searches that have passed as many edges
// as there are do.
func TestTheCopyOfTheGraphIsPaidFor(t *testing.T) {
	d := dbtest.New(t)
	w := graphtest.Line(t, d, 4)
	steps := []struct {
		name string
		paid int64
		kept bool
	}{
		{"Little", 99_999, false},
		{"Enough", 1, true},
	}
	for _, s := range steps {
		adjacency.PayAndWait(d, s.paid)
		if got := keptAndFollowed(t, d); got != s.kept {
			t.Errorf("%s: kept %v, want %v", s.name, got, s.kept)
		}
	}
	dbtest.Script(t, d.Path(), `insert into memories (title) with n (i) as (select 1 union all select i + 1 from n where i < 500) select 'm' || i from n`)
	if keptAndFollowed(t, d) {
		t.Error("a search was made to follow 500 rows")
	}
	adjacency.PayAndWait(d, 5_999)
	if keptAndFollowed(t, d) {
		t.Error("500 rows were followed for less than their price")
	}
	adjacency.PayAndWait(d, 1)
	if !keptAndFollowed(t, d) {
		t.Error("500 rows were paid for and not followed")
	}
	if got, err := walk.Graph(w.Graph(d)).Path(t.Context(), walk.PathArgs{From: w.ID("00"), To: w.ID("02")}); err != nil || got.Hops != 2 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestADeletedEdgeLeavesTheCopyOfTheGraph(t *testing.T) {
	d := dbtest.New(t)
	w := graphtest.Line(t, d, 4)
	if _, err := w.Graph(d).Link(t.Context(), edges.LinkArgs{From: w.ID("00"), To: w.ID("04"), Type: "causes"}); err != nil {
		t.Fatal(err)
	}
	if err := adjacency.CopyOf(d).Renew(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	for _, hops := range []int{1, 4} {
		got, err := walk.Graph(w.Graph(d)).Path(t.Context(), walk.PathArgs{From: w.ID("00"), To: w.ID("04")})
		if err != nil || got.Hops != hops || adjacency.PassedBySQL(d) != 0 {
			t.Errorf("%d hops, %d edges passed by SQL, %v; want %d hops and none", got.Hops, adjacency.PassedBySQL(d), err, hops)
		}
		dbtest.Script(t, d.Path(), `delete from edges where kind = 'causes'`)
	}
}

// Edges may remain of a deleted memory, whose key another memory then gets.
func TestAPathFromMemoryToAKeyThatIsTakenAgain(t *testing.T) {
	dbtest.SkipOnCluster(t, "it breaks references, which nodes check")
	for name, script := range map[string]string{
		"From": `insert into edges (from_key, to_key, kind) values (4, 1, 'causes')`,
		"To":   `insert into edges (from_key, to_key, kind) values (1, 4, 'causes')`,
	} {
		t.Run(name, func(t *testing.T) {
			d := dbtest.New(t)
			dbtest.Script(t, d.Path(), `insert into memories (id, title) values ('a', 'a'), ('b', 'b'), ('c', 'c'), ('d', 'd'); `+script)
			dbtest.Script(t, d.Path(), unguarded+`insert or replace into memories (key, id, title) values (0, 'd', 'd')`)
			if err := adjacency.CopyOf(d).Renew(t.Context(), d); err != nil {
				t.Fatal(err)
			}
			dbtest.Script(t, d.Path(), `insert into memories (id, title, sectioned) values ('e', 'e', 1)`)
			if !keptAndFollowed(t, d) {
				t.Fatal("it is not kept")
			}
			got, err := walk.Graph{DB: d}.Path(t.Context(), walk.PathArgs{From: "a", To: "e"})
			if err != nil || got.Hops != 1 {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}

// Somebody may delete a memory without its edges.
func TestPathPastAMemoryThatLeftItsEdgesBehind(t *testing.T) {
	dbtest.SkipOnCluster(t, "it breaks references, which nodes check")
	for _, kept := range []bool{false, true} {
		t.Run(fmt.Sprintf("Kept=%v", kept), func(t *testing.T) {
			d := dbtest.New(t)
			w := graphtest.New()
			w.Tie("a", edges.Causes, "b")
			w.Tie("b", edges.Causes, "z")
			w.Tie("a", edges.Causes, "c")
			w.Tie("c", edges.Causes, "d")
			w.Tie("d", edges.Causes, "z")
			w.Store(t, d, nil, nil)
			if kept {
				if err := adjacency.CopyOf(d).Renew(t.Context(), d); err != nil {
					t.Fatal(err)
				}
			}
			dbtest.Script(t, d.Path(), fmt.Sprintf(
				unguarded+`insert or replace into memories (id, namespace, title) values ('%s', '%s', 'another')`, w.ID("b"), w.Namespace))
			got, err := walk.Graph(w.Graph(d)).Path(t.Context(), walk.PathArgs{From: w.ID("a"), To: w.ID("z")})
			if err != nil || namesOf(w, got) != "a c d z" {
				t.Errorf("%v, %v", namesOf(w, got), err)
			}
		})
	}
}

func TestAPathFromMemoryStopsWhenItsCallerHasGone(t *testing.T) {
	d := dbtest.New(t)
	w := graphtest.Line(t, d, 4)
	if err := adjacency.CopyOf(d).Renew(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	_, err := walk.Graph(w.Graph(d)).Path(gone, walk.PathArgs{From: w.ID("00"), To: w.ID("02")})
	graphtest.MustFail(t, err, fault.Unavailable)
}

// Readers search while an edge is added and removed, and memories are added.
func TestPathsFromMemoryWhileOthersWrite(t *testing.T) {
	dbtest.SkipOnCluster(t, "it restores a backup by the path of the file")
	d := dbtest.New(t)
	w := graphtest.Line(t, d, 6)
	if err := adjacency.CopyOf(d).Renew(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	var readers sync.WaitGroup
	var done atomic.Bool
	for range 4 {
		readers.Go(func() {
			for !done.Load() {
				got, err := walk.Graph(w.Graph(d)).Path(t.Context(), walk.PathArgs{From: w.ID("00"), To: w.ID("05"), MaxHops: 10})
				if err != nil || got.Hops != 5 && got.Hops != 2 {
					t.Errorf("%+v, %v", got, err)
					return
				}
			}
		})
	}
	other, err := db.Open(t.Context(), d.Path(), db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	for range 60 {
		shortcut := edges.LinkArgs{From: w.ID("01"), To: w.ID("05"), Type: "causes"}
		if _, err := w.Graph(other).Link(t.Context(), shortcut); err != nil {
			t.Fatal(err)
		}
		if got, err := walk.Graph(w.Graph(d)).Path(t.Context(), walk.PathArgs{From: w.ID("00"), To: w.ID("05"), MaxHops: 10}); err != nil || got.Hops != 2 {
			t.Fatalf("after the shortcut: %+v, %v", got, err)
		}
		if _, err := w.Graph(other).Unlink(t.Context(), edges.UnlinkArgs{From: shortcut.From, To: shortcut.To, Type: "causes"}); err != nil {
			t.Fatal(err)
		}
		if got, err := walk.Graph(w.Graph(d)).Path(t.Context(), walk.PathArgs{From: w.ID("00"), To: w.ID("05"), MaxHops: 10}); err != nil || got.Hops != 5 {
			t.Fatalf("without the shortcut: %+v, %v", got, err)
		}
	}
	done.Store(true)
	readers.Wait()
	if !keptAndFollowed(t, d) {
		t.Error("the copy was lost on the way")
	}
}

// namesOf returns the names of the memories of the best path.
func namesOf(w *graphtest.World, p walk.PathResult) string {
	ids := []string{}
	for _, hop := range p.Path {
		ids = append(ids, hop.ID)
	}
	return strings.Join(w.Short(ids), " ")
}
