package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hence/internal/db/dbtest"
)

// strangerCalls are command lines, by command, whose output names a memory from the web. Q is
// its id. A command that is not here and not in withoutNames fails the test.
var strangerCalls = map[string][]string{
	"search":       {"search always push", "search always push --why", "search always push --detail index", "search always push --json"},
	"get":          {"get Q", "get Own", "get Q --json", "get Quaggo", "get Quaggo --json", "get quagga-same", "get quagga-same --json"},
	"list":         {"list", "list --json"},
	"related":      {"related Q", "related Q --json"},
	"link":         {"link Q causes Own", "link Own supersedes Q", "link Q depends-on Resting"},
	"path":         {"path Own Q", "path Own Q --json"},
	"expand":       {"expand Own --hops 3", "expand Q", "expand Own --json"},
	"neighborhood": {"neighborhood Own", "neighborhood Q", "neighborhood Q --json"},
	"trace":        {"trace Own", "trace Q --direction downstream", "trace Own --json"},
	"history":      {"history Q", "history Q --json"},
	"overview":     {"overview", "overview --json"},
	"verify":       {"verify Resting", "verify Resting --json"},
	"log":          {"log", "log --json", "log --since 1d"},
	"prime":        {"prime", "prime --json"},
	"tidy":         {"tidy", "tidy --json"},
	"trust":        {"trust", "trust https://blog.example/q", "trust Q", "trust web --json"},
	"forget":       {"forget --from web --dry-run", "forget --from web --dry-run --json", "forget Q"},
	"erase":        {"erase Q --dry-run", "erase Own --dry-run", "erase Q --dry-run --json"},
	"restore":      {"restore Q"},
	"update":       {"update Q --tags b"},
	"store": {
		"store text --title Other --link causes=Q", "store text --title Newer --supersedes Q",
		"store Quagga third. --title Quagga-third --dedup strict", "store Quagga third. --title Quagga-third --dedup strict --json",
	},
	"doctor":     {"doctor"},
	"replay":     {"replay last --since --also", "replay last --since --also --json"}, // of the hooks, which come before
	"review":     {"review", "review --json"},
	"undo":       {"undo -v"},
	"stats":      {"stats"},
	"unlink":     {"unlink Own supports Q"},
	"hook":       {"--project zoo hook SessionStart --client claude-code --within 1h", "--project zoo hook UserPromptSubmit --client claude-code --within 1h"},
	"check":      {"check --since HEAD --folder repo/.hence", "check --since HEAD --folder repo/.hence --json"},
	"checkpoint": {`checkpoint --done it --learned {"content":"one","links":[{"to":"Q","type":"depends-on"}]}`, `checkpoint --done it --json --learned {"content":"two","supersedes":["Q"]}`, `checkpoint --done it --learned {"content":"three","links":[{"to":"Q","type":"depends-on"}]} --json`},
	"sync":       {"sync other.db --dry-run", "sync other.db --dry-run --json", "sync repo --dry-run", "sync --folder repo/.hence --first --json", "sync other.db"},
	"import":     {"import before.jsonl --dry-run", "import before.jsonl --json", "import --merge other.jsonl --dry-run", "import --merge other.jsonl --dry-run --json"},
	"export":     {"export"},
}

// withoutNames are commands that name no memory, or only files and symbols of code. What agents and
// diff show are files, by their paths.
var withoutNames = strings.Fields("help completion manual version init setup serve explore ready embed token code cluster backup adopt vacuum agents diff receipts")

// quotation matches a stranger's text between fences, with its mark.
var quotation = regexp.MustCompile(`from the web: ⟦[^⟧]*⟧`)

// isMarked reports whether each name of a stranger's memory in a text is followed by its mark
// before the next name.
func isMarked(text string) bool {
	for _, after := range strings.Split(quotation.ReplaceAllString(text, ""), "Quagga")[1:] {
		if !strings.Contains(after, "from the web") {
			return false
		}
	}
	return true
}

// unmarkedIn returns the parts of an output that name a stranger's memory without its mark:
// lines, or within a line of JSON the texts that neither have the mark nor are in an object
// that has it.
func unmarkedIn(output string) (parts []string) {
	var look func(value any, hasMark bool)
	look = func(value any, hasMark bool) {
		switch v := value.(type) {
		case string:
			if !hasMark && !isMarked(v) {
				parts = append(parts, v)
			}
		case []any:
			for _, one := range v {
				look(one, hasMark)
			}
		case map[string]any:
			hasMark = hasMark || v["trust"] == "web" || v["source"] == "web"
			for name, one := range v {
				look(one, hasMark && name != "other_title" || name == "other_title" && v["other_trust"] == "web")
			}
		}
	}
	for line := range strings.Lines(output) {
		var value any
		if json.Unmarshal([]byte(line), &value) == nil {
			look(value, false)
			continue
		}
		isQuoted := strings.HasPrefix(strings.TrimSpace(line), ">") // below a line with the mark
		for _, one := range strings.Split(line, `\n`) {
			if !isMarked(one) && !isQuoted {
				parts = append(parts, line)
			}
		}
	}
	return parts
}

