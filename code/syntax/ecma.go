package syntax

import (
	"regexp"
	"strings"
	"sync"

	"hence/code/symbol"
)

// ecmaReader reads TypeScript and JavaScript.
type ecmaReader struct {
	*build
	clauses map[string]bool // names in export clauses; nil until exportedLater
}

var testFile = regexp.MustCompile(`(^|/)(__tests__|tests?|spec|e2e)/|[._-](test|spec|bench)\.[cm]?[jt]sx?$`)

func readECMA(b *build) {
	e := &ecmaReader{build: b}
	b.reader, b.test, b.isDoc, b.places.Exports = e, testFile.MatchString(b.file.Path), anyComment, map[string]*Expr{}
	root := b.tree.root()
	b.file.Doc = fileDoc(root)
	e.visitAll(root, around{})
	e.exportNamed()
}

// fileDoc returns the first /** comment at the beginning of a file that is not a licence;
// "" if it belongs to the first declaration.
func fileDoc(root node) string {
	first := root.part(0)
	for child := range root.children() {
		if !isComment(child) {
			return ""
		}
		text := child.string()
		if !strings.HasPrefix(text, "/**") || licence().MatchString(text) {
			continue
		}
		if first.ok() && gap(root, child.end(), first.start()) <= 1 && !first.is("import_statement") {
			return ""
		}
		return plainComment(text)
	}
	return ""
}

