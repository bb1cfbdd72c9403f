package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// How many write at once, each through a server of its own on one store, and
// how often each.
const (
	crowdSize  = 8
	writesEach = 50
)

// wrote is what a crowd did: writes that were acknowledged, by what they
// wrote, and how many were refused.
type wrote struct {
	kept    []string
	refused int
	took    time.Duration
}

// crowd lets 8 processes write at once, after a first server has made the
// store.
func crowd(ctx context.Context, peer contender, dir string, write func(process, n int) (what string, c call)) (w wrote, err error) {
	servers := make([]*running, crowdSize)
	for i := range servers {
		if servers[i], err = start(ctx, peer.command(dir)); err != nil {
			return w, err
		}
		defer servers[i].stop()
	}
	var wait sync.WaitGroup
	var lock sync.Mutex
	var refused atomic.Int64
	before := time.Now()
	for process, server := range servers {
		wait.Go(func() {
			for n := range writesEach {
				what, c := write(process, n)
				if _, _, err := server.ask(ctx, c); err != nil {
					refused.Add(1)
					continue
				}
				lock.Lock()
				w.kept = append(w.kept, what)
				lock.Unlock()
			}
		})
	}
	wait.Wait()
	w.took, w.refused = time.Since(before), int(refused.Load())
	return w, ctx.Err()
}

func (w wrote) row(server string, lost int) row {
	return row{server, float64(lost), []string{fmt.Sprint(len(w.kept)), fmt.Sprint(w.refused), fmt.Sprintf("%.1f s", w.took.Seconds())}}
}

var crowdCells = []string{"acknowledged", "refused", "took"}

// memoryCrowd has 8 processes store memories at once and counts the
// acknowledged ones that a fresh process does not find.
func (b *bench) memoryCrowd(ctx context.Context) (table, error) {
	all := table{ID: "crowd", Title: fmt.Sprintf("%d processes store %d memories each at once: acknowledged and lost", crowdSize, writesEach), Unit: "lost", Beside: crowdCells}
	for _, peer := range b.memoryServers() {
		b.say("%d at once: %s", crowdSize, peer.name)
		dir := filepath.Join(b.scratch, "crowd", peer.name)
		if err := makeFolder(dir); err != nil {
			return all, err
		}
		if err := touch(ctx, peer, dir); err != nil {
			return all, fmt.Errorf("%s: %w", peer.name, err)
		}
		w, err := crowd(ctx, peer, dir, func(process, n int) (string, call) {
			name := fmt.Sprintf("Writer %d entry %03d", process, n)
			return name, peer.store(name, "written by many at once, "+name)
		})
		if err != nil {
			return all, fmt.Errorf("%s: %w", peer.name, err)
		}
		server, err := start(ctx, peer.command(dir))
		if err != nil {
			return all, err
		}
		lost := 0
		for _, name := range w.kept {
			// What a server does not have, it may answer with an error.
			if said, _, err := server.ask(ctx, peer.open(name)); err != nil || !strings.Contains(said, peer.shows(name)) {
				lost++
			}
		}
		server.stop()
		all.Rows = append(all.Rows, w.row(peer.name, lost))
	}
	return all, nil
}

// touch has a server make its store.
func touch(ctx context.Context, peer contender, dir string) error {
	server, err := start(ctx, peer.command(dir))
	if err != nil {
		return err
	}
	defer server.stop()
	_, _, err = server.ask(ctx, peer.store("The first", "made the store"))
	return err
}

// noteCrowd has 8 processes append lines to one note at once and counts the
// acknowledged ones that the note does not have.
func (b *bench) noteCrowd(ctx context.Context) (table, error) {
	all := table{ID: "crowd-note", Title: fmt.Sprintf("%d processes append %d lines each to one note at once: acknowledged and lost", crowdSize, writesEach), Unit: "lost", Beside: crowdCells}
	for _, peer := range b.noteServers() {
		b.say("%d on one note: %s", crowdSize, peer.name)
		dir := filepath.Join(b.scratch, "crowd-note", peer.name)
		vault := filepath.Join(dir, "vault")
		if err := makeFolder(filepath.Join(vault, ".obsidian")); err != nil {
			return all, err
		}
		note := filepath.Join(vault, "Log.md")
		if err := os.WriteFile(note, []byte("# Log\n"), 0o644); err != nil {
			return all, err
		}
		if peer.prepare != nil {
			if err := peer.prepare(ctx, dir); err != nil {
				return all, err
			}
		}
		w, err := crowd(ctx, peer, dir, func(process, n int) (string, call) {
			line := fmt.Sprintf("- writer %d, line %03d", process, n)
			return line, peer.append("Log.md", line+"\n")
		})
		if err != nil {
			return all, fmt.Errorf("%s: %w", peer.name, err)
		}
		text, err := os.ReadFile(note)
		if err != nil {
			return all, err
		}
		lost := 0
		for _, line := range w.kept {
			if !strings.Contains(string(text), line) {
				lost++
			}
		}
		all.Rows = append(all.Rows, w.row(peer.name, lost))
	}
	return all, nil
}
