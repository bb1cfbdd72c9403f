package screen

// Node is a line of a tree, with its children.
type Node struct {
	Line     []Span
	Under    [][]Span // further lines, below the first
	Children []*Node
}

// Tree draws a tree.
func (p *Page) Tree(root *Node) { p.branch(root, "", "") }

// branch draws a node after mark, and its children after below.
func (p *Page) branch(n *Node, mark, below string) {
	rest := below
	switch {
	case len(n.Children) > 0:
		rest += "│ "
	case mark != "":
		rest += "  "
	}
	p.Hang(mark, rest, n.Line...)
	for _, line := range n.Under {
		p.Hang(rest, rest, line...)
	}
	for i, child := range n.Children {
		if i < len(n.Children)-1 {
			p.branch(child, below+"├─ ", below+"│  ")
		} else {
			p.branch(child, below+"└─ ", below+"   ")
		}
	}
}
