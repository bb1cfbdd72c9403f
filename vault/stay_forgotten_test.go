package vault_test

import (
	"testing"

	"hence/internal/db/dbtest"
	"hence/memory"
)

func TestAForgottenNoteComesBackOnlyWhenItIsEdited(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "the API is at /v1", "b.md": "rests on [[a]]"})
	f.Imports()
	store := memory.Store{DB: f.Importer.DB, Caller: f.Importer.Caller}
	if _, err := store.Forget(t.Context(), memory.ForgetArgs{ID: f.ID("a.md"), Reason: "wrong"}); err != nil {
		t.Fatal(err)
	}
	forgotten := dbtest.Texts(t, f.Importer.DB, `select json_array(forgotten_at, forget_reason) from memories where status = 'forgotten'`)
	state := func() []string {
		return dbtest.Texts(t, f.Importer.DB, `select json_array(forgotten_at, forget_reason) from memories where uri like '%/a.md'`)
	}
	for name, change := range map[string]func(){
		"every file is read again":   func() { f.Write(".hence.yaml", "mute: [x]\n") },
		"the file has another time":  func() { f.Touch("a.md") },
		"the store was not finished": func() { f.Exec(`update mirrors set extraction = 0`) },
	} {
		change()
		if f.Imports(); len(forgotten) != 1 || len(state()) != 1 || state()[0] != forgotten[0] {
			t.Errorf("%s: it is forgotten as %q, was as %q", name, state(), forgotten)
		}
	}
	f.Write("a.md", "the API is at /v2")
	if f.Imports(); len(dbtest.Texts(t, f.Importer.DB, `select 1 from memories where status = 'forgotten'`)) > 0 {
		t.Error("edited: it is forgotten")
	}
}
