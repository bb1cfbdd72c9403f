// Ripple asks memories of agents what holds, and what rests on what changed, after each of
// many changes, and counts right answers. It needs no model, no judge and no network.
// docs/ripple.md says how a system takes part. Run by make ripple.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "ripple:", err)
		os.Exit(1)
	}
}

func run() error {
	binary := flag.String("hence", "bin/hence", "the `program` of Hence")
	peers := flag.String("peers", ".cache/ripple", "the `folder` where npm installed the others")
	other := flag.String("adapter", "", "ask only the system behind this `program`, which speaks ripple's lines")
	only := flag.String("only", "", "ask only these `systems`, by comma; with -docs the report keeps its other columns")
	drawn := flag.String("seeds", "1-10", "the `seeds` of the episodes: 1-10 or 3,5,8")
	others := flag.Int("others", 10_000, "the number of other `statements` in the store for the rows among many others")
	docs := flag.String("docs", "", "the `folder` whose ripple.json and ripple.md get the report too")
	wrong := flag.Bool("wrong", false, "print each wrong answer")
	flag.Parse()
	seeds, err := parseSeeds(*drawn)
	if err != nil {
		return err
	}
	systems, err := installed(*binary, *peers, *other)
	if err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "ripple")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	if *only != "" {
		systems = slices.DeleteFunc(systems, func(s system) bool { return !slices.Contains(strings.Split(*only, ","), s.Name) })
	}
	result := Report{Date: time.Now().Format(time.DateOnly), Seeds: *drawn, Others: *others, Systems: askAll(systems, scratch, seeds, *others, *wrong)}
	if *docs != "" && *only != "" {
		old, err := readReport(*docs)
		if err == nil {
			result, err = result.over(old)
		}
		if err != nil {
			return err
		}
	}
	if *docs != "" {
		if err := result.write(*docs); err != nil {
			return err
		}
	}
	fmt.Print(result.table())
	return nil
}

// beside is how many systems are asked at once. No answer hangs on how fast it comes, but in the track many, for
// which each system is alone.
const beside = 2

// askAll asks all systems everything.
func askAll(systems []system, scratch string, seeds []uint64, others int, wrong bool) []Column {
	runners, columns := make([]*runner, len(systems)), make([]Column, len(systems))
	var group sync.WaitGroup
	lanes := make(chan bool, beside)
	for i, s := range systems {
		r, err := newRunner(s, filepath.Join(scratch, strconv.Itoa(i)), wrong)
		r.failed(err)
		runners[i] = r
		group.Go(func() {
			lanes <- true
			r.timed(func() error { return r.run(seeds, others) })
			<-lanes
		})
	}
	group.Wait()
	for i, r := range runners {
		r.timed(func() error { return r.many(seeds[0]) })
		columns[i] = r.column()
		fmt.Fprintf(os.Stderr, "%s: %.0f s\n", r.Name, r.seconds)
	}
	return columns
}

// parseSeeds reads 3, 1-10 or 3,5-8.
func parseSeeds(text string) (seeds []uint64, err error) {
	for _, part := range strings.Split(text, ",") {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		from, err := strconv.ParseUint(first, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("seeds %q: a number, or two with a dash between them: %w", part, err)
		}
		to, err := strconv.ParseUint(last, 10, 64)
		if err != nil || to < from || to-from >= 10_000 {
			return nil, fmt.Errorf("seeds %q: a number, or two with a dash between them, the smaller one first", part)
		}
		for seed := from; seed <= to; seed++ {
			seeds = append(seeds, seed)
		}
	}
	return seeds, nil
}
