package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// tally counts how often something was right.
type tally struct{ right, asked int }

func (t *tally) add(right bool) {
	if t.asked++; right {
		t.right++
	}
}

func (t tally) String() string {
	if t.asked == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %% (%d of %d)", 100*float64(t.right)/float64(t.asked), t.right, t.asked)
}

// measureFacts stores facts that replace each other, and asks for what is true.
func measureFacts(ctx context.Context, b *bench) error {
	c := makeChanging()
	rows := []string{}
	for _, one := range []facts{
		{changing: c, how: "declared", declared: true},
		{changing: c, how: "undeclared"},
		{changing: makeUnseen(), how: "undeclared, other forms"},
		{changing: makeUnseen().amongOthers(), how: "undeclared, other forms, among other facts"},
		{changing: makeDistinct(), how: "different facts"},
	} {
		more, err := b.factsOfHence(ctx, one)
		if err != nil {
			return fmt.Errorf("hence: %w", err)
		}
		rows = append(rows, more...)
	}
	for _, peer := range b.memoryServers()[1:] {
		row, err := b.factsOfPeer(ctx, c, peer)
		if err != nil {
			return fmt.Errorf("%s: %w", peer.name, err)
		}
		rows = append(rows, row)
	}
	b.results.Rows["facts"] = rows
	return nil
}

func factsRow(server, how, what string, t tally) string {
	return fmt.Sprintf("| %s | %s | %s | %s |", server, how, what, t)
}

// facts are subjects, and the way in which their facts are stored.
type facts struct {
	changing
	how      string
	declared bool // with supersedes
}

// factsOfHence stores the facts round by round: the first one of every subject, then the
// second, and so on, so that known_at can name a time between two rounds. Then it asks for
// the facts, and returns rows of the table.
func (b *bench) factsOfHence(ctx context.Context, c facts) (rows []string, err error) {
	b.say("facts: hence, %s", c.how)
	server, err := b.startIn(ctx, b.memoryServers()[0], filepath.Join("facts", c.how))
	if err != nil {
		return nil, err
	}
	defer server.stop()
	asked := asker{server, c.changing, make([][]string, len(c.subjects))}
	known := []string{""} // a time after each round
	var near tally
	for round := 1; round <= mostRounds; round++ {
		for i, s := range c.subjects {
			if round <= len(s.facts) {
				if err := asked.store(ctx, i, round, c.declared, &near); err != nil {
					return nil, err
				}
			}
		}
		time.Sleep(2 * time.Millisecond) // times have milliseconds
		known = append(known, time.Now().UTC().Format("2006-01-02T15:04:05.000Z"))
		time.Sleep(2 * time.Millisecond)
	}
	if c.declared {
		return asked.rows(ctx, c.how, known)
	}
	tidied, err := asked.tidy(ctx)
	if err != nil {
		return nil, err
	}
	if c.distinct {
		stored := 0
		for _, ids := range asked.ids {
			stored += len(ids)
		}
		return []string{factsRow("hence", c.how, "facts for which `memory_tidy` proposes *replaced*, all false", tally{tidied.wrong.asked, stored})}, nil
	}
	current, err := asked.askCurrent(ctx)
	if err != nil {
		return nil, err
	}
	return []string{
		factsRow("hence", c.how, "`near` shows the older fact among three", near),
		factsRow("hence", c.how, "the current fact comes before the older ones", current.first),
		factsRow("hence", c.how, "`memory_tidy` proposes a later fact in place of the older one", tidied.found),
		factsRow("hence", c.how, "proposals of *replaced* that are false", tidied.wrong),
	}, nil
}

// store stores what else is said of a subject in a round, and then its fact. near counts
// whether the answer shows the fact of the round before.
func (a asker) store(ctx context.Context, i, round int, declared bool, near *tally) error {
	s := a.subjects[i]
	if round <= len(s.others) {
		for _, text := range s.others[round-1] {
			if _, _, err := a.server.ask(ctx, call{"memory_store", map[string]any{"content": text}}); err != nil {
				return err
			}
		}
	}
	arguments := map[string]any{"content": s.facts[round-1], "valid_from": day(round) + "T00:00:00Z"}
	if declared && round > 1 {
		arguments["supersedes"] = []string{a.ids[i][round-2]}
	}
	var stored struct {
		Memory struct{ ID string }
		Near   []struct{ ID string }
	}
	if err := a.server.read(ctx, call{"memory_store", arguments}, &stored); err != nil {
		return err
	}
	a.ids[i] = append(a.ids[i], stored.Memory.ID)
	if round > 1 {
		shown := false
		for _, n := range stored.Near[:min(3, len(stored.Near))] {
			shown = shown || n.ID == a.ids[i][round-2]
		}
		near.add(shown)
	}
	return nil
}

