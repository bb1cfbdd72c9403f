package syntax

import (
	"slices"
	"strings"
)

func ecmaArray(b *build, n node, a around) *Expr {
	first := n.part(0)
	if !first.ok() || first.is("spread_element") || n.end()-n.start() > 2000 {
		return unknown
	}
	return made("[]", b.exprAll(slices.Collect(n.parts()), a)...)
}

// ecmaShape returns the value of an object literal with its fields.
func ecmaShape(b *build, n node, a around) *Expr {
	fields := map[string]*Expr{}
	for child := range n.parts() {
		switch child.kind() {
		case "pair":
			fields[textOf(child.get("key"))] = b.expr(child.get("value"), a)
		case "shorthand_property_identifier":
			fields[child.string()] = a.scope.find(child.string())
		case "spread_element":
			return unknown
		}
	}
	return &Expr{Op: Shape, Fields: fields}
}

func ecmaArrow(b *build, n node, a around) *Expr {
	return b.deeper(func() *Expr {
		body, returnType := n.get("body"), n.get("return_type")
		switch {
		case body.ok() && !body.is("statement_block") && !n.get("parameters").part(0).ok() && !n.get("parameter").ok():
			return &Expr{Op: Lambda, Of: b.expr(body, a)}
		case returnType.ok():
			return &Expr{Op: Lambda, Of: b.typed(returnType, a)}
		}
		return unknown
	})
}

// ecmaResult returns the value of a call's result.
func ecmaResult(b *build, n node, a around) *Expr {
	callee, from := n.get("function"), n.get("arguments").part(0)
	switch {
	case callee.is("import") && from.is("string"):
		return made("Promise", importedExpr(textOf(from), "*"))
	case callee.is("import"):
		return unknown
	case isRequire(n, a):
		return importedExpr(textOf(from), "=")
	}
	callExpr := result(b.expr(callee, a))
	if callExpr != unknown {
		callExpr.Args = b.typedAll(n.get("type_arguments"), a)
		if property := callee.get("property").string(); property == "map" || property == "then" {
			if gives := b.expr(from, a); gives.Op == Lambda {
				callExpr.Args = []*Expr{gives.Of}
			}
		}
	}
	return callExpr
}

// isRequire reports whether a call is require("module").
func isRequire(n node, a around) bool {
	return n.get("function").string() == "require" && a.scope.find("require").Op == Name && n.get("arguments").part(0).is("string")
}

func ecmaCall(b *build, n node, a around) {
	callee, arguments := plainExpr(n.get("function")), n.get("arguments")
	switch {
	case callee.is("import") && arguments.part(0).is("string"), isRequire(n, a):
		b.imports(textOf(arguments.part(0)), "", nil, n)
	case callee.is("super") && a.class != "":
		b.call(a, member(&Expr{Op: Super, Name: a.class}, "constructor"), callee, countArguments(arguments), true)
	case callee.is("identifier", "member_expression"):
		b.call(a, b.expr(callee, a), lastOf(callee), countArguments(arguments), false)
	}
	ecmaCallee(b, callee, a)
	if word, _, _ := strings.Cut(callee.string(), "."); b.test && !a.function {
		if group, ok := testWords[word]; ok {
			ecmaTest(b, n, a, group)
			return
		}
	}
	ecmaArguments(b, n, callee, a)
}

// ecmaArguments reads the arguments of a call. Functions among them get the parameters that
// the called function hands them.
func ecmaArguments(b *build, n, callee node, a around) {
	called := func() *Expr {
		if n.is("new_expression") {
			return member(valueOf(b.expr(callee, a)), "constructor")
		}
		return b.expr(callee, a)
	}
	b.visitArguments(n.get("arguments"), called, a, func(function node, values []*Expr) { ecmaBody(b, function, a.unbound(function), values) }, "arrow_function", "function_expression")
	b.visit(n.child("template_string"), a)
}

// unbound returns the context of a function that is not a method. Only an arrow function has
// the this of the code around it.
func (a around) unbound(function node) around {
	if function.is("function_expression", "generator_function") {
		a.self, a.class = nil, ""
	}
	return a
}

func ecmaNew(b *build, n node, a around) {
	constructor := plainExpr(n.get("constructor"))
	b.call(a, b.expr(constructor, a), lastOf(constructor), countArguments(n.get("arguments")), true)
	ecmaCallee(b, constructor, a)
	ecmaArguments(b, n, constructor, a)
}

// ecmaCallee visits a callee, whose name is not the use of a value.
func ecmaCallee(b *build, n node, a around) {
	switch property := n.get("property").string(); {
	case n.is("identifier"):
	case n.is("member_expression") && (property == "call" || property == "apply" || property == "bind"):
		b.visit(n.get("object"), a)
	default:
		b.visitObject(n, a)
	}
}

// ecmaUnlessName visits a value that is exported, unless it is only a name: an export is
// not a use.
func ecmaUnlessName(b *build, n node, a around) {
	if !plainExpr(n).is("identifier") {
		b.visit(n, a)
	}
}

// ecmaElement reads <Component/>, which calls Component.
func ecmaElement(b *build, n node, a around) {
	name := n.get("name")
	if text := name.string(); text != "" && (strings.ToUpper(text[:1]) == text[:1] || name.is("member_expression")) {
		b.call(a, b.expr(name, a), lastOf(name), -1, false)
	}
	for child := range n.children() {
		if child.field() != "name" {
			b.visit(child, a)
		}
	}
}

// ecmaTypeName returns the class or interface that a type names.
func ecmaTypeName(b *build, n node, a around) *Expr {
	switch n.kind() {
	case "type_identifier", "identifier":
		if holds := a.scope.find(n.string()); holds.Op != Lambda {
			return holds
		}
	case "generic_type":
		return ecmaTypeName(b, n.get("name"), a)
	case "nested_type_identifier", "nested_identifier", "member_expression":
		return member(ecmaTypeName(b, n.part(0), a), n.part(1).string())
	}
	return unknown
}

// transparent are built-in types whose values have the members of their first type
// argument.
var transparent = []string{"Readonly", "Partial", "Required", "NonNullable", "Awaited", "Pick", "Omit"}

// ecmaCondition reads a node with a condition. In then, which runs if the condition is
// true, the variables have the classes that the condition tests.
func ecmaCondition(b *build, n, condition, then node, a around) {
	inner := a
	narrow(b, condition, &inner)
	b.visitCondition(n, then, a, inner)
}

// narrow sets the variables of instanceof tests to instances of the tested classes.
func narrow(b *build, condition node, a *around) {
	condition = plainExpr(condition)
	if !condition.is("binary_expression") {
		return
	}
	left, right := condition.get("left"), condition.get("right")
	switch operator := condition.get("operator"); {
	case operator.is("&&"):
		narrow(b, left, a)
		narrow(b, right, a)
	case operator.is("instanceof") && left.is("identifier"):
		class := b.expr(right, *a)
		a.scope = a.scope.inner()
		a.scope.set(left.string(), valueOf(class))
	}
}
