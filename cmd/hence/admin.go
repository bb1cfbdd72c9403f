package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"hence"
	"hence/cmd/hence/internal/screen"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/plural"
	"hence/internal/receipts"
	"hence/internal/ref"
	"hence/memory/doctor"
	"hence/memory/recall/vectors"
	"hence/memory/use"
	"hence/tools/httpserve/token"
	"hence/tools/show"
)

// noArguments are for commands without arguments.
type noArguments struct{}

// listed is a whole list, which JSON has under a name.
type listed[T any] struct {
	Name string
	All  []T
}

func (l listed[T]) MarshalJSON() ([]byte, error) {
	return []byte(db.JSON(map[string]any{l.Name: append([]T{}, l.All...), "returned_count": len(l.All), "truncated": false})), nil
}

// adminCommands set up the store and the access to it, and examine it.
var adminCommands = []command{
	parent{
		use: "embed",
		below: []command{
			calling("status", "", func(ctx context.Context, v ref.View, _ noArguments) (vectors.EmbedStatus, error) {
				return vectors.Store(v).EmbedStatus(ctx)
			}, showEmbedder),
			same("set", "embedder", vectors.Store.EmbedSet, showEmbedder).taking(0, 1).writing(),
			mirror[noArguments, vectors.EmbedStatus]{
				use:    "run",
				writes: true,
				call: func(ctx context.Context, s *session, v ref.View, _ noArguments) (vectors.EmbedStatus, error) {
					progress, done := progressBar(s.err, "embedding")
					defer done()
					return vectors.Store(v).EmbedRun(ctx, progress)
				},
				tell: showEmbedder,
			},
		},
	},
	parent{
		use: "token",
		below: []command{
			function(tokenAdd),
			function(tokenMap),
			listing("list", "tokens", func(ctx context.Context, v ref.View) ([]token.Token, error) { return token.List(ctx, v.DB) }, showTokens),
			calling("revoke", "name", func(ctx context.Context, v ref.View, a nameArgs) (revokeResult, error) {
				return revokeResult{a.Name, true}, token.Revoke(ctx, v.DB, v.Caller.Actor, a.Name)
			}, func(r revokeResult) show.Doc { return show.Doc{show.Total{None: "revoked " + r.Name}} }),
		},
	},
	calling("stats", "", func(ctx context.Context, v ref.View, a statsArgs) (any, error) {
		if a.Memories {
			return use.Reader(v).Stats(ctx, use.Args{Since: a.Since, Limit: a.Limit})
		}
		since, err := db.ParseTime("since", a.Since)
		if err != nil {
			return nil, err
		}
		counted := receipts.Stats{}
		err = receipts.With(ctx, v, func(b *receipts.Book, scope receipts.Scope) (err error) {
			counted, err = b.Count(ctx, scope, since)
			return err
		})
		return counted, err
	}, showStats),
	function(doctorCommand),
	function(func(s *session) *cobra.Command {
		return bare("version", count{0, 0}, func(*cobra.Command, []string) error { return printVersion(s) })
	}),
}

func showEmbedder(r vectors.EmbedStatus) (d show.Doc) {
	counts := func(embedded, pending int) {
		d.Add("  ", plural.Count(embedded, "section", "sections")+" with a vector, "+plural.Count(pending, "waits", "wait")+" for one")
	}
	d.Add("", strong(r.Embedder), " is in use")
	if r.Embedder != "none" {
		counts(r.Embedded, r.Pending)
	}
	if b := r.Building; b != nil {
		d.Add("", strong(b.Embedder), " replaces it when its vectors are made: hence embed run")
		counts(b.Embedded, b.Pending)
	}
	return d
}

func doctorCommand(s *session) *cobra.Command {
	fix := false
	cmd := bare("doctor", count{0, unlimited}, func(cmd *cobra.Command, folders []string) error {
		for _, folder := range folders {
			if info, err := os.Stat(folder); err != nil || !info.IsDir() {
				return fault.New(fault.InvalidArgument, "doctor: %s is not a folder; name the folders where backups and exports go", folder)
			}
		}
		return s.withStore(cmd.Context(), true, func(v ref.View) error {
			report, err := doctor.Doctor{DB: v.DB, Actor: v.Caller.Actor, Folders: append(folders, ".")}.Examine(cmd.Context(), fix)
			if err != nil {
				return err
			}
			err = s.print(report, func() show.Doc { return showReport(report) })
			if err == nil && report.Sick > 0 {
				err = fault.New(fault.Internal, "doctor: %s found something wrong in %s", plural.Count(report.Sick, "check", "checks"), v.DB.Path())
			}
			return err
		})
	})
	cmd.Flags().BoolVar(&fix, "fix", false, "rebuild what can be derived")
	return cmd
}

