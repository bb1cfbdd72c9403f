// Command same compares two binaries of Hence: both build the same stores, answer the same
// calls and export what they hold. It prints nothing where all is equal, but for ids and times.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "same:", err)
		os.Exit(2)
	}
}

func run() error {
	only := flag.String("only", "", "only stores whose names begin with one of these, parted by commas")
	project := flag.String("project", ".", "the checkout, which has examples, the code of one store, and shared beside it")
	shown := flag.Int("shown", 12, "how many differences of a store are printed")
	keep := flag.Bool("keep", false, "keep the folder with both sides, and say where it is")
	flag.Parse()
	if flag.NArg() != 2 {
		return errors.New("say which two binaries: same OLD NEW")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	scratch, err := os.MkdirTemp("", "same-")
	if err != nil {
		return err
	}
	if *keep {
		fmt.Fprintln(os.Stderr, "same: both sides are in", scratch)
	} else {
		defer os.RemoveAll(scratch)
	}
	binaries := [2]string{}
	for i := range binaries {
		if binaries[i], err = filepath.Abs(flag.Arg(i)); err != nil {
			return err
		}
		if _, err := os.Stat(binaries[i]); err != nil {
			return fmt.Errorf("compare binaries: %w", err)
		}
	}
	root, err := filepath.Abs(*project)
	if err != nil {
		return err
	}
	both, err := sharedSchema(ctx, binaries, scratch)
	if err != nil {
		return err
	}
	differ := false
	for _, s := range stores(root) {
		if !chosen(s.name, *only) {
			continue
		}
		different, err := compare(ctx, s, binaries, both, filepath.Join(scratch, s.name), *shown)
		var missing absent
		if errors.As(err, &missing) {
			fmt.Fprintf(os.Stderr, "same: %s is left out: %v\n", s.name, missing)
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		differ = differ || different
	}
	if differ {
		os.Exit(1)
	}
	return nil
}

func chosen(name, only string) bool {
	if only == "" {
		return true
	}
	for _, prefix := range strings.Split(only, ",") {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// sharedSchema returns what the schemas of both binaries have, and says what only one has.
func sharedSchema(ctx context.Context, binaries [2]string, dir string) (schema, error) {
	schemas := [2]schema{}
	for i, name := range []string{"old", "new"} {
		s := &side{binary: binaries[i], dir: filepath.Join(dir, "schema", name)}
		if err := os.MkdirAll(filepath.Join(s.dir, "home"), 0o755); err != nil {
			return nil, err
		}
		if err := s.must(ctx, s.file(), "store", "a memory"); err != nil {
			return nil, err
		}
		var err error
		if schemas[i], err = schemaOf(ctx, s.file()); err != nil {
			return nil, err
		}
	}
	shared, old := schemas[0].sharedWith(schemas[1])
	_, now := schemas[1].sharedWith(schemas[0])
	if len(old)+len(now) > 0 {
		fmt.Fprintf(os.Stderr, "same: the schemas differ, and what both have is compared; only the old one has %s; only the new one has %s\n",
			cmp.Or(strings.Join(old, ", "), "nothing"), cmp.Or(strings.Join(now, ", "), "nothing"))
	}
	return shared, nil
}

// compare builds a store with both binaries, asks both the same, and prints what differs.
func compare(ctx context.Context, s store, binaries [2]string, shared schema, dir string, shown int) (bool, error) {
	sides := [2]*side{}
	for i, name := range []string{"old", "new"} {
		sides[i] = &side{binary: binaries[i], dir: filepath.Join(dir, name), sort: s.sort, equal: equal{filepath.Join(dir, name), map[string]string{}, shared}}
	}
	if err := both(func(i int) error { return sides[i].build(ctx, s) }); err != nil {
		return false, err
	}
	known, err := sides[0].holds(ctx)
	if err != nil {
		return false, err
	}
	p := planFor(s, known)
	if err := both(func(i int) error { return sides[i].ask(ctx, p) }); err != nil {
		return false, err
	}
	return printed(s.name, sides[0].seen, sides[1].seen, shown), nil
}

// both does something for both sides at once.
func both(do func(i int) error) error {
	var wait sync.WaitGroup
	failed := [2]error{}
	for i := range failed {
		wait.Go(func() { failed[i] = do(i) })
	}
	wait.Wait()
	return errors.Join(failed[:]...)
}

// printed prints where two sides differ, and returns whether they do.
func printed(name string, old, now []seen, shown int) bool {
	n := 0
	for i := range max(len(old), len(now)) {
		var a, b seen
		if i < len(old) {
			a = old[i]
		}
		if i < len(now) {
			b = now[i]
		}
		if a == b {
			continue
		}
		if n++; n <= shown {
			fmt.Printf("%s: %s\n%s", name, a.what, firstDifference(a.text, b.text))
		}
	}
	if n > shown {
		fmt.Printf("%s: %d more differ\n", name, n-shown)
	}
	return n > 0
}

// firstDifference returns the first three lines from where two texts differ, of each.
func firstDifference(old, now string) string {
	a, b := strings.Split(old, "\n"), strings.Split(now, "\n")
	at := 0
	for at < len(a) && at < len(b) && a[at] == b[at] {
		at++
	}
	var out strings.Builder
	if at > 0 {
		fmt.Fprintf(&out, "    %.200s\n", a[at-1])
	}
	for _, one := range []struct {
		mark  string
		lines []string
	}{{"-", a}, {"+", b}} {
		for _, line := range one.lines[min(at, len(one.lines)):min(at+3, len(one.lines))] {
			fmt.Fprintf(&out, "  %s %.300s\n", one.mark, line)
		}
	}
	return out.String()
}
