//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"hence/internal/db/dbtest"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestThePagesAreTrue runs each hence command of README.md and docs, in the order of its
// page, by somebody who has just come, and holds what the page shows against what the
// command prints. Calls within a text come last, where they have all their arguments. With UPDATE set it writes down what is otherwise. Other programs are
// run where the page needs them and they are harmless.
func TestThePagesAreTrue(t *testing.T) {
	if testing.Short() {
		t.Skip("two hundred processes take some seconds")
	}
	var used sync.Map
	t.Run("pages", func(t *testing.T) {
		for _, file := range pageFiles(t) {
			t.Run(filepath.Base(file), func(t *testing.T) {
				t.Parallel()
				readAndType(t, file, &used)
			})
		}
	})
	for part := range notAnywhere {
		if _, ok := used.Load(part); !ok {
			t.Errorf("no page has %q: take it from the list", part)
		}
	}
}

// pageFiles are the pages that people wrote. The others are made of what runs.
func pageFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	made := []string{"benchmarks.md", "benchmarks-million.md", "commands.md", "tools.md"}
	files = slices.DeleteFunc(files, func(f string) bool { return slices.Contains(made, filepath.Base(f)) })
	return append([]string{"../../README.md"}, files...)
}

// newcomer is a person who goes through one page.
type newcomer struct {
	*person
	how     pageOfDocs
	knows   stand           // what the page shows in place of what the commands gave
	excused map[string]bool // parts of how.not that the page has
	used    *sync.Map       // parts of notAnywhere that any page has
}

func readAndType(t *testing.T, file string, used *sync.Map) {
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r := newcomer{how: pagesOfDocs[filepath.Base(file)], knows: stand{}, excused: map[string]bool{}, used: used}
	for _, name := range r.how.needs {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("%s is not installed", name)
		}
	}
	r.person = newPerson(t)
	all, elsewhere := commands(string(raw))
	for _, c := range elsewhere {
		if !r.isExcused(c.text) {
			t.Errorf("line %d: nothing runs %s", c.line, c.text)
		}
	}
	r.must(r.how.before)
	otherwise := []shownCommand{}
	for _, c := range all {
		ofHence := callsHence.MatchString(withoutComment(c.text))
		if !ofHence && !slices.Contains(harmless, firstWord(c.text)) || r.isExcused(c.text) {
			continue
		}
		out := r.follows(c)
		if !c.shows || r.knows.gives(c.output, out) {
			continue
		}
		if os.Getenv("UPDATE") == "" {
			t.Errorf("line %d: %s (-page +now):\n%s", c.line, c.text, cmp.Diff(splitLines(c.output), splitLines(out)))
		}
		c.output = r.knows.show(out)
		otherwise = append(otherwise, c)
	}
	for _, c := range callsInProse(string(raw)) {
		if isComplete(c.text) && !r.isExcused(c.text) {
			r.follows(c)
		}
	}
	for part := range r.how.not {
		if !r.excused[part] {
			t.Errorf("the page has no %q: take it from the list", part)
		}
	}
	if os.Getenv("UPDATE") != "" && len(otherwise) > 0 {
		if err := os.WriteFile(file, []byte(withOutputs(string(raw), otherwise)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// isExcused reports whether a list says why a command is not run.
func (r newcomer) isExcused(command string) bool {
	if others[firstWord(command)] != "" {
		return true
	}
	for part := range notAnywhere {
		if strings.Contains(command, part) {
			r.used.Store(part, true)
			return true
		}
	}
	for part := range r.how.not {
		if strings.Contains(command, part) {
			r.excused[part] = true
			return true
		}
	}
	return false
}

// follows types a command of the page, after what somebody does ahead of it, and returns
// what it prints.
func (r newcomer) follows(c shownCommand) string {
	r.t.Helper()
	want := 0
	for part, lines := range r.how.ahead {
		if strings.Contains(c.text, part) {
			r.must(lines)
		}
	}
	for part, code := range r.how.exits {
		if strings.Contains(c.text, part) {
			want = code
		}
	}
	out, code := r.types(r.knows.fill(c.text))
	if code != want {
		r.t.Fatalf("line %d: %s\nexits with %d, want %d:\n%s", c.line, c.text, code, want, out)
	}
	return out
}

// must types lines that the page takes for granted.
func (p *person) must(lines string) {
	p.t.Helper()
	if lines == "" {
		return
	}
	if out, code := p.types(lines); code != 0 {
		p.t.Fatalf("%s\nexits with %d:\n%s", lines, code, out)
	}
}

func firstWord(command string) string {
	return strings.FieldsFunc(command+" ", func(r rune) bool { return r == ' ' || r == '=' || r == '\n' })[0]
}

// withoutComment is a command without what a shell does not read.
func withoutComment(command string) string {
	before, _, _ := strings.Cut(command, " # ")
	return before
}

// withOutputs returns a page with other outputs of some of its commands.
func withOutputs(page string, mended []shownCommand) string {
	lines := strings.Split(page, "\n")
	for _, c := range slices.Backward(mended) {
		indent := ""
		if c.first-1 < len(lines) {
			command := lines[c.line-1]
			indent = command[:len(command)-len(strings.TrimLeft(command, " "))]
		}
		now := splitLines(c.output)
		for i := range now {
			if now[i] != "" {
				now[i] = indent + now[i]
			}
		}
		lines = slices.Concat(lines[:c.first-1], now, lines[c.last-1:])
	}
	return strings.Join(lines, "\n")
}

// inner is a command within a command, of another program.
var inner = regexp.MustCompile(`\$\([^)]*\)`)

// inProse is a call of hence within a text.
var inProse = regexp.MustCompile("`hence( [^`\n]*)?`")

// callsInProse are the calls within the texts of a page.
func callsInProse(page string) (calls []shownCommand) {
	for _, at := range inProse.FindAllStringIndex(page, -1) {
		calls = append(calls, shownCommand{text: strings.Trim(page[at[0]:at[1]], "`"), line: 1 + strings.Count(page[:at[0]], "\n")})
	}
	return calls
}

// placeholder is a word in a call for which a reader puts one of theirs.
var placeholder = regexp.MustCompile(`\b[A-Z]{2,}\b|[|…]`)

// isComplete reports whether a call in a text can be typed as it is. hence undo is the name
// of a command there, and hence import --watch that of a flag.
func isComplete(call string) bool {
	at, words := commandOf(strings.Fields(regexp.MustCompile(`"[^"]*"`).ReplaceAllString(call, "words")))
	if len(words) == 0 || at.HasSubCommands() || placeholder.MatchString(call) || at.ParseFlags(words) != nil {
		return false
	}
	return at.Flag("help").Changed || at.ValidateArgs(at.Flags().Args()) == nil
}

func TestIsComplete(t *testing.T) {
	for call, want := range map[string]bool{
		"hence init --remove": true, "hence serve --help": true, "hence import --code .": true, `hence link "A b" c causes`: true,
		"hence": false, "hence undo": false, "hence import --watch": false, "hence serve --http": false, "hence backup FILE": false, "hence token map CLAIM …": false,
	} {
		if got := isComplete(call); got != want {
			t.Errorf("%s: %v", call, got)
		}
	}
}

// TestCommandsInProseExist holds the calls that texts of pages and examples of the help
// name against the commands and flags there are.
func TestCommandsInProseExist(t *testing.T) {
	dbtest.SkipUnderRace(t)
	for _, file := range append(pageFiles(t), "../../docs/commands.md", "../../CHANGELOG.md", "../../SECURITY.md") {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, call := range inProse.FindAllString(string(raw), -1) {
			if problem := problemOf(strings.Fields(strings.Trim(call, "`"))); problem != "" {
				t.Errorf("%s: %s: %s", filepath.Base(file), call, problem)
			}
		}
	}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		for _, example := range (block{lines: strings.Split(c.Example, "\n")}).script() {
			for part := range strings.SplitSeq(inner.ReplaceAllString(withoutComment(example.text), "WORDS"), "|") {
				if _, call, ok := strings.Cut(" "+part, " hence "); ok {
					if problem := problemOf(strings.Fields("hence " + call)); problem != "" {
						t.Errorf("help of %s: %s: %s", c.CommandPath(), example.text, problem)
					}
				}
			}
		}
		for _, below := range c.Commands() {
			walk(below)
		}
	}
	walk(new(session).root())
}

// TestTheHelpOfAFlagSaysMoreThanItsName: --goal goal helps nobody.
func TestTheHelpOfAFlagSaysMoreThanItsName(t *testing.T) {
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if isName(f.Name, f.Usage) {
				t.Errorf("%s: --%s has the help %q", c.CommandPath(), f.Name, f.Usage)
			}
		})
		for _, below := range c.Commands() {
			walk(below)
		}
	}
	walk(new(session).root())
}

