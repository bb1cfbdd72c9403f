package db

import (
	"database/sql"
	"errors"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// holder opens the files of a path, and opens them again when others have taken their place.
type holder struct {
	path    string
	open    func() (*generation, error)
	mu      sync.Mutex
	current *generation   // nil: none is open
	closing []*generation // dropped, but still in use
	closed  bool
}

// generation has the connections to the files that existed when they were opened. The lock of
// the holder guards the other fields.
type generation struct {
	readers *pool
	writer  *pool         // nil for the file of a cluster's node
	wait    time.Duration // of the writer for other processes
	fixed   bool          // the files are not followed
	files   files         // of a plain store, nil for a log that the engine has not made yet
	users   int
	dropped atomic.Bool // the files have been replaced: the last user closes the pools
	judging sync.Mutex  // held while it is decided whether to drop it
}

func (g *generation) close() error { return errors.Join(g.readers.close(), g.writer.close()) }

// keepLog has the connections leave the log alone when they are closed. The last of them would
// otherwise copy it into its file, and remove what has the name of the log by then.
func (g *generation) keepLog() {
	for _, p := range []*pool{g.readers, g.writer} {
		if p != nil {
			p.keepLog.Store(true)
		}
	}
}

// files describes a database, its log and the index of the log; nil for a missing file.
type files [3]os.FileInfo

// same reports whether two descriptions are of the same files.
func (f files) same(other files) bool {
	for i := range f {
		if !f.sameAt(i, other) {
			return false
		}
	}
	return true
}

// sameAt reports whether two descriptions have the same file, or none, at a place.
func (f files) sameAt(i int, other files) bool {
	return (f[i] == nil) == (other[i] == nil) && (f[i] == nil || os.SameFile(f[i], other[i]))
}

var errGone = errors.New("the file is gone")

// statFiles describes the current files.
func (h *holder) statFiles() (current files) {
	for i, suffix := range [...]string{"", "-wal", "-shm"} {
		if info, err := os.Stat(h.path + suffix); err == nil {
			current[i] = info
		}
	}
	return current
}

// take returns the connections to the current files. When a node restarts, it may keep its database
// but recreate the log and its index. The engine shares one index among all connections of a
// process to a database, so new connections would use the deleted one: they would miss what the
// node writes, and the node would not see their locks. So take fails with errMoved until the
// old connections are closed.
func (h *holder) take() (*generation, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.current == nil {
		current := h.statFiles()
		if h.closed {
			return nil, sql.ErrConnDone
		}
		if current[0] == nil {
			return nil, errGone
		}
		for _, old := range h.closing {
			for i := range current {
				if current[i] != nil && old.files.sameAt(i, current) {
					return nil, errMoved
				}
			}
		}
		opened, err := h.open()
		if err != nil {
			return nil, err
		}
		opened.files = current
		h.current = opened
	}
	h.current.users++
	return h.current, nil
}

// release returns a generation that take returned, and closes it if it was dropped and has no
// other user.
func (h *holder) release(g *generation) {
	h.mu.Lock()
	g.users--
	isLast := g.dropped.Load() && g.users == 0
	h.mu.Unlock()
	if !isLast {
		return
	}
	g.keepLog()
	_ = g.close() // the files were replaced, so an error does not matter
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closing = slices.DeleteFunc(h.closing, func(old *generation) bool { return old == g })
}

// drop makes the next call of take open the files again.
func (h *holder) drop(g *generation) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !g.dropped.Swap(true) {
		h.closing = append(h.closing, g)
	}
	if h.current == g {
		h.current = nil
	}
}

// close waits until the connections are not in use, and closes them.
func (h *holder) close() error {
	if h == nil {
		return nil
	}
	h.mu.Lock()
	g := h.current
	h.current, h.closed = nil, true
	h.mu.Unlock()
	if g == nil {
		return nil
	}
	return g.close()
}
