package vault_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	disk "hence/projection/folder"
	"hence/vault/vaulttest"
)

func TestImportLeavesOutLinksToWhatItLeavesOut(t *testing.T) {
	f, _ := vaulttest.MakeAttacked(t)
	if diff := cmp.Diff(uris("a.md", "page.txt", "sub/b.md"), rows(t, f.Importer.DB, currentNotes)); diff != "" {
		t.Errorf("imported (-want +got):\n%s", diff)
	}
	report := f.Imports()
	warned := map[string]string{}
	for _, w := range report.Warnings {
		warned[w.Path] = w.Text
	}
	for path, want := range map[string]string{
		"readme.md": "it is a link to .obsidian/plugins/p/main.js, which is hidden; it is left out",
		"second.md": "it is a link to private/diary.md, which the owner leaves out; it is left out",
		"plain.md":  "it is a link to page.txt, which is not a note; it is left out",
		"out.md":    "it is a link that leads out of the folder; it is left out",
		"round.md":  "it is a link that leads from link to link without an end; it is left out",
	} {
		if warned[path] != want {
			t.Errorf("the warning of %s is %q, want %q", path, warned[path], want)
		}
	}
	if _, ok := warned["git"]; ok {
		t.Error("a link to a folder is warned of")
	}
}

// An import does not walk folders that are deeper than the bounds of a path.
func TestImportLeavesOutWhatIsOverTheBounds(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "[[x]]"})
	deep := strings.Repeat("d/", 64)
	f.Write(deep+"in.md", "the last folder that is looked into")
	f.Write(deep+"d/x.md", "one deeper")
	f.Write(deep+"d/d/d/x.md", "and deeper")
	report := f.Imports()
	if diff := cmp.Diff(uris("a.md", deep+"in.md"), rows(t, f.Importer.DB, currentNotes)); diff != "" {
		t.Errorf("imported (-want +got):\n%s", diff)
	}
	want := []disk.Warning{{Path: deep + "d", Text: "the path has 65 folders, and may have at most 64; it is left out"}}
	if diff := cmp.Diff(want, report.Warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}
