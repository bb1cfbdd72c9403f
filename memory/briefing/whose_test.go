package briefing_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	_ "hence/internal/repeattest"
	"hence/memory/briefing"
	"hence/memory/recall/answer"
	"hence/memory/recall/near"
)

// placed are memories of several projects and of none: each is a rule, a decision, a claim of an agent, a
// note of a folder.
const placed = `
insert into mirrors (key, name, root, extraction, imported_at) values
  (1, 'docs', '/src/alpha/docs', 1, '2026-01-01T00:00:00.000Z'),
  (2, 'alphabet', '/src/alphabet', 1, '2026-01-01T00:00:00.000Z');
insert into memories (id, kind, title, tags, origin, source, everywhere) values
  ('rule-alpha', 'rule', 'Alpha quokka rule', '["project/alpha"]', 'person', null, 0),
  ('rule-below', 'rule', 'Below quokka rule', '["Project/Alpha/docs"]', 'person', null, 0),
  ('rule-beta', 'rule', 'Beta quokka rule', '["project/beta"]', 'person', null, 0),
  ('rule-alphabet', 'rule', 'Alphabet quokka rule', '["project/alphabet"]', 'person', null, 0),
  ('rule-none', 'rule', 'Common quokka rule', '["x/project/beta", "project"]', 'person', null, 0),
  ('liking-none', 'preference', 'Common quokka liking', '[]', 'agent', 'person', 0),
  ('claim-none', 'rule', 'Claimed quokka rule', '[]', 'agent', null, 0),
  ('claim-alpha', 'decision', 'Claimed quokka of alpha', '["project/alpha"]', 'agent', null, 0),
  ('both', 'decision', 'Shared quokka decision', '["project/beta", "project/alpha"]', 'person', null, 0),
  ('none', 'decision', 'Common quokka decision', '[]', 'person', null, 0),
  ('beta', 'decision', 'Beta quokka decision', '["project/beta"]', 'person', null, 0),
  ('everywhere', 'decision', 'Wide quokka decision', '["project/beta"]', 'person', null, 1);
insert into memories (id, kind, title, origin, uri, properties) values
  ('note-in', 'note', 'Noted quokka decision', 'vault', 'obsidian-fs://docs/decisions/a.md', '{}'),
  ('note-out', 'note', 'Foreign quokka decision', 'vault', 'obsidian-fs://alphabet/decisions/a.md', '{}');
insert into files (memory, mirror, path, size, modified, file_hash)
select key, iif(id = 'note-in', 1, 2), 'decisions/a.md', 1, 1, 'x' from memories where kind = 'note';
`

// told returns the ids of the memories of a briefing's lists, sorted, and how many it leaves out as those of others.
func told(r briefing.Result) (ids []string, elsewhere int) {
	for _, e := range r.Rules {
		ids = append(ids, e.ID)
	}
	for _, h := range slices.Concat(r.Holds, r.Unconfirmed) {
		ids = append(ids, h.ID)
	}
	for _, u := range r.NotShown {
		if u.List == "elsewhere" {
			elsewhere = u.Count
		}
	}
	slices.Sort(ids)
	return ids, elsewhere
}

func TestWhoIsToldWhat(t *testing.T) {
	d := dbtest.New(t)
	dbtest.Script(t, d.Path(), placed)
	for _, c := range []struct {
		name   string
		caller ref.Caller
		want   string
	}{
		{"InAProject", ref.Caller{Project: "Alpha"}, "both claim-alpha everywhere liking-none rule-alpha rule-below rule-none"},
		{"InItsFolder", ref.Caller{Project: "alpha", Folder: filepath.FromSlash("/src/alpha")}, "both claim-alpha everywhere liking-none note-in rule-alpha rule-below rule-none"},
		{"InAnother", ref.Caller{Project: "beta"}, "beta both everywhere liking-none rule-beta rule-none"},
		{"InAProjectWithin", ref.Caller{Project: "alpha/docs"}, "everywhere liking-none rule-below rule-none"},
		{"InOneThatHasNothing", ref.Caller{Project: "gamma", Folder: "/"}, "everywhere liking-none note-in note-out rule-none"},
		{"InOneThatWasAnother", ref.Caller{Project: "gamma", SharesProject: "beta"}, "beta both everywhere liking-none rule-beta rule-none"},
		{"InNone", ref.Caller{Folder: "/src/alpha"}, "claim-none everywhere liking-none none note-in note-out rule-none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.caller.Folder == "/" && filepath.Separator != '/' {
				t.Skip("the roots are those of Unix")
			}
			want := strings.Fields(c.want)
			got, elsewhere := told(brief(t, d, c.caller, briefing.Args{TokenBudget: 5000}))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("told (-want +got):\n%s", diff)
			}
			if elsewhere != 14-len(want) {
				t.Errorf("it counts %d elsewhere, want %d", elsewhere, 14-len(want))
			}
			all, elsewhere := told(brief(t, d, c.caller, briefing.Args{TokenBudget: 5000, Others: true}))
			if len(all) != 14 || elsewhere != 0 {
				t.Errorf("with others: %q, and %d elsewhere", all, elsewhere)
			}
			for _, title := range dbtest.Texts(t, d, `select title from memories`) {
				offered, err := near.Finder{DB: d, Caller: c.caller}.Recognise(t.Context(), near.RecogniseArgs{Prompt: "Look at the " + title + "!"})
				if err != nil {
					t.Fatal(err)
				}
				id := dbtest.Texts(t, d, fmt.Sprintf(`select id from memories where title = '%s'`, title))[0]
				if isOffered := slices.ContainsFunc(offered, func(f answer.Found) bool { return f.ID == id }); isOffered != slices.Contains(want, id) {
					t.Errorf("a prompt about %s offers it: %t", id, isOffered)
				}
			}
		})
	}
}

