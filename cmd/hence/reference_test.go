//go:build unix

package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
)

const (
	reference         = "../../docs/commands.md"
	referenceExamples = "testdata/docs/commands.txt"
)

// example is what docs/commands.md shows of one command.
type example struct {
	lines  []string // for a shell; + before one that the page does not show
	not    string   // why the command is not run
	output string   // a transcript: each command, and what it prints
}

// TestTheReferenceIsTrue makes docs/commands.md of the help and of the examples in
// testdata/docs/commands.txt, which run one after the other on the example vault, and
// holds the page against it. With UPDATE set it writes the page.
func TestTheReferenceIsTrue(t *testing.T) {
	if testing.Short() {
		t.Skip("a hundred processes take some seconds")
	}
	t.Parallel()
	names, examples := readExamples(t)
	p := newPerson(t)
	for _, name := range names {
		e := examples[name]
		var transcript strings.Builder
		for _, line := range e.lines {
			command, hidden := strings.CutPrefix(line, "+ ")
			out, code := p.types(command)
			if code != 0 {
				t.Fatalf("%s: %s exits with %d:\n%s", name, command, code, out)
			}
			if !hidden {
				fmt.Fprintf(&transcript, "$ %s\n%s", command, out)
			}
		}
		e.output = transcript.String()
	}
	root := new(session).root()
	page := referencePage(t, root, examples)
	for name, e := range examples {
		t.Errorf("%s has an example for %s, which is no command (%v)", referenceExamples, name, e.lines)
	}
	old, err := os.ReadFile(reference)
	if err != nil && os.Getenv("UPDATE") == "" {
		t.Fatal(err)
	}
	if (stand{}).gives(string(old), page) {
		return
	}
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(reference, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("docs/commands.md is otherwise; UPDATE=1 go test ./cmd/hence -run Reference writes it (-page +now):\n%s",
		cmp.Diff(splitLines(anyChanging.ReplaceAllString(string(old), "…")), splitLines(anyChanging.ReplaceAllString(page, "…"))))
}

// readExamples reads the examples in their order: a line "== store" begins those of the
// command store, and one with "! " before it says why they are not run.
func readExamples(t *testing.T) (names []string, examples map[string]*example) {
	t.Helper()
	raw, err := os.ReadFile(referenceExamples)
	if err != nil {
		t.Fatal(err)
	}
	examples = map[string]*example{}
	var now *example
	for line := range strings.Lines(string(raw)) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "== "):
			name := strings.TrimPrefix(line, "== ")
			now = &example{}
			names, examples[name] = append(names, name), now
		case now == nil || line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "! "):
			now.not = strings.TrimPrefix(line, "! ")
		default:
			now.lines = append(now.lines, line)
		}
	}
	return names, examples
}

// referencePage returns the page, and takes the examples that it shows from the map.
func referencePage(t *testing.T, root *cobra.Command, examples map[string]*example) string {
	t.Helper()
	asMarkdown(root)
	var page strings.Builder
	page.WriteString(`# Every command

Made by a test from the help of the program and from what its commands print, one after the other, on a copy of
[examples/vault](../examples/vault) in ` + "`~/notes`" + `: do not edit it. ` + "`hence store --help`" + ` prints
the same text; so does every command. REF, FROM, TO and SEED name a memory: by its id, the last 8 characters of it, its path in a
vault, or its title.

These flags go with every command:

`)
	block := func(info, text string) { page.WriteString(fenced(info, text)) }
	block("text", flagHelp(root.PersistentFlags().FlagUsages()))
	list := func(list []meaning, head string) {
		page.WriteString("| " + head + " | |\n|---|---|\n")
		for _, m := range list {
			fmt.Fprintf(&page, "| `%s` | %s |\n", strings.ReplaceAll(m.name, ", ", "`, `"), m.text)
		}
		page.WriteString("\n")
	}
	list(exitMeanings, "exit code")
	list(variables, "variable")
	list(places, "file")
	var leaves func(c *cobra.Command)
	leaves = func(c *cobra.Command) {
		name := strings.TrimPrefix(c.CommandPath(), "hence ")
		fmt.Fprintf(&page, "### hence %s\n\n%s.\n\n", name, c.Short)
		if c.Long != "" {
			page.WriteString(strings.TrimRight(c.Long, "\n") + "\n\n")
		}
		if c.HasAvailableSubCommands() {
			for _, below := range c.Commands() {
				if below.IsAvailableCommand() {
					leaves(below)
				}
			}
			return
		}
		own := c.LocalFlags().FlagUsages()
		if own != "" {
			own = "\n" + own
		}
		block("text", c.UseLine()+"\n"+flagHelp(own))
		switch e := examples[name]; {
		case e == nil:
			t.Errorf("%s has no example for %s", referenceExamples, name)
		case e.not != "":
			page.WriteString("Not run here: " + e.not + ".\n\n")
			block("text", strings.TrimSpace(unindented(c.Example)))
		default:
			block("console", e.output)
		}
		delete(examples, name)
	}
	for _, g := range groups {
		fmt.Fprintf(&page, "## %s\n\n", strings.TrimSuffix(g.Title, ":"))
		for _, c := range root.Commands() {
			if c.GroupID == g.ID && c.IsAvailableCommand() && c.Name() != "help" {
				leaves(c)
			}
		}
	}
	return strings.TrimRight(page.String(), "\n") + "\n"
}

