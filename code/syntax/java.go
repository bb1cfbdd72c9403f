package syntax

import (
	"cmp"
	"strings"

	"hence/code/symbol"
	"hence/internal/lists"
	"hence/internal/pattern"
)

// java is the table of Java.
var java = &language{
	tests:   pattern.Lazy(`(^|/)src/(test|androidTest|integrationTest)/|(Test|Tests|IT)\.java$`),
	isDoc:   blockComment,
	isEmpty: func(n node) bool { return n.is("null_literal") },
	doc: func(root node) string {
		if doc := docBefore(root.child("package_declaration"), blockComment); !licence().MatchString(doc) {
			return doc
		}
		return ""
	},
	visits: byKind(map[string]visitor{
		"package_declaration": func(b *build, n node, _ around) { b.places.Space = n.part(0).string() },
		"import_declaration":  javaImport,
		"class_declaration interface_declaration enum_declaration record_declaration annotation_type_declaration":        javaClass,
		"method_declaration constructor_declaration compact_constructor_declaration annotation_type_element_declaration": javaMethod,
		"field_declaration constant_declaration": javaField,
		"block for_statement switch_block_statement_group switch_rule try_statement try_with_resources_statement constructor_body": visitScope,
		"local_variable_declaration": func(b *build, n node, a around) {
			b.visitAll(n, a)
			for declarator := range n.childrenByField("declarator") {
				a.scope.set(declarator.get("name").string(), b.declaredType(n, declarator.get("value"), a))
			}
		},
		"enhanced_for_statement": func(b *build, n node, a around) {
			inner := a.enter(a.scope.inner())
			holds := b.declaredType(n, n.get("value"), a)
			if n.get("type").string() == "var" {
				holds = element(holds)
			}
			inner.scope.set(n.get("name").string(), holds)
			b.visitAll(n, inner)
		},
		"catch_clause": func(b *build, n node, a around) {
			inner := a.enter(a.scope.inner())
			parameter := n.child("catch_formal_parameter")
			inner.scope.set(parameter.get("name").string(), b.typed(parameter.child("catch_type").part(0), a))
			b.visitAll(n.get("body"), inner)
		},
		"resource": func(b *build, n node, a around) {
			b.visitAll(n, a)
			a.scope.set(n.get("name").string(), b.declaredType(n, n.get("value"), a))
		},
		"instanceof_expression": func(b *build, n node, a around) {
			b.visitAll(n, a)
			a.scope.set(n.get("name").string(), b.typed(n.get("right"), a))
		},
		"lambda_expression": func(b *build, n node, a around) {
			inner := a.enter(a.scope.inner())
			b.bind(n.get("parameters"), unknown, inner)
			b.visit(n.get("body"), inner)
		},
		"method_invocation": func(b *build, n node, a around) {
			b.call(a, javaCallee(b, n, a), n.get("name"), countArguments(n.get("arguments")), false)
			b.visit(n.get("object"), a)
			b.visit(n.get("arguments"), a)
		},
		"object_creation_expression": javaNew,
		"explicit_constructor_invocation": func(b *build, n node, a around) { // this(…) and super(…)
			if target := n.get("constructor"); a.class != "" {
				of := &Expr{Op: Self, Name: a.class}
				if target.is("super") {
					of = &Expr{Op: Super, Name: a.class}
				}
				b.call(a, member(of, "<new>"), target, countArguments(n.get("arguments")), true)
			}
			b.visitAll(n, a)
		},
		"method_reference": func(b *build, n node, a around) { // Class::method
			b.visit(n.part(0), a)
			if name := n.part(1); name.is("identifier") {
				b.use(a.from, member(b.expr(n.part(0), a), name.string()), name)
			}
		},
		"line_comment block_comment type_arguments": visitNothing,
	}),
	values: byKind(map[string]valuer{
		"identifier type_identifier": func(b *build, n node, a around) *Expr { return javaName(b, n.string(), a, false) },
		"this":                       valueOfSelf,
		"super":                      valueOfSuper,
		"field_access":               memberOf("object", "field"),
		"method_invocation":          func(b *build, n node, a around) *Expr { return result(javaCallee(b, n, a)) },
		"object_creation_expression cast_expression": typeIn("type"),
		"parenthesized_expression":                   valueOfPart,
		"array_access":                               func(b *build, n node, a around) *Expr { return element(b.expr(n.get("array"), a)) },
		"ternary_expression":                         valueOfBranch,
		"assignment_expression":                      valueIn("right"),
		"string_literal":                             literalOf("String"),
	}),
	types: byKind(map[string]valuer{
		"type_identifier scoped_type_identifier": func(b *build, n node, a around) *Expr {
			if holds := a.scope.find(n.string()); n.is("type_identifier") && holds.Op == Lambda {
				return holds.Of
			}
			return valueOf(javaTypeName(b, n, a))
		},
		"generic_type": func(b *build, n node, a around) *Expr {
			return valueOf(javaTypeName(b, n.part(0), a), b.typedAll(n.child("type_arguments"), a)...)
		},
		"wildcard":   typeOfPart,
		"array_type": listOf("List"),
		"annotated_type": func(b *build, n node, a around) *Expr {
			for part := range n.parts() {
				if !part.is("marker_annotation", "annotation") {
					return b.typed(part, a)
				}
			}
			return unknown
		},
	}),
	patterns: byKind(map[string]binder{
		"identifier":                            bindName,
		"formal_parameters inferred_parameters": bindEach,
		"formal_parameter":                      func(b *build, n node, holds *Expr, a around) { b.bind(n.get("name"), holds, a) },
	}),
}

