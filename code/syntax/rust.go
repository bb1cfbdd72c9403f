package syntax

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"hence/code/symbol"
	"hence/internal/lists"
	"hence/internal/pattern"
)

// rust is the table of Rust.
var rust = &language{
	layout: rustLayout,
	tests:  pattern.Lazy(`(^|/)(tests|benches)/|(^|/)tests?\.rs$|_tests?\.rs$`),
	isDoc:  blockComment,
	doc: func(root node) string {
		docs := []string{}
		for child := range root.children() {
			if !isComment(child) {
				break
			}
			if strings.HasPrefix(child.string(), "//!") {
				docs = append(docs, strings.TrimRight(child.string(), "\n"))
			}
		}
		return plainComment(strings.Join(docs, "\n"))
	},
	visits: byKind(map[string]visitor{
		"use_declaration":                       func(b *build, n node, a around) { rustUse(b, n.get("argument"), nil, a) },
		"mod_item":                              rustModule,
		"function_item function_signature_item": rustFunction,
		"struct_item union_item enum_item":      rustType,
		"trait_item":                            rustTrait,
		"impl_item":                             rustImpl,
		"type_item associated_type":             rustAlias,
		"const_item static_item":                rustConstant,
		"macro_definition": func(b *build, n node, a around) {
			name := b.declare(a, declaration{node: n, body: n.part(1), own: n.get("name").string(), sort: symbol.Func, exported: isMarked(n, "macro_export")})
			b.places.Funcs[name] = &Function{Most: -1}
			b.places.Names[n.get("name").string()+"!"] = declaredExpr(name)
		},
		"block match_arm if_expression while_expression": visitScope,
		"let_declaration": func(b *build, n node, a around) {
			b.visit(n.get("value"), a)
			b.visit(n.get("alternative"), a)
			b.bind(n.get("pattern"), b.declaredType(n, n.get("value"), a), a)
		},
		"let_condition": func(b *build, n node, a around) {
			b.visit(n.get("value"), a)
			b.bind(n.get("pattern"), b.expr(n.get("value"), a), a)
		},
		"for_expression": func(b *build, n node, a around) {
			inner := a.enter(a.scope.inner())
			b.visit(n.get("value"), inner)
			b.bind(n.get("pattern"), element(b.expr(n.get("value"), a)), inner)
			b.visit(n.get("body"), inner)
		},
		"match_pattern": func(b *build, n node, a around) { b.bind(n.part(0), unknown, a) },
		"identifier scoped_identifier": func(b *build, n node, a around) {
			last := n
			if n.is("scoped_identifier") {
				last = n.get("name")
			}
			b.use(a.from, rustPath(b, n, a), last)
		},
		"closure_expression": func(b *build, n node, a around) { rustClosure(b, n, a, nil) },
		"call_expression":    rustCall,
		"macro_invocation": func(b *build, n node, a around) {
			if macro := n.get("macro"); macro.is("identifier") {
				b.call(a, &Expr{Op: Name, Name: macro.string() + "!"}, macro, -1, false)
			}
			rustTokens(b, n.child("token_tree"), a)
		},
		"type_arguments attribute_item line_comment block_comment": visitNothing,
	}),
	values: byKind(map[string]valuer{
		"identifier scoped_identifier self": rustPath,
		"field_expression":                  memberOf("value", "field"),
		"call_expression":                   func(b *build, n node, a around) *Expr { return result(b.expr(rustCallee(n), a)) },
		"struct_expression":                 func(b *build, n node, a around) *Expr { return valueOf(rustPath(b, n.get("name"), a)) },
		"reference_expression":              valueIn("value"),
		"unary_expression parenthesized_expression await_expression": valueOfPart,
		"try_expression":       func(b *build, n node, a around) *Expr { return derive(Await, b.expr(n.part(0), a), "try") },
		"index_expression":     func(b *build, n node, a around) *Expr { return element(b.expr(n.part(0), a)) },
		"type_cast_expression": typeIn("type"),
	}),
	types: byKind(map[string]valuer{
		"type_identifier scoped_type_identifier": func(b *build, n node, a around) *Expr {
			if n.string() == "Self" && a.self != nil {
				return a.self
			}
			of := rustPath(b, n, a)
			if of.Op == Lambda {
				return of.Of
			}
			return valueOf(of)
		},
		"reference_type pointer_type":     typeIn("type"),
		"dynamic_type abstract_type":      typeIn("trait"),
		"bounded_type parenthesized_type": typeOfPart,
		"array_type":                      listOf("Vec"),
		"tuple_type":                      func(b *build, n node, a around) *Expr { return made("[]", b.typedAll(n, a)...) },
		"generic_type": func(b *build, n node, a around) *Expr {
			args := []*Expr{}
			for arg := range n.get("type_arguments").parts() {
				if !arg.is("lifetime") {
					args = append(args, b.typed(arg, a))
				}
			}
			name := n.get("type").string()
			if len(args) > 0 && slices.Contains(rustWrappers, name[strings.LastIndexByte(name, ':')+1:]) {
				return args[len(args)-1]
			}
			return valueOf(rustPath(b, n.get("type"), a), args...)
		},
	}),
	patterns: byKind(map[string]binder{
		"identifier": bindName,
		"mut_pattern ref_pattern reference_pattern": bindEach,
		"tuple_pattern": bindElements,
		"match_pattern or_pattern captured_pattern slice_pattern remaining_field_pattern": bindUnknown,
		"tuple_struct_pattern": func(b *build, n node, holds *Expr, a around) {
			inner := unknown
			switch n.get("type").string() {
			case "Some", "Ok":
				inner = derive(Await, holds, "try")
			}
			for part := range n.parts() {
				if part.field() != "type" {
					b.bind(part, inner, a)
				}
			}
		},
		"struct_pattern": func(b *build, n node, _ *Expr, a around) {
			class := valueOf(rustPath(b, n.get("type"), a))
			for field := range n.parts() {
				name, pattern := field.get("name"), field.get("pattern")
				if !pattern.ok() {
					pattern = name
				}
				if field.is("field_pattern") {
					b.bind(pattern, member(class, name.string()), a)
				}
			}
		},
		"shorthand_field_identifier": bindName,
	}),
	put: func(_ *build, a around, name string, holds *Expr) {
		if a.scope != nil {
			a.scope.names[name] = holds
		}
	},
}

