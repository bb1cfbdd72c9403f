package projection_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/projection"
)

func TestMain(m *testing.M) {
	projection.HurryUp(100 * time.Millisecond)
	os.Exit(m.Run())
}

// keeperLog collects the reports and errors of a keeper.
type keeperLog struct {
	mutex   sync.Mutex
	reports []projection.Report
	errs    []error
}

func (l *keeperLog) each(_ projection.Vault, r projection.Report, err error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if err != nil {
		l.errs = append(l.errs, err)
	} else {
		l.reports = append(l.reports, r)
	}
}

// counts returns the number of notes that were added, and of those changed otherwise.
func (l *keeperLog) counts() (added, changed int) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for _, r := range l.reports {
		added += r.Added
		changed += r.Updated + r.Moved + r.Removed
	}
	return added, changed
}

func (l *keeperLog) errors() []error {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return slices.Clone(l.errs)
}

// keep keeps the vaults of the folder's store until the test ends or the
// returned function is called.
func (f world) keep(watches func(string) error) (k *projection.Keeper, l *keeperLog, stop func()) {
	f.Helper()
	ctx, cancel := context.WithCancel(f.Context())
	l = &keeperLog{}
	k = f.mirror.KeepWith(ctx, l.each, watches)
	stop = func() {
		cancel()
		k.Wait()
	}
	f.Cleanup(stop)
	return k, l, stop
}

func always(string) error { return nil }

// never refuses to watch any folder, like a system without free watches.
func never(dir string) error {
	return fault.Wrap(fault.Unavailable, projection.ErrUnwatchable, "watch %s", dir)
}

// untilLook calls Look until a query returns some lines.
func (f world) untilLook(k *projection.Keeper, want []string, query string) {
	f.Helper()
	var got []string
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		if k.Look(f.Context(), ""); slices.Equal(want, f.rows(query)) {
			return
		}
		got = f.rows(query)
	}
	f.Errorf("%s: %v, want %v", query, got, want)
}

func TestKeepTakesInWhatIsEditedAndNewVaults(t *testing.T) {
	f := newWorld(t, map[string]string{"a.kv": "x=1"})
	f.imports()
	f.write("before.kv", "text=edited before the keeper came")
	f.keep(always)
	f.until(uris("a.kv", "before.kv"), currentNotes)
	f.save("b.kv", "new=1")
	f.until(uris("a.kv", "b.kv", "before.kv"), currentNotes)

	g := newWorld(t, map[string]string{"c.kv": "x=1"})
	g.mirror.DB = f.mirror.DB
	if _, err := g.mirror.Import(t.Context(), projection.ImportArgs{Dir: g.dir, Name: "later"}); err != nil {
		t.Fatal(err)
	}
	g.save("d.kv", "text=in a vault that came later")
	g.until([]string{"c", "d"}, `select title from memories where uri like 'toy://later/%' and status <> 'forgotten' order by 1`)
}

// A folder that cannot be watched is compared at each call of Look. The keeper reports once
// that it cannot watch it.
func TestKeepLooksAtWhatCannotBeWatched(t *testing.T) {
	f := newWorld(t, map[string]string{"a.kv": "x=1"})
	f.imports()
	k, l, _ := f.keep(never)
	for _, edit := range []struct {
		do   func()
		want []string
	}{
		{func() { f.save("b.kv", "new=1") }, uris("a.kv", "b.kv")},
		{func() { f.remove("a.kv") }, uris("b.kv")},
		{func() { f.move("b.kv", "c.kv") }, uris("c.kv")},
	} {
		edit.do()
		f.untilLook(k, edit.want, currentNotes)
	}
	if said := l.errors(); len(said) != 1 || !errors.Is(said[0], projection.ErrUnwatchable) {
		t.Errorf("the keeper says %v, want once that the folder cannot be watched", said)
	}
	k.Look(t.Context(), "another namespace")
}

// A slow import does not block the call of Look, and continues after it.
func TestKeepDoesNotMakeCallsWait(t *testing.T) {
	f := newWorld(t, map[string]string{"a.kv": "x=1"})
	f.imports()
	f.write("b.kv", "new=1")
	stuck, free := make(chan struct{}), make(chan struct{})
	var once sync.Once
	f.mirror.Progress = func(int, int) {
		once.Do(func() {
			close(stuck)
			<-free
		})
	}
	k, _, _ := f.keep(never)
	<-stuck
	looked := make(chan struct{})
	go func() {
		k.Look(t.Context(), "")
		close(looked)
	}()
	select {
	case <-looked:
	case <-time.After(patience):
		t.Error("a call waits for a look that does not end")
	}
	close(free)
	f.untilLook(k, uris("a.kv", "b.kv"), currentNotes)
}

// forgetByHand deletes the vault v and its memories as the sqlite3 shell can.
func (f world) forgetByHand() {
	f.Helper()
	dbtest.Script(f.T, f.mirror.DB.Path(), `delete from memories where uri like 'toy://v/%'; delete from mirrors where name = 'v'`)
}

