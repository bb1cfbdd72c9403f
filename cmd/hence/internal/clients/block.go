package clients

import (
	_ "embed"
	"path/filepath"
	"strings"

	"hence/internal/fault"
)

// block is the lines, between two marks, that Hence writes into a file of instructions.
type block struct {
	begin string // the start of the first line, by which the block is found
	about string // the rest of the first line
	end   string // the last line
	lines []string
}

//go:embed instructions.md
var told string

// instructions tell a model when to use its memory. With the two marks they are
// at most 12 lines.
var instructions = block{"<!-- hence:begin", " (hence init --remove takes this out) -->", "<!-- hence:end -->", strings.Split(strings.TrimSpace(told), "\n")}

// put returns a text with the block in place of its old version, or else at the end.
func (b block) put(text string) (string, error) {
	newline := lineBreak(text)
	written := strings.Join(append(append([]string{b.begin + b.about}, b.lines...), b.end), newline)
	start, end, err := b.find(text)
	if err != nil {
		return "", err
	}
	if end > 0 {
		return text[:start] + written + text[end:], nil
	}
	switch {
	case text == "":
	case !strings.HasSuffix(text, "\n"):
		text += newline + newline
	case !strings.HasSuffix(text, "\n\n") && !strings.HasSuffix(text, "\n\r\n"):
		text += newline
	}
	return text + written + newline, nil
}

// cut returns a text without the block, its last line break and the empty line before it.
func (b block) cut(text string) (string, error) {
	start, end, err := b.find(text)
	if err != nil || end == 0 {
		return text, err
	}
	rest := strings.TrimPrefix(strings.TrimPrefix(text[end:], "\r"), "\n")
	before := text[:start]
	if newline := lineBreak(text); strings.HasSuffix(before, newline+newline) {
		before = strings.TrimSuffix(before, newline)
	}
	return before + rest, nil
}

// find returns the byte offsets of the block in a text, marks included; 0 and 0 if the text has
// none. A mark counts alone on its line and outside of code. It fails with invalid_argument if
// the first mark is there and the last is not, because nobody knows where such a block ends.
func (b block) find(text string) (start, end int, err error) {
	at, first := 0, 0 // the number of the line of the first mark
	code := codeLines(text)
	for n, line := range strings.SplitAfter(text, "\n") {
		bare := strings.TrimRight(line, " \t\r\n")
		mark := strings.TrimLeft(bare, " ")
		switch indent := len(bare) - len(mark); {
		case code[n] || indent > maxIndent:
		case strings.HasPrefix(mark, b.begin) && strings.HasSuffix(mark, "-->") && strings.Count(mark, "-->") == 1:
			if first > 0 {
				return 0, 0, b.withoutEnd(first)
			}
			start, first = at+indent, n+1
		case mark == b.end && first > 0:
			return start, at + indent + len(mark), nil
		}
		at += len(line)
	}
	if first > 0 {
		return 0, 0, b.withoutEnd(first)
	}
	return 0, 0, nil
}

func (b block) withoutEnd(line int) error {
	return fault.New(fault.InvalidArgument, "line %d has the mark %s, and no line %s ends what it begins; write that line, or delete the mark", line, b.begin, b.end)
}

// maxIndent is by how many spaces a line of Markdown may be indented that is not code.
const maxIndent = 3

// codeLines returns the indexes of the lines of Markdown that stand within a fence, with those
// of the fence. A fence without an end is text.
func codeLines(text string) map[int]bool {
	code, fence, from := map[int]bool{}, "", 0
	for n, line := range strings.Split(text, "\n") {
		bare := strings.TrimSpace(line)
		run := bare[:len(bare)-len(strings.TrimLeft(bare, "`~"))]
		switch {
		case fence == "" && len(run) >= 3 && strings.Trim(run, run[:1]) == "" && !(run[0] == '`' && strings.Contains(bare[len(run):], "`")):
			fence, from = run, n
		case fence != "" && run == bare && strings.HasPrefix(run, fence) && strings.Trim(run, fence[:1]) == "":
			for i := from; i <= n; i++ {
				code[i] = true
			}
			fence = ""
		}
	}
	return code
}

// part returns the block as a part of a client's file.
func (b block) part(client string) part {
	return part{
		client: client, what: blockPart,
		put: b.put,
		cut: b.cut,
	}
}

// ApplyTeam performs an action on the lines about a team's folder, in the project's file of
// instructions.
func ApplyTeam(p Places, lines []string, do Do, dry bool) Change {
	p.State = filepath.Join(p.State, "team") // a record of its own, beside that of the file's other block
	told := block{"<!-- hence-team:begin", " (hence init --team --remove takes this out) -->", "<!-- hence-team:end -->", lines}
	t := &target{file: instructionsFile(p), format: asText, parts: []part{told.part("the team")}}
	return t.change(p, Wish{}, do, dry)
}

// instructionsFile returns the file of a project that the clients without hooks read:
// AGENTS.md, or CLAUDE.md if only that exists. Beside a new AGENTS.md, some clients would no
// longer read CLAUDE.md.
func instructionsFile(p Places) string {
	agents := filepath.Join(p.Project, "AGENTS.md")
	if claude := filepath.Join(p.Project, "CLAUDE.md"); exists(claude) && !exists(agents) {
		return claude
	}
	return agents
}