func javaImport(b *build, n node, _ around) {
	name := n.child("scoped_identifier", "identifier").string()
	space, last := cutLast(name)
	star, holds := importedExpr(name, "*"), importedExpr(space, last)
	if n.child("static").ok() {
		above, class := cutLast(space)
		star, holds = holds, member(importedExpr(above, class), last)
	}
	if n.child("asterisk").ok() {
		b.places.Stars = append(b.places.Stars, star)
		return
	}
	b.imports(name, "", holds, n)
	b.places.Names[last] = holds
}

func cutLast(name string) (before, last string) {
	at := strings.LastIndexByte(name, '.')
	return name[:max(at, 0)], name[at+1:]
}

// isModified reports whether a declaration has one of several modifiers or annotations.
func isModified(n node, words ...string) bool {
	for child := range n.child("modifiers").children() {
		for _, word := range words {
			if child.is(word) || child.is("marker_annotation", "annotation") && child.get("name").string() == word {
				return true
			}
		}
	}
	return false
}

var javaSorts = map[string]symbol.Sort{"interface_declaration": symbol.Interface, "annotation_type_declaration": symbol.Interface, "enum_declaration": symbol.Type}

func javaClass(b *build, n node, a around) {
	own := n.get("name").string()
	sort := cmp.Or(javaSorts[n.kind()], symbol.Class)
	name := b.declare(a, declaration{node: n, own: own, sort: sort, exported: isModified(n, "public") || a.exported && a.self == nil})
	if a.class != "" && !a.function {
		b.class(a.class).Members[own] = declaredExpr(name)
	} else if a.scope != nil {
		a.scope.set(own, declaredExpr(name))
	} else {
		b.places.Names[own] = declaredExpr(name)
	}
	c := b.class(name)
	inner := b.generics(n, a)
	for _, up := range []struct {
		types node
		rel   string
	}{{n.get("superclass"), "extends"}, {n.get("interfaces").child("type_list"), ""}, {n.child("extends_interfaces").child("type_list"), "extends"}} {
		for type_ := range up.types.parts() {
			c.Parents = append(c.Parents, Parent{javaTypeName(b, type_, inner), up.rel})
		}
	}
	for parameter := range n.get("parameters").parts() { // of a record
		c.field(parameter.get("name").string(), b.typed(parameter.get("type"), inner))
	}
	body := inner.within(name)
	body.scope, body.exported = inner.scope.inner(), n.is("interface_declaration")
	for _, outer := range b.outers(name) {
		for member, holds := range b.class(outer).Members {
			if holds.Op == Declared && b.places.Classes[holds.Name] != nil {
				body.scope.names[member] = holds
			}
		}
	}
	javaHoist(n.get("body"), body)
	b.visitAll(n.get("body"), body)
}

// javaHoist adds the names of the classes in a body to its scope.
func javaHoist(body node, a around) {
	for child := range body.parts() {
		if child.is("enum_body_declarations") {
			javaHoist(child, a)
		}
		if child.is("class_declaration", "interface_declaration", "enum_declaration", "record_declaration") {
			own := child.get("name").string()
			a.scope.names[own] = declaredExpr(a.name(own))
		}
	}
}

// outers returns a class and the classes around it, the innermost first.
func (b *build) outers(class string) []string {
	all := []string{}
	for class != "" {
		if b.places.Classes[class] != nil {
			all = append(all, class)
		}
		class, _ = cutLast(class)
	}
	return all
}

