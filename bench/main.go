// Bench measures Hence and writes docs/benchmarks.md. It compares Hence with other
// servers, installed from npm and called over stdio by the same client, and runs
// the project's own benchmarks.
//
// The figures are kept in docs/benchmarks.json, and the page is made of them and of
// page.md.tmpl, so no figure of the page is written by hand. Run by make bench.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
)

// bench is one run.
type bench struct {
	hence   string // the path of the program
	peers   string // the folder where npm installed the peers
	vaults  string // a folder of public vaults; questions about a missing one are left out
	scratch string
	results *results
}

func main() {
	if os.Getenv(busyVariable) != "" {
		keepBusy()
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	b := bench{}
	flag.StringVar(&b.hence, "hence", "bin/hence", "the `program` to measure")
	flag.StringVar(&b.peers, "peers", ".cache/peers", "the `folder` where npm installed the peers")
	flag.StringVar(&b.vaults, "vaults", "../shared/vaults", "a `folder` of public vaults")
	docs := flag.String("docs", "docs", "the `folder` to write to")
	only := flag.String("only", strings.Join(groupNames(), ","), "measure these `groups`, and keep the figures of the others; none to write the page again")
	size := flag.Int("size", 1_000_000, "how many `memories` the group million has; it is measured only by itself")
	starts := flag.Int("starts", 200, "how many `times` the group starts runs each hook; it is measured only by itself, printed, and kept unless beside another program")
	before := flag.String("before", "", "another `program`, beside which the group starts measures")
	store := flag.String("store", "", "a `folder` that keeps the store of the group million for the next run")
	flag.Parse()
	for _, folder := range []*string{&b.hence, &b.peers, &b.vaults} {
		absolute, err := filepath.Abs(*folder)
		if err != nil {
			return err
		}
		*folder = absolute
	}
	resultsFile := filepath.Join(*docs, "benchmarks.json")
	var err error
	if b.results, err = readResults(resultsFile); err != nil {
		return err
	}
	if b.scratch, err = os.MkdirTemp("", "hence-bench"); err != nil {
		return err
	}
	defer os.RemoveAll(b.scratch)
	if *only == "starts" {
		if err := b.measureStarts(ctx, *starts, *before); err != nil || *before != "" {
			return err
		}
		if err := b.results.write(resultsFile); err != nil {
			return err
		}
		return b.results.writePage(*docs)
	}
	if *only == "million" {
		return b.measureMillion(ctx, *size, *store, *docs)
	}
	for _, name := range strings.Split(*only, ",") {
		if name == "none" {
			continue
		}
		at := slices.IndexFunc(groups, func(g group) bool { return g.name == name })
		if at < 0 {
			return fmt.Errorf("%q is not a group; the groups are %s", name, strings.Join(groupNames(), ", "))
		}
		if err := groups[at].measure(ctx, &b); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		b.results.Machine = machine()
		if err := b.results.write(resultsFile); err != nil {
			return err
		}
	}
	return b.results.writePage(*docs)
}

// group is a set of figures that the program can measure alone.
type group struct {
	name    string
	measure func(context.Context, *bench) error
}

// groups are measured in this order.
var groups = []group{
	{"memories", func(ctx context.Context, b *bench) error { return b.keep(b.memories(ctx)) }},
	{"notes", measureNotes},
	{"crowd", func(ctx context.Context, b *bench) error {
		memories, err := b.memoryCrowd(ctx)
		if err != nil {
			return err
		}
		notes, err := b.noteCrowd(ctx)
		return b.keep([]table{memories, notes}, err)
	}},
	{"facts", measureFacts},
	{"graph", benchmarks("graph", "./edges/walk", "Path|Expand|Neighborhood|Trace|Write", "300x", "Overview", "5x")},
	{"import", benchmarks("import", "./vault", "Import", "1x")},
	{"found", benchmarks("found", "./vault", "Found", "1x")},
	{"concepts", benchmarks("concepts", "./vault", "Concepts", "1x")},
	{"recall", benchmarks("recall", "./memory/recall", "Locomo|Beam|Chinese", "1x")},
	{"fusion", benchmarks("fusion", "./memory/recall", "Fusion", "1x")},
	{"fusion-found", benchmarks("fusion-found", "./vault", "Fusion", "1x")},
	{"search", benchmarks("search", "./memory/recall", "Large", "1x")},
	{"tidy", benchmarks("tidy", "./memory/tidy", "Tidy", "1x")},
	{"lines", benchmarks("lines", "./memory/exchange", "Lines", "1x")},
	{"sync", benchmarks("sync", "./memory/exchange", "Sync|Team", "1x")},
	{"edits", benchmarks("edits", "./memory/journal", "Edits", "1x")},
	{"receipts", benchmarks("receipts", "./internal/receipts", "Receipts", "500x")},
	{"stdio", benchmarks("stdio", "./cmd/hence", "Stdio", "5000x")},
	{"http", benchmarks("http", "./tools/httpserve", "Load", "1x")},
	{"cluster", measureCluster},
	{"hooks", measureHooks},
	{"actions", measureActions},
	{"code", benchmarks("golang", "./code/golang", "Cost", "1x", "Truth", "1x")},
	{"code-calls", measureCalls},
	{"code-import", measureCodeImport},
	{"code-history", benchmarks("code-history", "./code", "Replay", "1x")},
	{"code-beside", measureBeside},
	{"code-questions", measureQuestions},
	{"web", measureWeb},
}

func groupNames() (names []string) {
	for _, g := range groups {
		names = append(names, g.name)
	}
	return names
}

// measureNotes compares the note servers on a public vault, if there is one, and on a
// generated vault of 10,000 notes.
func measureNotes(ctx context.Context, b *bench) error {
	if dendron := filepath.Join(b.vaults, "dendron-site"); exists(dendron) {
		texts, err := readVault(dendron)
		if err != nil {
			return err
		}
		if err := b.keep(b.notes(ctx, "dendron", "dendron-site", texts, copyVault(dendron))); err != nil {
			return err
		}
	} else {
		b.say("no %s: its questions are left out", dendron)
	}
	generatedVault := filepath.Join(b.scratch, "made")
	if err := makeCorpus(corpusSize).writeVault(generatedVault); err != nil {
		return err
	}
	texts, err := readVault(generatedVault)
	if err != nil {
		return err
	}
	return b.keep(b.notes(ctx, "made", "generated", texts, copyVault(generatedVault)))
}

// keep puts tables into the results, in place of older ones, and returns err.
func (b *bench) keep(tables []table, err error) error {
	for _, t := range tables {
		b.results.Tables[t.ID] = t
	}
	return err
}

// say prints what is being measured.
func (b *bench) say(format string, arguments ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", arguments...)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
