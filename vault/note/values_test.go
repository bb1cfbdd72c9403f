package note_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/vault/note"
)

func TestValuesAreTheTextsOfPropertiesWithoutLinks(t *testing.T) {
	for _, c := range []struct {
		name, yaml string
		want       []string // property key line text-in-the-source
	}{
		{"texts", "owner: alice-chen\nrelated: 'Some Plan'\n", []string{"owner owner 2 alice-chen", "related related 3 Some Plan"}},
		{"lists and mappings", "who: [a, b]\nmeta:\n  owner: c\n", []string{"who who.0 2 a", "who who.1 2 b", "meta.owner meta.owner 4 c"}},
		{"whole numbers and dates", "up: 2024\nday: 2024-05-01\n", []string{"up up 2 2024", "day day 3 2024-05-01"}},
		{"nothing that is not a name", "a: true\nb:\nc: 1.5\nd: ''\ne: |\n  two\n  lines\n", []string{}},
		{"links are not values", "a: '[[x]]'\nb: see [[x]]\nc: [[x]]\nd: '[not a link'\n", []string{"d d 5 [not a link"}},
		{"the last of a name counts", "a: one\na: two\n", []string{"a a 3 two"}},
		{"what is merged is declared once", "a: &m\n  owner: x\nb:\n  <<: *m\n", []string{"a.owner a.owner 3 x"}},
		{"not a mapping", "- a\n", []string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := "---\n" + c.yaml + "---\n"
			got := []string{}
			for _, v := range note.Parse([]byte(src)).Values {
				got = append(got, fmt.Sprint(v.Property, " ", v.Key, " ", v.Span.Start.Line, " ", src[v.Span.Start.Offset:v.Span.End.Offset]))
				if v.Lenient != note.Bare || v.Form != note.Property || v.KeyKind != note.KeyProperty {
					t.Errorf("value %+v", v)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("values (-want +got):\n%s", diff)
			}
		})
	}
}
