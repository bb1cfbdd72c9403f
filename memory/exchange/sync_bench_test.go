package exchange_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/exchange/lines"
	"hence/memory/exchange/merge"
	"hence/memory/exchange/team"
)

// BenchmarkSync merges two stores that diverged. The environment variable SYNC sets another
// number of memories:
//
//	go test ./memory/exchange -run '^$' -bench Sync -benchtime 1x -timeout 30m
func BenchmarkSync(b *testing.B) {
	memories := 100_000
	if n, err := strconv.Atoi(os.Getenv("SYNC")); err == nil {
		memories = n
	}
	one, other := newTwins(b, memories)
	measure := func(name string, once func() error) {
		b.Run(name, func(b *testing.B) {
			began := time.Now()
			if err := once(); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(time.Since(began).Seconds(), "s")
		})
	}
	base, mine, theirs := filepath.Join(b.TempDir(), "base"), filepath.Join(b.TempDir(), "mine"), filepath.Join(b.TempDir(), "theirs")
	writeExport(b, one, base)
	change(b, one, "here", 0)
	change(b, other, "there", 500)
	writeExport(b, one, mine)
	writeExport(b, other, theirs)
	third := copyOf(b, one)
	// For comparison: git merges the same lines, which are written first, without the rules
	// of a graph.
	measure("Yardstick", func() error {
		for d, path := range map[*db.DB]string{one: mine, other: theirs} {
			if err := os.Remove(path); err != nil {
				return err
			}
			writeExport(b, d, path)
		}
		git := exec.Command("git", "merge-file", "--quiet", "-p", mine, base, theirs)
		git.Stdout = io.Discard
		if err := git.Run(); err != nil && git.ProcessState.ExitCode() < 0 {
			return err
		}
		return nil
	})
	measure("Stores", func() error { return bothWays(b.Context(), one, other) })
	measure("Equal", func() error { return bothWays(b.Context(), one, other) })
	measure("File", func() error {
		in, err := os.Open(theirs)
		if err != nil {
			return err
		}
		defer in.Close()
		_, err = merge.Lines(b.Context(), ref.View{DB: third, Caller: ref.Caller{Actor: "bench"}}, in, lines.ImportArgs{Name: theirs})
		return err
	})
}

// newTwins returns a store with a number of memories and as many edges, and a copy of it.
func newTwins(b *testing.B, memories int) (one, other *db.DB) {
	b.Helper()
	path := filepath.Join(b.TempDir(), "lines.jsonl")
	writeMemories(b, path, memories, memories)
	one, err := db.Open(b.Context(), filepath.Join(b.TempDir(), "one.db"), db.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { one.Close() })
	in, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer in.Close()
	if _, err := lines.Import(b.Context(), ref.View{DB: one, Caller: ref.Caller{Actor: "bench", Origin: "person"}}, in, lines.ImportArgs{Name: path}); err != nil {
		b.Fatal(err)
	}
	return one, copyOf(b, one)
}

func copyOf(b *testing.B, d *db.DB) *db.DB {
	b.Helper()
	path := filepath.Join(b.TempDir(), "copy.db")
	if err := d.Backup(b.Context(), path); err != nil {
		b.Fatal(err)
	}
	other, err := db.Open(b.Context(), path, db.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { other.Close() })
	return other
}

func writeExport(b *testing.B, d *db.DB, path string) {
	b.Helper()
	out, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := lines.Export(b.Context(), ref.View{DB: d}, out); err != nil {
		b.Fatal(err)
	}
	if err := out.Close(); err != nil {
		b.Fatal(err)
	}
}

// change makes 500 changes in a store: in every five, two texts, a tag, a link and a new
// memory. A tenth of the changed memories are also changed by the other store.
func change(b *testing.B, d *db.DB, who string, from int) {
	b.Helper()
	c := ref.Caller{Actor: who, Origin: "agent"}
	s, g := memory.Store{DB: d, Caller: c}, edges.Graph{DB: d, Caller: c}
	for i := range 500 {
		id := fmt.Sprintf("m%07d", from+i)
		if i%10 == 0 {
			id = fmt.Sprintf("m%07d", i)
		}
		var err error
		switch i % 5 {
		case 0, 1:
			_, err = s.Revise(b.Context(), memory.UpdateArgs{ID: id, Content: new("now as " + who + " has it, " + id)})
		case 2:
			_, err = s.Revise(b.Context(), memory.UpdateArgs{ID: id, Tags: &[]string{who}})
		case 3:
			_, err = g.Link(b.Context(), edges.LinkArgs{From: id, To: fmt.Sprintf("m%07d", 2000+i), Type: "supports"})
		case 4:
			_, err = s.Remember(b.Context(), memory.StoreArgs{Content: "new " + who + " " + id, Dedup: "off"}, nil)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

// bothWays merges two stores with each other, so that both become equal, as hence sync does.
func bothWays(ctx context.Context, a, b *db.DB) error {
	here, there := ref.View{DB: a, Caller: ref.Caller{Actor: "bench"}}, ref.View{DB: b, Caller: ref.Caller{Actor: "bench"}}
	done, err := merge.Stores(ctx, here, there, lines.ImportArgs{Name: "other"})
	if err != nil {
		return err
	}
	return merge.Pipe(func(out io.Writer) error {
		_, err := merge.ExportLacking(ctx, here, out, done)
		return err
	}, func(in io.Reader) error {
		_, err := merge.Lines(ctx, there, in, lines.ImportArgs{Name: "one", Few: true})
		return err
	})
}

// BenchmarkTeam syncs a team's folder. The environment variable TEAM sets another number of
// memories.
func BenchmarkTeam(b *testing.B) {
	memories := 10_000
	if n, err := strconv.Atoi(os.Getenv("TEAM")); err == nil {
		memories = n
	}
	one, _ := newTwins(b, memories)
	dir := b.TempDir()
	a := team.Args{Dir: filepath.Join(dir, ".hence"), First: true}
	s := ref.View{DB: one, Caller: ref.Caller{Actor: "bench"}}
	sync := func(written int) func() error {
		return func() error {
			done, err := team.Sync(b.Context(), s, a)
			if err == nil && len(done.Written) != written {
				err = fmt.Errorf("%d files were written, want %d", len(done.Written), written)
			}
			return err
		}
	}
	git := func(words ...string) error {
		command := exec.Command("git", append([]string{"-C", dir}, words...)...)
		command.Env = append(os.Environ(), "HOME="+dir, "GIT_CONFIG_NOSYSTEM=1")
		return command.Run()
	}
	measure := func(name string, once func() error) {
		b.Run(name, func(b *testing.B) {
			began := time.Now()
			if err := once(); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(time.Since(began).Seconds(), "s")
		})
	}
	measure("First", sync(memories+2))
	for _, words := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "all"}} {
		if err := git(words...); err != nil {
			b.Fatal(err)
		}
	}
	measure("Unchanged", sync(0))
	measure("Yardstick", func() error { return git("status", "--porcelain") })
	if _, err := (memory.Store{DB: one, Caller: ref.Caller{Actor: "bench"}}).Revise(b.Context(), memory.UpdateArgs{ID: "m0000001", Content: new("another text")}); err != nil {
		b.Fatal(err)
	}
	measure("OneChanged", sync(1))
}
