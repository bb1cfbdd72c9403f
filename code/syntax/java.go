package syntax

import (
	"regexp"
	"strings"

	"hence/code/symbol"
)

// javaReader reads Java.
type javaReader struct{ *build }

var javaTestFile = regexp.MustCompile(`(^|/)src/(test|androidTest|integrationTest)/|(Test|Tests|IT)\.java$`)

func readJava(b *build) {
	j := &javaReader{build: b}
	b.reader, b.test, b.isDoc = j, javaTestFile.MatchString(b.file.Path), blockComment
	for child := range b.tree.root().children() {
		switch child.kind() {
		case "package_declaration":
			b.places.Space = child.part(0).string()
			b.file.Doc = docBefore(child, blockComment)
			if licence().MatchString(b.file.Doc) {
				b.file.Doc = ""
			}
		case "import_declaration":
			j.readImport(child)
		default:
			j.visit(child, around{})
		}
	}
}

func (j *javaReader) readImport(n node) {
	name := n.child("scoped_identifier", "identifier").string()
	static := n.child("static").ok()
	space, last := cutLast(name)
	holds := importedExpr(space, last)
	if static {
		above, class := cutLast(space)
		holds = member(importedExpr(above, class), last)
	}
	if n.child("asterisk").ok() {
		star := importedExpr(name, "*")
		if static {
			star = importedExpr(space, last)
		}
		j.places.Stars = append(j.places.Stars, star)
		return
	}
	j.places.Imports = append(j.places.Imports, Import{From: name, Of: holds, Start: n.start(), End: n.end(), Line: j.line(n.start())})
	j.places.Names[last] = holds
}

func cutLast(name string) (before, last string) {
	at := strings.LastIndexByte(name, '.')
	return name[:max(at, 0)], name[at+1:]
}

func (j *javaReader) visit(n node, a around) {
	switch n.kind() {
	case "class_declaration", "interface_declaration", "enum_declaration", "record_declaration", "annotation_type_declaration":
		j.readClass(n, a)
	case "method_declaration", "constructor_declaration", "compact_constructor_declaration", "annotation_type_element_declaration":
		j.readMethod(n, a)
	case "field_declaration", "constant_declaration":
		j.readField(n, a)
	case "local_variable_declaration":
		j.visitAll(n, a)
		for declarator := range n.childrenByField("declarator") {
			holds := j.valueOfType(n.get("type"), a)
			if n.get("type").string() == "var" {
				holds = j.expr(declarator.get("value"), a)
			}
			a.scope.set(declarator.get("name").string(), holds)
		}
	case "block", "for_statement", "switch_block_statement_group", "switch_rule", "try_statement", "try_with_resources_statement", "constructor_body":
		j.visitAll(n, a.enter(a.scope.inner()))
	case "enhanced_for_statement":
		inner := a.enter(a.scope.inner())
		holds := j.valueOfType(n.get("type"), a)
		if n.get("type").string() == "var" {
			holds = element(j.expr(n.get("value"), a))
		}
		inner.scope.set(n.get("name").string(), holds)
		j.visitAll(n, inner)
	case "catch_clause":
		inner := a.enter(a.scope.inner())
		parameter := n.child("catch_formal_parameter")
		inner.scope.set(parameter.get("name").string(), j.valueOfType(parameter.child("catch_type").part(0), a))
		j.visitAll(n.get("body"), inner)
	case "resource":
		j.visitAll(n, a)
		if name := n.get("name"); name.ok() {
			holds := j.valueOfType(n.get("type"), a)
			if n.get("type").string() == "var" {
				holds = j.expr(n.get("value"), a)
			}
			a.scope.set(name.string(), holds)
		}
	case "instanceof_expression":
		j.visitAll(n, a)
		if name := n.get("name"); name.ok() && a.scope != nil {
			a.scope.set(name.string(), j.valueOfType(n.get("right"), a))
		}
	case "lambda_expression":
		inner := a.enter(a.scope.inner())
		for name := range j.lambdaNames(n) {
			inner.scope.set(name, unknown)
		}
		j.visit(n.get("body"), inner)
	case "method_invocation":
		j.readCall(n, a)
	case "object_creation_expression":
		j.readNew(n, a)
	case "explicit_constructor_invocation":
		j.readConstructorCall(n, a)
	case "method_reference":
		j.readReference(n, a)
	case "line_comment", "block_comment", "type_arguments":
	default:
		j.visitAll(n, a)
	}
}

