package syntax

import (
	"slices"
	"strings"

	"hence/code/symbol"
)

func (p *pythonReader) readDecorated(n node, a around) {
	name, definition := "", n.get("definition")
	switch definition.kind() {
	case "class_definition":
		name = p.readClass(n, definition, a)
	case "function_definition":
		name = p.readFunction(n, definition, a)
	}
	for child := range n.parts() {
		if child.is("decorator") {
			p.readDecorator(child.part(0), name, a)
		}
	}
}

func (p *pythonReader) readClass(whole, n node, a around) string {
	own := n.get("name").string()
	name := p.declare(a, declaration{
		whole: whole, node: n, own: own, sort: symbol.Class,
		exported: isPublic(own) && !a.function, test: strings.HasPrefix(own, "Test"), doc: docString(n.get("body")),
	})
	p.declareName(own, name, a)
	c := p.class(name)
	if a.class != "" && !a.function {
		p.class(a.class).field(own, declaredExpr(name))
	}
	for argument := range n.get("superclasses").parts() {
		if argument.is("keyword_argument") {
			p.visit(argument, a)
			continue
		}
		class := argument
		if class.is("subscript") {
			class = class.get("value")
		}
		c.Parents = append(c.Parents, Parent{p.expr(class, a), "extends"})
		p.visit(argument, a)
	}
	inner := around{scope: a.scope.inner(), from: name, prefix: name + ".", class: name, self: &Expr{Op: Self, Name: name}}
	p.visitAll(n.get("body"), inner)
	return name
}

func (p *pythonReader) readFunction(whole, n node, a around) string {
	own := n.get("name").string()
	marks := decorators(whole)
	method := a.class != "" && !a.function
	d := declaration{
		whole: whole, node: n, own: own, sort: symbol.Func,
		exported: isPublic(own) && !a.function, test: isTestName(own), doc: docString(n.get("body")),
		merge: isDecorated(marks, "overload", "setter", "deleter", "getter"),
	}
	if method {
		d.sort = symbol.Method
	}
	if at, known := p.byName[a.name(own)]; known && p.overloads[at] {
		d.merge = true
	}
	name := p.declare(a, d)
	p.overloads[p.byName[name]] = isDecorated(marks, "overload")
	if method {
		p.class(a.class).method(own, name)
		// Code in the body of the class may call it by its bare name.
		a.scope.set(own, declaredExpr(name))
	} else {
		p.declareName(own, name, a)
	}
	p.readCode(n, name, marks, a)
	return name
}

// readCode reads the parameters and code of a function.
func (p *pythonReader) readCode(n node, name string, marks []string, a around) {
	method := a.class != "" && !a.function
	known := p.places.Funcs[name]
	if known == nil {
		known = &Function{Most: -1}
		p.places.Funcs[name] = known
	}
	known.Property = isDecorated(marks, "property", "cached_property", "abstractproperty", "reify", "lazy_property", "classproperty", "setter")
	outer := a.scope
	if method {
		outer = a.scope.up // methods do not see the scope of the class
	}
	gives := []*Expr{}
	inner := around{scope: outer.inner(), from: name, prefix: name + ".", function: true, gives: &gives}
	var first *Expr
	if method && !isDecorated(marks, "staticmethod") {
		inner.class, inner.self = a.class, a.self
		first = a.self
		if isDecorated(marks, "classmethod") || ownName(name) == "__new__" || ownName(name) == "__init_subclass__" || ownName(name) == "__class_getitem__" {
			first = declaredExpr(a.class)
		}
	} else if !method {
		inner.class, inner.self = a.class, a.self
	}
	p.readParameters(n.get("parameters"), inner, first)
	p.hoist(n.get("body"), inner)
	p.visitAll(n.get("body"), inner)
	p.setResult(known, n, gives, inner)
}

func (p *pythonReader) setResult(known *Function, n node, gives []*Expr, a around) {
	if known.Result != nil {
		return
	}
	resultExpr := &Expr{Op: Case, Args: gives}
	if type_ := n.get("return_type"); type_.ok() {
		resultExpr = p.valueOfType(type_, a)
	} else if len(gives) == 0 {
		return
	}
	if n.child("async").ok() {
		resultExpr = valueOf(&Expr{Op: Name, Name: "Coroutine"}, resultExpr)
	}
	known.Result = resultExpr
}

// ownName returns the last part of a full name, without its number.
func ownName(name string) string {
	name, _, _ = strings.Cut(name, "~")
	return name[strings.LastIndexByte(name, '.')+1:]
}

