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

	"hence/code/checkout"
	"hence/internal/fault"
)

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
