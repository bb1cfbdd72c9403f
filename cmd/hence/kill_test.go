package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory/exchange/lines"
	"hence/memory/journal"
	"hence/vault"
	"hence/vault/writing"
)

// importUntilRefused is a program that imports a file of lines or a folder of
// notes, and kills itself when the store refuses a batch: nothing is closed,
// and nothing more is said. Its arguments are the source and the store.
func importUntilRefused() {
	ctx, source, path := context.Background(), os.Args[1], os.Args[2]
	d, err := db.Open(ctx, path, db.Options{State: path + "-state"})
	if err == nil {
		err = importAny(ctx, d, source)
	}
	if err != nil {
		killSelf()
	}
	_ = d.Close()
}

// writeUntilRefused is a program that overwrites the note a.md of the vault in a
// store, and kills itself in the same way.
func writeUntilRefused() {
	ctx, text := context.Background(), "overwritten"
	d, err := db.Open(ctx, os.Args[1], db.Options{State: os.Args[1] + "-state"})
	if err == nil {
		_, err = writing.New(ref.View{DB: d, Caller: ref.Caller{Actor: "agent"}}).UpdateNote(ctx, writing.UpdateNoteArgs{Path: "a", Mode: "replace", Content: &text})
	}
	if err != nil {
		killSelf()
	}
	_ = d.Close()
}

// killSelf ends this process as kill -9 does.
func killSelf() {
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Kill()
	}
}

func importAny(ctx context.Context, d *db.DB, source string) error {
	caller := ref.Caller{Actor: "importer", Origin: "person"}
	if filepath.Ext(source) != ".jsonl" {
		_, err := vault.Importer{DB: d, Caller: caller}.Import(ctx, vault.ImportArgs{Dir: source, Name: "v"})
		return err
	}
	in, err := os.Open(source)
	if err != nil {
		return err
	}
	defer in.Close()
	_, err = lines.Import(ctx, ref.View{DB: d, Caller: caller}, in, lines.ImportArgs{Name: source})
	return err
}

// imported is all that an import makes of one source, told without what
// differs from one import to the next: keys, times, and ids of notes, and how
// often a note was read.
var imported = map[string]string{
	"memories": `select json_array(coalesce(uri, id), namespace, kind, title, content, aliases, tags, properties, status, importance, pinned, origin, actor, content_hash, sectioned, iif(uri is null, revision, 1)) from memories order by 1`,
	"sections": `select json_array(coalesce(m.uri, m.id), ordinal, heading, level, start_line, end_line, (select body from section_text t where t.key = s.key)) from sections s join memories m on m.key = s.memory order by 1`,
	"edges": `select json_array(coalesce(f.uri, f.id), e.kind, coalesce(t.uri, t.id), rel, weight, e.origin, e.actor, note, declared, basis)
from edges e join memories f on f.key = e.from_key join memories t on t.key = e.to_key order by 1`,
	"sites": `select json_array(m.uri, s.kind, s.rel, backward, s.origin, target, target_key, anchor, display, line, start_byte, end_byte, (select c.context from site_contexts c where c.site = s.key), lenient, resolved_by, refused, edge is null)
from sites s join memories m on m.key = s.note order by 1`,
	"files":   `select json_array(path, size, modified, file_hash, warnings) from files order by 1`,
	"vaults":  `select json_array(name, namespace, extraction) from mirrors order by 1`,
	"stale":   `select json_array(title, because_title, reason) from stale order by 1`,
	"journal": `select json_array(action, thing, iif(thing = 'memory', (select coalesce(m.uri, m.id) from memories m where m.id = j.id), '')) from journal j order by 1`,
}

func everything(t *testing.T, d *db.DB) map[string][]string {
	all := map[string][]string{}
	for name, query := range imported {
		all[name] = dbtest.Texts(t, d, query)
	}
	return all
}