// day returns the date from which the facts of a round are true.
func day(round int) string { return fmt.Sprintf("2026-01-%02d", round) }

// asker asks Hence for facts.
type asker struct {
	server *running
	changing
	ids [][]string // of the stored facts, by subject and round
}

func (a asker) rows(ctx context.Context, how string, known []string) ([]string, error) {
	current, err := a.askCurrent(ctx)
	if err != nil {
		return nil, err
	}
	chains, err := a.askChains(ctx)
	if err != nil {
		return nil, err
	}
	var asOf, knownAt tally
	for i, s := range a.subjects {
		for round := 1; round <= len(s.facts); round++ {
			for _, q := range []struct {
				tally    *tally
				argument string
				at       string
			}{{&asOf, "as_of", day(round) + "T12:00:00Z"}, {&knownAt, "known_at", known[round]}} {
				hits, err := a.search(ctx, s.question, map[string]any{q.argument: q.at})
				if err != nil {
					return nil, err
				}
				q.tally.add(len(hits) > 0 && hits[0].ID == a.ids[i][round-1])
			}
		}
	}
	return []string{
		factsRow("hence", how, "one hop: the current fact comes first", current.first),
		factsRow("hence", how, "one hop: no older fact among ten", current.clean),
		factsRow("hence", how, "two hops: each current fact comes first", chains),
		factsRow("hence", how, "`as_of` a day of each fact: that fact comes first", asOf),
		factsRow("hence", how, "`known_at` a time after each fact: that fact comes first", knownAt),
	}, nil
}

type foundFact struct {
	ID, Snippet string
}

func (a asker) search(ctx context.Context, question string, more map[string]any) ([]foundFact, error) {
	arguments := map[string]any{"query": question}
	for name, value := range more {
		arguments[name] = value
	}
	var answer struct{ Results []foundFact }
	err := a.server.read(ctx, call{"memory_search", arguments}, &answer)
	return answer.Results, err
}

// answers counts, for questions of one hop, how often the current fact was the first result,
// and how often no older fact was among the results.
type answers struct{ first, clean tally }

func (a asker) askCurrent(ctx context.Context) (got answers, err error) {
	for i, s := range a.subjects {
		hits, err := a.search(ctx, s.question, nil)
		if err != nil {
			return got, err
		}
		old := map[string]bool{}
		for _, id := range a.ids[i][:len(s.facts)-1] {
			old[id] = true
		}
		clean := true
		for _, f := range hits {
			clean = clean && !old[f.ID]
		}
		got.first.add(len(hits) > 0 && hits[0].ID == a.ids[i][len(s.facts)-1])
		got.clean.add(clean)
	}
	return got, nil
}

// tidyScore counts how many of the older facts have a proposal that a later fact of the same
// subject replaces them, and how many of the proposals say something else.
type tidyScore struct{ found, wrong tally }

// tidy reads all proposals of the rule replaced. A call lists at most 200, and rejects those
// that were read before, so that it lists others.
func (a asker) tidy(ctx context.Context) (got tidyScore, err error) {
	type place struct{ subject, round int }
	places, replaced := map[string]place{}, map[string]bool{}
	for i, ids := range a.ids {
		for n, id := range ids {
			places[id] = place{i, n}
		}
	}
	for arguments := map[string]any{"propose": []string{"replaced"}, "limit": 200, "token_budget": 50_000}; ; {
		var answer struct {
			Proposals []struct {
				Key      string
				Memories []struct{ ID string }
			}
		}
		if err := a.server.read(ctx, call{"memory_tidy", arguments}, &answer); err != nil {
			return got, err
		}
		if len(answer.Proposals) == 0 {
			break
		}
		keys := []string{}
		for _, p := range answer.Proposals {
			newer, isFact := places[p.Memories[0].ID]
			older, isOther := places[p.Memories[1].ID]
			right := isFact && isOther && !a.distinct && newer.subject == older.subject && newer.round > older.round
			if got.wrong.add(!right); right {
				replaced[p.Memories[1].ID] = true
			}
			keys = append(keys, p.Key)
		}
		arguments["reject"] = keys
	}
	for _, ids := range a.ids {
		for _, id := range ids[:len(ids)-1] {
			got.found.add(replaced[id])
		}
	}
	return got, nil
}

