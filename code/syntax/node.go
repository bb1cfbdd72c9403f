package syntax

import (
	"iter"
	"slices"
	"strings"
)

// tree is the syntax tree of a file: its nodes in the order of the text.
type tree struct {
	*grammar
	text   []byte
	nodes  []rawNode
	before []uint32 // for each node the index of the sibling before it; its own if there is none
}

// rawNode has the layout of hence_node in parse.h.
type rawNode struct {
	start, end, next, parent uint32
	kind, field, flags       uint16
}

const (
	flagNamed = 1 << iota
	flagError
	flagMissing
	flagExtra
)

// node is a node of a tree. The zero node is a missing node; its methods return zero
// values.
type node struct {
	*tree
	at uint32
}

func (t *tree) root() node { return node{t, 0} }

func (n node) ok() bool { return n.tree != nil }

// missing is the raw node of the zero node.
var missing rawNode

func (n node) raw() *rawNode {
	if n.tree == nil {
		return &missing
	}
	return &n.nodes[n.at]
}

func (n node) kind() string {
	if n.tree == nil {
		return ""
	}
	if kind := int(n.raw().kind); kind < len(n.kinds) {
		return n.kinds[kind]
	}
	return "ERROR"
}

func (n node) is(kinds ...string) bool { return n.tree != nil && slices.Contains(kinds, n.kind()) }
func (n node) start() int              { return int(n.raw().start) }
func (n node) end() int                { return int(n.raw().end) }

func (n node) string() string { return n.slice(n.start(), n.end()) }

func (n node) slice(start, end int) string {
	if start >= end {
		return ""
	}
	return string(n.text[start:end])
}

func (n node) isNamed() bool { return n.raw().flags&flagNamed != 0 }

func (n node) field() string {
	if n.tree == nil {
		return ""
	}
	return n.fields[n.raw().field]
}

// parent returns the parent of a node; the zero node for the root.
func (n node) parent() node {
	if n.at == 0 {
		return node{}
	}
	return node{n.tree, n.raw().parent}
}

// link sets before.
func (t *tree) link() {
	t.before = make([]uint32, len(t.nodes))
	for at := range t.nodes {
		t.before[at] = uint32(at)
	}
	for at := range t.nodes {
		if next := t.nodes[at].next; int(next) < len(t.nodes) && t.nodes[next].parent == t.nodes[at].parent && next > uint32(at) {
			t.before[next] = uint32(at)
		}
	}
}

// previous returns the sibling before a node.
func (n node) previous() node {
	if n.tree == nil || n.before[n.at] == n.at {
		return node{}
	}
	return node{n.tree, n.before[n.at]}
}

// next returns the sibling after a node.
func (n node) next() node {
	if next := n.raw().next; n.tree != nil && int(next) < len(n.nodes) && n.nodes[next].parent == n.raw().parent && n.at > 0 {
		return node{n.tree, next}
	}
	return node{}
}

// children yields the children of a node, with comments and punctuation.
func (n node) children() iter.Seq[node] {
	return func(yield func(node) bool) {
		for at, end := n.at+1, n.raw().next; at < end; at = n.nodes[at].next {
			if !yield(node{n.tree, at}) {
				return
			}
		}
	}
}

// parts yields the named children of a node, without comments.
func (n node) parts() iter.Seq[node] {
	return func(yield func(node) bool) {
		for child := range n.children() {
			if child.isNamed() && child.raw().flags&flagExtra == 0 && !yield(child) {
				return
			}
		}
	}
}

// below yields the nodes within a node, in order, but not those within one of some kinds.
func (n node) below(closed ...string) iter.Seq[node] {
	return func(yield func(node) bool) {
		for at, end := n.at+1, n.raw().next; at < end; {
			one := node{n.tree, at}
			if at++; one.is(closed...) {
				at = one.raw().next
			}
			if !yield(one) {
				return
			}
		}
	}
}

// get returns the first child with a field name of the grammar.
func (n node) get(field string) node {
	for child := range n.children() {
		if child.raw().field != 0 && child.field() == field {
			return child
		}
	}
	return node{}
}

// childrenByField yields the named children in a field of the grammar.
func (n node) childrenByField(field string) iter.Seq[node] {
	return func(yield func(node) bool) {
		for child := range n.children() {
			if child.raw().field != 0 && child.field() == field && child.isNamed() && !yield(child) {
				return
			}
		}
	}
}

// child returns the first child of one of the kinds.
func (n node) child(kinds ...string) node {
	for child := range n.children() {
		if child.is(kinds...) {
			return child
		}
	}
	return node{}
}

// part returns the named child at an index from 0, without comments.
func (n node) part(place int) node {
	for child := range n.parts() {
		if place == 0 {
			return child
		}
		place--
	}
	return node{}
}

// errors returns the number of nodes that the parser skipped or inserted.
func (t *tree) errors() int {
	count := 0
	for i := range t.nodes {
		if t.nodes[i].flags&(flagError|flagMissing) != 0 {
			count++
		}
	}
	return count
}

func (t *tree) isBroken() bool { return t.errors() > 0 }

func isComment(n node) bool { return strings.HasSuffix(n.kind(), "comment") }
