package tidy_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	_ "hence/internal/repeattest"
	"hence/memory/journal"
	"hence/memory/tidy"
)

// row is a memory of a random store.
type row struct {
	content, kind, created, validTo, project string
	importance                               float64
}

var (
	subjects = []string{"ledger", "queue", "scanner"}
	forms    = []string{"The retry limit of the %s is %d", "the retry limit of the %s is %d!", "The %s's retry limit was raised to %d", "The %s listens on port %d", "We never lock the %s for %d minutes", "We lock the %s for %d minutes", "See memory/%s.go:%d", "Job Queue and %s %d"}
	someKind = []string{"fact", "fact", "fact", "decision", "event"}
)

func draw(t *rapid.T) (rows []row, ties [][3]int) {
	n := rapid.IntRange(2, 14).Draw(t, "memories")
	for i := range n {
		one := row{
			content:    fmt.Sprintf(rapid.SampledFrom(forms).Draw(t, "form"), rapid.SampledFrom(subjects).Draw(t, "subject"), rapid.IntRange(1, 3).Draw(t, "value")),
			kind:       rapid.SampledFrom(someKind).Draw(t, "kind"),
			created:    fmt.Sprintf("2025-01-%02dT00:00:00.000Z", rapid.IntRange(1, 28).Draw(t, "day")),
			importance: rapid.SampledFrom([]float64{0.2, 0.5}).Draw(t, "importance"),
			project:    rapid.SampledFrom([]string{"", "", "project/a"}).Draw(t, "project"),
		}
		if rapid.IntRange(0, 5).Draw(t, "over") == 0 {
			one.validTo = "2025-06-01T00:00:00.000Z"
		}
		rows = append(rows, one)
		if i > 0 && rapid.Bool().Draw(t, "tied") {
			ties = append(ties, [3]int{i, rapid.IntRange(0, i-1).Draw(t, "to"), rapid.IntRange(0, 3).Draw(t, "type")})
		}
	}
	return rows, ties
}

// build stores the rows in an order.
func build(t dbtest.Cleaner, rows []row, ties [][3]int, order []int) ref.View {
	d := dbtest.New(t)
	statements := []db.Stmt{}
	for _, i := range order {
		r := rows[i]
		tags := []string{}
		if r.project != "" {
			tags = append(tags, r.project)
		}
		statements = append(statements, db.S(`
insert into memories (id, kind, title, content, tags, importance, content_hash, created_at, updated_at, valid_to)
values (?1, ?2, ?3, ?3, ?4, ?5, ?6, ?7, ?7, nullif(?8, ''))`,
			fmt.Sprintf("memory-%03d", i), r.kind, r.content, db.List(tags), r.importance, db.Hash(r.content), r.created, r.validTo))
	}
	types := []string{"contradicts", "depends-on", "part-of", "derived-from"}
	for n, e := range ties {
		statements = append(statements, db.S(`
insert into edges (id, from_key, to_key, kind, created_at)
select
  ?1,
  f.key,
  t.key,
  ?4,
  '2025-02-01T00:00:00.000Z'
from memories f
join memories t on t.id = ?3
where f.id = ?2`, fmt.Sprintf("edge-%03d", n), fmt.Sprintf("memory-%03d", e[0]), fmt.Sprintf("memory-%03d", e[1]), types[e[2]]))
	}
	if _, err := d.Write(context.Background(), "tester", "2025-03-01T00:00:00.000Z", statements...); err != nil {
		t.Fatal(err)
	}
	return ref.View{DB: d, Caller: ref.Caller{Actor: "tester", Origin: "person"}}
}

func inOrder(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	return order
}

