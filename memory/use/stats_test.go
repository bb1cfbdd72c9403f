package use_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/receipts"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/use"
)

// kept is a store with receipts.
type kept struct {
	*testing.T
	use.Reader
	book *receipts.Book
	tag  string
}

func newKept(t *testing.T) kept {
	t.Helper()
	d := dbtest.New(t)
	book, err := receipts.Open(t.Context(), d.State(), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { book.Close() })
	tag, err := db.Tag(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	return kept{t, use.Reader{DB: d, Caller: ref.Caller{Actor: "agent", Origin: "agent"}}, book, tag}
}

// store stores a memory and returns its id.
func (k kept) store(title, content string, supersedes ...string) string {
	k.Helper()
	stored, err := memory.Store(k.Reader).Remember(k.Context(), memory.StoreArgs{Title: &title, Content: content, Supersedes: supersedes, Dedup: "off"}, nil)
	if err != nil {
		k.Fatal(err)
	}
	return stored.Memory.ID
}

// add adds a receipt that shows memories for a reason.
func (k kept) add(session string, at time.Time, tool, arguments, why string, ids ...string) {
	k.Helper()
	shown := []ref.Shown{}
	for _, id := range ids {
		shown = append(shown, ref.Shown{ID: id, Why: why})
	}
	stamp, err := receipts.StampOf(k.Context(), k.DB, receipts.Written, shown)
	if err == nil {
		err = k.book.Add(k.Context(), receipts.Receipt{Session: session, At: at, Tool: tool, Arguments: arguments, Outcome: "ok", BytesOut: 400, Stamp: stamp})
	}
	if err != nil {
		k.Fatal(err)
	}
}

func (k kept) stats(a use.Args) use.Stats {
	k.Helper()
	if a.Limit == 0 {
		a.Limit = 20
	}
	s, err := k.Stats(k.Context(), a)
	if err != nil {
		k.Fatal(err)
	}
	return s
}

var noon = time.Date(2026, 9, 14, 12, 0, 0, 0, time.UTC) // a Monday

// A memory counts once a conversation, whatever names it; what stands beside others is not shown; weeks have no gaps.
func TestStats(t *testing.T) {
	k := newKept(t)
	lease := k.store("The lease of the queue", "It is renewed every 47 seconds by the quokka worker.")
	ferry := k.store("The night ferry", "It leaves at ten.")
	dull := k.store("Names of the cats", "Tom and Kit.")
	for i, tool := range []string{"memory_search", "memory_get", "memory_verify"} { // shown, opened and verified: one use
		k.add("server", noon.Add(time.Duration(i)*time.Minute), tool, fmt.Sprintf(`{"id":%q}`, lease[len(lease)-8:]), "results", lease)
	}
	k.add("server", noon, "memory_search", `{"query":"boats"}`, "edges", ferry) // beside another
	for i := range 10 {
		k.add(fmt.Sprint("later", i%2), noon.AddDate(0, 0, 15).Add(time.Duration(i)*time.Hour), "prompt:brief", "", "holds", dull)
	}
	k.add("later1", noon.AddDate(0, 0, 15), "memory_search", `{"query":"quokka"}`, "results", lease)
	k.add("later1", noon.AddDate(0, 0, 15).Add(20*time.Hour), "memory_link", fmt.Sprintf(`{"from":%q,"to":%q}`, dull, lease), "", lease)
	s := k.stats(use.Args{})
	rows := func(all []use.Row) (short []string) {
		for _, r := range all {
			short = append(short, fmt.Sprintf("%s: %d sessions, %d shown, %d used, %v", r.Title, r.Sessions, r.Shown, r.Used, r.How))
		}
		return short
	}
	if diff := cmp.Diff([]string{
		"The lease of the queue: 2 sessions, 4 shown, 2 used, [linked opened verified]",
		"Names of the cats: 2 sessions, 10 shown, 1 used, [linked]",
	}, rows(s.Memories)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]use.Week{{"2026-09-14", 1, 1, 1, 0}, {"2026-09-21", 0, 0, 0, 0}, {"2026-09-28", 2, 3, 2, 0}}, s.Weeks); diff != "" {
		t.Error(diff)
	}
	if s.Sessions != 3 || s.Shown != 4 || s.Used != 3 || s.Tokens != 1400 || s.TokensPerUsed != 466 {
		t.Errorf("%+v", s)
	}
	if s := k.stats(use.Args{Since: "2026-09-20", Limit: 1}); s.Sessions != 2 || !s.Truncated || len(s.Memories) != 1 {
		t.Errorf("since: %+v", s)
	}
}

