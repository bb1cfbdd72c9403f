package tools

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/tools/stdio"
	"hence/tools/wiretest"
	"hence/vault"
	"hence/vault/reading"
)

// attach imports a folder of files as a vault, and returns the folder.
func attach(t *testing.T, d *db.DB, name, namespace string, files map[string]string) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), name)
	for _, path := range slices.Sorted(maps.Keys(files)) {
		put(t, dir, path, files[path])
	}
	i := vault.Importer{DB: d, Caller: ref.Caller{Actor: "person", Origin: "person"}}
	if _, err := i.Import(t.Context(), vault.ImportArgs{Dir: dir, Name: name, Namespace: namespace}); err != nil {
		t.Fatal(err)
	}
	return dir
}

func put(t *testing.T, dir, path, text string) {
	t.Helper()
	full := filepath.Join(dir, path)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// A conversation about the notes of a vault calls every tool that reads them, and the
// import.
func TestVault_Conversation(t *testing.T) {
	d := dbtest.New(t)
	dir := attach(t, d, "v", "", map[string]string{
		"Queue.md":     "---\nstatus: open\nnone:\n---\n# What\nA queue. #infra/jobs\n## Why\nSee [[Ledger|the ledger]] and [[Nowhere]].\n",
		"Ledger.md":    "---\nbroken: [\n---\nHolds seats. The Queue drains it.",
		"sub/Alone.md": "Nothing.",
	})
	a := meet(t, d, Options{})

	list, said := get[reading.ListNotesResult](a, "list_notes", `{"properties": {"status": "open"}, "tags": ["infra"]}`)
	if list.TotalCount != 1 || list.Notes[0].Path != "Queue.md" || !strings.Contains(said, "- v/Queue.md #infra/jobs") {
		t.Errorf("list_notes: %+v, %q", list, said)
	}
	note, said := get[reading.ReadNoteResult](a, "read_note", `{"path": "Queue", "section": "why"}`)
	if note.Content != "## Why\nSee [[Ledger|the ledger]] and [[Nowhere]].\n" || note.StartLine != 7 || !strings.Contains(said, "v/Queue.md, lines 7 to 8 of 8, by the vault's owner #infra/jobs\ncontent_hash "+note.ContentHash+"\n## Why") {
		t.Errorf("read_note: %+v, %q", note, said)
	}
	broken, said := get[reading.ReadNoteResult](a, "read_note", `{"path": "Ledger.md"}`)
	if len(broken.Warnings) != 1 || !strings.Contains(said, "warning: line 2: invalid YAML") {
		t.Errorf("read_note: %+v, %q", broken, said)
	}
	headings, said := get[reading.HeadingsResult](a, "get_headings", `{"path": "Queue"}`)
	if want := "v/Queue.md: 2 headings\n5 to 8: What\n  7 to 8: Why"; said != want || headings.ContentHash != note.ContentHash {
		t.Errorf("get_headings: %q, want %q", said, want)
	}
	front, said := get[reading.FrontmatterResult](a, "get_frontmatter", `{"path": "Queue"}`)
	if want := "v/Queue.md: 2 properties\n" + `{"none":null,"status":"open"}`; said != want || front.Frontmatter["status"] != "open" {
		t.Errorf("get_frontmatter: %q, want %q", said, want)
	}
	if _, said := get[reading.TagsResult](a, "get_tags", `{}`); said != "2 of 2 tags\n#infra 1 note\n#infra/jobs 1 note" {
		t.Errorf("get_tags: %q", said)
	}
	if tag, said := get[reading.TagsResult](a, "get_tags", `{"tag": "infra"}`); len(tag.Notes) != 1 || !strings.Contains(said, "- v/Queue.md") {
		t.Errorf("get_tags: %+v, %q", tag, said)
	}
	links, said := get[reading.BacklinksResult](a, "get_backlinks", `{"path": "Ledger"}`)
	if links.LinkedCount != 1 || !strings.Contains(said, "Queue.md:8 —links-to→: See [[Ledger|the ledger]]") {
		t.Errorf("get_backlinks: %+v, %q", links, said)
	}
	if links, said := get[reading.BacklinksResult](a, "get_backlinks", `{"path": "Queue"}`); links.UnlinkedCount != 1 || !strings.Contains(said, "Ledger.md:4 names it: Holds seats. The Queue drains it.") {
		t.Errorf("get_backlinks: %+v, %q", links, said)
	}
	links, said = get[reading.BacklinksResult](a, "get_backlinks", `{"path": "Queue", "direction": "outgoing"}`)
	want := "v/Queue.md: 2 links from it, and it names others 0 times without one\nQueue.md:8 —links-to→ Ledger.md: See [[Ledger|the ledger]] and [[Nowhere]].\n" +
		`Queue.md:8 —links-to→ "Nowhere", which is not there: See [[Ledger|the ledger]] and [[Nowhere]].`
	if links.LinkedCount != 2 || said != want {
		t.Errorf("get_backlinks outgoing: %+v, %q, want %q", links, said, want)
	}
	if links, said := get[reading.BacklinksResult](a, "get_backlinks", `{"path": "Ledger", "direction": "outgoing"}`); links.UnlinkedCount != 1 || !strings.Contains(said, "Ledger.md:4 names Queue.md: Holds seats. The Queue drains it.") {
		t.Errorf("get_backlinks outgoing: %+v, %q", links, said)
	}
	if front, said := get[reading.FrontmatterResult](a, "get_frontmatter", `{"path": "Alone"}`); said != "v/sub/Alone.md has no frontmatter" || front.HasFrontmatter {
		t.Errorf("get_frontmatter: %q", said)
	}
	checked, said := get[reading.CheckResult](a, "check_vault", `{}`)
	for _, want := range []string{"lead nowhere (1 place)\n  Queue.md:8 —links-to→ Nowhere", "notes without a link (1 place)\n  sub/Alone.md", "could not be read as written (1 place)\n  Ledger.md:2  invalid YAML"} {
		if checked.Dangling.TotalCount != 1 || !strings.Contains(said, want) {
			t.Errorf("check_vault lacks %q: %+v\n%s", want, checked, said)
		}
	}

	put(t, dir, "Nowhere.md", "now it is there")
	dry, said := get[vault.Report](a, "vault_import", `{"dry_run": true}`)
	if dry.Added != 1 || !strings.HasPrefix(said, "would import v: 4 notes (1 added, 3 unchanged)") {
		t.Errorf("vault_import: %+v, %q", dry, said)
	}
	report, said := get[vault.Report](a, "vault_import", `{"name": "v"}`)
	if report.Added != 1 || report.Dangling != 0 || !strings.HasPrefix(said, "Imported v: 4 notes (1 added, 3 unchanged)") {
		t.Errorf("vault_import: %+v, %q", report, said)
	}
}

// Mistakes of an agent with notes, by the code of the error.
func TestVault_Failures(t *testing.T) {
	d := dbtest.New(t)
	attach(t, d, "v", "", map[string]string{"a.md": "x", "p.png": "x", "same.md": "1"})
	attach(t, d, "w", "", map[string]string{"b.md": "x", "same.md": "2"})
	a := meet(t, d, Options{})
	for _, c := range []struct {
		name, tool, arguments string
		code                  fault.Code
		says                  string
	}{
		{"NoPath", "read_note", `{}`, fault.InvalidArgument, "path is missing"},
		{"Unknown", "read_note", `{"path": "a", "lines": 3}`, fault.InvalidArgument, `there is no argument "lines"`},
		{"LineZero", "read_note", `{"path": "a", "start_line": 0}`, fault.InvalidArgument, "start_line is 0, and must be at least 1"},
		{"SmallBudget", "read_note", `{"path": "a", "token_budget": 63}`, fault.InvalidArgument, "at least 64"},
		{"BehindTheEnd", "read_note", `{"path": "a", "start_line": 9}`, fault.InvalidArgument, "give a start_line of at most 1"},
		{"Both", "read_note", `{"path": "a", "start_line": 1, "section": "x"}`, fault.InvalidArgument, "not both"},
		{"NoSection", "read_note", `{"path": "a", "section": "x"}`, fault.NotFound, "get_headings"},
		{"Missing", "read_note", `{"path": "nothing"}`, fault.NotFound, "nothing"},
		{"Outside", "read_note", `{"path": "../a"}`, fault.OutsideVault, "leads out"},
		{"Several", "read_note", `{"path": "same"}`, fault.Ambiguous, "name one with vault"},
		{"Picture", "read_note", `{"path": "p.png"}`, fault.InvalidArgument, "is not a note"},
		{"HeadingsMissing", "get_headings", `{"path": "nothing"}`, fault.NotFound, "nothing"},
		{"HeadingsOutside", "get_headings", `{"path": "/etc/passwd"}`, fault.OutsideVault, "absolute"},
		{"HeadingsLimit", "get_headings", `{"path": "a", "limit": 0}`, fault.InvalidArgument, "limit is 0, and must be at least 1"},
		{"FrontmatterMissing", "get_frontmatter", `{"path": "nothing"}`, fault.NotFound, "nothing"},
		{"FrontmatterOutside", "get_frontmatter", `{"path": "..\\a"}`, fault.OutsideVault, "backslash"},
		{"BacklinksMissing", "get_backlinks", `{"path": "nothing"}`, fault.NotFound, "nothing"},
		{"BacklinksSeveral", "get_backlinks", `{"path": "same"}`, fault.Ambiguous, "name one with vault"},
		{"BacklinksOutside", "get_backlinks", `{"path": "../same"}`, fault.OutsideVault, "leads out"},
		{"BacklinksCursor", "get_backlinks", `{"path": "a", "cursor": "x"}`, fault.InvalidArgument, "start again without it"},
		{"ListVault", "list_notes", `{"vault": "x"}`, fault.NotFound, `"x"`},
		{"ListCursor", "list_notes", `{"cursor": "x"}`, fault.InvalidArgument, "start again without it"},
		{"ListLimit", "list_notes", `{"limit": 501}`, fault.InvalidArgument, "limit is 501, and must be at least 1 and at most 500"},
		{"ListUnder", "list_notes", `{"under": "../"}`, fault.OutsideVault, "leads out"},
		{"ListTags", "list_notes", `{"tags": {"x": 1}}`, fault.InvalidArgument, "must be string"},
		{"TagsVault", "get_tags", `{"vault": "x"}`, fault.NotFound, `"x"`},
		{"TagsBlank", "get_tags", `{"tag": " "}`, fault.InvalidArgument, "tag"},
		{"TagsCursor", "get_tags", `{"cursor": "x"}`, fault.InvalidArgument, "start again without it"},
		{"CheckSeveral", "check_vault", `{}`, fault.Ambiguous, "name one"},
		{"CheckVault", "check_vault", `{"name": "x"}`, fault.NotFound, `"x"`},
		{"ImportSeveral", "vault_import", `{}`, fault.Ambiguous, "name one"},
		{"ImportVault", "vault_import", `{"name": "x"}`, fault.NotFound, `"x"`},
		{"ImportFolder", "vault_import", `{"dir": "/"}`, fault.InvalidArgument, `there is no argument "dir"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := &agent{t: t, client: a.client}
			got := a.refused(c.tool, c.arguments)
			if got.Code != string(c.code) || !strings.Contains(got.Message, c.says) {
				t.Errorf("got %s: %s\nwant %s: … %s …", got.Code, got.Message, c.code, c.says)
			}
		})
	}
	if got := a.refused("vault_import", `{}`); !slices.Equal(got.Details["candidates"].([]any), []any{"v", "w"}) {
		t.Errorf("candidates: %v", got.Details)
	}
}

// The resource of a note and read_note show the same text, once the note is imported.
func TestVault_ResourceAgreesWithReadNote(t *testing.T) {
	for name, text := range map[string]string{
		"Plain": "one\ntwo\n", "Frontmatter": "---\na: 1\n---\nbody [[x]]", "CRLF": "---\r\na: 1\r\n---\r\nbody\r\n", "Mark": "\uFEFFone", "Bytes": "a\xffb", "Empty": "",
	} {
		t.Run(name, func(t *testing.T) {
			d := dbtest.New(t)
			attach(t, d, "v", "", map[string]string{"sub/n ö.md": text})
			note, _ := get[reading.ReadNoteResult](meet(t, d, Options{}), "read_note", `{"path": "sub/n ö"}`)
			var answer struct {
				Result struct {
					Contents []struct{ Text string }
				}
			}
			raw := handled(t, newServer(t, d), request(1, "resources/read", `{"uri": "hence://note/v/sub/n%20%C3%B6.md"}`))
			if err := json.Unmarshal([]byte(raw), &answer); err != nil || len(answer.Result.Contents) != 1 {
				t.Fatalf("%v: %s", err, raw)
			}
			_, content, _ := strings.Cut(answer.Result.Contents[0].Text, "\n\n")
			if _, content, _ = strings.Cut(content, "\n\n"); !strings.HasSuffix(note.Content, content) || content == "" && strings.TrimSpace(note.Content) != "" {
				t.Errorf("the resource holds %q, and the note %q", content, note.Content)
			}
		})
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

// dialogue is a conversation over a pair of streams, line by line.
type dialogue struct {
	t   *testing.T
	in  io.WriteCloser
	out *bufio.Reader
}

// speak begins a conversation that ends with the test.
func speak(t *testing.T, d *db.DB) *dialogue {
	t.Helper()
	return speakTo(t, newServer(t, d))
}

func speakTo(t *testing.T, s *server.MCPServer) *dialogue {
	t.Helper()
	fromClient, in := io.Pipe()
	out, toClient := io.Pipe()
	served := make(chan error, 1)
	go func() {
		served <- stdio.Serve(context.Background(), s, fromClient, toClient)
		toClient.Close()
	}()
	t.Cleanup(func() {
		in.Close()
		go func() { _, _ = io.Copy(io.Discard, out) }()
		if err := <-served; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	c := &dialogue{t, in, bufio.NewReader(out)}
	c.send(request(1, "initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`))
	c.hear()
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return c
}

func (c *dialogue) send(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

// heard is a message of the server.
type heard struct {
	wiretest.Answer
	Method string
	Params struct {
		ProgressToken   any
		Progress, Total int
	}
}

func (c *dialogue) hear() (m heard) {
	c.t.Helper()
	line, err := c.out.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &m)
	}
	if err != nil {
		c.t.Fatalf("%v: %s", err, line)
	}
	return m
}

