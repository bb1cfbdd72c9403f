package replay_test

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/receipts"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/exchange/lines"
	"hence/memory/exchange/merge"
	"hence/memory/journal"
	"hence/memory/replay"
	"hence/vault"
)

// Whatever is edited, superseded, forgotten, purged, merged, imported or undone after a session, it is shown the texts again that
// it was shown, byte for byte; of a purged memory nothing, also where another has its key by now.
// HENCE_REPLAYS=1000 makes so many sessions, and ten times as many changes.
func TestReplay_TextsOfThen(t *testing.T) {
	sessions := 40
	if n, err := strconv.Atoi(os.Getenv("HENCE_REPLAYS")); err == nil {
		sessions = n
	}
	d, random := dbtest.New(t), rand.New(rand.NewPCG(1, 2))
	ctx, v := t.Context(), ref.View{DB: d, Caller: ref.Caller{Actor: "ada", Origin: "person"}}
	book, err := receipts.Open(ctx, d.State(), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	type seen struct{ id, text string }
	ids, texts, purged := []string{}, map[string]string{}, map[string]bool{}
	shown := map[string][]seen{}
	number := 0
	write := func(statement db.Stmt) {
		t.Helper()
		if _, err := d.Write(ctx, "ada", db.Now(), statement); err != nil {
			t.Fatal(err)
		}
	}
	text := func() string {
		number++
		return fmt.Sprintf("Text %d: é%s.", number, strings.Repeat("x", random.IntN(50)))
	}
	add := func() {
		id, content := db.NewID(), text()
		write(db.S(`insert into memories (id, title, content, content_hash) values (?, ?, ?, ?)`, id, "m"+id, content, db.Hash(content)))
		ids, texts[id] = append(ids, id), content
	}
	read := func(id string) string {
		content, _, err := db.One[string](ctx, d, `select content from memories where id = ?`, id)
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	// Another store has the same memories, edits one, and is merged; a note is edited and imported.
	other, notes, dir := dbtest.New(t), []string{}, t.TempDir()
	merged := func(into, from ref.View) {
		t.Helper()
		if _, err := merge.Stores(ctx, into, from, lines.ImportArgs{Name: "other"}); err != nil {
			t.Fatal(err)
		}
	}
	mergedEdits, notesShown := 0, 0
	mergeOther := func(id string) {
		there := ref.View{DB: other, Caller: v.Caller}
		merged(there, v)
		content := text()
		if _, err := other.Write(ctx, "bob", db.Now(), db.S(`update memories set content = ?, content_hash = ? where id = ?`, content, db.Hash(content), id)); err != nil {
			t.Fatal(err)
		}
		merged(v, there)
		if read(id) == content {
			mergedEdits++
		}
	}
	importNotes := func() {
		name := fmt.Sprintf("n%d.md", random.IntN(3))
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text()), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := (vault.Importer{DB: d, Caller: v.Caller}).Import(ctx, vault.ImportArgs{Dir: dir}); err != nil {
			t.Fatal(err)
		}
		var err error
		if notes, err = db.Select(ctx, d, func(row *sql.Rows) (id string, err error) { return id, row.Scan(&id) }, `select id from memories where kind = 'note'`); err != nil {
			t.Fatal(err)
		}
	}
	change := func() {
		id := ids[random.IntN(len(ids))]
		switch n := random.IntN(22); {
		case n == 20:
			importNotes()
		case purged[id]:
		case n < 10:
			content := text()
			write(db.S(`update memories set content = ?, content_hash = ?, title = ? where id = ?`, content, db.Hash(content), "t"+content, id))
		case n < 12:
			write(db.S(`update memories set status = iif(status = 'forgotten', 'current', 'forgotten'), forgotten_at = iif(status = 'forgotten', null, ?1) where id = ?2 and status <> 'superseded' and not exists (select 1 from edges e where e.to_key = memories.key and e.kind = 'supersedes')`, db.Now(), id))
		case n < 14:
			if _, err := memory.Store(v).Remember(ctx, memory.StoreArgs{Content: text(), Supersedes: []string{id}, Dedup: "off"}, nil); err != nil && fault.CodeOf(err) != fault.Conflict {
				t.Fatal(err)
			}
		case n < 16:
			write(db.S(`delete from memories where id = ?`, id))
			purged[id] = true
			add()
		case n == 21:
			mergeOther(id)
		default:
			if _, err := journal.Journal(v).Undo(ctx, journal.UndoArgs{}); err != nil && fault.CodeOf(err) == fault.Internal {
				t.Fatal(err)
			}
		}
	}
	for range 30 {
		add()
	}
	for s := range sessions {
		name, all := fmt.Sprint("session ", s), []ref.Shown{}
		for range 5 {
			from := ids
			if len(notes) > 0 && random.IntN(4) == 0 {
				from = notes
				notesShown++
			}
			id := from[random.IntN(len(from))]
			if content := read(id); content != "" {
				all = append(all, ref.Shown{ID: id, Why: "results", Range: ref.Range{To: len(content)}})
				shown[name] = append(shown[name], seen{id, content})
			}
		}
		stamp, err := receipts.StampOf(ctx, d, receipts.Written, all)
		if err == nil {
			err = book.Add(ctx, receipts.Receipt{Session: name, At: time.Now(), Tool: "memory_search", Stamp: stamp})
		}
		if err != nil {
			t.Fatal(err)
		}
		for range 10 {
			change()
		}
	}
	if mergedEdits == 0 || notesShown == 0 {
		t.Errorf("%d edits were merged, and %d notes shown", mergedEdits, notesShown)
	}
	for name, want := range shown {
		r, err := replay.Reader(v).Replay(ctx, replay.Args{Session: name, Since: true}, nil)
		if err != nil || len(r.Answers) != 1 || len(r.Answers[0].Shown) != len(want) {
			t.Fatalf("%s: %+v, %v", name, r, err)
		}
		for i, got := range r.Answers[0].Shown {
			isGone := read(want[i].id) == ""
			if got.Erased != isGone || !isGone && (got.Text != want[i].text || got.ID != want[i].id) {
				t.Errorf("%s: %+v, want %q, gone: %v", name, got, want[i].text, isGone)
			}
		}
	}
}

// A memory that was superseded or forgotten when it was shown has not become so since.
func TestReplay_SinceIsWhatCameLater(t *testing.T) {
	d := dbtest.New(t)
	ctx, v := t.Context(), ref.View{DB: d, Caller: ref.Caller{Actor: "ada", Origin: "agent"}}
	book, err := receipts.Open(ctx, d.State(), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	ids := []string{}
	store := func(a memory.StoreArgs) {
		t.Helper()
		stored, err := memory.Store(v).Remember(ctx, a, nil)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, stored.Memory.ID)
	}
	for n := range 3 {
		store(memory.StoreArgs{Content: fmt.Sprintf("The text number %d.", n), Dedup: "off"})
	}
	store(memory.StoreArgs{Content: "It replaces the first.", Supersedes: ids[:1]})
	if _, err := memory.Store(v).Forget(ctx, memory.ForgetArgs{ID: ids[1]}); err != nil {
		t.Fatal(err)
	}
	shown := []ref.Shown{}
	for _, id := range ids[:3] {
		shown = append(shown, ref.Shown{ID: id, Why: "results", Range: ref.Range{To: -1}})
	}
	stamp, err := receipts.StampOf(ctx, d, receipts.Written, shown)
	if err == nil {
		err = book.Add(ctx, receipts.Receipt{Session: "one", At: time.Now(), Tool: "memory_search", Stamp: stamp})
	}
	if err != nil {
		t.Fatal(err)
	}
	store(memory.StoreArgs{Content: "It replaces the third.", Supersedes: ids[2:3]})
	r, err := replay.Reader(v).Replay(ctx, replay.Args{Session: "one", Since: true}, nil)
	if err != nil || len(r.Answers) != 1 || len(r.Answers[0].Shown) != 3 {
		t.Fatalf("%+v, %v", r, err)
	}
	for _, part := range r.Answers[0].Shown {
		if isLater := part.ID == ids[2]; (part.Since != nil) != isLater {
			t.Errorf("of %s it says %+v, want news: %v", part.ID, part.Since, isLater)
		}
	}
}

// Pages of any budget have every answer once, and only those of the caller's namespace.
func TestReplay_PagesAndNamespaces(t *testing.T) {
	d := dbtest.New(t)
	ctx, v := t.Context(), ref.View{DB: d, Caller: ref.Caller{Actor: "ada", Origin: "agent"}}
	book, err := receipts.Open(ctx, d.State(), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	want := []string{}
	for i := range 12 {
		namespace := []string{"ours", "theirs"}[i%2]
		text := fmt.Sprintf("Text %d. %s", i, strings.Repeat("word ", (11-i)*25))
		stored, err := memory.Store(v).Remember(ctx, memory.StoreArgs{Content: text, Namespace: namespace, Dedup: "off"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		stamp, err := receipts.StampOf(ctx, d, receipts.Written, []ref.Shown{{ID: stored.Memory.ID, Why: "results", Range: ref.Range{To: -1}}})
		if err == nil {
			err = book.Add(ctx, receipts.Receipt{Session: "one", Namespace: namespace, At: time.Now(), Tool: "memory_get", Stamp: stamp})
		}
		if err != nil {
			t.Fatal(err)
		}
		if namespace == "ours" {
			want = append(want, text)
			if _, err := memory.Store(v).Revise(ctx, memory.UpdateArgs{ID: stored.Memory.ID, Content: new("Edited.")}); err != nil {
				t.Fatal(err)
			}
		}
	}
	ours := replay.Reader{DB: d, Caller: ref.Caller{Actor: "ada", Origin: "agent", Namespace: "ours", Confined: true}}
	for _, tokens := range []int{600, 1000, 4000, 0} {
		got, cursor := []string{}, ""
		for {
			page, err := ours.Recall(ctx, replay.RecallArgs{Session: "last", Cursor: cursor, TokenBudget: tokens}, "own")
			if err != nil || page.ReturnedCount != len(page.Answers) || page.ReturnedCount == 0 {
				t.Fatalf("%d: %+v, %v", tokens, page, err)
			}
			for _, a := range page.Answers {
				got = append(got, a.Shown[0].Text)
				if a.Shown[0].Since == nil {
					t.Errorf("%d: an edited text is shown as if nothing had become of it", tokens)
				}
			}
			if cursor = page.Next; !page.Truncated {
				break
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d: %q, want %q", tokens, got, want)
		}
	}
	if cut, err := ours.Recall(ctx, replay.RecallArgs{Session: "one", TokenBudget: 250}, ""); err != nil || len(cut.Answers) != 1 || cut.Answers[0].Shown[0].Text == want[0] || cut.Answers[0].Shown[0].Since == nil {
		t.Errorf("%+v, %v; want the first text, cut, with what became of it", cut, err)
	}
	if cut, err := ours.Recall(ctx, replay.RecallArgs{Session: "one", TokenBudget: 64}, ""); err != nil || !cut.Truncated || cut.Next == "" {
		t.Errorf("%+v, %v", cut, err)
	}
	nobody := replay.Reader{DB: d, Caller: ref.Caller{Namespace: "nobody", Confined: true}}
	if _, err := nobody.Recall(ctx, replay.RecallArgs{Session: "one"}, ""); fault.CodeOf(err) != fault.NotFound {
		t.Error(err)
	}
}

// What a session asked to store is told to itself and to a person, but to no other session: it may wait, or was rejected.
func TestReplay_CallsOfAnotherSessionAreWithoutTheirArguments(t *testing.T) {
	d := dbtest.New(t)
	book, err := receipts.Open(t.Context(), d.State(), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	stamp, err := receipts.StampOf(t.Context(), d, receipts.Written, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range []string{"memory_store", "memory_checkpoint", "memory_update", "memory_link", "memory_search"} {
		if err := book.Add(t.Context(), receipts.Receipt{Session: "one", At: time.Now(), Tool: tool, Arguments: `{"title":"Zebra"}`, Stamp: stamp}); err != nil {
			t.Fatal(err)
		}
	}
	agent := replay.Reader{DB: d, Caller: ref.Caller{Actor: "bob", Origin: "agent"}}
	for own, want := range map[string]int{"one": 5, "two": 1, "": 1} {
		told := 0
		shown, err := agent.Recall(t.Context(), replay.RecallArgs{Session: "one"}, own)
		for _, a := range shown.Answers {
			told += strings.Count(a.Arguments, "Zebra")
		}
		if err != nil || told != want {
			t.Errorf("session %q is told the arguments of %d calls, want %d; %v", own, told, want, err)
		}
	}
	person := replay.Reader{DB: d, Caller: ref.Caller{Actor: "ada", Origin: "person"}}
	if all, err := person.Replay(t.Context(), replay.Args{Session: "one", Limit: 10}, nil); err != nil || strings.Count(fmt.Sprintf("%+v", all), "Zebra") != 5 {
		t.Errorf("a person: %+v, %v", all, err)
	}
}

// A list of sessions, one that is not known, and the setting.
func TestReplay_Sessions(t *testing.T) {
	d := dbtest.New(t)
	r := replay.Reader{DB: d, Caller: ref.Caller{Actor: "ada", Origin: "person"}}
	if all, err := r.Replay(t.Context(), replay.Args{}, nil); err != nil || len(all.Sessions) != 0 {
		t.Errorf("%+v, %v", all, err)
	}
	if own, err := r.Recall(t.Context(), replay.RecallArgs{}, "own"); err != nil || len(own.Answers) != 0 {
		t.Errorf("%+v, %v", own, err)
	}
	if _, err := r.Replay(t.Context(), replay.Args{Session: "x"}, nil); fault.CodeOf(err) != fault.NotFound {
		t.Error(err)
	}
	for days, want := range map[string]int{"30": 30, "off": 0} {
		if k, err := r.Keep(t.Context(), replay.KeepArgs{Days: days}); err != nil || k.Days != want {
			t.Errorf("%s: %+v, %v", days, k, err)
		}
	}
	for _, days := range []string{"0", "x", "-1", "99999"} {
		if _, err := r.Keep(t.Context(), replay.KeepArgs{Days: days}); fault.CodeOf(err) != fault.InvalidArgument {
			t.Errorf("%s: %v", days, err)
		}
	}
}

// What can be asked again says whether the whole answer is the same, now or as of then; else it says why not.
func TestReplay_AsksAgain(t *testing.T) {
	d := dbtest.New(t)
	v := ref.View{DB: d, Caller: ref.Caller{Actor: "ada", Origin: "person"}}
	book, err := receipts.Open(t.Context(), d.State(), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	store := func(text string) {
		if _, err := memory.Store(v).Remember(t.Context(), memory.StoreArgs{Content: text}, nil); err != nil {
			t.Fatal(err)
		}
	}
	store("The ferry leaves at ten.")
	yes, no := true, false
	for n, c := range []struct {
		tool, arguments, outcome string
		given                    int // bytes of arguments
		now, then                string
		moved                    bool
		same                     *bool
		says                     string
	}{
		{tool: "memory_search", arguments: `{"query": "x"}`, now: "old", same: &yes, says: "whole answer is the same"},
		{tool: "memory_search", arguments: `{"query": "x"}`, now: "old", moved: true, same: &yes, says: "whole answer is the same"},
		{tool: "memory_search", arguments: `{"query": "x"}`, now: "new", same: &no, says: "other settings"},
		{tool: "memory_search", arguments: `{"query": "x"}`, now: "new", then: "old", moved: true, same: &yes, says: "asked as of then"},
		{tool: "memory_list", now: "new", then: "old", moved: true, same: &yes, says: "asked as of then"},
		{tool: "memory_search", arguments: `{"query": "x"}`, now: "new", then: "new", moved: true, same: &no, says: "changed since"},
		{tool: "expand", arguments: `{"id": "x", "known_at": "2026"}`, now: "new", then: "old", moved: true, same: &no, says: "changed since"},
		{tool: "memory_search", arguments: `{"query": "`, given: 5000, says: "not kept whole"},
		{tool: "memory_search", arguments: `[erased]`, given: 30, says: "not kept whole"},
		{tool: "memory_search", arguments: `{"query": "x"}`, outcome: "invalid_argument", says: "it failed"},
		{tool: "hook:prompt", arguments: "x", says: "only what a tool has read"},
		{tool: "memory_store", arguments: `{}`, says: "only what a tool has read"},
	} {
		stamp, err := receipts.StampOf(t.Context(), d, receipts.Written, nil)
		session := fmt.Sprint("session ", n)
		if c.given == 0 {
			c.given = len(c.arguments)
		}
		if err == nil {
			err = book.Add(t.Context(), receipts.Receipt{
				Session: session, At: time.Now(), Tool: c.tool, Arguments: c.arguments, BytesIn: c.given, Outcome: cmp.Or(c.outcome, receipts.OK),
				Hash: receipts.HashOf([]byte("old")), Stamp: stamp,
			})
		}
		if err != nil {
			t.Fatal(err)
		}
		if c.moved {
			store(fmt.Sprint("Something else, number ", n, "."))
		}
		got, err := replay.Reader(v).Replay(t.Context(), replay.Args{Session: session}, func(_ context.Context, by ref.View, tool string, arguments json.RawMessage) ([]byte, error) {
			if tool != c.tool || by.Caller.IsPerson() {
				t.Errorf("%s is asked by %+v", tool, by.Caller)
			}
			switch {
			case c.now == "":
				return nil, fault.New(fault.NotFound, "no such tool")
			case string(arguments) != c.arguments:
				return []byte(c.then), nil
			}
			return []byte(c.now), nil
		})
		if err != nil || len(got.Answers) != 1 {
			t.Fatalf("%+v, %v", got, err)
		}
		if a := got.Answers[0]; (a.Same == nil) != (c.same == nil) || a.Same != nil && *a.Same != *c.same || !strings.Contains(a.SameText(), c.says) {
			t.Errorf("%s %s, moved %t: %q", c.tool, c.arguments, c.moved, a.SameText())
		}
	}
}
