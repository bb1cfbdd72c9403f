package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"hence/cmd/hence/internal/flags"
	"hence/cmd/hence/internal/screen"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/tools/show"
	"hence/vault"
	"hence/vault/reading"
)

func (s *session) importCommand() *cobra.Command {
	var watch bool
	var given *vault.ImportArgs
	m := mirror[vault.ImportArgs, vault.Report]{
		use:   "import DIR|FILE",
		group: groupSetup,
		short: "Take in a vault of notes, or lines of JSON",
		long: `Reads a folder of Markdown notes (an Obsidian vault) and makes a memory of each
note and an edge of each link. The folder is only read. Importing again takes
in what has changed since; moved notes keep their id, deleted ones are put away.
With --watch it stays, and takes in every edit as it is made.

Of a file it reads the lines that hence export writes, or those of the official
MCP memory server. What the store holds already stays as it is there, so that an
import that was stopped goes on when it is started again. With --namespace all of
the file goes into that group.`,
		example: `  hence import ~/notes
  hence import ~/notes --watch
  hence import memories.jsonl
  hence import ~/notes --name work --namespace work --dry-run`,
		words: count{1, 1},
		flags: flags.Options{Omit: []string{"dir"}},
		also: func(cmd *cobra.Command, a *vault.ImportArgs) {
			given = a
			cmd.Flags().BoolVar(&watch, "watch", false, "stay, and import what is edited")
		},
		writes: true,
		place: func(a *vault.ImportArgs, words []string) error {
			a.Dir, a.Namespace = words[0], s.namespace
			return nil
		},
		call: func(ctx context.Context, d *db.DB, c ref.Caller, a vault.ImportArgs) (vault.Report, error) {
			progress, done := progressBar(s.err)
			defer done()
			return vault.Importer{DB: d, Caller: c, Progress: progress}.Import(ctx, a)
		},
		draw: drawImport,
	}
	cmd := m.command(s)
	cmd.ValidArgsFunction = func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveDefault
	}
	ofVault := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		if isNote(words[0]) {
			return fault.New(fault.InvalidArgument, "import %[1]s: that is a note; import its folder: hence import %[2]s", words[0], filepath.Dir(words[0]))
		}
		if isLines(words[0]) {
			return asFault(s.importLines(cmd, words[0]))
		}
		if watch {
			given.Dir, given.Namespace = words[0], s.namespace
			return asFault(s.watch(cmd.Context(), *given))
		}
		return ofVault(cmd, words)
	}
	return cmd
}

// progressBar draws how far an import is, on a terminal only, and takes the
// bar away when it is done.
func progressBar(out io.Writer) (progress func(done, total int), done func()) {
	return barFor(out, "importing")
}

// barFor is progressBar for something else than an import.
func barFor(out io.Writer, what string) (progress func(done, total int), done func()) {
	if !screen.IsTerminal(out) {
		return nil, func() {}
	}
	const (
		width = 30
		often = 65 * time.Millisecond
	)
	bar := progressbar.NewOptions(-1,
		progressbar.OptionSetWriter(out),
		progressbar.OptionSetDescription(what),
		progressbar.OptionSetWidth(width),
		progressbar.OptionThrottle(often),
		progressbar.OptionClearOnFinish(),
	)
	progress = func(done, total int) {
		bar.ChangeMax(total)
		_ = bar.Set(done)
	}
	return progress, func() { _ = bar.Clear() }
}

func drawImport(v *view, _ vault.ImportArgs, r vault.Report) {
	v.Line(importHeadline(r)...)
	if r.Changed() || r.Notes > 0 {
		v.Item("  ", screen.Text(linkCounts(r)))
	}
	if r.Changed() {
		v.places("dangling until their target exists:", r.DanglingLinks, r.Dangling)
		v.places("refused:", r.RefusedLinks, r.Refused)
	}
	if len(r.Warnings) == 0 {
		return
	}
	v.Line()
	v.Line(screen.Span{Text: "warnings:", Style: screen.Warn})
	for _, w := range r.Warnings {
		v.Hang("  ", deeper, screen.Text(strings.TrimSpace(show.Place(w.Path, w.Line)+"  "+w.Text)))
	}
}

func importHeadline(r vault.Report) []screen.Span {
	holds := show.Count(r.Notes, "note", "notes")
	if r.Files > 0 {
		holds += " and " + show.Count(r.Files, "other file", "other files")
	}
	switch {
	case !r.Changed() && r.Notes == 0:
		return []screen.Span{{Text: r.Vault, Style: screen.Strong}, screen.Text(": the folder has no notes")}
	case !r.Changed():
		return []screen.Span{{Text: r.Vault, Style: screen.Strong}, screen.Text(": nothing has changed in " + holds)}
	case r.DryRun:
		return []screen.Span{{Text: "would import ", Style: screen.Warn}, {Text: r.Vault, Style: screen.Strong}, screen.Text(": " + holds + " (" + changeCounts(r) + ")")}
	}
	return []screen.Span{{Text: "imported ", Style: screen.Good}, {Text: r.Vault, Style: screen.Strong}, screen.Text(": " + holds + " (" + changeCounts(r) + ")")}
}

func changeCounts(r vault.Report) string {
	return counts([]counted{
		{r.Added, "added"}, {r.Updated, "updated"}, {r.Moved, "moved"}, {r.Removed, "removed"}, {r.Unchanged, "unchanged"},
	})
}

