package flags

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hence/internal/fault"
)

// call has a field of each type that arguments of tools have.
type call struct {
	Ref        string         `json:"ref"`
	MaxHops    int            `json:"max_hops,omitempty" default:"4" min:"1" max:"10"`
	Revision   int64          `json:"revision,omitempty" min:"1"`
	Types      []string       `json:"edge_types,omitempty" jsonschema:"only these"`
	Titles     []string       `json:"titles,omitempty"`
	Tags       *[]string      `json:"tags,omitempty"`
	Order      string         `json:"order,omitempty" default:"recent" enum:"recent,created"`
	Note       string         `json:"note,omitempty"`
	Title      *string        `json:"title,omitempty"`
	Weight     *float64       `json:"weight,omitempty" above:"0" max:"1"`
	Pinned     bool           `json:"pinned,omitempty"`
	Graph      *bool          `json:"graph,omitempty" default:"true"`
	Properties map[string]any `json:"properties,omitempty"`
}

var options = Options{Omit: []string{"ref"}, Whole: []string{"titles"}, Complete: map[string][]cobra.Completion{"edge_types": {"causes"}}}

func parsed(t *testing.T, words ...string) (call, *cobra.Command, error) {
	t.Helper()
	var c call
	cmd := &cobra.Command{Use: "op"}
	Derive(cmd, &c, options)
	err := cmd.ParseFlags(words)
	return c, cmd, err
}

func pointer[T any](value T) *T { return &value }