// fenced is a text as a block of a page. Its fence is longer than those within.
func fenced(info, text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + info + "\n" + strings.TrimRight(text, "\n") + "\n" + fence + "\n\n"
}

// flagHelp is the help of flags without what depends on the machine.
func flagHelp(text string) string {
	lines := slices.DeleteFunc(strings.Split(strings.TrimRight(text, "\n"), "\n"), func(l string) bool { return strings.Contains(l, " --help ") })
	return strings.Join(lines, "\n")
}

// unindented takes the two blanks from the lines of an example.
func unindented(text string) string {
	return strings.TrimPrefix(strings.ReplaceAll("\n"+text, "\n  ", "\n"), "\n")
}

// meaning is a line of a list in the manual.
type meaning struct{ name, text string }

// exitMeanings are the meanings of the exit codes.
var exitMeanings = []meaning{
	{"0", "done"},
	{"1", "an internal error, or something could not be reached"},
	{"2", "wrong usage"},
	{"3", "it was not found, or several have that name"},
	{"4", "a conflict, or a cycle"},
	{"5", "not allowed"},
	{"6", "a cluster may or may not have taken the write"},
}

// variables are the environment variables that the program reads.
var variables = []meaning{
	{"HENCE_DB", "the store, where --db names none"},
	{"HENCE_TOKEN", "the token that gives access to everything: see hence serve"},
	{"HENCE_RQLITE_USER, HENCE_RQLITE_PASSWORD", "who asks the nodes of a cluster"},
	{"HENCE_RQLITE_TLS, HENCE_RQLITE_CA, HENCE_RQLITE_CERT, HENCE_RQLITE_KEY", "how its nodes are reached by TLS"},
	{"HENCE_SESSION_ID, HENCE_CLIENT, HENCE_BRANCH, HENCE_COMMIT", "what a checkpoint says of its session"},
	{"OLLAMA_HOST, OPENAI_API_KEY", "where hence embed finds a server of models, and the key for it"},
	{"NO_COLOR", "no colours on a terminal"},
	{"XDG_DATA_HOME, XDG_STATE_HOME", "where ~/.local/share and ~/.local/state are instead, but for macOS and Windows"},
}

// places are the files of a user.
var places = []meaning{
	{"~/.local/share/hence/hence.db", `the store; on macOS ~/Library/Application Support/hence/hence.db, on Windows %LocalAppData%\hence\hence.db`},
	{"~/.local/state/hence/init", "what hence init has written into which file; on macOS and Windows beside the store, like the next"},
	{"~/.local/state/hence/receipts.db", "what agents were shown, for 90 days, and what hooks know of sessions, for seven"},
	{".hence.yaml", "in a vault: what its words for edges mean"},
	{".hence", "in a repository: the memories of a team"},
}

// asMarkdown turns the help texts of all commands into the Markdown that the generator of
// pages reads: indented lines become code blocks, and the signs of Markdown are escaped.
func asMarkdown(cmd *cobra.Command) {
	nameClients(cmd)
	var text strings.Builder
	indented := false
	for line := range strings.Lines(cmd.Long) {
		line = strings.Replace(line, "\t", "  ", 1) // cobra indents its own texts with tabs
		now := strings.HasPrefix(line, "  ")
		if now != indented {
			text.WriteString("\n")
		}
		if indented = now; now {
			text.WriteString("  " + line)
			continue
		}
		text.WriteString(markdownSigns.Replace(line))
	}
	cmd.Long = text.String()
	for _, below := range cmd.Commands() {
		asMarkdown(below)
	}
}

var markdownSigns = strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "<", `\<`, "`", "\\`", "[", `\[`)
