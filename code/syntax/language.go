package syntax

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"hence/internal/lists"
)

// language is the table of a language: for the kinds of nodes of its grammar what the reader
// does with them, which values they have, and which names they bind. What is not in a table
// is read like its children, has no known value and binds nothing.
type language struct {
	tests    func() *regexp.Regexp     // paths of files that are tests
	isDoc    func(comment string) bool // of a comment before a declaration; nil: none is one
	doc      func(root node) string    // the comment of a file
	end      func(b *build)            // after the file is read; may be nil
	exports  bool                      // others may import only what the file exports
	layout   *layout                   // nil: only the last comma of a list, and white space
	blocks   bool                      // indentation is syntax, so the ends of blocks count as tokens
	visits   map[string]visitor
	values   map[string]valuer // of expressions
	types    map[string]valuer // a value of a type
	patterns map[string]binder // "" stands for all kinds without a row
	put      func(b *build, a around, name string, holds *Expr)
	hidden   Expr              // the value of a name before it has one
	isEmpty  func(n node) bool // of an expression that says nothing of a variable, such as null
}

type (
	visitor = func(b *build, n node, a around)
	valuer  = func(b *build, n node, a around) *Expr
	binder  = func(b *build, n node, holds *Expr, a around)
)

// byKind returns a table by kinds. The keys of rows are the kinds of each row.
func byKind[T any](rows map[string]T) map[string]T {
	table := map[string]T{}
	for kinds, row := range rows {
		for _, kind := range strings.Split(kinds, " ") {
			table[kind] = row
		}
	}
	return table
}

// visit reads the declarations and calls in a node.
func (b *build) visit(n node, a around) {
	if visit := b.lang.visits[n.kind()]; visit != nil {
		visit(b, n, a)
	} else {
		b.visitAll(n, a)
	}
}

// visitAll visits the children of a node.
func (b *build) visitAll(n node, a around) {
	for child := range n.children() {
		b.visit(child, a)
	}
}

func visitNothing(*build, node, around) {}

// visitScope visits the children of a node in a new scope.
func visitScope(b *build, n node, a around) { b.visitAll(n, a.enter(a.scope.inner())) }

// visitName reads a name that is not called.
func visitName(b *build, n node, a around) { b.use(a.from, a.scope.find(n.string()), n) }

// expr returns the value of an expression. It keeps those of expressions with parts, because
// a chain of calls is the callee of its last call, without that of the last but one, and so
// on.
func (b *build) expr(n node, a around) *Expr {
	value := b.lang.values[n.kind()]
	if value == nil {
		return unknown
	}
	if n.raw().next == n.at+1 {
		return value(b, n, a)
	}
	key := exprKey{n.at, a.scope, a.self, a.class}
	known := b.exprs[key]
	if known == nil {
		known = value(b, n, a)
		b.exprs[key] = known
	}
	return known
}

// typed returns a value of a type.
func (b *build) typed(n node, a around) *Expr {
	if value := b.lang.types[n.kind()]; value != nil {
		return value(b, n, a)
	}
	return unknown
}

// declaredType returns the value of a variable: of its declared type, else of its initial
// value.
func (b *build) declaredType(n, value node, a around) *Expr {
	if type_ := n.get("type"); type_.ok() && type_.string() != "var" {
		return b.typed(type_, a)
	}
	return b.expr(value, a)
}

// The rows of tables of values: of a name, the first part of a node, the one in a field …

func valueOfName(_ *build, n node, a around) *Expr { return a.scope.find(n.string()) }
func valueOfPart(b *build, n node, a around) *Expr { return b.expr(n.part(0), a) }
func typeOfPart(b *build, n node, a around) *Expr  { return b.typed(n.part(0), a) }

func valueIn(field string) valuer {
	return func(b *build, n node, a around) *Expr { return b.expr(n.get(field), a) }
}

func typeIn(field string) valuer {
	return func(b *build, n node, a around) *Expr { return b.typed(n.get(field), a) }
}

func memberOf(object, name string) valuer {
	return func(b *build, n node, a around) *Expr { return member(b.expr(n.get(object), a), textOf(n.get(name))) }
}

func listOf(name string) valuer {
	return func(b *build, n node, a around) *Expr { return made(name, b.typed(n.get("element"), a)) }
}

func literalOf(name string) valuer {
	return func(*build, node, around) *Expr { return made(name) }
}

func valueOfSelf(_ *build, _ node, a around) *Expr {
	if a.self == nil {
		return unknown
	}
	return a.self
}

func valueOfSuper(_ *build, _ node, a around) *Expr {
	if a.class == "" {
		return unknown
	}
	return &Expr{Op: Super, Name: a.class}
}

// valueOfBranch returns the value of a conditional expression.
func valueOfBranch(b *build, n node, a around) *Expr {
	return b.either(n.get("consequence"), n.get("alternative"), a)
}

// either returns the value of one of two expressions. It ignores one that is empty.
func (b *build) either(x, y node, a around) *Expr {
	switch {
	case b.lang.isEmpty(x):
		return b.expr(y, a)
	case b.lang.isEmpty(y):
		return b.expr(x, a)
	}
	return oneOf(b.expr(x, a), b.expr(y, a))
}

