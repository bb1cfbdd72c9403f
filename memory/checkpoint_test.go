package memory_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/journal"
)

func checkpointed(t testing.TB, s memory.Store, a memory.CheckpointArgs) memory.CheckpointResult {
	t.Helper()
	got, err := s.Checkpoint(t.Context(), a, nil)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func opened(t testing.TB, s memory.Store, id string) memory.Opened {
	t.Helper()
	got, err := s.Open(t.Context(), memory.GetArgs{ID: id})
	if err != nil {
		t.Fatal(err)
	}
	return got.Memories[0]
}

// edgesOf tells the edges of a memory: "—kind→ title" or "←kind— title".
func edgesOf(m memory.Opened) []string {
	told := []string{}
	for _, e := range m.Edges {
		if e.Direction == "out" {
			told = append(told, "—"+string(e.Type)+"→ "+e.Other.Title)
		} else {
			told = append(told, "←"+string(e.Type)+"— "+e.Other.Title)
		}
	}
	return told
}

func TestCheckpoint(t *testing.T) {
	s := newStore(t)
	old := remember(t, s, "Old port")
	remember(t, s, "Firewall", linkTo("Old port", "depends-on"))
	first := checkpointed(t, s, memory.CheckpointArgs{
		Goal: "Find the ports", Done: "Read the configuration.", Next: "Open the firewall.",
		Properties: db.Properties{"session_id": "s-1", "branch": "ports"},
		Learned: []memory.StoreArgs{
			{Content: "The backend listens on 8090.", Title: pointer("Port"), Supersedes: []string{old.ID}},
			{Content: "The proxy reads the port of #1.", Title: pointer("Proxy"), Links: []memory.NewLink{{To: "#1", Type: "depends-on"}, {From: " #3 ", Type: "supports"}}},
			{Content: "Ports are read at the start.", Title: pointer("Start"), Links: []memory.NewLink{{To: "Firewall", Type: "causes"}}},
		},
	})
	if diff := cmp.Diff([]string{"Firewall: Old port superseded by Port, 2"}, story(first.Consequences)); diff != "" {
		t.Errorf("consequences (-want +got):\n%s", diff)
	}
	session := opened(t, s, first.Session.ID)
	want := db.Properties{
		"goal": "Find the ports", "done": "Read the configuration.", "next": "Open the firewall.",
		"session_id": "s-1", "branch": "ports", "client": "tester",
	}
	if diff := cmp.Diff(want, session.Properties); diff != "" {
		t.Errorf("properties (-want +got):\n%s", diff)
	}
	if session.Kind != "session" || !strings.HasSuffix(session.Title, ": Find the ports") || session.Content != "Goal: Find the ports\nDone: Read the configuration.\nNext: Open the firewall." {
		t.Errorf("the session is %+v", session.Memory)
	}
	if diff := cmp.Diff([]string{"←part-of— Port", "←part-of— Proxy", "←part-of— Start"}, edgesOf(session)); diff != "" {
		t.Errorf("edges of the session (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"—depends-on→ Port", "—part-of→ " + session.Title, "←supports— Start"}, edgesOf(opened(t, s, "Proxy"))); diff != "" {
		t.Errorf("edges of #2 (-want +got):\n%s", diff)
	}

	second := checkpointed(t, s, memory.CheckpointArgs{Done: "Opened the firewall.", Learned: []memory.StoreArgs{
		{Content: "Ports are read at the start.", Title: pointer("START")}, {Content: "Told twice"}, {Content: "told  twice"},
	}})
	if second.Session.Follows == nil || second.Session.Follows.ID != first.Session.ID {
		t.Errorf("it follows %+v", second.Session.Follows)
	}
	created := []bool{}
	for _, m := range second.Memories {
		created = append(created, m.Created)
	}
	if diff := cmp.Diff([]bool{false, true, false}, created); diff != "" || second.Memories[2].ID != second.Memories[1].ID {
		t.Errorf("created %v: %+v", created, second.Memories)
	}
	if diff := cmp.Diff([]string{"—follows→ " + session.Title, "←part-of— Told twice"}, edgesOf(opened(t, s, second.Session.ID))); diff != "" {
		t.Errorf("edges of the second session (-want +got):\n%s", diff)
	}
}

// One undo takes back the session and all that was learned in it.
func TestCheckpoint_IsOneChange(t *testing.T) {
	s := newStore(t)
	remember(t, s, "old")
	checkpointed(t, s, memory.CheckpointArgs{Goal: "g", Learned: []memory.StoreArgs{
		{Content: "a", Supersedes: []string{"old"}}, {Content: "b", Links: []memory.NewLink{{To: "#1", Type: "depends-on"}}},
	}})
	if _, err := journal.Journal(s).Undo(t.Context(), journal.UndoArgs{}); err != nil {
		t.Fatal(err)
	}
	if got, err := s.List(t.Context(), memory.ListArgs{}); err != nil || got.TotalCount != 1 || got.Memories[0].Title != "old" {
		t.Errorf("after undo there is %+v, %v", got.Memories, err)
	}
}

// A checkpoint that is told again, because its answer was lost, is stored once.
func TestCheckpoint_ToldTwice(t *testing.T) {
	s := newStore(t)
	a := memory.CheckpointArgs{Goal: "g", Next: "n", Learned: []memory.StoreArgs{
		{Content: "a"}, {Content: "b", Links: []memory.NewLink{{To: "#1", Type: "depends-on"}}},
	}}
	first, again := checkpointed(t, s, a), checkpointed(t, s, a)
	if again.Session.ID != first.Session.ID || again.Memories[0].ID != first.Memories[0].ID || again.Memories[1].ID != first.Memories[1].ID {
		t.Errorf("%+v, then %+v", first, again)
	}
	if n := dbtest.Count(t, s.DB, `select count(*) from memories`); n != 3 {
		t.Errorf("%d memories, want 3", n)
	}
	if n := dbtest.Count(t, s.DB, `select count(*) from edges`); n != 3 {
		t.Errorf("%d edges, want 3", n)
	}
}

// Items of one call that say the same as each other, or as what is stored, are stored once, and
// links by #n lead to what there is, before and behind.
func TestCheckpoint_ItemsThatSayTheSame(t *testing.T) {
	item := func(title, content string, tags ...string) memory.StoreArgs {
		a := memory.StoreArgs{Content: content, Tags: tags}
		if title != "" {
			a.Title = &title
		}
		return a
	}
	link := func(a memory.StoreArgs, to ...string) memory.StoreArgs {
		for _, one := range to {
			a.Links = append(a.Links, memory.NewLink{To: one, Type: "supports"})
		}
		return a
	}
	for _, c := range []struct {
		name    string
		learned []memory.StoreArgs
		want    string // what each item becomes
		edges   int
	}{
		{"OfTheStoredAndOfAnItem", []memory.StoreArgs{item("", "Known text."), item("Known text.", "Known text.")}, "Stored Stored", 0},
		{"UntitledAfterATitle", []memory.StoreArgs{item("A", "Same text."), item("", "same  text.")}, "A A", 0},
		{"TitledAfterUntitled", []memory.StoreArgs{item("", "Same text."), item("A", "Same text.")}, "Same text. A", 0},
		{"AddingATag", []memory.StoreArgs{item("A", "Same text."), item("A", "Same text.", "x"), item("", "Same text.", "x")}, "A A A", 0},
		{"AsTheSession", []memory.StoreArgs{item("", "Goal: g")}, "Goal: g", 0},
		{"LinkToAStoredOneBehind", []memory.StoreArgs{link(item("", "New text."), "#2"), link(item("Stored", "Known text."), "Target")}, "New text. Stored", 1},
		{"LinkToOneStoredAnewBehind", []memory.StoreArgs{link(item("", "New text."), "#2"), link(item("Stored", "Known text."), "Other")}, "New text. Stored", 2},
		{"LinkToARepetitionOfOneStoredAnew", []memory.StoreArgs{link(item("Stored", "Known text."), "Other"), item("Stored", "Known text."), link(item("", "New text."), "#2")}, "Stored Stored New text.", 2},
		{"LinkToARepetitionBehind", []memory.StoreArgs{link(item("", "New text."), "#3"), item("A", "Same text."), item("", "Same text.")}, "New text. A A", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStore(t)
			remember(t, s, "Target")
			remember(t, s, "Other")
			remember(t, s, "Stored", func(a *memory.StoreArgs) { *a = link(item("Stored", "Known text."), "Target") })
			before := dbtest.Count(t, s.DB, `select count(*) from memories`)
			a := memory.CheckpointArgs{Goal: "g", Learned: c.learned}
			got, created, titles := checkpointed(t, s, a), 1, []string{}
			for _, m := range got.Memories {
				titles = append(titles, m.Title)
				if m.Created {
					created++
				}
			}
			if all := strings.Join(titles, " "); all != c.want {
				t.Errorf("the items became %q, want %q", all, c.want)
			}
			if n := dbtest.Count(t, s.DB, `select count(*) from memories`) - before; n != created {
				t.Errorf("%d memories are new, and %d are said to be", n, created)
			}
			if n := dbtest.Count(t, s.DB, `select count(*) from edges where kind = 'supports'`) - 1; n != c.edges {
				t.Errorf("%d edges are new, want %d", n, c.edges)
			}
		})
	}
}

func TestCheckpoint_Refused(t *testing.T) {
	s := newStore(t)
	remember(t, s, "there")
	for _, c := range []struct {
		name string
		args memory.CheckpointArgs
		code fault.Code
		says string
	}{
		{"Nothing", memory.CheckpointArgs{Goal: " "}, fault.InvalidArgument, "says nothing"},
		{"TooMany", memory.CheckpointArgs{Learned: slices.Repeat([]memory.StoreArgs{{Content: "x"}}, 101)}, fault.TooLarge, "101"},
		{"Blank", memory.CheckpointArgs{Learned: []memory.StoreArgs{{Content: "x"}, {Content: " "}}}, fault.InvalidArgument, "#2 of learned: store: content is blank"},
		{"Strict", memory.CheckpointArgs{Learned: []memory.StoreArgs{{Content: "there", Dedup: "strict"}}}, fault.Exists, "#1 of learned: store: the same"},
		{"Unknown", memory.CheckpointArgs{Learned: []memory.StoreArgs{{Content: "x", Links: []memory.NewLink{{To: "#2", Type: "causes"}}}}}, fault.NotFound, "#1 of learned: no memory is called"},
		{"Itself", memory.CheckpointArgs{Learned: []memory.StoreArgs{{Content: "x", Links: []memory.NewLink{{To: "#1", Type: "causes"}}}}}, fault.InvalidArgument, "#1 is the memory itself"},
		{"Elsewhere", memory.CheckpointArgs{Learned: []memory.StoreArgs{{Content: "x", Namespace: "other"}}}, fault.InvalidArgument, "another namespace"},
		{"Cycle", memory.CheckpointArgs{Learned: []memory.StoreArgs{
			{Content: "x", Links: []memory.NewLink{{To: "#2", Type: "depends-on"}}}, {Content: "y", Links: []memory.NewLink{{To: "#1", Type: "depends-on"}}},
		}}, fault.Cycle, `#2 of learned: link: "y" depends-on "x" would close a cycle: x —depends-on→ y`},
		{"CycleByWhatIsThere", memory.CheckpointArgs{Learned: []memory.StoreArgs{
			{Content: "x", Links: []memory.NewLink{{From: "there", Type: "depends-on"}}}, {Content: "y", Links: []memory.NewLink{{From: "#1", Type: "depends-on"}, {To: "there", Type: "depends-on"}}},
		}}, fault.Cycle, `#2 of learned: link: "y" depends-on "there" would close a cycle: there —depends-on→ x —depends-on→ y`},
		{"Bounds", memory.CheckpointArgs{Learned: []memory.StoreArgs{{Content: "x", Importance: pointer(3.0)}}}, fault.InvalidArgument, "learned[0].importance"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := s.Checkpoint(t.Context(), c.args, nil)
			if fault.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, want %s with %q", err, c.code, c.says)
			}
		})
	}
	if n := dbtest.Count(t, s.DB, `select count(*) from memories`); n != 1 {
		t.Errorf("%d memories: a refused checkpoint stored some", n)
	}
}

