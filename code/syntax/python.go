package syntax

import (
	"cmp"
	"slices"
	"strings"

	"hence/code/symbol"
	"hence/internal/pattern"
)

// python is the table of Python.
var python = &language{
	tests:   pattern.Lazy(`(^|/)(tests?/|test_[^/]*\.py$|[^/]*_test\.py$|conftest\.py$)`),
	doc:     docString,
	layout:  pythonLayout,
	blocks:  true,
	hidden:  Expr{Op: Case, From: "assigned"},
	isEmpty: func(n node) bool { return n.is("none") },
	visits: byKind(map[string]visitor{
		"import_statement import_from_statement": pythonImport,
		"class_definition":                       func(b *build, n node, a around) { pythonClass(b, n, n, a) },
		"function_definition":                    func(b *build, n node, a around) { pythonFunction(b, n, n, a) },
		"decorated_definition":                   pythonDecorated,
		"assignment":                             pythonAssignment,
		"augmented_assignment": func(b *build, n node, a around) {
			b.bind(n.get("left"), unknown, a)
			b.visit(n.get("right"), a)
		},
		"named_expression": func(b *build, n node, a around) {
			pythonAssign(b, a, n.get("name").string(), b.expr(n.get("value"), a))
			b.visit(n.get("value"), a)
		},
		"for_statement": func(b *build, n node, a around) {
			b.visit(n.get("right"), a)
			b.bind(n.get("left"), element(b.expr(n.get("right"), a)), a)
			b.visit(n.get("body"), a)
			b.visit(n.get("alternative"), a)
		},
		"with_item": func(b *build, n node, a around) {
			value := n.get("value")
			if !value.is("as_pattern") {
				b.visitAll(n, a)
				return
			}
			b.visit(value.part(0), a)
			b.bind(value.get("alias"), derive(Await, b.expr(value.part(0), a), "enter"), a)
		},
		"except_clause": func(b *build, n node, a around) {
			if as := n.child("as_pattern"); as.ok() {
				b.bind(as.get("alias"), unknown, a)
			}
			b.visitAll(n, a)
		},
		"if_statement elif_clause conditional_expression": pythonIf,
		"lambda": func(b *build, n node, a around) {
			inner := a.enter(a.scope.inner())
			pythonParameters(b, n.get("parameters"), inner, nil)
			b.visit(n.get("body"), inner)
		},
		"list_comprehension set_comprehension dictionary_comprehension generator_expression": func(b *build, n node, a around) {
			b.visitAll(n, pythonComprehend(b, n, a))
		},
		"for_in_clause": func(b *build, n node, a around) { b.visit(n.get("right"), a) },
		"call":          pythonCall,
		"identifier":    visitName,
		"attribute": func(b *build, n node, a around) {
			b.use(a.from, b.expr(n, a), n.get("attribute"))
			b.visitObject(n, a)
		},
		"return_statement": func(b *build, n node, a around) {
			if a.gives != nil && n.part(0).ok() && !n.part(0).is("none") {
				*a.gives = append(*a.gives, b.expr(n.part(0), a))
			}
			b.visitAll(n, a)
		},
		"yield": func(b *build, n node, a around) {
			if a.gives != nil {
				*a.gives = append(*a.gives, unknown)
			}
			b.visitAll(n, a)
		},
		"future_import_statement type comment string_content global_statement nonlocal_statement dotted_name": visitNothing,
	}),
	values: byKind(map[string]valuer{
		"identifier": valueOfName,
		"attribute member_type": func(b *build, n node, a around) *Expr {
			of, name := b.expr(n.get("object"), a), n.get("attribute").string()
			if name == "__class__" && of.Op == Self {
				return declaredExpr(of.Name)
			}
			return member(of, name)
		},
		"call":  pythonResult,
		"await": func(b *build, n node, a around) *Expr { return derive(Await, b.expr(n.part(0), a), "") },
		"parenthesized_expression expression_statement": valueOfPart,
		"named_expression": valueIn("value"),
		"subscript": func(b *build, n node, a around) *Expr {
			if n.get("subscript").is("slice") {
				return b.expr(n.get("value"), a)
			}
			return derive(At, b.expr(n.get("value"), a), "each")
		},
		"boolean_operator": func(b *build, n node, a around) *Expr {
			if n.get("operator").is("or") {
				return b.either(n.get("left"), n.get("right"), a)
			}
			return b.expr(n.get("right"), a)
		},
		"conditional_expression": func(b *build, n node, a around) *Expr { return b.either(n.part(0), n.part(2), a) },
		"tuple":                  func(b *build, n node, a around) *Expr { return made("[]", pythonItems(b, n, a)...) },
		"list set": func(b *build, n node, a around) *Expr {
			if items := pythonItems(b, n, a); len(items) > 0 {
				return made("list", &Expr{Op: Case, Args: items})
			}
			return made("list")
		},
		"list_comprehension set_comprehension generator_expression": func(b *build, n node, a around) *Expr {
			return b.deeper(func() *Expr { return made("list", b.expr(n.get("body"), pythonComprehend(b, n, a))) })
		},
		"string concatenated_string": literalOf("str"),
	}),
	types: byKind(map[string]valuer{
		"type parenthesized_expression": typeOfPart,
		"identifier attribute member_type": func(b *build, n node, a around) *Expr {
			if text := n.string(); (text == "Self" || strings.HasSuffix(text, ".Self")) && a.self != nil {
				return a.self
			}
			return valueOf(b.expr(n, a))
		},
		"string": func(b *build, n node, a around) *Expr {
			text := n.child("string_content").string()
			if len(text) >= 200 {
				return unknown
			}
			if t := grammars["python"]().parse([]byte(text)); t != nil {
				if first := t.root().part(0); first.is("expression_statement") {
					return b.typed(first.part(0), a)
				}
			}
			return unknown
		},
		"generic_type subscript": pythonGeneric,
		"binary_operator": func(b *build, n node, a around) *Expr {
			if n.get("operator").is("|") {
				return b.union(a, n)
			}
			return unknown
		},
		"union_type": func(b *build, n node, a around) *Expr { return b.union(a, n) },
	}),
	patterns: byKind(map[string]binder{
		"identifier": bindName,
		"attribute": func(b *build, n node, holds *Expr, a around) {
			b.visit(n.get("object"), a)
			pythonField(b, n, holds, a)
		},
		"pattern_list tuple_pattern list_pattern tuple list expression_list": bindElements,
		"as_pattern_target parenthesized_expression":                         bindEach,
		"list_splat_pattern": bindUnknown,
		"":                   func(b *build, n node, _ *Expr, a around) { b.visitAll(n, a) },
	}),
	put: pythonAssign,
}

