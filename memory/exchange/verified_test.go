package exchange_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/edges"
	"hence/edges/belief"
	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory"
)

// person is the store of one person.
type person struct {
	t *testing.T
	*db.DB
}

func newPerson(t *testing.T) person { return person{t, dbtest.New(t)} }

func (p person) caller() ref.Caller { return ref.Caller{Actor: "ada", Origin: "person"} }

func (p person) store(title string, links ...memory.NewLink) {
	p.t.Helper()
	_, err := memory.Store{DB: p.DB, Caller: p.caller()}.Remember(p.t.Context(), memory.StoreArgs{Title: &title, Content: title + ".", Dedup: "off", Links: links}, nil)
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p person) edit(title, content string) {
	p.t.Helper()
	if _, err := (memory.Store{DB: p.DB, Caller: p.caller()}).Revise(p.t.Context(), memory.UpdateArgs{ID: title, Content: &content}); err != nil {
		p.t.Fatal(err)
	}
}

func (p person) link(from, kind, to string) {
	p.t.Helper()
	if _, err := (edges.Graph{DB: p.DB, Caller: p.caller()}).Link(p.t.Context(), edges.LinkArgs{From: from, To: to, Type: kind}); err != nil {
		p.t.Fatal(err)
	}
}

func (p person) unlink(from, kind, to string) {
	p.t.Helper()
	if _, err := (edges.Graph{DB: p.DB, Caller: p.caller()}).Unlink(p.t.Context(), edges.UnlinkArgs{From: from, To: to, Type: kind}); err != nil {
		p.t.Fatal(err)
	}
}

func (p person) verify(title string) {
	p.t.Helper()
	if _, err := (memory.Store{DB: p.DB, Caller: p.caller()}).Verify(p.t.Context(), belief.VerifyArgs{ID: title}); err != nil {
		p.t.Fatal(err)
	}
}

func (p person) take(lines string) {
	p.t.Helper()
	if _, err := take(p.DB, lines); err != nil {
		p.t.Fatal(err)
	}
}

// stale returns the titles of the stale memories, with reasons.
func (p person) stale() []string {
	return dbtest.Texts(p.t, p.DB, `select title || ' ' || reason from stale order by 1`)
}

// Two stores create the same edge separately, and one or both verify the memory that it
// makes stale. The memory stays verified, whichever store merges first.
func TestVerificationsTravelToAnEdgeThatTwoStoresMadeApart(t *testing.T) {
	dbtest.SkipUnderRace(t)
	type sort struct {
		name, kind string
		verifies   [2]bool // whether the first person verifies, and the second
	}
	sorts := []sort{}
	for _, kind := range []string{"supersedes", "contradicts"} {
		for where, verifies := range map[string][2]bool{" in the first": {true, false}, " in the second": {false, true}, " in both": {true, true}} {
			sorts = append(sorts, sort{kind + where, kind, verifies})
		}
	}
	for order, otherWay := range map[string]bool{"OneWay": false, "TheOtherWay": true} {
		t.Run(order, func(t *testing.T) {
			a, b, c := newPerson(t), newPerson(t), newPerson(t)
			for _, s := range sorts {
				a.store("Ground " + s.name)
				a.store("Newer " + s.name)
				a.store("Claim "+s.name, memory.NewLink{To: "Ground " + s.name, Type: "depends-on"})
			}
			syncBoth(t, a.DB, b.DB)
			syncBoth(t, a.DB, c.DB)
			for _, s := range sorts {
				for n, p := range []person{a, b} {
					p.link("Newer "+s.name, s.kind, "Ground "+s.name)
					if s.verifies[n] {
						p.verify("Claim " + s.name)
					}
				}
			}
			one, other := a.DB, b.DB
			if otherWay {
				one, other = other, one
			}
			mergeFrom(t, c.DB, one)
			mergeFrom(t, c.DB, other)
			syncBoth(t, one, other)
			syncBoth(t, c.DB, one)
			mergeFrom(t, other, one) // the number of revisions
			for _, p := range []person{a, b, c} {
				if stale := p.stale(); len(stale) > 0 {
					t.Errorf("stale: %q", stale)
				}
				before := export(t, p.DB)
				if done := mergeFrom(t, p.DB, one); done.Changes() {
					t.Errorf("another merge changes (-before +after)\n%s", cmp.Diff(before, export(t, p.DB)))
				}
			}
			// Another successor is another reason.
			for _, s := range sorts {
				a.unlink("Newer "+s.name, s.kind, "Ground "+s.name)
				a.store("Newest " + s.name)
				a.link("Newest "+s.name, s.kind, "Ground "+s.name)
			}
			if stale := a.stale(); len(stale) != len(sorts) {
				t.Errorf("stale: %q", stale)
			}
		})
	}
}

