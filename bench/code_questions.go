package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// questioned are the modules that code/questions_bench_test.go asks about, besides rxjs of npm.
var questioned = []struct{ name, module string }{
	{"certmagic", "github.com/caddyserver/certmagic@v0.21.4"},
	{"bleve", "github.com/blevesearch/bleve/v2@v2.4.2"},
}

// measureQuestions asks questions about repositories on which nothing was tuned, of Hence and of
// plain FTS5 over the sources.
func measureQuestions(ctx context.Context, b *bench) error {
	folders := []string{}
	for _, r := range questioned {
		dir := filepath.Join(b.scratch, "questioned", r.name)
		folders = append(folders, dir)
		if err := fetchRepository(ctx, r.module, dir); err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
	}
	dir := filepath.Join(b.scratch, "questioned", "rxjs")
	folders = append(folders, dir)
	install := exec.CommandContext(ctx, "npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", b.scratch, "rxjs@7.8.1")
	if output, err := install.CombinedOutput(); err != nil {
		return fmt.Errorf("npm install rxjs: %w: %.300s", err, output)
	}
	if err := os.CopyFS(filepath.Join(dir, "src"), os.DirFS(filepath.Join(b.scratch, "node_modules", "rxjs", "src"))); err != nil {
		return err
	}
	if err := os.Setenv("HENCE_QUESTIONED", strings.Join(folders, string(filepath.ListSeparator))); err != nil {
		return err
	}
	return benchmarks("code-questions", "./code", "Questions", "1x")(ctx, b)
}