// An item that a later one of the same call replaces is not warned of as if somebody else
// had linked to it; a link to it is.
func TestCheckpoint_OfWhatItReplacesItself(t *testing.T) {
	s := newStore(t)
	got := checkpointed(t, s, memory.CheckpointArgs{Learned: []memory.StoreArgs{
		{Content: "one"}, {Content: "two", Links: []memory.NewLink{{To: "#1", Type: "depends-on"}}}, {Content: "three", Supersedes: []string{"#2"}},
	}})
	if len(got.Warnings) > 0 {
		t.Errorf("warnings %q", got.Warnings)
	}
	got = checkpointed(t, s, memory.CheckpointArgs{Learned: []memory.StoreArgs{{Content: "four", Links: []memory.NewLink{{To: "two", Type: "depends-on"}}}}})
	if len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0], `"two"`) {
		t.Errorf("warnings %q", got.Warnings)
	}
}

// A session follows the last one of its project and namespace, which nobody imported.
func TestCheckpoint_OfAProject(t *testing.T) {
	all := newStore(t)
	of := func(project string) memory.Store {
		s := all
		s.Caller.Project = project
		return s
	}
	alpha, beta := checkpointed(t, of("alpha"), memory.CheckpointArgs{Goal: "a"}), checkpointed(t, of("beta"), memory.CheckpointArgs{Goal: "b"})
	dbtest.Script(t, all.DB.Path(), `insert into memories (kind, title, origin, tags) values ('session', 'imported', 'import', '["project/alpha"]')`)
	confined := memory.Store{DB: all.DB, Caller: ref.Caller{Namespace: "team", Confined: true}}
	for _, c := range []struct {
		name    string
		store   memory.Store
		follows string
	}{
		{"Confined", confined, ""}, {"Alpha", of("alpha"), alpha.Session.ID}, {"Beta", of("beta"), beta.Session.ID}, {"New", of("gamma"), ""},
	} {
		got := checkpointed(t, c.store, memory.CheckpointArgs{Goal: "next of " + c.name})
		follows := ""
		if got.Session.Follows != nil {
			follows = got.Session.Follows.ID
		}
		if follows != c.follows {
			t.Errorf("%s follows %q, want %q", c.name, follows, c.follows)
		}
	}
	if m := opened(t, all, alpha.Session.ID); m.Properties["project"] != "alpha" || len(m.Tags) != 1 || m.Tags[0] != "project/alpha" {
		t.Errorf("%+v", m.Memory)
	}
}

