package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hence/cmd/hence/internal/screen"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/plural"
	"hence/memory/exchange"
)

// syncCommands bring stores together that went apart.
var syncCommands = []command{function((*session).syncCommand)}

// syncOptions are the flags of hence sync.
type syncOptions struct {
	dry    bool
	first  bool
	keep   int // days
	folder string
}

func (s *session) syncCommand() *cobra.Command {
	o := syncOptions{}
	cmd := &cobra.Command{
		Use:   "sync [OTHER]",
		Short: "Merge this store with another, so that both are the same",
		Long: `Merges the store with another one, and the other one with it. OTHER is

  another store's file
  a file that hence export wrote, which is written again
  a folder that several machines share: each writes an export of its own into it
  ssh://HOST/PATH, a store on another machine, by your own ssh and the hence there;
  ssh://HOST is its usual store, ssh://HOST/~/PATH is below the home there

The order of merges makes no difference, nor does merging again. Of two edits of one
memory the later stands; if its writer had not seen the other text, that one is kept
as a memory of its own, superseded, with the tag conflicting-edit. What was forgotten
stays forgotten unless it was edited later, what was unlinked stays so unless it was
linked later, what was purged stays purged. Of two successors the earlier link stands,
and the other successor contradicts it. An edge that would close a cycle stays out and
is listed. Notes and code are not merged, because their files tell; edges to them are.

With --folder, a folder of a repository keeps the team's memories as Markdown files,
one a memory, for git diff and git merge: those of one namespace and, with --project,
of that project. Preferences, conversations, other projects and what has the property
private stay out; a memory with what looks like a secret is refused, with its line.
The first time it only says what it would write; --first writes it. Where git left
conflict marks, both sides are merged. A file that somebody deleted is written again:
use hence forget.

hence undo takes a merge back whole. Removals are remembered for 180 days, or as long
as --keep-removed says: a store that was apart for longer may bring back what was
removed here.`,
		Example: `  hence sync ~/usb/hence.db --dry-run
  hence sync ssh://laptop
  hence sync ~/Sync/hence
  hence sync --folder .hence --project auto
  hence sync --keep-removed 365`,
		Args: count{0, 1}.check,
		RunE: func(cmd *cobra.Command, words []string) error {
			switch {
			case cmd.Flags().Changed("keep-removed"):
				if len(words) > 0 {
					return fault.New(fault.InvalidArgument, "sync: --keep-removed is set by itself; leave %s out", words[0])
				}
				return s.keepRemoved(cmd.Context(), o.keep)
			case o.folder != "" && len(words) > 0:
				return fault.New(fault.InvalidArgument, "sync: give another store or --folder, not both")
			case o.folder != "":
				return s.syncTeam(cmd.Context(), o)
			case len(words) == 0:
				return fault.New(fault.InvalidArgument, "sync: name the other store: its file, an export, a folder, or ssh://HOST/PATH")
			}
			return s.sync(cmd.Context(), words[0], o.dry)
		},
	}
	cmd.Flags().BoolVar(&o.dry, "dry-run", false, "only say what would change")
	cmd.Flags().StringVar(&o.folder, "folder", "", "keep the team's memories as files in this `folder`")
	cmd.Flags().BoolVar(&o.first, "first", false, "write the files of a folder that has none yet")
	_ = cmd.MarkFlagDirname("folder")
	cmd.Flags().IntVar(&o.keep, "keep-removed", 0, "remember for so many `days` what was unlinked or purged")
	return cmd
}

func (s *session) keepRemoved(ctx context.Context, days int) error {
	if days < 1 {
		return fault.New(fault.InvalidArgument, "sync: --keep-removed is %d, and must be at least 1 day", days)
	}
	return s.withStore(ctx, false, func(d *db.DB) error {
		_, err := d.Write(ctx, s.person().Actor, db.Now(), db.S(`update store set keep_days = ?`, days))
		if err != nil {
			return err
		}
		return s.print(map[string]int{"keep_removed_days": days}, func(v *view) {
			v.Line(good("set: "), screen.Text("what is unlinked or purged is remembered for "+plural.Count(days, "day", "days")))
		})
	})
}

// syncResult is what --json prints.
type syncResult struct {
	Other string           `json:"other"`
	Here  exchange.Merged  `json:"here"`
	There *exchange.Merged `json:"there"` // null if the other side is files, or another machine's
	Sent  int              `json:"sent"`  // lines that the other side lacked
}

// side is the other side of a sync.
type side interface {
	// read calls merge with all lines of the side, or with parts of them in turn.
	read(ctx context.Context, merge func(name string, in io.Reader) error) error
	// write gives the side the lines of the store that it lacked; all writes every line.
	write(ctx context.Context, lacking, all func(out io.Writer) error) (*exchange.Merged, error)
	close() error
}

func (s *session) sync(ctx context.Context, name string, dry bool) error {
	return s.exchange(ctx, false, func(x exchange.Store) (err error) {
		other, err := s.sideOf(ctx, x, name)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, other.close()) }()
		result := syncResult{Other: name}
		last := exchange.Merged{}
		parts := 0
		err = other.read(ctx, func(part string, in io.Reader) error {
			last, err = x.Merge(ctx, in, exchange.ImportArgs{Name: part, DryRun: dry})
			if parts++; parts == 1 {
				result.Here = last
			} else {
				result.Here.Add(last)
			}
			return err
		})
		if err == nil && !dry {
			lacking := func(out io.Writer) (err error) {
				result.Sent, err = x.ExportLacking(ctx, out, last)
				return err
			}
			all := func(out io.Writer) error {
				_, err := x.Export(ctx, out)
				return err
			}
			result.There, err = other.write(ctx, lacking, all)
		}
		if err != nil {
			return firstFault(err)
		}
		err = s.print(result, func(v *view) { v.synced(result) })
		if !dry {
			s.embedWaiting(ctx, x.DB, unhurried)
		}
		return err
	})
}

