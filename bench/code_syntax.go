package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// typeScriptPackages are packages whose calls are compared with the index of scip-typescript.
// Parsing and binding were tuned on rxjs and immer, and on none of the others.
var typeScriptPackages = []string{"rxjs@7.8.2", "immer@11.2.10", "mobx@7.1.3", "@tanstack/query-core@5.108.0"}

// pythonPackages are packages within pip, compared with scip-python. Parsing and binding were
// tuned on requests and distlib, and on none of the others.
var pythonPackages = []string{"requests", "distlib", "rich", "urllib3"}

// measureCalls compares the calls of TypeScript and Python that Hence binds with those in the
// indexes of compilers: precision, recall, and their numbers.
func measureCalls(ctx context.Context, b *bench) error {
	folders := []string{}
	for _, name := range typeScriptPackages {
		folder, err := b.typeScriptSources(ctx, name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		folders = append(folders, folder)
	}
	carried, err := exec.CommandContext(ctx, "python3", "-c", "import pip._vendor; print(pip._vendor.__path__[0])").Output()
	if err != nil {
		return fmt.Errorf("python3 has no pip, whose packages are measured: %w", err)
	}
	for _, name := range pythonPackages {
		folder := filepath.Join(b.scratch, "code", name)
		if err := os.CopyFS(filepath.Join(folder, name), os.DirFS(filepath.Join(strings.TrimSpace(string(carried)), name))); err != nil {
			return err
		}
		if err := b.index(ctx, folder, "@sourcegraph/scip-python@0.6.6", "index", ".", "--project-name", name, "--project-version", "1"); err != nil {
			return err
		}
		folders = append(folders, folder)
	}
	if err := os.Setenv("HENCE_SCIP", strings.Join(folders, string(filepath.ListSeparator))); err != nil {
		return err
	}
	return benchmarks("code-calls", "./code/bind", "Calls", "1x")(ctx, b)
}

// typeScriptSources unpacks the sources in an npm package, indexes them and returns their
// folder.
func (b *bench) typeScriptSources(ctx context.Context, name string) (string, error) {
	at := strings.LastIndexByte(name, '@')
	folder := filepath.Join(b.scratch, "code", strings.ReplaceAll(strings.TrimPrefix(name[:at], "@"), "/", "-"))
	whole := folder + "-package"
	if err := os.MkdirAll(whole, 0o700); err != nil {
		return "", err
	}
	pack := exec.CommandContext(ctx, "npm", "pack", name, "--silent", "--pack-destination", whole)
	if output, err := pack.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm pack: %w: %.300s", err, output)
	}
	archives, err := filepath.Glob(filepath.Join(whole, "*.tgz"))
	if err != nil || len(archives) == 0 {
		return "", fmt.Errorf("npm packed nothing for %s", name)
	}
	if output, err := exec.CommandContext(ctx, "tar", "-xzf", archives[0], "-C", whole, "--strip-components=1").CombinedOutput(); err != nil {
		return "", fmt.Errorf("tar: %w: %.300s", err, output)
	}
	if err := os.CopyFS(filepath.Join(folder, "src"), os.DirFS(filepath.Join(whole, "src"))); err != nil {
		return "", err
	}
	settings := `{"compilerOptions":{"target":"es2022","module":"esnext","moduleResolution":"bundler","jsx":"preserve","strict":true,"noEmit":true,"skipLibCheck":true,"experimentalDecorators":true},"include":["src"]}`
	for file, text := range map[string]string{"tsconfig.json": settings, "package.json": fmt.Sprintf(`{"name":%q,"version":"1.0.0"}`, name[:at])} {
		if err := os.WriteFile(filepath.Join(folder, file), []byte(text), fs.FileMode(0o600)); err != nil {
			return "", err
		}
	}
	return folder, b.index(ctx, folder, "@sourcegraph/scip-typescript@0.4.0", "index")
}

// index runs a program from npm that writes index.scip.
func (b *bench) index(ctx context.Context, folder, program string, args ...string) error {
	b.say("code: %s of %s", program, filepath.Base(folder))
	cmd := exec.CommandContext(ctx, "npx", append([]string{"--yes", program}, args...)...)
	cmd.Dir = folder
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %.300s", program, err, output)
	}
	return nil
}
