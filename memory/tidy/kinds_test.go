package tidy_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hence/edges"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/review"
	"hence/memory/tidy"
	"hence/vault"
)

func TestSame(t *testing.T) {
	house := newHouse(t)
	prose := "When the booking queue backs up after a storm, drain it from the oldest hold on, tell the terminals to print paper lists, and refund nobody before the ledger has settled all the cards."
	for name, c := range map[string]struct {
		one, other string
		same       bool
	}{
		"Case":           {"Deploys happen on Fridays", "deploys happen on fridays", true},
		"Spaces":         {"Deploys happen on Fridays", "Deploys  happen\non Fridays", true},
		"Punctuation":    {"Deploys happen on Fridays!", "“Deploys happen, on Fridays.”", true},
		"Hyphen":         {"The e-mail address is verified", "The email address is verified", true},
		"Articles":       {"The deploy job runs on a Friday", "Deploy job runs on Friday", true},
		"NumberInWords":  {"The client makes five attempts", "The client makes 5 attempts", true},
		"Plural":         {"The client retries the calls", "The client retries the call", true},
		"Nearly":         {prose, strings.Replace(prose, "terminals", "termnals", 1), true},
		"Chinese":        {"数据库的端口是 8090。", "数据库的端口是 8090", true},
		"OtherNumber":    {"The limit is 5", "The limit is 6", false},
		"Fraction":       {"The limit is 1.5", "The limit is 15", false},
		"Sign":           {"The offset is -5", "The offset is 5", false},
		"TwoNumbers":     {"Ports 80 90", "Ports 8090", false},
		"CSharp":         {"The client is written in C++", "The client is written in C#", false},
		"Negation":       {"Deploys happen on Fridays", "Deploys never happen on Fridays", false},
		"Name":           {"Ada owns the ledger", "Bea owns the ledger", false},
		"Order":          {"Ada reports to Bea", "Bea reports to Ada", false},
		"NearlyNegated":  {prose, strings.Replace(prose, "refund nobody", "refund everybody", 1), false},
		"NearlyNumbered": {prose, strings.Replace(prose, "the oldest hold", "3 holds", 1), false},
	} {
		t.Run(name, func(t *testing.T) {
			h := house.apart(t, name)
			h.keep(c.one, titled("one"))
			h.keep(c.other, titled("one"))
			h.keep("Something else altogether", titled("else"))
			if got := len(h.proposed("same")) == 1; got != c.same {
				t.Errorf("proposed: %v, want %v", got, c.same)
			}
		})
	}
}

func TestSame_NotOfDifferentThings(t *testing.T) {
	at := func(from string) func(*memory.StoreArgs) {
		return func(a *memory.StoreArgs) { a.ValidFrom = from }
	}
	for name, changes := range map[string][2]func(*memory.StoreArgs){
		"Projects":   {tagged("project/a"), tagged("project/b")},
		"Titles":     {titled("Ledger"), titled("Queue")},
		"Events":     {ofKind("event"), ofKind("event")},
		"Sessions":   {ofKind("session"), ofKind("session")},
		"Times":      {at("2026-01-01"), at("2026-02-01")},
		"Kinds":      {ofKind("decision"), ofKind("preference")},
		"Namespaces": {func(a *memory.StoreArgs) { a.Namespace = "a" }, func(a *memory.StoreArgs) { a.Namespace = "b" }},
		"Properties": {func(a *memory.StoreArgs) { a.Properties = map[string]any{"host": "a"} }, func(a *memory.StoreArgs) { a.Properties = map[string]any{"host": "b"} }},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			h.keep("It answers in a second.", changes[0])
			h.keep("It answers in a second.", changes[1])
			h.wantProposed("same")
		})
	}
	t.Run("Contradicting", func(t *testing.T) {
		h := newHouse(t)
		h.link(h.keep("It answers in a second."), h.keep("It answers in a second!"), edges.Contradicts)
		h.wantProposed("same")
	})
	t.Run("Notes", func(t *testing.T) {
		h := newHouse(t)
		for i := range 2 {
			h.script(`update memories set uri = 'obsidian-fs://v/%d.md', origin = 'vault' where id = '%s'`, i, h.keep("It answers in a second."))
		}
		h.wantProposed("same")
	})
}