// readConstructorCall reads this(…) and super(…).
func (j *javaReader) readConstructorCall(n node, a around) {
	if target := n.get("constructor"); a.class != "" {
		of := &Expr{Op: Self, Name: a.class}
		if target.is("super") {
			of = &Expr{Op: Super, Name: a.class}
		}
		j.call(a, member(of, "<new>"), target, countArguments(n.get("arguments")), true)
	}
	j.visitAll(n, a)
}

// readReference reads Class::method.
func (j *javaReader) readReference(n node, a around) {
	j.visit(n.part(0), a)
	if name := n.part(1); name.is("identifier") {
		j.use(a.from, member(j.expr(n.part(0), a), name.string()), name)
	}
}

func (j *javaReader) lambdaNames(n node) map[string]bool {
	names := map[string]bool{}
	parameters := n.get("parameters")
	if parameters.is("identifier") {
		names[parameters.string()] = true
	}
	for part := range parameters.parts() {
		if part.is("identifier") {
			names[part.string()] = true
		} else if name := part.get("name"); name.ok() {
			names[name.string()] = true
		}
	}
	return names
}

func (j *javaReader) modifier(n node, word string) bool {
	for child := range n.child("modifiers").children() {
		if child.is(word) || child.is("marker_annotation", "annotation") && child.get("name").string() == word {
			return true
		}
	}
	return false
}

var javaSorts = map[string]symbol.Sort{"interface_declaration": symbol.Interface, "annotation_type_declaration": symbol.Interface, "enum_declaration": symbol.Type}

func (j *javaReader) readClass(n node, a around) {
	own := n.get("name").string()
	sort := javaSorts[n.kind()]
	if sort == "" {
		sort = symbol.Class
	}
	name := j.declare(a, declaration{node: n, own: own, sort: sort, exported: j.modifier(n, "public") || a.exported && a.self == nil})
	if a.class != "" && !a.function {
		j.class(a.class).Members[own] = declaredExpr(name)
	} else if a.scope != nil {
		a.scope.set(own, declaredExpr(name))
	} else {
		j.places.Names[own] = declaredExpr(name)
	}
	c := j.class(name)
	inner := j.generics(n, a)
	if up := n.get("superclass"); up.ok() {
		c.Parents = append(c.Parents, Parent{j.typeName(up.part(0), inner), "extends"})
	}
	if interfaces := n.get("interfaces"); interfaces.ok() {
		for type_ := range interfaces.child("type_list").parts() {
			c.Parents = append(c.Parents, Parent{Type: j.typeName(type_, inner)})
		}
	}
	for type_ := range n.child("extends_interfaces").child("type_list").parts() {
		c.Parents = append(c.Parents, Parent{j.typeName(type_, inner), "extends"})
	}
	for parameter := range n.get("parameters").parts() { // of a record
		c.field(parameter.get("name").string(), j.valueOfType(parameter.get("type"), inner))
	}
	body := around{scope: inner.scope.inner(), from: name, prefix: name + ".", class: name, self: &Expr{Op: Self, Name: name}, exported: n.is("interface_declaration")}
	for _, outer := range j.outers(name) {
		for member, holds := range j.class(outer).Members {
			if holds.Op == Declared && j.places.Classes[holds.Name] != nil {
				body.scope.names[member] = holds
			}
		}
	}
	j.hoist(n.get("body"), body)
	j.visitAll(n.get("body"), body)
}

// hoist adds the names of the classes in a body to its scope.
func (j *javaReader) hoist(body node, a around) {
	for child := range body.parts() {
		if child.is("enum_body_declarations") {
			j.hoist(child, a)
		}
		if child.is("class_declaration", "interface_declaration", "enum_declaration", "record_declaration") {
			own := child.get("name").string()
			a.scope.names[own] = declaredExpr(a.name(own))
		}
	}
}

// outers returns a class and the classes around it, the innermost first.
func (j *javaReader) outers(class string) []string {
	all := []string{}
	for class != "" {
		if j.places.Classes[class] != nil {
			all = append(all, class)
		}
		class, _ = cutLast(class)
	}
	return all
}

