package syntax

import (
	"strconv"

	"hence/code/symbol"
)

// readFunction reads a function and returns its full name. own is the name of a function
// that does not have one itself.
func (e *ecmaReader) readFunction(whole, n node, a around, own string) string {
	if name := n.get("name"); name.ok() {
		own = name.string()
	}
	name := e.declare(a, declaration{whole: whole, node: n, own: own, sort: symbol.Func, exported: a.exported, merge: true})
	e.putDeclared(a, own, name)
	e.function(n, name, a)
	e.readCode(n, name, around{scope: a.scope})
	return name
}

// readCode reads the code of a declared function.
func (e *ecmaReader) readCode(n node, name string, a around) {
	a.from, a.prefix, a.function = name, name+".", true
	gives := e.readBody(n, a, nil)
	known := e.places.Funcs[name]
	if known.Result != nil || !n.get("body").ok() || len(gives) != 1 || n.child("*").ok() {
		return
	}
	// Without a declared result, the only return statement decides.
	if known.Result = gives[0]; n.child("async").ok() {
		known.Result = valueOf(&Expr{Op: Name, Name: "Promise"}, gives[0])
	}
}

// function sets the parameters and the result of a function from its signature. readCode
// sets the result from its code if the signature has none.
func (e *ecmaReader) function(n node, name string, a around) {
	known := e.places.Funcs[name]
	if known == nil {
		known = &Function{Most: -1}
		e.places.Funcs[name] = known
	}
	known.Property = n.child("get").ok()
	known.Takes = append(known.Takes, e.parameterValues(n, e.generics(n, a)))
	if returnType := n.get("return_type"); returnType.ok() && known.Result == nil {
		known.Result = e.valueOfType(returnType, e.generics(n, a))
	}
}

// generics returns a with the type parameters of a declaration in its scope. A type
// parameter is known only by the type that it extends.
func (e *ecmaReader) generics(n node, a around) around {
	parameters := n.get("type_parameters")
	if !parameters.ok() {
		return a
	}
	a.scope = a.scope.inner()
	for parameter := range parameters.parts() {
		holds := unknown
		if bound := parameter.get("constraint"); bound.ok() {
			// The Lambda marks a type parameter: valueOfType replaces T with a value of C
			// for T extends C.
			holds = &Expr{Op: Lambda, Of: e.valueOfType(bound.part(0), a)}
		}
		a.scope.set(parameter.get("name").string(), holds)
	}
	return a
}

// readBody reads the parameters and code of a function, and returns the Exprs of its
// return statements. parameterValues are the values of parameters without a declared type.
func (e *ecmaReader) readBody(n node, a around, parameterValues []*Expr) []*Expr {
	inner := e.generics(n, a)
	inner.scope = inner.scope.inner()
	inner.function, inner.exported = true, false
	if name := n.get("name"); name.ok() && n.is("function_expression") {
		inner.scope.set(name.string(), unknown)
	}
	e.readParameters(n, inner, parameterValues)
	body := n.get("body")
	gives := []*Expr{}
	inner.gives = &gives
	if body.ok() && !body.is("statement_block") {
		gives = append(gives, e.expr(body, inner))
	}
	e.visitCode(body, inner)
	return gives
}

// visitCode visits the body of a function, a block or an expression.
func (e *ecmaReader) visitCode(body node, a around) {
	if body.is("statement_block") {
		e.hoist(body, a)
		e.visitAll(body, a)
	} else {
		e.visit(body, a)
	}
}

func (e *ecmaReader) readParameters(n node, a around, parameterValues []*Expr) {
	if single := n.get("parameter"); single.ok() {
		e.bindPattern(single, elementAt(parameterValues, 0), a)
		return
	}
	place := 0
	for parameter := range n.get("parameters").parts() {
		pattern, holds := parameter, elementAt(parameterValues, place)
		if parameter.is("required_parameter", "optional_parameter") {
			pattern = parameter.get("pattern")
			if type_ := parameter.get("type"); type_.ok() {
				holds = e.valueOfType(type_, a)
			} else if value := parameter.get("value"); value.ok() {
				holds = e.expr(value, a)
			}
			e.visit(parameter.get("value"), a)
			e.readDecorators(parameter, a.from, a)
			if a.class != "" && a.self != nil && parameter.child("accessibility_modifier", "readonly", "override_modifier").ok() {
				e.class(a.class).field(pattern.string(), holds) // constructor(private a: A)
			}
		} else if parameter.is("assignment_pattern") {
			pattern, holds = parameter.get("left"), e.expr(parameter.get("right"), a)
			e.visit(parameter.get("right"), a)
		}
		e.bindPattern(pattern, holds, a)
		place++
	}
}

