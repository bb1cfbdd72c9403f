package walk

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"hence/edges"
	"hence/internal/db"
)

// The benchmarks run on 100,000 memories and 500,000 edges. Each is compared with two others in
// the same run: a walk node by node on the same file, with two queries per node, and a walk over
// adjacency lists in memory, which is the lower limit.
const (
	benchMemories = 100_000
	benchEdges    = 500_000
)

var bench struct {
	sync.Once
	dir   string
	d     *db.DB
	lists [][]int32 // neighbours by key, both ways
}

// benchGraph returns the generated graph, which is created once for all benchmarks of a run.
func benchGraph(b *testing.B) Graph {
	bench.Do(func() {
		dir, err := os.MkdirTemp("", "hence-bench")
		if err != nil {
			b.Fatal(err)
		}
		bench.dir = dir
		if bench.d, err = db.Open(context.Background(), filepath.Join(dir, "bench.db"), db.Options{}); err != nil {
			b.Fatal(err)
		}
		bench.lists = make([][]int32, benchMemories+1)
		fillBenchGraph(b)
	})
	return Graph{DB: bench.d}
}

// CloseBench removes the generated graph at the end of a run.
func CloseBench() error {
	if bench.d == nil {
		return nil
	}
	return errors.Join(bench.d.Close(), os.RemoveAll(bench.dir))
}

func fillBenchGraph(b *testing.B) {
	write := func(statements ...db.Stmt) {
		if _, err := bench.d.Write(b.Context(), "bench", db.Now(), statements...); err != nil {
			b.Fatal(err)
		}
	}
	write(db.S(`
insert into memories (id, title, content)
with recursive n (i) as (select 1 union all select i + 1 from n where i < ?1)
select printf('m%06d', i), printf('memory %d', i), printf('what is known of %d', i)
from n`, benchMemories))
	random := rand.New(rand.NewPCG(1, 2))
	kinds := []edges.Kind{edges.Causes, edges.RelatesTo, edges.LinksTo, edges.LinksTo, edges.LinksTo, edges.Supports, edges.PartOf, edges.RefersTo, edges.Follows, edges.DependsOn}
	rows := [][]any{}
	for i := range benchEdges {
		kind := kinds[i%len(kinds)]
		from, to := 1+random.IntN(benchMemories), 1+random.IntN(benchMemories)
		if kind == edges.DependsOn { // a forest: no cycle, and what is reached stays small
			from = 2 + i/len(kinds)*2
			to = from / 2
		}
		if from == to || from > benchMemories {
			continue
		}
		bench.lists[from] = append(bench.lists[from], int32(to))
		bench.lists[to] = append(bench.lists[to], int32(from))
		rows = append(rows, []any{fmt.Sprintf("e%06d", i), from, to, kind, 1 - float64(random.IntN(900))/1000})
	}
	for chunk := range slices.Chunk(rows, 20_000) {
		write(db.S(`
insert or ignore into edges (id, from_key, to_key, kind, weight)
select
  value ->> 0,
  value ->> 1,
  value ->> 2,
  value ->> 3,
  value ->> 4
from json_each(?)`, db.List(chunk)))
	}
}

// pairs returns the ends of random paths, the same in every run.
func pairs(n int) [][2]int64 {
	random := rand.New(rand.NewPCG(3, 4))
	all := make([][2]int64, n)
	for i := range all {
		all[i] = [2]int64{1 + random.Int64N(benchMemories), 1 + random.Int64N(benchMemories)}
	}
	return all
}

func memoryID(key int64) string { return fmt.Sprintf("m%06d", key) }

// measure runs a function b.N times and reports the median and the 99th percentile of its time.
func measure(b *testing.B, one func(i int)) {
	times := make([]time.Duration, b.N)
	b.ResetTimer()
	for i := range b.N {
		start := time.Now()
		one(i)
		times[i] = time.Since(start)
	}
	b.StopTimer()
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Nanoseconds())/1e3, "p50-µs")
	b.ReportMetric(float64(times[len(times)*99/100].Nanoseconds())/1e3, "p99-µs")
}