func linkCounts(r vault.Report) string {
	text := show.Count(r.Links, "link", "links")
	if !r.DryRun {
		text += ", " + show.Count(r.Edges, "edge", "edges")
	}
	if rest := counts([]counted{{r.Dangling, "dangling"}, {r.Ambiguous, "ambiguous"}, {r.Refused, "refused"}}); rest != "" {
		text += "; " + rest
	}
	return text
}

type counted struct {
	n    int
	what string
}

// counts names what there is some of.
func counts(all []counted) string {
	said := []string{}
	for _, c := range all {
		if c.n > 0 {
			said = append(said, strconv.Itoa(c.n)+" "+c.what)
		}
	}
	return strings.Join(said, ", ")
}

// places lists the first of some links in notes.
func (v *view) places(head string, places []vault.Place, total int) {
	const most = 8
	if len(places) == 0 {
		return
	}
	v.Line()
	v.Line(screen.Span{Text: head, Style: screen.Warn})
	for _, p := range places[:min(len(places), most)] {
		line := []screen.Span{screen.Text(show.Place(p.Path, p.Line)), {Text: " —" + p.Rel + "→ ", Style: screen.Arrow}, screen.Text(p.Target)}
		if p.Why != "" {
			line = append(line, screen.Text(" ("+p.Why+")"))
		}
		v.Hang("  ", deeper, line...)
	}
	if more := total - min(len(places), most); more > 0 {
		v.Item("  ", screen.Span{Text: fmt.Sprintf("… and %d more", more), Style: screen.Faint})
	}
}

func (s *session) checkCommand() *cobra.Command {
	return mirror[reading.CheckArgs, reading.CheckResult]{
		use:   "check [VAULT]",
		group: groupSetup,
		short: "What may want mending in a vault",
		long: `Lists, as of the last import, the links that lead nowhere, those that could have
meant another note too, the declarations that were kept out (a cycle, a second
successor), the notes without a link, and what could not be read as written.`,
		example: `  hence check
  hence check work --limit 200`,
		words: count{0, 1},
		flags: flags.Options{Omit: []string{"name"}},
		place: func(a *reading.CheckArgs, words []string) error {
			a.Name = strings.Join(words, "")
			return nil
		},
		call: method(reading.Reader.Check),
		draw: drawCheck,
	}.command(s)
}

func drawCheck(v *view, _ reading.CheckArgs, r reading.CheckResult) {
	for _, part := range []struct {
		head   string
		places vault.Listed[reading.CheckedPlace]
	}{
		{"lead nowhere", r.Dangling}, {"could mean another note too", r.Ambiguous},
		{"kept out, because they close a cycle", r.Cycles}, {"kept out, because there is a successor already", r.Refused},
	} {
		v.checked(part.head, part.places)
	}
	if r.Orphans.TotalCount > 0 {
		v.checkHead("notes without a link", r.Orphans.TotalCount)
		for _, o := range r.Orphans.Items {
			v.Hang("  ", deeper, screen.Text(o.Path))
		}
	}
	if r.Warnings.TotalCount > 0 {
		v.checkHead("could not be read as written", r.Warnings.TotalCount)
		for _, w := range r.Warnings.Items {
			v.Hang("  ", deeper, screen.Text(show.Place(w.Path, w.Line)+"  "+w.Text))
		}
	}
	if r.Dangling.TotalCount+r.Ambiguous.TotalCount+r.Cycles.TotalCount+r.Refused.TotalCount+r.Orphans.TotalCount+r.Warnings.TotalCount == 0 {
		v.Line(screen.Span{Text: r.Vault, Style: screen.Strong}, screen.Text(": nothing to mend"))
	}
	v.more(r.Truncated, r.Next)
}

func (v *view) checkHead(head string, n int) {
	v.Line(screen.Span{Text: head, Style: screen.Warn}, screen.Text(" ("+show.Count(n, "place", "places")+")"))
}

// checked lists links in notes.
func (v *view) checked(head string, places vault.Listed[reading.CheckedPlace]) {
	if places.TotalCount == 0 {
		return
	}
	v.checkHead(head, places.TotalCount)
	for _, p := range places.Items {
		line := []screen.Span{screen.Text(show.Place(p.Path, p.Line)), {Text: " —" + p.Rel + "→ ", Style: screen.Arrow}, screen.Text(p.Target)}
		if p.ResolvedTo != "" && len(p.Candidates) > 0 {
			line = append(line, screen.Text(", taken for "+p.ResolvedTo+", not "+strings.Join(p.Candidates, ", ")))
		}
		v.Hang("  ", deeper, line...)
	}
}

// watch imports a vault and goes on as it is edited, until it is stopped. It
// prints a report, or a line of JSON, for each import that changed something.
func (s *session) watch(ctx context.Context, a vault.ImportArgs) (err error) {
	if a.DryRun {
		return fault.New(fault.InvalidArgument, "import: --watch and --dry-run do not go together")
	}
	d, err := s.open(ctx, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	progress, done := progressBar(s.err)
	return vault.Importer{DB: d, Caller: s.person(), Progress: progress}.Watch(ctx, a, func(r vault.Report, err error) {
		done()
		if err == nil {
			err = s.tellImport(a, r)
		}
		if err != nil {
			fmt.Fprintln(s.err, "hence: "+screen.Clean(err.Error()))
		}
	})
}

func (s *session) tellImport(a vault.ImportArgs, r vault.Report) error {
	if s.asJSON {
		return printJSON(s.out, r)
	}
	v := &view{Page: screen.PageFor(s.out)}
	drawImport(v, a, r)
	return v.Close()
}