// readParameters binds the names of parameters. first is the value of the first one, such
// as self; nil for an ordinary parameter.
func (p *pythonReader) readParameters(n node, a around, first *Expr) {
	place := 0
	for parameter := range n.parts() {
		name, holds := parameter, unknown
		switch parameter.kind() {
		case "typed_parameter":
			name = parameter.part(0)
			holds = p.valueOfType(parameter.get("type"), a)
			if name.is("list_splat_pattern") {
				holds = valueOf(&Expr{Op: Name, Name: "tuple"}, holds)
			} else if name.is("dictionary_splat_pattern") {
				holds = unknown
			}
		case "typed_default_parameter":
			name = parameter.get("name")
			holds = p.valueOfType(parameter.get("type"), a)
		case "default_parameter":
			name = parameter.get("name")
		}
		if value := parameter.get("value"); value.ok() {
			p.visit(value, a)
		}
		if name.is("list_splat_pattern", "dictionary_splat_pattern") {
			name = name.part(0)
		}
		if place == 0 && first != nil && parameter.is("identifier", "typed_parameter") {
			holds = first
		}
		if name.is("identifier") {
			a.scope.set(name.string(), holds)
		}
		place++
	}
}

// hoist hides the outer meanings of names that a function assigns, because they are local
// in all of its code. Names in global and nonlocal statements are not hidden.
func (p *pythonReader) hoist(block node, a around) {
	if !block.ok() {
		return
	}
	outside := []string{}
	for at := block.at + 1; at < block.raw().next; {
		n := node{block.tree, at}
		switch n.kind() {
		case "function_definition", "class_definition":
			p.hide(n.get("name"), a)
			at = n.raw().next
			continue
		case "lambda", "list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression":
			at = n.raw().next
			continue
		case "global_statement", "nonlocal_statement":
			for name := range n.parts() {
				outside = append(outside, name.string())
			}
		case "assignment", "augmented_assignment", "for_statement":
			p.hide(n.get("left"), a)
		case "named_expression":
			p.hide(n.get("name"), a)
		case "as_pattern":
			p.hide(n.get("alias"), a)
		case "aliased_import":
			p.hide(n.get("alias"), a)
		}
		at++
	}
	for _, name := range outside {
		delete(a.scope.names, name)
	}
}

func (p *pythonReader) hide(n node, a around) {
	switch n.kind() {
	case "identifier":
		if a.scope.names[n.string()] == nil {
			a.scope.names[n.string()] = &Expr{Op: Case, From: "assigned"}
		}
	case "attribute", "subscript":
	default:
		for part := range n.parts() {
			p.hide(part, a)
		}
	}
}

// pythonWrappers are types whose values are values of their first type argument.
var pythonWrappers = []string{"Optional", "ClassVar", "Final", "Annotated", "Required", "NotRequired", "InitVar"}

// valueOfType returns the Expr of a value of a type.
func (p *pythonReader) valueOfType(n node, a around) *Expr {
	switch n.kind() {
	case "type", "parenthesized_expression":
		return p.valueOfType(n.part(0), a)
	case "identifier", "attribute", "member_type":
		if text := n.string(); text == "Self" || strings.HasSuffix(text, ".Self") {
			if a.self != nil {
				return a.self
			}
		}
		return valueOf(p.expr(n, a))
	case "string":
		text := n.child("string_content").string()
		if t := grammarOf("python").parse([]byte(text)); t != nil && len(text) < 200 {
			if first := t.root().part(0); first.is("expression_statement") {
				return p.valueOfType(first.part(0), a)
			}
		}
	case "generic_type", "subscript":
		return p.generic(n, a)
	case "binary_operator":
		if n.get("operator").is("|") {
			return p.union([]node{n.get("left"), n.get("right")}, a)
		}
	case "union_type":
		return p.union(slices.Collect(n.parts()), a)
	}
	return unknown
}

func (p *pythonReader) generic(n node, a around) *Expr {
	base := n.part(0)
	var args []node
	if n.is("subscript") {
		base = n.get("value")
		args = slices.Collect(n.childrenByField("subscript"))
	} else {
		args = slices.Collect(n.child("type_parameter").parts())
	}
	name := base.string()
	name = name[strings.LastIndexByte(name, '.')+1:]
	switch {
	case len(args) == 0:
		return unknown
	case slices.Contains(pythonWrappers, name):
		return p.valueOfType(args[0], a)
	case name == "Union":
		return p.union(args, a)
	case name == "Type" || name == "type":
		class := args[0]
		for class.is("type") {
			class = class.part(0)
		}
		return p.expr(class, a)
	case name == "Callable":
		return &Expr{Op: Lambda, Of: p.valueOfType(args[len(args)-1], a)}
	}
	types := []*Expr{}
	for _, arg := range args {
		types = append(types, p.valueOfType(arg, a))
	}
	return valueOf(p.expr(base, a), types...)
}

// union returns the Expr of a value of one of several types. It ignores None.
func (p *pythonReader) union(parts []node, a around) *Expr {
	all := []*Expr{}
	var add func(node)
	add = func(n node) {
		for n.is("type", "parenthesized_expression") {
			n = n.part(0)
		}
		switch {
		case n.is("none"):
		case n.is("binary_operator") && n.get("operator").is("|"):
			add(n.get("left"))
			add(n.get("right"))
		default:
			all = append(all, p.valueOfType(n, a))
		}
	}
	for _, part := range parts {
		add(part)
	}
	return oneOf(all...)
}
