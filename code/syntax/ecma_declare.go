package syntax

import (
	"cmp"

	"hence/code/symbol"
)

// ecmaFunction reads a function and returns its full name. own is the name of a function
// that does not have one itself.
func ecmaFunction(b *build, whole, n node, a around, own string) string {
	name := ecmaMerged(b, whole, n, a, declaration{own: cmp.Or(n.get("name").string(), own), sort: symbol.Func})
	ecmaSignature(b, n, name, a)
	ecmaCode(b, n, name, around{scope: a.scope})
	return name
}

// ecmaHeld declares a function that is a value, such as an arrow function, reads its code,
// and returns its full name. inner is the context of its code.
func ecmaHeld(b *build, value node, a, inner around, d declaration) string {
	value = plainValue(value)
	d.body = value.get("body")
	name := b.declare(a, d)
	ecmaHeldCode(b, value, name, inner)
	return name
}

func ecmaHeldCode(b *build, value node, name string, a around) {
	ecmaSignature(b, value, name, a)
	ecmaCode(b, value, name, around{scope: a.scope, self: a.self, class: a.class})
}

// ecmaCode reads the code of a declared function.
func ecmaCode(b *build, n node, name string, a around) {
	a.from, a.prefix, a.function = name, name+".", true
	gives := ecmaBody(b, n, a, nil)
	known := b.places.Funcs[name]
	if known.Result != nil || !n.get("body").ok() || len(gives) != 1 || n.child("*").ok() {
		return
	}
	// Without a declared result, the only return statement decides.
	if known.Result = gives[0]; n.child("async").ok() {
		known.Result = valueOf(&Expr{Op: Name, Name: "Promise"}, gives[0])
	}
}

// ecmaSignature sets the parameters and the result of a function from its signature. ecmaCode
// sets the result from its code if the signature has none.
func ecmaSignature(b *build, n node, name string, a around) {
	known := b.function(name)
	signature := ecmaLambda(b, n, a)
	known.Property = n.child("get").ok()
	known.Takes = append(known.Takes, signature.Args)
	if n.get("return_type").ok() && known.Result == nil {
		known.Result = signature.Of
	}
}

// ecmaLambda returns the value of a function with the signature of a function type or method.
func ecmaLambda(b *build, n node, a around) *Expr {
	a = b.generics(n, a)
	signature := &Expr{Op: Lambda, Of: b.typed(n.get("return_type"), a), Args: []*Expr{}}
	for parameter := range n.get("parameters").parts() {
		pattern := parameter.get("pattern")
		holds := b.typed(parameter.get("type"), a)
		if pattern.is("rest_pattern") {
			holds = derive(Element, holds, "rest")
		}
		if !pattern.is("this") {
			signature.Args = append(signature.Args, holds)
		}
	}
	return signature
}

// ecmaBody reads the parameters and code of a function, and returns the values of its
// return statements. parameterValues are the values of parameters without a declared type.
func ecmaBody(b *build, n node, a around, parameterValues []*Expr) []*Expr {
	inner := b.generics(n, a)
	inner.scope = inner.scope.inner()
	inner.function, inner.exported = true, false
	if n.is("function_expression") {
		inner.scope.set(n.get("name").string(), unknown)
	}
	ecmaParameters(b, n, inner, parameterValues)
	body := n.get("body")
	gives := []*Expr{}
	inner.gives = &gives
	if body.ok() && !body.is("statement_block") {
		gives = append(gives, b.expr(body, inner))
	}
	ecmaVisitCode(b, body, inner)
	return gives
}

// ecmaVisitCode visits the body of a function, a block or an expression.
func ecmaVisitCode(b *build, body node, a around) {
	if body.is("statement_block") {
		ecmaHoist(b, body, a)
		ecmaHoistDeep(b, body, a)
		b.visitAll(body, a)
	} else {
		b.visit(body, a)
	}
}