// rustWrappers are types that dereference to their last type argument.
var rustWrappers = []string{"Box", "Rc", "Arc", "Cow", "Pin", "Ref", "RefMut", "MutexGuard", "RwLockReadGuard", "RwLockWriteGuard", "NonNull"}

// rustPut binds a name to its value in the present scope. Only outside blocks and nested
// modules the name is one of the file.
func rustPut(b *build, a around, name string, holds *Expr) {
	if a.class != "" && a.self == nil { // a module of the file
		if c := b.class(a.class); c.Members[name] == nil {
			c.Members[name] = holds
		}
	}
	if a.scope != nil {
		a.scope.names[name] = holds
	} else if b.places.Names[name] == nil {
		b.places.Names[name] = holds
	}
}

// rustPath returns the value of a path of names, such as crate::a::B.
func rustPath(b *build, n node, a around) *Expr {
	switch n.kind() {
	case "crate":
		return importedExpr("crate", "*")
	case "self":
		if a.self != nil {
			return a.self
		}
		return rustAbove(b.module, 0)
	case "super":
		return rustAbove(b.module, 1)
	case "identifier", "type_identifier":
		if n.string() == "Self" && a.self != nil {
			return declaredExpr(a.class)
		}
		return a.scope.find(n.string())
	case "scoped_identifier", "scoped_type_identifier":
		first := n.get("path")
		switch {
		case !first.ok():
			return rustPath(b, n.get("name"), a)
		case n.get("name").is("super"):
			return rustAbove(b.module, strings.Count(n.string(), "super"))
		case first.is("self"):
			a.self = nil
		}
		return member(rustPath(b, first, a), n.get("name").string())
	case "generic_type":
		return rustPath(b, n.get("type"), a)
	case "generic_function":
		return rustPath(b, n.get("function"), a)
	case "bracketed_type":
		return rustPath(b, n.part(0), a)
	}
	return unknown
}

