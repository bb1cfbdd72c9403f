package syntax

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"hence/code/symbol"
)

// pythonReader reads Python.
type pythonReader struct {
	*build
	later     map[string]*Expr // values of the declared variables of the module, by name
	overloads map[int]bool     // declarations marked with @overload, by index in found
}

var pythonTestFile = regexp.MustCompile(`(^|/)(tests?/|test_[^/]*\.py$|[^/]*_test\.py$|conftest\.py$)`)

func readPython(b *build) {
	p := &pythonReader{build: b, later: map[string]*Expr{}, overloads: map[int]bool{}}
	b.reader, b.blocks, b.test = p, true, pythonTestFile.MatchString(b.file.Path)
	root := b.tree.root()
	b.file.Doc = docString(root)
	p.visitAll(root, around{})
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

func (p *pythonReader) visit(n node, a around) {
	switch n.kind() {
	case "import_statement", "import_from_statement", "future_import_statement":
		p.readImport(n, a)
	case "class_definition":
		p.readClass(n, n, a)
	case "function_definition":
		p.readFunction(n, n, a)
	case "decorated_definition":
		p.readDecorated(n, a)
	case "assignment":
		p.readAssignment(n, a)
	case "augmented_assignment":
		p.assignPattern(n.get("left"), unknown, a)
		p.visit(n.get("right"), a)
	case "named_expression":
		p.assign(n.get("name").string(), p.expr(n.get("value"), a), a)
		p.visit(n.get("value"), a)
	case "for_statement":
		p.visit(n.get("right"), a)
		p.assignPattern(n.get("left"), element(p.expr(n.get("right"), a)), a)
		p.visit(n.get("body"), a)
		p.visit(n.get("alternative"), a)
	case "with_item":
		if value := n.get("value"); value.is("as_pattern") {
			p.visit(value.part(0), a)
			p.assignPattern(value.get("alias"), derive(Await, p.expr(value.part(0), a), "enter"), a)
			return
		}
		p.visitAll(n, a)
	case "except_clause":
		if as := n.child("as_pattern"); as.ok() {
			p.assignPattern(as.get("alias"), unknown, a)
		}
		p.visitAll(n, a)
	case "if_statement", "elif_clause", "conditional_expression":
		p.readIf(n, a)
	case "lambda":
		inner := a.enter(a.scope.inner())
		p.readParameters(n.get("parameters"), inner, nil)
		p.visit(n.get("body"), inner)
	case "list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression":
		inner := a.enter(a.scope.inner())
		p.visitAll(n, p.comprehend(n, inner))
	case "for_in_clause":
		p.visit(n.get("right"), a)
	case "call":
		p.readCall(n, a)
	case "identifier":
		p.use(a.from, a.scope.find(n.string()), n)
	case "attribute":
		p.use(a.from, p.expr(n, a), n.get("attribute"))
		p.visitObject(n, a)
	case "return_statement":
		if a.gives != nil && n.part(0).ok() && !n.part(0).is("none") {
			*a.gives = append(*a.gives, p.expr(n.part(0), a))
		}
		p.visitAll(n, a)
	case "yield":
		if a.gives != nil {
			*a.gives = append(*a.gives, unknown)
		}
		p.visitAll(n, a)
	case "type", "comment", "string_content", "global_statement", "nonlocal_statement", "dotted_name":
	default:
		p.visitAll(n, a)
	}
}

// comprehend sets the names that a comprehension binds, and returns inner.
func (p *pythonReader) comprehend(n node, inner around) around {
	for clause := range n.parts() {
		if clause.is("for_in_clause") {
			holds := element(p.expr(clause.get("right"), inner))
			p.hide(clause.get("left"), inner)
			p.assignPattern(clause.get("left"), holds, inner)
		}
	}
	return inner
}

func (p *pythonReader) readImport(n node, a around) {
	module := n.get("module_name")
	if n.is("future_import_statement") {
		return
	}
	if !module.ok() {
		for name := range n.childrenByField("name") {
			if name.is("aliased_import") {
				from := name.get("name").string()
				p.imports(from, "", name)
				p.assign(name.get("alias").string(), importedExpr(from, "*"), a)
				continue
			}
			from := name.string()
			p.imports(from, "", name)
			first, _, _ := strings.Cut(from, ".")
			if a.scope != nil || p.places.Names[first] == nil { // import a.b, a.c says a twice
				p.assign(first, importedExpr(first, "*"), a)
			}
		}
		return
	}
	from := strings.Join(strings.Fields(module.string()), "")
	if n.child("wildcard_import").ok() {
		p.imports(from, "", module)
		p.places.Stars = append(p.places.Stars, importedExpr(from, "*"))
		return
	}
	for name := range n.childrenByField("name") {
		own, as := name, name
		if name.is("aliased_import") {
			own, as = name.get("name"), name.get("alias")
		}
		p.imports(from, own.string(), own)
		p.assign(as.string(), importedExpr(from, own.string()), a)
	}
}

// assign adds a value that a name is assigned. A name with several values is a Case of
// them.
func (p *pythonReader) assign(name string, holds *Expr, a around) {
	if holds == nil {
		return
	}
	for s := a.scope; s != nil; s = s.up {
		if known := s.names[name]; known != nil {
			if known.Op == Case && known.From == "assigned" {
				known.Args = append(known.Args, holds)
			}
			return
		}
	}
	if a.scope != nil {
		a.scope.names[name] = &Expr{Op: Case, From: "assigned", Args: []*Expr{holds}}
		return
	}
	known := p.places.Names[name]
	switch {
	case known == nil:
		p.places.Names[name] = &Expr{Op: Case, From: "assigned", Args: []*Expr{holds}}
	case known.Op == Case && known.From == "assigned":
		known.Args = append(known.Args, holds)
	case p.later[name] != nil:
		p.later[name].Args = append(p.later[name].Args, holds)
	case known.Op == Declared:
		p.places.Names[name] = &Expr{Op: Case, From: "assigned", Args: []*Expr{known, holds}}
	}
}

// declareName binds a name to a function or class.
func (p *pythonReader) declareName(own, name string, a around) {
	if a.scope != nil {
		if known := a.scope.names[own]; known == nil || known.Op != Declared {
			a.scope.names[own] = declaredExpr(name)
		}
		return
	}
	switch known := p.places.Names[own]; {
	case known == nil:
		p.places.Names[own] = declaredExpr(name)
	case known.Op == Case && known.From == "assigned":
		known.Args = append(known.Args, declaredExpr(name))
	}
}

// assignPattern assigns the parts of a value to the names of a pattern.
func (p *pythonReader) assignPattern(n node, holds *Expr, a around) {
	switch n.kind() {
	case "identifier":
		p.assign(n.string(), holds, a)
	case "attribute":
		p.visit(n.get("object"), a)
		p.assignField(n, holds, a)
	case "pattern_list", "tuple_pattern", "list_pattern", "tuple", "list", "expression_list", "as_pattern_target", "parenthesized_expression":
		place := 0
		for part := range n.parts() {
			if n.is("as_pattern_target", "parenthesized_expression") {
				p.assignPattern(part, holds, a)
			} else {
				p.assignPattern(part, derive(At, holds, strconv.Itoa(place)), a)
			}
			place++
		}
	case "list_splat_pattern":
		p.assignPattern(n.part(0), unknown, a)
	default:
		p.visitAll(n, a)
	}
}

// assignField adds a value that self.name is assigned.
func (p *pythonReader) assignField(n node, holds *Expr, a around) {
	object := p.expr(n.get("object"), a)
	if object.Op != Self && object.Op != Declared || holds == nil {
		return
	}
	c := p.places.Classes[object.Name]
	own := n.get("attribute").string()
	if c == nil {
		return
	}
	known := c.Members[own]
	switch {
	case known == nil:
		c.Members[own] = &Expr{Op: Case, From: "assigned", Args: []*Expr{holds}}
	case known.Op == Case && known.From == "assigned":
		known.Args = append(known.Args, holds)
	}
}

func (p *pythonReader) readAssignment(n node, a around) {
	left, right := n.get("left"), n.get("right")
	if right.is("lambda") && left.is("identifier") && !a.function && !n.get("type").ok() {
		p.readLambda(n, left, right, a)
		return
	}
	inner, own := a, p.declareVariable(n, left, a)
	if own != "" {
		inner.from = own
	}
	p.visit(right, inner)
	var holds *Expr
	if type_ := n.get("type"); type_.ok() {
		holds = p.valueOfType(type_, a)
		p.annotate(left, holds, a)
		p.holdVariable(own)
		return
	}
	if !right.is("none") {
		holds = p.expr(right, a)
	}
	if right.is("assignment") {
		holds = p.expr(right.get("right"), a)
	}
	if a.class != "" && !a.function && left.is("identifier") {
		c := p.class(a.class)
		if c.Members[left.string()] == nil && holds != nil {
			c.Members[left.string()] = &Expr{Op: Case, From: "assigned", Args: []*Expr{holds}}
		}
		a.scope.set(left.string(), unknown)
		return
	}
	p.assignPattern(left, holds, a)
	p.holdVariable(own)
}

// annotate binds a name to a value of its declared type, in place of assigned values.
func (p *pythonReader) annotate(left node, holds *Expr, a around) {
	switch {
	case left.is("attribute"):
		if object := p.expr(left.get("object"), a); object.Op == Self {
			p.class(object.Name).Members[left.get("attribute").string()] = holds
		}
	case !left.is("identifier"):
	case a.class != "" && !a.function:
		p.class(a.class).Members[left.string()] = holds
	case a.scope != nil:
		if known := a.scope.names[left.string()]; known != nil && known != unknown {
			*known = *holds
		}
		a.scope.names[left.string()] = holds
	default:
		p.places.Names[left.string()] = holds
	}
}

// declareVariable declares a public variable of the module, if an assignment is its first, and
// returns its name; else "".
func (p *pythonReader) declareVariable(n, left node, a around) string {
	own := left.string()
	if a.scope != nil || a.function || !left.is("identifier") || strings.HasPrefix(own, "_") || !n.parent().is("expression_statement") {
		return ""
	}
	if _, known := p.byName[own]; known || !n.parent().parent().is("module") {
		return ""
	}
	sort := symbol.Var
	if strings.ToUpper(own) == own {
		sort = symbol.Const
	}
	d := declaration{node: n, own: own, sort: sort, exported: true, doc: docBefore(n.parent(), anyComment)}
	if right := n.get("right"); right.end()-right.start() > signatureSize {
		d.body = right
	}
	return p.declare(a, d)
}

// holdVariable moves the value of a declared variable from its name to its declaration, where
// assign adds the values of later assignments.
func (p *pythonReader) holdVariable(own string) {
	if own == "" {
		return
	}
	holds := p.places.Names[own]
	if holds == nil {
		holds = unknown
	}
	p.class(own).Holds, p.places.Names[own] = holds, declaredExpr(own)
	if holds.From == "assigned" {
		p.later[own] = holds
	}
}

// readIf reads a node with a condition. If the condition is isinstance(x, C), x is an
// instance of C in the consequence.
func (p *pythonReader) readIf(n node, a around) {
	condition, then := n.get("condition"), n.get("consequence")
	inner := a
	if condition.is("call") && condition.get("function").string() == "isinstance" {
		arguments := condition.get("arguments")
		if name := arguments.part(0); name.is("identifier") && arguments.part(1).is("identifier", "attribute") && then.ok() {
			inner.scope = a.scope.inner()
			inner.scope.set(name.string(), valueOf(p.expr(arguments.part(1), a)))
		}
	}
	p.visitCondition(n, then, a, inner)
}

func isTestName(own string) bool {
	return strings.HasPrefix(own, "test_")
}

func isNone(n node) bool { return n.is("none") }

func isPublic(own string) bool {
	return !strings.HasPrefix(own, "_") || strings.HasPrefix(own, "__") && strings.HasSuffix(own, "__")
}

// decorators returns the names of the decorators of a definition, without arguments.
func decorators(n node) []string {
	all := []string{}
	for child := range n.parts() {
		if child.is("decorator") {
			value := child.part(0)
			if value.is("call") {
				value = value.get("function")
			}
			all = append(all, value.string())
		}
	}
	return all
}

func isDecorated(all []string, names ...string) bool {
	return slices.ContainsFunc(all, func(name string) bool {
		return slices.Contains(names, name[strings.LastIndexByte(name, '.')+1:])
	})
}

// readLambda reads name = lambda outside functions, and declares it as a function.
func (p *pythonReader) readLambda(n, left, right node, a around) {
	own := left.string()
	d := declaration{node: n, body: right.get("body"), own: own, sort: symbol.Func, exported: isPublic(own), test: isTestName(own), doc: docBefore(n.parent(), anyComment)}
	if a.class != "" {
		d.sort = symbol.Method
	}
	name := p.declare(a, d)
	if a.class != "" {
		p.class(a.class).method(own, name)
	} else {
		p.declareName(own, name, a)
	}
	p.places.Funcs[name] = &Function{Most: -1}
	inner := around{scope: a.scope.inner(), from: name, prefix: name + ".", function: true}
	p.readParameters(right.get("parameters"), inner, nil)
	p.visit(right.get("body"), inner)
}