func ecmaParameters(b *build, n node, a around, parameterValues []*Expr) {
	b.bind(n.get("parameter"), elementAt(parameterValues, 0), a) // of x => …
	place := 0
	for parameter := range n.get("parameters").parts() {
		pattern, holds := parameter, elementAt(parameterValues, place)
		if parameter.is("required_parameter", "optional_parameter") {
			pattern = parameter.get("pattern")
			if value := parameter.get("value"); parameter.get("type").ok() || value.ok() {
				holds = b.declaredType(parameter, value, a)
			}
			b.visit(parameter.get("value"), a)
			ecmaDecorators(b, parameter, a.from, a)
			if a.class != "" && a.self != nil && parameter.child("accessibility_modifier", "readonly", "override_modifier").ok() {
				b.class(a.class).field(pattern.string(), holds) // constructor(private a: A)
			}
		} else if parameter.is("assignment_pattern") {
			holds = b.expr(parameter.get("right"), a)
		}
		b.bind(pattern, holds, a)
		place++
	}
}

// ecmaHoist hides the outer meanings of names that a block declares, because code before the
// declaration refers to them too.
func ecmaHoist(b *build, block node, a around) {
	for child := range block.parts() {
		if child.is("export_statement") {
			child = child.get("declaration")
		}
		switch child.kind() {
		case "function_declaration", "generator_function_declaration", "class_declaration", "abstract_class_declaration", "interface_declaration", "type_alias_declaration", "enum_declaration":
			b.hide(child.get("name"), a)
		case "lexical_declaration", "variable_declaration":
			for declarator := range child.parts() {
				b.hide(declarator.get("name"), a)
			}
		}
	}
}

// ecmaHoistDeep hides the outer meanings of names that var declares anywhere in the code of a
// function, because they are local in all of it.
func ecmaHoistDeep(b *build, body node, a around) {
	for n := range body.below("function_declaration", "generator_function_declaration", "function_expression", "generator_function", "arrow_function", "method_definition", "class_static_block") {
		switch {
		case n.is("variable_declarator") && n.parent().is("variable_declaration"):
			b.hide(n.get("name"), a)
		case n.is("for_in_statement") && n.get("kind").is("var"):
			b.hide(n.get("left"), a)
		}
	}
}

// ecmaBlock reads a block, loop or catch clause in a new scope.
func ecmaBlock(b *build, n node, a around) {
	a.scope, a.exported = a.scope.inner(), false
	switch n.kind() {
	case "for_in_statement":
		b.hide(n.get("left"), a)
		holds := unknown
		if n.get("operator").is("of") {
			holds = element(b.expr(n.get("right"), a))
		}
		if n.get("kind").ok() {
			b.bind(n.get("left"), holds, a)
		}
	case "catch_clause":
		b.bind(n.get("parameter"), unknown, a)
	case "statement_block", "class_static_block":
		ecmaHoist(b, n, a)
	}
	b.visitAll(n, a)
}

// ecmaVariables reads const, let and var.
func ecmaVariables(b *build, whole, n node, a around) {
	sort := symbol.Var
	if n.child("const").ok() {
		sort = symbol.Const
	}
	for declarator := range n.parts() {
		if declarator.is("variable_declarator") {
			ecmaVariable(b, whole, declarator, a, sort)
		}
	}
}

func ecmaVariable(b *build, whole, n node, a around, sort symbol.Sort) {
	name, value := n.get("name"), n.get("value")
	own := name.string()
	d := declaration{whole: whole, node: n.parent(), own: own, sort: sort, exported: a.exported || isExportedLater(b, own), doc: docBefore(whole, anyComment), merge: true}
	if n.parent().part(1).ok() { // one of several that a const or let declares
		d.whole, d.node = n, n
	}
	inner := a
	switch {
	case !name.is("identifier"):
		b.bind(name, b.expr(value, a), a)
	case isFunction(value) && !a.function:
		ecmaNamedFunction(b, n, a, d)
		return
	case value.is("class") && !a.function:
		ecmaPut(b, a, own, declaredExpr(ecmaClass(b, d.whole, value, a, own)))
		return
	case a.function:
		ecmaPut(b, a, own, b.declaredType(n, value, a))
	default:
		if full := ecmaVariableHeld(b, n, a, d); full != "" {
			inner.from = full
			if value.is("object") {
				return
			}
		}
	}
	b.visit(value, inner)
}

