package httpserve

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hence/code"
	"hence/code/suite"
	"hence/code/writing"
	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/projection"
	"hence/tools"
	"hence/tools/httpserve/token"
	"hence/vault"
)

// attach imports a folder of notes as a vault.
func attach(t *testing.T, d *db.DB, name, namespace string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	put(t, dir, name+".md", "the note of "+name)
	i := vault.Importer{DB: d, Caller: ref.Caller{Actor: "person", Origin: "person"}}
	if _, err := i.Import(t.Context(), vault.ImportArgs{Dir: dir, Name: name, Namespace: namespace}); err != nil {
		t.Fatal(err)
	}
	return dir
}

func put(t *testing.T, dir, path, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, path), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// toolNames returns the names of the tools in a session.
func (s *session) toolNames() map[string]bool {
	s.t.Helper()
	var message struct {
		Result struct{ Tools []struct{ Name string } }
	}
	a := s.post(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, s.sign)
	if err := json.Unmarshal([]byte(a.body), &message); err != nil {
		s.t.Fatalf("%v: %+v", err, a)
	}
	names := map[string]bool{}
	for _, tool := range message.Result.Tools {
		names[tool.Name] = true
	}
	return names
}

// Each token is offered the tools that it may use for the vaults that it may see.
func TestVault_ByToken(t *testing.T) {
	d := newStore(t)
	attach(t, d, "ours", "ours")
	attach(t, d, "theirs", "theirs")
	w := openOn(t, d, Options{Secret: "correct horse battery staple", Tools: tools.Options{VaultWrite: true}})
	for name, c := range map[string]struct {
		token           token.Token
		reads, imports  bool
		sees, seesCount string
	}{
		"Ours":     {token.Token{Name: "a", Namespace: "ours"}, true, true, "ours.md", `"total_count":1`},
		"ReadOnly": {token.Token{Name: "b", Namespace: "theirs", ReadOnly: true}, true, false, "theirs.md", `"total_count":1`},
		"Nobody's": {token.Token{Name: "c", Namespace: "none"}, false, false, "", ""},
		"All":      {token.Token{Name: "d", ReadOnly: true}, true, false, "ours.md", `"total_count":2`},
	} {
		t.Run(name, func(t *testing.T) {
			s := w.meet(w.token(c.token))
			got := s.toolNames()
			if got["read_note"] != c.reads || got["vault_import"] != c.imports {
				t.Errorf("read_note %v, vault_import %v; want %v, %v", got["read_note"], got["vault_import"], c.reads, c.imports)
			}
			for _, tool := range tools.All() {
				if tool.EditsNotes && got[tool.Name] != c.imports {
					t.Errorf("%s is offered: %v, want %v", tool.Name, got[tool.Name], c.imports)
				}
			}
			if list := ""; c.reads {
				if list = s.call("list_notes", `{}`); !strings.Contains(list, c.sees) || !strings.Contains(list, c.seesCount) {
					t.Errorf("list_notes: %s", list)
				}
			}
		})
	}
}

// Code can be changed and run only with a token that was made for it.
func TestCode_NeedsATokenMadeForIt(t *testing.T) {
	d := newStore(t)
	dir := t.TempDir()
	put(t, dir, "go.mod", "module example.com/repo\n")
	put(t, dir, "a.go", "package repo\n")
	person := ref.Caller{Actor: "person"}
	if _, err := (code.Importer{DB: d, Caller: person}).Mirror().Import(t.Context(), projection.ImportArgs{Dir: dir, Namespace: "ours"}); err != nil {
		t.Fatal(err)
	}
	allow := writing.New(ref.View{DB: d, Caller: person})
	if err := allow.AllowPatch(t.Context(), "", true); err != nil {
		t.Fatal(err)
	}
	if err := allow.AllowSuite(t.Context(), "", suite.Suite{Name: "true", Arguments: []string{"true"}, TimeoutS: 10}); err != nil {
		t.Fatal(err)
	}
	w := openOn(t, d, Options{Secret: "correct horse battery staple", Tools: tools.Options{}})
	readOnly := openOn(t, d, Options{Secret: "correct horse battery staple", Tools: tools.Options{ReadOnly: true}})
	made := w.token(token.Token{Name: "made", Namespace: "ours", Code: true})
	for name, c := range map[string]struct {
		session *session
		reads   bool
		writes  bool
	}{
		"MadeForIt":        {w.meet(made), true, true},
		"Other":            {w.meet(w.token(token.Token{Name: "other", Namespace: "ours"})), true, false},
		"OfTheServer":      {w.meet("correct horse battery staple"), true, false},
		"ReadOnly":         {w.meet(w.token(token.Token{Name: "reader", Namespace: "ours", ReadOnly: true})), true, false},
		"AnotherNamespace": {w.meet(w.token(token.Token{Name: "theirs", Namespace: "theirs", Code: true})), false, false},
		"ReadOnlyServer":   {readOnly.meet(made), true, false},
	} {
		got := c.session.toolNames()
		for tool, want := range map[string]bool{"code_outline": c.reads, "code_read": c.reads, "code_patch": c.writes, "code_test": c.writes} {
			if got[tool] != want {
				t.Errorf("%s: %s is offered: %v, want %v", name, tool, got[tool], want)
			}
		}
	}
	if _, err := token.Add(t.Context(), d, "person", token.Token{Name: "both", ReadOnly: true, Code: true}); fault.CodeOf(err) != fault.InvalidArgument {
		t.Errorf("a read-only token for code: %v", err)
	}
}

// An import reports its progress, and stops when the client cancels the call.
func TestVaultImport_Cancelled(t *testing.T) {
	d := newStore(t)
	dir := attach(t, d, "v", "")
	for n := range 300 {
		put(t, dir, fmt.Sprintf("n%04d.md", n), "text")
	}
	w := openOn(t, d, Options{})
	s := w.meet("")
	release := writer(t, d)
	r, err := http.NewRequest(http.MethodPost, s.server.URL(), strings.NewReader(
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"vault_import","arguments":{},"_meta":{"progressToken":"mine"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	lines := s.stream(t, r)
	if first := next(t, lines); !strings.Contains(first, `"method":"notifications/progress"`) || !strings.Contains(first, `"progressToken":"mine"`) {
		t.Fatalf("the stream begins with %s", first)
	}
	if a := s.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`, s.sign); a.status != http.StatusAccepted {
		t.Errorf("cancelled: %+v", a)
	}
	release()
	last := next(t, lines)
	for ; strings.Contains(last, "notifications/progress"); last = next(t, lines) {
	}
	if !strings.Contains(last, `"isError":true`) || !strings.Contains(last, `"unavailable"`) {
		t.Errorf("the answer is %s", last)
	}
	if n := dbtest.Count(t, d, `select count(*) from memories`); n != 1 {
		t.Errorf("%d memories, want the one that was there", n)
	}
	if report := w.meet("").call("vault_import", `{}`); !strings.Contains(report, `"added":300`) {
		t.Errorf("the next import: %s", report)
	}
}

// writer locks the store as another process that writes would, so that an import cannot end
// before the test lets it.
func writer(t *testing.T, d *db.DB) (release func()) {
	t.Helper()
	other, err := sql.Open("sqlite3", d.Path())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { other.Close() })
	c, err := other.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.ExecContext(t.Context(), "begin immediate"); err != nil {
		t.Fatal(err)
	}
	return func() {
		if _, err := c.ExecContext(context.Background(), "rollback"); err != nil {
			t.Error(err)
		}
	}
}
