package syntax

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"hence/code/symbol"
)

// rustReader reads Rust.
type rustReader struct {
	*build
	modules int // depth of nested modules at the present node
}

var rustTestFile = regexp.MustCompile(`(^|/)(tests|benches)/|(^|/)tests?\.rs$|_tests?\.rs$`)

func readRust(b *build) {
	r := &rustReader{build: b}
	b.reader, b.test, b.isDoc = r, rustTestFile.MatchString(b.file.Path), blockComment
	docs := []string{}
	for child := range b.tree.root().children() {
		if !isComment(child) {
			break
		}
		if strings.HasPrefix(child.string(), "//!") {
			docs = append(docs, strings.TrimRight(child.string(), "\n"))
		}
	}
	b.file.Doc = plainComment(strings.Join(docs, "\n"))
	r.visitAll(b.tree.root(), around{})
}

func (r *rustReader) visit(n node, a around) {
	switch n.kind() {
	case "use_declaration":
		r.readUse(n.get("argument"), nil, a)
	case "mod_item":
		r.readModule(n, a)
	case "function_item", "function_signature_item":
		r.readFunction(n, a)
	case "struct_item", "union_item", "enum_item":
		r.readType(n, a)
	case "trait_item":
		r.readTrait(n, a)
	case "impl_item":
		r.readImpl(n, a)
	case "type_item", "associated_type":
		r.readAlias(n, a)
	case "const_item", "static_item":
		r.readConstant(n, a)
	case "macro_definition":
		name := r.declare(a, declaration{node: n, body: n.part(1), own: n.get("name").string(), sort: symbol.Func, exported: r.isMarked(n, "macro_export")})
		r.places.Funcs[name] = &Function{Most: -1}
		r.places.Names[n.get("name").string()+"!"] = declaredExpr(name)
	case "block", "match_arm":
		r.visitAll(n, a.enter(a.scope.inner()))
	case "let_declaration":
		r.visit(n.get("value"), a)
		r.visit(n.get("alternative"), a)
		holds := r.valueOfType(n.get("type"), a)
		if !n.get("type").ok() {
			holds = r.expr(n.get("value"), a)
		}
		r.bindPattern(n.get("pattern"), holds, a)
	case "if_expression", "while_expression":
		r.visitAll(n, a.enter(a.scope.inner()))
	case "let_condition":
		r.visit(n.get("value"), a)
		r.bindPattern(n.get("pattern"), r.expr(n.get("value"), a), a)
	case "for_expression":
		inner := a.enter(a.scope.inner())
		r.visit(n.get("value"), inner)
		r.bindPattern(n.get("pattern"), element(r.expr(n.get("value"), a)), inner)
		r.visit(n.get("body"), inner)
	case "match_pattern":
		r.bindPattern(n.part(0), unknown, a)
	case "identifier", "scoped_identifier":
		r.use(a.from, r.path(n, a), lastOfPath(n))
	case "closure_expression":
		r.readClosure(n, a, nil)
	case "call_expression":
		r.readCall(n, a)
	case "macro_invocation":
		if macro := n.get("macro"); macro.is("identifier") {
			r.call(a, &Expr{Op: Name, Name: macro.string() + "!"}, macro, -1, false)
		}
		r.readTokens(n.child("token_tree"), a)
	case "type_arguments", "attribute_item", "line_comment", "block_comment":
	default:
		r.visitAll(n, a)
	}
}

// put binds a name to its value in the present scope. Only outside blocks and nested
// modules the name is one of the file.
func (r *rustReader) put(a around, name string, holds *Expr) {
	if a.class != "" && a.self == nil { // a module of the file
		if c := r.class(a.class); c.Members[name] == nil {
			c.Members[name] = holds
		}
	}
	if a.scope != nil {
		a.scope.names[name] = holds
	} else if r.places.Names[name] == nil {
		r.places.Names[name] = holds
	}
}

