package vault_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/internal/fault"
	"hence/vault"
)

func TestReimport(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "[[b]]"})
	if _, err := f.Importer.Reimport(t.Context(), vault.ReimportArgs{}); fault.CodeOf(err) != fault.NotFound || !strings.Contains(err.Error(), "import one first") {
		t.Errorf("without a vault: %v, want not_found", err)
	}
	f.Imports()
	f.Write("b.md", "x")
	dry, err := f.Importer.Reimport(t.Context(), vault.ReimportArgs{DryRun: true})
	if err != nil || dry.Added != 1 || !dry.DryRun {
		t.Errorf("dry run: %+v, %v", dry, err)
	}
	f.Want()
	report, err := f.Importer.Reimport(t.Context(), vault.ReimportArgs{})
	if err != nil || report.Added != 1 || report.Unchanged != 1 {
		t.Errorf("report %+v, %v", report, err)
	}
	f.Want("a links-to b")

	g := newFolder(t, map[string]string{"c.md": "x"})
	g.Importer.DB = f.Importer.DB
	if _, err := g.Importer.Import(t.Context(), vault.ImportArgs{Dir: g.Dir, Name: "w"}); err != nil {
		t.Fatal(err)
	}
	_, err = f.Importer.Reimport(t.Context(), vault.ReimportArgs{})
	if fault.CodeOf(err) != fault.Ambiguous {
		t.Errorf("with two vaults: %v, want ambiguous", err)
	}
	g.Write("d.md", "y")
	if report, err := f.Importer.Reimport(t.Context(), vault.ReimportArgs{Name: "w"}); err != nil || report.Vault != "w" || report.Added != 1 {
		t.Errorf("by name: %+v, %v", report, err)
	}
	if _, err := f.Importer.Reimport(t.Context(), vault.ReimportArgs{Name: "nothing"}); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("an unknown name: %v, want not_found", err)
	}
}

func TestReimport_ShowsTheFirstWarnings(t *testing.T) {
	f := newFolder(t, nil)
	for n := range 60 {
		f.Write(fmt.Sprintf("%02d.md", n), "---\nkey: [broken\n---\n")
	}
	report := f.Imports()
	f.Write(".hence.yaml", "mentions: false") // reads every note again
	again, err := f.Importer.Reimport(t.Context(), vault.ReimportArgs{})
	if err != nil || len(report.Warnings) != 60 || len(again.Warnings) != 51 || !strings.Contains(again.Warnings[50].Text, "10 more") {
		t.Errorf("%d and then %d warnings, %v", len(report.Warnings), len(again.Warnings), err)
	}
}

// After an import was stopped, the next import gives the store the same contents as an
// import into an empty store.
func TestReimport_StoppedGoesOn(t *testing.T) {
	f := newFolder(t, map[string]string{"00.md": "[[01]]"})
	f.Imports()
	const notes = 1000
	for n := range notes {
		f.Write(fmt.Sprintf("%02d/%04d.md", n%50, n), fmt.Sprintf("# H\n[[%04d]] and [[%04d]]\n", (n+1)%notes, (n*7)%notes))
	}
	fresh := newFolder(t, nil)
	fresh.Dir = f.Dir
	fresh.Imports()
	want := fresh.Edges()
	for _, share := range []float64{0.2, 0.6, 0.95} {
		ctx, stop := context.WithCancel(t.Context())
		i := f.Importer
		i.Progress = func(done, total int) {
			if float64(done) >= share*float64(total) {
				stop()
			}
		}
		_, err := i.Reimport(ctx, vault.ReimportArgs{})
		stop()
		if share < 0.9 && fault.CodeOf(err) != fault.Unavailable {
			t.Errorf("stopped at %v: %v, want unavailable", share, err)
		}
	}
	if _, err := f.Importer.Reimport(t.Context(), vault.ReimportArgs{}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, f.Edges()); diff != "" {
		t.Errorf("edges (-from nothing +in the end):\n%.2000s", diff)
	}
	if again, err := f.Importer.Reimport(t.Context(), vault.ReimportArgs{}); err != nil || again.HasChanged() {
		t.Errorf("one more import: %+v, %v", again, err)
	}
}