// typedAll returns the values of the types that are parts of a node.
func (b *build) typedAll(n node, a around) []*Expr {
	return lists.Map(slices.Collect(n.parts()), func(part node) *Expr { return b.typed(part, a) })
}

// exprAll returns the values of expressions.
func (b *build) exprAll(parts []node, a around) []*Expr {
	return lists.Map(parts, func(part node) *Expr { return b.expr(part, a) })
}

// union returns a value of one of several types. It ignores those that are empty, such as
// null.
func (b *build) union(a around, parts ...node) *Expr {
	all := []*Expr{}
	var add func(node)
	add = func(n node) {
		for n.is("type", "parenthesized_expression") {
			n = n.part(0)
		}
		switch {
		case n.is("union_type"), n.is("binary_operator") && n.get("operator").is("|"):
			for part := range n.parts() {
				add(part)
			}
		case !b.lang.isEmpty(n):
			all = append(all, b.typed(n, a))
		}
	}
	for _, part := range parts {
		add(part)
	}
	return oneOf(all...)
}

// generics returns a with the type parameters of a declaration in its scope. A type
// parameter is known only by the type that bounds it: the Lambda marks it, and a value of T
// is then one of C for T extends C.
func (b *build) generics(n node, a around) around {
	parameters := n.get("type_parameters")
	if !parameters.ok() {
		return a
	}
	a.scope = a.scope.inner()
	for parameter := range parameters.parts() {
		holds := unknown
		for _, bound := range []node{parameter.get("constraint"), parameter.child("type_bound")} {
			if bound.ok() {
				holds = &Expr{Op: Lambda, Of: b.typed(bound.part(0), a)}
			}
		}
		a.scope.set(parameter.child("type_identifier", "identifier").string(), holds)
	}
	return a
}

// bind binds the names of a pattern to the parts of the value that it matches.
func (b *build) bind(n node, holds *Expr, a around) {
	bind, ok := b.lang.patterns[n.kind()]
	if !ok {
		bind = b.lang.patterns[""]
	}
	if bind != nil {
		bind(b, n, holds, a)
	}
}

// The rows of tables of patterns: a name, parts that are elements of the value, parts that
// are the value itself, and parts of which nothing is known.

func bindName(b *build, n node, holds *Expr, a around) {
	if b.lang.put == nil {
		a.scope.set(n.string(), holds)
		return
	}
	b.lang.put(b, a, n.string(), holds)
}

func bindElements(b *build, n node, holds *Expr, a around) {
	place := 0
	for part := range n.parts() {
		b.bind(part, derive(At, holds, strconv.Itoa(place)), a)
		place++
	}
}

func bindEach(b *build, n node, holds *Expr, a around) {
	for part := range n.parts() {
		b.bind(part, holds, a)
	}
}

func bindUnknown(b *build, n node, _ *Expr, a around) { bindEach(b, n, unknown, a) }

// hide hides the outer meanings of the names that a pattern binds.
func (b *build) hide(n node, a around) {
	switch {
	case n.is("identifier", "type_identifier", "shorthand_property_identifier_pattern"):
		a.scope.hide(n.string(), b.lang.hidden)
	case !n.is("attribute", "subscript"):
		for child := range n.parts() {
			if field := child.field(); field != "key" && field != "right" {
				b.hide(child, a)
			}
		}
	}
}

// visitArguments reads the arguments of a call. Functions among them, of the given kinds,
// get the parameters that the called function hands them; read reads one.
func (b *build) visitArguments(arguments node, called func() *Expr, a around, read func(function node, values []*Expr), kinds ...string) {
	place := 0
	for argument := range arguments.children() {
		if plain := plainExpr(argument); plain.is(kinds...) {
			read(plain, handed(called(), place))
		} else {
			b.visit(argument, a)
		}
		if argument.isNamed() && !isComment(argument) {
			place++
		}
	}
}

// handedSize is the number of parameters of an argument function whose values are looked
// up.
const handedSize = 4

// handed returns the values of the parameters of a function that is argument place of a call
// of function.
func handed(function *Expr, place int) []*Expr {
	if function == unknown {
		return nil
	}
	all := []*Expr{}
	for second := range handedSize {
		all = append(all, &Expr{Op: Handed, Of: function, First: place, Second: second})
	}
	return all
}

func elementAt(elements []*Expr, place int) *Expr {
	if place < len(elements) {
		return elements[place]
	}
	return unknown
}

// countArguments returns the number of arguments; -1 if one is spread.
func countArguments(arguments node) int {
	count := 0
	for argument := range arguments.parts() {
		if argument.is("spread_element", "list_splat", "dictionary_splat") {
			return -1
		}
		count++
	}
	return count
}

// plainExpr returns an expression without parentheses and ! around it.
func plainExpr(n node) node {
	for n.is("parenthesized_expression", "non_null_expression") && n.part(0).ok() {
		n = n.part(0)
	}
	return n
}

// textOf returns the text of a name, or the content of a string.
func textOf(n node) string {
	if n.is("string") {
		return n.child("string_fragment").string()
	}
	return n.string()
}
