package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"hence"
	"hence/cmd/hence/internal/screen"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/plural"
	"hence/memory/exchange"
)

// syncTeam keeps a team's folder and the store the same.
func (s *session) syncTeam(ctx context.Context, o syncOptions) error {
	return s.exchange(ctx, false, func(x exchange.Store) error {
		a := exchange.TeamArgs{Dir: o.folder, Project: x.Caller.Project, DryRun: o.dry, First: o.first}
		known, err := knownFolder(ctx, x, a)
		if err != nil {
			return err
		}
		a.Known = known
		done, err := x.SyncTeam(ctx, a)
		if err != nil {
			return firstFault(err)
		}
		err = s.print(done, func(v *view) { v.syncedTeam(o.folder, done, o.dry) })
		if !o.dry {
			s.embedWaiting(ctx, x.DB, unhurried)
		}
		return err
	})
}

// knownFolder is the file that remembers what a folder and the store held when they were
// last the same, as this build of Hence writes them; "" without a place for it.
func knownFolder(ctx context.Context, x exchange.Store, a exchange.TeamArgs) (string, error) {
	state, err := stateDir(runtime.GOOS, os.Getenv, os.UserHomeDir)
	if err != nil {
		return "", nil
	}
	folder, err := filepath.Abs(a.Dir)
	if err != nil {
		return "", fault.Wrap(fault.InvalidArgument, err, "sync %s", a.Dir)
	}
	store, err := db.AbsoluteName(x.DB.Path())
	if err != nil {
		return "", err
	}
	tag, err := x.Tag(ctx)
	const digits = 32
	name := db.Hash(strings.Join([]string{hence.ThisBuild().String(), store, tag, folder, x.Caller.Namespace, a.Project}, "\x00"))[:digits]
	return filepath.Join(state, "folders", name), err
}

func (v *view) syncedTeam(folder string, done exchange.TeamSynced, dry bool) {
	v.merged(folder, done.Merged)
	for _, name := range done.Marks {
		v.Item("  ", screen.Span{Text: "conflict marks ", Style: screen.Warn}, strong(name), behind("both sides were merged"))
	}
	for _, what := range done.Refused {
		v.Item("  ", screen.Span{Text: "refused ", Style: screen.Bad}, screen.Text(what))
	}
	verb, removed := good("wrote "), " and removed "
	if dry || done.Waits {
		verb, removed = screen.Span{Text: "would write ", Style: screen.Warn}, " and remove "
	}
	files := plural.Count(len(done.Written), "file", "files")
	if len(done.Removed) > 0 {
		files += removed + plural.Count(len(done.Removed), "file", "files")
	}
	v.Line(verb, screen.Text(files+" in "), strong(folder))
	shown := done.Written[:min(len(done.Written), maxListed)]
	for _, name := range shown {
		v.Item("  ", screen.Text(name))
	}
	if more := len(done.Written) - len(shown); more > 0 {
		v.Item("  ", faint("… and "+plural.Count(more, "file", "files")+" more"))
	}
	if done.Waits {
		v.Line(screen.Text("nothing is written yet: these files are for everybody who sees the repository; --first writes them"))
	}
}

// teamFolder is where a repository keeps its team's memories.
const teamFolder = ".hence"

// teamLine tells agents of the folder.
const teamLine = "<!-- hence team -->\nWhat this team has learned is in .hence, and in hence: run `hence sync --folder .hence` after a pull and before a commit.\n"

// initTeam says what the folder of a team would hold, and tells agents of it.
func (s *session) initTeam(ctx context.Context, dry bool) error {
	if err := s.syncTeam(ctx, syncOptions{folder: teamFolder, dry: dry}); err != nil || dry {
		return err
	}
	const name = "AGENTS.md"
	text, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fault.Wrap(fault.Unavailable, err, "init: %s cannot be read", name)
	}
	if bytes.Contains(text, []byte(teamLine)) {
		return nil
	}
	if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
		text = append(text, '\n')
	}
	if err := os.WriteFile(name, append(text, teamLine...), 0o644); err != nil {
		return fault.Wrap(fault.Unavailable, err, "init: %s cannot be written", name)
	}
	return nil
}
