package syntax

import (
	"bytes"
	"slices"

	"hence/internal/pattern"
)

// topLevel matches a line without indentation that begins a declaration, in any language.
var topLevel = pattern.Lazy(`(?m)^(?:(?:export|function|async|class|abstract|interface|type|enum|const|let|var|declare|namespace|def|pub|fn|struct|impl|trait|mod|static|public|private|protected|final|record|typedef|union|extern|void|int|char|unsigned|module|template|package)\b|@\w|[A-Za-z_][\w \t*]*\([^;\n]*\)\s*\{)`)

// maxCuts is the largest number of places where a broken file is cut.
const maxCuts = 20

// recover parses a broken file in parts, so that an error does not hide the declarations
// after it. It cuts the text before a line that begins a declaration and that the tree has
// within another, if more such lines begin one then.
func (t *tree) recover(g *grammar) *tree {
	if t == nil || !t.isBroken() {
		return t
	}
	starts := topLevel().FindAllIndex(t.text, -1)
	cuts, lost := []int{}, t.lost(starts)
	for tries, after := 0, 0; tries < maxCuts && len(lost) > 0; tries++ {
		at, _ := slices.BinarySearch(lost, after)
		if at == len(lost) {
			break
		}
		after = lost[at] + 1
		more := append(slices.Clone(cuts), lost[at])
		joined := g.parseParts(t.text, more)
		if joined == nil {
			continue
		}
		if now := joined.lost(starts); len(now) < len(lost) {
			t, cuts, lost = joined, more, now
		}
	}
	return t
}

// lost returns the offsets of the starts that begin no node below the root.
func (t *tree) lost(starts [][]int) (all []int) {
	begins := map[int]bool{}
	for child := range t.root().children() {
		begins[child.start()] = true
	}
	for _, start := range starts {
		if !begins[start[0]] {
			all = append(all, start[0])
		}
	}
	return all
}

// parseParts parses the parts of a text between cuts, each with blanks in place of the
// others, and returns one tree with the nodes of all. It returns nil if the parser gave up.
func (g *grammar) parseParts(text []byte, cuts []int) *tree {
	whole := &tree{grammar: g, text: text}
	from := 0
	for _, to := range append(cuts, len(text)) {
		part := bytes.Clone(text)
		for i := range part {
			if (i < from || i >= to) && part[i] != '\n' {
				part[i] = ' '
			}
		}
		t := g.parse(part)
		if t == nil {
			return nil
		}
		if len(whole.nodes) == 0 || whole.root().kind() == "ERROR" {
			if root := t.nodes[0]; len(whole.nodes) > 0 {
				whole.nodes[0].kind = root.kind
			} else {
				whole.nodes = append(whole.nodes, root)
			}
		}
		shift := uint32(len(whole.nodes)) - 1
		for _, n := range t.nodes[1:] {
			n.next += shift
			if n.parent != 0 {
				n.parent += shift
			}
			whole.nodes = append(whole.nodes, n)
		}
		from = to
	}
	whole.nodes[0].start, whole.nodes[0].end, whole.nodes[0].next = 0, uint32(len(text)), uint32(len(whole.nodes))
	whole.nodes[0].flags |= flagError
	whole.link()
	return whole
}
