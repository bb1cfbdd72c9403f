package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// shownCommand is a command in a code block of a page.
type shownCommand struct {
	line   int    // of the page, from 1
	text   string // as a shell takes it
	output string // that the page shows
	shows  bool   // whether it shows what the command prints, perhaps nothing
	first  int    // line of the page after the command, where the output is
	last   int    // line after the output
}

// block is a code block of a page, without its indentation.
type block struct {
	first  int // line of the page, from 1
	info   string
	lines  []string
	indent int
	last   int // line of the page after its last line
}

// codeBlocks returns the fenced and the indented code blocks of a page.
func codeBlocks(page string) (blocks []block) {
	lines := strings.Split(page, "\n")
	for i := 0; i < len(lines); i++ {
		bare := strings.TrimLeft(lines[i], " ")
		indent := len(lines[i]) - len(bare)
		if info, ok := strings.CutPrefix(bare, "```"); ok {
			b := block{first: i + 2, info: strings.TrimSpace(info), indent: indent}
			for i++; i < len(lines) && strings.TrimSpace(lines[i]) != "```"; i++ {
				b.lines = append(b.lines, strings.TrimPrefix(lines[i], strings.Repeat(" ", indent)))
			}
			b.last = i + 1
			blocks = append(blocks, b)
			continue
		}
		const least = 4
		if indent < least || i > 0 && strings.TrimSpace(lines[i-1]) != "" {
			continue
		}
		b := block{first: i + 1, indent: least}
		for ; i < len(lines) && (strings.HasPrefix(lines[i], "    ") || strings.TrimSpace(lines[i]) == ""); i++ {
			b.lines = append(b.lines, strings.TrimPrefix(lines[i], "    "))
		}
		for len(b.lines) > 0 && strings.TrimSpace(b.lines[len(b.lines)-1]) == "" {
			b.lines = b.lines[:len(b.lines)-1]
		}
		b.last = b.first + len(b.lines)
		blocks = append(blocks, b)
		i--
	}
	return blocks
}

// shells are the languages of blocks that a shell takes.
var shells = []string{"", "sh", "bash", "console"}

// callsHence finds a call of the program in a line for a shell, or of a settings file.
var callsHence = regexp.MustCompile(`(^|[\s;|&("=/])hence\s+[-a-z]`)

// commands returns the commands of a page, in its order. In a block with lines that begin
// with a dollar sign these are commands, and the lines below are what they print. In
// others every line is a command, and a block of text right below is what the last one
// prints. elsewhere are calls of hence in blocks that no shell takes.
func commands(page string) (all, elsewhere []shownCommand) {
	blocks := codeBlocks(page)
	for i, b := range blocks {
		switch {
		case b.info == "text":
		case !slices.Contains(shells, b.info):
			for n, line := range b.lines {
				if callsHence.MatchString(line) && strings.Contains("ini dockerfile yaml", b.info) {
					elsewhere = append(elsewhere, shownCommand{line: b.first + n, text: line})
				}
			}
		case slices.ContainsFunc(b.lines, func(l string) bool { return strings.HasPrefix(l, "$ ") }):
			all = append(all, b.transcript()...)
		default:
			script := b.script()
			if i+1 < len(blocks) && blocks[i+1].info == "text" && blocks[i+1].first <= b.last+3 && len(script) > 0 {
				below, last := blocks[i+1], &script[len(script)-1]
				last.shows, last.output = true, strings.Join(below.lines, "\n")
				last.first, last.last = below.first, below.last
			}
			all = append(all, script...)
		}
	}
	return all, elsewhere
}

