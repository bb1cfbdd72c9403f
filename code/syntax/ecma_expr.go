package syntax

import (
	"slices"
	"strings"
)

// compute returns the Expr of an expression, see build.expr.
func (e *ecmaReader) compute(n node, a around) *Expr {
	n = e.plain(n)
	switch n.kind() {
	case "identifier", "shorthand_property_identifier", "type_identifier":
		return a.scope.find(n.string())
	case "this":
		if a.self != nil {
			return a.self
		}
	case "super":
		if a.class != "" {
			return &Expr{Op: Super, Name: a.class}
		}
	case "member_expression":
		return member(e.expr(n.get("object"), a), textOf(n.get("property")))
	case "subscript_expression":
		index := n.get("index")
		if index.is("string") {
			return member(e.expr(n.get("object"), a), textOf(index))
		}
		return element(e.expr(n.get("object"), a))
	case "as_expression", "satisfies_expression":
		if n.part(1).ok() {
			return e.valueOfType(n.part(1), a)
		}
		return e.expr(n.part(0), a) // as const
	case "type_assertion":
		return e.valueOfType(n.part(0).part(0), a)
	case "call_expression":
		return e.callResult(n, a)
	case "new_expression":
		args := e.typeArguments(n.get("type_arguments"), a)
		return valueOf(e.expr(n.get("constructor"), a), args...)
	case "await_expression":
		return derive(Await, e.expr(n.part(0), a), "")
	case "assignment_expression":
		return e.expr(n.get("right"), a)
	case "binary_expression":
		if operator := n.get("operator"); operator.is("||", "??") {
			return e.either(n.get("left"), n.get("right"), a, e.empty)
		} else if operator.is("&&") {
			return e.expr(n.get("right"), a)
		}
	case "ternary_expression":
		return e.either(n.get("consequence"), n.get("alternative"), a, e.empty)
	case "array":
		return e.arrayOf(n, a)
	case "object":
		return e.shape(n, a)
	case "arrow_function":
		e.lambdas++
		defer func() { e.lambdas-- }()
		if e.lambdas > maxNested {
			return unknown
		}
		if body := n.get("body"); body.ok() && !body.is("statement_block") && !n.get("parameters").part(0).ok() && !n.get("parameter").ok() {
			return &Expr{Op: Lambda, Of: e.expr(body, a)}
		}
		if returnType := n.get("return_type"); returnType.ok() {
			return &Expr{Op: Lambda, Of: e.valueOfType(returnType, a)}
		}
	case "template_string", "string":
		return valueOf(&Expr{Op: Name, Name: "String"})
	case "class":
		return unknown
	}
	return unknown
}

// plain returns an expression without parentheses and ! around it.
func (e *ecmaReader) plain(n node) node {
	for n.is("parenthesized_expression", "non_null_expression") {
		if n.part(0).ok() {
			n = n.part(0)
			continue
		}
		break
	}
	return n
}

// empty reports whether an expression is null, false or an empty object.
func (e *ecmaReader) empty(n node) bool {
	n = e.plain(n)
	return n.is("null", "undefined", "false") || n.is("object", "array") && !n.part(0).ok()
}

func (e *ecmaReader) arrayOf(n node, a around) *Expr {
	first := n.part(0)
	if !first.ok() || first.is("spread_element") || n.end()-n.start() > 2000 {
		return unknown
	}
	args := []*Expr{}
	for item := range n.parts() {
		args = append(args, e.expr(item, a))
	}
	return &Expr{Op: Value, Of: &Expr{Op: Name, Name: "[]"}, Args: args}
}

// shape returns the Expr of an object literal with its fields.
func (e *ecmaReader) shape(n node, a around) *Expr {
	fields := map[string]*Expr{}
	for child := range n.parts() {
		switch child.kind() {
		case "pair":
			fields[textOf(child.get("key"))] = e.expr(child.get("value"), a)
		case "shorthand_property_identifier":
			fields[child.string()] = a.scope.find(child.string())
		case "spread_element":
			return unknown
		}
	}
	return &Expr{Op: Shape, Fields: fields}
}

