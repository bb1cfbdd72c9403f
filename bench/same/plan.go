package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
)

// call is one call of a tool. next takes the cursor of the answer before, key accepts the
// first proposal of it; without one the call is left out.
type call struct {
	tool      string
	arguments map[string]any
	next, key bool
}

// plan is what both sides are asked: commands, calls to one server, commands.
type plan struct {
	before  [][]string
	calls   []call
	after   [][]string
	isVault bool
}

type args = map[string]any

// held is a memory as the plan needs it: by what it is named on both sides, and its words.
type held struct {
	name, kind, title, uri string
	tags                   string
	text                   string
}

// holds reads what the first side's store holds, in an order that both would have.
func (s *side) holds(ctx context.Context) ([]held, error) {
	d, err := open(s.file())
	if err != nil {
		return nil, err
	}
	defer d.Close()
	rows, err := d.QueryContext(ctx, `
		select
		  case when l.id like '________-____-7___-____-____________' then coalesce(l.uri, l.title) else l.id end,
		  l.kind,
		  l.title,
		  coalesce(l.uri, ''),
		  l.tags,
		  substr(m.content, 1, 4000)
		from memory_list l
		join memories m on m.id = l.id
		where l.status = 'current'
		order by 1, 3, 6`)
	if err != nil {
		return nil, fmt.Errorf("read what the store holds: %w", err)
	}
	defer rows.Close()
	all := []held{}
	for rows.Next() {
		var h held
		if err := rows.Scan(&h.name, &h.kind, &h.title, &h.uri, &h.tags, &h.text); err != nil {
			return nil, err
		}
		all = append(all, h)
	}
	return all, rows.Err()
}

// planner draws from what a store holds, the same in every run.
type planner struct {
	store
	known []held
	*rand.Rand
}

func planFor(s store, known []held) plan {
	p := planner{s, known, rand.New(rand.NewPCG(1, 2))}
	out := plan{
		isVault: s.sort == notes,
		before: [][]string{
			{"overview"}, {"overview", "--json"}, {"list"}, {"list", "--json", "--limit", "100", "--order", "created"}, {"prime"}, {"check"}, {"check", "--json"},
			{"tidy", "--json"}, {"get", "--json", p.name()}, {"get", p.name()}, {"trace", p.name()}, {"neighborhood", p.name()}, {"related", p.name()},
			{"search", "--why", p.words(3)}, {"search", "--why", "--graph=false", p.words(2)}, {"search", "--why", "--mode", "semantic", p.words(3)}, {"path", p.name(), p.name()},
		},
		after: [][]string{{"log", "--limit", "60"}, {"log", "--json", "--limit", "200"}, {"doctor"}, {"prime"}, {"trust"}, {"undo"}, {"undo"}, {"undo", "--json"}, {"log", "--limit", "5"}},
	}
	out.calls = append(out.calls, p.lists()...)
	out.calls = append(out.calls, p.reads(5)...)
	out.calls = append(out.calls, p.searches()...)
	switch s.sort {
	case notes:
		out.calls = append(out.calls, p.notes()...)
	case symbols:
		out.calls = append(out.calls, p.symbols()...)
	}
	out.calls = append(out.calls, p.writes()...)
	out.calls = append(out.calls, p.reads(2)...)
	return out
}

func (p planner) one() held {
	if len(p.known) == 0 {
		return held{}
	}
	return p.known[p.IntN(len(p.known))]
}

func (p planner) name() string { return p.one().name }

// words returns some words that stand together in a memory, or its title.
func (p planner) words(n int) string {
	for range 20 {
		all := strings.FieldsFunc(p.one().text, func(r rune) bool { return strings.ContainsRune(" \n\t\"'`()[]{}<>|*#:;,.=&/\\-", r) })
		if len(all) > n {
			at := p.IntN(len(all) - n)
			return strings.Join(all[at:at+n], " ")
		}
	}
	return p.one().title
}

// scattered returns words of one memory that do not stand together.
func (p planner) scattered(n int) string {
	one := p
	one.known = []held{p.one()}
	words := []string{}
	for range n {
		words = append(words, one.words(1))
	}
	return strings.Join(words, " ")
}

// misspelt swaps two letters of a title.
func (p planner) misspelt() string {
	letters := []rune(p.one().title)
	if len(letters) > 4 {
		at := 1 + p.IntN(len(letters)-2)
		letters[at], letters[at-1] = letters[at-1], letters[at]
	}
	return string(letters)
}