// askChains asks the questions of two hops. The second hop asks about the person whom the
// first result of the first hop names.
func (a asker) askChains(ctx context.Context) (right tally, err error) {
	for _, c := range a.chains {
		hits, err := a.search(ctx, a.subjects[c.from].question, nil)
		if err != nil {
			return right, err
		}
		person := -1
		for i, s := range a.subjects[:people] {
			if len(hits) > 0 && strings.Contains(hits[0].Snippet, s.name) {
				person = i
			}
		}
		if person < 0 {
			right.add(false)
			continue
		}
		if hits, err = a.search(ctx, a.subjects[person].question, nil); err != nil {
			return right, err
		}
		ids := a.ids[c.to]
		right.add(person == c.to && len(hits) > 0 && hits[0].ID == ids[len(ids)-1])
	}
	return right, nil
}

// factsOfPeer stores the facts of each subject as observations of one entity, as the peers
// do, and asks for the subject by its name. The answer has all observations of the entity. It
// is right if the current fact stands before the older ones.
func (b *bench) factsOfPeer(ctx context.Context, c changing, peer contender) (string, error) {
	b.say("facts: %s", peer.name)
	server, err := b.startIn(ctx, peer, filepath.Join("facts", peer.name))
	if err != nil {
		return "", err
	}
	defer server.stop()
	for round := 1; round <= mostRounds; round++ {
		entities := []map[string]any{}
		for _, s := range c.subjects {
			if round <= len(s.facts) {
				entities = append(entities, map[string]any{"name": s.name, "entityType": "subject", "observations": s.facts[:round]})
			}
		}
		for first := 0; first < len(entities); first += 50 {
			if err := peer.observe(ctx, server, entities[first:min(first+50, len(entities))], round); err != nil {
				return "", err
			}
		}
	}
	var current tally
	for _, s := range c.subjects {
		answer, _, err := server.ask(ctx, peer.search(s.name))
		if err != nil {
			return "", err
		}
		last := len(s.facts) - 1
		at := strings.Index(answer, s.facts[last])
		right := at >= 0
		for _, old := range s.facts[:last] {
			if n := strings.Index(answer, old); n >= 0 && n < at {
				right = false
			}
		}
		current.add(right)
	}
	return factsRow(peer.name, "undeclared", "the current fact comes before the older ones", current), nil
}

// observe adds the last observation of each entity, or in the first round the entities. A
// server without a call for observations gets the entity again, with all its observations.
func (peer contender) observe(ctx context.Context, server *running, entities []map[string]any, round int) error {
	calls := call{"create_entities", map[string]any{"entities": entities}}
	if round > 1 && peer.name == "server-memory" {
		added := []map[string]any{}
		for _, e := range entities {
			added = append(added, map[string]any{"entityName": e["name"], "contents": e["observations"].([]string)[round-1:]})
		}
		calls = call{"add_observations", map[string]any{"observations": added}}
	}
	_, _, err := server.ask(ctx, calls)
	return err
}

// startIn starts a server in a folder of its own.
func (b *bench) startIn(ctx context.Context, peer contender, folder string) (*running, error) {
	dir := filepath.Join(b.scratch, folder)
	if err := makeFolder(dir); err != nil {
		return nil, err
	}
	return start(ctx, peer.command(dir))
}

// read makes a call and decodes its structured result.
func (r *running) read(ctx context.Context, c call, into any) error {
	request := mcp.CallToolRequest{}
	request.Params.Name, request.Params.Arguments = c.tool, c.arguments
	result, err := r.client.CallTool(ctx, request)
	if err != nil {
		return fmt.Errorf("%s: %w", c.tool, err)
	}
	raw, err := json.Marshal(result.StructuredContent)
	if err != nil {
		return err
	}
	if result.IsError {
		return fmt.Errorf("%s: %.200s", c.tool, raw)
	}
	return json.Unmarshal(raw, into)
}