func elementAt(elements []*Expr, place int) *Expr {
	if place < len(elements) {
		return elements[place]
	}
	return unknown
}

// bindPattern binds the names of a pattern to the parts of the value that it matches.
func (e *ecmaReader) bindPattern(n node, holds *Expr, a around) {
	switch n.kind() {
	case "identifier", "shorthand_property_identifier_pattern":
		e.put(a, n.string(), holds)
	case "object_pattern":
		for child := range n.parts() {
			switch child.kind() {
			case "shorthand_property_identifier_pattern":
				e.put(a, child.string(), member(holds, child.string()))
			case "pair_pattern":
				e.bindPattern(child.get("value"), member(holds, textOf(child.get("key"))), a)
			case "object_assignment_pattern":
				left := child.get("left")
				e.bindPattern(left, member(holds, left.string()), a)
				e.visit(child.get("right"), a)
			case "rest_pattern":
				e.bindPattern(child.part(0), unknown, a)
			}
		}
	case "array_pattern":
		place := 0
		for child := range n.children() {
			if child.is(",") {
				place++
			} else if child.isNamed() {
				e.bindPattern(child, derive(At, holds, strconv.Itoa(place)), a)
			}
		}
	case "rest_pattern":
		e.bindPattern(n.part(0), holds, a)
	case "assignment_pattern":
		e.bindPattern(n.get("left"), holds, a)
		e.visit(n.get("right"), a)
	}
}

// hoist hides the outer meanings of names that a block declares, because code before the
// declaration refers to them too.
func (e *ecmaReader) hoist(block node, a around) {
	for child := range block.parts() {
		if child.is("export_statement") {
			child = child.get("declaration")
		}
		switch child.kind() {
		case "function_declaration", "generator_function_declaration", "class_declaration", "abstract_class_declaration", "interface_declaration", "type_alias_declaration", "enum_declaration":
			a.scope.hide(child.get("name").string())
		case "lexical_declaration", "variable_declaration":
			for declarator := range child.parts() {
				e.hidePattern(declarator.get("name"), a)
			}
		}
	}
}

func (e *ecmaReader) hidePattern(n node, a around) {
	if n.is("identifier", "shorthand_property_identifier_pattern") {
		a.scope.hide(n.string())
		return
	}
	for child := range n.parts() {
		if field := child.field(); field != "key" && field != "right" {
			e.hidePattern(child, a)
		}
	}
}

// readBlock reads a block, loop or catch clause in a new scope.
func (e *ecmaReader) readBlock(n node, a around) {
	a.scope, a.exported = a.scope.inner(), false
	switch n.kind() {
	case "for_in_statement":
		e.hidePattern(n.get("left"), a)
		holds := unknown
		if n.get("operator").is("of") {
			holds = element(e.expr(n.get("right"), a))
		}
		if n.get("kind").ok() {
			e.bindPattern(n.get("left"), holds, a)
		}
	case "catch_clause":
		e.bindPattern(n.get("parameter"), unknown, a)
	case "statement_block", "class_static_block":
		e.hoist(n, a)
	}
	e.visitAll(n, a)
}

// readVariables reads const, let and var.
func (e *ecmaReader) readVariables(whole, n node, a around) {
	sort := symbol.Var
	if n.child("const").ok() {
		sort = symbol.Const
	}
	for declarator := range n.parts() {
		if declarator.is("variable_declarator") {
			e.readVariable(whole, declarator, a, sort)
		}
	}
}

func (e *ecmaReader) readVariable(whole, n node, a around, sort symbol.Sort) {
	name, value := n.get("name"), n.get("value")
	own := name.string()
	span := whole
	if n.parent().part(1).ok() { // one of several that a const or let declares
		span = n
	}
	inner := a
	switch {
	case !name.is("identifier"):
		e.bindPattern(name, e.expr(value, a), a)
	case e.isFunction(value) && !a.function:
		e.readNamedFunction(span, whole, n, a)
		return
	case value.is("class") && !a.function:
		full := e.readClass(span, value, a, own)
		e.put(a, own, declaredExpr(full))
		return
	case a.function:
		e.put(a, own, e.declaredType(n, value, a))
	default:
		full := e.readHeld(span, whole, n, a, sort)
		inner.from = full
		if full == "" {
			inner.from = a.from
		}
		if value.is("object") && full != "" {
			return
		}
	}
	e.visit(value, inner)
}