// sideOf says what a name means.
func (s *session) sideOf(ctx context.Context, x exchange.Store, name string) (side, error) {
	if strings.HasPrefix(name, "ssh://") {
		return newSSHStore(name, s.namespace)
	}
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, fault.New(fault.NotFound, "sync: there is no %s; hence export %s writes one to begin with", name, name)
	case err != nil:
		return nil, fault.Wrap(fault.Unavailable, err, "sync %s: it cannot be read", name)
	case info.IsDir():
		return &sharedFolder{dir: name, tag: x}, nil
	}
	if own, err := os.Stat(x.DB.Path()); err == nil && os.SameFile(own, info) {
		return nil, fault.New(fault.InvalidArgument, "sync %s: that is this store; name another one", name)
	}
	isStore, err := hasStoreHeader(name)
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, err, "sync %s: it cannot be read", name)
	}
	if !isStore {
		return exportedFile(name), nil
	}
	other, err := db.Open(ctx, name, s.options())
	return otherStore{exchange.Store{DB: other, Caller: x.Caller}, s.file}, err
}

// hasStoreHeader reports whether a file is a database.
func hasStoreHeader(path string) (bool, error) {
	const header = "SQLite format 3\x00"
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	first := make([]byte, len(header))
	n, err := io.ReadFull(f, first)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return string(first[:n]) == header, err
}

// otherStore is a store's file on this machine.
type otherStore struct {
	exchange.Store
	name string // of the store that it is merged with
}

func (o otherStore) read(ctx context.Context, merge func(name string, in io.Reader) error) error {
	return pipe(func(out io.Writer) error {
		_, err := o.Export(ctx, out)
		return err
	}, func(in io.Reader) error { return merge(o.DB.Path(), in) })
}

func (o otherStore) write(ctx context.Context, lacking, _ func(out io.Writer) error) (*exchange.Merged, error) {
	var there exchange.Merged
	err := pipe(lacking, func(in io.Reader) (err error) {
		there, err = o.Merge(ctx, in, exchange.ImportArgs{Name: cmp.Or(o.name, "the other store"), Few: true})
		return err
	})
	return &there, err
}

func (o otherStore) close() error { return o.DB.Close() }

// pipe gives what one function writes to another that reads it.
func pipe(write func(out io.Writer) error, read func(in io.Reader) error) error {
	in, out := io.Pipe()
	written := make(chan error, 1)
	go func() {
		err := write(out)
		written <- err
		_ = out.CloseWithError(err)
	}()
	err := read(in)
	_ = in.CloseWithError(cmp.Or(err, io.ErrClosedPipe))
	if wrote := <-written; wrote != nil && !errors.Is(wrote, io.ErrClosedPipe) {
		return wrote
	}
	return err
}

// exportedFile is a file that hence export wrote.
type exportedFile string

func (f exportedFile) read(_ context.Context, merge func(name string, in io.Reader) error) error {
	in, err := os.Open(string(f))
	if err != nil {
		return fault.Wrap(fault.Unavailable, err, "sync %s: it cannot be read", string(f))
	}
	return errors.Join(merge(string(f), in), in.Close())
}

func (f exportedFile) write(_ context.Context, lacking, all func(out io.Writer) error) (*exchange.Merged, error) {
	var some bytes.Buffer
	if err := lacking(&some); err != nil || some.Len() == 0 {
		return nil, err
	}
	return nil, replaceFile(string(f), all)
}

func (exportedFile) close() error { return nil }

// replaceFile writes a file whole, or leaves it as it was.
func replaceFile(path string, write func(out io.Writer) error) error {
	temp, err := os.CreateTemp(filepath.Dir(path), ".hence-export-*")
	if err != nil {
		return fault.Wrap(fault.Unavailable, err, "sync %s: the folder cannot be written", path)
	}
	defer os.Remove(temp.Name())
	if err := errors.Join(write(temp), temp.Sync(), temp.Close()); err != nil {
		return firstFault(err)
	}
	if err := os.Rename(temp.Name(), path); err != nil {
		return fault.Wrap(fault.Unavailable, err, "sync %s: it cannot be written", path)
	}
	return nil
}

// sharedFolder holds an export of each machine that shares it. A machine writes only
// its own, so that what copies the folder finds no conflict.
type sharedFolder struct {
	dir string
	tag exchange.Store
}

func (f *sharedFolder) read(_ context.Context, merge func(name string, in io.Reader) error) error {
	names, err := filepath.Glob(filepath.Join(globbed(f.dir), "*.jsonl"))
	if err != nil {
		return err
	}
	slices.Sort(names)
	for _, name := range names {
		if err := exportedFile(name).read(context.Background(), merge); err != nil {
			return err
		}
	}
	return nil
}

// globbed returns a path whose characters all stand for themselves in a pattern.
func globbed(path string) string {
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `\`, `\\`).Replace(path)
}

func (f *sharedFolder) write(ctx context.Context, _, all func(out io.Writer) error) (*exchange.Merged, error) {
	tag, err := f.tag.Tag(ctx)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(f.dir, "hence-"+tag+".jsonl")
	var now bytes.Buffer
	if err := all(&now); err != nil {
		return nil, err
	}
	if before, err := os.ReadFile(path); err == nil && bytes.Equal(before, now.Bytes()) {
		return nil, nil
	}
	return nil, replaceFile(path, func(out io.Writer) error {
		_, err := out.Write(now.Bytes())
		return err
	})
}

func (f *sharedFolder) close() error { return nil }