// A change of a file in a forgotten vault does not import the vault again, and a moved vault
// is not imported from its old folder.
func TestKeepLeavesForgottenVaultsAlone(t *testing.T) {
	for name, watches := range map[string]func(string) error{"Watched": always, "LookedAt": never} {
		t.Run(name, func(t *testing.T) {
			f := newWorld(t, map[string]string{"a.kv": "x=1"})
			g := newWorld(t, map[string]string{"other.kv": "y=1"})
			g.mirror.DB = f.mirror.DB
			f.imports()
			if _, err := g.mirror.Import(t.Context(), projection.ImportArgs{Dir: g.dir, Name: "witness"}); err != nil {
				t.Fatal(err)
			}
			k, _, _ := f.keep(watches)
			f.save("b.kv", "text=kept")
			f.untilLook(k, []string{"a", "b"}, `select title from memories where uri like 'toy://v/%' order by 1`)
			f.forgetByHand()
			f.save("c.kv", "text=edited after it was forgotten")
			g.save("later.kv", "text=seen by the same keeper, so that the edit before was too")
			g.untilLook(k, []string{"later", "other"}, `select title from memories where uri like 'toy://witness/%' order by 1`)
			if got := f.rows(`select name from mirrors`); !slices.Equal(got, []string{"witness"}) {
				t.Errorf("the vaults are %v, and v was forgotten", got)
			}
		})
	}
}

// A vault that is forgotten while an import of it reads files is not inserted again by the import.
func TestImportLeavesAVaultThatIsForgottenMeanwhileAlone(t *testing.T) {
	f := newWorld(t, map[string]string{"a.kv": "x=1"})
	f.imports()
	f.write("b.kv", "new=1")
	var once sync.Once
	f.mirror.Progress = func(int, int) {
		once.Do(func() {
			f.forgetByHand()
		})
	}
	_, err := f.mirror.Import(t.Context(), projection.ImportArgs{Dir: f.dir, Name: "v"})
	if fault.CodeOf(err) != fault.NotFound {
		t.Errorf("the import says %v, want not_found", err)
	}
	if got := f.rows(`select name from mirrors`); len(got) > 0 {
		t.Errorf("the vaults are %v, and v was forgotten", got)
	}
}

// Two servers keep one vault: each edit is imported once, and both continue.
func TestTwoKeepersDoNotFight(t *testing.T) {
	f := newWorld(t, map[string]string{"a.kv": "x=1", "b.kv": "import=a"})
	f.imports()
	_, one, stopOne := f.keep(always)
	_, two, stopTwo := f.keep(always)
	want := []string{"a.kv", "b.kv"}
	for _, name := range []string{"c.kv", "d.kv", "e.kv", "f.kv", "g.kv"} {
		f.save(name, "import=a\nfrom="+name)
		want = append(want, name)
		f.until(uris(want...), currentNotes)
	}
	counts := func() (added, changed int) {
		for _, l := range []*keeperLog{one, two} {
			a, c := l.counts()
			added, changed = added+a, changed+c
		}
		return added, changed
	}
	// A note is in the store before its import is finished, and a stop would interrupt that.
	untilAdded := func(notes int) {
		for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
			if added, _ := counts(); added >= notes {
				return
			}
		}
	}
	untilAdded(5)
	stopOne()
	f.save("h.kv", "text=the other goes on")
	f.until(uris(append(want, "h.kv")...), currentNotes)
	untilAdded(6)
	stopTwo()
	added, changed := counts()
	for _, l := range []*keeperLog{one, two} {
		if said := l.errors(); len(said) > 0 {
			t.Errorf("a keeper says %v", said)
		}
	}
	// The keeper may import a file while it is being written, and update it after that.
	if added != 6 {
		t.Errorf("%d notes were added and %d changed, want 6 added: each once", added, changed)
	}
	if n := dbtest.Count(t, f.mirror.DB, `select count(*) from journal where action = 'store'`); n != 8 {
		t.Errorf("the journal has %d memories stored, want 8", n)
	}
	if again := f.imports(); again.HasChanged() {
		t.Errorf("an import after both changes something: %+v", again)
	}
}

// A folder that does not exist when the keeper starts is kept once it exists.
func TestKeepTakesUpAFolderThatComesLater(t *testing.T) {
	f := newWorld(t, map[string]string{"a.kv": "x=1"})
	f.imports()
	away := f.dir + " away"
	rename(t, f.dir, away)
	_, l, _ := f.keep(always)
	for deadline := time.Now().Add(patience); len(l.errors()) == 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("nobody says that the folder is not there")
		}
	}
	if err := l.errors()[0]; fault.CodeOf(err) != fault.NotFound {
		t.Errorf("the keeper says %v, want not_found", err)
	}
	if err := os.WriteFile(filepath.Join(away, "b.kv"), []byte("new=1"), 0o644); err != nil {
		t.Fatal(err)
	}
	rename(t, away, f.dir)
	f.until(uris("a.kv", "b.kv"), currentNotes)
}
