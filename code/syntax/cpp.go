//go:build languages_all

package syntax

import (
	"strings"

	"hence/code/symbol"
)

// cppReader reads C++: declarations of C, and classes, namespaces and their members.
type cppReader struct{ *build }

func readCPP(b *build) {
	c := &cppReader{build: b}
	b.reader, b.test, b.isDoc = c, cTestFile.MatchString(b.file.Path), anyComment
	b.file.Doc = fileDoc(b.tree.root())
	c.visitAll(b.tree.root(), around{})
}

func (c *cppReader) visit(n node, a around) {
	switch n.kind() {
	case "preproc_include":
		if text := strings.Trim(n.get("path").string(), `"<>`); text != "" {
			c.imports(text, "", n.get("path"))
		}
	case "namespace_definition":
		inner := a
		if name := n.get("name"); name.ok() {
			inner.prefix = a.prefix + strings.ReplaceAll(name.string(), "::", ".") + "."
		}
		inner.scope = a.scope.inner()
		c.visitAll(n.get("body"), inner)
	case "class_specifier", "struct_specifier", "union_specifier", "enum_specifier":
		c.readClass(n, a)
	case "alias_declaration", "type_definition":
		c.readAlias(n, a)
	case "function_definition":
		c.readFunction(n, a)
	case "declaration", "field_declaration":
		c.readDeclaration(n, a)
	case "compound_statement", "for_statement", "for_range_loop", "if_statement", "while_statement", "lambda_expression":
		c.visitAll(n, a.enter(a.scope.inner()))
	case "call_expression":
		c.readCall(n, a)
	case "new_expression":
		c.call(a, c.typeName(n.get("type"), a), lastPart(n.get("type")), countArguments(n.get("arguments")), true)
		c.visitAll(n, a)
	case "preproc_def", "preproc_function_def", "comment":
	default:
		c.visitAll(n, a)
	}
}

// lastPart returns the last name of a qualified one.
func lastPart(n node) node {
	for n.is("qualified_identifier", "template_type", "template_function", "dependent_name") {
		n = n.get("name")
	}
	return n
}

// put adds a declared name to the members of the class around, else to the names of the
// file.
func (c *cppReader) put(a around, own, name string) {
	if a.class != "" {
		c.class(a.class).Members[own] = declaredExpr(name)
		return
	}
	if known := c.places.Names[own]; known == nil {
		c.places.Names[own] = declaredExpr(name)
	}
}

func (c *cppReader) readClass(n node, a around) {
	name := lastPart(n.get("name"))
	if !name.ok() || !n.get("body").ok() || a.function {
		c.visitAll(n.get("body"), a)
		return
	}
	sort := symbol.Type
	if n.is("class_specifier") {
		sort = symbol.Class
	}
	own := name.string()
	full := c.declare(a, declaration{node: n, own: own, sort: sort, exported: true, doc: docBefore(outermost(n), anyComment), merge: true})
	c.put(a, own, full)
	class := c.class(full)
	for base := range n.child("base_class_clause").parts() {
		if !base.is("access_specifier") {
			class.Parents = append(class.Parents, Parent{c.typeName(base, a), "extends"})
		}
	}
	c.visitAll(n.get("body"), around{scope: a.scope.inner(), from: full, prefix: full + ".", class: full, self: &Expr{Op: Self, Name: full}})
}

func (c *cppReader) readAlias(n node, a around) {
	name := n.get("name")
	if !name.ok() {
		name, _ = declaredName(n.get("declarator"))
	}
	c.visitAll(n.get("type"), a)
	type_ := n.get("type")
	if type_.is("class_specifier", "struct_specifier", "union_specifier", "enum_specifier") {
		c.readClass(type_, a)
	}
	if !name.ok() || a.function {
		return
	}
	own := name.string()
	full := c.declare(a, declaration{node: n, body: type_.get("body"), own: own, sort: symbol.Type, exported: true, merge: true})
	c.moveSpot(full, name)
	c.put(a, own, full)
	if c.class(full).Alias == nil && !type_.get("body").ok() {
		c.class(full).Alias = c.typed(type_, a)
	}
}

// functionName returns the qualifiers and the last part of the name in a declarator, and
// the function declarator if it declares a function.
func functionName(n node) (path []string, last, function node) {
	for n.ok() {
		switch n.kind() {
		case "function_declarator":
			function = n
			n = n.get("declarator")
		case "pointer_declarator", "reference_declarator", "parenthesized_declarator", "array_declarator", "init_declarator", "attributed_declarator":
			next := n.get("declarator")
			if !next.ok() {
				next = n.part(0)
			}
			n = next
		case "qualified_identifier":
			if scope := lastPart(n.get("scope")); scope.ok() {
				path = append(path, scope.string())
			}
			n = n.get("name")
		case "template_function", "template_method":
			n = n.get("name")
		default:
			return path, n, function
		}
	}
	return path, n, function
}