// rustAbove returns the module that is some steps above a module within the file.
func rustAbove(module string, steps int) *Expr {
	for ; steps > 0 && module != ""; steps-- {
		module, _ = cutLast(module)
	}
	if module != "" {
		return declaredExpr(module)
	}
	return importedExpr(cmp.Or(strings.Repeat("super", steps), "self"), "*")
}

// rustUse reads the argument of a use declaration. of is the module of the path before it;
// nil if there is none.
func rustUse(b *build, n node, of *Expr, a around) {
	path := func(n node) *Expr {
		switch {
		case of == nil:
			return rustPath(b, n, around{scope: a.scope})
		case n.is("self"):
			return of
		}
		return rustBelow(of, n)
	}
	add := func(name string, holds *Expr) {
		if holds.Op != Name || holds.Name != name { // use serde; adds nothing
			b.imports(n.string(), "", holds, n)
			rustPut(b, a, name, holds)
		}
	}
	switch n.kind() {
	case "identifier", "self", "crate", "super":
		name := n.string()
		if n.is("self") && of != nil {
			name = of.Name
		}
		add(name, path(n))
	case "scoped_identifier":
		add(n.get("name").string(), path(n))
	case "use_as_clause":
		add(n.get("alias").string(), path(n.get("path")))
	case "use_wildcard":
		star := of
		if n.part(0).ok() {
			star = path(n.part(0))
		}
		if star != nil {
			b.imports(n.string(), "", star, n)
			b.places.Stars = append(b.places.Stars, star)
		}
	case "use_list":
		for part := range n.parts() {
			rustUse(b, part, of, a)
		}
	case "scoped_use_list":
		if n.get("path").ok() {
			of = path(n.get("path"))
		}
		rustUse(b, n.get("list"), of, a)
	}
}

// rustBelow returns the value of a path that begins in the module of.
func rustBelow(of *Expr, n node) *Expr {
	if n.is("scoped_identifier") {
		if n.get("path").ok() {
			of = rustBelow(of, n.get("path"))
		}
		n = n.get("name")
	}
	return member(of, n.string())
}

// rustModule reads a mod item, with its body or for another file.
func rustModule(b *build, n node, a around) {
	own := n.get("name").string()
	if !n.get("body").ok() {
		holds := importedExpr("mod "+own, "*")
		b.imports(own, "", holds, n)
		rustPut(b, a, own, holds)
		return
	}
	name := a.name(own)
	rustPut(b, a, own, declaredExpr(name))
	b.class(name)
	outer, outerTest := b.module, b.test
	b.module, b.test = name, b.test || isMarked(n, "cfg(test)") || own == "tests"
	b.visitAll(n.get("body"), around{scope: a.scope.inner(), prefix: name + ".", class: name, from: a.from})
	b.module, b.test = outer, outerTest
}

// isMarked reports whether an attribute before a node contains one of several texts.
func isMarked(n node, texts ...string) bool {
	for previous := n.previous(); previous.is("attribute_item") || isComment(previous); previous = previous.previous() {
		if previous.is("attribute_item") && slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(previous.string(), text) }) {
			return true
		}
	}
	return false
}

func isPub(n node) bool { return n.child("visibility_modifier").ok() }