// concerns is a naive reference for ref.Concerns, without folders.
func concerns(c ref.Caller, tags []string, everywhere, isSaidRule bool) bool {
	projects, own := 0, false
	for _, tag := range tags {
		if name, ok := strings.CutPrefix(strings.ToLower(tag), "project/"); ok {
			projects++
			for _, mine := range []string{c.Project, c.SharesProject} {
				own = own || c.Project != "" && mine != "" && strings.HasPrefix(name+"/", strings.ToLower(mine)+"/")
			}
		}
	}
	return everywhere || own || projects == 0 && (c.Project == "" || isSaidRule)
}

// What a briefing tells, and how near a memory is for a search, are as the naive reference has them.
func TestWhatConcernsACallerIsAsTheReferenceSays(t *testing.T) {
	d := dbtest.New(t)
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"a", "A", "a/b", "ab", "b", "%", "_", `"`, `\`, "a'", "é"})
		tag := rapid.OneOf(rapid.Map(name, func(s string) string { return "project/" + s }), rapid.SampledFrom([]string{"project/", "project", "Project/a", "x", "x/project/a"}))
		tags := rapid.SliceOfN(tag, 0, 3).Draw(t, "tags")
		c := ref.Caller{Project: rapid.OneOf(rapid.Just(""), name).Draw(t, "project"), SharesProject: rapid.OneOf(rapid.Just(""), name).Draw(t, "shares")}
		everywhere, isRule := rapid.Bool().Draw(t, "everywhere"), rapid.Bool().Draw(t, "rule")
		rank := rapid.SampledFrom([]int{1, 4, 5, 6}).Draw(t, "rank")
		got, _, err := db.One[bool](t.Context(), d, `
select `+ref.Concerns("?1")+`
from (select ?2 as tags, ?3 as everywhere, ?4 as is_rule, ?5 as own_rank, null as uri, 0 as key) m`, c.Own(), db.List(tags), everywhere, isRule, rank)
		if want := concerns(c, tags, everywhere && rank >= 4, isRule && rank >= 5); err != nil || got != want {
			t.Fatalf("%t, want %t (%v)", got, want, err)
		}
		added := c.AddProject(tags)
		isOwn := c.Project == "" || concerns(c, tags, false, false)
		if isAdded := len(added) > len(tags); isAdded == isOwn || isAdded && added[len(tags)] != "project/"+c.Project {
			t.Fatalf("stored with %q", added)
		}
		foreign := c.ForeignProject(tags)
		if foreign != "" && concerns(c, tags, false, false) || foreign == "" && !concerns(c, tags, false, true) && !slices.Contains(tags, "project/") {
			t.Fatalf("it is of project %q", foreign)
		}
	})
}

// A helper is told in words alone, and these use its tokens where there is more to tell.
func TestAHelpersBriefingUsesItsTokens(t *testing.T) {
	d := dbtest.New(t)
	for n := range 40 {
		dbtest.Fill(t, d, db.S(`insert into memories (id, kind, title, content, origin) values (?1, ?2, ?3, ?4, 'person')`,
			fmt.Sprintf("m%02d", n), []string{"rule", "decision"}[n%2], fmt.Sprintf("Quokka %d", n), fmt.Sprintf("Quokka number %d rests at noon and eats a leaf.", n)))
	}
	const tokens = 400
	text := brief(t, d, ref.Caller{}, briefing.Args{TokenBudget: tokens, ForHelper: true}).Text()
	if len(text) > 4*tokens || len(text) < 4*tokens-200 {
		t.Errorf("the briefing has %d bytes of %d", len(text), 4*tokens)
	}
}
