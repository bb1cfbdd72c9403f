package db

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"hence/internal/fault"
	"hence/internal/pause"
)

// using calls do with the connections to the files that the path of a plain store names now. When
// others have removed or replaced one of them, it opens them again if nothing that was written is
// missing there, and fails with unavailable otherwise. do is called again if it fails with errMoved.
func (f *file) using(ctx context.Context, do func(g *generation) error) error {
	for start := time.Now(); ; {
		g, err := f.take()
		if err == nil {
			if err = f.keepPlace(ctx, g); err == nil {
				err = do(g)
			}
			f.release(g)
		}
		switch {
		case errors.Is(err, errGone):
			return fault.New(fault.Unavailable, "read %s: the file is gone; put it back, or start again to make a new store", f.path)
		case !errors.Is(err, errMoved):
			return err
		case time.Since(start) > max(f.wait, waitForFile):
			return fault.New(fault.Unavailable, "read %s: its files were replaced while this process reads from the former ones; try again", f.path)
		}
		if err := pause.For(ctx, fileRetry); err != nil {
			return err
		}
	}
}

// isInPlace reports whether a generation has the files that the path names. The engine makes the
// log and its index when it first reads, so those that it did not have before count as its own.
func (f *file) isInPlace(g *generation) (now files, ok bool) {
	if g.fixed {
		return now, true
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	now = f.statFiles() // under the lock: another caller may have seen a log that was made since
	for i := range now {
		if i > 0 && g.files[i] == nil {
			g.files[i] = now[i]
		}
	}
	return now, now.same(g.files)
}

// keepPlace fails with errMoved, and drops a generation, if other files are in the place of its
// own and have all that it has written; with unavailable if they do not.
func (f *file) keepPlace(ctx context.Context, g *generation) error {
	now, ok := f.isInPlace(g)
	if ok {
		return nil
	}
	g.judging.Lock()
	defer g.judging.Unlock()
	what, err := "", error(nil)
	switch {
	case g.dropped.Load():
		return errMoved
	case now[0] == nil:
		what = "the file was removed or moved"
	case f.readOnly: // it has written nothing
	case !now.sameAt(0, g.files):
		what, err = f.whatOtherFileLacks(ctx, g, now)
	case !now.sameAt(1, g.files):
		what, err = f.whatLogLacks(ctx, g, now)
	}
	if what != "" || err != nil {
		return f.unreachable(g, what, err)
	}
	f.drop(g)
	return errMoved
}

// close closes the files. Where others have been put in their place, the log is
// left alone: it is not that of these files, or other processes have written to it.
func (f *file) close() error {
	if g, err := f.take(); err == nil {
		_ = f.keepPlace(context.Background(), g) // a log that stays beside another file is emptied
		now, ok := f.isInPlace(g)
		isTaken := now[1] != nil && now[1].Size() > 0 && (!now.sameAt(1, g.files) || now[2] != nil && !now.sameAt(2, g.files))
		if !ok && now[0] != nil && (isTaken || !now.sameAt(0, g.files)) {
			g.keepLog()
		}
		f.release(g)
	}
	return f.holder.close()
}

// whatLogLacks returns "" if all that the removed log of a generation holds is in the file. It
// copies that there first if every process that has the file open has the same index of the log.
func (f *file) whatLogLacks(ctx context.Context, g *generation, now files) (string, error) {
	mode := "noop"
	isUnused := now[1] == nil || now[1].Size() == 0
	if now[1] == nil && now[2] == nil || isUnused && now[2] != nil && now.sameAt(2, g.files) {
		mode = "passive"
	}
	if whole, err := g.checkpoint(ctx, mode); err != nil || whole {
		return "", err
	}
	return "its log (-wal), which has the last changes, was removed or replaced", nil
}

// checkpoint copies the log of a generation into its file, and reports whether all of it is there.
// The mode noop copies nothing.
func (g *generation) checkpoint(ctx context.Context, mode string) (whole bool, err error) {
	waiting, cancel := context.WithTimeout(ctx, waitForOlder) // a caller may have it, and wait for this
	defer cancel()
	c, err := g.writer.take(waiting)
	if err != nil {
		return false, err
	}
	defer g.writer.release(c)
	// Another process that reads the log is not waited for.
	if err := c.waitFor(ctx, 100*time.Millisecond); err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, c.waitFor(ctx, g.wait)) }()
	var busy, pages, copied int
	err = c.QueryRowContext(context.WithoutCancel(ctx), `pragma wal_checkpoint(`+mode+`)`).Scan(&busy, &pages, &copied)
	return busy == 0 && pages == copied, err
}