func (j *javaReader) generics(n node, a around) around {
	parameters := n.get("type_parameters")
	if !parameters.ok() {
		return a
	}
	a.scope = a.scope.inner()
	for parameter := range parameters.parts() {
		holds := unknown
		if bound := parameter.child("type_bound"); bound.ok() {
			holds = &Expr{Op: Lambda, Of: j.valueOfType(bound.part(0), a)}
		}
		a.scope.names[parameter.child("type_identifier", "identifier").string()] = holds
	}
	return a
}

func (j *javaReader) readMethod(n node, a around) {
	own := n.get("name").string()
	test := j.modifier(n, "Test") || j.modifier(n, "ParameterizedTest")
	name := j.declare(a, declaration{node: n, own: own, sort: symbol.Method, test: test, exported: a.exported || j.modifier(n, "public") || j.modifier(n, "protected")})
	c := j.class(a.class)
	c.method(own, name)
	if n.is("constructor_declaration", "compact_constructor_declaration") {
		c.method("<new>", name)
	}
	inner := j.generics(n, a)
	known := &Function{Bodiless: !n.get("body").ok()}
	j.places.Funcs[name] = known
	if type_ := n.get("type"); type_.ok() {
		known.Result = j.valueOfType(type_, inner)
	}
	code := around{scope: inner.scope.inner(), from: name, prefix: name + ".", function: true, self: a.self, class: a.class}
	for parameter := range n.get("parameters").parts() {
		switch parameter.kind() {
		case "formal_parameter":
			known.Least++
			known.Most++
			code.scope.set(parameter.get("name").string(), j.valueOfType(parameter.get("type"), code))
		case "spread_parameter":
			known.Most = -1
			code.scope.set(parameter.child("variable_declarator").get("name").string(), valueOf(&Expr{Op: Name, Name: "List"}, j.valueOfType(parameter.part(0), code)))
		}
	}
	j.visitAll(n.child("modifiers"), a)
	j.visitAll(n.get("body"), code)
}

func (j *javaReader) readField(n node, a around) {
	c := j.class(a.class)
	constant := n.is("constant_declaration") || j.modifier(n, "static") && j.modifier(n, "final")
	public := n.is("constant_declaration") || j.modifier(n, "public")
	for declarator := range n.childrenByField("declarator") {
		own := declarator.get("name").string()
		holds := j.valueOfType(n.get("type"), a)
		inner := a
		if constant && public {
			name := j.declare(a, declaration{node: n, own: own, sort: symbol.Const, exported: true})
			j.class(name).Holds = holds
			holds, inner.from = declaredExpr(name), name
		}
		c.field(own, holds)
		j.visit(declarator.get("value"), inner)
	}
}

// typeName returns the Expr of the class that a type names.
func (j *javaReader) typeName(n node, a around) *Expr {
	switch n.kind() {
	case "type_identifier", "identifier":
		if holds := a.scope.find(n.string()); holds.Op != Lambda {
			if holds.Op == Name {
				return j.findClass(n.string(), a)
			}
			return holds
		}
	case "generic_type", "annotated_type":
		return j.typeName(n.part(0), a)
	case "scoped_type_identifier":
		return member(j.typeName(n.part(0), a), n.part(1).string())
	}
	return unknown
}

// findClass returns the Expr of a class by its name: a class of the file, else a member of
// a class around, which may inherit it.
func (j *javaReader) findClass(name string, a around) *Expr {
	all := []*Expr{{Op: Name, Name: name}}
	if a.class == "" {
		return all[0]
	}
	for _, class := range j.outers(a.class) {
		if class != a.class {
			all = append(all, member(declaredExpr(class), name))
		}
	}
	return &Expr{Op: First, Args: all}
}

