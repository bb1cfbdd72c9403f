package rank

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	_ "hence/internal/repeattest"
	"hence/memory/recall/question"
)

// The average length is that of memories, whatever their sections: title, aliases and tags count
// once.
func TestAverageLength(t *testing.T) {
	d := dbtest.New(t)
	dbtest.Script(t, d.Path(), `
insert into memories (key, title, content, aliases, tags, sectioned) values
  (1, 'one two', 'three', '["four"]', '["five"]', 0),
  (2, 'one two', '', '["three"]', '["four"]', 1);
insert into sections (memory, ordinal, heading, body) values
  (2, 0, '', 'five six seven'),
  (2, 1, 'eight', 'nine `+strings.Repeat("more ", 200)+`')`)
	err := d.Read(t.Context(), func(r *db.Reader) error {
		for _, f := range []question.Filter{{}, {Namespace: "default", Confined: true}} {
			p, err := question.ReadScope(t.Context(), r, f, nil)
			if got, want := p.AverageLength(), float64(5+209)/2; math.Abs(got-want) > 1e-9 || err != nil {
				t.Errorf("%v, %v; want %v", got, err, want)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A confined question does not search source code, so code does not count in its average.
func TestAverageLength_OfAConfinedQuestionIsWithoutCode(t *testing.T) {
	d := dbtest.New(t)
	dbtest.Script(t, d.Path(), `
insert into memories (title, content, origin, kind) values
  ('one two', 'three four', 'agent', 'fact'),
  ('five', '`+strings.Repeat("more ", 50)+`', 'code', 'code'),
  ('six', '`+strings.Repeat("more ", 50)+`', 'code', 'file')`)
	err := d.Read(t.Context(), func(r *db.Reader) error {
		p, err := question.ReadScope(t.Context(), r, question.Filter{Namespace: "default", Confined: true}, nil)
		if got := p.AverageLength(); math.Abs(got-4) > 1e-9 {
			t.Errorf("%v, want 4", got)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A memory that is cut into sections has the same frequencies of words and the same length as
// one that is not.
func TestScoreOfWhole_DoesNotDependOnSections(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.IntRange(0, 5), 1, 6).Draw(t, "places in each section")
		names := float64(rapid.IntRange(0, 3).Draw(t, "places in the title"))
		cut, joined := frequency{}, frequency{}
		total := 0.0
		for _, n := range texts {
			cut.add(frequency{names: names, text: float64(n)})
			total += float64(n)
		}
		joined.add(frequency{names: names, text: total})
		length := rapid.Float64Range(0.1, 50).Draw(t, "length")
		if a, b := scoreOfWhole(cut, length), scoreOfWhole(joined, length); a != b {
			t.Errorf("cut %v, joined %v", a, b)
		}
	})
}

// A word scores more the more often a memory has it and the shorter the memory is, and it always
// scores.
func TestScoreOfWhole(t *testing.T) {
	if got := scoreOfWhole(frequency{text: 1}, 1); math.Abs(got-1) > 1e-9 {
		t.Errorf("once in a memory of the usual length: %v, want 1", got)
	}
	scores := []float64{
		scoreOfWhole(frequency{}, 1), scoreOfWhole(frequency{text: 1}, 1000), scoreOfWhole(frequency{text: 1}, 10),
		scoreOfWhole(frequency{text: 3}, 10), scoreOfWhole(frequency{names: 8, text: 3}, 10), scoreOfWhole(frequency{names: 8, text: 3}, 1),
	}
	if !slices.IsSorted(scores) || scores[0] != 0 || scores[1] < 0.5 {
		t.Error(fmt.Sprint(scores))
	}
}