// callResult returns the Expr of a call's result.
func (e *ecmaReader) callResult(n node, a around) *Expr {
	callee := n.get("function")
	if callee.is("import") {
		if from := n.get("arguments").part(0); from.is("string") {
			return valueOf(&Expr{Op: Name, Name: "Promise"}, importedExpr(textOf(from), "*"))
		}
		return unknown
	}
	if callee.string() == "require" && a.scope.find("require").Op == Name {
		if from := n.get("arguments").part(0); from.is("string") {
			return importedExpr(textOf(from), "=")
		}
	}
	callExpr := result(e.expr(callee, a))
	if callExpr != unknown {
		callExpr.Args = e.typeArguments(n.get("type_arguments"), a)
		if property := callee.get("property").string(); property == "map" || property == "then" {
			if gives := e.expr(n.get("arguments").part(0), a); gives.Op == Lambda {
				callExpr.Args = []*Expr{gives.Of}
			}
		}
	}
	return callExpr
}

func (e *ecmaReader) readCall(n node, a around) {
	callee := e.plain(n.get("function"))
	arguments := n.get("arguments")
	switch callee.kind() {
	case "import":
		if from := arguments.part(0); from.is("string") {
			e.imports(textOf(from), "", n)
		}
	case "identifier":
		if callee.string() == "require" && arguments.part(0).is("string") && a.scope.find("require").Op == Name {
			e.imports(textOf(arguments.part(0)), "", n)
			break
		}
		e.call(a, a.scope.find(callee.string()), callee, countArguments(arguments), false)
	case "super":
		if a.class != "" {
			e.call(a, member(&Expr{Op: Super, Name: a.class}, "constructor"), callee, countArguments(arguments), true)
		}
	case "member_expression":
		e.call(a, e.expr(callee, a), callee.get("property"), countArguments(arguments), false)
	}
	e.visitCallee(callee, a)
	if e.test && !a.function {
		if word, _, _ := strings.Cut(callee.string(), "."); slices.Contains(testWords, word) {
			e.readTest(n, a)
			return
		}
	}
	e.readArguments(n, callee, a)
}

// readArguments reads the arguments of a call. Functions among them get the parameters that
// the called function hands them.
func (e *ecmaReader) readArguments(n, callee node, a around) {
	place := 0
	for argument := range n.get("arguments").children() {
		if plain := e.plain(argument); plain.is("arrow_function", "function_expression") {
			function := e.expr(callee, a)
			if n.is("new_expression") {
				function = member(valueOf(function), "constructor")
			}
			e.readBody(plain, a.unbound(plain), handed(function, place))
		} else {
			e.visit(argument, a)
		}
		if argument.isNamed() && !isComment(argument) {
			place++
		}
	}
	if text := n.child("template_string"); text.ok() {
		e.visit(text, a)
	}
}

// unbound returns the context of a function that is not a method. Only an arrow function has
// the this of the code around it.
func (a around) unbound(function node) around {
	if function.is("function_expression", "generator_function") {
		a.self, a.class = nil, ""
	}
	return a
}

// handedSize is the number of parameters of an argument function whose values are looked
// up.
const handedSize = 4

// handed returns the Exprs of the parameters of a function that is argument place of a call
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

func (e *ecmaReader) readNew(n node, a around) {
	constructor := e.plain(n.get("constructor"))
	name := constructor
	if constructor.is("member_expression") {
		name = constructor.get("property")
	}
	e.call(a, e.expr(constructor, a), name, countArguments(n.get("arguments")), true)
	e.visitCallee(constructor, a)
	e.readArguments(n, constructor, a)
}

