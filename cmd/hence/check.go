package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"hence/cmd/hence/internal/flags"
	"hence/cmd/hence/internal/screen"
	"hence/internal/db"
	"hence/internal/ref"
	"hence/vault"
)

func (s *session) checkCommand() *cobra.Command {
	return mirror[vault.CheckArgs, vault.CheckResult]{
		use:   "check [VAULT]",
		group: groupSetup,
		short: "What may want mending in a vault",
		long: `Lists, as of the last import, the links that lead nowhere, those that could have
meant another note too, the declarations that were kept out (a circle, a second
successor), the notes without a link, and what could not be read as written.`,
		example: `  hence check
  hence check work --limit 200`,
		words: count{0, 1},
		flags: flags.Options{Omit: []string{"name"}},
		place: func(a *vault.CheckArgs, words []string) error {
			a.Name = strings.Join(words, "")
			return nil
		},
		call: func(ctx context.Context, d *db.DB, c ref.Caller, a vault.CheckArgs) (vault.CheckResult, error) {
			return vault.Importer{DB: d, Caller: c}.Check(ctx, a)
		},
		draw: drawCheck,
	}.command(s)
}

func drawCheck(v *view, _ vault.CheckArgs, r vault.CheckResult) {
	for _, part := range []struct {
		head   string
		places vault.Listed[vault.CheckedPlace]
	}{
		{"lead nowhere", r.Dangling}, {"could mean another note too", r.Ambiguous},
		{"kept out, because they close a circle", r.Cycles}, {"kept out, because there is a successor already", r.Refused},
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
			v.Hang("  ", deeper, screen.Text(at(w.Path, w.Line)+"  "+w.Text))
		}
	}
	if r.Dangling.TotalCount+r.Ambiguous.TotalCount+r.Cycles.TotalCount+r.Refused.TotalCount+r.Orphans.TotalCount+r.Warnings.TotalCount == 0 {
		v.Line(screen.Span{Text: r.Vault, Style: screen.Strong}, screen.Text(": nothing to mend"))
	}
	v.more(r.Truncated, r.Next)
}

func (v *view) checkHead(head string, n int) {
	v.Line(screen.Span{Text: head, Style: screen.Warn}, screen.Text(" ("+number(n, "place", "places")+")"))
}

// checked lists links in notes.
func (v *view) checked(head string, places vault.Listed[vault.CheckedPlace]) {
	if places.TotalCount == 0 {
		return
	}
	v.checkHead(head, places.TotalCount)
	for _, p := range places.Items {
		line := []screen.Span{screen.Text(at(p.Path, p.Line)), {Text: " —" + p.Rel + "→ ", Style: screen.Arrow}, screen.Text(p.Target)}
		if p.ResolvedTo != "" && len(p.Candidates) > 0 {
			line = append(line, screen.Text(", taken for "+p.ResolvedTo+", not "+strings.Join(p.Candidates, ", ")))
		}
		v.Hang("  ", deeper, line...)
	}
}