func showReport(r doctor.Report) (d show.Doc) {
	for _, f := range r.Findings {
		switch {
		case f.Fixed:
			d.Add("", good("fixed   "), f.Check)
		case f.Healthy:
			d.Add("", good("ok      "), f.Check)
		default:
			d.Add("", bad("wrong   "), strong(f.Check), ": "+f.Mend)
		}
		for _, problem := range f.Problems {
			d.Add("        ", problem)
		}
		for _, note := range f.Notes {
			d.AddIn(show.Faint, "        ", note)
		}
	}
	d.AddIn(show.Faint, "", "hence "+hence.ThisBuild().Version+", schema "+digits(int64(r.Schema))+", SQLite "+r.Engine)
	return d
}

// statsArgs say what is counted.
type statsArgs struct {
	Since    string `json:"since,omitempty" jsonschema:"count calls from this time, date or 7d on"`
	Memories bool   `json:"memories,omitempty" jsonschema:"count which memories were shown, used and corrected, and what was searched and not found"`
	Limit    int    `json:"limit,omitempty" default:"20" min:"1" max:"500" jsonschema:"most memories in a list"`
}

func showStats(counted any) show.Doc {
	if used, isOfMemories := counted.(use.Stats); isOfMemories {
		return showUse(used)
	}
	stats := counted.(receipts.Stats)
	if stats.Calls == 0 {
		return show.Doc{show.Total{None: "no call has been counted"}}
	}
	t := show.Table{Columns: []show.Column{
		{Head: "tool", Min: 12}, {Head: "calls"}, {Head: "failed", Min: 10}, {Head: "half in"}, {Head: "95% in"}, {Head: "bytes each"}, {Head: "last"},
	}}
	for _, c := range stats.Tools {
		failed := []string{}
		for _, code := range slices.Sorted(maps.Keys(c.Outcomes)) {
			if code != receipts.OK {
				failed = append(failed, fmt.Sprintf("%d %s", c.Outcomes[code], code))
			}
		}
		t.Rows = append(t.Rows, []show.Cell{
			{Text: c.Name}, {Text: strconv.Itoa(c.Calls)}, {Text: strings.Join(failed, ", "), Role: show.Warn},
			{Text: millis(c.P50Millis)}, {Text: millis(c.P95Millis)}, {Text: strconv.Itoa(c.BytesOut / c.Calls)}, {Text: instant(c.LastAt)},
		})
	}
	return show.Doc{t}
}

func millis(n float64) string { return strconv.FormatFloat(n, 'f', 1, 64) + " ms" }

func printVersion(s *session) error {
	b := buildDetails{hence.ThisBuild(), db.SchemaVersion(), runtime.GOOS + "/" + runtime.GOARCH}
	return s.print(b, func() show.Doc {
		return show.OneLine(fmt.Sprintf("hence %s, schema %d, %s %s", b.String(), b.Schema, b.Go, b.Platform))
	})
}

// buildDetails is what hence version prints.
type buildDetails struct {
	hence.Build
	Schema   int    `json:"schema"`   // version of the schema of its stores
	Platform string `json:"platform"` // such as linux/amd64
}

const (
	// soon is the longest time for which a command that stored a text makes vectors after its
	// answer. The next command, or hence serve, makes the rest.
	soon = 2 * time.Second
	// unhurried is that time for an import: about as long as a person watches it.
	unhurried = 10 * time.Minute
)

// embedEvery is the interval at which a server looks for texts of other processes that have
// no vector.
const embedEvery = 5 * time.Second

// keepEmbedded makes missing vectors in the background. wake tells that texts may have
// been written; stop ends it and waits until nothing is written any more.
func keepEmbedded(ctx context.Context, v ref.View, failed func(error)) (wake, stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	written := make(chan struct{}, 1)
	var embedding sync.WaitGroup
	embedding.Go(func() {
		vectors.Store(v).KeepEmbedded(ctx, embedEvery, written, failed)
	})
	wake = func() {
		select {
		case written <- struct{}{}:
		default: // it has been told already
		}
	}
	return wake, func() {
		cancel()
		embedding.Wait()
	}
}

// embedSoon makes the vectors of what a command has stored, after its answer.
func embedSoon[R any](ctx context.Context, s *session, v ref.View, _ R) error {
	s.embedWaiting(ctx, v.DB, soon)
	return nil
}

// embedWaiting makes the vectors of texts that have none, for at most limit. It prints an
// error instead of returning it, because the command itself has succeeded by then.
func (s *session) embedWaiting(ctx context.Context, d *db.DB, limit time.Duration) {
	bounded, stop := context.WithTimeout(ctx, limit)
	defer stop()
	progress, done := progressBar(s.err, "embedding")
	err := vectors.Store{DB: d, Caller: s.person()}.EmbedWaiting(bounded, progress)
	done()
	switch {
	case err == nil:
	case bounded.Err() != nil:
		if ctx.Err() != nil { // by Ctrl-C
			s.freshLine()
		}
		fmt.Fprintln(s.err, "hence: some texts still wait for a vector; hence embed run makes the rest")
	default:
		fmt.Fprintln(s.err, "hence: some texts have no vector yet: "+screen.Clean(err.Error()))
	}
}