// The surroundings of a session are kept with it; what the caller says wins.
func TestCheckpoint_Surroundings(t *testing.T) {
	s := newStore(t)
	ctx := memory.WithSession(t.Context(), func() map[string]string {
		return map[string]string{"session_id": "env", "branch": "main", "client": "cli"}
	})
	got, err := s.Checkpoint(ctx, memory.CheckpointArgs{Done: "d", Properties: db.Properties{"branch": "mine"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := db.Properties{"done": "d", "session_id": "env", "branch": "mine", "client": "cli"}
	if diff := cmp.Diff(want, opened(t, s, got.Session.ID).Properties); diff != "" {
		t.Errorf("properties (-want +got):\n%s", diff)
	}
}

// What is near does not name what the same checkpoint stores, and is less where much is
// learned.
func TestCheckpoint_Near(t *testing.T) {
	s := newStore(t)
	near := func(_ context.Context, _, text string) ([]memory.Near, error) {
		all := []memory.Near{}
		for _, id := range []string{"x", "y", "z"} {
			all = append(all, memory.Near{Named: ref.Named{ID: id, Title: id}, Snippet: strings.Repeat("word ", 40)})
		}
		return all, nil
	}
	for n, want := range map[int]int{1: 3, 10: 3, 15: 2, 40: 1} {
		learned := []memory.StoreArgs{}
		for i := range n {
			learned = append(learned, memory.StoreArgs{Content: strings.Repeat("x", 1+i) + strings.Repeat("y", n)})
		}
		got, err := s.Checkpoint(t.Context(), memory.CheckpointArgs{Learned: learned}, near)
		if err != nil || len(got.Memories[0].Near) != want || got.Settle == "" {
			t.Errorf("of %d learned each has %+v, %v; want %d near", n, got.Memories[0], err, want)
		}
	}
}