func (j *javaReader) valueOfType(n node, a around) *Expr {
	switch n.kind() {
	case "type_identifier", "scoped_type_identifier":
		if holds := a.scope.find(n.string()); n.is("type_identifier") && holds.Op == Lambda {
			return holds.Of
		}
		return valueOf(j.typeName(n, a))
	case "generic_type":
		args := []*Expr{}
		for arg := range n.child("type_arguments").parts() {
			if arg.is("wildcard") {
				arg = arg.part(0)
			}
			args = append(args, j.valueOfType(arg, a))
		}
		return valueOf(j.typeName(n.part(0), a), args...)
	case "array_type":
		return valueOf(&Expr{Op: Name, Name: "List"}, j.valueOfType(n.get("element"), a))
	case "annotated_type":
		for part := range n.parts() {
			if !part.is("marker_annotation", "annotation") {
				return j.valueOfType(part, a)
			}
		}
	}
	return unknown
}

// compute returns the Expr of an expression, see build.expr.
func (j *javaReader) compute(n node, a around) *Expr {
	switch n.kind() {
	case "identifier", "type_identifier":
		return j.readName(n.string(), a, false)
	case "this":
		if a.self != nil {
			return a.self
		}
	case "super":
		if a.class != "" {
			return &Expr{Op: Super, Name: a.class}
		}
	case "field_access":
		return member(j.expr(n.get("object"), a), n.get("field").string())
	case "method_invocation":
		return result(j.callee(n, a))
	case "object_creation_expression":
		return j.valueOfType(n.get("type"), a)
	case "cast_expression":
		return j.valueOfType(n.get("type"), a)
	case "parenthesized_expression":
		return j.expr(n.part(0), a)
	case "array_access":
		return element(j.expr(n.get("array"), a))
	case "ternary_expression":
		return j.either(n.get("consequence"), n.get("alternative"), a, func(n node) bool { return n.is("null_literal") })
	case "assignment_expression":
		return j.expr(n.get("right"), a)
	case "string_literal":
		return valueOf(&Expr{Op: Name, Name: "String"})
	}
	return unknown
}

// readName returns the Expr of an unqualified name: a local variable, else a member of a
// class around or a name of the file. For a function it skips local variables.
func (j *javaReader) readName(name string, a around, function bool) *Expr {
	holds := a.scope.find(name)
	if holds.Op != Name && !function {
		return holds
	}
	all := []*Expr{}
	if a.class != "" {
		for _, class := range j.outers(a.class) {
			all = append(all, member(&Expr{Op: Self, Name: class}, name))
		}
	}
	return &Expr{Op: First, Args: append(all, &Expr{Op: Name, Name: name})}
}

func (j *javaReader) callee(n node, a around) *Expr {
	if object := n.get("object"); object.ok() {
		return member(j.expr(object, a), n.get("name").string())
	}
	return j.readName(n.get("name").string(), a, true)
}

func (j *javaReader) readCall(n node, a around) {
	j.call(a, j.callee(n, a), n.get("name"), countArguments(n.get("arguments")), false)
	j.visit(n.get("object"), a)
	j.visit(n.get("arguments"), a)
}

func (j *javaReader) readNew(n node, a around) {
	type_ := n.get("type")
	name := type_
	for name.is("generic_type", "scoped_type_identifier") {
		if name.is("generic_type") {
			name = name.part(0)
		} else {
			name = name.part(1)
		}
	}
	j.call(a, j.typeName(type_, a), name, countArguments(n.get("arguments")), true)
	j.visit(n.get("arguments"), a)
	if body := n.child("class_body"); body.ok() {
		j.readAnonymous(body, a)
	}
}

// readAnonymous reads an anonymous class. The calls in its methods count as calls of the
// declaration around it.
func (j *javaReader) readAnonymous(body node, a around) {
	for child := range body.parts() {
		if !child.is("method_declaration") {
			j.visitAll(child, around{scope: a.scope.inner(), from: a.from, class: a.class, self: nil, function: true, prefix: a.prefix})
			continue
		}
		inner := around{scope: a.scope.inner(), from: a.from, class: a.class, function: true, prefix: a.prefix}
		for parameter := range child.get("parameters").parts() {
			if name := parameter.get("name"); name.ok() {
				inner.scope.set(name.string(), j.valueOfType(parameter.get("type"), a))
			}
		}
		// A call of a method by its bare name refers to the anonymous class itself.
		for method := range body.parts() {
			if method.is("method_declaration") {
				inner.scope.set(method.get("name").string(), unknown)
			}
		}
		j.visitAll(child.get("body"), inner)
	}
}
