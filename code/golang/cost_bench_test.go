//go:build linux

package golang_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"hence/code/golang"
)

// BenchmarkCost reads and binds a whole repository in a separate process.
func BenchmarkCost(b *testing.B) {
	if root := os.Getenv("GOLANG_COST"); root != "" {
		files := readFolder(b, root, filepath.SplitList(os.Getenv("GOLANG_COST_LEFT"))...)
		symbols := 0
		for _, f := range readAll(files) {
			symbols += len(f.Declarations)
		}
		references, _, err := golang.Check(b.Context(), files, nil)
		if err != nil {
			b.Fatal(err)
		}
		fmt.Println("counted", len(files), symbols, len(references))
		return
	}
	goroot, err := exec.CommandContext(b.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct{ name, root, left string }{
		{"hence", "../..", ""},
		{"standard", filepath.Join(strings.TrimSpace(string(goroot)), "src"), "cmd"}, // a module of its own
	} {
		b.Run(c.name, func(b *testing.B) {
			root, err := filepath.Abs(c.root)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				cmd := exec.CommandContext(b.Context(), os.Args[0], "-test.run=^$", "-test.bench=^BenchmarkCost$", "-test.benchtime=1x")
				cmd.Env = append(os.Environ(), "GOLANG_COST="+root, "GOLANG_COST_LEFT="+c.left)
				start := time.Now()
				out, err := cmd.CombinedOutput()
				if err != nil {
					b.Fatalf("%v: %s", err, out)
				}
				b.ReportMetric(time.Since(start).Seconds(), "s")
				b.ReportMetric((cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), "cpu-s")
				if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
					b.ReportMetric(float64(usage.Maxrss)/1024, "peak-MB")
				}
				if _, counts, ok := strings.Cut(string(out), "counted "); ok {
					var files, symbols, references float64
					if _, err := fmt.Sscan(counts, &files, &symbols, &references); err == nil {
						b.ReportMetric(files, "files")
						b.ReportMetric(symbols, "symbols")
						b.ReportMetric(references, "references")
					}
				}
			}
		})
	}
}
