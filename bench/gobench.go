package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
)

// benchmarks returns a function that measures Go benchmarks of a package for a group.
// patterns are pairs of a -bench pattern and a -benchtime.
func benchmarks(group, pkg string, patterns ...string) func(context.Context, *bench) error {
	return func(ctx context.Context, b *bench) error {
		b.results.Metrics[group], b.results.Rows[group] = map[string]metrics{}, nil
		for i := 0; i+1 < len(patterns); i += 2 {
			b.say("%s: %s", group, patterns[i])
			cmd := exec.CommandContext(ctx, "go", "test", pkg, "-run", "^$", "-bench", patterns[i], "-benchtime", patterns[i+1], "-timeout", "30m")
			cmd.Stderr = os.Stderr
			out, err := cmd.StdoutPipe()
			if err != nil {
				return err
			}
			if err := cmd.Start(); err != nil {
				return err
			}
			lines := bufio.NewScanner(out)
			for lines.Scan() {
				if name, values, ok := benchmarkLine(lines.Text()); ok {
					b.results.Metrics[group][name] = values
				}
				if logged := loggedRow.FindStringSubmatch(lines.Text()); logged != nil {
					b.results.Rows[group] = append(b.results.Rows[group], logged[1])
				}
			}
			if err := cmd.Wait(); err != nil {
				return fmt.Errorf("go test %s -bench %s: %w", pkg, patterns[i], err)
			}
		}
		return nil
	}
}

// measureWeb measures the explorer's page in a browser.
func measureWeb(ctx context.Context, b *bench) error {
	b.say("web")
	cmd := exec.CommandContext(ctx, "make", "-s", "bench-web")
	cmd.Stderr = os.Stderr
	output, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("make bench-web: %w: %.500s", err, output)
	}
	b.results.Rows["web"] = nil
	for line := range strings.Lines(string(output)) {
		if row := strings.TrimSpace(line); strings.HasPrefix(row, "| ") && strings.HasSuffix(row, " |") {
			b.results.Rows["web"] = append(b.results.Rows["web"], row)
		}
	}
	return nil
}

// loggedRow matches a row of a table that a benchmark logs.
var loggedRow = regexp.MustCompile(`^\s+\S+\.go:\d+: (\|.*\|)$`)

// benchmarkLine parses a line of the benchmark format of Go
// (golang.org/design/14313-benchmark-format). It returns the name without
// "Benchmark" and the number of cores, and the values by unit.
func benchmarkLine(line string) (name string, values metrics, ok bool) {
	fields := strings.Fields(line)
	if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
		return "", nil, false
	}
	name = strings.TrimPrefix(fields[0], "Benchmark")
	if cut := strings.LastIndexByte(name, '-'); cut > 0 {
		if _, err := strconv.Atoi(name[cut+1:]); err == nil {
			name = name[:cut]
		}
	}
	values = metrics{}
	for i := 2; i+1 < len(fields); i += 2 {
		value, err := strconv.ParseFloat(fields[i], 64)
		if err != nil {
			return "", nil, false
		}
		values[fields[i+1]] = value
	}
	return name, values, true
}