func javaMethod(b *build, n node, a around) {
	own := n.get("name").string()
	name := b.declare(a, declaration{node: n, own: own, sort: symbol.Method, test: isModified(n, "Test", "ParameterizedTest"), exported: a.exported || isModified(n, "public", "protected")})
	c := b.class(a.class)
	c.method(own, name)
	if n.is("constructor_declaration", "compact_constructor_declaration") {
		c.method("<new>", name)
	}
	inner := b.generics(n, a)
	known := &Function{Bodiless: !n.get("body").ok()}
	b.places.Funcs[name] = known
	if type_ := n.get("type"); type_.ok() {
		known.Result = b.typed(type_, inner)
	}
	code := around{scope: inner.scope.inner(), from: name, prefix: name + ".", function: true, self: a.self, class: a.class}
	for parameter := range n.get("parameters").parts() {
		switch parameter.kind() {
		case "formal_parameter":
			known.Least++
			known.Most++
			code.scope.set(parameter.get("name").string(), b.typed(parameter.get("type"), code))
		case "spread_parameter":
			known.Most = -1
			code.scope.set(parameter.child("variable_declarator").get("name").string(), made("List", b.typed(parameter.part(0), code)))
		}
	}
	b.visitAll(n.child("modifiers"), a)
	b.visitAll(n.get("body"), code)
}

func javaField(b *build, n node, a around) {
	inInterface := n.is("constant_declaration")
	constant := inInterface || isModified(n, "static") && isModified(n, "final") && isModified(n, "public")
	for declarator := range n.childrenByField("declarator") {
		own := declarator.get("name").string()
		holds := b.typed(n.get("type"), a)
		inner := a
		if constant {
			name := b.declare(a, declaration{node: n, own: own, sort: symbol.Const, exported: true})
			b.class(name).Holds = holds
			holds, inner.from = declaredExpr(name), name
		}
		b.class(a.class).field(own, holds)
		b.visit(declarator.get("value"), inner)
	}
}

// javaTypeName returns the class that a type names.
func javaTypeName(b *build, n node, a around) *Expr {
	switch n.kind() {
	case "type_identifier", "identifier":
		if holds := a.scope.find(n.string()); holds.Op == Name {
			return javaFindClass(b, n.string(), a)
		} else if holds.Op != Lambda {
			return holds
		}
	case "generic_type", "annotated_type":
		return javaTypeName(b, n.part(0), a)
	case "scoped_type_identifier":
		return member(javaTypeName(b, n.part(0), a), n.part(1).string())
	}
	return unknown
}

// javaFindClass returns a class by its name: a class of the file, else a member of a class
// around, which may inherit it.
func javaFindClass(b *build, name string, a around) *Expr {
	all := []*Expr{{Op: Name, Name: name}}
	if a.class == "" {
		return all[0]
	}
	for _, class := range b.outers(a.class) {
		if class != a.class {
			all = append(all, member(declaredExpr(class), name))
		}
	}
	return &Expr{Op: First, Args: all}
}

// javaName returns the value of an unqualified name: a local variable, else a member of a
// class around or a name of the file. For a function it skips local variables.
func javaName(b *build, name string, a around, function bool) *Expr {
	holds := a.scope.find(name)
	if holds.Op != Name && !function {
		return holds
	}
	all := lists.Map(b.outers(a.class), func(class string) *Expr { return member(&Expr{Op: Self, Name: class}, name) })
	return &Expr{Op: First, Args: append(all, &Expr{Op: Name, Name: name})}
}

func javaCallee(b *build, n node, a around) *Expr {
	if object := n.get("object"); object.ok() {
		return member(b.expr(object, a), n.get("name").string())
	}
	return javaName(b, n.get("name").string(), a, true)
}

func javaNew(b *build, n node, a around) {
	name := n.get("type")
	for name.is("generic_type", "scoped_type_identifier") {
		if name.is("generic_type") {
			name = name.part(0)
		} else {
			name = name.part(1)
		}
	}
	b.call(a, javaTypeName(b, n.get("type"), a), name, countArguments(n.get("arguments")), true)
	b.visit(n.get("arguments"), a)
	javaAnonymous(b, n.child("class_body"), a)
}

// javaAnonymous reads an anonymous class. The calls in its methods count as calls of the
// declaration around it.
func javaAnonymous(b *build, body node, a around) {
	for child := range body.parts() {
		inner := around{scope: a.scope.inner(), from: a.from, class: a.class, function: true, prefix: a.prefix}
		if !child.is("method_declaration") {
			b.visitAll(child, inner)
			continue
		}
		for parameter := range child.get("parameters").parts() {
			inner.scope.set(parameter.get("name").string(), b.typed(parameter.get("type"), a))
		}
		// A call of a method by its bare name refers to the anonymous class itself.
		for method := range body.parts() {
			if method.is("method_declaration") {
				inner.scope.set(method.get("name").string(), unknown)
			}
		}
		b.visitAll(child.get("body"), inner)
	}
}