func (p planner) searches() []call {
	asked := []string{}
	if p.questions != nil {
		if given, err := p.questions(); err == nil {
			p.Shuffle(len(given), func(i, j int) { given[i], given[j] = given[j], given[i] })
			asked = given[:min(len(given), p.store.searches*2/3)]
		}
	}
	forms := []func() string{
		func() string { return p.words(3) }, func() string { return p.scattered(5) }, func() string { return p.one().title }, p.misspelt,
		func() string { return `"` + p.words(2) + `"` }, func() string { return p.words(2) + " -" + p.words(1) }, func() string { return p.scattered(7) },
		func() string { return "kind:" + p.one().kind + " " + p.words(2) }, func() string { return "Why " + p.words(2) + "?" },
	}
	for i := 0; len(asked) < p.store.searches; i++ {
		asked = append(asked, forms[i%len(forms)]())
	}
	calls := []call{}
	for i, query := range asked {
		a := args{"query": query}
		switch i % 10 {
		case 3:
			a["mode"] = "keyword"
		case 4:
			a["graph"] = false
		case 5:
			a["limit"], a["detail"] = 50, "index"
		case 6:
			a["status"], a["detail"] = "all", "full"
		case 7:
			a["mode"] = "semantic"
		case 8:
			a["token_budget"] = 400
		}
		if p.sort == symbols && i%3 > 0 {
			a["kinds"] = []string{"code"}
		}
		calls = append(calls, call{tool: "memory_search", arguments: a})
		if i%10 == 8 {
			calls = append(calls, call{tool: "memory_search", arguments: a, next: true})
		}
	}
	return calls
}

// lists returns calls that show the whole store. Once notes were moved their order is left to
// the times that the system gave to files.
func (p planner) lists() []call {
	return []call{
		{tool: "graph_overview", arguments: args{}}, {tool: "graph_overview", arguments: args{"as_of": "2024-04-01"}},
		{tool: "memory_brief", arguments: args{}}, {tool: "memory_brief", arguments: args{"about": p.words(3)}},
		{tool: "memory_list", arguments: args{"order": "importance", "limit": 30}}, {tool: "memory_list", arguments: args{"token_budget": 300}},
		{tool: "memory_list", arguments: args{"token_budget": 300}, next: true}, {tool: "memory_list", arguments: args{"kind": p.one().kind, "status": "all", "order": "created"}},
		{tool: "memory_tidy", arguments: args{}},
	}
}

// reads returns calls that change nothing, n of most sorts.
func (p planner) reads(n int) []call {
	calls := []call{
		{tool: "memory_get", arguments: args{"id": "no memory has this name"}},
		{tool: "memory_get", arguments: args{"ids": []string{p.name(), p.name(), p.name()}, "detail": "summary"}},
		{tool: "expand", arguments: args{"seed_doc_ids": []string{p.name()}, "edge_types": []string{"no-such-kind"}}},
	}
	for i := range n {
		calls = append(calls,
			call{tool: "memory_get", arguments: args{"id": p.name(), "mentions": i%2 == 0}},
			call{tool: "find_related", arguments: args{"id": p.name(), "limit": 5}},
			call{tool: "expand", arguments: args{"seed_doc_ids": []string{p.name(), p.name()}, "hops": 1 + i%3, "detail": []string{"summary", "full"}[i%2]}},
			call{tool: "get_neighborhood", arguments: args{"id": p.name(), "depth": 1 + i%3}},
			call{tool: "memory_path", arguments: args{"from_id": p.name(), "to_id": p.name(), "max_hops": 6, "alternatives": 1 + i%3, "weighted": i%2 == 1}},
			call{tool: "memory_trace", arguments: args{"id": p.name(), "direction": []string{"upstream", "downstream"}[i%2]}},
			call{tool: "memory_history", arguments: args{"id": p.name()}})
	}
	return calls
}

// notes returns calls of the vault's tools.
func (p planner) notes() []call {
	calls := []call{
		{tool: "list_notes", arguments: args{}}, {tool: "list_notes", arguments: args{"limit": 5}}, {tool: "list_notes", arguments: args{"limit": 5}, next: true},
		{tool: "get_tags", arguments: args{}}, {tool: "check_vault", arguments: args{}},
	}
	for range 4 {
		path := p.path()
		calls = append(calls,
			call{tool: "read_note", arguments: args{"path": path}}, call{tool: "get_headings", arguments: args{"path": path}},
			call{tool: "get_frontmatter", arguments: args{"path": path}}, call{tool: "get_backlinks", arguments: args{"path": path}})
	}
	path, moved := p.path(), p.path()
	return append(calls,
		call{tool: "create_note", arguments: args{"path": "made/by a call.md", "content": "---\ndepends-on: \"[[" + p.one().title + "]]\"\n---\n# Made\n\nIt links to [[" + p.one().title + "]] #made\n"}},
		call{tool: "update_note", arguments: args{"path": path, "mode": "append", "content": "\nAn appended line of [[by a call]].\n"}},
		call{tool: "set_frontmatter", arguments: args{"path": path, "set": args{"reviewed": true, "supports": []string{"[[by a call]]"}}}},
		call{tool: "move_note", arguments: args{"from_path": moved, "to_path": "moved/away.md"}},
		call{tool: "check_vault", arguments: args{}},
		call{tool: "vault_import", arguments: args{}})
}

