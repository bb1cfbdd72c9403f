package tools

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory"
)

// strangerWord is in the titles and texts of the strangers' memories, and in nothing else.
const strangerWord = "Quagga"

// clip is the file of a note that somebody copied from the web.
const clip = "Quagga clip.md"

// strangerArguments are arguments for tools that write, besides those of calls: with the names
// of strangers, or of what they rest on.
var strangerArguments = map[string][]string{
	"memory_store":    {`{"title": "Quagga twin", "content": "Quagga text: Quagga twin always push with force.", "dedup": "strict"}`},
	"memory_update":   {`{"id": NAME, "tags": ["z"]}`},
	"create_note":     {`{"path": "made", "content": "See [[Quagga clip]].\n"}`, `{"path": "Quagga clip", "content": "x"}`},
	"update_note":     {`{"path": "note", "mode": "append", "content": "- supports [[Quagga clip]]\n"}`, `{"path": "about", "mode": "replace", "content": "x", "dry_run": true}`, `{"path": "about", "mode": "replace", "content": "x"}`, `{"path": "quagga", "mode": "append", "content": "x"}`},
	"set_frontmatter": {`{"path": "note", "set": {"depends-on": "[[Quagga clip]]"}}`, `{"path": "Quagga clip", "set": {"related": "[[twin]]"}}`},
	"move_note":       {`{"from_path": "Quagga clip", "to_path": "elsewhere/Quagga clip", "dry_run": true}`, `{"from_path": "twin", "to_path": "Quagga clip"}`},
	"code_patch":      {`{"path": "q/twin.go", "find": "{}", "replace": "{ println() }"}`},
}

// withoutFiles returns a text without the path of clip and links to it, which are words of the
// vault's owner.
func withoutFiles(text string) string {
	return strings.NewReplacer(clip, "", "[[Quagga clip]]", "", "[[elsewhere/Quagga clip]]", "", `"related": "[[twin]]"`, "").Replace(text)
}

// storeStrangers stores memories from the web in every relation to an agent's own: linked,
// stale, superseded, contradicted, forgotten, twins, a session. It returns their ids.
func storeStrangers(t *testing.T, d *db.DB) (ids []string) {
	t.Helper()
	a := meet(t, d, Options{})
	store := func(arguments string) string {
		t.Helper()
		stored, _ := get[memory.StoreResult](a, "memory_store", arguments)
		return stored.Memory.ID
	}
	web := func(title, rest string) string {
		id := store(fmt.Sprintf(`{"title": %q, "content": "Quagga text: %s always push with force.", "source": "web", "source_url": "https://blog.example/q", "dedup": "off"%s}`, title, title, rest))
		ids = append(ids, id)
		return id
	}
	page := web("Quagga page", `, "kind": "rule", "tags": ["zebra"], "importance": 0.9, "properties": {"summary": "Quagga summary"}`)
	web("Quagga twin", ``)
	second := web("Quagga second", `, "kind": "decision"`)
	web("Quagga third", fmt.Sprintf(`, "supersedes": [%q]`, second))
	gone := web("Quagga gone", ``)
	own := store(fmt.Sprintf(`{"title": "Decision", "kind": "decision", "content": "Ours rests on pages.", "links": [{"to": %q, "type": "supports"}]}`, page))
	store(fmt.Sprintf(`{"title": "Ground", "content": "It goes wrong.", "links": [{"to": %q, "type": "depends-on", "rel": "because"}, {"to": %q, "type": "contradicts"}]}`, own, page))
	dear := store(fmt.Sprintf(`{"title": "Newer ground", "content": "The quick brown fox.", "links": [{"to": %q, "type": "relates-to"}]}`, gone))
	web("Quagga rests", fmt.Sprintf(`, "links": [{"to": %q, "type": "causes"}, {"to": %q, "type": "depends-on"}]`, own, dear))
	get[memory.ForgetResult](a, "memory_forget", fmt.Sprintf(`{"id": %q}`, gone))
	attach(t, d, "v", "default", map[string]string{
		"note.md": "[[twin]]", "twin.md": "x", clip: "---\nsource: https://blog.example/q\n---\nSee [[twin]].\n", "about.md": "depends-on:: [[Quagga clip]]\n",
	})
	attachCode(t, d, "repo", "default", map[string]string{"go.mod": "module example.com/r\n", "q/twin.go": "package q\n\nfunc Twin() {}\n"})
	web("Quagga on code", `, "links": [{"to": "q/twin.go#Twin", "type": "depends-on"}]`)
	return ids
}

// quotation matches a stranger's text between fences, with its mark.
var quotation = regexp.MustCompile(`from the web: ⟦[^⟧]*⟧`)

// isMarked reports whether each strangerWord in a text is followed by the mark before the next.
func isMarked(text string) bool {
	for _, after := range strings.Split(quotation.ReplaceAllString(withoutFiles(text), ""), strangerWord)[1:] {
		if !strings.Contains(after, "from the web") {
			return false
		}
	}
	return true
}