// What was shown ten times and never used is told.
func TestStats_NeverUsed(t *testing.T) {
	k := newKept(t)
	often, seldom := k.store("Names of the cats", "Tom and Kit."), k.store("Names of the dogs", "Rex.")
	for i := range 10 {
		k.add(fmt.Sprint(i), noon.Add(time.Duration(i)*time.Hour), "memory_search", `{"query":"names"}`, "results", often)
		if i > 0 {
			k.add(fmt.Sprint(i), noon.Add(time.Duration(i)*time.Hour), "hook:prompt", "what now", "prompt", seldom)
		}
	}
	if s := k.stats(use.Args{}); len(s.NeverUsed) != 1 || s.NeverUsed[0].ID != often || s.NeverUsed[0].Sessions != 10 || s.TokensPerUsed != 0 {
		t.Errorf("%+v", s)
	}
}

// Searches without results are told by what they are about, until it is found.
func TestStats_NotFound(t *testing.T) {
	k := newKept(t)
	cats := k.store("Names of the cats", "Tom and Kit.")
	for i, c := range []struct {
		session, query string
		found          bool
	}{
		{"a", "how is the zebra feeding going", false}, {"a", "Zebra feeding", false}, {"b", "feeding zebras", false},
		{"a", "cats", false}, {"b", "the cats", true}, // found since
		{"a", "dogs", true}, {"a", "dogs", false}, // lost since
		{"a", "of the", false}, {"a", `a "quoted word`, false},
	} {
		ids := []string{}
		if c.found {
			ids = []string{cats}
		}
		k.add(c.session, noon.Add(time.Duration(i)*time.Minute), "memory_search", db.JSON(map[string]any{"limit": 3, "query": c.query}), "results", ids...)
	}
	k.add("c", noon, "memory_search", `{"query":"cut argument`, "results")
	got := []string{}
	for _, m := range k.stats(use.Args{}).NotFound {
		got = append(got, fmt.Sprintf("%s %d %d", m.Words, m.Searches, m.Sessions))
	}
	if diff := cmp.Diff([]string{"feeding zebras 3 2", `a "quoted word 1 1`, "dogs 1 1", "cut argument 1 1"}, got); diff != "" {
		t.Error(diff)
	}
}