// What stays is a note before all, then what is pinned, what most rests on, what is older.
func TestSame_WhatStays(t *testing.T) {
	stays := func(t *testing.T, change func(h house, first, second string), want int) {
		t.Helper()
		h := newHouse(t)
		ids := []string{h.keep("It answers in a second."), h.keep("it answers in a second")}
		change(h, ids[0], ids[1])
		p := h.tidy(tidy.Args{Propose: []string{"same"}}).Proposals
		if len(p) != 1 || p[0].Memories[0].ID != ids[want] {
			t.Errorf("proposed %+v, want the one at %d to stay", p, want)
		}
	}
	t.Run("Older", func(t *testing.T) { stays(t, func(house, string, string) {}, 0) })
	t.Run("RestedOn", func(t *testing.T) {
		stays(t, func(h house, _, second string) { h.link(h.keep("So we wait."), second, edges.DependsOn) }, 1)
	})
	t.Run("Pinned", func(t *testing.T) {
		stays(t, func(h house, first, second string) {
			h.link(h.keep("So we wait."), first, edges.DependsOn)
			h.script(`update memories set pinned = 1 where id = '%s'`, second)
		}, 1)
	})
	t.Run("Note", func(t *testing.T) {
		stays(t, func(h house, first, second string) {
			h.script(`update memories set pinned = 1 where id = '%s'`, first)
			h.script(`update memories set uri = 'obsidian-fs://v/x.md', origin = 'vault' where id = '%s'`, second)
		}, 1)
	})
}

