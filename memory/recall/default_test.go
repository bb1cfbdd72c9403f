package recall_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/embed"
	"hence/memory/recall"
	"hence/memory/recall/vectors"
)

// newDefault returns a store as a person gets it.
func newDefault(t *testing.T) recall.Searcher {
	t.Helper()
	return openDefault(t, filepath.Join(t.TempDir(), "hence.db"))
}

func openDefault(t *testing.T, path string) recall.Searcher {
	t.Helper()
	d, err := db.Open(t.Context(), path, db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return recall.Searcher{DB: d, Caller: ref.Caller{Actor: "tester", Origin: "agent"}}
}

const ferry = "The ferry leaves at noon."

// What the sqlite3 shell has written has a vector by the time that it is asked what is related.
func TestDefault_RelatedToWhatWaits(t *testing.T) {
	s := newDefault(t)
	dbtest.Script(t, s.DB.Path(), `insert into memories (title, content) values ('Timetable', '`+ferry+`'), ('Boats', 'Boats sail to the island.'), ('Kitchen', 'The soup was cold.')`)
	got, err := s.FindRelated(t.Context(), recall.RelatedArgs{ID: "Timetable"})
	if err != nil || len(got.Results) == 0 || got.Results[0].Title != "Boats" || got.Results[0].Why.VectorRank == 0 {
		t.Errorf("%+v, %v; want Boats first, by its meaning", got.Results, err)
	}
}

// One process makes the vectors of a large import; those of a few texts are made at once, whoever claims the model.
func TestDefault_OneProcessMakesMany(t *testing.T) {
	for _, c := range []struct {
		name         string
		texts, until int // seconds of the claim of another process
		want         int
	}{
		{"ManyClaimed", 2100, 3600, 0}, {"ManyGone", 2100, -1, 2100}, {"FewClaimed", 5, 3600, 5}, {"ManyUnclaimed", 2100, 0, 2100},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newDefault(t)
			dbtest.Script(t, s.DB.Path(), fmt.Sprintf(`with recursive n (i) as (select 1 union all select i + 1 from n where i < %d) insert into memories (title, content) select 'Ferry ' || i, '`+ferry+`' from n`, c.texts))
			if c.until != 0 {
				dbtest.Fill(t, s.DB, db.S(`update embedders set busy_with = 'another', busy_until = ?`, db.Time(time.Now().Add(time.Duration(c.until)*time.Second))))
			}
			if err := vectors.Store(s).EmbedWaiting(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			if n := vectorCount(t, s); n != c.want {
				t.Errorf("%d vectors, want %d", n, c.want)
			}
			if _, err := vectors.Store(s).EmbedRun(t.Context(), nil); err != nil || vectorCount(t, s) != c.texts {
				t.Errorf("EmbedRun: %v, and %d vectors", err, vectorCount(t, s))
			}
		})
	}
}

// Source code has no vectors: a search by meaning alone that asks for it says so.
func TestDefault_SemanticOfCodeSaysWhy(t *testing.T) {
	s := newDefault(t)
	dbtest.Script(t, s.DB.Path(), `insert into memories (title, content) values ('Timetable', '`+ferry+`')`)
	for _, a := range []recall.SearchArgs{{Query: "boats", Kinds: []string{"code"}}, {Query: "boats kind:code"}, {Query: "boats", Kinds: []string{"code", "file"}}} {
		a.Mode = "semantic"
		if got := search(t, s, a); len(got.Results) > 0 || !strings.Contains(strings.Join(got.Warnings, "\n"), "source code is not searched by meaning") {
			t.Errorf("%+v: %+v", a, got)
		}
	}
	if got := search(t, s, recall.SearchArgs{Query: "boats", Mode: "semantic"}); len(got.Results) == 0 || len(got.Warnings) > 0 {
		t.Errorf("without a kind: %+v", got)
	}
}

// A file without text comes after all texts, however near its name is.
func TestDefault_FilesWithoutTextComeLast(t *testing.T) {
	s := newDefault(t)
	dbtest.Script(t, s.DB.Path(), `insert into memories (title, kind, content) values ('boats.pdf', 'file', ''), ('Timetable', 'note', '`+ferry+`'), ('Baking', 'note', 'Rye, salt and sour dough.')`)
	if got := titles(search(t, s, recall.SearchArgs{Query: "boats", Mode: "semantic"})); !slices.Equal(got, []string{"Timetable", "Baking", "boats.pdf"}) {
		t.Errorf("%q", got)
	}
}

