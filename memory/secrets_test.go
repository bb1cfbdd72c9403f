package memory_test

import (
	"slices"
	"strings"
	"testing"

	"hence/edges"
	"hence/edges/belief"
	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/memory"
)

// keyOf returns a text with the shape of an access key.
func keyOf(letter string) string { return "AK" + "IA" + strings.Repeat(letter+"7", 8) }

// TestSecretsDoNotEnter writes a key into every text that a call stores, and looks
// for it in every table.
func TestSecretsDoNotEnter(t *testing.T) {
	s := newStore(t)
	remember(t, s, "other")
	remember(t, s, "old")
	warned := func(operation string, warnings []string, want string) {
		t.Helper()
		if !slices.ContainsFunc(warnings, func(w string) bool { return strings.Contains(w, want) }) {
			t.Errorf("%s warns %q, want %q", operation, warnings, want)
		}
	}
	title := "made " + keyOf("A")
	a := memory.StoreArgs{
		Title: &title, Kind: keyOf("N"), Source: "web", SourceURL: "https://x.example/?key=" + keyOf("O"), Content: "uses " + keyOf("B") + " <private>mine</private>", Tags: []string{keyOf("C")},
		Properties: db.Properties{"deploy": []any{keyOf("D")}, "db_password": "hun" + "ter2"}, Reason: keyOf("E"), Supersedes: []string{"old"},
		Links: []memory.NewLink{{To: "other", Type: "relates-to", Rel: "by " + keyOf("F"), Note: keyOf("G")}},
	}
	result, err := s.Remember(t.Context(), a, nil)
	if err != nil {
		t.Fatal(err)
	}
	warned("store", result.Warnings, "10 secrets were replaced (aws-key ×9, password), 1 private part was dropped")
	if a.Links[0].Note != keyOf("G") || a.Properties["db_password"] != "hun"+"ter2" || *a.Title != title {
		t.Error("the caller's own arguments were changed")
	}
	if got := stored(t, s, result.Memory.ID); got.Title != "made [secret: aws-key]" || got.Content != "uses [secret: aws-key] " {
		t.Errorf("stored %+v", got)
	}
	id := result.Memory.ID
	changed, tags := "now "+keyOf("H"), []string{keyOf("I")}
	updated, err := s.Revise(t.Context(), memory.UpdateArgs{ID: id, Title: &changed, Content: &changed, Tags: &tags, Properties: db.Properties{"x": keyOf("J")}})
	if err != nil {
		t.Fatal(err)
	}
	warned("update", updated.Warnings, "4 secrets were replaced (aws-key ×4)")
	verified, err := s.Verify(t.Context(), belief.VerifyArgs{ID: id, Note: keyOf("K")})
	if err != nil {
		t.Fatal(err)
	}
	warned("verify", verified.Warnings, "1 secret was replaced (aws-key)")
	linked, err := edges.Graph(s).Link(t.Context(), edges.LinkArgs{From: id, To: "other", Type: "supports", Rel: keyOf("L"), Note: keyOf("M")})
	if err != nil {
		t.Fatal(err)
	}
	warned("link", linked.Warnings, "2 secrets were replaced (aws-key ×2)")
	forgotten, err := s.Forget(t.Context(), memory.ForgetArgs{ID: id, Reason: keyOf("N")})
	if err != nil {
		t.Fatal(err)
	}
	warned("forget", forgotten.Warnings, "1 secret was replaced (aws-key)")
	for _, query := range []string{`select group_concat(content || title || tags || properties || coalesce(verify_note, '') || coalesce(forget_reason, '')) from memories`,
		`select group_concat(rel || note) from edges`, `select group_concat(coalesce(before, '')) from journal`} {
		text, _, err := db.One[string](t.Context(), s.DB, query)
		if err != nil {
			t.Fatal(err)
		}
		for letter := 'A'; letter <= 'N'; letter++ {
			if strings.Contains(text, keyOf(string(letter))) {
				t.Errorf("the key of %c is in what %s returns", letter, query)
			}
		}
	}
}