func TestReplaced(t *testing.T) {
	house := newHouse(t)
	for name, c := range map[string]struct {
		older, newer string
		replaced     bool
	}{
		"Number":           {"The retry limit is 5", "The retry limit is 8", true},
		"Raised":           {"The retry limit is 5.", "The retry limit was raised to 8.", true},
		"RaisedFrom":       {"The retry limit is 5.", "The retry limit has been raised from 5 to 8.", true},
		"Now":              {"The retry limit is 5", "The retry limit is now 8", true},
		"AsOf":             {"As of 2026-01-01 the retry limit is 5", "As of 2026-02-01 the retry limit is 8", true},
		"Unit":             {"The cold start takes 8s", "The cold start takes 1s", true},
		"Word":             {"The client makes five attempts and has to stop then, the limit is three", "The client makes five attempts and has to stop then, the limit is four", true},
		"Date":             {"The deadline of the migration is March 3, 2026.", "The deadline of the migration is 4 May 2026.", true},
		"Version":          {"The API runs on Go v1.25.1", "The API runs on Go v1.26", true},
		"Port":             {"PocketBase runs on port 8090.", "The port of PocketBase is 9000.", true},
		"KeyValue":         {"server: port=8090", "server: port=9000", true},
		"Negation":         {"We deploy to Fly from the main branch", "We don't deploy to Fly from the main branch any more", true},
		"NoLonger":         {"The ledger is locked during a sweep", "The ledger is no longer locked during a sweep", true},
		"Isnt":             {"The ledger is locked during a sweep", "The ledger isn't locked during a sweep", true},
		"Attribute":        {"The deploy target of Ledger is Fly", "Ledger's deploy target is Render", true},
		"Employer":         {"Ada Quill works for Northwind.", "Ada Quill's employer is now Contoso.", true},
		"Turned":           {"The owner of the ledger is Ada.", "Bea is the owner of the ledger.", true},
		"Agent":            {"The owner of the ledger is Ada Quill.", "Bea Marsh owns the ledger.", true},
		"Opening":          {"Since this spring Ada Quill is the founder of the club.", "The founder of the club is Bea Marsh.", true},
		"OpeningSubject":   {"After the storm the retry limit is 5.", "The retry limit is 8.", true},
		"SecondKnownVerb":  {"Ada Quill lives and works in Lisbon.", "Ada Quill resides in Porto.", true},
		"NumberOwned":      {"Desk 12 belongs to Ada Quill.", "The desk of Ada Quill is 14.", true},
		"AgentOfOther":     {"Ada Quill owns the ledger.", "Ada Quill owns the queue.", false},
		"AgentOfMany":      {"Ada Quill writes tests.", "Bea Marsh writes tests.", false},
		"Where":            {"The town where Ada Quill resides is Lisbon.", "Ada Quill lives in Porto.", true},
		"WhereOther":       {"The town where Ada Quill resides is Lisbon.", "Ada Quill works for Northwind.", false},
		"OpeningOther":     {"Since this spring Ada Quill is the owner of the ledger.", "Since this spring Ada Quill is the owner of the queue.", false},
		"Subject":          {"Node 3 has 16 GB of memory", "Node 4 has 16 GB of memory", false},
		"TwoValues":        {"Run 3 took 16 minutes", "Run 4 took 18 minutes", false},
		"OtherSubject":     {"The retry limit is 5", "The upload limit is 8", false},
		"Label":            {"The printer stands on floor 3", "The printer stands on floor 4", false},
		"LaterValue":       {"There are 5 printers on level 3 of the tower", "There are 5 printers on level 4 of the tower", false},
		"Meeting":          {"Standup notes 2026-03-01", "Standup notes 2026-03-08", false},
		"Past":             {"The invoice was 300 euros for the hosting", "The invoice was 350 euros for the hosting", false},
		"Likes":            {"Ada likes pizza", "Ada likes pasta", false},
		"Speaks":           {"Ada speaks French", "Ada speaks German", false},
		"Friend":           {"A friend of Ada is Bea", "A friend of Ada is Cleo", false},
		"OtherAttribute":   {"Ada Quill works for Northwind.", "Ada Quill lives in Lisbon.", false},
		"Adjectives":       {"The ferry is late", "The ferry is white", false},
		"Same":             {"The retry limit is 5", "The retry limit is five", false},
		"NegatedElsewhere": {"We deploy on Fridays", "We do not deploy on Mondays", false},
	} {
		t.Run(name, func(t *testing.T) {
			h := house.apart(t, name)
			older := h.keep(c.older)
			newer := h.keep(c.newer)
			got := h.tidy(tidy.Args{Propose: []string{"replaced"}}).Proposals
			if (len(got) == 1) != c.replaced || len(got) > 1 {
				t.Fatalf("proposed %v, want %v", described(got), c.replaced)
			}
			if c.replaced && (got[0].Memories[0].ID != newer || got[0].Memories[1].ID != older) {
				t.Errorf("proposed %v: the newer one replaces the older one", described(got))
			}
		})
	}
}

func TestReplaced_ByWhatIsNewer(t *testing.T) {
	h := newHouse(t)
	h.keep("The retry limit is 5", titled("first"))
	h.keep("The retry limit is 7", titled("first"), func(a *memory.StoreArgs) { a.ValidFrom = "2020" })
	h.keep("The retry limit is 8", titled("first"))
	h.script(`update memories set title = 'says ' || substr(content, -1)`)
	h.wantProposed("replaced") // the titles differ now
	h.script(`update memories set title = content`)
	h.wantProposed("replaced",
		"replaced: The retry limit is 5 | The retry limit is 7",
		"replaced: The retry limit is 8 | The retry limit is 5")
}

// A text that names its subject says the same under any title.
func TestReplaced_UnderOtherTitles(t *testing.T) {
	h := newHouse(t)
	h.keep("PocketBase runs on port 8090.", titled("Backend"))
	h.keep("The port of PocketBase is 9000.", titled("New port"))
	h.keep("It runs on port 8090.", titled("Ledger"))
	h.keep("It runs on port 9000.", titled("Queue"))
	h.wantProposed("replaced", "replaced: New port | Backend")
}

