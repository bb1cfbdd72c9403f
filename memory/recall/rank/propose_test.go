package rank

import (
	"slices"
	"testing"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/memory/recall/question"
)

// A term that proposes is in the query twice, and counts once.
func TestExpression_CountsEveryTermOnce(t *testing.T) {
	words := func(all ...string) (terms []*question.Term) {
		for _, w := range all {
			terms = append(terms, &question.Term{Forms: []question.Form{{Match: `"` + w + `"`, Weight: 1.5 + float64(len(terms))}}})
		}
		return terms
	}
	for name, c := range map[string]struct {
		proposing, scoring []*question.Term
		match, weights     string
	}{
		"OneProposes":  {words("a"), nil, `"a"`, "1.5"},
		"AllPropose":   {words("a", "b"), nil, `"a" OR "b"`, "1.5 2.5"},
		"SomeScore":    {words("a", "b"), words("c", "d"), `("a" OR "b") AND ("a" OR "b" OR "c" OR "d")`, "0 0 1.5 2.5 1.5 2.5"},
		"SeveralForms": {[]*question.Term{{Forms: []question.Form{{Match: `"go"`, Weight: 2}, {Match: `"went"`, Weight: 3}}}}, words("c"), `("go" OR "went") AND ("go" OR "went" OR "c")`, "0 0 2 3 1.5"},
	} {
		t.Run(name, func(t *testing.T) {
			if match, weights := proposingQuery(c.proposing, c.scoring); match != c.match || weights != c.weights {
				t.Errorf("%s with %s, want %s with %s", match, weights, c.match, c.weights)
			}
		})
	}
}

// Tests, which come last, take no place of a candidate that may be raised to the first.
func TestPropose_WhatComesLastTakesNoPlace(t *testing.T) {
	d := dbtest.New(t)
	dbtest.Script(t, d.Path(), `
with recursive n (i) as (select 1 union all select i + 1 from n where i < 600)
insert into memories (title, kind, origin, tags, content)
select
  'symbol ' || i,
  'code',
  'code',
  iif(i <= 300, '["test"]', '[]'),
  'ferry' || iif(i <= 300, '', ' of the harbour and of the island')
from n`)
	f := question.Filter{Kinds: []string{"code"}, Status: "current", Times: edges.Today()}
	err := d.Read(t.Context(), func(r *db.Reader) (err error) {
		if f.Scope, err = question.ReadScope(t.Context(), r, f, nil); err != nil {
			return err
		}
		q, _, err := question.Parse("ferry").LookUp(t.Context(), r, "keyword", f)
		if err != nil {
			return err
		}
		found, matching, err := proposeBy(t.Context(), r, q.Rarest, nil, f, 10, 0)
		last := slices.IndexFunc(found, func(c *Candidate) bool { return c.IsLast })
		if len(found) != depth || last >= 0 {
			t.Errorf("%d candidates of %d, the first that comes last is %d; want %d, none last", len(found), matching.Count, last, depth)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
