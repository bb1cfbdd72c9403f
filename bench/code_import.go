package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// repositories are imported: this one, the standard library of the installed Go, and modules
// of the Go proxy on which nothing was tuned.
var repositories = []struct{ name, module string }{
	{"hence", ""},
	{"raft", "github.com/hashicorp/raft@v1.7.1"},
	{"nats-server", "github.com/nats-io/nats-server/v2@v2.10.22"},
	{"standard", "std"},
}

// peerLines is the number of lines above which the peer does not import a repository, because
// it would take most of an hour.
const peerLines = 500_000

// cost is the time and memory that a process took.
type cost struct {
	wall, cpu time.Duration
	peak      float64 // megabytes resident
}

// measureCodeImport imports repositories with Hence and with codegraph: for the first time,
// unchanged, and after an edit. Then it runs the benchmark of comments on them.
func measureCodeImport(ctx context.Context, b *bench) error {
	b.results.Rows["code-import"] = nil
	// codegraph is not among the peers of npm ci: their lock file cannot have a package that
	// does not exist for some systems.
	install := exec.CommandContext(ctx, "npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", b.scratch, "@colbymchenry/codegraph@1.6.1")
	if output, err := install.CombinedOutput(); err != nil {
		return fmt.Errorf("npm install codegraph: %w: %.300s", err, output)
	}
	folders := []string{}
	for i, r := range repositories {
		dir := filepath.Join(b.scratch, "repositories", r.name)
		folders = append(folders, dir)
		if err := fetchRepository(ctx, r.module, dir); err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		lines, edit, err := surveyGo(dir)
		if err != nil {
			return err
		}
		for _, tool := range b.indexers(dir, filepath.Join(b.scratch, fmt.Sprintf("code-%d.db", i))) {
			if tool.name != "hence" && lines > peerLines {
				continue
			}
			b.say("code: %s of %s", tool.name, r.name)
			row, err := tool.measure(ctx, edit)
			if err != nil {
				return fmt.Errorf("%s of %s: %w", tool.name, r.name, err)
			}
			b.results.Rows["code-import"] = append(b.results.Rows["code-import"], fmt.Sprintf("| %s | %d | %s |", r.name, lines, row))
		}
	}
	if err := os.Setenv("HENCE_REPOSITORIES", strings.Join(folders, string(filepath.ListSeparator))); err != nil {
		return err
	}
	return benchmarks("code-comments", "./code", "Comments", "1x")(ctx, b)
}

// functionBegin matches the first line of a Go function, if it ends with ") {".
var functionBegin = regexp.MustCompile(`(?m)^func .*\) \{\n`)

// indexer is a program that indexes a repository.
type indexer struct {
	name         string
	first, again []string // its commands for the first import and for later ones
	file         string   // the file of its index
}

func (b *bench) indexers(dir, store string) []indexer {
	codegraph := filepath.Join(b.scratch, "node_modules", ".bin", "codegraph")
	imports := []string{b.hence, "import", dir, "--code", "--name", "repository", "--db", store}
	return []indexer{
		{"hence", imports, imports, store},
		{"codegraph", []string{codegraph, "init", "-y", dir}, []string{codegraph, "sync", "-q", dir}, filepath.Join(dir, ".codegraph", "codegraph.db")},
	}
}

// measure returns the cells of one program in the table: for the first import, for an
// unchanged repository, and after an edit of one function.
func (x indexer) measure(ctx context.Context, edit string) (string, error) {
	first, err := runProcess(ctx, x.first)
	if err != nil {
		return "", err
	}
	file, err := os.Stat(x.file)
	if err != nil {
		return "", err
	}
	unchanged, err := runProcess(ctx, x.again)
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(edit)
	if err != nil {
		return "", err
	}
	at := functionBegin.FindIndex(text)[1]
	if err := os.WriteFile(edit, slices.Concat(text[:at], []byte("\tprintln(1)\n"), text[at:]), 0o644); err != nil {
		return "", err
	}
	edited, err := runProcess(ctx, x.again)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s | %.1f s | %.1f s | %.0f MB | %.1f MB | %.2f s | %.2f s", x.name, first.cpu.Seconds(), first.wall.Seconds(), first.peak, float64(file.Size())/1e6,
		unchanged.wall.Seconds(), edited.wall.Seconds()), os.WriteFile(edit, text, 0o644)
}

// runProcess runs a program to its end and returns its cost.
func runProcess(ctx context.Context, argv []string) (c cost, err error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), "CODEGRAPH_TELEMETRY=0", "DO_NOT_TRACK=1")
	before := time.Now()
	output, err := cmd.CombinedOutput()
	if err != nil {
		return c, fmt.Errorf("%s: %w: %.300s", filepath.Base(argv[0]), err, output)
	}
	c.wall, c.cpu = time.Since(before), cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()
	c.peak = peakOf(cmd.ProcessState)
	return c, nil
}

// fetchRepository copies a module of the Go proxy to dir. The module "" is the last commit of
// this repository, and std the standard library without its folder cmd, a module of its own.
func fetchRepository(ctx context.Context, module, dir string) error {
	if module == "" {
		here, err := filepath.Abs(".")
		if err != nil {
			return err
		}
		return exec.CommandContext(ctx, "git", "clone", "-q", "--depth=1", "file://"+here, dir).Run()
	}
	args := []string{"mod", "download", "-json", module}
	if module == "std" {
		args = []string{"env", "-json", "GOROOT"}
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = os.TempDir()
	cmd.Stderr = os.Stderr
	output, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("go %s: %w", args[0], err)
	}
	var at struct{ Dir, GOROOT string }
	if err := json.Unmarshal(output, &at); err != nil {
		return err
	}
	if at.Dir == "" {
		at.Dir = filepath.Join(at.GOROOT, "src")
	}
	if err := os.CopyFS(dir, os.DirFS(at.Dir)); err != nil {
		return err
	}
	// Files of the module cache are read-only.
	err = filepath.WalkDir(dir, func(file string, entry fs.DirEntry, err error) error {
		mode := fs.FileMode(0o644)
		if err == nil && entry.IsDir() {
			mode = 0o755
		}
		return errors.Join(err, os.Chmod(file, mode))
	})
	if err != nil {
		return err
	}
	if module == "std" {
		return os.RemoveAll(filepath.Join(dir, "cmd"))
	}
	return nil
}

// surveyGo returns how many lines of Go a folder has, and a file with a function to
// edit: the largest that is not a test.
func surveyGo(dir string) (lines int, edit string, err error) {
	largest := 0
	err = filepath.WalkDir(dir, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(file, ".go") {
			return err
		}
		text, err := os.ReadFile(file)
		lines += bytes.Count(text, []byte("\n"))
		if len(text) > largest && !strings.HasSuffix(file, "_test.go") && functionBegin.Match(text) {
			largest, edit = len(text), file
		}
		return err
	})
	return lines, edit, err
}