func TestReplaced_NotAtTheSameTime(t *testing.T) {
	h := newHouse(t)
	h.keep("The retry limit is 5")
	h.keep("The retry limit is 8")
	h.script(`update memories set created_at = '2026-01-01T00:00:00.000Z'`)
	h.wantProposed("replaced")
}

func TestConflict(t *testing.T) {
	h := newHouse(t)
	a, b := h.keep("The queue drains in an hour", titled("hour")), h.keep("The queue drains in a day", titled("day"))
	h.link(a, b, edges.Contradicts)
	h.wantProposed("conflict", "conflict: day | hour")
	h.link(h.keep("Measured on Monday", titled("measured")), a, edges.Supports)
	got := h.tidy(tidy.Args{Propose: []string{"conflict"}}).Proposals
	if len(got) != 1 || got[0].Memories[0].ID != a || len(got[0].Memories[0].SupportedBy) != 1 || got[0].Memories[0].SupportedBy[0].Title != "measured" || len(got[0].Memories[1].SupportedBy) != 0 {
		t.Errorf("proposed %+v, want the supported side to stay, with its support", got)
	}
	h.script(`update memories set uri = 'obsidian-fs://v/day.md', origin = 'vault' where id = '%s'`, b)
	h.wantProposed("conflict", "conflict: day | hour")
	h.script(`update memories set uri = 'obsidian-fs://v/hour.md', origin = 'vault' where id = '%s'`, a)
	h.wantProposed("conflict")
}

func TestConflict_NeitherIsNewer(t *testing.T) {
	h := newHouse(t)
	h.link(h.keep("The queue drains in an hour", titled("hour")), h.keep("The queue drains in a day", titled("day")), edges.Contradicts)
	why := func() string { return h.tidy(tidy.Args{Propose: []string{"conflict"}}).Proposals[0].Why }
	if got := why(); !strings.Contains(got, "the first is newer") {
		t.Errorf("why: %s", got)
	}
	h.script(`update memories set created_at = '2026-01-01T00:00:00.000Z'`)
	if got := why(); strings.Contains(got, "newer") {
		t.Errorf("why, of two of one time: %s", got)
	}
}

func TestLink_Names(t *testing.T) {
	house := newHouse(t)
	for name, c := range map[string]struct {
		title, said string
		linked      bool
	}{
		"Title":         {"Job Queue", "A stuck hold blocks the job queue for an hour.", true},
		"Name":          {"Ledger", "A stuck hold blocks the Ledger for an hour.", true},
		"Code":          {"memory_store", "Call memory_store for it.", true},
		"Word":          {"Ledger", "A stuck hold blocks the ledger for an hour.", false},
		"SentenceStart": {"Ledger", "It waits. Ledger entries follow.", false},
		"WithinAWord":   {"Job Queue", "A stuck hold blocks the job queueing.", false},
		"Short":         {"Now", "We do it Now and then.", false},
	} {
		t.Run(name, func(t *testing.T) {
			h := house.apart(t, name)
			h.keep("What it is.", titled(c.title))
			h.keep(c.said, titled("Said"))
			want := []string{}
			if c.linked {
				want = append(want, "link: Said | "+c.title)
			}
			h.wantProposed("link", want...)
		})
	}
	t.Run("LinkedAlready", func(t *testing.T) {
		h := newHouse(t)
		queue := h.keep("What it is.", titled("Job Queue"))
		h.link(h.keep("A stuck hold blocks the job queue.", titled("Said")), queue, edges.DependsOn)
		h.wantProposed("link")
	})
	t.Run("TwoOfThatTitle", func(t *testing.T) {
		h := newHouse(t)
		h.keep("What it is.", titled("Job Queue"))
		h.keep("What it is not.", titled("Job queue"))
		h.keep("A stuck hold blocks the job queue.", titled("Said"))
		h.wantProposed("link")
	})
	t.Run("Notes", func(t *testing.T) {
		h := newHouse(t)
		for i, id := range []string{h.keep("What it is.", titled("Job Queue")), h.keep("A stuck hold blocks the job queue.", titled("Said"))} {
			h.script(`update memories set uri = 'obsidian-fs://v/%d.md', origin = 'vault' where id = '%s'`, i, id)
			if i == 0 {
				h.wantProposed("link", "link: Said | Job Queue")
			}
		}
		h.wantProposed("link")
	})
}