// visitCallee visits a callee, whose name is not the use of a value.
func (e *ecmaReader) visitCallee(n node, a around) {
	switch property := n.get("property").string(); {
	case n.is("identifier"):
	case n.is("member_expression") && (property == "call" || property == "apply" || property == "bind"):
		e.visit(n.get("object"), a)
	case n.is("member_expression"):
		e.visitObject(n, a)
	default:
		e.visit(n, a)
	}
}

// visitObject visits the object that a chain of members begins with.
func (e *ecmaReader) visitObject(n node, a around) {
	for n.is("member_expression") {
		n = e.plain(n.get("object"))
	}
	e.visit(n, a)
}

// readValue reads a name or a member of an object that is not called.
func (e *ecmaReader) readValue(n node, a around) {
	last := n
	if n.is("member_expression") {
		last = n.get("property")
		e.visitObject(n, a)
	}
	e.use(a.from, e.expr(n, a), last)
}

// visitUnlessName visits a value that is exported, unless it is only a name: an export is
// not a use.
func (e *ecmaReader) visitUnlessName(n node, a around) {
	if !e.plain(n).is("identifier") {
		e.visit(n, a)
	}
}

// readDecorators reads the decorators of a declaration, which uses them. Those of a method
// stand before it.
func (e *ecmaReader) readDecorators(n node, from string, a around) {
	all := slices.Collect(n.children())
	for before := n.previous(); before.is("decorator") || isComment(before); before = before.previous() {
		all = append(all, before)
	}
	for _, child := range all {
		if child.is("decorator") {
			e.readDecorator(e.plain(child.part(0)), from, a)
		}
	}
}

// readElement reads <Component/>, which calls Component.
func (e *ecmaReader) readElement(n node, a around) {
	name := n.get("name")
	last := name
	if name.is("member_expression") {
		last = name.get("property")
	}
	if text := name.string(); text != "" && (strings.ToUpper(text[:1]) == text[:1] || name.is("member_expression")) {
		e.call(a, e.expr(name, a), last, -1, false)
	}
	for child := range n.children() {
		if child.field() != "name" {
			e.visit(child, a)
		}
	}
}

// typeName returns the Expr of the class or interface that a type names.
func (e *ecmaReader) typeName(n node, a around) *Expr {
	switch n.kind() {
	case "type_identifier", "identifier":
		holds := a.scope.find(n.string())
		if holds.Op == Lambda {
			return unknown
		}
		return holds
	case "generic_type":
		return e.typeName(n.get("name"), a)
	case "nested_type_identifier", "nested_identifier", "member_expression":
		module, name := n.part(0), n.part(1)
		return member(e.typeName(module, a), name.string())
	}
	return unknown
}

// valueOfType returns the Expr of a value of a type.
func (e *ecmaReader) valueOfType(n node, a around) *Expr {
	switch n.kind() {
	case "type_annotation", "parenthesized_type", "readonly_type", "asserts_annotation", "opting_type_annotation", "omitting_type_annotation":
		return e.valueOfType(n.part(0), a)
	case "type_identifier", "identifier":
		if holds := a.scope.find(n.string()); holds.Op == Lambda {
			return holds.Of
		}
		return valueOf(e.typeName(n, a))
	case "nested_type_identifier":
		return valueOf(e.typeName(n, a))
	case "generic_type":
		args := e.typeArguments(n.get("type_arguments"), a)
		if name := n.get("name").string(); len(args) > 0 && slices.Contains(transparent, name) {
			return args[0]
		}
		return valueOf(e.typeName(n.get("name"), a), args...)
	case "predefined_type":
		if n.string() == "string" {
			return valueOf(&Expr{Op: Name, Name: "String"})
		}
	case "array_type":
		return valueOf(&Expr{Op: Name, Name: "Array"}, e.valueOfType(n.part(0), a))
	case "tuple_type":
		args := []*Expr{}
		for part := range n.parts() {
			if part.is("required_parameter", "optional_parameter") {
				part = part.get("type")
			}
			args = append(args, e.valueOfType(part, a))
		}
		return valueOf(&Expr{Op: Name, Name: "[]"}, args...)
	case "this_type":
		if a.self != nil {
			return a.self
		}
	case "union_type":
		return e.union(n, a)
	case "intersection_type":
		return &Expr{Op: Any, Args: []*Expr{e.valueOfType(n.part(0), a), e.valueOfType(n.part(1), a)}}
	case "type_query":
		return e.expr(n.part(0), a)
	case "lookup_type":
		if index := n.part(1); index.is("literal_type") && index.part(0).is("string") {
			return member(e.valueOfType(n.part(0), a), textOf(index.part(0)))
		}
	case "function_type":
		return e.lambda(n, a)
	case "object_type":
		return e.objectType(n, a)
	}
	return unknown
}