// A new store finds by meaning, with nothing to set up, whoever writes the text: the command that stored it, or the
// sqlite3 shell.
func TestDefault_MeaningWithoutSetUp(t *testing.T) {
	for name, write := range map[string]func(t *testing.T, s recall.Searcher) error{
		"Stored": func(t *testing.T, s recall.Searcher) error {
			_, err := memory.Store(s).Remember(t.Context(), item("Timetable", ferry), nil)
			return err
		},
		"Revised": func(t *testing.T, s recall.Searcher) error {
			_, err := memory.Store(s).Remember(t.Context(), item("Timetable", "Nothing yet."), nil)
			if err == nil {
				_, err = memory.Store(s).Revise(t.Context(), memory.UpdateArgs{ID: "Timetable", Content: new(ferry)})
			}
			return err
		},
		"ByTheShell": func(t *testing.T, s recall.Searcher) error {
			return dbtest.TryScript(t, s.DB.Path(), `insert into memories (title, content) values ('Timetable', '`+ferry+`')`)
		},
		"EditedByTheShell": func(t *testing.T, s recall.Searcher) error {
			return dbtest.TryScript(t, s.DB.Path(), `insert into memories (title, content) values ('Timetable', 'Nothing yet.'); update memories set content = '`+ferry+`' where title = 'Timetable'`)
		},
		"InSections": func(t *testing.T, s recall.Searcher) error {
			return dbtest.TryScript(t, s.DB.Path(), `insert into memories (title, content, sectioned) values ('Timetable', 'x', 1); insert into sections (memory, ordinal, heading, body) select key, 1, '', '`+ferry+`' from memories where title = 'Timetable'`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newDefault(t)
			if _, err := memory.Store(s).Remember(t.Context(), item("Kitchen", "The soup was cold."), nil); err != nil {
				t.Fatal(err)
			}
			if err := write(t, s); err != nil {
				t.Fatal(err)
			}
			for _, mode := range []string{"semantic", "hybrid"} {
				got := search(t, s, recall.SearchArgs{Query: "boats", Mode: mode})
				if len(got.Results) == 0 || got.Results[0].Title != "Timetable" || got.Results[0].Why.VectorRank != 1 {
					t.Errorf("%s: %+v, want Timetable first, by its meaning", mode, got.Results)
				}
			}
		})
	}
}

// A choice stays: a store without an embedder, or with another, keeps it when it is opened again.
func TestDefault_AChoiceStays(t *testing.T) {
	m := newMeanings(t)
	for name, choose := range map[string]string{"none": "none", m.name: m.name, "builtin:en-1": ""} {
		t.Run(name, func(t *testing.T) {
			s := newDefault(t)
			if choose != "" {
				if _, err := vectors.Store(s).EmbedSet(t.Context(), vectors.EmbedArgs{Embedder: choose}); err != nil {
					t.Fatal(err)
				}
			}
			if err := vectors.Store(s).EmbedWaiting(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			if err := s.DB.Close(); err != nil {
				t.Fatal(err)
			}
			s = openDefault(t, s.DB.Path())
			if _, err := memory.Store(s).Remember(t.Context(), item("Timetable", ferry), nil); err != nil {
				t.Fatal(err)
			}
			if err := vectors.Store(s).EmbedWaiting(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			status, err := vectors.Store(s).EmbedStatus(t.Context())
			if err != nil || status.Embedder != name || status.Pending != 0 || (status.Embedded == 1) != (choose != "none") {
				t.Errorf("status %+v, %v", status, err)
			}
		})
	}
}

// Source code has no vectors, and waits for none. Texts in words that the table does not know have none either.
func TestDefault_WhatHasNoVector(t *testing.T) {
	s := newDefault(t)
	dbtest.Script(t, s.DB.Path(), `
insert into memories (title, content, kind, origin) values ('queue.Drain', 'Drain empties the queue.', 'code', 'code');
insert into memories (title, content) values ('夕食', '昨日の夕食は美味しかったです。');
insert into memories (title, content) values ('Timetable', '`+ferry+`');`)
	if err := vectors.Store(s).EmbedWaiting(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	titled, err := db.Select(t.Context(), s.DB, db.Value[string], `select m.title from vectors v join sections s on s.key = v.section join memories m on m.key = s.memory`)
	if err != nil || !slices.Equal(titled, []string{"Timetable"}) {
		t.Errorf("vectors of %v, %v; want that of Timetable alone", titled, err)
	}
	if n := dbtest.Count(t, s.DB, `select count(*) from vectors_waiting`); n != 0 {
		t.Errorf("%d texts wait", n)
	}
}

// The schema says how many numbers the vectors of the table in the program have.
func TestDefault_DimensionsAreThoseOfTheTable(t *testing.T) {
	s := newDefault(t)
	e, err := embed.Open(embed.Builtin)
	if err != nil {
		t.Fatal(err)
	}
	made, err := e.Embed(t.Context(), []string{ferry})
	if err != nil {
		t.Fatal(err)
	}
	if status, err := vectors.Store(s).EmbedStatus(t.Context()); err != nil || status.Embedder != embed.Builtin || status.Dimensions != len(made[0]) {
		t.Errorf("status %+v, %v; want %s of %d numbers", status, err, embed.Builtin, len(made[0]))
	}
}