func TestLink_CommonNeighbours(t *testing.T) {
	h := newHouse(t)
	one := h.keep("The sweeper locks the ledger at night", titled("one"))
	other := h.keep("At night the sweeper and the ledger meet", titled("other"))
	third := h.keep("Gulls eat chips", titled("third"))
	for _, hub := range []string{h.keep("Quay", titled("first hub")), h.keep("Pier", titled("second hub"))} {
		for _, id := range []string{one, other, third} {
			h.link(id, hub, edges.PartOf)
		}
	}
	h.wantProposed("link", "link: one | other")
	h.link(one, other, edges.RelatesTo)
	h.wantProposed("link")
}

func TestSummarise(t *testing.T) {
	h := newHouse(t)
	ids := []string{}
	for i, said := range []string{
		"The Kråkø scanner refuses paid tickets when the lamp is wet. More follows.",
		"A wet lamp makes the Kråkø scanner refuse tickets.",
		"Tickets are refused by the Kråkø scanner with a wet lamp.",
		"The lamp of the Kråkø scanner was wet, and tickets were refused.",
	} {
		ids = append(ids, h.keep(said, titled(fmt.Sprint("scanner ", i))))
	}
	for _, said := range []string{"Gulls eat chips on the quay.", "Ada paints boats in winter.", "The canteen opens at seven."} {
		h.keep(said)
	}
	got := h.tidy(tidy.Args{Propose: []string{"summarise"}}).Proposals
	if len(got) != 1 || len(got[0].Memories) != 4 {
		t.Fatalf("proposed %v, want one summary of four", described(got))
	}
	call := got[0].Call
	if content := call.Arguments["content"].(string); call.Tool != "memory_store" || !strings.Contains(content, "when the lamp is wet.\n") || strings.Contains(content, "More follows") {
		t.Errorf("the call is %+v, want the first sentences", call)
	}
	if links := call.Arguments["links"].([]map[string]any); len(links) != 4 {
		t.Errorf("the call has the links %v", links)
	}
	h.tidy(tidy.Args{Accept: []string{got[0].Key}})
	h.wantProposed("summarise")
	made, err := memory.Store(h.v).List(t.Context(), memory.ListArgs{Kind: []string{"summary"}})
	if err != nil || made.TotalCount != 1 {
		t.Fatalf("summaries %+v, %v", made, err)
	}
	changed := "The lamp is dry now."
	if _, err := memory.Store(h.v).Revise(t.Context(), memory.UpdateArgs{ID: ids[0], Content: &changed}); err != nil {
		t.Fatal(err)
	}
	made, err = memory.Store(h.v).List(t.Context(), memory.ListArgs{Kind: []string{"summary"}})
	if err != nil || len(made.Memories[0].Stale) != 1 {
		t.Errorf("the summary of a changed memory is not stale: %+v, %v", made, err)
	}
}

const longAgo = "2025-01-01T00:00:00.000Z"

