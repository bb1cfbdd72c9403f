package tools

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory/review"
	"hence/vault"
	"hence/vault/reading"
	"hence/vault/writing"
)

// filesIn returns all files in a folder, by path.
func filesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Type()&fs.ModeSymlink != 0 {
			all[path] = "folder or link"
			return err
		}
		source, err := os.ReadFile(path)
		all[path] = string(source)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A conversation writes notes; each write is in the store at once.
func TestVaultWrite_Conversation(t *testing.T) {
	d := dbtest.New(t)
	dir := attach(t, d, "v", "", map[string]string{"Queue.md": "---\nstatus: open # yet\n---\nSee [[Ledger]].\n", "sub/Old.md": "![[Queue]]"})
	a := meet(t, d, Options{VaultWrite: true})

	made, said := get[writing.WriteResult](a, "create_note", `{"path": "deep/Ledger", "content": "depends-on:: [[Queue]] [[Nowhere]]\n"}`)
	if made.Path != "deep/Ledger.md" || !strings.Contains(said, `+ "Ledger" —depends-on→ "Queue"`) || !strings.Contains(said, `+ "Queue" —links-to→ "Ledger"`) || !strings.Contains(said, "dangling: deep/Ledger.md:1 → Nowhere") {
		t.Errorf("create_note: %+v, %q", made, said)
	}
	read, _ := get[reading.ReadNoteResult](a, "read_note", `{"path": "Ledger"}`)
	if read.ContentHash != made.ContentHash {
		t.Errorf("read_note gives the hash %s, create_note %s", read.ContentHash, made.ContentHash)
	}
	dry, said := get[writing.WriteResult](a, "update_note", `{"path": "Ledger", "mode": "patch", "find": " [[Nowhere]]", "replace": "", "dry_run": true}`)
	if want := "Would change v/deep/Ledger.md:\n--- a/deep/Ledger.md\n+++ b/deep/Ledger.md\n@@ -1,1 +1,1 @@\n-depends-on:: [[Queue]] [[Nowhere]]\n+depends-on:: [[Queue]]\n1 replacement"; !dry.Changed || said != want {
		t.Errorf("update_note: %q, want %q", said, want)
	}
	_, said = get[writing.WriteResult](a, "update_note", `{"path": "Ledger", "mode": "patch", "find": " [[Nowhere]]", "replace": "", "expected_content_hash": "`+made.ContentHash+`"}`)
	if !strings.HasPrefix(said, "Updated v/deep/Ledger.md (") || !strings.Contains(said, `- "Ledger" —depends-on→`) && strings.Contains(said, "dangling") {
		t.Errorf("update_note: %q", said)
	}
	if e := a.refused("update_note", `{"path": "Ledger", "mode": "replace", "content": "x", "expected_content_hash": "`+made.ContentHash+`"}`); e.Code != string(fault.Conflict) || e.Details["content_hash"] == nil {
		t.Errorf("update_note: %+v, want a conflict with the hash", e)
	}
	if _, said := get[writing.WriteResult](a, "set_frontmatter", `{"path": "Queue", "set": {"status": "done", "tags": ["a"]}}`); !strings.HasPrefix(said, "Updated v/Queue.md") {
		t.Errorf("set_frontmatter: %q", said)
	}
	if same, said := get[writing.WriteResult](a, "set_frontmatter", `{"path": "Queue", "set": {"status": "done"}}`); said != "v/Queue.md has not changed\ncontent_hash "+same.ContentHash {
		t.Errorf("set_frontmatter: %q", said)
	}
	moved, said := get[writing.MoveNoteResult](a, "move_note", `{"from_path": "Queue", "to_path": "sub/Jobs"}`)
	if want := "Moved v/Queue.md to sub/Jobs.md, with 2 links in 2 files\ndeep/Ledger.md:1: [[Queue]] → [[Jobs]]\nsub/Old.md:1: ![[Queue]] → ![[Jobs]]"; said != want || moved.ID == "" {
		t.Errorf("move_note: %q, want %q", said, want)
	}
	want := map[string]string{
		"sub/Jobs.md":    "---\nstatus: done # yet\ntags:\n  - a\n---\nSee [[Ledger]].\n",
		"sub/Old.md":     "![[Jobs]]",
		"deep/Ledger.md": "depends-on:: [[Jobs]]\n",
	}
	got := map[string]string{}
	for path, text := range filesIn(t, dir) {
		if strings.HasSuffix(path, ".md") {
			got[strings.TrimPrefix(path, dir+"/")] = text
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the files (-want +got):\n%s", diff)
	}
	if report, _ := get[vault.Report](a, "vault_import", `{}`); report.HasChanged() {
		t.Errorf("an import after it changes something: %+v", report)
	}
}

// No tool that takes a path reaches a file outside the vault, or reveals its name, by a
// path that leaves the vault.
func TestVaultWrite_PathsStayInside(t *testing.T) {
	d := dbtest.New(t)
	dir := attach(t, d, "v", "", map[string]string{"a.md": "see [[b]]", "sub/b.md": "x", ".obsidian/app.json": "{}", ".henceignore": "private\n", "private/p.md": "x"})
	around := filepath.Dir(dir)
	put(t, around, "secret.md", "the secret")
	for link, to := range map[string]string{"out.md": "../secret.md", "outside": ".."} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	paths := []string{
		"../secret.md", "..", "sub/../../secret", "/etc/passwd", "//host/x", "C:/x.md", `\\host\x`, `..\secret.md`, "%2e%2e/secret.md", "..%2Fsecret",
		"\uFF0E\uFF0E/secret", "\u2024\u2024/secret", "\u2025/secret", "\u2026/secret", "..\uFF0Fsecret", "..\u2215secret", "..\u29F8secret", ".\u200B./secret",
		"a\u0000.md", "a\n.md", "CON", "com1.md", "new.", "new ", ".obsidian/app.json", ".trash/x", "private/p", "out", "outside/secret", "obsidian-fs://v/../secret.md", "file:///etc/passwd",
	}
	calls := map[string]string{
		"read_note": `{"path": PATH}`, "get_headings": `{"path": PATH}`, "get_frontmatter": `{"path": PATH}`, "get_backlinks": `{"path": PATH}`,
		"create_note": `{"path": PATH, "content": "attack"}`, "update_note": `{"path": PATH, "mode": "replace", "content": "attack"}`, "set_frontmatter": `{"path": PATH, "set": {"k": 1}}`,
		"move_note": `{"from_path": PATH, "to_path": "new"}`, "list_notes": `{"under": PATH}`,
	}
	a := meet(t, d, Options{VaultWrite: true})
	before := filesIn(t, around)
	for _, tool := range slices.Sorted(maps.Keys(calls)) {
		t.Run(tool, func(t *testing.T) {
			for _, path := range paths {
				arguments := strings.ReplaceAll(calls[tool], "PATH", quote(t, path))
				r := a.ask(tool, arguments)
				if strings.Contains(text(t, r)+string(structured(t, r)), "the secret") {
					t.Errorf("%s %s tells the secret", tool, arguments)
				}
				switch {
				case tool == "list_notes" && !r.IsError: // a folder that is not there has no notes
					if list, _ := get[reading.ListNotesResult](a, tool, arguments); list.TotalCount != 0 {
						t.Errorf("%s %s lists %+v", tool, arguments, list.Notes)
					}
				case !r.IsError:
					t.Errorf("%s %s succeeds", tool, arguments)
				default:
					code := errorOf(t, r).Code
					// What the store does not hold cannot be asked of it; a link is in the place of what would be made.
					also := tool == "get_backlinks" && code == string(fault.NotFound) || tool == "create_note" && path == "out" && code == string(fault.Exists)
					if code != string(fault.OutsideVault) && !also {
						t.Errorf("%s %s: %s, want outside_vault", tool, arguments, code)
					}
				}
			}
		})
	}
	for _, path := range paths {
		if e := a.refused("move_note", `{"from_path": "a", "to_path": `+quote(t, path)+`}`); e.Code != string(fault.OutsideVault) && !(path == "out" && e.Code == string(fault.Exists)) {
			t.Errorf("move_note to %q: %+v, want outside_vault", path, e)
		}
	}
	if diff := cmp.Diff(before, filesIn(t, around)); diff != "" {
		t.Errorf("something was written:\n%s", diff)
	}
}

// Notes are written only with Options.VaultWrite.
func TestVaultWrite_IsOffByDefault(t *testing.T) {
	writers := []string{"create_note", "update_note", "set_frontmatter", "move_note"}
	for name, c := range map[string]struct {
		options Options
		offered bool
	}{
		"ByDefault":     {Options{}, false},
		"OnlyTheVault":  {Options{Toolsets: []string{VaultSet}}, false},
		"AskedFor":      {Options{VaultWrite: true}, true},
		"ReadOnly":      {Options{VaultWrite: true, ReadOnly: true}, false},
		"OtherToolsets": {Options{VaultWrite: true, Toolsets: []string{MemorySet}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			offered := toolNames(t, c.options)
			for _, tool := range writers {
				if slices.Contains(offered, tool) != c.offered {
					t.Errorf("%s is offered: %v, want %v", tool, !c.offered, c.offered)
				}
			}
		})
	}
}

// No agent writes notes while a person decides on every call: the edit of a file cannot wait.
func TestVaultWrite_WaitsForNobody(t *testing.T) {
	d := dbtest.New(t)
	dir := attach(t, d, "v", "", map[string]string{"Queue.md": "one"})
	before := filesIn(t, dir)
	a := meet(t, d, Options{VaultWrite: true})
	if err := (review.Desk{DB: d, Caller: ref.Caller{Actor: "ada", Origin: "person"}}).SetPolicy(t.Context(), review.All); err != nil {
		t.Fatal(err)
	}
	for tool, arguments := range map[string]string{
		"create_note":     `{"path": "Zebra", "content": "zebra"}`,
		"update_note":     `{"path": "Queue", "mode": "append", "content": "zebra"}`,
		"set_frontmatter": `{"path": "Queue", "set": {"a": 1}}`,
		"move_note":       `{"path": "Queue", "new_path": "Zebra"}`,
	} {
		if r := a.ask(tool, arguments); !r.IsError || !strings.Contains(text(t, r), "hence review --policy all") {
			t.Errorf("%s: %s", tool, text(t, r))
		}
	}
	if diff := cmp.Diff(before, filesIn(t, dir)); diff != "" {
		t.Error(diff)
	}
}