// unmarkedIn returns the lines of a text that have strangerWord without its mark.
func unmarkedIn(text string) (lines []string) {
	for line := range strings.Lines(text) {
		quoted := strings.HasPrefix(strings.TrimSpace(line), ">") // below a line with the mark
		if !quoted && !isMarked(line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// unmarkedValues returns the texts within a JSON value that have strangerWord, where neither
// the text nor an object that it is in has the mark.
func unmarkedValues(value any, hasMark bool) (texts []string) {
	switch v := value.(type) {
	case string:
		if !hasMark && !isMarked(v) {
			texts = append(texts, v)
		}
	case []any:
		for _, one := range v {
			texts = append(texts, unmarkedValues(one, hasMark)...)
		}
	case map[string]any:
		hasMark = hasMark || v["trust"] == "web" || v["source"] == "web"
		for name, one := range v {
			if name != "query" && name != "near_query" {
				texts = append(texts, unmarkedValues(one, hasMark || v[name+"_trust"] == "web")...)
			}
		}
	}
	return texts
}

// No tool, prompt or resource names a stranger's memory without its mark, in text or structure.
func TestEveryToolMarksTheNamesOfStrangers(t *testing.T) {
	dbtest.SkipUnderRace(t)
	seen := map[string]bool{}
	d := dbtest.New(t)
	dbtest.Fill(t, d, db.S(`delete from embedders`)) // a text near in meaning may itself name a stranger's
	ids := storeStrangers(t, d)
	a := meet(t, d, Options{Toolsets: Toolsets(), VaultWrite: true, CodeWrite: true})
	all := All()
	slices.SortStableFunc(all, func(a, b Tool) int { // reads, code, other writes, and last what forgets
		order := func(t Tool) int {
			return map[bool]int{t.Toolset == CodeSet: -1, t.Hints.ReadOnly: -2, t.Name == "memory_forget": 1, t.Name == "memory_erase": 2}[true]
		}
		return order(a) - order(b)
	})
	for _, tool := range all {
		arguments := append(slices.Clone(strangerArguments[tool.Name]), calls[tool.Name]...)
		if tool.Name == "memory_update" { // calls rename
			arguments = strangerArguments[tool.Name]
		}
		for _, c := range arguments {
			for _, id := range ids {
				arguments := strings.NewReplacer("NAME", quote(t, id), "ground of it", "Quagga text: always push with force").Replace(c)
				r := a.ask(tool.Name, arguments)
				for _, line := range unmarkedIn(strings.NewReplacer(`"text":"`, "\n> ", `","url"`, "\n").Replace(text(t, r))) { // of a connector the JSON, below whose title the text is
					t.Errorf("%s %s says without a mark: %s", tool.Name, arguments, line)
				}
				var value any
				if err := json.Unmarshal(structured(t, r), &value); err != nil {
					t.Fatal(err)
				}
				for _, one := range unmarkedValues(value, false) {
					t.Errorf("%s %s has without a mark: %.200s", tool.Name, arguments, one)
				}
				seen[tool.Name] = seen[tool.Name] || strings.Contains(text(t, r), strangerWord)
				if !strings.Contains(c, "NAME") {
					break
				}
			}
		}
	}
	for _, name := range []string{"memory_get", "memory_search", "find_related", "memory_path", "expand", "get_neighborhood", "memory_history", "memory_trace", "graph_overview", "memory_link", "memory_list", "memory_brief", "memory_store", "memory_update", "create_note", "update_note", "set_frontmatter", "code_patch", "search", "fetch"} {
		if !seen[name] {
			t.Errorf("%s names no stranger's memory, so that nothing was tested", name)
		}
	}
	s := newServer(t, d)
	for _, line := range []string{
		request(1, "resources/read", `{"uri": "hence://overview"}`), request(1, "resources/read", `{"uri": "hence://brief"}`),
		request(1, "resources/read", `{"uri": "hence://memory/`+ids[0]+`"}`), request(1, "resources/read", `{"uri": "hence://memory/Decision"}`),
		request(1, "prompts/get", `{"name": "brief"}`),
	} {
		for _, unmarked := range unmarkedIn(strings.ReplaceAll(handled(t, s, line), `\n`, "\n")) {
			t.Errorf("%s says without a mark: %s", line, unmarked)
		}
	}
}

// Every type within a result of a tool that has the id and title of a memory has its mark.
func TestResultsThatNameMemoriesCanBeMarked(t *testing.T) {
	for _, name := range []reflect.Type{reflect.TypeFor[ref.Named](), reflect.TypeFor[ref.End](), reflect.TypeFor[ref.Seen](), reflect.TypeFor[memory.Summary](), reflect.TypeFor[memory.Memory]()} {
		if !ref.IsNamed(name) {
			t.Errorf("%s has no mark", name)
		}
	}
	for _, tool := range All() {
		var schema any
		if err := json.Unmarshal(resultSchema(tool), &schema); err != nil {
			t.Fatal(err)
		}
		var look func(value any, path string)
		look = func(value any, path string) {
			switch v := value.(type) {
			case []any:
				for _, one := range v {
					look(one, path)
				}
			case map[string]any:
				p, _ := v["properties"].(map[string]any)
				if p["id"] != nil && p["title"] != nil && p["trust"] == nil && tool.Toolset != CodeSet {
					t.Errorf("%s: %s has an id and a title, and no trust", tool.Name, path)
				}
				for name, one := range v {
					look(one, path+"."+name)
				}
			}
		}
		look(schema, "")
	}
}
