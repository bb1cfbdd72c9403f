package vault_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/vault/reading"
	"hence/vault/writing"
)

// bareNames lists the names without brackets in the properties of a vault.
const bareNames = `
select n.title || '.' || coalesce(nullif(s.rel, ''), s.kind) || ' ' || s.line || ' ' || s.resolved_by || ' ' || coalesce(o.title, '')
from sites s
join memories n on n.key = s.note
left join edges e on e.key = s.edge
left join memories o on o.key = e.from_key + e.to_key - s.note
where s.lenient = 'bare'
order by 1`

func TestPropertiesNameNotesWithoutBrackets(t *testing.T) {
	f := newFolder(t, map[string]string{
		"Alice Chen.md":    "---\naliases: [alice-chen, active]\n---\n",
		"Plan.md":          "",
		"2024.md":          "",
		"one/Twin.md":      "",
		"two/Twin.md":      "",
		"three/Twofold.md": "---\naliases: [twofold name]\n---\n",
		"four/Other.md":    "---\naliases: [twofold name]\n---\n",
		"task.md": `---
owner: alice-chen
status: active
assignee: Alice Chen and others
author: ALICE CHEN
attendees: [alice-chen, nobody, "[[Plan]]", Plan]
meta:
  owner: plan
project: four/Other
parent: 2024
child: Twin
related: twofold name
superseded_by: Plan
---
owner:: alice-chen
`,
	})
	report := f.Imports()
	want := []string{
		"task.assignee 4 nobody ",
		"task.attendees 6 bare Alice Chen",
		"task.attendees 6 bare Plan",
		"task.attendees 6 nobody ",
		"task.author 5 bare Alice Chen",
		"task.child 11 nobody ",
		"task.meta.owner 8 bare Plan",
		"task.owner 2 bare Alice Chen",
		"task.parent 10 bare 2024",
		"task.project 9 nobody ",
		"task.related 12 nobody ",
		"task.superseded_by 13 bare Plan",
	}
	if diff := cmp.Diff(want, rows(t, f.Importer.DB, bareNames)); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	f.Want("Plan supersedes task", "task mentions Alice Chen", "task part-of 2024", "task refers-to Alice Chen", "task refers-to Alice Chen", "task refers-to Alice Chen",
		"task refers-to Plan", "task refers-to Plan")
	if report.Dangling != 0 || report.Ambiguous != 0 || report.Links != 8 {
		t.Errorf("%d links, %d dangling, %d ambiguous; want 8 and none", report.Links, report.Dangling, report.Ambiguous)
	}
	if got := rows(t, f.Importer.DB, `select * from dangling_links`); len(got) != 0 {
		t.Errorf("dangling: %v", got)
	}
}

func TestNamesInPropertiesFollowTheNotesThatHaveThem(t *testing.T) {
	f := newFolder(t, map[string]string{"task.md": "---\nowner: Bo\nrelated: [Bo, Plan]\n---\n", "Plan.md": ""})
	steps := []struct {
		name string
		do   func()
		want []string
	}{
		{"nobody has the name", func() {}, []string{"task relates-to Plan"}},
		{"a note comes that has it as an alias", func() { f.Write("Bo Berg.md", "---\naliases: [Bo]\n---\n") },
			[]string{"task refers-to Bo Berg", "task relates-to Bo Berg", "task relates-to Plan"}},
		{"another is called so", func() { f.Write("x/bo.md", "") },
			[]string{"task refers-to bo", "task relates-to Plan", "task relates-to bo"}},
		{"and one more", func() { f.Write("y/Bo.md", "") }, []string{"task relates-to Plan"}},
		{"both go", func() { f.Remove("x/bo.md"); f.Remove("y/Bo.md") },
			[]string{"task refers-to Bo Berg", "task relates-to Bo Berg", "task relates-to Plan"}},
		{"the alias goes", func() { f.Write("Bo Berg.md", "") }, []string{"task relates-to Plan"}},
		{"the owner wants no names", func() { f.Write(".hence.yaml", "names: false\n") }, []string{}},
		{"the owner names another property", func() { f.Write(".hence.yaml", "names: [led by]\n"); f.Write("Plan.md", "---\nled_by: task\n---\n") },
			[]string{"Plan refers-to task", "task relates-to Plan"}},
	}
	for _, s := range steps {
		s.do()
		if report := f.Imports(); report.Dangling != 0 {
			t.Errorf("%s: %d dangling links", s.name, report.Dangling)
		}
		if got := f.Edges(); !slices.Equal(got, s.want) {
			t.Errorf("%s: edges %q, want %q", s.name, got, s.want)
		}
	}
}

func TestMovingANoteWarnsOfNamesThatAreNotLinks(t *testing.T) {
	f := newFolder(t, map[string]string{"Bo.md": "---\naliases: [bobo]\n---\n", "task.md": "---\nowner: Bo\nrelated: bobo\n---\n"})
	f.Imports()
	moved, err := f.writer().MoveNote(t.Context(), writing.MoveNoteArgs{FromPath: "Bo.md", ToPath: "people/Bo.md"})
	if err != nil || len(moved.Warnings) != 0 {
		t.Errorf("into a folder: %v, %v", moved.Warnings, err)
	}
	f.Want("task refers-to Bo", "task relates-to Bo")
	moved, err = f.writer().MoveNote(t.Context(), writing.MoveNoteArgs{FromPath: "people/Bo.md", ToPath: "people/Bodil.md"})
	want := []string{"task.md names the note on line 2 by its old name (owner: Bo), which is left"}
	if diff := cmp.Diff(want, moved.Warnings); diff != "" || err != nil {
		t.Errorf("to another name: %v, warnings (-want +got):\n%s", err, diff)
	}
	f.Want("task relates-to Bodil")
}

func TestARefusedNameIsAmongTheBacklinks(t *testing.T) {
	f := newFolder(t, map[string]string{
		"a.md": "---\nsuperseded_by: First\n---\n", "b.md": "---\nsupersedes: \"[[a]]\"\n---\n", "First.md": "",
	})
	if report := f.Imports(); report.Refused != 1 {
		t.Fatalf("refused = %d, want 1", report.Refused)
	}
	first, err := f.reader().Backlinks(t.Context(), reading.BacklinksArgs{Path: "First.md"})
	if err != nil {
		t.Fatal(err)
	}
	second, err := f.reader().Backlinks(t.Context(), reading.BacklinksArgs{Path: "a.md"})
	if err != nil || len(first.Linked)+len(second.Linked) != 2 {
		t.Errorf("backlinks %+v and %+v, %v; want the refused one and the one that stands", first.Linked, second.Linked, err)
	}
}
