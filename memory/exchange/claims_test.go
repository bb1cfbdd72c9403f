package exchange_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/exchange/lines"
	"hence/memory/exchange/merge"
)

// claims are edges of a stranger that would replace what a person wrote, by who they say declared them.
var claims = map[string]string{
	"an agent": `"origin":"agent"`, "an import": `"origin":"import"`, "a merge": `"origin":"import","actor":"merge"`, "a note": `"origin":"frontmatter"`,
	"code": `"origin":"code"`, "an agent with a person's name": `"origin":"agent","actor":"ada"`, "an agent, stamped": `"origin":"agent","changed":{"said":["2030-01-01T00:00:00.000Z~eve"]}`,
}

const shownEdges = `select from_title || ' ' || kind || iif(rel <> '', ' (' || rel || ')', '') || ' ' || to_title from edge_list order by 1`

// What does not say that a person declared it replaces nothing of a person's, however it comes in.
func TestWhatNobodyDeclaredReplacesNothingOfAPersons(t *testing.T) {
	ways := map[string]func(t *testing.T, d *db.DB, lines string) []string{
		"import": func(t *testing.T, d *db.DB, lines string) []string {
			return takeFrom(t, d, "", lines).Warnings
		},
		"merge": func(t *testing.T, d *db.DB, text string) []string {
			done, err := merge.Lines(t.Context(), ref.View{DB: d}, strings.NewReader(text), lines.ImportArgs{Name: "theirs"})
			if err != nil {
				t.Fatal(err)
			}
			return done.Warnings
		},
	}
	for way, take := range ways {
		for who, fields := range claims {
			t.Run(way+" of "+who, func(t *testing.T) {
				d := dbtest.New(t)
				takeFrom(t, d, "", `{"type":"memory","id":"rule","title":"Rule","origin":"person"}
{"type":"memory","id":"own","title":"Own","origin":"agent"}`)
				line := func(from, to string) string {
					return fmt.Sprintf(`{"type":"edge","id":"%s-%s","from":"%s","to":"%s","edge_type":"supersedes","created_at":"2029-01-01T00:00:00Z",%s}`+"\n", from, to, from, to, fields)
				}
				lines := `{"type":"memory","id":"x","title":"X","origin":"person"}` + "\n" + `{"type":"memory","id":"y","title":"Y","origin":"agent"}` + "\n" + line("x", "rule") + line("y", "own")
				for n := range 2 {
					warnings := take(t, d, lines)
					if got := dbtest.Texts(t, d, shownEdges); !slices.Equal(got, []string{"X relates-to (proposed: supersedes) Rule", "Y supersedes Own"}) {
						t.Errorf("time %d: %q", n, got)
					}
					if n == 0 && !slices.ContainsFunc(warnings, func(w string) bool { return strings.Contains(w, "kept as a proposal") }) {
						t.Errorf("%q do not say it", warnings)
					}
				}
			})
		}
		t.Run(way+" of a person", func(t *testing.T) {
			d := dbtest.New(t)
			takeFrom(t, d, "", `{"type":"memory","id":"rule","title":"Rule","origin":"person"}`)
			take(t, d, `{"type":"memory","id":"x","title":"X","origin":"agent"}
{"type":"edge","id":"e","from":"x","to":"rule","edge_type":"supersedes","origin":"person"}`)
			if got := dbtest.Texts(t, d, shownEdges); !slices.Equal(got, []string{"X supersedes Rule"}) {
				t.Errorf("%q", got)
			}
		})
	}
}

// addLink adds a link to the file of a memory, as somebody may who writes into the repository.
func addLink(link string) func(text string) string {
	return func(text string) string {
		if strings.Contains(text, "\nlinks:\n") {
			return strings.Replace(text, "\nlinks:\n", "\nlinks:\n  - "+link+"\n", 1)
		}
		return strings.Replace(text, "\n---\n", "\nlinks:\n  - "+link+"\n---\n", 1)
	}
}

func TestAFileOfATeamReplacesNothingOfAPersons(t *testing.T) {
	for _, origin := range []string{"agent", "import", "frontmatter", "code", "wikilink", "person"} {
		f := newTeamFolder(t)
		f.store("One")
		f.store("Rule")
		f.sync()
		id := f.texts(`select id from memories where title = 'Rule'`)[0]
		f.change(f.path("one"), addLink(fmt.Sprintf(`{"type":"supersedes","to":%q,"title":"Rule","id":"e","created":"2030-01-01T00:00:00.000Z","origin":%q}`, id, origin)))
		done := f.sync()
		want := "One relates-to (proposed: supersedes) Rule"
		if origin == "person" {
			want = "One supersedes Rule"
		}
		if got := f.texts(shownEdges); !slices.Equal(got, []string{want}) {
			t.Errorf("of %s: %q, %+v", origin, got, done.Merged)
		}
		if again := f.sync(); again.Merged.Changes() || len(again.Written) > 0 {
			t.Errorf("of %s, again: %+v", origin, again)
		}
	}
}

// A link of a file reaches no memory that is not the folder's, and says so.
func TestALinkOfATeamStaysInTheFolder(t *testing.T) {
	for name, secret := range map[string]memory.StoreArgs{
		"preference": {Kind: "preference"}, "private": {Properties: db.Properties{"private": true}}, "another project": {Tags: []string{"project/other"}},
		"another namespace": {Namespace: "mine"}, "session": {Kind: "session"},
	} {
		for _, kind := range []string{"supersedes", "superseded-by", "contradicts", "depends-on", "derived-from"} {
			f := newTeamFolder(t)
			f.store("One")
			f.sync()
			secret.Title, secret.Content = new("Secret"), "kept for me"
			if _, err := (memory.Store{DB: f.DB, Caller: ref.Caller{Actor: "ada", Origin: "person"}}).Remember(t.Context(), secret, nil); err != nil {
				t.Fatal(err)
			}
			id := f.texts(`select id from memories where title = 'Secret'`)[0]
			f.change(f.path("one"), addLink(fmt.Sprintf(`{"type":%q,"to":%q,"title":"x","id":"e","created":"2030-01-01T00:00:00.000Z","origin":"person"}`, kind, id)))
			removed := fmt.Sprintf(`{"type":"unlinked","id":"z","from":%q,"to":%q,"edge_type":"relates-to","at":"2030-01-01T00:00:00.000Z"}`, id, id)
			if err := os.WriteFile(filepath.Join(f.dir, "removed.jsonl"), []byte(removed+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			done := f.sync()
			if n := dbtest.Count(t, f.DB, `select (select count(*) from edges) + (select count(*) from unlinked) + (select count(*) from unsettled) + (select count(*) from memories where status <> 'current')`); n != 0 {
				t.Errorf("%s of a %s: %d rows came in", kind, name, n)
			}
			if !slices.ContainsFunc(done.Merged.Warnings, func(w string) bool { return strings.Contains(w, "was left out") }) {
				t.Errorf("%s of a %s: %q do not say it", kind, name, done.Merged.Warnings)
			}
		}
	}
}
