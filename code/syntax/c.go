package syntax

import (
	"strings"

	"hence/code/symbol"
	"hence/internal/pattern"
)

// c is the table of C.
var c = &language{
	tests: pattern.Lazy(`(^|/)tests?/|(^|/)test_[^/]*$|_tests?\.[ch]$`),
	isDoc: anyComment,
	doc:   fileDoc,
	visits: byKind(map[string]visitor{
		"preproc_include": func(b *build, n node, _ around) {
			at := n.get("path")
			if text := strings.Trim(at.string(), `"`); strings.Trim(text, "<>") != "" {
				b.imports(text, "", nil, at)
			}
		},
		"function_definition": cFunction,
		"declaration":         cDeclaration,
		"type_definition":     cTypedef,
		"struct_specifier union_specifier enum_specifier": func(b *build, n node, a around) { cStruct(b, n, n, a) },
		"compound_statement for_statement":                visitScope,
		"call_expression": func(b *build, n node, a around) {
			if function := n.get("function"); function.is("identifier") {
				b.call(a, a.scope.find(function.string()), function, countArguments(n.get("arguments")), false)
				n = n.get("arguments")
			}
			b.visitAll(n, a)
		},
		"identifier": visitName,
		"preproc_def preproc_function_def comment": visitNothing,
	}),
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
			n = n.part(0)
			if n.is("pointer_declarator") { // a pointer to a function is a variable
				function, pointer = node{}, true
			}
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

func cFunction(b *build, n node, a around) {
	name, function := declaredName(n.get("declarator"))
	if !name.ok() || !function.ok() {
		b.visitAll(n, a)
		return
	}
	own := name.string()
	full := b.declare(a, declaration{node: n, own: own, sort: symbol.Func, exported: !isStatic(n), test: strings.HasPrefix(own, "test_")})
	b.moveSpot(full, name)
	if known := b.places.Names[own]; known == nil || known.Op != Declared {
		b.places.Names[own] = declaredExpr(full)
	}
	b.places.Funcs[full] = &Function{Most: -1, Local: isStatic(n)}
	inner := around{scope: a.scope.inner(), from: full, prefix: full + ".", function: true}
	for parameter := range function.get("parameters").parts() {
		name, _ := declaredName(parameter.get("declarator"))
		inner.scope.set(name.string(), unknown)
	}
	cStructIn(b, n.get("type"), a)
	b.visitAll(n.get("body"), inner)
}

// cStructIn declares the struct, union or enum that a type defines with a body, if any.
func cStructIn(b *build, type_ node, a around) {
	if type_.is("struct_specifier", "union_specifier", "enum_specifier") {
		cStruct(b, type_, type_, a)
	}
}

func cDeclaration(b *build, n node, a around) {
	cStructIn(b, n.get("type"), a)
	for declarator := range n.childrenByField("declarator") {
		name, function := declaredName(declarator)
		if !name.ok() {
			continue
		}
		own, inner := name.string(), a
		switch {
		case a.scope != nil:
			if !function.ok() {
				a.scope.set(own, unknown)
			}
		case function.ok():
			if b.places.Names[own] == nil {
				b.places.Names[own] = &Expr{Op: Extern, Name: own}
			}
		default:
			cVariable(b, n, declarator, name, a)
		}
		if _, ok := b.byName[own]; ok && a.scope == nil {
			inner.from = own
		}
		b.visit(declarator.get("value"), inner)
	}
}

func cVariable(b *build, n, declarator, name node, a around) {
	own := name.string()
	if b.places.Names[own] == nil {
		b.places.Names[own] = unknown
	}
	extern := n.child("storage_class_specifier").string() == "extern" && !declarator.is("init_declarator")
	if _, known := b.byName[own]; known || extern || isStatic(n) {
		return
	}
	sort := symbol.Var
	if n.child("type_qualifier").string() == "const" {
		sort = symbol.Const
	}
	d := declaration{node: n, value: declarator.get("value"), own: own, sort: sort, exported: true}
	if d.value.is("initializer_list") {
		d.body = d.value
	}
	b.moveSpot(b.declare(a, d), name)
}

func cTypedef(b *build, n node, a around) {
	type_ := n.get("type")
	for declarator := range n.childrenByField("declarator") {
		name, _ := declaredName(declarator)
		if !name.ok() {
			continue
		}
		own := name.string()
		// typedef struct x { … } x; is one type.
		if type_.get("name").string() == own && type_.get("body").ok() {
			cStruct(b, n, type_, a)
			return
		}
		cStructIn(b, type_, a)
		full := b.declare(a, declaration{node: n, body: type_.get("body"), own: own, sort: symbol.Type, exported: true, merge: true})
		b.moveSpot(full, name)
		return
	}
}

func cStruct(b *build, whole, n node, a around) {
	name := n.get("name")
	if !name.ok() || !n.get("body").ok() || a.function {
		return
	}
	outermost := whole
	if whole.parent().is("declaration", "type_definition") {
		outermost = whole.parent()
	}
	b.declare(a, declaration{whole: whole, node: n, own: name.string(), sort: symbol.Type, exported: true, doc: docBefore(outermost, anyComment), merge: true})
	for field := range n.get("body").parts() {
		cStructIn(b, field.get("type"), a)
	}
}
