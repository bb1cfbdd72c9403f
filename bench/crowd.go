package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// The number of processes that write at the same time, each through its own server on one
// store, and the number of writes of each.
const (
	crowdSize  = 8
	writesEach = 50
)

// crowdResult is the outcome of the writes of a crowd.
type crowdResult struct {
	acknowledged []string // what the acknowledged writes wrote
	refused      int      // number of other writes
	took         time.Duration
}

// crowd lets crowdSize processes write at the same time.
func crowd(ctx context.Context, peer contender, dir string, write func(process, n int) (what string, c call)) (w crowdResult, err error) {
	servers := make([]*running, crowdSize)
	for i := range servers {
		if servers[i], err = start(ctx, peer.command(dir)); err != nil {
			return w, err
		}
		defer servers[i].stop()
	}
	var wait sync.WaitGroup
	var lock sync.Mutex
	before := time.Now()
	for process, server := range servers {
		wait.Go(func() {
			for n := range writesEach {
				what, c := write(process, n)
				_, _, err := server.ask(ctx, c)
				lock.Lock()
				if err != nil {
					w.refused++
				} else {
					w.acknowledged = append(w.acknowledged, what)
				}
				lock.Unlock()
			}
		})
	}
	wait.Wait()
	w.took = time.Since(before)
	return w, ctx.Err()
}

// crowds lets a crowd write to each server in a folder of its own, and counts the
// acknowledged writes that are lost.
func (b *bench) crowds(
	ctx context.Context, t table, peers []contender, prepare func(peer contender, dir string) error,
	write func(peer contender, process, n int) (what string, c call),
	lost func(peer contender, dir string, acknowledged []string) (int, error),
) (table, error) {
	t.Unit, t.Beside = "lost", []string{"acknowledged", "refused", "took"}
	for _, peer := range peers {
		b.say("%s: %s", t.ID, peer.name)
		dir := filepath.Join(b.scratch, t.ID, peer.name)
		if err := makeFolder(dir); err != nil {
			return t, err
		}
		if err := prepare(peer, dir); err != nil {
			return t, fmt.Errorf("%s: %w", peer.name, err)
		}
		w, err := crowd(ctx, peer, dir, func(process, n int) (string, call) { return write(peer, process, n) })
		if err != nil {
			return t, fmt.Errorf("%s: %w", peer.name, err)
		}
		count, err := lost(peer, dir, w.acknowledged)
		if err != nil {
			return t, fmt.Errorf("%s: %w", peer.name, err)
		}
		t.Rows = append(t.Rows, row{peer.name, float64(count), []string{
			fmt.Sprint(len(w.acknowledged)), fmt.Sprint(w.refused), fmt.Sprintf("%.1f s", w.took.Seconds()),
		}})
	}
	return t, nil
}

// memoryCrowd has 8 processes store memories at once and counts the acknowledged
// ones that a fresh process does not find.
func (b *bench) memoryCrowd(ctx context.Context) (table, error) {
	t := table{ID: "crowd", Title: fmt.Sprintf("%d processes store %d memories each at once: acknowledged and lost", crowdSize, writesEach)}
	return b.crowds(ctx, t, b.memoryServers(), func(peer contender, dir string) error {
		server, err := start(ctx, peer.command(dir)) // this makes the store
		if err != nil {
			return err
		}
		defer server.stop()
		_, _, err = server.ask(ctx, peer.store("The first", "made the store"))
		return err
	}, func(peer contender, process, n int) (string, call) {
		name := fmt.Sprintf("Writer %d entry %03d", process, n)
		return name, peer.store(name, "written by many at once, "+name)
	}, func(peer contender, dir string, acknowledged []string) (lost int, err error) {
		server, err := start(ctx, peer.command(dir))
		if err != nil {
			return 0, err
		}
		defer server.stop()
		for _, name := range acknowledged {
			// A server may answer with an error for a memory that it does not have.
			if answer, _, err := server.ask(ctx, peer.open(name)); err != nil || !strings.Contains(answer, peer.shows(name)) {
				lost++
			}
		}
		return lost, nil
	})
}

// noteCrowd has 8 processes append lines to one note at once and counts the
// acknowledged ones that the note does not have.
func (b *bench) noteCrowd(ctx context.Context) (table, error) {
	t := table{ID: "crowd-note", Title: fmt.Sprintf("%d processes append %d lines each to one note at once: acknowledged and lost", crowdSize, writesEach)}
	return b.crowds(ctx, t, b.noteServers(), func(peer contender, dir string) error {
		vault := filepath.Join(dir, "vault")
		if err := makeFolder(filepath.Join(vault, ".obsidian")); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(vault, "Log.md"), []byte("# Log\n"), 0o644); err != nil {
			return err
		}
		if peer.prepare == nil {
			return nil
		}
		return peer.prepare(ctx, dir)
	}, func(peer contender, process, n int) (string, call) {
		line := fmt.Sprintf("- writer %d, line %03d", process, n)
		return line, peer.append("Log.md", line+"\n")
	}, func(_ contender, dir string, acknowledged []string) (lost int, err error) {
		text, err := os.ReadFile(filepath.Join(dir, "vault", "Log.md"))
		for _, line := range acknowledged {
			if !strings.Contains(string(text), line) {
				lost++
			}
		}
		return lost, err
	})
}