// bigLines are lines of which three make a batch.
func bigLines(t *testing.T) string {
	const (
		memories = 5
		bytes    = 350_000
	)
	blank := strings.Repeat(" ", bytes)
	var text strings.Builder
	for n := range memories {
		fmt.Fprintf(&text, `{"type":"memory","id":"m%d","title":"M","content":"words%sof %d","created_at":"2026-01-01T00:00:00Z"}`+"\n", n, blank, n)
		if n > 0 {
			fmt.Fprintf(&text, `{"type":"edge","id":"e%d","from":"m%d","to":"m%d","edge_type":"%s","note":"because%sof it","created_at":"2026-01-01T00:00:00Z"}`+"\n",
				n, n, n-1, []string{"depends-on", "supersedes"}[n%2], blank)
		}
	}
	path := filepath.Join(dbtest.Folder(t), "big.jsonl")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// manyNotes is a vault of several batches.
func manyNotes(t *testing.T) string {
	folder := dbtest.Folder(t)
	for n := range 230 {
		text := fmt.Sprintf("---\ntags: [t%d]\ndepends-on: \"[[n%d]]\"\n---\n# One\n\n[[n%d]] and [[nowhere]]\n\n## Two\n\nn%d\n", n%7, n/2, n+100, n+1)
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("n%d.md", n)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// An import is killed between any two of its batches. What it wrote until then
// is there in whole batches, and importing again makes of it what an import
// makes that was never killed.
func TestAnImportKilledBetweenAnyTwoBatchesGoesOn(t *testing.T) {
	dbtest.SkipUnderRace(t)
	killed, err := exec.LookPath("hence-killed")
	if err != nil {
		t.Fatal(err)
	}
	empty := dbtest.NewEmpties(t)
	for name, source := range map[string]string{"Lines": bigLines(t), "Vault": manyNotes(t)} {
		t.Run(name, func(t *testing.T) {
			unbroken := dbtest.New(t)
			if err := importAny(t.Context(), unbroken, source); err != nil {
				t.Fatal(err)
			}
			want := everything(t, unbroken)
			batches := dbtest.Count(t, unbroken, `select batch from writer`)
			const fewest = 4
			if batches < fewest {
				t.Fatalf("only %d batches: the source is too small", batches)
			}
			for n := range batches {
				if crashing(t) == 0 && !slices.Contains([]int{0, 1, batches / 2, batches - 1}, n) {
					continue // make soak has the time
				}
				d, _ := empty.Next(t)
				path := d.Path()
				if err := d.Close(); err != nil {
					t.Fatal(err)
				}
				end := dbtest.RefuseAfter(t, path, n)
				var exit *exec.ExitError
				if err := exec.Command(killed, source, path).Run(); !errors.As(err, &exit) || exit.ExitCode() != -1 {
					t.Fatalf("after %d batches the import was not killed: %v", n, err)
				}
				if d, err = db.Open(t.Context(), path, db.Options{State: path + "-state"}); err != nil {
					t.Fatal(err)
				}
				if problems, err := d.Check(t.Context()); err != nil || len(problems) > 0 {
					t.Errorf("after %d batches the file is not whole: %q, %v", n, problems, err)
				}
				if batches := dbtest.Count(t, d, `select batch from writer`); batches != n {
					t.Errorf("%d batches are there, want %d", batches, n)
				}
				if _, err := d.Write(t.Context(), "", "", db.S(`delete from expectation`)); err == nil {
					t.Error("the killing goes on")
				}
				if err := d.Close(); err != nil {
					t.Fatal(err)
				}
				end()
				goesOn(t, path, source, want)
			}
		})
	}
}

func goesOn(t *testing.T, path, source string, want map[string][]string) {
	t.Helper()
	d, err := db.Open(t.Context(), path, db.Options{State: path + "-state"})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if err := importAny(t.Context(), d, source); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, everything(t, d)); diff != "" {
		t.Errorf("(-never killed +killed and imported again):\n%.3000s", diff)
	}
	if problems, err := d.Check(t.Context()); err != nil || len(problems) > 0 {
		t.Errorf("the file is not whole: %q, %v", problems, err)
	}
	if _, err := d.Write(t.Context(), "", db.Now(), db.S(`insert into section_search (section_search, rank) values ('integrity-check', 1)`)); err != nil {
		t.Errorf("the full-text index is not that of the text: %v", err)
	}
}

// A write of a note is killed between any two of its batches. Undo takes it back
// where the file was written, and what was before it where it was not.
func TestAKilledWriteCanBeUndone(t *testing.T) {
	dbtest.SkipUnderRace(t)
	killed, err := exec.LookPath("hence-writes-killed")
	if err != nil {
		t.Fatal(err)
	}
	for n, whole := 0, false; !whole; n++ {
		folder, d := dbtest.Folder(t), dbtest.New(t)
		note := filepath.Join(folder, "a.md")
		if err := os.WriteFile(note, []byte("first"), 0o600); err != nil {
			t.Fatal(err)
		}
		v, ctx, second := ref.View{DB: d, Caller: ref.Caller{Actor: "person"}}, t.Context(), "second"
		w := writing.New(v)
		if _, err := (vault.Importer{DB: d, Caller: v.Caller}).Import(ctx, vault.ImportArgs{Dir: folder}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.UpdateNote(ctx, writing.UpdateNoteArgs{Path: "a", Mode: "replace", Content: &second}); err != nil {
			t.Fatal(err)
		}
		end := dbtest.RefuseAfter(t, d.Path(), n)
		whole = exec.Command(killed, d.Path()).Run() == nil
		end()
		text, err := os.ReadFile(note)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"second": "first", "overwritten": "second"}[string(text)]
		if written := string(text) == "overwritten"; written != (n > 0) || whole && n < 3 {
			t.Fatalf("killed after %d batches the note says %q", n, text)
		}
		done, ok, err := w.Undo(ctx, journal.UndoArgs{})
		if err != nil || !ok {
			t.Fatalf("killed after %d batches: %v", n, err)
		}
		if text, err = os.ReadFile(note); err != nil || string(text) != want {
			t.Errorf("killed after %d batches and undone, the note says %q, want %q; %+v", n, text, want, done)
		}
		if got := dbtest.Texts(t, d, `select content from memories`); !cmp.Equal(got, []string{want}) {
			t.Errorf("killed after %d batches and undone, the store says %q, want %q", n, got, want)
		}
		if n := dbtest.Count(t, d, `select count(*) from batches where done = 0`); n != 0 {
			t.Errorf("%d batches are under way for ever", n)
		}
	}
}