// readHeld reads a variable outside functions and returns its full name if it is a
// declaration, else "". It is one if it is exported, or holds an object with functions.
func (e *ecmaReader) readHeld(span, whole, n node, a around, sort symbol.Sort) string {
	own, value := n.get("name").string(), plainValue(n.get("value"))
	methods := value.is("object") && hasFunctions(value)
	exported := a.exported || e.exportedLater(own)
	holds := e.declaredType(n, n.get("value"), a)
	if !exported && !methods {
		e.put(a, own, holds)
		return ""
	}
	body := node{}
	if value.is("object", "array", "call_expression", "new_expression", "template_string") {
		body = value
	}
	d := declaration{whole: span, node: n, body: body, own: own, sort: sort, exported: exported, doc: docBefore(whole, anyComment), merge: true}
	if span.at == whole.at {
		d.node = n.parent()
	}
	name := e.declare(a, d)
	e.putDeclared(a, own, name)
	c := e.class(name)
	if c.Holds == nil && holds != nil && (!methods || n.get("type").ok()) {
		c.Holds = holds
	}
	if methods {
		c.Object = true
		e.readObject(value, name, a)
	} else if value.is("object") {
		inner := a
		inner.from = name
		e.visit(value, inner)
	}
	return name
}

// exportedLater reports whether an export clause at the top of the file names a name.
func (e *ecmaReader) exportedLater(own string) bool {
	if e.clauses == nil {
		e.clauses = map[string]bool{}
		for statement := range e.tree.root().parts() {
			if statement.is("export_statement") && !statement.get("source").ok() {
				for specifier := range statement.child("export_clause").parts() {
					e.clauses[textOf(specifier.get("name"))] = true
				}
				if value := statement.get("value"); value.is("identifier") {
					e.clauses[value.string()] = true
				}
			}
		}
	}
	return e.clauses[own]
}

// declaredType returns the Expr of a variable's value: of its declared type, else of its
// initial value.
func (e *ecmaReader) declaredType(n, value node, a around) *Expr {
	if type_ := n.get("type"); type_.ok() {
		return e.valueOfType(type_, a)
	}
	return e.expr(value, a)
}

// readNamedFunction reads const f = () => {}.
func (e *ecmaReader) readNamedFunction(span, whole, n node, a around) {
	value := plainValue(n.get("value"))
	own := n.get("name").string()
	d := declaration{whole: span, node: n, body: value.get("body"), own: own, sort: symbol.Func, exported: a.exported || e.exportedLater(own), doc: docBefore(whole, anyComment), merge: true}
	if span.at == whole.at {
		d.node = n.parent()
	}
	name := e.declare(a, d)
	e.putDeclared(a, own, name)
	if type_ := n.get("type"); type_.ok() {
		e.places.Funcs[name] = &Function{Most: -1, Result: result(e.valueOfType(type_, a))}
	}
	e.readValueFunction(value, name, a)
}

// readValueFunction reads the code of an arrow function or function expression that is
// declared under a name.
func (e *ecmaReader) readValueFunction(value node, name string, a around) {
	e.function(value, name, a)
	e.readCode(value, name, around{scope: a.scope, self: a.self, class: a.class})
}

func (e *ecmaReader) isFunction(n node) bool {
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
		if child.is("method_definition") || child.is("pair") && plainValue(child.get("value")).is("arrow_function", "function_expression", "generator_function") {
			return true
		}
	}
	return false
}

// readObject reads an object that a name holds. It declares the functions of the object as
// methods.
func (e *ecmaReader) readObject(n node, name string, a around) {
	c := e.class(name)
	c.Object = true
	inner := around{scope: a.scope, from: name, prefix: name + ".", self: &Expr{Op: Self, Name: name}, class: name, function: a.function}
	for child := range n.parts() {
		switch child.kind() {
		case "method_definition":
			e.readMethod(child, name, inner)
		case "pair":
			own := textOf(child.get("key"))
			value := child.get("value")
			if e.isFunction(value) && !child.get("key").is("computed_property_name") {
				value = plainValue(value)
				full := e.declare(inner, declaration{node: child, body: value.get("body"), own: own, sort: symbol.Method})
				c.method(own, full)
				method := inner
				if value.is("arrow_function") {
					method.self, method.class = a.self, a.class
				}
				e.readValueFunction(value, full, method)
				continue
			}
			c.field(own, e.expr(value, inner))
			e.visit(value, around{scope: a.scope, from: name, self: a.self, class: a.class, function: a.function, prefix: name + "."})
		case "shorthand_property_identifier":
			c.field(child.string(), a.scope.find(child.string()))
			e.use(name, a.scope.find(child.string()), child)
		case "spread_element":
			c.Parents = append(c.Parents, Parent{Type: e.expr(child.part(0), a)})
			e.visitAll(child, inner)
		}
	}
}
