package screen

// Node is a line of a tree, with its children.
type Node struct {
	Line     []Span
	Under    [][]Span // further lines, below the first
	Children []*Node
}

// Tree draws a tree.
func (p *Page) Tree(root *Node) {
	rest := ""
	if len(root.Children) > 0 {
		rest = "│ "
	}
	p.Hang("", rest, root.Line...)
	for _, line := range root.Under {
		p.Hang(rest, rest, line...)
	}
	p.branches(root.Children, "")
}

func (p *Page) branches(nodes []*Node, prefix string) {
	for i, n := range nodes {
		branch, below := "├─ ", "│  "
		if i == len(nodes)-1 {
			branch, below = "└─ ", "   "
		}
		rest := prefix + below
		if len(n.Children) > 0 {
			rest += "│ "
		} else {
			rest += "  "
		}
		p.Hang(prefix+branch, rest, n.Line...)
		for _, line := range n.Under {
			p.Hang(rest, rest, line...)
		}
		p.branches(n.Children, prefix+below)
	}
}