// isName reports whether a description says no more than the name.
func isName(name, description string) bool {
	said, _, _ := strings.Cut(description, " (")
	return said == "" || said == strings.NewReplacer("-", " ", "_", " ").Replace(name)
}

// problemOf says which command or flag of a call does not exist, "" if all do.
func problemOf(words []string) string {
	at, words := commandOf(words)
	if at.HasSubCommands() && len(words) > 0 && regexp.MustCompile(`^[a-z]+$`).MatchString(words[0]) {
		return "there is no command " + words[0]
	}
	for _, w := range words {
		name, ok := strings.CutPrefix(w, "--")
		if !ok {
			continue
		}
		if name == "" {
			return "" // what follows is for another program
		}
		name, _, _ = strings.Cut(strings.TrimRight(name, ",.;)"), "=")
		if at.Flag(name) == nil {
			return "there is no flag --" + name
		}
	}
	return ""
}

// commandOf returns the command that a call is of, and the words behind it.
func commandOf(words []string) (at *cobra.Command, rest []string) {
	at, rest = new(session).root(), words[1:]
	for len(rest) > 0 {
		i := slices.IndexFunc(at.Commands(), func(c *cobra.Command) bool { return c.Name() == rest[0] })
		if i < 0 {
			break
		}
		at, rest = at.Commands()[i], rest[1:]
	}
	at.InitDefaultHelpFlag()
	return at, rest
}

func TestProblemsOfCalls(t *testing.T) {
	for call, want := range map[string]string{
		"hence": "", "hence list --kind x": "", "hence token map scope --read-only": "", "hence lost": "there is no command lost",
		"hence list --kindd": "there is no flag --kindd", "hence code allow test go -- go test --x": "", "hence token lose": "there is no command lose",
	} {
		if got := problemOf(strings.Fields(call)); got != want {
			t.Errorf("%s: %q, want %q", call, got, want)
		}
	}
	if got := withOutputs("a\n  $ b\n  c\nd", []shownCommand{{line: 2, first: 3, last: 4, output: "x\ny\n"}}); got != "a\n  $ b\n  x\n  y\nd" {
		t.Errorf("written again: %q", got)
	}
}