func (c *cppReader) readFunction(n node, a around) {
	path, last, function := functionName(n.get("declarator"))
	if !last.ok() || !function.ok() {
		c.visitAll(n, a)
		return
	}
	own := strings.Join(strings.Fields(last.string()), "")
	inner := a
	sort := symbol.Func
	if a.class != "" {
		sort = symbol.Method
	}
	if len(path) > 0 { // a member defined outside its class
		class := a.prefix + strings.Join(path, ".")
		inner.prefix, inner.class, inner.self = class+".", class, &Expr{Op: Self, Name: class}
		sort = symbol.Method
		if known := c.class(class); known.Of == nil {
			if _, here := c.byName[class]; !here {
				known.Of = a.scope.find(path[0])
				for _, name := range path[1:] {
					known.Of = member(known.Of, name)
				}
			}
		}
	}
	full := c.declare(inner, declaration{node: n, own: own, sort: sort, exported: !isStatic(n) || a.class != ""})
	c.moveSpot(full, last)
	known := &Function{Local: isStatic(n) && a.class == "", Result: c.typed(n.get("type"), a)}
	c.places.Funcs[full] = known
	if inner.class != "" {
		c.class(inner.class).method(own, full)
	} else {
		c.put(inner, own, full)
	}
	code := around{scope: a.scope.inner(), from: full, prefix: full + ".", function: true, class: inner.class, self: inner.self}
	for parameter := range function.get("parameters").parts() {
		known.Most++
		if parameter.is("parameter_declaration") {
			known.Least++
		} else if !parameter.is("optional_parameter_declaration") {
			known.Most = 1 << 20
		}
		if name, _ := declaredName(parameter.get("declarator")); name.ok() {
			code.scope.set(name.string(), c.typed(parameter.get("type"), code))
		} else if reference := parameter.get("declarator").child("identifier"); reference.ok() {
			code.scope.set(reference.string(), c.typed(parameter.get("type"), code))
		}
	}
	c.visitAll(n.child("field_initializer_list"), code)
	c.visitAll(n.get("body"), code)
}

func (c *cppReader) readDeclaration(n node, a around) {
	if type_ := n.get("type"); type_.get("body").ok() {
		c.readClass(type_, a)
	}
	for declarator := range n.childrenByField("declarator") {
		_, last, function := functionName(declarator)
		switch {
		case !last.ok():
		case function.ok() && a.scope != nil && a.function:
		case function.ok():
			if a.class == "" && c.places.Names[last.string()] == nil {
				c.places.Names[last.string()] = &Expr{Op: Extern, Name: last.string()}
			}
		case a.class != "" && !a.function:
			c.class(a.class).field(last.string(), c.typed(n.get("type"), a))
		case a.function:
			holds := c.typed(n.get("type"), a)
			if value := declarator.get("value"); value.is("new_expression") {
				holds = c.typed(value.get("type"), a)
			}
			a.scope.set(last.string(), holds)
		}
		c.visit(declarator.get("value"), a)
		c.visitAll(declarator.get("arguments"), a)
	}
	if value := n.get("default_value"); value.ok() {
		c.visit(value, a)
	}
}

func (c *cppReader) readCall(n node, a around) {
	function, count := n.get("function"), countArguments(n.get("arguments"))
	switch function.kind() {
	case "identifier":
		c.call(a, a.bare(function.string()), function, count, false)
	case "qualified_identifier", "template_function":
		c.call(a, c.expr(function, a), lastPart(function), count, false)
	case "field_expression":
		c.call(a, c.expr(function, a), function.get("field"), count, false)
	}
	c.visitAll(n, a)
}

// bare returns the Expr of an unqualified name: a local name, else a member of the class
// around or a name of the file.
func (a around) bare(name string) *Expr {
	holds := a.scope.find(name)
	if holds.Op != Name || a.class == "" {
		return holds
	}
	return &Expr{Op: First, Args: []*Expr{member(&Expr{Op: Self, Name: a.class}, name), holds}}
}

func (c *cppReader) compute(n node, a around) *Expr {
	switch n.kind() {
	case "identifier", "namespace_identifier", "type_identifier":
		return a.bare(n.string())
	case "this":
		if a.self != nil {
			return a.self
		}
	case "qualified_identifier":
		if !n.get("scope").ok() {
			return &Expr{Op: Name, Name: n.get("name").string()}
		}
		scope := c.typeName(n.get("scope"), a)
		for name := n.get("name"); ; name = name.get("name") {
			if !name.is("qualified_identifier") {
				return member(scope, lastPart(name).string())
			}
			scope = member(scope, lastPart(name.get("scope")).string())
		}
	case "template_function":
		return c.expr(n.get("name"), a)
	case "field_expression":
		return member(c.expr(n.get("argument"), a), lastPart(n.get("field")).string())
	case "call_expression":
		return result(c.expr(n.get("function"), a))
	case "parenthesized_expression", "pointer_expression":
		return c.expr(n.part(0), a)
	case "new_expression":
		return c.typed(n.get("type"), a)
	}
	return unknown
}

func (c *cppReader) typeName(n node, a around) *Expr {
	switch n.kind() {
	case "type_identifier", "namespace_identifier", "identifier":
		return a.scope.find(n.string())
	case "template_type":
		return c.typeName(n.get("name"), a)
	case "qualified_identifier":
		return c.expr(n, a)
	}
	return unknown
}

func (c *cppReader) typed(n node, a around) *Expr {
	switch n.kind() {
	case "type_identifier", "qualified_identifier":
		return valueOf(c.typeName(n, a))
	case "template_type":
		name := n.get("name").string()
		if first := n.get("arguments").part(0).get("type"); first.ok() && strings.HasSuffix(name, "_ptr") {
			return c.typed(first, a)
		}
		return valueOf(c.typeName(n, a))
	case "type_descriptor":
		return c.typed(n.get("type"), a)
	}
	return unknown
}