var licence = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)@license|copyright|licen[sc]ed under|SPDX-`) })

// visit reads the declarations and calls in a statement or expression.
func (e *ecmaReader) visit(n node, a around) {
	if e.visitDeclared(n, n, a) {
		return
	}
	switch n.kind() {
	case "import_statement":
		e.readImport(n, a)
	case "export_statement":
		e.readExport(n, a)
	case "statement_block", "switch_body", "for_statement", "for_in_statement", "catch_clause", "class_static_block":
		e.readBlock(n, a)
	case "arrow_function", "function_expression", "generator_function", "method_definition":
		e.readBody(n, a.unbound(n), nil)
	case "call_expression":
		e.readCall(n, a)
	case "new_expression":
		e.readNew(n, a)
	case "jsx_opening_element", "jsx_self_closing_element":
		e.readElement(n, a)
	case "assignment_expression":
		e.readAssignment(n, a)
	case "identifier", "shorthand_property_identifier", "member_expression":
		e.readValue(n, a)
	case "if_statement", "ternary_expression":
		e.readCondition(n, n.get("condition"), n.get("consequence"), a)
	case "binary_expression":
		if n.get("operator").is("&&") {
			e.readCondition(n, n.get("left"), n.get("right"), a)
			return
		}
		e.visitAll(n, a)
	case "return_statement":
		if a.gives != nil {
			*a.gives = append(*a.gives, e.expr(n.part(0), a))
		}
		e.visitAll(n, a)
	case "type_annotation", "type_arguments", "type_parameters", "type_query", "jsx_closing_element", "decorator", "comment", "string":
	default:
		e.visitAll(n, a)
	}
}

// visitDeclared reads a declaration; whole is the export or declare statement around it, if
// any, else the same node. It reports whether the node is a declaration.
func (e *ecmaReader) visitDeclared(whole, n node, a around) bool {
	switch n.kind() {
	case "function_declaration", "generator_function_declaration", "function_signature":
		e.readFunction(whole, n, a, "")
	case "class_declaration", "abstract_class_declaration", "class":
		e.readClass(whole, n, a, "")
	case "interface_declaration":
		e.readInterface(whole, n, a)
	case "type_alias_declaration":
		e.readAlias(whole, n, a)
	case "enum_declaration":
		e.readEnum(whole, n, a)
	case "internal_module", "module":
		e.readNamespace(whole, n, a)
	case "lexical_declaration", "variable_declaration":
		e.readVariables(whole, n, a)
	case "ambient_declaration":
		for child := range n.parts() {
			if !e.visitDeclared(whole, child, a) { // declare global
				e.visitAll(child, a)
			}
		}
	default:
		return false
	}
	return true
}

// put binds a name to its value in the present scope, which may be the file's.
func (e *ecmaReader) put(a around, name string, holds *Expr) {
	if a.scope != nil {
		a.scope.set(name, holds)
	} else if known := e.places.Names[name]; known == nil || known.Op != Declared {
		e.places.Names[name] = holds
	}
	if a.exported {
		if a.prefix == "" {
			e.places.Exports[name] = &Expr{Op: Name, Name: name}
		}
	}
}

// putDeclared binds a name to a declaration in the present scope and as a member of the
// namespace around.
func (e *ecmaReader) putDeclared(a around, own, name string) {
	e.put(a, own, declaredExpr(name))
	if a.class != "" && a.self == nil {
		e.class(a.class).method(own, name)
	}
}

func (e *ecmaReader) readImport(n node, a around) {
	source := textOf(n.get("source"))
	clause := n.child("import_clause")
	if required := n.child("import_require_clause"); required.ok() {
		source = textOf(required.get("source"))
		e.put(a, required.child("identifier").string(), importedExpr(source, "="))
	}
	if source == "" {
		return
	}
	e.imports(source, "", n)
	for child := range clause.parts() {
		switch child.kind() {
		case "identifier":
			e.put(a, child.string(), importedExpr(source, "default"))
		case "namespace_import":
			e.put(a, child.part(0).string(), importedExpr(source, "*"))
		case "named_imports":
			for specifier := range child.parts() {
				name := textOf(specifier.get("name"))
				as := specifier.get("alias")
				if !as.ok() {
					as = specifier.get("name")
				}
				e.put(a, as.string(), importedExpr(source, name))
			}
		}
	}
}

// readExport reads any form of export statement.
func (e *ecmaReader) readExport(n node, a around) {
	source := textOf(n.get("source"))
	if source != "" {
		e.imports(source, "", n)
	}
	outer := a
	outer.exported = a.prefix == "" || a.exported
	if d := n.get("declaration"); d.ok() {
		if n.child("default").ok() {
			e.readDefault(n, d, a)
			return
		}
		if !e.visitDeclared(n, d, outer) {
			e.visit(d, outer)
		}
		return
	}
	if value := n.get("value"); value.ok() {
		e.readDefault(n, value, a)
		return
	}
	if a.prefix != "" {
		return
	}
	for child := range n.children() {
		switch child.kind() {
		case "*":
			if space := n.child("namespace_export"); !space.ok() {
				e.places.Again = append(e.places.Again, importedExpr(source, "*"))
			}
		case "namespace_export":
			e.places.Exports[textOf(child.part(0))] = importedExpr(source, "*")
		case "export_clause":
			e.readClause(child, source)
		case "=":
			e.places.Exports["="] = e.expr(n.part(0), a)
		}
	}
	if !n.child("export_clause").ok() && source == "" {
		e.visitAll(n, a)
	}
}

// readClause reads the clause of export { a as b } [from source]; source may be "".
func (e *ecmaReader) readClause(clause node, source string) {
	for specifier := range clause.parts() {
		name := textOf(specifier.get("name"))
		as := name
		if alias := specifier.get("alias"); alias.ok() {
			as = textOf(alias)
		}
		if source != "" {
			e.places.Exports[as] = importedExpr(source, name)
		} else {
			e.places.Exports[as] = &Expr{Op: Name, Name: name}
		}
	}
}

// readDefault reads export default.
func (e *ecmaReader) readDefault(whole, n node, a around) {
	a.exported = false
	switch n.kind() {
	case "function_declaration", "generator_function_declaration", "function_signature", "function_expression", "arrow_function", "generator_function":
		name := e.readFunction(whole, n, a, "default")
		e.places.Exports["default"] = declaredExpr(name)
	case "class_declaration", "abstract_class_declaration", "class":
		name := e.readClass(whole, n, a, "default")
		e.places.Exports["default"] = declaredExpr(name)
	case "interface_declaration":
		e.readInterface(whole, n, a)
		e.places.Exports["default"] = &Expr{Op: Name, Name: n.get("name").string()}
	case "object":
		name := e.declare(a, declaration{whole: whole, node: n, body: n, own: "default", sort: symbol.Const, exported: true})
		e.readObject(n, name, a)
		e.places.Exports["default"] = declaredExpr(name)
	default:
		e.places.Exports["default"] = e.expr(n, a)
		e.visitUnlessName(n, a)
	}
}

// exportNamed marks as exported the declarations that export clauses name, and the methods
// of exported declarations, except private ones (#name).
func (e *ecmaReader) exportNamed() {
	for _, holds := range e.places.Exports {
		name := holds.Name
		if holds.Op == Name {
			if own := e.places.Names[name]; own != nil && own.Op == Declared {
				name = own.Name
			}
		} else if holds.Op != Declared {
			continue
		}
		if at, ok := e.byName[name]; ok {
			e.found[at].Exported = true
		}
	}
	for i := range e.found {
		outer, _, nested := strings.Cut(e.found[i].Name, ".")
		if at, ok := e.byName[outer]; nested && ok && e.found[at].Exported && e.found[i].Sort == symbol.Method {
			e.found[i].Exported = e.found[i].Exported || !strings.HasPrefix(e.found[i].own, "#")
		}
	}
}

// textOf returns the text of a name, or the content of a string.
func textOf(n node) string {
	if n.is("string") {
		return n.child("string_fragment").string()
	}
	return n.string()
}

func (e *ecmaReader) readEnum(whole, n node, a around) {
	own := n.get("name").string()
	name := e.declare(a, declaration{whole: whole, node: n, own: own, sort: symbol.Type, exported: a.exported, merge: true})
	e.class(name)
	e.putDeclared(a, own, name)
}

// readNamespace reads a namespace. The names that it declares become members of a class.
func (e *ecmaReader) readNamespace(whole, n node, a around) {
	own := textOf(n.get("name"))
	if whole.is("ambient_declaration") || n.get("name").is("string") || !n.get("body").ok() {
		if n.get("name").is("string") { // declare module "x"
			e.visitAll(n.get("body"), around{scope: a.scope.inner()})
			return
		}
	}
	if n.parent().is("expression_statement") && whole.at == n.at {
		whole = n.parent()
	}
	name := e.declare(a, declaration{whole: whole, node: n, own: own, sort: symbol.Type, exported: a.exported, merge: true})
	e.putDeclared(a, own, name)
	e.class(name)
	inner := around{scope: a.scope.inner(), prefix: name + ".", class: name, from: name, exported: false}
	e.hoist(n.get("body"), inner)
	e.visitAll(n.get("body"), inner)
}

// testWords are the functions that declare tests and groups of tests.
var testWords = []string{"it", "test", "describe", "context", "suite", "bench"}