func TestDerive_FillsTheStruct(t *testing.T) {
	got, _, err := parsed(t,
		"--max-hops", "7", "--revision=3",
		"--edge-types", "causes, supports", "--edge-types", "follows",
		"--titles", "One, two", "--titles", "Three",
		"--tags", "a,b", "--order", "created", "--note", "x, y", "--title", "", "--weight", "0.5",
		"--pinned", "--graph=false",
		"--properties", "n=1", "--properties", "who=ada = 1", "--properties", `list=["a"]`, "--properties", "gone=null")
	if err != nil {
		t.Fatal(err)
	}
	want := call{
		MaxHops: 7, Revision: 3, Types: []string{"causes", "supports", "follows"}, Titles: []string{"One, two", "Three"},
		Tags: &[]string{"a", "b"}, Order: "created", Note: "x, y", Title: pointer(""), Weight: pointer(0.5),
		Pinned: true, Graph: pointer(false),
		Properties: map[string]any{"n": 1.0, "who": "ada = 1", "list": []any{"a"}, "gone": nil},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDerive_WhatIsNotGivenStaysZero(t *testing.T) {
	got, _, err := parsed(t)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(call{}, got); diff != "" {
		t.Error(diff)
	}
}

func TestDerive_AnEmptyListCanBeGiven(t *testing.T) {
	got, _, err := parsed(t, "--tags", "")
	if err != nil {
		t.Fatal(err)
	}
	if got.Tags == nil || len(*got.Tags) != 0 {
		t.Errorf("tags are %v, want an empty list", got.Tags)
	}
}

func TestDerive_ADefaultOfTheStructIsReplaced(t *testing.T) {
	c := call{MaxHops: 2, Types: []string{"causes"}}
	cmd := &cobra.Command{Use: "test"}
	Derive(cmd, &c, options)
	if err := cmd.ParseFlags([]string{"--edge-types", "follows"}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(call{MaxHops: 2, Types: []string{"follows"}}, c); diff != "" {
		t.Error(diff)
	}
	if usage := cmd.Flag("max-hops"); usage.DefValue != "2" {
		t.Errorf("the help says %q, want 2", usage.DefValue)
	}
}

func TestDerive_SaysWhatIsWrongWithAValue(t *testing.T) {
	for flag, want := range map[string]string{
		"--max-hops=two":     `"two" is not a whole number`,
		"--max-hops=1.5":     `"1.5" is not a whole number`,
		"--weight=heavy":     `"heavy" is not a number`,
		"--pinned=perhaps":   `"perhaps" is neither true nor false`,
		"--properties=plain": `"plain" is not name=value`,
		"--properties==x":    `"=x" is not name=value`,
	} {
		_, _, err := parsed(t, flag)
		var invalid *pflag.InvalidValueError
		if !errors.As(err, &invalid) || errors.Unwrap(invalid).Error() != want {
			t.Errorf("%s: %v, want %s", flag, err, want)
		}
	}
}

func TestCheck_RefusesAZeroThatIsOutOfBounds(t *testing.T) {
	for flag, want := range map[string]string{
		"--max-hops=0":  "op: max_hops is 0, and must be at least 1 and at most 10",
		"--max-hops=11": "op: max_hops is 11, and must be at least 1 and at most 10",
		"--revision=0":  "op: revision is 0, and must be at least 1",
		"--order=":      "op: --order is empty; give it a value or leave it out",
		"--order=best":  `op: order is "best", and must be one of recent, created`,
		"--note=":       "op: --note is empty; give it a value or leave it out",
	} {
		_, cmd, err := parsed(t, flag)
		if err != nil {
			t.Fatal(err)
		}
		err = Check(cmd)
		if fault.CodeOf(err) != fault.InvalidArgument || err.Error() != want {
			t.Errorf("%s: %v, want %s", flag, err, want)
		}
	}
}

func TestCheck_OK(t *testing.T) {
	for _, words := range [][]string{{}, {"--max-hops=1"}, {"--title="}, {"--pinned=false"}, {"--tags="}} {
		_, cmd, err := parsed(t, words...)
		if err != nil {
			t.Fatal(err)
		}
		if err := Check(cmd); err != nil {
			t.Errorf("%v: %v", words, err)
		}
	}
}

func TestDerive_Help(t *testing.T) {
	var c call
	cmd := &cobra.Command{Use: "test"}
	Derive(cmd, &c, options)
	want := `
      --edge-types a,b          only these
      --graph                   graph (default true)
      --max-hops number         at most so many edges (from 1 to 10) (default 4)
      --note text               note
      --order text              what comes first (recent, created) (default recent)
      --pinned                  always in the briefing
      --properties name=value   fields of your own; may be repeated
      --revision number         revision (from 1)
      --tags a,b                words to find it by
      --title text              a line that names it
      --titles text             titles; may be repeated
      --weight number           weight (above 0 to 1)
`
	if diff := cmp.Diff(want, "\n"+cmd.LocalFlags().FlagUsages()); diff != "" {
		t.Error(diff)
	}
}

func TestDerive_CompletesWords(t *testing.T) {
	for flag, want := range map[string]string{"--order": "recent\ncreated\n", "--edge-types": "causes\n"} {
		var c call
		var out strings.Builder
		root := &cobra.Command{Use: "root"}
		cmd := &cobra.Command{Use: "test", RunE: func(*cobra.Command, []string) error { return nil }}
		root.AddCommand(cmd)
		Derive(cmd, &c, options)
		root.SetArgs([]string{"__complete", "test", flag, ""})
		root.SetOut(&out)
		root.SetErr(new(strings.Builder))
		if err := root.Execute(); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(out.String(), want) {
			t.Errorf("%s completes to %q, want %q", flag, out.String(), want)
		}
	}
}

func TestMaximum(t *testing.T) {
	for _, c := range []struct {
		name      string
		call      call
		most      int
		isReached bool
	}{
		{"max_hops", call{MaxHops: 10}, 10, true},
		{"max_hops", call{MaxHops: 9}, 10, false},
		{"max_hops", call{}, 10, false},
		{"revision", call{Revision: 10}, 0, false}, // has no bound
		{"nothing", call{MaxHops: 10}, 0, false},
	} {
		if most, isReached := Maximum(c.call, c.name); most != c.most || isReached != c.isReached {
			t.Errorf("%s of %+v: %d, %v", c.name, c.call, most, isReached)
		}
	}
}

func TestFill(t *testing.T) {
	var a struct {
		Number int      `json:"number"`
		From   string   `json:"from_id,omitempty"`
		Query  string   `json:"query"`
		IDs    []string `json:"ids"`
	}
	Fill(&a, []string{"from_id", "query"}, []string{"here", "two", "words"})
	Fill(&a, []string{"ids"}, []string{"one", "two"})
	if a.From != "here" || a.Query != "two words" || !slices.Equal(a.IDs, []string{"one", "two"}) {
		t.Errorf("got %+v", a)
	}
	Fill(&a, []string{"from_id"}, nil)
	if a.From != "here" {
		t.Errorf("no word made from_id %q", a.From)
	}
}
