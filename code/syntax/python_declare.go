package syntax

import (
	"slices"
	"strings"

	"hence/code/symbol"
	"hence/internal/lists"
)

func pythonDecorated(b *build, n node, a around) {
	name, definition := "", n.get("definition")
	switch definition.kind() {
	case "class_definition":
		name = pythonClass(b, n, definition, a)
	case "function_definition":
		name = pythonFunction(b, n, definition, a)
	}
	for child := range n.parts() {
		if child.is("decorator") {
			b.visitDecorator(child.part(0), name, a)
		}
	}
}

func pythonClass(b *build, whole, n node, a around) string {
	own := n.get("name").string()
	name := b.declare(a, declaration{
		whole: whole, node: n, own: own, sort: symbol.Class,
		exported: isPublic(own) && !a.function, test: strings.HasPrefix(own, "Test"), doc: docString(n.get("body")),
	})
	pythonDeclare(b, a, own, name)
	c := b.class(name)
	if a.class != "" && !a.function {
		b.class(a.class).field(own, declaredExpr(name))
	}
	for argument := range n.get("superclasses").parts() {
		if !argument.is("keyword_argument") {
			class := argument
			if class.is("subscript") {
				class = class.get("value")
			}
			c.Parents = append(c.Parents, Parent{b.expr(class, a), "extends"})
		}
		b.visit(argument, a)
	}
	inner := b.generics(n, a)
	b.visitAll(n.get("body"), inner.enter(inner.scope.inner()).within(name))
	return name
}

func pythonFunction(b *build, whole, n node, a around) string {
	own := n.get("name").string()
	marks := decorators(whole)
	method := a.class != "" && !a.function
	at, known := b.byName[a.name(own)]
	d := declaration{
		whole: whole, node: n, own: own, sort: symbol.Func,
		exported: isPublic(own) && !a.function, test: strings.HasPrefix(own, "test_"), doc: docString(n.get("body")),
		merge: isAmong(marks, "overload", "setter", "deleter", "getter") || known && b.overloads[at],
	}
	if method {
		d.sort = symbol.Method
	}
	name := b.declare(a, d)
	b.overloads[b.byName[name]] = isAmong(marks, "overload")
	if method {
		b.class(a.class).method(own, name)
		// Code in the body of the class may call it by its bare name.
		a.scope.set(own, declaredExpr(name))
	} else {
		pythonDeclare(b, a, own, name)
	}
	pythonCode(b, n, name, marks, a)
	return name
}

// pythonCode reads the parameters and code of a function.
func pythonCode(b *build, n node, name string, marks []string, a around) {
	method := a.class != "" && !a.function
	known := b.function(name)
	known.Property = isAmong(marks, "property", "cached_property", "abstractproperty", "reify", "lazy_property", "classproperty", "setter")
	outer := a.scope
	if method {
		outer = a.scope.up // methods do not see the scope of the class
	}
	gives := []*Expr{}
	inner := around{scope: outer.inner(), from: name, prefix: name + ".", function: true, gives: &gives}
	isStatic := method && isAmong(marks, "staticmethod")
	if !isStatic {
		inner.class, inner.self = a.class, a.self
	}
	var first *Expr
	if method && !isStatic {
		first = a.self
		if isAmong(marks, "classmethod") || isAmong([]string{symbol.OwnName(name)}, "__new__", "__init_subclass__", "__class_getitem__") {
			first = declaredExpr(a.class)
		}
	}
	inner = b.generics(n, inner)
	pythonParameters(b, n.get("parameters"), inner, first)
	pythonHoist(b, n.get("body"), inner)
	b.visitAll(n.get("body"), inner)
	type_ := n.get("return_type")
	if known.Result != nil || !type_.ok() && len(gives) == 0 {
		return
	}
	known.Result = &Expr{Op: Case, Args: gives}
	if type_.ok() {
		known.Result = b.typed(type_, inner)
	}
	if n.child("async").ok() {
		known.Result = made("Coroutine", known.Result)
	}
}

// pythonParameters binds the names of parameters. first is the value of the first one, such
// as self; nil for an ordinary parameter.
func pythonParameters(b *build, n node, a around, first *Expr) {
	for parameter := range n.parts() {
		name, holds := parameter, unknown
		if parameter.is("typed_parameter", "typed_default_parameter") {
			holds = b.typed(parameter.get("type"), a)
		}
		switch parameter.kind() {
		case "typed_parameter":
			name = parameter.part(0)
			if name.is("list_splat_pattern") {
				holds = made("tuple", holds)
			} else if name.is("dictionary_splat_pattern") {
				holds = unknown
			}
		case "typed_default_parameter", "default_parameter":
			name = parameter.get("name")
		}
		b.visit(parameter.get("value"), a)
		if name.is("list_splat_pattern", "dictionary_splat_pattern") {
			name = name.part(0)
		}
		if first != nil && parameter.is("identifier", "typed_parameter") {
			holds = first
		}
		if name.is("identifier") {
			a.scope.set(name.string(), holds)
		}
		first = nil
	}
}

// pythonHoist hides the outer meanings of names that a function assigns, because they are local
// in all of its code. Names in global and nonlocal statements are not hidden.
func pythonHoist(b *build, block node, a around) {
	outside := []string{}
	for n := range block.below("function_definition", "class_definition", "lambda", "list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression") {
		switch n.kind() {
		case "function_definition", "class_definition", "named_expression":
			b.hide(n.get("name"), a)
		case "global_statement", "nonlocal_statement":
			for name := range n.parts() {
				outside = append(outside, name.string())
			}
		case "assignment", "augmented_assignment", "for_statement":
			b.hide(n.get("left"), a)
		case "as_pattern", "aliased_import":
			b.hide(n.part(1), a)
		case "splat_pattern":
			b.hide(n, a)
		case "dotted_name": // a pattern of one name captures
			if n.parent().is("case_pattern", "keyword_pattern") && !n.part(1).ok() {
				b.hide(n, a)
			}
		}
	}
	for _, name := range outside {
		delete(a.scope.names, name)
	}
}

// pythonWrappers are types whose values are values of their first type argument.
var pythonWrappers = []string{"Optional", "ClassVar", "Final", "Annotated", "Required", "NotRequired", "InitVar"}

func pythonGeneric(b *build, n node, a around) *Expr {
	base, args := n.part(0), slices.Collect(n.child("type_parameter").parts())
	if n.is("subscript") {
		base, args = n.get("value"), slices.Collect(n.childrenByField("subscript"))
	}
	_, name := cutLast(base.string())
	switch {
	case len(args) == 0:
		return unknown
	case slices.Contains(pythonWrappers, name):
		return b.typed(args[0], a)
	case name == "Union":
		return b.union(a, args...)
	case name == "Type" || name == "type":
		class := args[0]
		for class.is("type") {
			class = class.part(0)
		}
		return b.expr(class, a)
	case name == "Callable":
		return &Expr{Op: Lambda, Of: b.typed(args[len(args)-1], a)}
	}
	return valueOf(b.expr(base, a), lists.Map(args, func(arg node) *Expr { return b.typed(arg, a) })...)
}
