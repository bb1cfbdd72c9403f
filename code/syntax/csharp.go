//go:build languages_all

package syntax

import (
	"regexp"
	"strings"

	"hence/code/symbol"
)

// csharpReader reads C#.
type csharpReader struct{ *build }

var csharpTestFile = regexp.MustCompile(`(^|/)([^/]*\.)?[Tt]ests?/|Tests?\.cs$`)

func readCSharp(b *build) {
	c := &csharpReader{build: b}
	b.reader, b.test, b.isDoc = c, csharpTestFile.MatchString(b.file.Path), blockComment
	c.visitAll(b.tree.root(), around{})
}

func (c *csharpReader) visit(n node, a around) {
	switch n.kind() {
	case "using_directive":
		if name := n.part(0); name.ok() && !n.get("name").ok() {
			c.places.Stars = append(c.places.Stars, importedExpr(name.string(), "*"))
		}
	case "namespace_declaration", "file_scoped_namespace_declaration":
		if c.places.Space == "" {
			c.places.Space = n.get("name").string()
		}
		c.visitAll(n, a)
	case "class_declaration", "interface_declaration", "struct_declaration", "enum_declaration", "record_declaration", "record_struct_declaration":
		c.readClass(n, a)
	case "method_declaration", "constructor_declaration", "operator_declaration", "destructor_declaration":
		c.readMethod(n, a)
	case "local_function_statement":
		c.readLocal(n, a)
	case "property_declaration":
		c.class(a.class).field(n.get("name").string(), c.valueOfType(n.get("type"), a))
		c.visitAll(n, around{scope: a.scope.inner(), from: a.from, class: a.class, self: a.self, function: true, prefix: a.prefix})
	case "field_declaration":
		c.readField(n, a)
	case "local_declaration_statement", "using_statement":
		c.readVariables(n.child("variable_declaration"), a)
		c.visitAll(n, a)
	case "foreach_statement":
		inner := a.enter(a.scope.inner())
		holds := c.valueOfType(n.get("type"), a)
		if n.get("type").is("implicit_type") {
			holds = element(c.expr(n.get("right"), a))
		}
		inner.scope.set(n.get("left").string(), holds)
		c.visitAll(n, inner)
	case "lambda_expression", "anonymous_method_expression":
		inner := a.enter(a.scope.inner())
		for child := range n.get("parameters").parts() {
			inner.scope.set(child.get("name").string(), c.valueOfType(child.get("type"), a))
		}
		inner.scope.set(n.get("parameters").string(), unknown)
		c.visitAll(n, inner)
	case "declaration_pattern", "declaration_expression":
		if a.scope != nil {
			a.scope.set(n.get("name").string(), c.valueOfType(n.get("type"), a))
		}
	case "block", "for_statement", "catch_clause", "switch_section":
		c.visitAll(n, a.enter(a.scope.inner()))
	case "invocation_expression":
		c.readCall(n, a)
	case "object_creation_expression":
		c.call(a, c.typeName(n.get("type"), a), c.lastName(n.get("type")), countArguments(n.get("arguments")), true)
		c.visitAll(n, a)
	case "comment":
	default:
		c.visitAll(n, a)
	}
}

// lastName returns the node of the last name in a qualified or generic name.
func (c *csharpReader) lastName(n node) node {
	for n.is("generic_name", "qualified_name") {
		if n.is("generic_name") {
			n = n.part(0)
		} else {
			n = n.get("name")
		}
	}
	return n
}

// hasModifier reports whether a declaration has one of some modifiers.
func (c *csharpReader) hasModifier(n node, words ...string) bool {
	for child := range n.children() {
		for _, word := range words {
			if child.is("modifier") && child.string() == word {
				return true
			}
		}
	}
	return false
}

func (c *csharpReader) readClass(n node, a around) {
	own := n.get("name").string()
	sort := symbol.Class
	switch n.kind() {
	case "interface_declaration":
		sort = symbol.Interface
	case "struct_declaration", "enum_declaration", "record_struct_declaration":
		sort = symbol.Type
	}
	name := c.declare(a, declaration{node: n, own: own, sort: sort, exported: c.hasModifier(n, "public"), merge: c.hasModifier(n, "partial")})
	if a.class != "" {
		c.class(a.class).Members[own] = declaredExpr(name)
	} else if c.places.Names[own] == nil {
		c.places.Names[own] = declaredExpr(name)
	}
	class := c.class(name)
	inner := a
	inner.scope = a.scope.inner()
	for parameter := range n.child("type_parameter_list").parts() {
		inner.scope.set(parameter.get("name").string(), unknown)
	}
	for base := range n.child("base_list").parts() {
		// By convention a name such as IDisposable is that of an interface.
		text := base.string()
		rel := "extends"
		if len(text) > 1 && text[0] == 'I' && strings.ToUpper(text[1:2]) == text[1:2] {
			rel = ""
		}
		class.Parents = append(class.Parents, Parent{c.typeName(base, inner), rel})
	}
	c.visitAll(n.get("body"), around{scope: inner.scope.inner(), from: name, prefix: name + ".", class: name, self: &Expr{Op: Self, Name: name}, exported: sort == symbol.Interface})
}

func (c *csharpReader) readMethod(n node, a around) {
	own := n.get("name").string()
	if own == "" {
		own = "operator"
	}
	attributes := n.child("attribute_list").string()
	test := strings.Contains(attributes, "Fact") || strings.Contains(attributes, "Test") || strings.Contains(attributes, "Theory")
	name := c.declare(a, declaration{node: n, own: own, sort: symbol.Method, exported: a.exported || c.hasModifier(n, "public", "protected"), test: test})
	c.class(a.class).method(own, name)
	inner := a
	inner.scope = a.scope.inner()
	for parameter := range n.get("type_parameters").parts() {
		inner.scope.set(parameter.get("name").string(), unknown)
	}
	function := &Function{Bodiless: !n.get("body").ok(), Result: c.valueOfType(n.get("returns"), inner)}
	c.places.Funcs[name] = function
	c.readCode(n, name, function, inner)
}

