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

// joinedMark is the file in a node's folder that says that the node belongs to a
// cluster.
const joinedMark = "hence-joined"

const (
	pollTime = 200 * time.Millisecond
	stopTime = 30 * time.Second // for a node to hand over and to write its snapshot
)

// Events are told by Run; each may be nil.
type Events struct {
	Ready func(ctx context.Context) bool // reports whether the node serves its cluster; asked until it does
	Began func()                         // is called when it does
}

// Run runs a node until ctx is done, and then lets it stop in good order. Only the owner
// of the process may read what the node writes. It fails with unavailable if the node ends by
// itself; what it said before is in log.
func (p Program) Run(ctx context.Context, o Options, log io.Writer, e Events) error {
	arguments, err := p.Arguments(o, hasJoined(o.Folder))
	if err != nil {
		return err
	}
	ownerOnly()
	if err := os.MkdirAll(o.Folder, 0o700); err != nil {
		return fault.Wrap(fault.Unavailable, err, "cluster run: the folder cannot be made")
	}
	// Whoever made the folder may have let others in.
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
	marked := <-watched
	if ctx.Err() != nil {
		return marked // it was told to stop
	}
	if err != nil {
		err = fault.Wrap(fault.Unavailable, err, "cluster run: %s has ended; its last lines above say why", p.Path)
	}
	return errors.Join(marked, err)
}

// watch waits until the node serves its cluster, and notes that it belongs to one.
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
			return fault.Wrap(fault.Unavailable, err, "cluster run: it cannot be noted that the node has joined")
		}
		return nil
	}
}

// hasJoined reports whether the folder holds a node that belongs to a cluster.
func hasJoined(folder string) bool {
	for _, name := range []string{joinedMark, "raft.db"} {
		if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
			return false
		}
	}
	return true
}
