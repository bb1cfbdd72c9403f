package adjacency_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"hence/edges"
	"hence/edges/graphtest"
	"hence/edges/walk"
	"hence/edges/walk/adjacency"
	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/ref"
	_ "hence/internal/repeattest"
	"hence/memory"
	"hence/memory/journal"
)

// twins are two handles of one store: one keeps a copy of the graph in memory, the other never
// does and searches by SQL.
type twins struct {
	w           *graphtest.World
	kept, bySQL *db.DB
	backup      string
	serial      int
}

// keep updates the copy.
func (w *twins) keep(t graphtest.TB) {
	t.Helper()
	if err := adjacency.CopyOf(w.kept).Renew(ctx, w.kept); err != nil {
		t.Fatal(err)
	}
}

// answers compares the results of the two handles for the same arguments.
func (w *twins) answers(t graphtest.TB, a walk.PathArgs) {
	t.Helper()
	got, gotErr := walk.Graph(w.w.Graph(w.kept)).Path(ctx, a)
	want, wantErr := walk.Graph(w.w.Graph(w.bySQL)).Path(ctx, a)
	if graphtest.JSON(got) != graphtest.JSON(want) || fmt.Sprint(gotErr) != fmt.Sprint(wantErr) {
		t.Fatalf("%s\nkept %s, %v\n sql %s, %v", graphtest.JSON(a), graphtest.JSON(got), gotErr, graphtest.JSON(want), wantErr)
	}
	if fault.CodeOf(gotErr) == fault.Internal {
		t.Fatal(gotErr)
	}
}

// script runs a script as the sqlite3 shell does. The store may refuse it.
func (w *twins) script(t *rapid.T, format string, a ...any) {
	err := dbtest.TryScript(t, w.bySQL.Path(), fmt.Sprintf(format, a...))
	t.Logf("%s: %v", fmt.Sprintf(format, a...), err)
}

func (w *twins) memory(t *rapid.T) string {
	return w.w.Mems[rapid.IntRange(0, len(w.w.Mems)-1).Draw(t, "memory")].ID
}

// some returns one of the ids of a table's rows.
func (w *twins) some(t *rapid.T, table string) string {
	query := `select id from edges order by id`
	if table == "memories" {
		query = `select id from memories order by id`
	}
	ids := dbtest.Texts(t, w.bySQL, query)
	if len(ids) == 0 {
		return "none"
	}
	return rapid.SampledFrom(ids).Draw(t, "one of "+table)
}

func (w *twins) kind(t *rapid.T) edges.Kind { return rapid.SampledFrom(edges.Kinds()).Draw(t, "kind") }

// insertEdge returns a statement that inserts an edge between two memories.
func (w *twins) insertEdge(t *rapid.T, verb string, kind edges.Kind) string {
	w.serial++
	return fmt.Sprintf(`%s into edges (id, from_key, to_key, kind)
select 'made-%d', f.key, t.key, '%s' from memories f, memories t where f.id = '%s' and t.id = '%s';`,
		verb, w.serial, kind, w.memory(t), w.memory(t))
}

// unguarded lets a script delete rows without a trigger that records this. The schema refuses that
// unless its checks are off.
const unguarded = `pragma ignore_check_constraints = on; `