// manyNotes writes so many notes into a folder that an import takes a while.
func manyNotes(t *testing.T, dir string) {
	t.Helper()
	for n := range 300 {
		put(t, dir, fmt.Sprintf("n%04d.md", n), fmt.Sprintf("[[n%04d]]", n/2))
	}
}

// A client that asks for progress gets it, each time a higher number, and the last before
// the answer.
func TestVaultImport_Progress(t *testing.T) {
	d := dbtest.New(t)
	dir := attach(t, d, "v", "", map[string]string{"a.md": "x"})
	manyNotes(t, dir)
	c := speak(t, d)
	c.send(request(2, "tools/call", `{"name": "vault_import", "arguments": {}, "_meta": {"progressToken": "mine"}}`))
	last, told := 0, 0
	m := c.hear()
	for ; m.Method == "notifications/progress"; m = c.hear() {
		if p := m.Params; p.ProgressToken != "mine" || p.Progress <= last || p.Progress > p.Total {
			t.Errorf("progress %+v after %d", p, last)
		}
		last, told = m.Params.Progress, told+1
	}
	if string(m.ID) != "2" || m.Result.IsError || told < 2 || last < 300 {
		t.Errorf("told %d times, up to %d, then %+v", told, last, m)
	}
	// A client that does not ask for progress gets none.
	c.send(toolCall(3, "vault_import", `{"dry_run": true}`))
	if m := c.hear(); string(m.ID) != "3" {
		t.Errorf("heard %+v", m)
	}
}

