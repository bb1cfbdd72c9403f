package screen

// Node is a line of a tree and what hangs from it.
type Node struct {
	Line     []Span
	Children []*Node
}

// Tree draws a node and all that hangs from it.
func (p *Page) Tree(root *Node) {
	rest := ""
	if len(root.Children) > 0 {
		rest = "│ "
	}
	p.Hang("", rest, root.Line...)
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
		p.branches(n.Children, prefix+below)
	}
}