// A note has a different id in each store. A verification against it is merged by its uri,
// and not before the note is imported.
func TestVerificationsAgainstNotesTravel(t *testing.T) {
	note := func(id string) string {
		return `{"type":"memory","id":"` + id + `","kind":"note","title":"Plan","content":"Plan.","origin":"vault","uri":"obsidian-fs://v/Plan.md"}` + "\n"
	}
	a, b := newPerson(t), newPerson(t)
	a.take(note("plan-of-a"))
	a.store("Middle", memory.NewLink{To: "Plan", Type: "depends-on"})
	a.store("Claim", memory.NewLink{To: "Middle", Type: "depends-on"})
	mustWrite(t, a.DB, `update memories set content = 'Changed.', content_hash = 'changed' where title = 'Plan'`)
	a.verify("Claim")
	mergeFrom(t, b.DB, a.DB)
	if n := dbtest.Count(t, b.DB, `select count(*) from verifications`); n != 0 {
		t.Errorf("%d verifications against a note that is not here", n)
	}
	b.take(strings.ReplaceAll(note("plan-of-b"), "Plan.\"", "Changed.\""))
	mustWrite(t, b.DB, `update memories set content_hash = 'changed' where title = 'Plan'`)
	for range 2 {
		mergeFrom(t, b.DB, a.DB)
		mergeFrom(t, a.DB, b.DB)
	}
	want := []string{"Middle changed"}
	if diff := cmp.Diff(want, a.stale()); diff != "" {
		t.Errorf("there (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, b.stale()); diff != "" {
		t.Errorf("here (-want +got):\n%s", diff)
	}
	if done := mergeFrom(t, b.DB, a.DB); done.Changes() {
		t.Errorf("another merge changes %+v", done)
	}
}

func mustWrite(t *testing.T, d *db.DB, statement string, args ...any) {
	t.Helper()
	if _, err := d.Write(t.Context(), "tester", db.Now(), db.S(statement, args...)); err != nil {
		t.Fatal(err)
	}
}

// Edges to notes and code are merged by uri, and stay unsettled until it is imported.
func TestEdgesToNotesAndSymbolsTravelByTheirURIs(t *testing.T) {
	files := func(who string) string {
		return `{"type":"memory","id":"plan-of-` + who + `","kind":"note","title":"Plan","content":"Plan.","origin":"vault","uri":"obsidian-fs://v/Plan.md"}
{"type":"memory","id":"open-of-` + who + `","kind":"code","title":"db.Open","content":"func Open()","origin":"code","uri":"code://r/db#Open"}
`
	}
	a, b := newPerson(t), newPerson(t)
	a.take(files("a"))
	a.store("Decision", memory.NewLink{To: "Plan", Type: "derived-from"}, memory.NewLink{To: "code://r/db#Open", Type: "depends-on"}, memory.NewLink{From: "Plan", Type: "supports"})
	ends := func(p person) []string {
		return dbtest.Texts(t, p.DB, `
select iif(f.uri is null, f.title, f.id) || ' ' || e.kind || ' ' || iif(t.uri is null, t.title, t.id)
from edges e
join memories f on f.key = e.from_key
join memories t on t.key = e.to_key
order by 1`)
	}
	done := mergeFrom(t, b.DB, a.DB)
	if got := ends(b); len(got) != 0 || len(done.Settle) != 3 {
		t.Errorf("without the files: %q, to settle %+v", got, done.Settle)
	}
	if n := dbtest.Count(t, b.DB, `select count(*) from memories`); n != 1 {
		t.Errorf("%d memories came, and notes and code are not carried", n)
	}
	b.take(files("b"))
	mergeFrom(t, b.DB, a.DB)
	if diff := cmp.Diff([]string{"Decision depends-on open-of-b", "Decision derived-from plan-of-b", "plan-of-b supports Decision"}, ends(b)); diff != "" {
		t.Errorf("with the files (-want +got):\n%s", diff)
	}
	b.link("Decision", "relates-to", "Plan")
	mergeFrom(t, a.DB, b.DB)
	if diff := cmp.Diff([]string{"Decision depends-on open-of-a", "Decision derived-from plan-of-a", "Decision relates-to plan-of-a", "plan-of-a supports Decision"}, ends(a)); diff != "" {
		t.Errorf("and back (-want +got):\n%s", diff)
	}
	a.unlink("Decision", "depends-on", "code://r/db#Open")
	mergeFrom(t, b.DB, a.DB)
	if got := ends(b); len(got) != 3 {
		t.Errorf("what was unlinked there is still here: %q", got)
	}
}

// Removals are remembered for the number of days that a person sets, 180 by default. A store
// that was not merged for longer brings removed edges and memories back.
func TestRemovalsExpire(t *testing.T) {
	for name, c := range map[string]struct {
		keep, age int // days; keep 0: the default
		returns   bool
	}{
		"Young":          {0, 170, false},
		"Old":            {0, 190, true},
		"OldAndKeptLong": {365, 190, false},
		"KeptShortly":    {10, 20, true},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := newPerson(t), newPerson(t)
			a.store("One")
			a.store("Two", memory.NewLink{To: "One", Type: "causes"})
			a.store("Secret")
			syncBoth(t, a.DB, b.DB)
			if c.keep > 0 {
				mustWrite(t, a.DB, `update store set keep_days = ?`, c.keep)
			}
			a.unlink("Two", "causes", "One")
			if _, err := (memory.Store{DB: a.DB, Caller: a.caller()}).Forget(t.Context(), memory.ForgetArgs{ID: "Secret", Purge: true}); err != nil {
				t.Fatal(err)
			}
			mustWrite(t, a.DB, `update unlinked set at = strftime('%Y-%m-%dT%H:%M:%fZ', ?, ?)`, db.Now(), ageOf(c.age))
			mustWrite(t, a.DB, `update purged set at = strftime('%Y-%m-%dT%H:%M:%fZ', ?, ?)`, db.Now(), ageOf(c.age))
			mustWrite(t, b.DB, `update edges set created_at = '2020-01-01T00:00:00.000Z'`)
			other := newPerson(t)
			other.store("Anything") // old removals are deleted by the next merge that writes
			mergeFrom(t, a.DB, other.DB)
			kept := strings.Count(export(t, a.DB), `"type":"unlinked"`) + strings.Count(export(t, a.DB), `"type":"purged"`)
			mergeFrom(t, a.DB, b.DB)
			back := dbtest.Count(t, a.DB, `select (select count(*) from edges) + (select count(*) from memories where title = 'Secret')`)
			if want := map[bool][2]int{false: {2, 0}, true: {0, 2}}[c.returns]; kept != want[0] || back != want[1] {
				t.Errorf("%d removals are kept, %d come back; want %v", kept, back, want)
			}
		})
	}
}

func ageOf(days int) string { return fmt.Sprintf("-%d days", days) }
