package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hence/code/checkout"
	"hence/internal/fault"
	"hence/internal/plural"
	"hence/memory/exchange/team"
	"hence/tools/show"
	"hence/vault/reading"
)

// checkCommand lists what may need repair in a vault, or says what changed in a team's memory.
func checkCommand(s *session) *cobra.Command {
	var o struct{ since, folder string }
	m := same("check", "name", reading.Reader.Check, show.Checked).taking(0, 1)
	m.also = func(_ *session, cmd *cobra.Command, _ *reading.CheckArgs) {
		cmd.Flags().StringVar(&o.since, "since", "", "instead say what changed in a team's memory since this `revision` of git")
		cmd.Flags().StringVar(&o.folder, "folder", teamFolder, "with --since: the `folder` of the team's memory")
		_ = cmd.MarkFlagDirname("folder")
	}
	m.instead = func(cmd *cobra.Command, _ reading.CheckArgs, words []string, usual func() error) error {
		switch given := cmd.Flags().Changed("since"); {
		case !given && cmd.Flags().Changed("folder"):
			return fault.New(fault.InvalidArgument, "check: --folder goes with --since REVISION")
		case !given:
			return usual()
		case len(words) > 0:
			return fault.New(fault.InvalidArgument, "check: give a vault or --since, not both")
		}
		// This compares files, so it does not open the person's store.
		before, commit, err := committedFiles(cmd.Context(), o.folder, o.since, team.IsFile)
		if err != nil {
			return err
		}
		now, err := team.ReadFolder(filepath.Clean(o.folder))
		if err != nil {
			return err
		}
		if !now.HasScope() && !team.Files(before).HasScope() {
			return fault.New(fault.NotFound, "check %s: it is not a team's folder, now or at %s; name one with --folder", o.folder, o.since)
		}
		changes, err := team.Compare(cmd.Context(), o.folder, before, now)
		if err != nil {
			return firstFault(err)
		}
		err = s.print(teamChecked{commit, o.folder, changes}, func() show.Doc { return showTeamChanges(o.folder, commit, changes) })
		if mend := len(changes.Marks) + len(changes.Secrets); err == nil && mend > 0 {
			return fault.New(fault.Conflict, "check %s: %s to mend before this is merged", o.folder, plural.Count(mend, "place", "places"))
		}
		return err
	}
	return m.command(s)
}

// teamChecked is what --json prints.
type teamChecked struct {
	Since  string `json:"since"`  // commit
	Folder string `json:"folder"` // as given
	team.Changes
}

// showTeamChanges describes what changed in a team's memory since a commit.
func showTeamChanges(folder, commit string, c team.Changes) (d show.Doc) {
	const short = 12
	since := " since " + commit[:min(len(commit), short)]
	if c.Empty() {
		return show.OneLine(strong(folder), ": nothing changed"+since)
	}
	d.Add("", strong(folder), since+":")
	for _, list := range []struct {
		verb  any
		items []team.Change
	}{
		{good("new "), c.New}, {"changed ", c.Changed}, {"superseded ", c.Superseded}, {"forgotten ", c.Forgotten}, {"restored ", c.Restored},
		{warn("contradicted "), c.Contradicted}, {warn("made stale "), c.Stale}, {"purged ", c.Purged}, {"withdrawn ", c.Withdrawn},
		{warn("deleted, and written again by the next sync "), c.Deleted},
	} {
		for _, one := range list.items {
			d.Add("  ", list.verb, strong(one.Title+one.Mark()), spanToCopy(one.Words()))
		}
	}
	if c.Scope != nil {
		d.Add("  ", warn("it keeps other memories now: those of "), strong(c.Scope.Words()))
	}
	for _, name := range c.Marks {
		d.Add("  ", bad("conflict marks "), strong(name), spanToCopy("run hence sync --folder "+folder))
	}
	for _, secret := range c.Secrets {
		d.Add("  ", bad("secret "), secret)
	}
	return d
}

const (
	maxCommitted = 64 << 20 // bytes of a file that is read from git
)

