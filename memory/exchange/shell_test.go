package exchange_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/exchange/lines"
	"hence/memory/exchange/merge"
	"hence/memory/exchange/team"
)

// beforeBatch is a context that calls a function when a batch is about to begin: its writer asks
// the context for a receipt.
type beforeBatch struct {
	context.Context
	do func()
}

func (c beforeBatch) Value(key any) any {
	if fmt.Sprintf("%T", key) == "db.receiptKey" {
		c.do()
	}
	return c.Context.Value(key)
}

// setAhead sets the clock of a store ahead.
func setAhead(p person) {
	if _, err := p.Write(p.t.Context(), "", db.Time(time.Now().AddDate(1, 0, 0)), db.S(`select 1`)); err != nil {
		p.t.Fatal(err)
	}
}

// The sqlite3 shell edits a memory that Hence also takes an edit of in, before it is read or
// between a plan and its batch. Its text is stamped, so it is an edit apart and is not lost.
func TestAnEditByTheShellMeanwhileIsStamped(t *testing.T) {
	dbtest.SkipOnCluster(t, "edits by hand are refused there")
	const shell = `update memories set content = 'by hand', tags = '["shell"]' where title = 'Plan'`
	for name, takes := range map[string]func(ctx context.Context, here, there person, dir string) error{
		"Merge": func(ctx context.Context, here, there person, _ string) error {
			_, err := merge.Lines(ctx, ref.View{DB: here.DB, Caller: here.caller()}, strings.NewReader(export(t, there.DB)), lines.ImportArgs{Name: "OTHER"})
			return err
		},
		"Stores": func(ctx context.Context, here, there person, _ string) error {
			_, err := merge.Stores(ctx, ref.View{DB: here.DB, Caller: here.caller()}, ref.View{DB: there.DB}, lines.ImportArgs{Name: "OTHER"})
			return err
		},
		"Import": func(ctx context.Context, here, there person, _ string) error {
			_, err := lines.Import(ctx, ref.View{DB: here.DB, Caller: here.caller()}, strings.NewReader(export(t, there.DB)), lines.ImportArgs{Name: "FILE"})
			return err
		},
		"Team": func(ctx context.Context, here, _ person, dir string) error {
			_, err := team.Sync(ctx, ref.View{DB: here.DB, Caller: here.caller()}, team.Args{Dir: dir, First: true})
			return err
		},
	} {
		for _, isBefore := range []bool{true, false} {
			t.Run(fmt.Sprint(name, " before: ", isBefore), func(t *testing.T) {
				here, there, dir := newPerson(t), newPerson(t), t.TempDir()
				there.store("Plan")
				there.edit("Plan", "which all have seen")
				mergeFrom(t, here.DB, there.DB)
				setAhead(there)
				there.edit("Plan", "there")
				if _, err := team.Sync(t.Context(), ref.View{DB: there.DB, Caller: there.caller()}, team.Args{Dir: dir, First: true}); err != nil {
					t.Fatal(err)
				}
				edit := sync.OnceFunc(func() { dbtest.Script(t, here.Path(), shell) })
				if isBefore {
					edit()
				}
				if err := takes(beforeBatch{t.Context(), edit}, here, there, dir); err != nil {
					t.Fatal(err)
				}
				texts := dbtest.Texts(t, here.DB, `select content from memories where content = 'by hand'`)
				stamps := dbtest.Texts(t, here.DB, `select s.field from stamps s join memories m on m.id = s.id where m.title = 'Plan' and s.field in ('content', 'tag:shell') order by 1`)
				if len(texts) != 1 || cmp.Diff([]string{"content", "tag:shell"}, stamps) != "" {
					t.Errorf("the text of the shell is there %d times; stamps %q of %s", len(texts), stamps, export(t, here.DB))
				}
			})
		}
	}
}

