package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hence/edges"
	"hence/edges/walk"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory"
)

// Every text that names a memory shows the short id beside the title, and the short id
// opens that memory.
func TestShortIDsInTextsNameTheirMemories(t *testing.T) {
	a := newAgent(t)
	get[memory.StoreResult](a, "memory_store", `{"title": "Quay", "content": "The quay is long."}`)
	stored, _ := get[memory.StoreResult](a, "memory_store", `{"title": "Ferry", "content": "The ferry needs a long quay.", "links": [{"to": "Quay", "type": "depends-on"}]}`)
	get[memory.StoreResult](a, "memory_store", `{"title": "Short quay", "content": "The quay is short.", "supersedes": ["Quay"]}`)
	shown := regexp.MustCompile(`"([^"]*)" \(([^)]*)\)`)
	for _, call := range [][2]string{
		{"memory_get", `{"id": "Ferry"}`},
		{"memory_update", `{"id": "Ferry", "pinned": true}`},
		{"memory_list", `{"status": "all"}`},
		{"memory_search", `{"query": "quay", "status": "all"}`},
		{"find_related", `{"id": "Ferry"}`},
		{"memory_path", `{"from_id": "Ferry", "to_id": "Short quay"}`},
		{"expand", `{"seed_doc_ids": ["Ferry"], "hops": 2, "include_superseded": true}`},
		{"get_neighborhood", `{"id": "Ferry", "include_superseded": true}`},
		{"memory_history", `{"id": "Quay"}`},
		{"memory_trace", `{"id": "Ferry", "direction": "upstream"}`},
		{"graph_overview", `{}`},
		{"memory_verify", `{"id": "Ferry"}`},
		{"memory_forget", `{"id": "Ferry"}`},
		{"memory_restore", `{"id": "Ferry"}`},
	} {
		said := text(t, a.ask(call[0], call[1]))
		matches := shown.FindAllStringSubmatch(said, -1)
		if len(matches) == 0 {
			t.Errorf("%s shows no short id:\n%s", call[0], said)
		}
		for _, f := range matches {
			if opened, _ := get[memory.GetResult](a, "memory_get", fmt.Sprintf(`{"id": %q}`, f[2])); opened.Memories[0].Title != f[1] || len(f[2]) != 8 {
				t.Errorf("%s shows %q beside %q; it opens %q", call[0], f[2], f[1], opened.Memories[0].Title)
			}
		}
		if strings.Contains(said, stored.Memory.ID) {
			t.Errorf("%s shows a whole id:\n%s", call[0], said)
		}
	}
}

func TestStoringUnderATakenTitleSaysSo(t *testing.T) {
	a := newAgent(t)
	first, _ := get[memory.StoreResult](a, "memory_store", `{"title": "Drain Tími", "content": "an hour"}`)
	inUse := fmt.Sprintf(`the title is taken already by "Drain Tími" (%s)`, ref.ShortID(first.Memory.ID))
	for _, c := range []struct {
		name, arguments string
		says            bool
	}{
		{"TheSame", `{"title": "Drain Tími", "content": "two hours"}`, true},
		{"InAnotherCase", `{"title": "DRAIN TÍMI", "content": "three hours"}`, true},
		{"ThatOfTheFirstLine", `{"content": "drain tími\nfour hours"}`, true},
		{"InAnotherNamespace", `{"title": "Drain Tími", "content": "five hours", "namespace": "other"}`, false},
		{"AnotherTitle", `{"title": "Drain", "content": "six hours"}`, false},
		{"OfTheSameText", `{"title": "Drain Tími", "content": "an hour"}`, false},
		{"OfTheSuperseded", `{"title": "Drain Tími", "content": "seven hours", "supersedes": ["` + first.Memory.ID + `"]}`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := *a
			a.t = t
			got, said := get[memory.StoreResult](&a, "memory_store", c.arguments)
			if warned := strings.Contains(strings.Join(got.Warnings, "\n"), inUse); warned != c.says || strings.Contains(said, inUse) != c.says {
				t.Errorf("warnings %q, text %q; says so: %v, want %v", got.Warnings, said, warned, c.says)
			}
		})
	}
}

// A client may show an agent the text alone.
func TestTextOfExpandNamesWhatMayHaveBeenMeant(t *testing.T) {
	a := newAgent(t)
	for _, arguments := range []string{`{"title": "Twin", "content": "a"}`, `{"title": "Twin", "content": "b"}`, `{"title": "Harbour", "content": "c"}`} {
		get[memory.StoreResult](a, "memory_store", arguments)
	}
	got, said := get[walk.ExpandResult](a, "expand", `{"seed_doc_ids": ["Twin", "Harbor"], "hops": 1}`)
	if len(got.Warnings) != 2 || len(got.Warnings[0].Candidates) != 2 || len(got.Warnings[1].Near) != 1 {
		t.Fatalf("warnings: %+v", got.Warnings)
	}
	for _, want := range []string{got.Warnings[0].Candidates[0].ID, got.Warnings[0].Candidates[1].ID, "near titles: Harbour"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q lacks %q", said, want)
		}
	}
}

// Instructions for models that Hence writes or ships name tools, arguments and fields as in
// the list of tools.
func TestInstructionsNameToolsThatExist(t *testing.T) {
	listed, _ := listed(t, Options{VaultWrite: true})
	known := map[string]bool{"hence": true, "decide": true} // the server, and a skill
	for _, tool := range listed {
		for _, quoted := range regexp.MustCompile(`"([a-z_-]+)"`).FindAllSubmatch(tool, -1) {
			known[string(quoted[1])] = true
		}
	}
	for _, kind := range edges.Kinds() {
		known[string(kind)] = true
	}
	tools := toolNames(t, Options{})
	skills, err := filepath.Glob("../plugins/claude-code/skills/*/SKILL.md")
	if err != nil || len(skills) == 0 {
		t.Fatalf("no skills: %v", err)
	}
	for _, file := range append(skills, "../cmd/hence/internal/clients/instructions.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		words := regexp.MustCompile("`([a-z_-]+)`").FindAllSubmatch(text, -1)
		if len(words) == 0 {
			t.Errorf("%s names nothing", file)
		}
		for _, word := range words {
			if !known[string(word[1])] {
				t.Errorf("%s names %s, which no tool is or has", file, word[1])
			}
		}
		for _, name := range regexp.MustCompile(`\bmemory_[a-z]+`).FindAll(text, -1) {
			if !slices.Contains(tools, string(name)) {
				t.Errorf("%s names %s, which is not a tool", file, name)
			}
		}
	}
}

// Mentions are guesses: memory_get shows them only if they are requested, after the others.
func TestGetHasMentionsOnlyIfAsked(t *testing.T) {
	d := dbtest.New(t)
	attach(t, d, "v", "", map[string]string{"Piers.md": "[[Cranes]]\n", "Cranes.md": "Lift.\n", "Boats.md": "Piers and Cranes.\n"})
	a := meet(t, d, Options{})
	for arguments, want := range map[string]string{`{"id": "Piers"}`: "links-to", `{"id": "Piers", "mentions": true}`: "links-to mentions"} {
		got, said := get[memory.GetResult](a, "memory_get", arguments)
		kinds := []string{}
		for _, e := range got.Memories[0].Edges {
			kinds = append(kinds, string(e.Type))
		}
		if strings.Join(kinds, " ") != want || strings.Contains(said, "mentions") != strings.Contains(want, "mentions") {
			t.Errorf("%s: %q\n%s", arguments, kinds, said)
		}
	}
}
