package syntax

import (
	"regexp"
	"strings"

	"hence/code/symbol"
)

// cReader reads C.
type cReader struct{ *build }

var cTestFile = regexp.MustCompile(`(^|/)tests?/|(^|/)test_[^/]*$|_tests?\.[ch]$`)

func readC(b *build) {
	c := &cReader{build: b}
	b.reader, b.test, b.isDoc = c, cTestFile.MatchString(b.file.Path), anyComment
	b.file.Doc = fileDoc(b.tree.root())
	c.visitAll(b.tree.root(), around{})
}

func (c *cReader) visit(n node, a around) {
	switch n.kind() {
	case "preproc_include":
		at := n.get("path")
		if text := strings.Trim(at.string(), `"<>`); text != "" {
			c.imports(text, "", at)
		}
	case "function_definition":
		c.readFunction(n, a)
	case "declaration":
		c.readDeclaration(n, a)
	case "type_definition":
		c.readTypedef(n, a)
	case "struct_specifier", "union_specifier", "enum_specifier":
		c.readStruct(n, n, a)
	case "compound_statement", "for_statement":
		c.visitAll(n, a.enter(a.scope.inner()))
	case "call_expression":
		if function := n.get("function"); function.is("identifier") {
			c.call(a, a.scope.find(function.string()), function, countArguments(n.get("arguments")), false)
			c.visit(n.get("arguments"), a)
			return
		}
		c.visitAll(n, a)
	case "identifier":
		c.use(a.from, a.scope.find(n.string()), n)
	case "preproc_def", "preproc_function_def", "comment":
	default:
		c.visitAll(n, a)
	}
}

// declaredName returns the name in a declarator, and the function declarator if it declares
// a function.
func declaredName(n node) (name, function node) {
	pointer := false
	for n.ok() {
		switch n.kind() {
		case "identifier", "type_identifier", "field_identifier":
			if n.string() == "" { // the parser inserted it
				return node{}, node{}
			}
			return n, function
		case "function_declarator":
			if !pointer {
				function = n
			}
			n = n.get("declarator")
		case "parenthesized_declarator":
			inner := n.part(0)
			if inner.is("pointer_declarator") { // a pointer to a function is a variable
				function = node{}
				pointer = true
			}
			n = inner
		case "pointer_declarator", "array_declarator", "init_declarator", "attributed_declarator":
			next := n.get("declarator")
			if !next.ok() {
				next = n.part(0)
			}
			n = next
		default:
			return node{}, node{}
		}
	}
	return node{}, node{}
}

func isStatic(n node) bool {
	for child := range n.children() {
		if child.is("storage_class_specifier") && child.string() == "static" {
			return true
		}
	}
	return false
}

func (c *cReader) readFunction(n node, a around) {
	name, function := declaredName(n.get("declarator"))
	if !name.ok() || !function.ok() {
		c.visitAll(n, a)
		return
	}
	own := name.string()
	full := c.declare(a, declaration{node: n, own: own, sort: symbol.Func, exported: !isStatic(n), test: strings.HasPrefix(own, "test_")})
	c.moveSpot(full, name)
	if known := c.places.Names[own]; known == nil || known.Op != Declared {
		c.places.Names[own] = declaredExpr(full)
	}
	c.places.Funcs[full] = &Function{Most: -1, Local: isStatic(n)}
	inner := around{scope: a.scope.inner(), from: full, prefix: full + ".", function: true}
	for parameter := range function.get("parameters").parts() {
		if name, _ := declaredName(parameter.get("declarator")); name.ok() {
			inner.scope.set(name.string(), unknown)
		}
	}
	c.readStructs(n.get("type"), a)
	c.visitAll(n.get("body"), inner)
}

// readStructs declares the struct, union or enum that a type defines with a body, if any.
func (c *cReader) readStructs(type_ node, a around) {
	if type_.is("struct_specifier", "union_specifier", "enum_specifier") {
		c.readStruct(type_, type_, a)
	}
}

func (c *cReader) readDeclaration(n node, a around) {
	c.readStructs(n.get("type"), a)
	for declarator := range n.childrenByField("declarator") {
		name, function := declaredName(declarator)
		if !name.ok() {
			continue
		}
		own := name.string()
		switch {
		case a.scope != nil:
			if !function.ok() {
				a.scope.set(own, unknown)
			}
		case function.ok():
			if c.places.Names[own] == nil {
				c.places.Names[own] = &Expr{Op: Extern, Name: own}
			}
		default:
			c.readVariable(n, declarator, name, a)
		}
		if value := declarator.get("value"); value.ok() {
			inner := a
			if _, ok := c.byName[own]; ok && a.scope == nil {
				inner.from = own
			}
			c.visit(value, inner)
		}
	}
}

func (c *cReader) readVariable(n, declarator, name node, a around) {
	own := name.string()
	if c.places.Names[own] == nil {
		c.places.Names[own] = unknown
	}
	extern := n.child("storage_class_specifier").string() == "extern" && !declarator.is("init_declarator")
	if isStatic(n) || extern {
		return
	}
	if _, known := c.byName[own]; known {
		return
	}
	sort := symbol.Var
	if n.child("type_qualifier").string() == "const" {
		sort = symbol.Const
	}
	d := declaration{node: n, own: own, sort: sort, exported: true}
	if value := declarator.get("value"); value.end()-value.start() > signatureSize || value.is("initializer_list") {
		d.body = value
	}
	c.moveSpot(c.declare(a, d), name)
}

func (c *cReader) readTypedef(n node, a around) {
	type_ := n.get("type")
	for declarator := range n.childrenByField("declarator") {
		name, _ := declaredName(declarator)
		if !name.ok() {
			continue
		}
		own := name.string()
		// typedef struct x { … } x; is one type.
		if type_.get("name").string() == own && type_.get("body").ok() {
			c.readStruct(n, type_, a)
			return
		}
		c.readStructs(type_, a)
		full := c.declare(a, declaration{node: n, body: type_.get("body"), own: own, sort: symbol.Type, exported: true, merge: true})
		c.moveSpot(full, name)
		return
	}
}

func (c *cReader) readStruct(whole, n node, a around) {
	name := n.get("name")
	if !name.ok() || !n.get("body").ok() || a.function {
		return
	}
	c.declare(a, declaration{whole: whole, node: n, own: name.string(), sort: symbol.Type, exported: true, doc: docBefore(outermost(whole), anyComment), merge: true})
	for field := range n.get("body").parts() {
		c.readStructs(field.get("type"), a)
	}
}

// outermost returns the declaration around a type, else the type.
func outermost(n node) node {
	if n.parent().is("declaration", "type_definition") {
		return n.parent()
	}
	return n
}
