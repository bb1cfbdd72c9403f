package node

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"hence/internal/fault"
)

// File is the path of the store within the folder of a node.
const File = "db.sqlite"

// joinedMark is the name of the file in a node's folder that marks the node as a member of a
// cluster.
const joinedMark = "hence-joined"

const (
	pollTime = 200 * time.Millisecond
	stopTime = 30 * time.Second // maximum time for a node to transfer leadership and write its snapshot
)

// Events are functions that Run calls; each may be nil.
type Events struct {
	Ready func(ctx context.Context) bool // reports whether the node serves its cluster; called until it returns true
	Began func()                         // called once Ready has returned true
}

// Run runs a node until ctx is done, and then lets it shut down. Only the owner of the process
// may read the files of the node. Run fails with unavailable if the node ends by itself; log
// gets the output of the node.
func (p Program) Run(ctx context.Context, o Options, log io.Writer, e Events) error {
	arguments, err := p.Arguments(o, hasJoined(o.Folder))
	if err != nil {
		return err
	}
	ownerOnly()
	if err := os.MkdirAll(o.Folder, 0o700); err != nil {
		return fault.Wrap(fault.Unavailable, err, "cluster run: the folder cannot be created")
	}
	// The folder may exist with permissions for others.
	if err := os.Chmod(o.Folder, 0o700); err != nil {
		return fault.Wrap(fault.Unavailable, err, "cluster run: the folder cannot be closed to others")
	}
	cmd := exec.CommandContext(ctx, p.Path, arguments...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = stopTime
	withoutParent(cmd)
	if err := cmd.Start(); err != nil {
		return fault.Wrap(fault.Unavailable, err, "cluster run: %s does not start", p.Path)
	}
	watching, stop := context.WithCancel(ctx)
	watched := make(chan error, 1)
	go func() { watched <- watch(watching, o.Folder, e) }()
	err = cmd.Wait()
	stop()
	watchErr := <-watched
	if ctx.Err() != nil {
		return watchErr // the caller stopped the node
	}
	if err != nil {
		err = fault.Wrap(fault.Unavailable, err, "cluster run: %s has ended; its last lines above say why", p.Path)
	}
	return errors.Join(watchErr, err)
}

// watch waits until the node serves its cluster, and then creates joinedMark.
func watch(ctx context.Context, folder string, e Events) error {
	if e.Ready == nil {
		return nil
	}
	for tick := time.NewTicker(pollTime); ; {
		select {
		case <-ctx.Done():
			tick.Stop()
			return nil
		case <-tick.C:
		}
		if !e.Ready(ctx) {
			continue
		}
		tick.Stop()
		if e.Began != nil {
			e.Began()
		}
		if err := os.WriteFile(filepath.Join(folder, joinedMark), nil, 0o600); err != nil {
			return fault.Wrap(fault.Unavailable, err, "cluster run: cannot record that the node has joined")
		}
		return nil
	}
}

// hasJoined reports whether the folder is that of a node that belongs to a cluster.
func hasJoined(folder string) bool {
	for _, name := range []string{joinedMark, "raft.db"} {
		if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
			return false
		}
	}
	return true
}
