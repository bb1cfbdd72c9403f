package explore

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hence/agents"
	sourcecode "hence/code"
	codewriting "hence/code/writing"
	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/projection"
	"hence/tools"
	"hence/vault"
)

// Changes made on the page are the person's, and can be undone there.
func TestAPI_WritesAsThePersonAndUndoes(t *testing.T) {
	d := dbtest.New(t)
	a := newAsker(t, d, person, tools.Options{})
	furnish(a)
	if got := a.get("edges", `{"id": "Decision"}`); !strings.Contains(got, `"origin":"person","actor":"ada"`) {
		t.Errorf("edges: %s", got)
	}
	status := func() string { return dbtest.Texts(t, d, `select status from memories where title = 'Ground'`)[0] }
	if got := status(); got != "superseded" {
		t.Fatalf("the ground is %s", got)
	}
	if got := a.get("undo", ``); !strings.Contains(got, "Newer ground") || status() != "current" {
		t.Errorf("undone: %s, and the ground is %s", got, status())
	}
}

// The page offers to undo a verification, whoever wrote after it.
func TestAPI_UndoesAVerification(t *testing.T) {
	d := dbtest.New(t)
	a := newAsker(t, d, person, tools.Options{})
	furnish(a)
	stale := func() string {
		return strings.Join(dbtest.Texts(t, d, `select title || ' ' || reason from stale order by 1`), ", ")
	}
	before := stale()
	_, header := a.do(http.MethodPost, "call/memory_verify", "application/json", `{"id": "Decision", "note": "looked at"}`)
	newAsker(t, d, ref.Caller{Actor: "bob", Origin: "person"}, tools.Options{}).get("call/memory_store", `{"title": "Bob's lamp", "content": "it is out"}`)
	if stale() == before {
		t.Fatalf("the verification cleared nothing of %q", before)
	}
	a.get("undo", fmt.Sprintf(`{"seq": %s, "whole": true}`, header.Get(changeHeader)))
	if got := stale(); got != before {
		t.Errorf("stale after the undo: %q, want %q", got, before)
	}
}

// An answer names the change that it made, so that undo takes back that change, whoever
// wrote after it.
func TestAPI_NamesTheChangeThatItMade(t *testing.T) {
	d := dbtest.New(t)
	a := newAsker(t, d, person, tools.Options{})
	furnish(a)
	_, header := a.do(http.MethodPost, "call/memory_store", "application/json", `{"namespace": "ours", "title": "Lamp", "content": "it is lit", "links": [{"to": "Decision", "type": "supports"}]}`)
	bob := newAsker(t, d, ref.Caller{Actor: "bob", Origin: "person"}, tools.Options{})
	bob.get("call/memory_store", `{"title": "Bob's lamp", "content": "it is out"}`)
	a.get("undo", fmt.Sprintf(`{"seq": %s, "whole": true}`, header.Get(changeHeader)))
	if got := dbtest.Texts(t, d, `select title from memories where status = 'current' and title like '%lamp' order by title`); !slices.Equal(got, []string{"Bob's lamp"}) {
		t.Errorf("what holds after the undo: %v", got)
	}
	if _, header := a.do(http.MethodPost, "call/memory_get", "application/json", `{"id": "Decision"}`); header.Get(changeHeader) != "" {
		t.Errorf("reading is said to have made the change %s", header.Get(changeHeader))
	}
	confined := newAsker(t, d, ref.Caller{Actor: "eve", Origin: "person", Namespace: "ours", Confined: true}, tools.Options{})
	if _, header := confined.do(http.MethodPost, "call/memory_store", "application/json", `{"title": "Eve", "content": "hers"}`); header.Get(changeHeader) != "" {
		t.Errorf("a token of one namespace learns the number %s", header.Get(changeHeader))
	}
}