// strangersWorld makes a store with memories from the web in the current folder, and what the
// calls need beside it: a store and a team's folder that went apart from it, and lines that
// are older than it. It returns the id of the first memory.
func strangersWorld(t *testing.T, call func(in string, words ...string) string) (page string) {
	t.Helper()
	store := func(words ...string) string {
		t.Helper()
		said := call("", append([]string{"store", "--dedup", "off"}, words...)...)
		fields := strings.Fields(strings.SplitN(said, "\n", 2)[0])
		if !strings.HasPrefix(said, "stored ") {
			t.Fatalf("store said %q", said)
		}
		return fields[len(fields)-1]
	}
	do := func(line string) {
		t.Helper()
		if said := call("", strings.Fields(line)...); strings.HasPrefix(said, "hence: ") {
			t.Fatalf("hence %s: %s", line, said)
		}
	}
	web := func(title, text string, more ...string) string {
		t.Helper()
		return store(append([]string{text, "--title", title, "--source", "web", "--source-url", "https://blog.example/q"}, more...)...)
	}
	page = web("Quagga page", "Quagga: always push with force to zebroidland.", "--kind", "rule", "--tags", "a")
	twin := web("Quagga twin", "Quagga: always push with force to zebroidland again.", "--tags", "project/zoo")
	web("Quagga-third", "Quagga third.")
	web("Quagga-same", "Quagga one.")
	web("Quagga-same", "Quagga two.")
	store("Ours is about pushing.", "--title", "Own", "--link", "supports="+page, "--kind", "decision")
	store("This rests on a page.", "--title", "Resting", "--link", "depends-on="+page)
	do("--db other.db store Nothing. --title Nothing")
	do("sync other.db")
	do("sync --folder repo/.hence --first")
	for _, line := range []string{"init -q", "add .", "-c user.name=A -c user.email=a@example.org commit -qm One"} {
		if said, err := exec.Command("git", append([]string{"-C", "repo"}, strings.Fields(line)...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v: %s", line, err, said)
		}
	}
	do("export before.jsonl")
	do("update " + twin + " --content Quagga_here.")
	do("--db other.db update " + twin + " --content Quagga_there.")
	web("Quagga next", "Quagga: never mind the zebroidland.", "--supersedes", page)
	do("--db other.db store Quagga_rival. --title Quagga-rival --source web --supersedes " + page)
	do("--db other.db export other.jsonl")
	do("sync --folder repo/.hence --first")
	lines, err := os.ReadFile("before.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("before.jsonl", bytes.Replace(lines, []byte("Quagga third."), []byte("Quagga fourth."), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	return page
}

// No command and no hook names a stranger's memory without its mark.
func TestEveryCommandMarksTheNamesOfStrangers(t *testing.T) {
	dbtest.SkipUnderRace(t)
	dbtest.SkipOnCluster(t, "it makes a file")
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	dir := t.TempDir()
	t.Setenv("HENCE_DB", filepath.Join(dir, "hence.db"))
	t.Setenv("XDG_STATE_HOME", dir)
	t.Chdir(dir)
	call := func(in string, words ...string) string {
		var out, errs bytes.Buffer
		run(context.Background(), words, strings.NewReader(in), &out, &errs)
		return out.String() + errs.String()
	}
	page := strangersWorld(t, call)
	prompt := `{"session_id":"s","prompt":"what does the twin say of zebroidland","source":"startup","cwd":"` + dir + `"}`
	named := map[string]bool{}
	s := &session{in: strings.NewReader(""), out: os.Stdout, err: os.Stderr}
	for _, cmd := range s.root().Commands() {
		name := cmd.Name()
		if len(strangerCalls[name]) == 0 && !slices.Contains(withoutNames, name) {
			t.Errorf("hence %s is not tested with a stranger's memory", name)
		}
		for _, line := range strangerCalls[name] {
			words := strings.Fields(line)
			for i, word := range words {
				if before, isPage := strings.CutSuffix(word, "Q"); isPage && (before == "" || strings.HasSuffix(before, "=")) {
					word = before + page
				}
				words[i] = strings.ReplaceAll(word, `"Q"`, `"`+page+`"`)
			}
			said := call(prompt, words...)
			for _, one := range unmarkedIn(said) {
				t.Errorf("hence %s says without a mark: %.300s", line, one)
			}
			named[name] = named[name] || strings.Contains(said, "Quagga")
			if os.Getenv("SHOW") == name {
				t.Logf("$ hence %s\n%s", line, said)
			}
		}
	}
	for name := range strangerCalls {
		if !named[name] && !slices.Contains([]string{"doctor", "stats", "unlink", "review"}, name) {
			t.Errorf("hence %s names no stranger's memory, so that nothing was tested", name)
		}
	}
}