// lambda returns the Expr of a function with the signature of a function type or method.
func (e *ecmaReader) lambda(n node, a around) *Expr {
	inner := e.generics(n, a)
	return &Expr{Op: Lambda, Of: e.valueOfType(n.get("return_type"), inner), Args: e.parameterValues(n, inner)}
}

// parameterValues returns the Exprs of a function's parameters by their declared types.
func (e *ecmaReader) parameterValues(n node, a around) []*Expr {
	all := []*Expr{}
	for parameter := range n.get("parameters").parts() {
		holds := unknown
		if type_ := parameter.get("type"); type_.ok() {
			holds = e.valueOfType(type_, a)
		}
		if parameter.get("pattern").is("this") {
			continue
		}
		if parameter.get("pattern").is("rest_pattern") {
			holds = derive(Element, holds, "rest")
		}
		all = append(all, holds)
	}
	return all
}

// transparent are built-in types whose values have the members of their first type
// argument.
var transparent = []string{"Readonly", "Partial", "Required", "NonNullable", "Awaited", "Pick", "Omit"}

func (e *ecmaReader) typeArguments(n node, a around) []*Expr {
	args := []*Expr{}
	for part := range n.parts() {
		args = append(args, e.valueOfType(part, a))
	}
	return args
}

// union returns the Expr of a value of one of several types. It ignores null, undefined and
// void.
func (e *ecmaReader) union(n node, a around) *Expr {
	all := []*Expr{}
	var add func(node)
	add = func(n node) {
		switch {
		case n.is("union_type"):
			for part := range n.parts() {
				add(part)
			}
		case n.is("literal_type") && n.part(0).is("null", "undefined"), n.is("predefined_type") && n.string() == "void":
		default:
			all = append(all, e.valueOfType(n, a))
		}
	}
	add(n)
	return oneOf(all...)
}

func (e *ecmaReader) objectType(n node, a around) *Expr {
	fields := map[string]*Expr{}
	for child := range n.parts() {
		switch child.kind() {
		case "property_signature":
			fields[textOf(child.get("name"))] = e.valueOfType(child.get("type"), a)
		case "method_signature":
			fields[textOf(child.get("name"))] = e.lambda(child, a)
		}
	}
	return &Expr{Op: Shape, Fields: fields}
}

// readCondition reads a node with a condition. In then, which runs if the condition is
// true, the variables have the classes that the condition tests.
func (e *ecmaReader) readCondition(n, condition, then node, a around) {
	inner := a
	e.narrow(condition, &inner)
	e.visitCondition(n, then, a, inner)
}

// narrow sets the variables of instanceof tests to instances of the tested classes.
func (e *ecmaReader) narrow(condition node, a *around) {
	condition = e.plain(condition)
	if !condition.is("binary_expression") {
		return
	}
	left, right := condition.get("left"), condition.get("right")
	switch operator := condition.get("operator"); {
	case operator.is("&&"):
		e.narrow(left, a)
		e.narrow(right, a)
	case operator.is("instanceof") && left.is("identifier"):
		class := e.expr(right, *a)
		a.scope = a.scope.inner()
		a.scope.set(left.string(), valueOf(class))
	}
}