// What a memory is named by makes no difference, and arguments that are cut are read.
func TestStats_Names(t *testing.T) {
	for name, argument := range map[string]func(id string) string{
		"ID":      func(id string) string { return fmt.Sprintf(`{"ids":["x",%q]}`, id) },
		"ShortID": func(id string) string { return fmt.Sprintf(`{"id":%q}`, id[len(id)-8:]) },
		"Prefix":  func(id string) string { return fmt.Sprintf(`{"id":%q}`, id[:13]) },
		"Title":   func(string) string { return `{"id":"the NAMES of Cats"}` },
		"Cut":     func(id string) string { return fmt.Sprintf(`{"id":%q,"note":"cut he`, id) },
	} {
		k := newKept(t)
		id := k.store("The names of cats", "Tom and Kit.")
		k.add("s", noon, "memory_search", `{"query":"cats"}`, "results", id)
		k.add("s", noon.Add(time.Minute), "memory_verify", argument(id), "")
		if s := k.stats(use.Args{}); s.Used != 1 {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

// A memory that is superseded or forgotten in the conversation is corrected; one that was superseded before or after it is not.
func TestStats_Corrected(t *testing.T) {
	for name, c := range map[string]struct {
		after time.Duration // of the supersession, which is now
		tool  string
		want  int
	}{
		"InTheConversation": {-time.Minute, "", 1}, "BeforeIt": {time.Hour, "", 0}, "AfterIt": {-3 * time.Hour, "", 0},
		"Forgotten": {-3 * time.Hour, "memory_forget", 1}, "Replaced": {-3 * time.Hour, "memory_store", 1},
	} {
		k, now := newKept(t), time.Now()
		old := k.store("The harbour fee", "It is 5 florins.")
		k.add("s", now.Add(c.after), "memory_search", `{"query":"harbour"}`, "results", old)
		if c.tool != "" {
			k.add("s", now.Add(c.after+time.Second), c.tool, fmt.Sprintf(`{"id":"x","supersedes":[%q],"content":"y"}`, old), "")
			if c.tool == "memory_forget" {
				k.add("s", now.Add(c.after+time.Second), c.tool, fmt.Sprintf(`{"id":%q}`, old), "")
			}
		} else {
			k.store("The harbour fee now", "It is 6 florins.", old)
		}
		if s := k.stats(use.Args{}); s.Corrected != c.want {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

// A server's session is one with that of the hooks around it, unless there are two; words in an act may be a use, until the
// conversation is heard, and then are one or not.
func TestStats_Hooks(t *testing.T) {
	content := "It is renewed every 47 seconds, because the quokka balancer forgets sockets."
	act := "/shop/lease.go\nrenew(47 * time.Second) // the quokka balancer forgets sockets"
	for name, c := range map[string]struct {
		others int
		heard  []use.Step
		want   [4]int // sessions, shown, used, possible
	}{
		"Alone": {0, nil, [4]int{1, 1, 0, 1}}, "TwoAtOnce": {1, nil, [4]int{1, 1, 0, 0}},
		"HeardAsUsed": {1, []use.Step{{Text: act}}, [4]int{1, 1, 1, 0}},
		"HeardAsRead": {0, []use.Step{{By: use.Other, Text: act}, {Text: act}}, [4]int{1, 1, 0, 0}},
	} {
		k := newKept(t)
		lease := k.store("The lease", content)
		for i := range c.others + 1 {
			session := fmt.Sprint("claude", i)
			k.add(session, noon, "hook:start", "", "")
			k.add(session, noon.Add(time.Hour), "hook:prompt", "go on", "")
		}
		k.add("claude0", noon.Add(20*time.Minute), "hook:act", "Edit "+db.JSON(map[string]string{"file_path": "/shop/lease.go", "old_string": "x", "new_string": act}), "")
		k.add("server", noon.Add(10*time.Minute), "memory_search", `{"query":"lease"}`, "results", lease)
		if c.heard != nil {
			listener, err := k.Listen(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			steps := []use.Step{{At: noon, By: use.Person, Text: "begin"}, {At: noon.Add(10*time.Minute - time.Second), Tool: "memory_search", Text: `{ "query": "lease" }`}}
			for i, s := range c.heard {
				s.At = noon.Add(time.Duration(20+i) * time.Minute)
				steps = append(steps, s)
			}
			if err := listener.Hear(t.Context(), "claude0", steps); err != nil {
				t.Fatal(err)
			}
		}
		s := k.stats(use.Args{})
		if got := [4]int{s.Sessions, s.Shown, s.Used, s.Possible}; got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// A store without receipts has lists without rows, and none that is null.
func TestStats_None(t *testing.T) {
	s := newKept(t).stats(use.Args{})
	if s.Memories == nil || s.NeverUsed == nil || s.NotFound == nil || s.Weeks == nil {
		t.Errorf("%+v", s)
	}
}