// path returns the path of a note in its vault, or a name where there is none.
func (p planner) path() string {
	for range 50 {
		if h := p.one(); strings.HasPrefix(h.uri, "obsidian-fs://") && strings.HasSuffix(h.uri, ".md") {
			_, path, _ := strings.Cut(strings.TrimPrefix(h.uri, "obsidian-fs://"), "/")
			return path
		}
	}
	return p.name()
}

func (p planner) symbols() []call {
	calls := []call{}
	for range 6 {
		name := p.name()
		calls = append(calls, call{tool: "code_outline", arguments: args{"id": name}}, call{tool: "code_read", arguments: args{"id": name}})
	}
	return calls
}

// writes returns calls that store, link, change and forget.
func (p planner) writes() []call {
	store := func(title string, more args) call {
		a := args{"title": title, "content": title + ": " + p.words(6) + "."}
		for k, v := range more {
			a[k] = v
		}
		return call{tool: "memory_store", arguments: a}
	}
	about, other := p.name(), p.name()
	return []call{
		store("First finding", args{"kind": "decision", "tags": []string{"same/one"}, "links": []args{{"to": about, "type": "depends-on", "note": "as measured"}}}),
		store("Second finding", args{"links": []args{{"to": "First finding", "type": "derived-from"}}, "importance": 0.9, "confidence": 0.4}),
		store("Third finding", args{"links": []args{{"to": "Second finding", "type": "supports", "weight": 0.5}, {"from": "First finding", "type": "causes"}}}),
		store("Second finding", nil),
		{tool: "memory_store", arguments: args{"title": "Said twice", "content": "The same words."}},
		{tool: "memory_store", arguments: args{"title": "Said twice", "content": "the same  words."}},
		{tool: "memory_store", arguments: args{"title": "Said twice", "content": "The same words.", "dedup": "strict"}},
		store("A rule", args{"kind": "rule", "pinned": true, "properties": args{"everywhere": true}}),
		store("A later finding", args{"supersedes": []string{"First finding"}, "reason": "measured again"}),
		{tool: "memory_store", arguments: args{"content": "The key is AKIAIOSFODNN7EXAMPLQ and ghp_016C7A7B8C9D0E1F2a3b4c5d6e7f8a9b0c1d is a token."}},
		{tool: "memory_store", arguments: args{"content": ""}},
		{tool: "memory_link", arguments: args{"from": "Third finding", "to": "A later finding", "type": "contradicts"}},
		{tool: "memory_link", arguments: args{"from": "A later finding", "to": "Second finding", "type": "depends-on"}},
		{tool: "memory_link", arguments: args{"from": "Second finding", "to": "A later finding", "type": "depends-on"}},
		{tool: "memory_link", arguments: args{"from": other, "to": "A rule", "type": "relates-to", "rel": "obeys"}},
		{tool: "memory_update", arguments: args{"id": "Second finding", "content": "Changed: " + p.words(5), "tags": []string{"same/two"}}},
		{tool: "memory_update", arguments: args{"id": other, "importance": 0.8}},
		{tool: "memory_trace", arguments: args{"id": "Third finding", "direction": "upstream"}},
		{tool: "memory_get", arguments: args{"id": "Third finding"}},
		{tool: "memory_search", arguments: args{"query": "finding", "status": "all"}},
		{tool: "memory_verify", arguments: args{"id": "Third finding", "note": "looked at"}},
		{tool: "memory_checkpoint", arguments: args{"goal": "compare", "done": "most", "next": "the rest", "learned": []any{"Both say the same.", args{"content": "A second thing.", "links": []args{{"to": "#1", "type": "supports"}}}}}},
		{tool: "memory_unlink", arguments: args{"from": "First finding", "to": "Third finding", "type": "causes"}},
		{tool: "memory_forget", arguments: args{"id": "Second finding", "reason": "wrong"}},
		{tool: "memory_restore", arguments: args{"id": "Second finding"}},
		{tool: "memory_forget", arguments: args{"id": "A rule", "purge": true}},
		{tool: "memory_history", arguments: args{"id": "First finding"}},
		{tool: "memory_tidy", arguments: args{}},
		{tool: "memory_tidy", arguments: args{"propose": []string{"conflict"}}},
		{tool: "memory_tidy", arguments: args{}, key: true},
		{tool: "memory_brief", arguments: args{}},
		{tool: "graph_overview", arguments: args{}},
	}
}