// committedFiles returns the wanted files of a folder, by path, as they were at the merge
// base of HEAD and a revision, and that commit. Without a merge base it takes the revision.
//
// It fails with not_found for a folder outside of a repository or an unknown revision, with
// invalid_argument for a revision that git would take for an option, and with unavailable
// without git.
func committedFiles(ctx context.Context, folder, revision string, wanted func(path string) bool) (files map[string][]byte, commit string, err error) {
	here, err := filepath.Abs(folder)
	if err != nil {
		return nil, "", fault.Wrap(fault.InvalidArgument, err, "check %s", folder)
	}
	root, dir := checkout.Tree(here)
	if dir == "" {
		return nil, "", fault.New(fault.NotFound, "check %s: it is not in a repository of git", folder)
	}
	if _, err := exec.LookPath("git"); err != nil {
		return nil, "", fault.New(fault.Unavailable, "check --since asks git, which is not installed")
	}
	if strings.ContainsFunc(revision, func(c rune) bool { return c < ' ' }) || strings.HasPrefix(revision, "-") {
		return nil, "", fault.New(fault.InvalidArgument, "check: %q is not the name of a revision", revision)
	}
	output, err := checkout.Git(ctx, root, nil, "rev-parse", "--verify", "--quiet", revision+"^{commit}")
	if err != nil {
		return nil, "", fault.New(fault.NotFound, "check: git knows no commit %q here; a shallow clone has only the last one: fetch all with fetch-depth: 0", revision)
	}
	commit = strings.TrimSpace(string(output))
	if common, err := checkout.Git(ctx, root, nil, "merge-base", commit, "HEAD"); err == nil { // otherwise they have no common ancestor
		commit = strings.TrimSpace(string(common))
	}
	below, err := filepath.Rel(root, here)
	if err != nil {
		return nil, "", fault.Wrap(fault.Internal, err, "check %s", folder)
	}
	files, err = filesOfTree(ctx, root, commit, filepath.ToSlash(below), wanted)
	if err != nil {
		return nil, "", fault.Wrap(fault.Unavailable, err, "check %s: git cannot read it", folder)
	}
	return files, commit, nil
}

// filesOfTree returns the wanted files of a folder of a commit, by path within the folder;
// none if the commit does not have the folder.
func filesOfTree(ctx context.Context, root, commit, folder string, wanted func(path string) bool) (map[string][]byte, error) {
	files := map[string][]byte{}
	name := commit + "^{tree}"
	if folder != "." {
		name = commit + ":" + folder
	}
	tree, err := checkout.Git(ctx, root, nil, "rev-parse", "--verify", "--quiet", name)
	if err != nil {
		return files, nil
	}
	listed, err := checkout.Git(ctx, root, nil, "ls-tree", "-r", "-z", "--full-tree", strings.TrimSpace(string(tree)))
	if err != nil {
		return nil, err
	}
	paths, asked := []string{}, bytes.Buffer{}
	for entry := range strings.SplitSeq(string(listed), "\x00") {
		about, path, _ := strings.Cut(entry, "\t")
		fields := strings.Fields(about) // mode, type, hash
		if len(fields) != 3 || !strings.HasPrefix(fields[0], "100") || !wanted(path) {
			continue // links and submodules are left out too
		}
		paths = append(paths, path)
		asked.WriteString(fields[2] + "\n")
	}
	if len(paths) == 0 {
		return files, nil
	}
	read, err := checkout.Git(ctx, root, &asked, "cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	answers := bufio.NewReader(bytes.NewReader(read))
	for _, path := range paths {
		if files[path], err = readBlob(answers); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return files, nil
}

// readBlob reads one answer of git cat-file --batch: hash, type and size on a line, then
// the bytes and a line end.
func readBlob(in *bufio.Reader) ([]byte, error) {
	head, err := in.ReadString('\n')
	if err != nil {
		return nil, err
	}
	fields := strings.Fields(head)
	if len(fields) != 3 {
		return nil, fmt.Errorf("git cat-file answers %q", strings.TrimSpace(head))
	}
	size, err := strconv.Atoi(fields[2])
	if err != nil || size > maxCommitted {
		return nil, fmt.Errorf("git cat-file answers %q", strings.TrimSpace(head))
	}
	text := make([]byte, size)
	if _, err := io.ReadFull(in, text); err != nil {
		return nil, err
	}
	_, err = in.Discard(1)
	return text, err
}