// TestSecretsDoNotEnterByCheckpoint writes a key into every text of a checkpoint.
func TestSecretsDoNotEnterByCheckpoint(t *testing.T) {
	s := newStore(t)
	remember(t, s, "other")
	title := "made " + keyOf("F")
	told, err := s.Checkpoint(t.Context(), memory.CheckpointArgs{
		Goal: "goal " + keyOf("A"), Done: "done " + keyOf("B"), Next: "next " + keyOf("C") + " <private>mine</private>",
		Properties: db.Properties{"branch": keyOf("D")},
		Learned: []memory.StoreArgs{{
			Title: &title, Content: "learned " + keyOf("E"), Reason: keyOf("G"), Tags: []string{keyOf("H")},
			Links: []memory.NewLink{{To: "other", Type: "supports", Note: keyOf("I")}},
		}},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	warnings := strings.Join(told.Warnings, "\n")
	for _, want := range []string{"aws-key ×", "private part"} {
		if !strings.Contains(warnings, want) {
			t.Errorf("warnings %q, want %q", warnings, want)
		}
	}
	if learned := opened(t, s, told.Memories[0].ID); learned.Title != "made [secret: aws-key]" || learned.Content != "learned [secret: aws-key]" {
		t.Errorf("learned %q: %q", learned.Title, learned.Content)
	}
	for _, query := range []string{`select group_concat(content || title || tags || properties) from memories`,
		`select group_concat(rel || note) from edges`, `select group_concat(coalesce(before, '')) from journal`} {
		text, _, err := db.One[string](t.Context(), s.DB, query)
		if err != nil {
			t.Fatal(err)
		}
		for letter := 'A'; letter <= 'I'; letter++ {
			if strings.Contains(text, keyOf(string(letter))) {
				t.Errorf("the key of %c is in what %s returns", letter, query)
			}
		}
		if strings.Contains(text, "mine") {
			t.Errorf("the private part is in what %s returns", query)
		}
	}
}

func TestAContentThatIsAllPrivateIsRefused(t *testing.T) {
	s := newStore(t)
	if _, err := s.Remember(t.Context(), memory.StoreArgs{Content: "<private>all of it</private>"}, nil); err == nil || !strings.Contains(err.Error(), "blank") {
		t.Errorf("error is %v", err)
	}
	if n := dbtest.Count(t, s.DB, `select count(*) from memories`); n != 0 {
		t.Errorf("%d memories are stored", n)
	}
}

func TestSecretsAreFoundWithTheirLines(t *testing.T) {
	s := newStore(t)
	for _, content := range []string{"a\nb " + keyOf("A") + " c\n" + keyOf("B") + keyOf("C")[:0], "nothing", strings.Repeat("é", 30) + keyOf("D") + strings.Repeat(" é", 30)} {
		if _, err := s.DB.Write(t.Context(), "test", db.Now(), db.S(`
insert into memories (id, namespace, kind, title, content, origin, actor, content_hash, created_at, updated_at)
select ?1, 'default', 'fact', ?1, ?2, 'import', 'x', ?3, at, at from writer`, db.NewID(), content, db.Hash(content))); err != nil {
			t.Fatal(err)
		}
	}
	read := func(namespace string, limit int) (places []memory.SecretPlace, total int) {
		t.Helper()
		err := s.DB.Read(t.Context(), func(r *db.Reader) (err error) {
			places, total, err = memory.Secrets(t.Context(), r, namespace, 0, limit)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return places, total
	}
	places, total := read("", 0)
	if total != 3 || len(places) != 3 || places[0].Line != 2 || places[0].Text != "b [secret: aws-key] c" || places[1].Line != 3 || places[2].Line != 1 {
		t.Errorf("found %+v of %d", places, total)
	}
	if places, total := read("", 1); total != 3 || len(places) != 1 {
		t.Errorf("with a limit of 1: %d of %d", len(places), total)
	}
	if places, total := read("elsewhere", 0); total != 0 || len(places) != 0 {
		t.Errorf("in another namespace: %+v", places)
	}
}
