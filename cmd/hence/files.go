package main

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/permit"
	"hence/internal/plural"
	"hence/internal/ref"
	"hence/memory/erase"
	"hence/memory/exchange/lines"
	"hence/memory/exchange/merge"
	"hence/memory/exchange/notes"
	"hence/memory/exchange/transcripts"
	"hence/tools/show"
)

func exportCommand(s *session) *cobra.Command {
	dir := ""
	cmd := bare("export", count{0, 1}, func(cmd *cobra.Command, words []string) error {
		if len(words) > 0 {
			if err := checkFile(cmd, words[0]); err != nil {
				return err
			}
		}
		switch {
		case dir != "" && len(words) > 0:
			return fault.New(fault.InvalidArgument, "export: give a file or --vault, not both")
		case cmd.Flags().Changed("vault"):
			return s.exportNotes(cmd.Context(), dir)
		case len(words) > 0 && words[0] != "-":
			return s.exportFile(cmd.Context(), words[0])
		}
		return s.exportTo(cmd.Context(), s.out)
	})
	cmd.Flags().StringVar(&dir, "vault", "", "write notes into this new or empty `folder`")
	_ = cmd.MarkFlagDirname("vault")
	return cmd
}

func (s *session) exportTo(ctx context.Context, out io.Writer) error {
	return s.withStore(ctx, true, func(x ref.View) error {
		done, err := lines.Export(ctx, x, out)
		if err == nil && done.Replaced > 0 {
			return s.draw(s.err, show.OneLine(warn(plural.Count(done.Replaced, "text was", "texts were")+" not valid UTF-8; invalid bytes are written as \uFFFD")))
		}
		return err
	})
}

// exportFile writes a complete new file, or none if it fails.
func (s *session) exportFile(ctx context.Context, path string) error {
	if _, err := os.Lstat(path); err == nil {
		return fault.New(fault.Exists, "export to %s: the file exists; choose another name", path)
	}
	_, err := replaceFile("export to", path, false, func(out io.Writer) error { return s.exportTo(ctx, out) })
	return err
}

// firstFault returns the first error with a code among joined ones, or err if none has one.
func firstFault(err error) error {
	if known, ok := errors.AsType[*fault.Error](err); ok {
		return known
	}
	return err
}

func (s *session) exportNotes(ctx context.Context, dir string) error {
	if dir == "" {
		return fault.New(fault.InvalidArgument, "export: --vault is empty; give it a folder")
	}
	return calling("export", "", notes.Export, func(done notes.Written) (d show.Doc) {
		d.Add("", good("wrote "), plural.Count(done.Notes, "note", "notes")+" with "+plural.Count(done.Edges, "edge", "edges")+" to ", strong(dir))
		d.Warn(done.Warnings)
		return d
	}).run(ctx, s, dir)
}

// takeIn runs a call that takes memories in, prints what tell says of its result and then, unless dry, makes the
// vectors of the new texts.
func takeIn[R any](ctx context.Context, s *session, dry bool, call func(context.Context, ref.View, func(done, total int)) (R, error), tell func(R) show.Doc) error {
	m := calling("import", "", func(ctx context.Context, v ref.View, _ noArguments) (R, error) {
		progress, done := progressBar(s.err, "importing")
		defer done()
		return call(ctx, v, progress)
	}, tell).writing()
	m.after = func(ctx context.Context, s *session, v ref.View, _ R) error {
		if !dry {
			s.embedWaiting(ctx, v.DB, unhurried)
		}
		return nil
	}
	return firstFault(m.run(ctx, s, noArguments{}))
}

// importLines imports a file in the exchange format, or merges it into the store. source is
// the source of the texts, unless a line states a less trusted one. It refuses flags that
// are for folders of notes.
func (s *session) importLines(cmd *cobra.Command, path, source string, joins bool) (err error) {
	a := lines.ImportArgs{Name: path, Source: source}
	if a.DryRun, err = onlyDryRun(cmd, path); err != nil {
		return err
	}
	in, err := s.openRewindable(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	if joins { // the MCP memory server's lines have no times: an import joins them
		isForeign, err := lines.IsForeign(in)
		if err != nil {
			return fault.Wrap(fault.Unavailable, err, "import %s: the file cannot be read", path)
		}
		joins = !isForeign
	}
	if joins {
		return takeIn(cmd.Context(), s, a.DryRun, func(ctx context.Context, x ref.View, _ func(done, total int)) (merge.Merged, error) {
			return merge.Lines(ctx, x, in, a)
		}, func(done merge.Merged) show.Doc { return showMerge(path, done) })
	}
	return takeIn(cmd.Context(), s, a.DryRun, func(ctx context.Context, x ref.View, progress func(done, total int)) (lines.Imported, error) {
		a.Progress = progress
		return lines.Import(ctx, x, in, a)
	}, func(done lines.Imported) show.Doc { return showImport(path, done) })
}

// onlyDryRun returns the flag --dry-run, and refuses flags that are for folders of notes.
func onlyDryRun(cmd *cobra.Command, path string) (dry bool, err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		switch {
		case f.Name == "dry-run":
			dry = f.Value.String() == "true"
		case !slices.Contains([]string{"agents", "from", "merge", "outputs", "source"}, f.Name) && cmd.InheritedFlags().Lookup(f.Name) == nil:
			err = fault.New(fault.InvalidArgument, "import %s: --%s is for folders of notes; leave it out", path, f.Name)
		}
	})
	return dry, err
}