// changes are changes of a store that a handle does not make itself. The store may refuse each.
var changes = map[string]func(t *rapid.T, w *twins){
	"link": func(t *rapid.T, w *twins) {
		_, _ = w.w.Graph(w.bySQL).Link(ctx, edges.LinkArgs{From: w.memory(t), To: w.memory(t), Type: string(w.kind(t))})
	},
	"link here": func(t *rapid.T, w *twins) {
		_, _ = w.w.Graph(w.kept).Link(ctx, edges.LinkArgs{From: w.memory(t), To: w.memory(t), Type: string(w.kind(t))})
	},
	"supersede": func(t *rapid.T, w *twins) {
		_, _ = w.w.Graph(w.bySQL).Link(ctx, edges.LinkArgs{From: w.memory(t), To: w.memory(t), Type: "supersedes"})
	},
	"unlink": func(t *rapid.T, w *twins) {
		_, _ = w.w.Graph(w.bySQL).Unlink(ctx, edges.UnlinkArgs{From: w.memory(t), To: w.memory(t), Type: string(w.kind(t))})
	},
	"store": func(t *rapid.T, w *twins) {
		_, _ = w.store().Remember(ctx, memory.StoreArgs{Content: "what is new", Links: []memory.NewLink{
			{To: w.memory(t), Type: "causes"}, {From: w.memory(t), Type: "supports"},
		}}, nil)
	},
	"forget": func(t *rapid.T, w *twins) { _, _ = w.store().Forget(ctx, memory.ForgetArgs{ID: w.memory(t)}) },
	"purge": func(t *rapid.T, w *twins) {
		_, _ = w.store().Forget(ctx, memory.ForgetArgs{ID: w.memory(t), Purge: true})
	},
	"restore": func(t *rapid.T, w *twins) { _, _ = w.store().Restore(ctx, memory.RestoreArgs{ID: w.memory(t)}) },
	"undo": func(_ *rapid.T, w *twins) {
		_, _ = journal.Journal{DB: w.bySQL, Caller: w.caller()}.Undo(ctx, journal.UndoArgs{})
	},

	"delete an edge":  func(t *rapid.T, w *twins) { w.script(t, `delete from edges where id = '%s'`, w.some(t, "edges")) },
	"delete a memory": func(t *rapid.T, w *twins) { w.script(t, `delete from memories where id = '%s'`, w.some(t, "memories")) },
	"insert an edge":  func(t *rapid.T, w *twins) { w.script(t, "%s", w.insertEdge(t, "insert", w.kind(t))) },
	"replace an edge": func(t *rapid.T, w *twins) {
		w.script(t, "%s", unguarded+w.insertEdge(t, "insert or replace", w.kind(t)))
	},
	"replace successor": func(t *rapid.T, w *twins) {
		w.script(t, "%s", unguarded+w.insertEdge(t, "insert or replace", edges.Supersedes))
	},
	"replace an edge by id": func(t *rapid.T, w *twins) {
		w.script(t, unguarded+`insert or replace into edges (id, from_key, to_key, kind)
select '%s', f.key, t.key, '%s' from memories f, memories t where f.id = '%s' and t.id = '%s'`, w.some(t, "edges"), w.kind(t), w.memory(t), w.memory(t))
	},
	"replace an edge by key": func(t *rapid.T, w *twins) {
		w.script(t, unguarded+`insert or replace into edges (key, from_key, to_key, kind)
select e.key, f.key, t.key, '%s' from edges e, memories f, memories t where e.id = '%s' and f.id = '%s' and t.id = '%s'`, w.kind(t), w.some(t, "edges"), w.memory(t), w.memory(t))
	},
	"replace an edge's word": func(t *rapid.T, w *twins) {
		w.script(t, unguarded+`update or replace edges set rel = 'why', weight = 0.5, valid_from = '2026-01-03T00:00:00.000Z' where id = '%s'`, w.some(t, "edges"))
	},
	"end an edge": func(t *rapid.T, w *twins) {
		w.script(t, `update edges set valid_to = '2026-01-05T00:00:00.000Z' where id = '%s'`, w.some(t, "edges"))
	},
	"end a memory": func(t *rapid.T, w *twins) {
		w.script(t, `update memories set valid_to = '2026-01-05T00:00:00.000Z' where id = '%s'`, w.memory(t))
	},
	"replace a memory by id": func(t *rapid.T, w *twins) {
		w.script(t, unguarded+`insert or replace into memories (id, namespace, title) values ('%s', '%s', 'another')`, w.some(t, "memories"), w.w.Namespace)
	},
	"replace a memory by key": func(t *rapid.T, w *twins) {
		w.script(t, unguarded+`insert or replace into memories (key, id, namespace, title) select key, '%s', '%s', 'another' from memories where id = '%s'`,
			w.memory(t), w.w.Namespace, w.some(t, "memories"))
	},
	"insert a memory again": func(t *rapid.T, w *twins) {
		w.script(t, `insert into memories (id, namespace, title) values ('%s', '%s', 'again')`, w.memory(t), w.w.Namespace)
	},
	"insert a memory far away": func(t *rapid.T, w *twins) {
		w.serial++
		key := rapid.SampledFrom([]int64{-5, 0, 900, 1 << 22, math.MaxInt64}).Draw(t, "key")
		w.script(t, `insert into memories (key, id, namespace, title) values (%d, 'far-%d', '%s', 'far'); %s
insert into edges (from_key, to_key, kind) select key, %d, 'causes' from memories where id = '%s'`,
			key, w.serial, w.w.Namespace, w.insertEdge(t, "insert", edges.Causes), key, w.memory(t))
	},
	"forget by hand": func(t *rapid.T, w *twins) {
		w.script(t, `update memories set status = 'forgotten', forgotten_at = '2026-01-05T00:00:00.000Z' where id = '%s'`, w.memory(t))
	},
	"restore by hand": func(t *rapid.T, w *twins) {
		w.script(t, `update memories set status = 'current', forgotten_at = null where id = '%s'`, w.memory(t))
	},

	"prune the journal": func(t *rapid.T, w *twins) {
		w.script(t, `delete from journal where seq <= (select max(seq) / 2 from journal)`)
	},
	"empty the journal": func(t *rapid.T, w *twins) { w.script(t, `delete from journal`) },
	"cut out of it": func(t *rapid.T, w *twins) {
		w.script(t, `delete from journal where seq %% 3 = 1 and seq < (select max(seq) from journal)`)
	},
	"take away the writer": func(t *rapid.T, w *twins) {
		w.script(t, "drop trigger if exists writer_stays; delete from writer; %s; insert into writer (only_row) values (1)", w.insertEdge(t, "insert", edges.Causes))
	},
	"drop a trigger": func(t *rapid.T, w *twins) {
		w.script(t, "drop trigger edge_inserted; %s", w.insertEdge(t, "insert", edges.Causes))
	},
	"vacuum": func(t *rapid.T, w *twins) { w.script(t, `vacuum`) },
	"back up": func(t *rapid.T, w *twins) {
		_ = os.Remove(w.backup)
		_ = w.bySQL.Backup(ctx, w.backup) // refused where edges were left behind
	},
	"take the backup back": func(t *rapid.T, w *twins) {
		// Refused if there is no such memory, and if edges remain of it.
		if saved, err := db.RestoreBackup(ctx, w.backup, w.bySQL.Path(), db.Options{}); err == nil {
			_ = os.Remove(saved)
		}
	},
	"know nothing of it": func(*rapid.T, *twins) {},
}