// path returns the Expr of a path of names, such as crate::a::B.
func (r *rustReader) path(n node, a around) *Expr {
	switch n.kind() {
	case "crate":
		return importedExpr("crate", "*")
	case "self":
		if a.self != nil {
			return a.self
		}
		return importedExpr("self", "*")
	case "super":
		if r.modules > 0 {
			return importedExpr("self", "*")
		}
		return importedExpr("super", "*")
	case "identifier", "type_identifier":
		if n.string() == "Self" && a.self != nil {
			return declaredExpr(a.class)
		}
		return a.scope.find(n.string())
	case "scoped_identifier", "scoped_type_identifier":
		if !n.get("path").ok() {
			return r.path(n.get("name"), a)
		}
		first := n.get("path")
		if first.is("self") {
			return member(importedExpr("self", "*"), n.get("name").string())
		}
		return member(r.path(first, a), n.get("name").string())
	case "generic_type", "generic_function":
		inner := n.get("type")
		if !inner.ok() {
			inner = n.get("function")
		}
		return r.path(inner, a)
	case "bracketed_type":
		return r.path(n.part(0), a)
	}
	return unknown
}

// readUse reads the argument of a use declaration. of is the module of the path before it;
// nil if there is none.
func (r *rustReader) readUse(n node, of *Expr, a around) {
	exprOf := func(n node) *Expr {
		if of == nil {
			if n.is("self") {
				return importedExpr("self", "*")
			}
			return r.path(n, around{scope: a.scope})
		}
		return r.readPath(of, n)
	}
	add := func(name string, holds *Expr) {
		if holds.Op == Name && holds.Name == name {
			return // use serde; adds nothing
		}
		r.places.Imports = append(r.places.Imports, Import{From: n.string(), Of: holds, Start: n.start(), End: n.end(), Line: r.line(n.start())})
		r.put(a, name, holds)
	}
	switch n.kind() {
	case "identifier", "self", "crate", "super":
		if n.is("self") && of != nil {
			add(of.Name, of)
			return
		}
		add(n.string(), exprOf(n))
	case "scoped_identifier":
		add(n.get("name").string(), exprOf(n))
	case "use_as_clause":
		holds := exprOf(n.get("path"))
		if n.get("path").is("self") && of != nil {
			holds = of
		}
		add(n.get("alias").string(), holds)
	case "use_wildcard":
		star := of
		if n.part(0).ok() {
			star = exprOf(n.part(0))
		}
		if star != nil {
			r.places.Imports = append(r.places.Imports, Import{From: n.string(), Of: star, Start: n.start(), End: n.end(), Line: r.line(n.start())})
			r.places.Stars = append(r.places.Stars, star)
		}
	case "use_list":
		for part := range n.parts() {
			r.readUse(part, of, a)
		}
	case "scoped_use_list":
		inner := of
		if n.get("path").ok() {
			inner = exprOf(n.get("path"))
		}
		r.readUse(n.get("list"), inner, a)
	}
}

// readPath returns the Expr of a path that begins in the module of.
func (r *rustReader) readPath(of *Expr, n node) *Expr {
	if n.is("scoped_identifier") {
		if n.get("path").ok() {
			of = r.readPath(of, n.get("path"))
		}
		return member(of, n.get("name").string())
	}
	return member(of, n.string())
}

// readModule reads a mod item, with its body or for another file.
func (r *rustReader) readModule(n node, a around) {
	own := n.get("name").string()
	if !n.get("body").ok() {
		r.places.Imports = append(r.places.Imports, Import{From: own, Of: &Expr{Op: Imported, From: "mod " + own, Name: "*"}, Start: n.start(), End: n.end(), Line: r.line(n.start())})
		r.put(a, own, &Expr{Op: Imported, From: "mod " + own, Name: "*"})
		return
	}
	name := a.name(own)
	r.put(a, own, declaredExpr(name))
	r.class(name)
	inner := around{scope: a.scope.inner(), prefix: name + ".", class: name, from: a.from}
	outerTest := r.test
	r.test = r.test || r.isMarked(n, "cfg(test)") || own == "tests"
	r.modules++
	r.visitAll(n.get("body"), inner)
	r.modules--
	r.test = outerTest
}

// isMarked reports whether an attribute before a node contains a text.
func (r *rustReader) isMarked(n node, text string) bool {
	for previous := n.previous(); previous.is("attribute_item") || isComment(previous); previous = previous.previous() {
		if previous.is("attribute_item") && strings.Contains(previous.string(), text) {
			return true
		}
	}
	return false
}

