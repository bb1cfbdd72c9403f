package syntax

/*
#cgo CFLAGS: -std=c11
#cgo darwin LDFLAGS: -Wl,-undefined,dynamic_lookup
#include <stdlib.h>
#include "parse.h"
*/
import "C"

import (
	"unsafe"

	// This package contains the C code of tree-sitter, which parse.c calls.
	_ "github.com/tree-sitter/go-tree-sitter"
)

// go-tree-sitter makes C call Go for each malloc, which takes a third of the run time.
func init() { C.hence_plain_allocator() }

// maxDepth is the largest depth of a tree. It bounds the recursion of the readers; code
// written by people does not come near.
const maxDepth = 1000

// grammar is a compiled grammar: the parser's tables, and the names of kinds and fields.
type grammar struct {
	tables unsafe.Pointer
	kinds  []string
	fields []string
}

func newGrammar(tables unsafe.Pointer) *grammar {
	g := &grammar{tables: tables}
	for kind := range C.hence_kinds(tables) {
		g.kinds = append(g.kinds, C.GoString(C.hence_kind(tables, C.uint16_t(kind))))
	}
	for field := range C.hence_fields(tables) + 1 {
		name := ""
		if text := C.hence_field(tables, C.uint16_t(field)); text != nil {
			name = C.GoString(text)
		}
		g.fields = append(g.fields, name)
	}
	return g
}

// parse returns the tree of a text; nil if the parser gave up. After a syntax error its
// time may grow with the square of the text, so it stops after 0.2 s and 2 µs per byte;
// code takes 0.2 µs per byte. All memory of C is freed.
func (g *grammar) parse(text []byte) *tree {
	if len(text) == 0 {
		text = []byte("\n")
	}
	micros := C.uint64_t(200_000 + 2*len(text))
	var nodes *C.hence_node
	var count C.uint32_t
	if C.hence_parse(g.tables, (*C.char)(unsafe.Pointer(&text[0])), C.uint32_t(len(text)), maxDepth, micros, &nodes, &count) != 0 {
		return nil
	}
	defer C.free(unsafe.Pointer(nodes))
	t := &tree{grammar: g, text: text, nodes: make([]rawNode, count)}
	copy(t.nodes, unsafe.Slice((*rawNode)(unsafe.Pointer(nodes)), count))
	t.link()
	return t
}