// ecmaVariableHeld reads a variable outside functions and returns its full name if it is a
// declaration, else "". It is one if it is exported, or holds an object with functions.
func ecmaVariableHeld(b *build, n node, a around, d declaration) string {
	value := plainValue(n.get("value"))
	methods := value.is("object") && hasFunctions(value)
	holds := b.declaredType(n, n.get("value"), a)
	if !d.exported && !methods {
		ecmaPut(b, a, d.own, holds)
		return ""
	}
	if value.is("object", "array", "call_expression", "new_expression", "template_string") {
		d.body = value
	}
	name := b.declare(a, d)
	ecmaPutDeclared(b, a, d.own, name)
	c := b.class(name)
	if c.Holds == nil && (!methods || n.get("type").ok()) {
		c.Holds = holds
	}
	if methods {
		c.Object = true
		ecmaObject(b, value, name, a)
	} else if value.is("object") {
		a.from = name
		b.visit(value, a)
	}
	return name
}

// isExportedLater reports whether an export clause at the top of the file names a name.
func isExportedLater(b *build, own string) bool {
	if b.clauses == nil {
		b.clauses = map[string]bool{}
		for statement := range b.tree.root().parts() {
			if statement.is("export_statement") && !statement.get("source").ok() {
				for specifier := range statement.child("export_clause").parts() {
					b.clauses[textOf(specifier.get("name"))] = true
				}
				if value := statement.get("value"); value.is("identifier") {
					b.clauses[value.string()] = true
				}
			}
		}
	}
	return b.clauses[own]
}

// ecmaNamedFunction reads const f = () => {}.
func ecmaNamedFunction(b *build, n node, a around, d declaration) {
	value := plainValue(n.get("value"))
	d.body, d.sort = value.get("body"), symbol.Func
	name := b.declare(a, d)
	ecmaPutDeclared(b, a, d.own, name)
	if type_ := n.get("type"); type_.ok() {
		b.places.Funcs[name] = &Function{Most: -1, Result: result(b.typed(type_, a))}
	}
	ecmaHeldCode(b, value, name, a)
}

func isFunction(n node) bool {
	return plainValue(n).is("arrow_function", "function_expression", "generator_function")
}

// plainValue returns a value without parentheses, type assertions and assignments around
// it.
func plainValue(n node) node {
	for n.is("parenthesized_expression", "as_expression", "satisfies_expression", "non_null_expression", "type_assertion", "assignment_expression") {
		inner := n.part(0)
		if n.is("type_assertion", "assignment_expression") {
			inner = n.part(1)
		}
		if !inner.ok() {
			break
		}
		n = inner
	}
	return n
}

func hasFunctions(object node) bool {
	for child := range object.parts() {
		if child.is("method_definition") || child.is("pair") && isFunction(child.get("value")) {
			return true
		}
	}
	return false
}

// ecmaObject reads an object that a name holds. It declares the functions of the object as
// methods.
func ecmaObject(b *build, n node, name string, a around) {
	c := b.class(name)
	c.Object = true
	inner := around{scope: a.scope, function: a.function}.within(name)
	inner.function = a.function
	for child := range n.parts() {
		switch child.kind() {
		case "method_definition":
			ecmaMethod(b, child, name, inner)
		case "pair":
			key, value := child.get("key"), child.get("value")
			if isFunction(value) && !key.is("computed_property_name") {
				method := inner
				if plainValue(value).is("arrow_function") {
					method.self, method.class = a.self, a.class
				}
				c.method(textOf(key), ecmaHeld(b, value, inner, method, declaration{node: child, own: textOf(key), sort: symbol.Method}))
				continue
			}
			c.field(textOf(key), b.expr(value, inner))
			b.visit(value, around{scope: a.scope, from: name, self: a.self, class: a.class, function: a.function, prefix: name + "."})
		case "shorthand_property_identifier":
			c.field(child.string(), a.scope.find(child.string()))
			b.use(name, a.scope.find(child.string()), child)
		case "spread_element":
			c.Parents = append(c.Parents, Parent{Type: b.expr(child.part(0), a)})
			b.visitAll(child, inner)
		}
	}
}