// importConversations imports the conversations that another program has stored.
func (s *session) importConversations(cmd *cobra.Command, path, format string, outputs bool) error {
	dry, err := onlyDryRun(cmd, path)
	if err != nil {
		return err
	}
	a := transcripts.Args{Path: path, Format: format, Outputs: outputs, DryRun: dry}
	return takeIn(cmd.Context(), s, dry, func(ctx context.Context, x ref.View, progress func(done, total int)) (transcripts.Imported, error) {
		a.Progress = progress
		return importHeard(ctx, x, a)
	}, func(done transcripts.Imported) (d show.Doc) {
		read := "read " + plural.Count(done.Conversations, "conversation", "conversations") + " with " + plural.Count(done.Turns, "turn", "turns")
		if done.Commands > 0 {
			read += " and " + plural.Count(done.Commands, "command", "commands")
		}
		d.Add("", read)
		return append(d, showImport(path, done.Imported)...)
	})
}

// maxShownUndecided is how many lines are shown with both texts.
const maxShownUndecided = 20

func showImport(path string, in lines.Imported) (d show.Doc) {
	d.Add("", show.Outcome(in.DryRun, "imported ", "would import "), strong(path), ": "+
		plural.Count(in.Memories.Added, "memory", "memories")+" and "+plural.Count(in.Edges.Added, "edge", "edges"))
	both := func(memories, edges int, what string) {
		if memories+edges > 0 {
			d.Add("  ", plural.Count(memories, "memory", "memories")+" and "+plural.Count(edges, "edge", "edges")+" "+what)
		}
	}
	both(in.Memories.Changed, in.Edges.Changed, "changed to what the file has")
	both(in.Memories.Present, in.Edges.Present, "were there already and did not change")
	d.Warn(in.Warnings)
	for _, u := range in.Undecided[:min(len(in.Undecided), maxShownUndecided)] {
		d.Warn([]string{"line " + strconv.Itoa(u.Line) + " differs from " + strconv.Quote(u.Title) + ref.Named{Trust: u.Trust}.Mark() + " and was left out: " + u.Why})
		d.AddIn(show.Faint, "    ", "here: "+ref.Fence(u.Trust, show.Short(u.Here)))
		d.AddIn(show.Faint, "    ", "file: "+ref.Fence(u.Trust, show.Short(u.There)))
	}
	if more := len(in.Undecided) - maxShownUndecided; more > 0 {
		d.Warn([]string{"and " + strconv.Itoa(more) + " more; --json has them all"})
	}
	return d
}

// openRewindable opens an input for several passes. It copies a pipe to a temporary
// file.
func (s *session) openRewindable(path string) (io.ReadSeekCloser, error) {
	in := s.input()
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, fault.Wrap(fault.Unavailable, err, "import %s: the file cannot be read", path)
		}
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			return f, nil
		}
		defer f.Close()
		in = s.until(f)
	}
	temp, err := os.CreateTemp("", "hence-import-*")
	if err == nil {
		_ = os.Remove(temp.Name()) // removed when it is closed
		_, err = io.Copy(temp, in)
	}
	if err == nil {
		_, err = temp.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, err, "import %s: the input cannot be written to a temporary file", path)
	}
	return temp, nil
}