const selectNewestChange = `select seq || ' ' || at || ' ' || id from journal order by seq desc limit 1`

// whatOtherFileLacks returns "" if the file that was put in the place of that of a generation has the
// generation's newest change, or the same bytes. A log that stays belongs to the file before: it is
// copied there, or whoever opens the new file would read it as its own.
func (f *file) whatOtherFileLacks(ctx context.Context, g *generation, now files) (string, error) {
	if now[1] != nil && now[1].Size() > 0 && now.sameAt(1, g.files) {
		if former := openFile(g.files[0]); former != "" && haveSameBytes(former, f.path) {
			return "", nil
		}
		if whole, err := g.checkpoint(ctx, "truncate"); err != nil || !whole {
			return "another file was put in its place", err
		}
	}
	var found string
	newest, err := ask[string](ctx, g.readers.run, selectNewestChange)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return "", err
	}
	err = withFile(ctx, f.path, func(c *conn) error {
		file, err := readOrigin(ctx, c)
		if err != nil || file.version != current.version() || file.check(current, "read "+f.path) != nil {
			return errors.Join(err, errMoved)
		}
		return c.QueryRowContext(ctx, `select coalesce(max(seq || ' ' || at || ' ' || id), '') from journal where seq = cast(? as integer)`, newest).Scan(&found)
	})
	if err != nil || found != newest {
		return "another file, which does not have the last changes, was put in its place", nil
	}
	return "", nil
}

// unreachable returns the error for files that have lost their place with changes that are nowhere
// else, and says where these are.
func (f *file) unreachable(g *generation, what string, cause error) error {
	if cause != nil {
		return explain(cause, "read %s: its files were removed or replaced", f.path)
	}
	where := "what it held is lost when the process ends"
	places := []string{}
	for i, info := range g.files[:2] {
		path := openFile(info)
		if is, err := os.Stat(path); err != nil || is.Size() == 0 {
			continue
		} else if target, err := os.Readlink(path); err == nil && target != f.path && target != f.path+"-wal" {
			if !strings.HasSuffix(target, " (deleted)") {
				path = target
			}
			places = append(places, path+[]string{"", " (its log)"}[i])
		}
	}
	if len(places) > 0 {
		where = "what it held can be copied from " + strings.Join(places, " and ") + " until the process ends"
	}
	return fault.New(fault.Unavailable,
		"read or write %s: %s while this process (%d) had it open, so nothing is read or written; %s; put the right file in its place and start again", f.path, what, os.Getpid(), where)
}

func (f *file) detached() (paths []string, err error) {
	path, err := filepath.Abs(f.path)
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, err, "check %s", f.path)
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	open, _ := filepath.Glob("/proc/[0-9]*/fd/[0-9]*")
	for _, file := range open {
		target, _ := os.Readlink(file) // of another user, or closed since
		if target == path+" (deleted)" || target == path+"-wal (deleted)" {
			paths = append(paths, file)
		}
	}
	return paths, nil
}

// openFile returns the path under which the system shows a file that this process has open, ""
// where the system does not.
func openFile(info os.FileInfo) string {
	folder := fmt.Sprintf("/proc/%d/fd", os.Getpid())
	entries, _ := os.ReadDir(folder) // elsewhere than on Linux there is none
	for _, e := range entries {
		path := filepath.Join(folder, e.Name())
		if is, err := os.Stat(path); err == nil && info != nil && os.SameFile(is, info) {
			return path
		}
	}
	return ""
}

// haveSameBytes reports whether two files can be read and have the same bytes.
func haveSameBytes(one, other string) bool {
	sums := [2][]byte{}
	for i, path := range []string{one, other} {
		f, err := os.Open(path)
		if err != nil {
			return false
		}
		sum := sha256.New()
		_, err = io.Copy(sum, f)
		if errors.Join(err, f.Close()) != nil {
			return false
		}
		sums[i] = sum.Sum(nil)
	}
	return bytes.Equal(sums[0], sums[1])
}