// What the shell changed since the last sync is no edit of the folder's file by hand.
func TestAFolderIsNotEditedWhenTheShellEditsTheStore(t *testing.T) {
	dbtest.SkipOnCluster(t, "edits by hand are refused there")
	p, dir := newPerson(t), t.TempDir()
	setAhead(p)
	p.store("Plan")
	for _, tags := range []string{`[]`, `["a","b","c","d","e","f","g","h"]`, `["a","h"]`} {
		if tags != `[]` {
			dbtest.Script(t, p.Path(), fmt.Sprintf(`update memories set tags = '%s'`, tags))
		}
		done, err := team.Sync(t.Context(), ref.View{DB: p.DB, Caller: p.caller()}, team.Args{Dir: dir, First: true})
		if got := dbtest.Texts(t, p.DB, `select tags from memories`); err != nil || done.Merged.Changes() || len(done.Written) == 0 || cmp.Diff([]string{tags}, got) != "" {
			t.Errorf("%+v, %v; tags %q, want %q", done, err, got, tags)
		}
	}
}

// What the shell changed has its stamps in an export too if the store is open for reading only, as
// it has them once the store is opened for writing.
func TestAReadOnlyExportHasTheStampsOfTheShell(t *testing.T) {
	dbtest.SkipOnCluster(t, "edits by hand are refused there")
	p, other := newPerson(t), newPerson(t)
	p.store("Plan")
	p.store("Aim", memory.NewLink{To: "Plan", Type: "depends-on"})
	mergeFrom(t, other.DB, p.DB)
	other.edit("Plan", "there")
	dbtest.Script(t, p.Path(), `
update memories set content = 'by hand', tags = '["shell"]' where title = 'Plan';
update edges set note = 'by hand'`)
	reader, err := db.Open(t.Context(), p.Path(), db.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	unstamped := func() bool {
		return len(dbtest.Texts(t, reader, `select 1 from journal where seq > (select kept from writer)`)) > 0
	}
	if !unstamped() {
		t.Fatal("no change waits for its stamps")
	}
	s, outcomes := ref.View{DB: reader}, []string{}
	for _, write := range []func(context.Context, ref.View, io.Writer) (lines.Exported, error){lines.Export, lines.ExportCarried} {
		var out bytes.Buffer
		if _, err := write(t.Context(), s, &out); err != nil {
			t.Fatal(err)
		}
		outcomes = append(outcomes, out.String())
	}
	dry, err := merge.Lines(t.Context(), s, strings.NewReader(export(t, other.DB)), lines.ImportArgs{Name: "OTHER", DryRun: true})
	if err != nil || len(dry.Settle) != 1 {
		t.Errorf("a dry run of a merge: %+v, %v, want two texts to settle", dry, err)
	}
	if !unstamped() {
		t.Fatal("the store was written to")
	}
	want := export(t, p.DB) // does the upkeep
	for _, got := range outcomes {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("read-only, it differs (-want +got):\n%s", diff)
		}
	}
}

// So has a sync with a team's folder, which then writes nothing: neither an edit of the shell nor the file of the text before
// it is taken for the folder's change.
func TestAReadOnlySyncHasTheStampsOfTheShell(t *testing.T) {
	dbtest.SkipOnCluster(t, "edits by hand are refused there")
	for _, text := range []string{"0", "zz"} { // before and behind the other text
		f := newTeamFolder(t)
		f.store("Plan")
		f.edit("Plan", "by Hence")
		f.sync()
		dbtest.Script(t, f.Path(), `update memories set content = '`+text+`' where title = 'Plan'`)
		reader, err := db.Open(t.Context(), f.Path(), db.Options{ReadOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		defer reader.Close()
		readOnly, file := teamFolder{person{t, reader}, f.dir}, filepath.Base(f.path("plan"))
		done, err := readOnly.try(team.Args{})
		if err != nil || done.Merged.Changes() || !done.Waits || cmp.Diff([]string{file}, done.Written) != "" {
			t.Errorf("%s: %+v, %v; want that %s would be written", text, done, err, file)
		}
		if _, err := readOnly.try(team.Args{First: true}); fault.CodeOf(err) != fault.ReadOnly || !strings.Contains(err.Error(), "1 file would be written") {
			t.Errorf("%s: %v", text, err)
		}
		f.change(f.path("plan"), replaced("by Hence", "by a person"))
		if _, err := readOnly.try(team.Args{First: true}); fault.CodeOf(err) != fault.ReadOnly {
			t.Errorf("%s: it merged: %v", text, err)
		}
		if n := len(dbtest.Texts(t, reader, `select 1 from journal where seq > (select kept from writer)`)); n != 1 {
			t.Errorf("%s: %d changes wait, want 1", text, n)
		}
	}
}