func backupCommand(s *session) *cobra.Command {
	restore := false
	cmd := bare("backup", count{1, 1}, func(cmd *cobra.Command, words []string) error {
		if err := checkFile(cmd, words[0]); err != nil {
			return err
		}
		if s.namespace != "" {
			return fault.New(fault.InvalidArgument, "backup: a backup holds all namespaces; leave --namespace out, or copy one namespace with hence export --namespace %s FILE", s.namespace)
		}
		if !restore {
			return calling("backup", "", backup, showBackup).run(cmd.Context(), s, words[0])
		}
		path, err := s.path()
		if err != nil {
			return err
		}
		saved, err := db.RestoreBackup(cmd.Context(), words[0], path, s.options())
		if err != nil {
			return err
		}
		d, err := s.open(cmd.Context(), true)
		if err != nil {
			return err
		}
		done := restored{File: words[0], Saved: saved, Returned: []ref.Named{}}
		done.Left, _, err = brings(cmd.Context(), d)
		if err == nil && saved != "" {
			done.Returned, err = s.returned(cmd.Context(), d, saved)
		}
		if err = errors.Join(err, d.Close()); err != nil {
			return err
		}
		return s.print(done, func() (d show.Doc) {
			d.Add("", good("restored "), strong(path), " from "+words[0])
			if saved != "" {
				d.AddIn(show.Faint, "  ", "the previous state is in "+saved)
			}
			return append(append(d, showReturned(done.Returned)...), showBrought(done.Left)...)
		})
	})
	cmd.Flags().BoolVar(&restore, "restore", false, "replace the store by FILE")
	return cmd
}

// restored is what --json prints.
type restored struct {
	File  string         `json:"file"`
	Saved string         `json:"saved"`
	Left  permit.Brought `json:"left_behind"` // it does not count on this machine

	Returned []ref.Named `json:"erased_before"` // what had been erased for good, and is here again
}

// returned returns what had been erased from the store that a restore saved, and is in the restored one again.
func (s *session) returned(ctx context.Context, d *db.DB, saved string) (all []ref.Named, err error) {
	o := s.options()
	o.ReadOnly = true
	before, err := db.Open(ctx, saved, o)
	if err != nil {
		return nil, err
	}
	all, err = erase.Store{DB: d, Caller: s.person()}.Returned(ctx, before)
	return all, errors.Join(err, before.Close())
}

func showReturned(all []ref.Named) (d show.Doc) {
	if len(all) == 0 {
		return nil
	}
	d.Add("", warn("back again: "), plural.Count(len(all), "text", "texts")+" that had been erased, with whatever else held them in the backup; this erases them again:")
	for _, n := range all {
		d.Add("  ", "hence erase "+ref.ShortID(n.ID), faint("  "+n.Title))
	}
	return d
}

// checkFile refuses an empty file name before the work begins.
func checkFile(cmd *cobra.Command, path string) error {
	if strings.TrimSpace(path) == "" {
		return fault.New(fault.InvalidArgument, "%s: the name of the file is empty; name a file", cmd.Name())
	}
	return nil
}

// backupResult is what --json prints.
type backupResult struct {
	File  string `json:"file"`
	Bytes int64  `json:"bytes"`
}

func backup(ctx context.Context, v ref.View, path string) (done backupResult, err error) {
	if err := v.DB.Backup(ctx, path); err != nil {
		return done, err
	}
	if err := recordCopy(ctx, v.DB, path, permit.Backup); err != nil {
		return done, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return done, fault.Wrap(fault.Unavailable, err, "backup to %s", path)
	}
	return backupResult{path, info.Size()}, nil
}

func showBackup(done backupResult) show.Doc {
	return show.OneLine(good("backed up to "), strong(done.File), " ("+kilobytes(done.Bytes)+", checked)")
}

// recordCopy records a place with texts of the store, so that hence erase reaches it.
func recordCopy(ctx context.Context, d *db.DB, path, how string) error {
	return permit.With(ctx, d, func(r permit.Records) error { return r.Copied(path, how) })
}

// fileCommands copy the store, or write it in other forms.
var fileCommands = []command{
	function(exportCommand), function(backupCommand), adoptCommand,
	calling("vacuum", "", func(ctx context.Context, v ref.View, _ noArguments) (r vacuumResult, err error) {
		r.Before, r.After, err = v.DB.Vacuum(ctx)
		return r, err
	}, func(r vacuumResult) show.Doc {
		return show.OneLine(good("vacuumed: "), kilobytes(r.Before)+" → "+kilobytes(r.After))
	}),
}

// vacuumResult is what --json prints, in bytes.
type vacuumResult struct {
	Before int64 `json:"before"`
	After  int64 `json:"after"`
}

// kilobytes returns a number of bytes in kB, rounded up.
func kilobytes(n int64) string {
	const kilo = 1000
	return digits((n+kilo-1)/kilo) + " kB"
}