func BenchmarkPath(b *testing.B) {
	g := benchGraph(b)
	ends := pairs(2000)
	b.Run("sql", func(b *testing.B) {
		measure(b, func(i int) {
			p := ends[i%len(ends)]
			if _, err := g.Path(b.Context(), PathArgs{From: memoryID(p[0]), To: memoryID(p[1]), MaxHops: 10}); err != nil {
				b.Fatal(err)
			}
		})
	})
	b.Run("weighted", func(b *testing.B) {
		measure(b, func(i int) {
			p := ends[i%len(ends)]
			if _, err := g.Path(b.Context(), PathArgs{From: memoryID(p[0]), To: memoryID(p[1]), MaxHops: 6, Weighted: true}); err != nil {
				b.Fatal(err)
			}
		})
	})
	b.Run("nodebynode", func(b *testing.B) {
		measure(b, func(i int) {
			p := ends[i%len(ends)]
			if _, err := nodeByNode(b, p[0], p[1]); err != nil {
				b.Fatal(err)
			}
		})
	})
	b.Run("inmemory", func(b *testing.B) {
		measure(b, func(i int) {
			p := ends[i%len(ends)]
			inMemory(bench.lists, int32(p[0]), int32(p[1]))
		})
	})
}

// fromNode and toNode are the two queries per node of nodeByNode. They pass the same edges as a
// path: those of declared kinds to memories that are not forgotten.
const (
	fromNode = `
select e.to_key
from edges e
join memories m on m.key = e.to_key
where e.from_key = ?
  and e.kind <> 'mentions'
  and m.status <> 'forgotten'`
	toNode = `
select e.from_key
from edges e
join memories m on m.key = e.from_key
where e.to_key = ?
  and e.kind <> 'mentions'
  and m.status <> 'forgotten'`
)

// nodeByNode is the breadth-first search of most stores: two queries for each node in the queue.
func nodeByNode(b *testing.B, from, to int64) (hops int, err error) {
	err = bench.d.Read(b.Context(), func(r *db.Reader) error {
		distance := map[int64]int{from: 0}
		for queue := []int64{from}; len(queue) > 0; queue = queue[1:] {
			at := queue[0]
			for _, query := range []string{fromNode, toNode} {
				near, err := db.Select(b.Context(), r, db.Value[int64], query, at)
				if err != nil {
					return err
				}
				for _, next := range near {
					if _, seen := distance[next]; seen {
						continue
					}
					distance[next] = distance[at] + 1
					if next == to {
						hops = distance[next]
						return nil
					}
					queue = append(queue, next)
				}
			}
		}
		return nil
	})
	return hops, err
}

// inMemory is bidirectional search by levels over adjacency lists.
func inMemory(lists [][]int32, from, to int32) (hops int) {
	if from == to {
		return 0
	}
	seen := [2]map[int32]bool{{from: true}, {to: true}}
	frontier := [2][]int32{{from}, {to}}
	for len(frontier[0]) > 0 && len(frontier[1]) > 0 {
		side := 0
		if len(frontier[1]) < len(frontier[0]) {
			side = 1
		}
		hops++
		next := []int32{}
		met := false
		for _, at := range frontier[side] {
			for _, n := range lists[at] {
				if !seen[side][n] {
					seen[side][n] = true
					next = append(next, n)
					met = met || seen[1-side][n]
				}
			}
		}
		if met {
			return hops
		}
		frontier[side] = next
	}
	return -1
}

func BenchmarkExpandTwoHops(b *testing.B) {
	g := benchGraph(b)
	ends := pairs(2000)
	b.Run("hence", func(b *testing.B) {
		measure(b, func(i int) {
			if _, err := g.Expand(b.Context(), ExpandArgs{Seeds: []string{memoryID(ends[i%len(ends)][0])}, Hops: 2, Limit: 500}); err != nil {
				b.Fatal(err)
			}
		})
	})
	benchWalks(b, ends, 2)
}

func BenchmarkNeighborhoodDepthThree(b *testing.B) {
	g := benchGraph(b)
	ends := pairs(2000)
	b.Run("hence", func(b *testing.B) {
		measure(b, func(i int) {
			if _, err := g.Neighborhood(b.Context(), NeighborhoodArgs{ID: memoryID(ends[i%len(ends)][0]), Depth: 3, Limit: 200}); err != nil {
				b.Fatal(err)
			}
		})
	})
	benchWalks(b, ends, 3)
}

