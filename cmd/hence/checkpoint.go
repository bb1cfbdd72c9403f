package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hence/cmd/hence/internal/flags"
	"hence/code/checkout"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/recall/near"
	"hence/tools/show"
)

// checkpointCommand stores the outcome of a session.
var checkpointCommand = mirror[memory.CheckpointArgs, memory.CheckpointResult]{
	use:   "checkpoint",
	words: count{0, 1},
	flags: flags.Options{Omit: []string{"learned"}},
	also: func(_ *session, cmd *cobra.Command, a *memory.CheckpointArgs) {
		cmd.Flags().Func("learned", "something that was learned: a `text`, or JSON with the arguments of store", func(text string) error {
			one, err := parseLearned(text)
			a.Learned = append(a.Learned, one)
			return err
		})
	},
	writes: true,
	after:  embedSoon[memory.CheckpointResult],
	place: func(s *session, a *memory.CheckpointArgs, words []string) error {
		if len(words) == 0 {
			return nil
		}
		if words[0] != "-" {
			return fault.New(fault.InvalidArgument, "checkpoint: what was learned is given by --learned, or by - on standard input")
		}
		text, err := readAll(s.input())
		if err != nil {
			return err
		}
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); line == "" {
				continue
			}
			one, err := parseLearned(line)
			if err != nil {
				return fault.New(fault.InvalidArgument, "checkpoint: %v", err)
			}
			a.Learned = append(a.Learned, one)
		}
		return nil
	},
	call: func(ctx context.Context, s *session, v ref.View, a memory.CheckpointArgs) (memory.CheckpointResult, error) {
		return memory.Store(v).Checkpoint(memory.WithSession(ctx, s.surroundings), a, near.Finder(v).Near)
	},
	tell: show.Checkpointed,
}

func parseLearned(text string) (memory.StoreArgs, error) {
	if !strings.HasPrefix(strings.TrimSpace(text), "{") {
		return memory.StoreArgs{Content: text}, nil
	}
	return parseJSON[memory.StoreArgs](text, "memory")
}

// parseJSON decodes a value from JSON and refuses unknown fields. Errors call the value noun.
func parseJSON[T any](text, noun string) (one T, err error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&one); err != nil {
		return one, fmt.Errorf("%q is not a %s in JSON: %w", text, noun, err)
	}
	return one, nil
}

// surroundings returns the session_id, client, branch and commit of a session that the
// environment gives. With --project auto, branch and commit default to those checked out.
func (s *session) surroundings() map[string]string {
	facts := map[string]string{}
	if s.project == "auto" {
		facts = checkedOut(".")
	}
	for _, name := range []string{"session_id", "client", "branch", "commit"} {
		if value := os.Getenv("HENCE_" + strings.ToUpper(name)); value != "" {
			facts[name] = value
		}
	}
	if id := os.Getenv("CLAUDE_CODE_SESSION_ID"); id != "" && facts["session_id"] == "" {
		facts["session_id"] = id
	}
	return facts
}

// The limits of what workedOn reads.
const (
	lastSubjects = 3
	changedFiles = 10
	reflogTail   = 4 << 10 // bytes at the end of the log of HEAD
	commitTime   = time.Second
)

// workedOn returns words about the current work in a folder: the branch, the subjects of the
// last commits made here and the names of changed files; "" outside of a repository. Only
// for the changed files it runs git, until ctx ends.
func workedOn(ctx context.Context, folder string) string {
	root, dir := checkout.Tree(folder)
	if dir == "" {
		return ""
	}
	words := []string{}
	if branch := branchOf(dir); !slices.Contains([]string{"", "main", "master"}, branch) {
		words = append(words, branch)
	}
	words = append(words, subjectsOf(dir)...)
	for _, file := range changedIn(ctx, root, dir) {
		words = append(words, path.Base(file))
	}
	return strings.Join(words, " ")
}

// changedIn returns the first files of a working tree that differ from the last commit: those
// that are staged, and those whose size or time differs from the index. It asks git, if that is
// there, only where something may be staged. To compare contents would run the filters that
// the settings of the repository name (see gitIn).
func changedIn(ctx context.Context, root, dir string) (changed []string) {
	add := func(file string) {
		if file != "" && len(changed) < changedFiles && !slices.Contains(changed, file) {
			changed = append(changed, file)
		}
	}
	indexed, isWhole, err := checkout.ReadIndex(dir)
	if err != nil || !isWhole {
		staged, _ := checkout.Git(ctx, root, nil, "diff-index", "--cached", "--name-only", "-z", "HEAD") // without it, the other words are enough
		for file := range strings.SplitSeq(string(staged), "\x00") {
			add(file)
		}
	}
	for _, f := range indexed {
		if ctx.Err() != nil || len(changed) == changedFiles {
			break
		}
		if !f.Unwatched && differs(filepath.Join(root, filepath.FromSlash(f.Path)), f) {
			add(f.Path)
		}
	}
	return changed
}

// differs reports whether a file is gone, or has another size or time than the index says.
func differs(file string, said checkout.IndexedFile) bool {
	info, err := os.Lstat(file)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	return !info.IsDir() && !said.IsAt(info.Size(), info.ModTime()) // a directory is a submodule
}

// branchOf returns the branch that is checked out, for a git folder; "" if none is.
func branchOf(dir string) string {
	text, err := os.ReadFile(filepath.Join(dir, "HEAD"))
	branch, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "ref: refs/heads/")
	if err != nil || !ok {
		return ""
	}
	return branch
}

// subjectsOf returns the subjects of the last commits made in a working tree, the
// latest first.
func subjectsOf(dir string) (subjects []string) {
	f, err := os.Open(filepath.Join(dir, "logs", "HEAD"))
	if err != nil {
		return nil
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > reflogTail {
		if _, err := f.Seek(-reflogTail, io.SeekEnd); err != nil {
			return nil
		}
	}
	text, err := io.ReadAll(io.LimitReader(f, reflogTail))
	if err != nil {
		return nil
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	for _, line := range slices.Backward(lines) {
		_, message, _ := strings.Cut(line, "\t")
		if what, subject, ok := strings.Cut(message, ": "); ok && strings.HasPrefix(what, "commit") && len(subjects) < lastSubjects {
			subjects = append(subjects, subject)
		}
	}
	return subjects
}

// checkedOut returns the branch and the commit that are checked out in the repository of a
// folder, without those that do not exist. Without git, there is no commit.
func checkedOut(folder string) map[string]string {
	facts := map[string]string{}
	here, err := filepath.Abs(folder)
	if err != nil {
		return facts
	}
	root, dir := checkout.Tree(here)
	if dir == "" {
		return facts
	}
	if branch := branchOf(dir); branch != "" {
		facts["branch"] = branch
	}
	ctx, stop := context.WithTimeout(context.Background(), commitTime)
	defer stop()
	if commit, err := checkout.Git(ctx, root, nil, "rev-parse", "--verify", "--quiet", "HEAD^{commit}"); err == nil {
		facts["commit"] = strings.TrimSpace(string(commit))
	}
	return facts
}
