package syntax

import (
	"strconv"
	"strings"

	"hence/code/symbol"
	"hence/internal/pattern"
)

// ecma is the table of TypeScript and JavaScript.
var ecma = &language{
	tests:   pattern.Lazy(`(^|/)(__tests__|tests?|spec|e2e)/|[._-](test|spec|bench)\.[cm]?[jt]sx?$`),
	isDoc:   anyComment,
	doc:     fileDoc,
	layout:  ecmaLayout,
	exports: true,
	end:     exportNamed,
	isEmpty: func(n node) bool {
		n = plainExpr(n)
		return n.is("null", "undefined", "false") || n.is("object", "array") && !n.part(0).ok() ||
			n.is("literal_type") && n.part(0).is("null", "undefined") || n.is("predefined_type") && n.string() == "void"
	},
	visits: byKind(map[string]visitor{
		"function_declaration generator_function_declaration function_signature class_declaration abstract_class_declaration class interface_declaration type_alias_declaration enum_declaration internal_module module lexical_declaration variable_declaration ambient_declaration": func(b *build, n node, a around) { ecmaDeclared(b, n, n, a) },
		"import_statement": ecmaImport,
		"export_statement": ecmaExport,
		"statement_block switch_body for_statement for_in_statement catch_clause class_static_block": ecmaBlock,
		"arrow_function function_expression generator_function method_definition": func(b *build, n node, a around) {
			ecmaBody(b, n, a.unbound(n), nil)
		},
		"call_expression": ecmaCall,
		"new_expression":  ecmaNew,
		"jsx_opening_element jsx_self_closing_element": ecmaElement,
		"assignment_expression":                        ecmaAssignment,
		"identifier shorthand_property_identifier":     visitName,
		"member_expression": func(b *build, n node, a around) {
			b.visitObject(n, a)
			b.use(a.from, b.expr(n, a), n.get("property"))
		},
		"if_statement ternary_expression": func(b *build, n node, a around) {
			ecmaCondition(b, n, n.get("condition"), n.get("consequence"), a)
		},
		"binary_expression": func(b *build, n node, a around) {
			if n.get("operator").is("&&") {
				ecmaCondition(b, n, n.get("left"), n.get("right"), a)
			} else {
				b.visitAll(n, a)
			}
		},
		"return_statement": func(b *build, n node, a around) {
			if a.gives != nil {
				*a.gives = append(*a.gives, b.expr(n.part(0), a))
			}
			b.visitAll(n, a)
		},
		"type_annotation type_arguments type_parameters type_query jsx_closing_element decorator comment string": visitNothing,
	}),
	values: byKind(map[string]valuer{
		"identifier shorthand_property_identifier type_identifier": valueOfName,
		"this":              valueOfSelf,
		"super":             valueOfSuper,
		"member_expression": memberOf("object", "property"),
		"subscript_expression": func(b *build, n node, a around) *Expr {
			if index := n.get("index"); index.is("string") {
				return member(b.expr(n.get("object"), a), textOf(index))
			}
			return element(b.expr(n.get("object"), a))
		},
		"parenthesized_expression non_null_expression": valueOfPart,
		"as_expression satisfies_expression": func(b *build, n node, a around) *Expr {
			if n.part(1).ok() {
				return b.typed(n.part(1), a)
			}
			return b.expr(n.part(0), a) // as const
		},
		"type_assertion":  func(b *build, n node, a around) *Expr { return b.typed(n.part(0).part(0), a) },
		"call_expression": ecmaResult,
		"new_expression": func(b *build, n node, a around) *Expr {
			return valueOf(b.expr(n.get("constructor"), a), b.typedAll(n.get("type_arguments"), a)...)
		},
		"await_expression":      func(b *build, n node, a around) *Expr { return derive(Await, b.expr(n.part(0), a), "") },
		"assignment_expression": valueIn("right"),
		"binary_expression": func(b *build, n node, a around) *Expr {
			switch operator := n.get("operator"); {
			case operator.is("||", "??"):
				return b.either(n.get("left"), n.get("right"), a)
			case operator.is("&&"):
				return b.expr(n.get("right"), a)
			}
			return unknown
		},
		"ternary_expression":     valueOfBranch,
		"array":                  ecmaArray,
		"object":                 ecmaShape,
		"arrow_function":         ecmaArrow,
		"template_string string": literalOf("String"),
	}),
	types: byKind(map[string]valuer{
		"type_annotation parenthesized_type readonly_type asserts_annotation opting_type_annotation omitting_type_annotation": typeOfPart,
		"type_identifier identifier": func(b *build, n node, a around) *Expr {
			holds := a.scope.find(n.string())
			if holds.Op == Lambda {
				return holds.Of
			}
			return valueOf(holds)
		},
		"nested_type_identifier": func(b *build, n node, a around) *Expr { return valueOf(ecmaTypeName(b, n, a)) },
		"generic_type": func(b *build, n node, a around) *Expr {
			args := b.typedAll(n.get("type_arguments"), a)
			if name := n.get("name").string(); len(args) > 0 && isAmong(transparent, name) {
				return args[0]
			}
			return valueOf(ecmaTypeName(b, n, a), args...)
		},
		"predefined_type": func(_ *build, n node, _ around) *Expr {
			if n.string() == "string" {
				return made("String")
			}
			return unknown
		},
		"array_type":                            func(b *build, n node, a around) *Expr { return made("Array", b.typed(n.part(0), a)) },
		"tuple_type":                            func(b *build, n node, a around) *Expr { return made("[]", b.typedAll(n, a)...) },
		"required_parameter optional_parameter": typeIn("type"),
		"this_type":                             valueOfSelf,
		"union_type":                            func(b *build, n node, a around) *Expr { return b.union(a, n) },
		"intersection_type": func(b *build, n node, a around) *Expr {
			return &Expr{Op: Any, Args: []*Expr{b.typed(n.part(0), a), b.typed(n.part(1), a)}}
		},
		"type_query": valueOfPart,
		"lookup_type": func(b *build, n node, a around) *Expr {
			if index := n.part(1); index.is("literal_type") && index.part(0).is("string") {
				return member(b.typed(n.part(0), a), textOf(index.part(0)))
			}
			return unknown
		},
		"function_type method_signature": ecmaLambda,
		"object_type": func(b *build, n node, a around) *Expr {
			fields := map[string]*Expr{}
			for child := range n.parts() {
				switch child.kind() {
				case "property_signature":
					fields[textOf(child.get("name"))] = b.typed(child.get("type"), a)
				case "method_signature":
					fields[textOf(child.get("name"))] = b.typed(child, a)
				}
			}
			return &Expr{Op: Shape, Fields: fields}
		},
	}),
	patterns: byKind(map[string]binder{
		"identifier shorthand_property_identifier_pattern": bindName,
		"rest_pattern": bindEach,
		"object_pattern": func(b *build, n node, holds *Expr, a around) {
			for child := range n.parts() {
				switch child.kind() {
				case "shorthand_property_identifier_pattern":
					b.bind(child, member(holds, child.string()), a)
				case "pair_pattern":
					b.bind(child.get("value"), member(holds, textOf(child.get("key"))), a)
				case "object_assignment_pattern":
					b.bind(child.get("left"), member(holds, child.get("left").string()), a)
					b.visit(child.get("right"), a)
				case "rest_pattern":
					b.bind(child, unknown, a)
				}
			}
		},
		"array_pattern": func(b *build, n node, holds *Expr, a around) {
			place := 0
			for child := range n.children() {
				if child.is(",") {
					place++
				} else if child.isNamed() {
					b.bind(child, derive(At, holds, strconv.Itoa(place)), a)
				}
			}
		},
		"assignment_pattern": func(b *build, n node, holds *Expr, a around) {
			b.bind(n.get("left"), holds, a)
			b.visit(n.get("right"), a)
		},
	}),
	put: ecmaPut,
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

var licence = pattern.Lazy(`(?i)@license|copyright|licen[sc]ed under|SPDX-`)

// ecmaDeclared reads a declaration; whole is the export or declare statement around it, if
// any, else the same node.
func ecmaDeclared(b *build, whole, n node, a around) {
	switch n.kind() {
	case "function_declaration", "generator_function_declaration", "function_signature":
		ecmaFunction(b, whole, n, a, "")
	case "class_declaration", "abstract_class_declaration", "class":
		ecmaClass(b, whole, n, a, "")
	case "interface_declaration":
		ecmaInterface(b, whole, n, a)
	case "type_alias_declaration":
		ecmaAlias(b, whole, n, a)
	case "enum_declaration":
		ecmaMerged(b, whole, n, a, declaration{own: n.get("name").string(), sort: symbol.Type})
	case "internal_module", "module":
		ecmaNamespace(b, whole, n, a)
	case "lexical_declaration", "variable_declaration":
		ecmaVariables(b, whole, n, a)
	case "ambient_declaration":
		for child := range n.parts() {
			ecmaDeclared(b, whole, child, a)
		}
	case "statement_block": // declare global
		b.visitAll(n, a)
	default:
		b.visit(n, a)
	}
}

// ecmaMerged declares a name, together with earlier declarations of it, and returns its full
// name.
func ecmaMerged(b *build, whole, n node, a around, d declaration) string {
	d.whole, d.node, d.exported, d.merge = whole, n, a.exported, true
	name := b.declare(a, d)
	ecmaPutDeclared(b, a, d.own, name)
	if d.sort != symbol.Func {
		b.class(name)
	}
	return name
}

// ecmaPut binds a name to its value in the present scope, which may be the file's.
func ecmaPut(b *build, a around, name string, holds *Expr) {
	if a.scope != nil {
		a.scope.set(name, holds)
	} else if known := b.places.Names[name]; known == nil || known.Op != Declared {
		b.places.Names[name] = holds
	}
	if a.exported && a.prefix == "" {
		b.places.Exports[name] = &Expr{Op: Name, Name: name}
	}
}

// ecmaPutDeclared binds a name to a declaration in the present scope and as a member of the
// namespace around.
func ecmaPutDeclared(b *build, a around, own, name string) {
	ecmaPut(b, a, own, declaredExpr(name))
	if a.class != "" && a.self == nil {
		b.class(a.class).method(own, name)
	}
}

// specified returns the name and the local name of a part of an import or export clause.
func specified(specifier node) (name, as string) {
	name = textOf(specifier.get("name"))
	if alias := specifier.get("alias"); alias.ok() {
		return name, textOf(alias)
	}
	return name, name
}

func ecmaImport(b *build, n node, a around) {
	source := textOf(n.get("source"))
	if required := n.child("import_require_clause"); required.ok() {
		source = textOf(required.get("source"))
		ecmaPut(b, a, required.child("identifier").string(), importedExpr(source, "="))
	}
	if source == "" {
		return
	}
	b.imports(source, "", nil, n)
	for child := range n.child("import_clause").parts() {
		switch child.kind() {
		case "identifier":
			ecmaPut(b, a, child.string(), importedExpr(source, "default"))
		case "namespace_import":
			ecmaPut(b, a, child.part(0).string(), importedExpr(source, "*"))
		case "named_imports":
			for specifier := range child.parts() {
				name, as := specified(specifier)
				ecmaPut(b, a, as, importedExpr(source, name))
			}
		}
	}
}

// ecmaExport reads any form of export statement.
func ecmaExport(b *build, n node, a around) {
	source := textOf(n.get("source"))
	if source != "" {
		b.imports(source, "", nil, n)
	}
	d, value := n.get("declaration"), n.get("value")
	switch {
	case d.ok() && n.child("default").ok():
		ecmaDefault(b, n, d, a)
		return
	case d.ok():
		a.exported = a.prefix == "" || a.exported
		ecmaDeclared(b, n, d, a)
		return
	case value.ok():
		ecmaDefault(b, n, value, a)
		return
	case a.prefix != "":
		return
	}
	for child := range n.children() {
		switch child.kind() {
		case "*":
			if !n.child("namespace_export").ok() {
				b.places.Again = append(b.places.Again, importedExpr(source, "*"))
			}
		case "namespace_export":
			b.places.Exports[textOf(child.part(0))] = importedExpr(source, "*")
		case "export_clause":
			for specifier := range child.parts() {
				name, as := specified(specifier)
				b.places.Exports[as] = &Expr{Op: Name, Name: name}
				if source != "" {
					b.places.Exports[as] = importedExpr(source, name)
				}
			}
		case "=":
			b.places.Exports["="] = b.expr(n.part(0), a)
		}
	}
	if !n.child("export_clause").ok() && source == "" {
		b.visitAll(n, a)
	}
}

// ecmaDefault reads export default.
func ecmaDefault(b *build, whole, n node, a around) {
	a.exported = false
	holds := (*Expr)(nil)
	switch n.kind() {
	case "function_declaration", "generator_function_declaration", "function_signature", "function_expression", "arrow_function", "generator_function":
		holds = declaredExpr(ecmaFunction(b, whole, n, a, "default"))
	case "class_declaration", "abstract_class_declaration", "class":
		holds = declaredExpr(ecmaClass(b, whole, n, a, "default"))
	case "interface_declaration":
		ecmaInterface(b, whole, n, a)
		holds = &Expr{Op: Name, Name: n.get("name").string()}
	case "object":
		name := b.declare(a, declaration{whole: whole, node: n, body: n, own: "default", sort: symbol.Const, exported: true})
		ecmaObject(b, n, name, a)
		holds = declaredExpr(name)
	default:
		holds = b.expr(n, a)
		ecmaUnlessName(b, n, a)
	}
	b.places.Exports["default"] = holds
}

// exportNamed marks as exported the declarations that export clauses name, and the methods
// of exported declarations, except private ones (#name).
func exportNamed(b *build) {
	for _, holds := range b.places.Exports {
		name := holds.Name
		if holds.Op == Name {
			if own := b.places.Names[name]; own != nil && own.Op == Declared {
				name = own.Name
			}
		} else if holds.Op != Declared {
			continue
		}
		if at, ok := b.byName[name]; ok {
			b.found[at].Exported = true
		}
	}
	for i := range b.found {
		f := &b.found[i]
		outer, _, nested := strings.Cut(f.Name, ".")
		if at, ok := b.byName[outer]; nested && ok && b.found[at].Exported && f.Sort == symbol.Method {
			f.Exported = f.Exported || !strings.HasPrefix(f.own, "#")
		}
	}
}

// ecmaNamespace reads a namespace. The names that it declares become members of a class.
func ecmaNamespace(b *build, whole, n node, a around) {
	if n.get("name").is("string") { // declare module "x"
		b.visitAll(n.get("body"), around{scope: a.scope.inner()})
		return
	}
	if n.parent().is("expression_statement") && whole.at == n.at {
		whole = n.parent()
	}
	name := ecmaMerged(b, whole, n, a, declaration{own: n.get("name").string(), sort: symbol.Type})
	inner := around{scope: a.scope.inner(), prefix: name + ".", class: name, from: name}
	ecmaHoist(b, n.get("body"), inner)
	b.visitAll(n.get("body"), inner)
}