// benchWalks runs the two walks to compare with, to a depth: node by node, and in memory. Neither
// reads the columns of the memories for an answer.
func benchWalks(b *testing.B, ends [][2]int64, depth int) {
	b.Run("nodebynode", func(b *testing.B) {
		measure(b, func(i int) {
			seen := map[int64]bool{ends[i%len(ends)][0]: true}
			frontier := []int64{ends[i%len(ends)][0]}
			err := bench.d.Read(b.Context(), func(r *db.Reader) error {
				for range depth {
					next := []int64{}
					for _, at := range frontier {
						for _, query := range []string{fromNode, toNode} {
							near, err := db.Select(b.Context(), r, db.Value[int64], query, at)
							if err != nil {
								return err
							}
							for _, n := range near {
								if !seen[n] {
									seen[n] = true
									next = append(next, n)
								}
							}
						}
					}
					frontier = next
				}
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
		})
	})
	b.Run("inmemory", func(b *testing.B) {
		measure(b, func(i int) {
			seen := map[int32]bool{int32(ends[i%len(ends)][0]): true}
			frontier := []int32{int32(ends[i%len(ends)][0])}
			for range depth {
				next := []int32{}
				for _, at := range frontier {
					for _, n := range bench.lists[at] {
						if !seen[n] {
							seen[n] = true
							next = append(next, n)
						}
					}
				}
				frontier = next
			}
		})
	})
}

func BenchmarkTrace(b *testing.B) {
	g := benchGraph(b)
	ends := pairs(2000)
	for _, direction := range []string{"upstream", "downstream"} {
		b.Run(direction, func(b *testing.B) {
			measure(b, func(i int) {
				if _, err := g.Trace(b.Context(), TraceArgs{ID: memoryID(ends[i%len(ends)][0]), Direction: direction}); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
}

func BenchmarkOverview(b *testing.B) {
	g := benchGraph(b)
	measure(b, func(int) {
		if _, err := g.Overview(b.Context(), OverviewArgs{}); err != nil {
			b.Fatal(err)
		}
	})
}

// BenchmarkOverviewThen measures an overview that counts rows, because the store has no counts of
// the past.
func BenchmarkOverviewThen(b *testing.B) {
	g := benchGraph(b)
	measure(b, func(int) {
		if _, err := g.Overview(b.Context(), OverviewArgs{AsOf: db.Now()}); err != nil {
			b.Fatal(err)
		}
	})
}

// BenchmarkWrite measures Link, and for comparison inserts of the same rows without any rules.
func BenchmarkWrite(b *testing.B) {
	g := benchGraph(b)
	random := rand.New(rand.NewPCG(5, 6))
	serial := 0
	b.Run("link", func(b *testing.B) {
		measure(b, func(int) {
			from := 1 + random.Int64N(benchMemories-1)
			if _, err := edges.Graph(g).Link(b.Context(), edges.LinkArgs{From: memoryID(from), To: memoryID(from + 1), Type: "causes", Rel: fmt.Sprint(serial)}); err != nil {
				b.Fatal(err)
			}
			serial++
		})
	})
	b.Run("supersede", func(b *testing.B) {
		measure(b, func(int) {
			serial++
			old := int64(serial%(benchMemories/2) + 1)
			if _, err := edges.Graph(g).Link(b.Context(), edges.LinkArgs{From: memoryID(old + benchMemories/2), To: memoryID(old), Type: "supersedes"}); err != nil {
				b.Fatal(err)
			}
		})
	})
	b.Run("bareinsert", func(b *testing.B) {
		if _, err := bench.d.Write(b.Context(), "bench", db.Now(), db.S(`
create table if not exists bare (
  key integer primary key,
  from_key integer not null,
  to_key integer not null,
  kind text not null,
  unique (from_key, to_key, kind)
)`)); err != nil {
			b.Fatal(err)
		}
		measure(b, func(int) {
			serial++
			if _, err := bench.d.Write(b.Context(), "bench", db.Now(), db.S(`insert into bare (from_key, to_key, kind) values (?, ?, ?)`,
				random.IntN(benchMemories), random.IntN(benchMemories), fmt.Sprint(serial))); err != nil {
				b.Fatal(err)
			}
		})
	})
}