// docString returns the docstring of a module, class or function without indentation; ""
// if there is none.
func docString(block node) string {
	first := block.part(0)
	if !first.is("expression_statement") || !first.part(0).is("string") {
		return ""
	}
	lines := strings.Split(first.part(0).child("string_content").string(), "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.ToValidUTF8(strings.TrimSpace(strings.Join(lines, "\n")), "�")
}

// isDocString reports whether Python takes a statement for the docstring around it.
func isDocString(n node) bool {
	text, block := n.part(0), n.parent()
	if !n.is("expression_statement") || !text.is("string") || !block.is("module") && !block.parent().is("function_definition", "class_definition") {
		return false
	}
	before := n.previous()
	for isComment(before) {
		before = before.previous()
	}
	return !before.isNamed() && !n.child(",").ok() && !strings.ContainsAny(text.child("string_start").string(), "bBfFtT")
}

// pythonItems returns the values of the first 20 items of a list.
func pythonItems(b *build, n node, a around) []*Expr {
	items := slices.Collect(n.parts())
	return b.exprAll(items[:min(len(items), 20)], a)
}

// pythonComprehend returns a with the names that a comprehension binds.
func pythonComprehend(b *build, n node, a around) around {
	a.scope = a.scope.inner()
	for clause := range n.parts() {
		if clause.is("for_in_clause") {
			holds := element(b.expr(clause.get("right"), a))
			b.hide(clause.get("left"), a)
			b.bind(clause.get("left"), holds, a)
		}
	}
	return a
}

func pythonImport(b *build, n node, a around) {
	module := n.get("module_name")
	from := strings.Join(strings.Fields(module.string()), "")
	if n.child("wildcard_import").ok() {
		b.imports(from, "", nil, module)
		b.places.Stars = append(b.places.Stars, importedExpr(from, "*"))
		return
	}
	for name := range n.childrenByField("name") {
		own, as := name, name
		if name.is("aliased_import") {
			own, as = name.get("name"), name.get("alias")
		}
		if module.ok() {
			b.imports(from, own.string(), nil, own)
			pythonAssign(b, a, as.string(), importedExpr(from, own.string()))
			continue
		}
		b.imports(own.string(), "", nil, name)
		first, of := as.string(), own.string()
		if own == as {
			first, _, _ = strings.Cut(of, ".")
			of = first
		}
		if own != as || a.scope != nil || b.places.Names[first] == nil { // import a.b, a.c says a twice
			pythonAssign(b, a, first, importedExpr(of, "*"))
		}
	}
}

// isAssigned adds a value to that of a variable, and reports whether it is one.
func isAssigned(known, holds *Expr) bool {
	if known == nil || known.Op != Case || known.From != "assigned" {
		return false
	}
	known.Args = append(known.Args, holds)
	return true
}

func assignedExpr(holds ...*Expr) *Expr { return &Expr{Op: Case, From: "assigned", Args: holds} }

// pythonAssign adds a value that a name is assigned. A name with several values is a Case of
// them.
func pythonAssign(b *build, a around, name string, holds *Expr) {
	if holds == nil {
		return
	}
	for s := a.scope; s != nil; s = s.up {
		if known := s.names[name]; known != nil {
			isAssigned(known, holds)
			return
		}
	}
	names := b.places.Names
	if a.scope != nil {
		names = a.scope.names
	}
	switch known := names[name]; {
	case known == nil:
		names[name] = assignedExpr(holds)
	case isAssigned(known, holds), isAssigned(b.later[name], holds):
	case known.Op == Declared:
		names[name] = assignedExpr(known, holds)
	}
}

// pythonDeclare binds a name to a function or class.
func pythonDeclare(b *build, a around, own, name string) {
	if a.scope != nil {
		if known := a.scope.names[own]; known == nil || known.Op != Declared {
			a.scope.names[own] = declaredExpr(name)
		}
	} else if known := b.places.Names[own]; known == nil {
		b.places.Names[own] = declaredExpr(name)
	} else {
		isAssigned(known, declaredExpr(name))
	}
}

// pythonField adds a value that self.name is assigned.
func pythonField(b *build, n node, holds *Expr, a around) {
	object, own := b.expr(n.get("object"), a), n.get("attribute").string()
	if object.Op != Self && object.Op != Declared || holds == nil {
		return
	}
	if c := b.places.Classes[object.Name]; c != nil && c.Members[own] == nil {
		c.Members[own] = assignedExpr(holds)
	} else if c != nil {
		isAssigned(c.Members[own], holds)
	}
}

func pythonAssignment(b *build, n node, a around) {
	left, right := n.get("left"), n.get("right")
	if right.is("lambda") && left.is("identifier") && !a.function && !n.get("type").ok() {
		pythonLambda(b, n, left, right, a)
		return
	}
	inner, own := a, pythonVariable(b, n, left, a)
	if own != "" {
		inner.from = own
	}
	b.visit(right, inner)
	var holds *Expr
	switch type_ := n.get("type"); {
	case type_.ok():
		pythonAnnotate(b, left, b.typed(type_, a), a)
		pythonHold(b, own)
		return
	case right.is("assignment"):
		holds = b.expr(right.get("right"), a)
	case !right.is("none"):
		holds = b.expr(right, a)
	}
	if a.class != "" && !a.function && left.is("identifier") {
		c := b.class(a.class)
		if c.Members[left.string()] == nil && holds != nil {
			c.Members[left.string()] = assignedExpr(holds)
		}
		a.scope.set(left.string(), unknown)
		return
	}
	b.bind(left, holds, a)
	pythonHold(b, own)
}

// pythonAnnotate binds a name to a value of its declared type, in place of assigned values.
func pythonAnnotate(b *build, left node, holds *Expr, a around) {
	name := left.string()
	switch {
	case left.is("attribute"):
		if object := b.expr(left.get("object"), a); object.Op == Self {
			b.class(object.Name).Members[left.get("attribute").string()] = holds
		}
	case !left.is("identifier"):
	case a.class != "" && !a.function:
		b.class(a.class).Members[name] = holds
	case a.scope != nil:
		if known := a.scope.names[name]; known != nil && known != unknown {
			*known = *holds
		}
		a.scope.names[name] = holds
	default:
		b.places.Names[name] = holds
	}
}

// pythonVariable declares a public variable of the module, if an assignment is its first, and
// returns its name; else "".
func pythonVariable(b *build, n, left node, a around) string {
	own := left.string()
	if _, known := b.byName[own]; known || a.scope != nil || a.function || !left.is("identifier") || strings.HasPrefix(own, "_") || !n.parent().is("expression_statement") || !n.parent().parent().is("module") {
		return ""
	}
	d := declaration{node: n, value: n.get("right"), own: own, sort: symbol.Var, exported: true, doc: docBefore(n.parent(), anyComment)}
	if strings.ToUpper(own) == own {
		d.sort = symbol.Const
	}
	return b.declare(a, d)
}

// pythonHold moves the value of a declared variable from its name to its declaration, where
// pythonAssign adds the values of later assignments.
func pythonHold(b *build, own string) {
	if own == "" {
		return
	}
	holds := cmp.Or(b.places.Names[own], unknown)
	b.class(own).Holds, b.places.Names[own] = holds, declaredExpr(own)
	if holds.From == "assigned" {
		b.later[own] = holds
	}
}

// pythonIf reads a node with a condition. If the condition is isinstance(x, C), x is an
// instance of C in the consequence.
func pythonIf(b *build, n node, a around) {
	condition, then := n.get("condition"), n.get("consequence")
	inner := a
	if condition.is("call") && condition.get("function").string() == "isinstance" {
		arguments := condition.get("arguments")
		if name := arguments.part(0); name.is("identifier") && arguments.part(1).is("identifier", "attribute") && then.ok() {
			inner.scope = a.scope.inner()
			inner.scope.set(name.string(), valueOf(b.expr(arguments.part(1), a)))
		}
	}
	b.visitCondition(n, then, a, inner)
}

func isPublic(own string) bool {
	return !strings.HasPrefix(own, "_") || strings.HasPrefix(own, "__") && strings.HasSuffix(own, "__")
}

// decorators returns the names of the decorators of a definition, without arguments and what
// they are members of.
func decorators(n node) []string {
	all := []string{}
	for child := range n.parts() {
		if child.is("decorator") {
			value := child.part(0)
			if value.is("call") {
				value = value.get("function")
			}
			_, last := cutLast(value.string())
			all = append(all, last)
		}
	}
	return all
}

func isAmong(all []string, names ...string) bool {
	return slices.ContainsFunc(all, func(name string) bool { return slices.Contains(names, name) })
}

// pythonLambda reads name = lambda outside functions, and declares it as a function.
func pythonLambda(b *build, n, left, right node, a around) {
	own := left.string()
	d := declaration{node: n, body: right.get("body"), own: own, sort: symbol.Func, exported: isPublic(own), test: strings.HasPrefix(own, "test_"), doc: docBefore(n.parent(), anyComment)}
	if a.class != "" {
		d.sort = symbol.Method
	}
	name := b.declare(a, d)
	if a.class != "" {
		b.class(a.class).method(own, name)
	} else {
		pythonDeclare(b, a, own, name)
	}
	b.places.Funcs[name] = &Function{Most: -1}
	inner := around{scope: a.scope.inner(), from: name, prefix: name + ".", function: true}
	pythonParameters(b, right.get("parameters"), inner, nil)
	b.visit(right.get("body"), inner)
}

func pythonResult(b *build, n node, a around) *Expr {
	function, arguments := n.get("function"), n.get("arguments")
	first := arguments.part(0)
	switch text := function.string(); text {
	case "super":
		if a.class != "" {
			return valueOfSuper(b, n, a)
		}
	case "type":
		if first.ok() && !arguments.part(1).ok() {
			if of := b.expr(first, a); of.Op == Self {
				return declaredExpr(of.Name)
			}
			return unknown
		}
	case "cast", "typing.cast", "t.cast":
		return b.typed(first, a)
	case "list", "sorted", "reversed", "set", "tuple", "iter":
		if first.ok() && a.scope.find(text).Op == Name {
			return made("list", element(b.expr(first, a)))
		}
	case "next":
		return element(b.expr(first, a))
	case "enumerate":
		return made("list", made("[]", unknown, element(b.expr(first, a))))
	}
	return result(b.expr(function, a))
}

func pythonCall(b *build, n node, a around) {
	function, arguments := n.get("function"), n.get("arguments")
	switch {
	case function.is("attribute"):
		b.call(a, b.expr(function, a), function.get("attribute"), countArguments(arguments), false)
		b.visitObject(function, a)
	case !function.is("identifier"):
		b.visit(function, a)
	case function.string() != "super":
		b.call(a, a.scope.find(function.string()), function, countArguments(arguments), false)
	}
	for argument := range arguments.children() {
		if argument.is("keyword_argument") {
			argument = argument.get("value")
		}
		b.visit(argument, a)
	}
}