func TestFading(t *testing.T) {
	for name, c := range map[string]struct {
		change func(h house, id string)
		fades  bool
	}{
		"Untouched": {func(house, string) {}, true},
		"OpenedLongAgo": {func(h house, id string) {
			h.script(`insert into opened select key, '%s' from memories where id = '%s'`, longAgo, id)
		}, true},
		"Opened": {func(h house, id string) {
			if err := memory.Store(h.v).KeepOpened(h.t.Context(), []string{id}); err != nil {
				h.t.Fatal(err)
			}
		}, false},
		"Verified": {func(h house, id string) {
			h.script(`update memories set verified_at = strftime('%%Y-%%m-%%dT%%H:%%M:%%fZ', 'now') where id = '%s'`, id)
		}, false},
		"NewEdge":    {func(h house, id string) { h.link(id, h.keep("x"), edges.DependsOn) }, false},
		"Important":  {func(h house, id string) { h.script(`update memories set importance = 0.5 where id = '%s'`, id) }, false},
		"Pinned":     {func(h house, id string) { h.script(`update memories set pinned = 1 where id = '%s'`, id) }, false},
		"InCapitals": {func(h house, id string) { h.script(`update memories set kind = 'Rule' where id = '%s'`, id) }, false},
		"Decision":   {func(h house, id string) { h.script(`update memories set kind = 'decision' where id = '%s'`, id) }, false},
		"RestedOn": {func(h house, id string) {
			h.link(h.keep("x"), id, edges.DependsOn)
			h.script(`update edges set created_at = '%s'`, longAgo)
		}, false},
		"OldEdge": {func(h house, id string) {
			h.link(id, h.keep("x"), edges.DependsOn)
			h.script(`update edges set created_at = '%s'`, longAgo)
		}, true},
		"Supports": {func(h house, id string) {
			h.link(id, h.keep("x"), edges.Supports)
			h.script(`update edges set created_at = '%s'`, longAgo)
		}, false},
		"Note": {func(h house, id string) {
			h.script(`update memories set uri = 'obsidian-fs://v/x.md' where id = '%s'`, id)
		}, false},
		"Listed":      {func(h house, _ string) { _, _ = memory.Store(h.v).List(h.t.Context(), memory.ListArgs{}) }, true},
		"OtherOpened": {func(h house, _ string) { _ = memory.Store(h.v).KeepOpened(h.t.Context(), []string{h.keep("x")}) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			id := h.keep("Gulls eat chips", important(0.2))
			c.change(h, id)
			h.script(`update memories set created_at = '%[1]s', updated_at = '%[1]s' where id = '%[2]s'`, longAgo, id)
			want := []string{}
			if c.fades {
				want = append(want, "fading: Gulls eat chips")
			}
			h.wantProposed("fading", want...)
		})
	}
}

func TestExpired(t *testing.T) {
	h := newHouse(t)
	until := func(end string) func(*memory.StoreArgs) {
		return func(a *memory.StoreArgs) { a.ValidFrom, a.ValidTo = "2025-01-01", end }
	}
	over := h.keep("The ferry is closed", until("2025-03-01"))
	h.keep("The quay is closed", until("2999-01-01"))
	h.keep("The pier is closed", until("2025-03-01"), func(a *memory.StoreArgs) { a.Pinned = true })
	h.keep("The bar is open")
	h.wantProposed("expired", "expired: The ferry is closed")
	h.link(h.keep("We walk"), over, edges.DependsOn)
	if got := h.tidy(tidy.Args{Propose: []string{"expired"}}).Proposals; len(got) != 1 || !strings.Contains(got[0].Why, "1 rest") {
		t.Errorf("proposed %+v, want it to say that something rests on it", got)
	}
}