func (w *twins) caller() ref.Caller {
	return ref.Caller{Actor: "other", Origin: "agent", Namespace: w.w.Namespace}
}
func (w *twins) store() memory.Store { return memory.Store{DB: w.bySQL, Caller: w.caller()} }

// The copy is updated after any changes, and whenever it can be used, a search with it has the
// same result as one by SQL.
func TestAPathFromMemoryIsThatOfTheStore(t *testing.T) {
	dbtest.CheckTimes(t, 20)
	empties := dbtest.NewEmpties(t)
	folder := t.TempDir()
	names := []string{}
	for name := range changes {
		names = append(names, name)
	}
	slices.Sort(names)
	followed, asked := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		w := graphtest.Draw(t, graphtest.Shape{Mems: 8, Ties: 20, Hide: true, Times: rapid.Bool().Draw(t, "times")})
		d, remove := empties.Next(t)
		defer remove()
		w.Store(t, d, nil, nil)
		other, err := db.Open(ctx, d.Path(), db.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
		adjacency.CopyOf(other).Off()
		tw := &twins{w: w, kept: d, bySQL: other, backup: filepath.Join(folder, "backup.db")}
		_ = os.Remove(tw.backup)
		tw.keep(t)
		for range rapid.IntRange(1, 6).Draw(t, "rounds") {
			for range rapid.IntRange(1, 3).Draw(t, "changes") {
				name := rapid.SampledFrom(names).Draw(t, "change")
				t.Log(name)
				changes[name](t, tw)
			}
			for range 3 {
				a, _, _, _ := graphtest.DrawPathArgs(t, w)
				if rapid.IntRange(0, 3).Draw(t, "then") == 0 {
					asked := graphtest.DrawTimes(t)
					a.AsOf, a.KnownAt, a.IncludeEnded = asked.AsOf, asked.KnownAt, asked.IncludeEnded
				}
				tw.answers(t, a)
			}
			ok, lacks, err := adjacency.Lacks(ctx, d)
			if err != nil || len(lacks) > 0 {
				t.Fatal("the copy lacks ", lacks, err)
			}
			asked++
			if ok {
				followed++
			}
			if rapid.Bool().Draw(t, "keep again") {
				tw.keep(t)
			}
		}
	})
	if followed < asked/3 {
		t.Errorf("the copy was followed %d times of %d", followed, asked)
	}
}

// Larger graphs have many shortest paths, of which the result has the first in order.
func TestAPathFromMemoryOnLargerGraphs(t *testing.T) {
	dbtest.CheckTimes(t, 20)
	d := dbtest.New(t)
	other, err := db.Open(ctx, d.Path(), db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	adjacency.CopyOf(other).Off()
	rapid.Check(t, func(t *rapid.T) {
		w := graphtest.Draw(t, graphtest.Shape{Mems: 40, Ties: 90, Hide: true})
		w.Store(t, d, nil, nil)
		tw := &twins{w: w, kept: d, bySQL: other}
		tw.keep(t)
		for range 6 {
			a, _, _, _ := graphtest.DrawPathArgs(t, w)
			a.Weighted, a.MaxHops = false, rapid.IntRange(1, 10).Draw(t, "hops")
			tw.answers(t, a)
		}
	})
}