func rustFunction(b *build, n node, a around) {
	own := n.get("name").string()
	d := declaration{node: n, own: own, sort: symbol.Func, exported: isPub(n), test: isMarked(n, "#[test]", "::test]", "::test(")}
	method := a.self != nil && !a.function
	if method {
		d.sort, d.exported = symbol.Method, d.exported || a.exported
	}
	name := b.declare(a, d)
	if method {
		b.class(a.class).method(own, name)
	} else {
		rustPut(b, a, own, declaredExpr(name))
	}
	inner := rustGenerics(b, n, a)
	known := &Function{Most: -1, Bodiless: !n.get("body").ok(), Takes: [][]*Expr{nil}}
	b.places.Funcs[name] = known
	if returnType := n.get("return_type"); returnType.ok() {
		known.Result = b.typed(returnType, inner)
	}
	code := around{scope: inner.scope.inner(), from: name, prefix: name + ".", function: true, self: a.self, class: a.class}
	for parameter := range n.get("parameters").parts() {
		if parameter.is("parameter") {
			holds := b.typed(parameter.get("type"), code)
			known.Takes[0] = append(known.Takes[0], holds)
			b.bind(parameter.get("pattern"), holds, code)
		}
	}
	b.visitAll(n.get("body"), code)
}

// rustGenerics returns a with the type parameters of a declaration in its scope. A value of
// a type parameter has the functions of the traits that bound it.
func rustGenerics(b *build, n node, a around) around {
	parameters, where := n.get("type_parameters"), n.child("where_clause")
	if !parameters.ok() && !where.ok() {
		return a
	}
	a.scope = a.scope.inner()
	for _, list := range []node{parameters, where} {
		for parameter := range list.parts() {
			name := parameter.get("name")
			if !name.ok() {
				name = parameter.get("left")
			}
			if !name.ok() || list.at == where.at && !name.is("type_identifier") {
				continue
			}
			all := lists.Map(slices.Collect(parameter.get("bounds").parts()), func(bound node) *Expr { return valueOf(rustPath(b, bound, a)) })
			a.scope.names[name.string()] = unknown
			if len(all) > 0 {
				a.scope.names[name.string()] = &Expr{Op: Lambda, Of: &Expr{Op: Any, Args: all}}
			}
		}
	}
	return a
}

// rustDeclare declares a type or trait, and returns its name and class.
func rustDeclare(b *build, n node, a around, sort symbol.Sort) (string, *Class) {
	own := n.get("name").string()
	name := b.declare(a, declaration{node: n, own: own, sort: sort, exported: isPub(n)})
	rustPut(b, a, own, declaredExpr(name))
	return name, b.class(name)
}

func rustType(b *build, n node, a around) {
	_, c := rustDeclare(b, n, a, symbol.Type)
	inner := rustGenerics(b, n, a)
	place := 0
	for field := range n.get("body").parts() {
		if field.is("field_declaration") {
			c.field(field.get("name").string(), b.typed(field.get("type"), inner))
		} else if n.get("body").is("ordered_field_declaration_list") && !field.is("visibility_modifier", "attribute_item") {
			c.field(strconv.Itoa(place), b.typed(field, inner))
			place++
		}
	}
}

func rustTrait(b *build, n node, a around) {
	name, c := rustDeclare(b, n, a, symbol.Interface)
	inner := rustGenerics(b, n, a)
	for bound := range n.get("bounds").parts() {
		c.Parents = append(c.Parents, Parent{rustPath(b, bound, a), "extends"})
	}
	body := inner.enter(inner.scope.inner()).within(name)
	body.exported = isPub(n)
	b.visitAll(n.get("body"), body)
}

// rustImpl reads an impl item: functions of a type that another file may declare.
func rustImpl(b *build, n node, a around) {
	inner := rustGenerics(b, n, a)
	of := n.get("type")
	for of.is("generic_type", "reference_type") {
		of = of.get("type")
	}
	own := of.string()
	own = own[strings.LastIndexByte(own, ':')+1:]
	isName := of.is("type_identifier", "scoped_type_identifier")
	class := a.name(own)
	if !isName {
		class = a.name(slug(own))
	}
	c := b.class(class)
	if _, here := b.byName[class]; !here && isName {
		c.Of, c.At = rustPath(b, of, inner), b.spotOf(of)
	}
	trait := n.get("trait")
	if trait.ok() {
		c.Parents = append(c.Parents, Parent{Type: rustPath(b, trait, inner)})
	}
	body := inner.enter(inner.scope.inner()).within(class)
	body.from, body.exported = a.from, trait.ok()
	b.visitAll(n.get("body"), body)
}

