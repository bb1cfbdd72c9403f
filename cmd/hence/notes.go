package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"hence/cmd/hence/internal/flags"
	"hence/cmd/hence/internal/screen"
	"hence/code"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory/exchange/transcripts"
	"hence/tools/show"
	"hence/vault"
)

// noteCommands import notes and check them.
var noteCommands = []command{
	function(importCommand),
	function(checkCommand),
}

func importCommand(s *session) *cobra.Command {
	var watch, asCode, merge, ofAgents, outputs bool
	var from, source string
	a := vault.ImportArgs{}
	cmd := bare("import", count{}, nil)
	flags.Derive(cmd, &a, flags.Options{Omit: []string{"dir", "namespace"}})
	f := cmd.Flags()
	f.BoolVar(&asCode, "code", false, "the folder holds source code")
	f.BoolVar(&ofAgents, "agents", false, "import the memory files that agents on this machine keep themselves")
	f.BoolVar(&merge, "merge", false, "join the lines with what the store has, as hence sync does")
	f.BoolVar(&watch, "watch", false, "keep running and import edits")
	f.StringVar(&from, "from", "", "read conversations of a `program`: "+strings.Join(transcripts.Formats(), ", "))
	f.BoolVar(&outputs, "outputs", false, "with --from, keep also what commands printed")
	f.StringVar(&source, "source", "", "trust a file of lines no more than this `source`: "+strings.Join(ref.Sources(), ", "))
	_ = cmd.RegisterFlagCompletionFunc("source", cobra.FixedCompletions(ref.Sources(), cobra.ShellCompDirectiveNoFileComp))
	cmd.Args = func(cmd *cobra.Command, words []string) error {
		n := map[bool]int{false: 1}[ofAgents]
		return count{n, n}.check(cmd, words)
	}
	cmd.ValidArgsFunction = cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault)
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		if ofAgents {
			return s.importAgents(cmd)
		}
		path, isTalk := words[0], cmd.Flags().Changed("from")
		isFile, err := checkImport(path, merge, isTalk, outputs, source)
		if err != nil {
			return err
		}
		switch {
		case isTalk:
			return s.importConversations(cmd, path, from, outputs)
		case merge, isFile:
			return s.importLines(cmd, path, source, merge)
		}
		a.Dir, a.Namespace = path, s.namespace
		if watch {
			return keepImported(cmd.Context(), s, a, asCode)
		}
		return takeIn(cmd.Context(), s, a.DryRun, func(ctx context.Context, v ref.View, progress func(done, total int)) (vault.Report, error) {
			into, err := importerFor(ctx, v, path, asCode, progress)
			if err != nil {
				return vault.Report{}, err
			}
			return into.Import(ctx, a)
		}, show.Imported)
	}
	return cmd
}

// isFileToImport reports whether a path is that of a file, or - for standard input. It fails with not_found if nothing
// is there, and with invalid_argument for a store.
func isFileToImport(path string) (isFile bool, err error) {
	info, err := os.Stat(path)
	if path != "" && path != "-" && errors.Is(err, fs.ErrNotExist) {
		return false, fault.New(fault.NotFound, "import %s: there is no such file or folder", path)
	}
	if err == nil && info.Mode().IsRegular() {
		if isStore, _ := hasStoreHeader(path); isStore { // a file that cannot be read is refused later
			return false, fault.New(fault.InvalidArgument, "import %[1]s: that is a database and not an export; if it is a store, hence sync %[1]s joins it with this one", path)
		}
	}
	return path == "-" || err == nil && !info.IsDir(), nil
}

