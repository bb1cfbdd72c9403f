package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// writeManual writes a manual page for each command of a program to folder/man/man1, from the
// program's help, and its completion scripts to folder/completions.
func (r *release) writeManual(program, folder string) error {
	reference, err := os.ReadFile(filepath.Join(r.root, "docs", "commands.md"))
	if err != nil {
		return err
	}
	files := map[string]string{}
	ask := func(words ...string) (string, error) { return output(program, append(words, "--help")...) }
	if err := addPages(files, ask, "", "a memory store for agents in which every memory keeps its reasons", r.version, r.time); err != nil {
		return err
	}
	files["man/man1/hence.1"] += tablesOf(string(reference))
	for name, shell := range map[string]string{"hence.bash": "bash", "_hence": "zsh", "hence.fish": "fish", "hence.ps1": "powershell"} {
		script, err := output(program, "completion", shell)
		if err != nil {
			return err
		}
		files["completions/"+name] = script + "\n"
	}
	for name, text := range files {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// heading matches the line that begins a part of a help; theirs are commands in the groups.
var heading = regexp.MustCompile(`(?m)^(Usage|Examples|Memory|Graph|Setup|Available Commands|Flags|Global Flags):\n`)

// sections are the headings of a page by those of the help.
var sections = map[string]string{"Usage": "SYNOPSIS", "Examples": "EXAMPLES", "Flags": "OPTIONS", "Global Flags": "OPTIONS OF EVERY COMMAND"}

// addPages adds the page of the command with a name ("" for the program), and those of the
// commands below it. ask returns the help of a command.
func addPages(files map[string]string, ask func(words ...string) (string, error), name, short, version string, at time.Time) error {
	help, err := ask(strings.Fields(name)...)
	if err != nil {
		return err
	}
	page := strings.Join(strings.Fields("hence "+name), "-")
	parts, commands := map[string]string{}, ""
	starts := heading.FindAllStringSubmatchIndex(help, -1)
	about := help[:starts[0][0]]
	for i, at := range starts {
		end := len(help)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		if title, text := help[at[2]:at[3]], help[at[1]:end]; sections[title] != "" {
			parts[sections[title]], _, _ = strings.Cut(text, "\n\nUse \"")
		} else {
			commands += text
		}
	}
	also := []string{}
	for line := range strings.Lines(commands) {
		below, what, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok || below == "help" {
			continue
		}
		also = append(also, page+"-"+below+"(1)")
		if err := addPages(files, ask, strings.TrimSpace(name+" "+below), strings.TrimSpace(what), version, at); err != nil {
			return err
		}
	}
	if name != "" {
		also = append([]string{page[:strings.LastIndexByte(page, '-')] + "(1)"}, also...)
	}
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %q \"1\" %q %q \"Hence\"\n.SH NAME\n%s \\- %s\n", strings.ToUpper(page), at.Format("Jan 2006"), "Hence "+version, roff(page), roff(short))
	parts["DESCRIPTION"] = about
	for _, title := range []string{"SYNOPSIS", "DESCRIPTION", "OPTIONS", "OPTIONS OF EVERY COMMAND", "EXAMPLES"} {
		if text := strings.Trim(parts[title], "\n"); text != "" {
			fmt.Fprintf(&b, ".SH %s\n.nf\n%s\n.fi\n", title, roff(text))
		}
	}
	fmt.Fprintf(&b, ".SH SEE ALSO\n%s\n", roff(strings.Join(also, ", ")))
	files["man/man1/"+page+".1"] = b.String()
	return nil
}

// row matches a row of a table of two columns in Markdown, whose first is code.
var row = regexp.MustCompile("(?m)^\\| (`.*`) \\| (.*) \\|$")

// tablesOf returns the tables of the reference about all commands, as sections of a page.
func tablesOf(reference string) string {
	about, _, _ := strings.Cut(reference, "\n## ")
	var b strings.Builder
	for _, section := range [][2]string{{"EXIT STATUS", "exit code"}, {"ENVIRONMENT", "variable"}, {"FILES", "file"}} {
		_, table, _ := strings.Cut(about, "| "+section[1]+" | |\n")
		table, _, _ = strings.Cut(table, "\n\n")
		b.WriteString(".SH " + section[0] + "\n")
		for _, cells := range row.FindAllStringSubmatch(table, -1) {
			b.WriteString(".TP\n\\fB" + roff(strings.ReplaceAll(cells[1], "`", "")) + "\\fP\n" + roff(cells[2]) + "\n")
		}
	}
	return b.String()
}

// roff escapes a text for a manual page. A dot or a quote has a meaning at the start of a line.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	return strings.NewReplacer("\n.", "\n\\&.", "\n'", "\n\\&'").Replace("\n" + text)[1:]
}