func rustAlias(b *build, n node, a around) {
	own := n.get("name").string()
	if a.self != nil && !a.function { // of a trait or impl
		b.declare(a, declaration{node: n, own: own, sort: symbol.Type, exported: a.exported})
		a.scope.names[own] = &Expr{Op: Lambda, Of: b.typed(n.get("type"), a)}
		return
	}
	_, c := rustDeclare(b, n, a, symbol.Type)
	c.Alias = b.typed(n.get("type"), rustGenerics(b, n, a))
}

func rustConstant(b *build, n node, a around) {
	own, holds, inner := n.get("name").string(), b.typed(n.get("type"), a), a
	if !a.function && a.self == nil && isPub(n) {
		d := declaration{node: n, value: n.get("value"), own: own, sort: symbol.Const, exported: true}
		if n.is("static_item") {
			d.sort = symbol.Var
		}
		inner.from = b.declare(a, d)
		b.class(inner.from).Holds = holds
		holds = declaredExpr(inner.from)
	}
	rustPut(b, a, own, holds)
	b.visit(n.get("value"), inner)
}

// rustCallee returns the function of a call without its type arguments.
func rustCallee(n node) node {
	function := n.get("function")
	if function.is("generic_function") {
		function = function.get("function")
	}
	return function
}

func rustCall(b *build, n node, a around) {
	function := rustCallee(n)
	called := func() *Expr { return b.expr(function, a) }
	switch function.kind() {
	case "identifier":
		b.call(a, called(), function, -1, false)
	case "scoped_identifier":
		b.call(a, called(), function.get("name"), -1, false)
	case "field_expression":
		b.call(a, called(), function.get("field"), -1, false)
		b.visit(function.get("value"), a)
	default:
		b.visit(function, a)
	}
	b.visitArguments(n.get("arguments"), called, a, func(closure node, values []*Expr) { rustClosure(b, closure, a, values) }, "closure_expression")
}

func rustClosure(b *build, n node, a around, parameterValues []*Expr) {
	inner := a.enter(a.scope.inner())
	place := 0
	for parameter := range n.get("parameters").parts() {
		if parameter.is("parameter") {
			b.bind(parameter.get("pattern"), b.typed(parameter.get("type"), a), inner)
		} else {
			b.bind(parameter, elementAt(parameterValues, place), inner)
		}
		place++
	}
	b.visit(n.get("body"), inner)
}

// rustTokens reads the calls in the tokens of a macro's arguments. The grammar does not
// parse them; most macros read them as expressions.
func rustTokens(b *build, n node, a around) {
	var chain *Expr // value of the expression so far
	var last node
	link := "" // . or :: after the chain
	isValue := false
	use := func() {
		if chain != nil && isValue { // a chain of names that is not called
			b.use(a.from, chain, last)
		}
		chain = nil
	}
	for child := range n.children() {
		switch {
		case child.is("identifier", "self", "crate", "super"):
			if chain != nil && link != "" {
				chain = member(chain, child.string())
			} else {
				chain = rustPath(b, child, a)
			}
			last, link, isValue = child, "", true
		case child.is(".", "::") && chain != nil:
			link = child.kind()
		case child.is("token_tree"):
			if strings.HasPrefix(child.string(), "(") && chain != nil && link == "" {
				b.call(a, chain, last, -1, false)
				chain, isValue = result(chain), false
			} else {
				use()
			}
			rustTokens(b, child, a)
		default:
			isValue = isValue && !child.is(":", "=") // not the name of a field
			use()
			link = ""
		}
	}
}