func isPub(n node) bool { return n.child("visibility_modifier").ok() }

func (r *rustReader) readFunction(n node, a around) {
	own := n.get("name").string()
	sort, exported := symbol.Func, isPub(n)
	method := a.self != nil && !a.function
	if method {
		sort, exported = symbol.Method, exported || a.exported
	}
	test := r.isMarked(n, "#[test]") || r.isMarked(n, "::test]") || r.isMarked(n, "::test(")
	name := r.declare(a, declaration{node: n, own: own, sort: sort, exported: exported, test: test})
	if method {
		r.class(a.class).method(own, name)
	} else {
		r.put(a, own, declaredExpr(name))
	}
	inner := r.generics(n, a)
	known := &Function{Most: -1, Bodiless: !n.get("body").ok(), Takes: [][]*Expr{nil}}
	r.places.Funcs[name] = known
	if returnType := n.get("return_type"); returnType.ok() {
		known.Result = r.valueOfType(returnType, inner)
	}
	code := around{scope: inner.scope.inner(), from: name, prefix: name + ".", function: true, self: a.self, class: a.class}
	for parameter := range n.get("parameters").parts() {
		if parameter.is("parameter") {
			holds := r.valueOfType(parameter.get("type"), code)
			known.Takes[0] = append(known.Takes[0], holds)
			r.bindPattern(parameter.get("pattern"), holds, code)
		}
	}
	r.visitAll(n.get("body"), code)
}

// generics returns a with the type parameters of a declaration in its scope. A value of a
// type parameter has the functions of the traits that bound it.
func (r *rustReader) generics(n node, a around) around {
	parameters := n.get("type_parameters")
	if !parameters.ok() && !n.child("where_clause").ok() {
		return a
	}
	a.scope = a.scope.inner()
	set := func(name string, bounds node) {
		all := []*Expr{}
		for bound := range bounds.parts() {
			all = append(all, valueOf(r.path(bound, a)))
		}
		if len(all) > 0 {
			a.scope.names[name] = &Expr{Op: Lambda, Of: &Expr{Op: Any, Args: all}}
		} else {
			a.scope.names[name] = unknown
		}
	}
	for parameter := range parameters.parts() {
		name := parameter.get("name")
		if !name.ok() {
			name = parameter.get("left")
		}
		if name.ok() {
			set(name.string(), parameter.get("bounds"))
		}
	}
	for predicate := range n.child("where_clause").parts() {
		if left := predicate.get("left"); left.is("type_identifier") {
			set(left.string(), predicate.get("bounds"))
		}
	}
	return a
}

func (r *rustReader) readType(n node, a around) {
	own := n.get("name").string()
	name := r.declare(a, declaration{node: n, own: own, sort: symbol.Type, exported: isPub(n)})
	r.put(a, own, declaredExpr(name))
	c := r.class(name)
	inner := r.generics(n, a)
	place := 0
	for field := range n.get("body").parts() {
		if field.is("field_declaration") {
			c.field(field.get("name").string(), r.valueOfType(field.get("type"), inner))
		} else if n.get("body").is("ordered_field_declaration_list") && !field.is("visibility_modifier", "attribute_item") {
			c.field(strconv.Itoa(place), r.valueOfType(field, inner))
			place++
		}
	}
}

func (r *rustReader) readTrait(n node, a around) {
	own := n.get("name").string()
	name := r.declare(a, declaration{node: n, own: own, sort: symbol.Interface, exported: isPub(n)})
	r.put(a, own, declaredExpr(name))
	c := r.class(name)
	inner := r.generics(n, a)
	for bound := range n.get("bounds").parts() {
		c.Parents = append(c.Parents, Parent{r.path(bound, a), "extends"})
	}
	r.visitAll(n.get("body"), around{scope: inner.scope.inner(), from: name, prefix: name + ".", class: name, self: &Expr{Op: Self, Name: name}, exported: isPub(n)})
}