func TestBroken(t *testing.T) {
	house := newHouse(t)
	folder := filepath.Join(t.TempDir(), "harbour")
	for name, text := range map[string]string{
		"memory/list.go": "one\ntwo\nthree\n", "memory/open.go": "one", "docs/guide/start.md": "x", "go.mod": "module harbour",
	} {
		write(t, filepath.Join(folder, name), text)
	}
	outside := filepath.Join(filepath.Dir(folder), "secret.go")
	write(t, outside, "a")
	if err := os.Symlink(outside, filepath.Join(folder, "memory", "link.go")); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		said, tag string
		why       string // "": not proposed
	}{
		"There":            {"See memory/list.go.", "", ""},
		"Line":             {"The loop is at memory/list.go:3.", "", ""},
		"LineGone":         {"The loop is at memory/list.go:4.", "", "memory/list.go has 3 lines, and line 4 is cited"},
		"Gone":             {"See `memory/gone.go`.", "", "memory/gone.go is not in the folder"},
		"GoneLine":         {"See (memory/gone.go:12-14).", "", "memory/gone.go is not in the folder"},
		"Moved":            {"See docs/start.md.", "", "docs/start.md is not in the folder; there is docs/guide/start.md"},
		"FromBelow":        {"See guide/start.md.", "project/harbour", ""},
		"OtherFolder":      {"See vault/gone.go.", "", ""},
		"OtherFolderOfOur": {"See vault/gone.go.", "project/harbour", "vault/gone.go is not in the folder"},
		"OtherProject":     {"See memory/gone.go.", "project/elsewhere", ""},
		"Address":          {"See https://example.org/memory/gone.go.", "", ""},
		"Absolute":         {"See /memory/gone.go.", "", ""},
		"Above":            {"See ../memory/gone.go.", "", ""},
		"LinkOut":          {"See memory/link.go:7.", "", ""},
		"Name":             {"See gone.go.", "", ""},
		"Imported":         {"@memory/list.go and @./memory/open.go", "", ""},
		"ImportedGone":     {"Read @memory/gone.go first.", "", "memory/gone.go is not in the folder"},
		"Scope":            {"See node_modules/@harbour/list.go.", "project/harbour", "node_modules/@harbour/list.go is not in the folder; there is memory/list.go"},
		"Sentence":         {"He ate and/or drank, e.g. memory/a b.", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			h := house.apart(t, name)
			h.v.Caller.Folder = folder
			h.keep(c.said, func(a *memory.StoreArgs) {
				if c.tag != "" {
					a.Tags = []string{c.tag}
				}
			})
			got := h.tidy(tidy.Args{Propose: []string{"broken"}}).Proposals
			switch {
			case c.why == "" && len(got) > 0:
				t.Errorf("proposed because %s", got[0].Why)
			case c.why != "" && (len(got) != 1 || got[0].Why != c.why):
				t.Errorf("proposed %+v, want %s", got, c.why)
			}
			h.v.Caller.Folder = ""
			h.wantProposed("broken")
		})
	}
}

