package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// The sizes of the stores, and what a hook may take in all.
var (
	startSizes = []int{5, 200, 10_000}
	startKinds = []startKind{
		{"a session begins", "SessionStart", `{"session_id":"%s","cwd":"%s","source":"startup"}`, 3 * time.Second},
		{"a prompt", "UserPromptSubmit", `{"session_id":"%s","cwd":"%s","prompt":"Is Entry 000004 done, and what of the rest?"}`, 150 * time.Millisecond},
	}
)

type startKind struct {
	name, event, input string
	limit              time.Duration
}

// busyLoops is the number of programs that do nothing but count, beside the hooks.
const busyLoops = 4

// measureStarts prints how often hooks answer, and what they cost, on a quiet and on a busy
// machine. The two programs take turns, so that what else runs here is the same for both.
func (b *bench) measureStarts(ctx context.Context, starts int, before string) error {
	programs := []string{b.hence}
	if before != "" {
		programs = append(programs, before)
	}
	b.results.Rows["starts"] = nil
	fmt.Printf("%d starts each; load before: %s", starts, load())
	fmt.Println("| machine | store | event | program | answered | failed | over the limit by a tenth | p50 ms | p99 ms | CPU ms, median |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|")
	for _, loops := range []int{0, busyLoops} {
		err := besideLoops(ctx, loops, func() error {
			for _, size := range startSizes {
				if err := b.startStore(ctx, size, loops, starts, programs); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown\n"
	}
	return string(text)
}

// besideLoops runs a function beside some processes that keep a core busy each.
func besideLoops(ctx context.Context, loops int, run func() error) error {
	ctx, stop := context.WithCancel(ctx)
	all := []*exec.Cmd{}
	defer func() {
		stop()
		for _, c := range all {
			_ = c.Wait()
		}
	}()
	for range loops {
		c := exec.CommandContext(ctx, os.Args[0])
		c.Env = append(os.Environ(), busyVariable+"=1")
		if err := c.Start(); err != nil {
			return err
		}
		all = append(all, c)
	}
	return run()
}

// busyVariable in its environment makes this program a busy loop.
const busyVariable = "HENCE_BENCH_BUSY"

func keepBusy() {
	runtime.GOMAXPROCS(1)
	for n := 0; ; n++ {
		if n < 0 { // never, but the compiler does not know
			fmt.Println(n)
		}
	}
}

func (b *bench) startStore(ctx context.Context, size, loops, starts int, programs []string) error {
	folder := filepath.Join(b.scratch, "starts-"+strconv.Itoa(size))
	project, lines := filepath.Join(folder, "project"), filepath.Join(folder, "corpus.jsonl")
	stores := []string{}
	for i := range programs { // each has a store of its own making, because schemas differ
		stores = append(stores, filepath.Join(folder, fmt.Sprintf("hence-%d.db", i)))
	}
	if !exists(project) {
		err := makeFolder(project)
		if err == nil {
			err = errors.Join(makeProject(ctx, project), makeCorpus(size).writeDay(lines))
		}
		for i, program := range programs {
			if err == nil {
				err = exec.CommandContext(ctx, program, "import", lines, "--db", stores[i]).Run()
			}
		}
		if err != nil {
			return err
		}
	}
	for _, kind := range startKinds {
		sums := make([]startSum, len(programs))
		for i := range starts {
			for j, program := range programs {
				id := fmt.Sprintf("%d-%d-%d-%d", size, loops, i, j)
				cmd := exec.CommandContext(ctx, program, "hook", kind.event, "--client", "claude-code", "--db", stores[j], "--project", dayProject)
				cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+filepath.Join(folder, "state"))
				cmd.Dir, cmd.Stdin = project, strings.NewReader(fmt.Sprintf(kind.input, id, project))
				sums[j].add(cmd, kind.limit)
			}
		}
		for j, program := range programs {
			machine := map[bool]string{true: "as it is", false: strconv.Itoa(loops) + " busy loops"}[loops == 0]
			row := sums[j].row(starts)
			fmt.Printf("| %s | %d | %s | %s | %s\n", machine, size, kind.name, program, row)
			if len(programs) == 1 {
				waiting, _, _ := strings.Cut(load(), " ")
				b.results.Rows["starts"] = append(b.results.Rows["starts"], fmt.Sprintf("| %s | %d | %s | %s %s |", machine, size, kind.name, row, waiting))
			}
		}
	}
	return nil
}

// makeProject makes a repository with a commit and a changed file, as people work in.
func makeProject(ctx context.Context, folder string) error {
	file := filepath.Join(folder, "main.go")
	if err := os.WriteFile(file, []byte("package main\n"), 0o600); err != nil {
		return err
	}
	for _, words := range []string{"init -q", "add .", "-c user.name=ada -c user.email=ada@example.org commit -qm Begin"} {
		if out, err := exec.CommandContext(ctx, "git", append([]string{"-C", folder}, strings.Fields(words)...)...).CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w: %s", words, err, out)
		}
	}
	return os.WriteFile(file, []byte("package main // changed\n"), 0o600)
}

// startSum is what some starts have come to.
type startSum struct {
	took, cpu              times
	answered, failed, over int
}

func (s *startSum) add(cmd *exec.Cmd, limit time.Duration) {
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	before := time.Now()
	err := cmd.Run()
	took := time.Since(before)
	s.took = append(s.took, took)
	if err != nil || errs.Len() > 0 {
		s.failed++
	}
	if state := cmd.ProcessState; state != nil {
		s.cpu = append(s.cpu, state.UserTime()+state.SystemTime())
	}
	if strings.Contains(out.String(), "Hence remembers") { // and not that it had no time
		s.answered++
	}
	if took > limit+limit/10 {
		s.over++
	}
}

func (s *startSum) row(starts int) string {
	percent := func(n int) string { return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(starts)) }
	return fmt.Sprintf("%s | %d | %d | %s | %s | %s |", percent(s.answered), s.failed, s.over,
		milliseconds(s.took.percentile(50)), milliseconds(s.took.percentile(99)), milliseconds(s.cpu.percentile(50)))
}