// transcript returns the commands of a block that shows what they print.
func (b block) transcript() (all []shownCommand) {
	for i := 0; i < len(b.lines); i++ {
		text, ok := strings.CutPrefix(b.lines[i], "$ ")
		if !ok {
			continue
		}
		c := shownCommand{line: b.first + i}
		for strings.HasSuffix(text, `\`) && i+1 < len(b.lines) {
			i++
			text += "\n" + b.lines[i]
		}
		c.text, c.first = text, b.first+i+1
		end := i + 1
		for end < len(b.lines) && !strings.HasPrefix(b.lines[end], "$ ") {
			end++
		}
		output := b.lines[i+1 : end]
		for len(output) > 0 && strings.TrimSpace(output[len(output)-1]) == "" {
			output = output[:len(output)-1]
		}
		c.output, c.shows, c.last = strings.Join(output, "\n"), true, c.first+len(output)
		all = append(all, c)
	}
	return all
}

// script returns the commands of a block without output: a line each, or several where
// one goes on, as loops and here documents do.
func (b block) script() (all []shownCommand) {
	var open []string
	start, until := 0, ""
	for i, line := range b.lines {
		if len(open) == 0 {
			start = i
			if bare := strings.TrimSpace(line); bare == "" || strings.HasPrefix(bare, "#") {
				continue
			}
		}
		open = append(open, line)
		switch {
		case until != "":
			if strings.TrimSpace(line) != until {
				continue
			}
			until = ""
		case strings.HasSuffix(line, `\`) || isOpen(strings.Join(open, "\n")):
			continue
		case strings.HasSuffix(line, "; do"):
			until = "done"
			continue
		case hereDocument.MatchString(line):
			until = hereDocument.FindStringSubmatch(line)[1]
			continue
		}
		all = append(all, shownCommand{line: b.first + start, text: strings.Join(open, "\n")})
		open = nil
	}
	return all
}

// isOpen reports whether a quotation of a command has no end yet.
func isOpen(command string) bool {
	quote := rune(0)
	for i, c := range command {
		switch {
		case quote == 0 && c == '#' && i > 0 && command[i-1] == ' ':
			return false
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case c == quote && (c == '\'' || command[i-1] != '\\'):
			quote = 0
		}
	}
	return quote != 0
}

var hereDocument = regexp.MustCompile(`<<\s*'?([A-Z]+)'?`)

func TestCommandsOfAPage(t *testing.T) {
	page := "Text with `hence list`.\n\n```\n$ hence store A\nstored A\n$ hence list \\\n  --json\n{}\n\n```\n\n" +
		"    # first\n    hence import ~/notes   # a vault\n    cat > x <<'EOF'\n    one\n    EOF\n    jq '.a |\n      .b' x  # it's a filter\n\n" +
		"1. Then\n\n   ```sh\n   for i in 1 2; do\n     hence get $i\n   done\n   hence explore\n   ```\n\n   ```text\n   exploring\n   ```\n" +
		"\n```ini\nExecStart=/usr/local/bin/hence serve\n```\n\n```json\n{\"command\": \"hence \"}\n```\n"
	all, elsewhere := commands(page)
	got := []string{}
	for _, c := range slices.Concat(all, elsewhere) {
		text := c.text
		if c.shows {
			text += " → " + c.output
		}
		got = append(got, text)
	}
	want := []string{
		"hence store A → stored A", "hence list \\\n  --json → {}",
		"hence import ~/notes   # a vault", "cat > x <<'EOF'\none\nEOF", "jq '.a |\n  .b' x  # it's a filter",
		"for i in 1 2; do\n  hence get $i\ndone", "hence explore → exploring",
		"ExecStart=/usr/local/bin/hence serve",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
	lines := strings.Split(page, "\n")
	for _, c := range all {
		if first := strings.Split(c.text, "\n")[0]; !strings.Contains(lines[c.line-1], first) {
			t.Errorf("line %d is %q, want %q", c.line, lines[c.line-1], first)
		}
		if c.shows && !strings.Contains(lines[c.first-1], strings.Split(c.output, "\n")[0]) {
			t.Errorf("the output of %q is not on line %d", c.text, c.first)
		}
	}
}