// A file that was renamed says nothing against a decision: see listBroken.
func TestBrokenFollowsWhatAnImportSaw(t *testing.T) {
	house := newHouse(t)
	folder := filepath.Join(t.TempDir(), "harbour")
	for name, text := range map[string]string{"docs/start.md": "start", "docs/old.md": "old", "docs/twice.md": "twice", "docs/pair.md": "pair", "docs/back.md": "back"} {
		write(t, filepath.Join(folder, name), text)
	}
	imports := func() {
		t.Helper()
		if _, err := (vault.Importer{DB: house.d, Caller: ref.Caller{Actor: "tester"}}).Import(t.Context(), vault.ImportArgs{Dir: folder}); err != nil {
			t.Fatal(err)
		}
	}
	move := func(from, to string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(folder, to)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(filepath.Join(folder, from), filepath.Join(folder, to)); err != nil {
			t.Fatal(err)
		}
	}
	imports()
	move("docs/start.md", "docs/begin.md")
	move("docs/twice.md", "docs/once.md")
	move("docs/pair.md", "guide/pair.md")
	move("docs/back.md", "docs/forth.md")
	if err := os.Remove(filepath.Join(folder, "docs/old.md")); err != nil {
		t.Fatal(err)
	}
	imports()
	move("docs/once.md", "guide/last.md")
	move("docs/forth.md", "docs/back.md")
	imports()
	for name, c := range map[string]struct{ said, why, tool, then string }{
		"Renamed":        {"We begin as docs/start.md says, see `docs/start.md:1`.", "docs/start.md is docs/begin.md now; docs/start.md is docs/begin.md now", "memory_update", "We begin as docs/begin.md says, see `docs/begin.md:1`."},
		"RenamedTwice":   {"See ./docs/twice.md.", "docs/twice.md is guide/last.md now", "memory_update", "See guide/last.md."},
		"Moved":          {"See docs/pair.md", "docs/pair.md is guide/pair.md now", "memory_update", "See guide/pair.md"},
		"Removed":        {"See docs/old.md.", "docs/old.md is gone", "memory_verify", ""},
		"NeverThere":     {"See docs/never.md.", "docs/never.md is not in the folder", "memory_verify", ""},
		"LineGone":       {"See docs/begin.md:9.", "docs/begin.md has 1 line, and line 9 is cited", "memory_verify", ""},
		"RenamedAndGone": {"See docs/old.md and docs/start.md.", "docs/old.md is gone; docs/start.md is docs/begin.md now", "memory_update", "See docs/old.md and docs/begin.md."},
		"ThereAndBack":   {"See docs/back.md.", "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			h := house.apart(t, name)
			h.v.Caller.Folder = folder
			id := h.keep(c.said)
			got := h.tidy(tidy.Args{Propose: []string{"broken"}}).Proposals
			if c.why == "" {
				if len(got) > 0 {
					t.Errorf("proposed %+v", got)
				}
				return
			}
			if len(got) != 1 || got[0].Why != c.why || got[0].Call.Tool != c.tool {
				t.Fatalf("proposed %+v, want %s because %s", got, c.tool, c.why)
			}
			if text, _ := got[0].Call.Arguments["content"].(string); text != c.then {
				t.Errorf("the new text is %q, want %q", text, c.then)
			}
			h.tidy(tidy.Args{Accept: []string{got[0].Key}})
			now := dbtest.Texts(t, h.d, `select status || ' ' || (verified_at is not null) || ' ' || content from memories where id = ?`, id)[0]
			if want := "current " + map[bool]string{true: "0 ", false: "1 "}[c.then != ""] + cmp.Or(c.then, c.said); now != want {
				t.Errorf("accepted, it is %q, want %q", now, want)
			}
			if again := h.tidy(tidy.Args{Propose: []string{"broken"}}).Proposals; len(again) > 0 && name != "RenamedAndGone" {
				t.Errorf("proposed again: %+v", again)
			}
		})
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// While what is trusted less than an agent's own word waits for a person, no agent stores a summary of it.
func TestAnAgentSummarisesNoStrangersWhileTheyWait(t *testing.T) {
	h := newHouse(t)
	fromWeb := func(a *memory.StoreArgs) { a.Source = "web" }
	for i, said := range []string{
		"The Kråkø scanner refuses paid tickets when the lamp is wet.",
		"A wet lamp makes the Kråkø scanner refuse tickets.",
		"Tickets are refused by the Kråkø scanner with a wet lamp.",
		"The lamp of the Kråkø scanner was wet, and tickets were refused.",
	} {
		h.keep(said, titled(fmt.Sprint("scanner ", i)), fromWeb)
	}
	for _, said := range []string{"Gulls eat chips on the quay.", "Ada paints boats in winter.", "The canteen opens at seven."} {
		h.keep(said)
	}
	if err := review.Desk(h.ofPerson().v).SetPolicy(t.Context(), review.LowTrust); err != nil {
		t.Fatal(err)
	}
	key := h.tidy(tidy.Args{Propose: []string{"summarise"}}).Proposals[0].Key
	if _, err := tidy.Tidier(h.v).Tidy(t.Context(), tidy.Args{Accept: []string{key}}); fault.CodeOf(err) != fault.ReadOnly {
		t.Errorf("an agent accepts it: %v", err)
	}
	h.ofPerson().tidy(tidy.Args{Accept: []string{key}})
}
