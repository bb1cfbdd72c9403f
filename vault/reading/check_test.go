package reading_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/internal/fault"
	scan "hence/projection/folder"
	"hence/vault"
	"hence/vault/reading"
)

func TestCheckListsWhatToMend(t *testing.T) {
	f := newFolder(t, map[string]string{
		"a.md":     "---\ndepends-on: \"[[b]]\"\n---\n[[none]]\n[[none#x]]",
		"b.md":     "---\ndepends-on: \"[[a]]\"\n---\n[[n]]",
		"n.md":     "x",
		"sub/n.md": "---\nsupersedes: \"[[x]]\"\n---\n",
		"x.md":     "---\nsuperseded_by: \"[[a]]\"\nbroken: [\n---\n",
		"y.md":     "---\nsupersedes: \"[[x]]\"\n---\n",
		"alone.md": "speaks of nobody",
	})
	f.Imports()
	got, err := f.reader().Check(t.Context(), reading.CheckArgs{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	type place = vault.Listed[reading.CheckedPlace]
	one := func(total int, p reading.CheckedPlace) place {
		return place{Items: []reading.CheckedPlace{p}, TotalCount: total, ReturnedCount: 1, Truncated: total > 1}
	}
	want := reading.CheckResult{
		Vault:     "v",
		Dangling:  one(2, reading.CheckedPlace{Place: vault.Place{Path: "a.md", Line: 4, Target: "none", Rel: "links-to"}, Candidates: []string{}}),
		Ambiguous: one(1, reading.CheckedPlace{Place: vault.Place{Path: "b.md", Line: 4, Target: "n", Rel: "links-to"}, ResolvedTo: "n.md", Candidates: []string{"sub/n.md"}}),
		Cycles:    one(1, reading.CheckedPlace{Place: vault.Place{Path: "b.md", Line: 2, Target: "a", Rel: "depends-on", Why: "cycle"}, Candidates: []string{}}),
		Refused:   one(1, reading.CheckedPlace{Place: vault.Place{Path: "y.md", Line: 2, Target: "x", Rel: "supersedes", Why: "successor"}, Candidates: []string{}}),
		Orphans:   vault.Listed[reading.Orphan]{Items: []reading.Orphan{{ID: f.ID("alone.md"), Path: "alone.md", Title: "alone"}}, TotalCount: 2, ReturnedCount: 1, Truncated: true},
		Warnings:  got.Warnings,
		Secrets:   vault.Listed[scan.Warning]{Items: []scan.Warning{}},
		Truncated: true,
		Next:      "limit",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Check (-want +got):\n%s", diff)
	}
	if w := got.Warnings; w.TotalCount != 1 || w.Items[0].Path != "x.md" || w.Items[0].Line == 0 {
		t.Errorf("warnings = %+v, want one of x.md with its line", w)
	}
	all, err := f.reader().Check(t.Context(), reading.CheckArgs{Name: "v"})
	if err != nil || all.Truncated || all.Next != "" || all.Dangling.ReturnedCount != 2 {
		t.Errorf("Check = %+v, %v; want everything", all, err)
	}
}

func TestCheckFindsTheVault(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "x"})
	check := func(name string, want fault.Code) {
		t.Helper()
		if _, err := f.reader().Check(t.Context(), reading.CheckArgs{Name: name}); fault.CodeOf(err) != want {
			t.Errorf("Check(%q): %v, want %q", name, err, want)
		}
	}
	check("", fault.NotFound)
	f.Imports()
	check("", "")
	check("w", fault.NotFound)
	if _, err := f.Importer.Import(t.Context(), vault.ImportArgs{Dir: f.Dir, Name: "w", Namespace: "other"}); err != nil {
		t.Fatal(err)
	}
	check("", fault.Ambiguous)
	check("w", "")
	f.Importer.Caller.Namespace = "other"
	check("", "")
	check("v", fault.NotFound)
}

func TestCheckListsWhatLooksLikeASecret(t *testing.T) {
	key := "AK" + "IA" + "Q7Z2X4T9M5R3LPW8"
	text := "---\nci_token: ghp_" + strings.Repeat("a7", 18) + "\n---\n\n# Deploy\nwith " + key + " at night\nAKIAIOSFODNN7EXAMPLE\n"
	f := newFolder(t, map[string]string{"ops/deploy.md": text, "b.md": "nothing"})
	f.Imports()
	got, err := f.reader().Check(t.Context(), reading.CheckArgs{})
	if err != nil {
		t.Fatal(err)
	}
	want := []scan.Warning{{Path: "ops/deploy.md", Line: 1, Text: "ci_token: [secret: github-token]"}, {Path: "ops/deploy.md", Line: 6, Text: "with [secret: aws-key] at night"}}
	if diff := cmp.Diff(want, got.Secrets.Items); diff != "" || got.Secrets.TotalCount != 2 {
		t.Errorf("secrets (-want +got):\n%s", diff)
	}
	kept, err := os.ReadFile(filepath.Join(f.Dir, "ops", "deploy.md"))
	if err != nil || string(kept) != text {
		t.Errorf("the note became %q, %v", kept, err)
	}
}