// A write of notes can be undone where notes may be written; an import cannot be undone
// anywhere here.
func TestAPI_UndoesAWriteOfNotes(t *testing.T) {
	d, folder := dbtest.New(t), t.TempDir()
	note := filepath.Join(folder, "Quay.md")
	if err := os.WriteFile(note, []byte("The quay is dry.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := (vault.Importer{DB: d, Caller: person}).Import(ctx, vault.ImportArgs{Dir: folder, Name: "port"}); err != nil {
		t.Fatal(err)
	}
	writes, looks := newAsker(t, d, person, tools.Options{VaultWrite: true}), newAsker(t, d, person, tools.Options{})
	text := func() string {
		read, err := os.ReadFile(note)
		if err != nil {
			t.Fatal(err)
		}
		return string(read)
	}
	if got := writes.ask("undo", ``); got.Status != http.StatusBadRequest || !strings.Contains(got.Body, "command line") {
		t.Errorf("the import: %+v", got)
	}
	_, header := writes.do(http.MethodPost, "call/update_note", "application/json", `{"path": "Quay.md", "mode": "replace", "content": "The quay is wet."}`)
	seq := fmt.Sprintf(`{"seq": %s, "whole": true}`, header.Get(changeHeader))
	if got := looks.ask("undo", seq); got.Status != http.StatusBadRequest || !strings.Contains(got.Body, "command line") || !strings.Contains(text(), "wet") {
		t.Errorf("where notes are only read: %+v", got)
	}
	var undone UndoResult
	if err := json.Unmarshal([]byte(writes.get("undo", seq)), &undone); err != nil || !strings.Contains(text(), "dry") || undone.Files == nil || undone.Files.Notes[0].Path != "Quay.md" {
		t.Fatalf("%+v %v: %s", undone, err, text())
	}
	if got := writes.get("undo", fmt.Sprintf(`{"seq": %d}`, undone.By)); !strings.Contains(text(), "wet") {
		t.Errorf("the undo taken back: %s: %s", got, text())
	}
}

// What a client did to its own files is taken back where the person allowed that, as on the command line, and a patch of
// code where patches are allowed; their undos too.
func TestAPI_UndoesWhatWroteOtherFiles(t *testing.T) {
	d, home, dir := dbtest.New(t), t.TempDir(), filepath.Join(t.TempDir(), "repo")
	put := func(file, text string) {
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	read := func(file string) string {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	notes, rules, source := agents.Importer{DB: d, Caller: person}, filepath.Join(home, ".claude", "CLAUDE.md"), filepath.Join(dir, "once.go")
	take := func(text string) {
		put(rules, text)
		if _, err := notes.Import(ctx, agents.Args{Places: agents.Places{Home: home, Folder: home, Getenv: func(string) string { return "" }}}); err != nil {
			t.Fatal(err)
		}
	}
	take("Ship on Mondays.\n")
	take("Ship on Tuesdays.\n")
	page := newAsker(t, d, person, tools.Options{CodeWrite: true})
	if got := page.ask("undo", ``); got.Status != http.StatusForbidden || !strings.Contains(got.Body, "hence agents allow restore") {
		t.Errorf("before it is allowed: %+v", got)
	}
	if _, err := notes.AllowRestore(ctx, "", true); err != nil {
		t.Fatal(err)
	}
	undo := func(args string) (r UndoResult) {
		if err := json.Unmarshal([]byte(page.get("undo", args)), &r); err != nil || r.Files == nil || len(r.Files.Notes) != 1 || r.By == 0 {
			t.Fatalf("undo %s: %+v %v", args, r, err)
		}
		return r
	}
	by := undo(``).By
	if got := read(rules); got != "Ship on Mondays.\n" {
		t.Errorf("undone: %q", got)
	}
	undo(fmt.Sprintf(`{"seq": %d}`, by))
	if got := read(rules); got != "Ship on Tuesdays.\n" {
		t.Errorf("the undo undone: %q", got)
	}
	const code = "package repo\n\nfunc Once(n int) int { return n + 1 }\n"
	put(filepath.Join(dir, "go.mod"), "module example.com/repo\n")
	put(source, code)
	v := ref.View{DB: d, Caller: person}
	if _, err := (sourcecode.Importer{DB: d, Caller: person}).Mirror().Import(ctx, projection.ImportArgs{Dir: dir, Name: "repo"}); err != nil {
		t.Fatal(err)
	}
	w := codewriting.New(v)
	if err := w.AllowPatch(ctx, "repo", true); err != nil {
		t.Fatal(err)
	}
	_, header := page.do(http.MethodPost, "call/code_patch", "application/json", fmt.Sprintf(`{"path": "once.go", "find": "n + 1", "replace": "n + 2", "dry_run": false, "expected_content_hash": %q}`, db.Hash([]byte(code))))
	if read(source) == code {
		t.Fatal("the patch wrote nothing")
	}
	undo(fmt.Sprintf(`{"seq": %s}`, header.Get(changeHeader)))
	if got := read(source); got != code {
		t.Errorf("the patch undone: %q", got)
	}
}