func tidied(t *rapid.T, v ref.View, a tidy.Args) tidy.Result {
	result, err := tidy.Tidier(v).Tidy(context.Background(), a)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// state is what a store says to its readers.
func state(t *rapid.T, v ref.View) []string {
	return append(
		dbtest.Texts(t, v.DB, `select id || ' ' || status || ' ' || content || ' ' || title from memories where status <> 'forgotten' or forget_reason <> 'undone' order by id`),
		dbtest.Texts(t, v.DB, `select from_id || ' ' || kind || ' ' || to_id from edge_list order by from_id, kind, to_id`)...)
}

func keysOf(all []tidy.Proposal) []string {
	keys := []string{}
	for _, p := range all {
		keys = append(keys, p.Key)
	}
	return keys
}

func TestProperty_TheOrderOfMemoriesDoesNotMatter(t *testing.T) {
	dbtest.CheckTimes(t, 8)
	rapid.Check(t, func(t *rapid.T) {
		rows, ties := draw(t)
		one := build(t, rows, ties, inOrder(len(rows)))
		shuffled := inOrder(len(rows))
		source := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		source.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		other := build(t, rows, ties, shuffled)
		if diff := cmp.Diff(tidied(t, one, tidy.Args{Limit: 200}), tidied(t, other, tidy.Args{Limit: 200})); diff != "" {
			t.Errorf("in another order (-one +other):\n%s", diff)
		}
	})
}

var everyKind = []string{"same", "replaced", "conflict", "link", "summarise", "fading", "expired", "broken", "secret"}

func TestProperty_AcceptingAndUndoingChangesNothing(t *testing.T) {
	dbtest.CheckTimes(t, 8)
	rapid.Check(t, func(t *rapid.T) {
		rows, ties := draw(t)
		v := build(t, rows, ties, inOrder(len(rows)))
		kind := rapid.SampledFrom(everyKind).Draw(t, "kind")
		before, proposed := state(t, v), tidied(t, v, tidy.Args{Propose: []string{kind}, Limit: 200}).Proposals
		if len(proposed) == 0 {
			return
		}
		tidied(t, v, tidy.Args{Accept: keysOf(proposed)})
		if slices.Equal(before, state(t, v)) {
			t.Errorf("accepting %v changed nothing", described(proposed))
		}
		if _, err := journal.Journal(v).Undo(context.Background(), journal.UndoArgs{}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before, state(t, v)); diff != "" {
			t.Errorf("after the undo (-before +after):\n%s", diff)
		}
		again := tidied(t, v, tidy.Args{Propose: []string{kind}, Limit: 200}).Proposals
		if kind == "fading" { // being forgotten and restored touches a memory
			return
		}
		if diff := cmp.Diff(described(proposed), described(again)); diff != "" {
			t.Errorf("proposed after the undo (-before +after):\n%s", diff)
		}
	})
}

func TestProperty_AcceptingEverythingEnds(t *testing.T) {
	dbtest.CheckTimes(t, 8)
	rapid.Check(t, func(t *rapid.T) {
		rows, ties := draw(t)
		v := build(t, rows, ties, inOrder(len(rows)))
		for _, kind := range everyKind {
			for round := 0; ; round++ {
				proposed := tidied(t, v, tidy.Args{Propose: []string{kind}, Limit: 200}).Proposals
				if len(proposed) == 0 {
					break
				}
				if round > len(rows) {
					t.Fatalf("%s does not end: %s", kind, strings.Join(described(proposed), "; "))
				}
				tidied(t, v, tidy.Args{Accept: keysOf(proposed)})
			}
		}
	})
}

func TestProperty_WhatIsRejectedDoesNotComeBack(t *testing.T) {
	dbtest.CheckTimes(t, 6)
	rapid.Check(t, func(t *rapid.T) {
		rows, ties := draw(t)
		v := build(t, rows, ties, inOrder(len(rows)))
		if proposed := tidied(t, v, tidy.Args{Limit: 200}).Proposals; len(proposed) > 0 {
			tidied(t, v, tidy.Args{Reject: keysOf(proposed)})
		}
		if left := tidied(t, v, tidy.Args{Limit: 200}).Proposals; len(left) > 0 {
			t.Errorf("came back: %v", described(left))
		}
	})
}