// readCode reads the parameters and the body of a function. It sets the numbers of arguments
// that function accepts.
func (c *csharpReader) readCode(n node, name string, function *Function, a around) {
	code := around{scope: a.scope.inner(), from: name, prefix: name + ".", function: true, self: a.self, class: a.class}
	for parameter := range n.get("parameters").parts() {
		if !parameter.is("parameter") {
			function.Most = 1 << 20
			continue
		}
		function.Most++
		if strings.HasPrefix(parameter.string(), "params ") {
			function.Most = 1 << 20
		} else if !strings.Contains(parameter.string(), "=") {
			function.Least++
		}
		code.scope.set(parameter.get("name").string(), c.valueOfType(parameter.get("type"), code))
	}
	if initializer := n.child("constructor_initializer"); initializer.ok() {
		c.visitAll(initializer, code)
	}
	c.visit(n.get("body"), code)
}

func (c *csharpReader) readLocal(n node, a around) {
	own := n.get("name").string()
	name := c.declare(a, declaration{node: n, own: own, sort: symbol.Func})
	a.scope.set(own, declaredExpr(name))
	function := &Function{Result: c.valueOfType(n.get("type"), a)}
	c.places.Funcs[name] = function
	c.readCode(n, name, function, a)
}

// readField reads the fields of a class. A public constant or static readonly field is a
// declaration of its own.
func (c *csharpReader) readField(n node, a around) {
	variables := n.child("variable_declaration")
	for declarator := range variables.parts() {
		if !declarator.is("variable_declarator") {
			continue
		}
		own := declarator.get("name").string()
		holds := c.valueOfType(variables.get("type"), a)
		if c.hasModifier(n, "public") && (c.hasModifier(n, "const") || c.hasModifier(n, "static") && c.hasModifier(n, "readonly")) {
			name := c.declare(a, declaration{node: n, own: own, sort: symbol.Const, exported: true})
			c.class(name).Holds = holds
			holds = declaredExpr(name)
		}
		c.class(a.class).field(own, holds)
		c.visitAll(declarator, a)
	}
}

// readVariables adds local variables to the scope.
func (c *csharpReader) readVariables(n node, a around) {
	for declarator := range n.parts() {
		if !declarator.is("variable_declarator") || a.scope == nil {
			continue
		}
		holds := c.valueOfType(n.get("type"), a)
		if n.get("type").is("implicit_type") {
			holds = c.expr(declarator.part(1), a)
		}
		a.scope.set(declarator.get("name").string(), holds)
	}
}

func (c *csharpReader) readCall(n node, a around) {
	function, count := n.get("function"), countArguments(n.get("arguments"))
	switch function.kind() {
	case "identifier":
		c.call(a, c.expr(function, a), function, count, false)
	case "generic_name":
		c.call(a, c.expr(function.part(0), a), function.part(0), count, false)
	case "member_access_expression":
		c.call(a, c.expr(function, a), c.lastName(function.get("name")), count, false)
	}
	c.visitAll(n, a)
}

// compute returns the Expr of an expression, see build.expr.
func (c *csharpReader) compute(n node, a around) *Expr {
	switch n.kind() {
	case "identifier":
		return a.bare(n.string())
	case "this":
		if a.self != nil {
			return a.self
		}
	case "base":
		if a.class != "" {
			return &Expr{Op: Super, Name: a.class}
		}
	case "generic_name":
		return c.expr(n.part(0), a)
	case "member_access_expression":
		return member(c.expr(n.get("expression"), a), c.lastName(n.get("name")).string())
	case "invocation_expression":
		return result(c.expr(n.get("function"), a))
	case "object_creation_expression":
		return c.valueOfType(n.get("type"), a)
	case "await_expression":
		return derive(Await, c.expr(n.part(0), a), "")
	case "parenthesized_expression":
		return c.expr(n.part(0), a)
	case "cast_expression":
		return c.valueOfType(n.get("type"), a)
	}
	return unknown
}

// typeName returns the Expr of the class that a type names.
func (c *csharpReader) typeName(n node, a around) *Expr {
	switch n.kind() {
	case "identifier":
		holds := a.scope.find(n.string())
		if holds.Op == Name && a.class != "" {
			return &Expr{Op: First, Args: []*Expr{member(declaredExpr(a.class), n.string()), holds}}
		}
		return holds
	case "generic_name":
		return c.typeName(n.part(0), a)
	case "qualified_name":
		return member(c.typeName(n.get("qualifier"), a), c.lastName(n).string())
	}
	return unknown
}

// valueOfType returns the Expr of a value whose declared type is n.
func (c *csharpReader) valueOfType(n node, a around) *Expr {
	switch n.kind() {
	case "identifier", "qualified_name":
		return valueOf(c.typeName(n, a))
	case "nullable_type":
		return c.valueOfType(n.part(0), a)
	case "array_type":
		return valueOf(&Expr{Op: Name, Name: "List"}, c.valueOfType(n.part(0), a))
	case "generic_name":
		args := []*Expr{}
		for arg := range n.child("type_argument_list").parts() {
			args = append(args, c.valueOfType(arg, a))
		}
		return valueOf(c.typeName(n, a), args...)
	}
	return unknown
}
