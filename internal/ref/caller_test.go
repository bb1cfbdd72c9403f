package ref_test

import (
	"testing"

	"hence/internal/fault"
	"hence/internal/ref"
)

func TestCallerNamespaces(t *testing.T) {
	for _, c := range []struct {
		name          string
		caller        ref.Caller
		named         string
		reads, writes string
		want          fault.Code
	}{
		{"OpenReadsAllAndWritesDefault", ref.Caller{}, "", "", "default", ""},
		{"OpenNamesAny", ref.Caller{}, "work", "work", "work", ""},
		{"OwnWhereNoneIsNamed", ref.Caller{Namespace: "work"}, "", "work", "work", ""},
		{"NamesAnother", ref.Caller{Namespace: "work"}, "home", "home", "home", ""},
		{"ConfinedToItsOwn", ref.Caller{Namespace: "work", Confined: true}, "", "work", "work", ""},
		{"ConfinedNamesItsOwn", ref.Caller{Namespace: "work", Confined: true}, "work", "work", "work", ""},
		{"ConfinedNamesAnother", ref.Caller{Namespace: "work", Confined: true}, "home", "", "", fault.NotFound},
		{"ConfinedNamesTheDefault", ref.Caller{Namespace: "work", Confined: true}, "default", "", "", fault.NotFound},
	} {
		t.Run(c.name, func(t *testing.T) {
			reads, err := c.caller.Reads(c.named)
			if reads != c.reads || fault.CodeOf(err) != c.want {
				t.Errorf("Reads = %q, %v; want %q, code %q", reads, err, c.reads, c.want)
			}
			writes, err := c.caller.Writes(c.named)
			if writes != c.writes || fault.CodeOf(err) != c.want {
				t.Errorf("Writes = %q, %v; want %q, code %q", writes, err, c.writes, c.want)
			}
		})
	}
}
