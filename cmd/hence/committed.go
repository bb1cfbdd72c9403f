package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"hence/code/suite"
	"hence/internal/fault"
)

const (
	maxCommitted = 64 << 20              // bytes of a file that is read from git
	gitDelay     = 50 * time.Millisecond // for what holds the output of a git that was ended
)

// gitIn runs git in the working tree of a repository, with in as its input, and returns its
// output. It ends git with all that git has started when ctx ends.
//
// The settings of a repository can name programs for git to run. Here git runs none of them:
// it fetches nothing, and starts no hook, pager or monitor. A command that compares or shows
// the contents of files may not be run by it, because git would send them through filters.
func gitIn(ctx context.Context, root string, in io.Reader, words ...string) ([]byte, error) {
	git := exec.CommandContext(ctx, "git", append([]string{
		"--no-pager", "--no-replace-objects", "-C", root, "-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + os.DevNull,
	}, words...)...)
	// The settings cannot allow a protocol against GIT_ALLOW_PROTOCOL, and no protocol is called none.
	git.Env = append(os.Environ(), "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
	git.Stdin, git.WaitDelay = in, gitDelay
	suite.InOwnGroup(git)
	git.Cancel = func() error {
		suite.SignalGroup(git.Process.Pid, true)
		return nil
	}
	out, err := git.Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		const most = 300
		message := strings.TrimSpace(string(failed.Stderr))
		return out, fmt.Errorf("git %s: %s: %w", words[0], message[:min(len(message), most)], err)
	}
	return out, err
}

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
	root, dir := repository(here)
	if dir == "" {
		return nil, "", fault.New(fault.NotFound, "check %s: it is not in a repository of git", folder)
	}
	if _, err := exec.LookPath("git"); err != nil {
		return nil, "", fault.New(fault.Unavailable, "check --since asks git, which is not installed")
	}
	if strings.ContainsFunc(revision, func(c rune) bool { return c < ' ' }) || strings.HasPrefix(revision, "-") {
		return nil, "", fault.New(fault.InvalidArgument, "check: %q is not the name of a revision", revision)
	}
	output, err := gitIn(ctx, root, nil, "rev-parse", "--verify", "--quiet", revision+"^{commit}")
	if err != nil {
		return nil, "", fault.New(fault.NotFound, "check: git knows no commit %q here; a shallow clone has only the last one: fetch all with fetch-depth: 0", revision)
	}
	commit = strings.TrimSpace(string(output))
	if common, err := gitIn(ctx, root, nil, "merge-base", commit, "HEAD"); err == nil { // otherwise they have no common ancestor
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
	tree, err := gitIn(ctx, root, nil, "rev-parse", "--verify", "--quiet", name)
	if err != nil {
		return files, nil
	}
	listed, err := gitIn(ctx, root, nil, "ls-tree", "-r", "-z", "--full-tree", strings.TrimSpace(string(tree)))
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
	read, err := gitIn(ctx, root, &asked, "cat-file", "--batch")
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