// readImpl reads an impl item: functions of a type that another file may declare.
func (r *rustReader) readImpl(n node, a around) {
	inner := r.generics(n, a)
	of := n.get("type")
	for of.is("generic_type", "reference_type") {
		of = of.get("type")
	}
	own := of.string()
	if i := strings.LastIndex(own, "::"); i >= 0 {
		own = own[i+2:]
	}
	class := a.name(own)
	if !of.is("type_identifier", "scoped_type_identifier") {
		class = a.name(slug(own))
	}
	c := r.class(class)
	if _, here := r.byName[class]; !here && of.is("type_identifier", "scoped_type_identifier") {
		c.Of, c.At = r.path(of, inner), r.spotOf(of)
	}
	trait := n.get("trait")
	if trait.ok() {
		c.Parents = append(c.Parents, Parent{Type: r.path(trait, inner)})
	}
	r.visitAll(n.get("body"), around{scope: inner.scope.inner(), from: a.from, prefix: class + ".", class: class, self: &Expr{Op: Self, Name: class}, exported: trait.ok()})
}

func (r *rustReader) readAlias(n node, a around) {
	own := n.get("name").string()
	if a.self != nil && !a.function { // of a trait or impl
		r.declare(a, declaration{node: n, own: own, sort: symbol.Type, exported: a.exported})
		a.scope.names[own] = &Expr{Op: Lambda, Of: r.valueOfType(n.get("type"), a)}
		return
	}
	name := r.declare(a, declaration{node: n, own: own, sort: symbol.Type, exported: isPub(n)})
	r.put(a, own, declaredExpr(name))
	r.class(name).Alias = r.valueOfType(n.get("type"), r.generics(n, a))
}

func (r *rustReader) readConstant(n node, a around) {
	own, holds := n.get("name").string(), r.valueOfType(n.get("type"), a)
	if a.function || a.self != nil || !isPub(n) {
		r.put(a, own, holds)
		r.visit(n.get("value"), a)
		return
	}
	sort := symbol.Const
	if n.is("static_item") {
		sort = symbol.Var
	}
	d := declaration{node: n, own: own, sort: sort, exported: true}
	if value := n.get("value"); value.end()-value.start() > signatureSize {
		d.body = value
	}
	name := r.declare(a, d)
	r.put(a, own, declaredExpr(name))
	r.class(name).Holds = holds
	inner := a
	inner.from = name
	r.visit(n.get("value"), inner)
}

// rustWrappers are types that dereference to their last type argument.
var rustWrappers = []string{"Box", "Rc", "Arc", "Cow", "Pin", "Ref", "RefMut", "MutexGuard", "RwLockReadGuard", "RwLockWriteGuard", "NonNull"}

// valueOfType returns the Expr of a value of a type.
func (r *rustReader) valueOfType(n node, a around) *Expr {
	switch n.kind() {
	case "type_identifier", "scoped_type_identifier":
		if n.string() == "Self" && a.self != nil {
			return a.self
		}
		of := r.path(n, a)
		if of.Op == Lambda {
			return of.Of
		}
		return valueOf(of)
	case "reference_type", "pointer_type":
		return r.valueOfType(n.get("type"), a)
	case "dynamic_type", "abstract_type":
		return r.valueOfType(n.get("trait"), a)
	case "bounded_type", "parenthesized_type":
		return r.valueOfType(n.part(0), a)
	case "generic_type":
		args := []*Expr{}
		for arg := range n.get("type_arguments").parts() {
			if !arg.is("lifetime") {
				args = append(args, r.valueOfType(arg, a))
			}
		}
		name := n.get("type").string()
		if len(args) > 0 && slices.Contains(rustWrappers, name[strings.LastIndexByte(name, ':')+1:]) {
			return args[len(args)-1]
		}
		return valueOf(r.path(n.get("type"), a), args...)
	case "array_type":
		return valueOf(&Expr{Op: Name, Name: "Vec"}, r.valueOfType(n.get("element"), a))
	case "tuple_type":
		args := []*Expr{}
		for part := range n.parts() {
			args = append(args, r.valueOfType(part, a))
		}
		return valueOf(&Expr{Op: Name, Name: "[]"}, args...)
	}
	return unknown
}