// The notifications of a call come before its answer.
func TestServe_NotificationsBeforeTheAnswer(t *testing.T) {
	s := newServer(t, dbtest.New(t))
	const told = 60
	s.AddTool(mcp.NewTool("chatter"), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		tell := progress(context.WithValue(ctx, progressKey{}, "x"))
		for n := range told {
			tell(n+1, n+1) // the end, and so told at once
			tell(n+1, n+1) // no news
		}
		return mcp.NewToolResultText("done"), nil
	})
	c := speakTo(t, s)
	c.send(toolCall(2, "chatter", `{}`))
	heard := 0
	m := c.hear()
	for ; m.Method == "notifications/progress"; m = c.hear() {
		heard++
	}
	if string(m.ID) != "2" || heard != told {
		t.Errorf("%d of %d notifications before %+v", heard, told, m)
	}
}

// A call that the client cancels stops, whether it runs or waits for its turn, and gets no
// answer.
func TestServe_Cancels(t *testing.T) {
	d := dbtest.New(t)
	dir := attach(t, d, "v", "", map[string]string{"a.md": "x"})
	manyNotes(t, dir)
	c := speak(t, d)
	release := writer(t, d)
	c.send(request(2, "tools/call", `{"name": "vault_import", "arguments": {}, "_meta": {"progressToken": 7}}`))
	if m := c.hear(); m.Method != "notifications/progress" || m.Params.ProgressToken != float64(7) {
		t.Fatalf("heard %+v", m)
	}
	c.send(toolCall(3, "memory_store", `{"content": "waits behind the import"}`))
	c.send(request(4, "tools/call", `{"name": "list_notes", "arguments": {}}`))
	for _, id := range []string{"3", "2", "99", `"2"`, "null", "{}"} {
		c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`)
	}
	c.send(request(5, "ping", `{}`))
	for heard := map[string]bool{}; len(heard) < 2; {
		switch m := c.hear(); {
		case m.Method == "notifications/progress":
		case string(m.ID) == "5":
			heard["5"] = true
			release()
		case string(m.ID) == "4" && !m.Result.IsError:
			heard["4"] = true
		default:
			t.Fatalf("heard %+v, want the answers to the ping and to list_notes", m)
		}
	}
	if n := dbtest.Count(t, d, `select count(*) from memories`); n != 1 {
		t.Errorf("%d memories, want the one that was there: cancelled calls went on", n)
	}
	// The next import continues.
	c.send(toolCall(6, "vault_import", `{}`))
	var report vault.Report
	if m := c.hear(); string(m.ID) != "6" || json.Unmarshal(m.Result.StructuredContent, &report) != nil || report.Added != 300 {
		t.Errorf("heard %+v", m)
	}
}

// A caller of a namespace without a vault is offered no tools for notes.
func TestVault_NotOfferedToOthers(t *testing.T) {
	d := dbtest.New(t)
	attach(t, d, "v", "theirs", map[string]string{"a.md": "x"})
	for name, c := range map[string]struct {
		caller ref.Caller
		want   bool
	}{
		"Confined":  {confined, false},
		"Namespace": {ref.Caller{Actor: "claude", Origin: "agent", Namespace: "ours"}, false},
		"Theirs":    {ref.Caller{Actor: "claude", Origin: "agent", Namespace: "theirs", Confined: true}, true},
		"Everyone":  {caller, true},
	} {
		s, err := New(d, c.caller, Options{Toolsets: []string{VaultSet}})
		if err != nil {
			t.Fatal(err)
		}
		if got := s.GetTool("read_note") != nil; got != c.want {
			t.Errorf("%s: read_note is offered: %v, want %v", name, got, c.want)
		}
	}
}