// checkImport reports whether the path of an import is that of a file. It fails with invalid_argument if the flags
// exclude each other or do not go with the path.
func checkImport(path string, merge, isTalk, outputs bool, source string) (isFile bool, err error) {
	isFile, err = isFileToImport(path)
	switch {
	case err != nil:
		return false, err
	case outputs && !isTalk:
		err = fault.New(fault.InvalidArgument, "import %s: --outputs goes with --from, which names the program whose conversations are read", path)
	case source != "" && (merge || isTalk):
		err = fault.New(fault.InvalidArgument, "import %s: --source goes with neither --merge nor --from: a merge trusts a file as a colleague's; import a stranger's without --merge", path)
	case isTalk:
	case isFile && strings.EqualFold(filepath.Ext(path), ".md"):
		err = fault.New(fault.InvalidArgument, "import %[1]s: that is a note; import its folder: hence import %[2]s", path, filepath.Dir(path))
	case merge && !isFile:
		err = fault.New(fault.InvalidArgument, "import %s: --merge takes a file that hence export wrote; to merge a folder, run hence sync %s", path, path)
	case source != "" && !isFile:
		err = fault.New(fault.InvalidArgument, "import %s: --source takes a file, such as one that hence export wrote; a note names the page that it copies in its property source", path)
	}
	return isFile, err
}

// importer imports a folder and its later edits.
type importer interface {
	Import(ctx context.Context, a vault.ImportArgs) (vault.Report, error)
	Watch(ctx context.Context, a vault.ImportArgs, each func(vault.Report, error)) error
}

// importerFor returns the importer of source code if asCode or if code.Importer recognises
// the folder, and else the importer of notes.
func importerFor(ctx context.Context, v ref.View, dir string, asCode bool, progress func(done, total int)) (importer, error) {
	codeImporter := code.Importer{DB: v.DB, Caller: v.Caller, Progress: progress}
	if !asCode {
		recognised, err := codeImporter.Recognises(ctx, dir)
		if err != nil {
			return nil, err
		}
		asCode = recognised
	}
	if asCode {
		// An import holds the whole repository in memory. With this early garbage collection
		// it needs about two thirds of the memory, and a few per cent more time.
		if os.Getenv("GOGC") == "" {
			debug.SetGCPercent(40)
		}
		return codeImporter.Mirror(), nil
	}
	return vault.Importer{DB: v.DB, Caller: v.Caller, Progress: progress}, nil
}

// progressBar shows a bar with a caption, if stderr is a terminal. done removes the bar.
func progressBar(errs io.Writer, caption string) (progress func(done, total int), done func()) {
	if !screen.IsTerminal(errs) {
		return nil, func() {}
	}
	const (
		width = 30
		often = 65 * time.Millisecond
	)
	bar := progressbar.NewOptions(-1,
		progressbar.OptionSetWriter(errs),
		progressbar.OptionSetDescription(caption),
		progressbar.OptionSetWidth(width),
		progressbar.OptionThrottle(often),
		progressbar.OptionClearOnFinish(),
	)
	progress = func(done, total int) {
		bar.ChangeMax(total)
		_ = bar.Set(done)
	}
	return progress, func() { _ = bar.Clear() }
}

// keepImported imports a vault and then its edits, until it is stopped. It prints a
// report, or a line of JSON, for each import that changed something.
func keepImported(ctx context.Context, s *session, a vault.ImportArgs, asCode bool) error {
	if a.DryRun {
		return fault.New(fault.InvalidArgument, "import: --watch and --dry-run do not go together")
	}
	return s.withStore(ctx, false, func(v ref.View) error {
		progress, done := progressBar(s.err, "importing")
		wake, stop := keepEmbedded(ctx, v, func(err error) {
			fmt.Fprintln(s.err, "hence: vectors could not be made: "+screen.Clean(err.Error()))
		})
		defer stop()
		into, err := importerFor(ctx, v, a.Dir, asCode, progress)
		if err != nil {
			return err
		}
		return into.Watch(ctx, a, func(r vault.Report, err error) {
			done()
			if err == nil {
				err = s.print(r, func() show.Doc { return show.Imported(r) })
			}
			if err != nil {
				fmt.Fprintln(s.err, "hence: "+screen.Clean(err.Error()))
			}
			wake()
		})
	})
}
