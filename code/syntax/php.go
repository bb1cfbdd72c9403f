//go:build languages_all

package syntax

import (
	"regexp"
	"strings"

	"hence/code/symbol"
)

// phpReader reads PHP.
type phpReader struct{ *build }

var phpTestFile = regexp.MustCompile(`(^|/)[Tt]ests?/|Test\.php$`)

func readPHP(b *build) {
	p := &phpReader{build: b}
	b.reader, b.test, b.isDoc = p, phpTestFile.MatchString(b.file.Path), blockComment
	p.visitAll(b.tree.root(), around{})
}

func (p *phpReader) visit(n node, a around) {
	switch n.kind() {
	case "namespace_definition":
		if p.places.Space == "" {
			p.places.Space = dotted(n.get("name").string())
		}
		p.visitAll(n.get("body"), a)
	case "namespace_use_clause":
		p.readUse(n)
	case "class_declaration", "interface_declaration", "trait_declaration", "enum_declaration":
		p.readClass(n, a)
	case "function_definition", "method_declaration":
		p.readFunction(n, a)
	case "property_declaration":
		for property := range n.parts() {
			if property.is("property_element") {
				p.class(a.class).field(strings.TrimPrefix(property.get("name").string(), "$"), p.typed(n.get("type"), a))
			}
		}
		p.visitAll(n, a)
	case "const_declaration":
		p.readConstant(n, a)
	case "assignment_expression":
		p.visitAll(n, a)
		if left := n.get("left"); left.is("variable_name") && a.scope != nil {
			p.assign(left.string(), p.expr(n.get("right"), a), a)
		} else if left.is("member_access_expression") && left.get("object").string() == "$this" && a.class != "" {
			p.class(a.class).field(left.get("name").string(), p.expr(n.get("right"), a))
		}
	case "anonymous_function", "arrow_function":
		inner := a.enter(a.scope.inner())
		p.readParameters(n.get("parameters"), inner, node{})
		p.visit(n.get("body"), inner)
	case "function_call_expression":
		if function := n.get("function"); function.is("name", "qualified_name") {
			p.call(a, p.nameExpr(function, a), lastNameOf(function), countArguments(n.get("arguments")), false)
		}
		p.visitAll(n, a)
	case "member_call_expression", "nullsafe_member_call_expression":
		p.call(a, p.expr(n, a).Of, n.get("name"), countArguments(n.get("arguments")), false)
		p.visitAll(n, a)
	case "scoped_call_expression":
		p.call(a, member(p.scopeOf(n.get("scope"), a), n.get("name").string()), n.get("name"), countArguments(n.get("arguments")), false)
		p.visitAll(n, a)
	case "object_creation_expression":
		if class := n.child("name", "qualified_name"); class.ok() {
			p.call(a, p.nameExpr(class, a), lastNameOf(class), countArguments(n.child("arguments")), true)
		}
		p.visitAll(n, a)
	case "comment":
	default:
		p.visitAll(n, a)
	}
}

func lastNameOf(n node) node {
	last := n
	for part := range n.parts() {
		if part.is("name") {
			last = part
		}
	}
	return last
}

func dotted(name string) string {
	return strings.ReplaceAll(strings.Trim(name, `\`), `\`, ".")
}

// assign binds a local variable to a value. After a second assignment it may be either
// value.
func (p *phpReader) assign(name string, holds *Expr, a around) {
	if a.scope.names[name] != nil {
		a.scope.names[name] = &Expr{Op: Case, Args: []*Expr{a.scope.names[name], holds}}
		return
	}
	a.scope.names[name] = holds
}

func (p *phpReader) readUse(n node) {
	name := n.part(0)
	space, last := cutLast(dotted(name.string()))
	as := last
	if alias := n.get("alias"); alias.ok() {
		as = alias.string()
	}
	holds := importedExpr(space, last)
	p.places.Names[as] = holds
	p.places.Imports = append(p.places.Imports, Import{From: name.string(), Of: holds, Start: name.start(), End: name.end(), Line: p.line(name.start())})
}

func (p *phpReader) readClass(n node, a around) {
	own := n.get("name").string()
	sort := symbol.Class
	switch n.kind() {
	case "interface_declaration":
		sort = symbol.Interface
	case "enum_declaration":
		sort = symbol.Type
	}
	name := p.declare(a, declaration{node: n, own: own, sort: sort, exported: true})
	p.places.Names[own] = declaredExpr(name)
	c := p.class(name)
	for _, clause := range []string{"base_clause", "class_interface_clause"} {
		rel := "extends"
		if clause == "class_interface_clause" {
			rel = ""
		}
		for base := range n.child(clause).parts() {
			c.Parents = append(c.Parents, Parent{p.nameExpr(base, a), rel})
		}
	}
	for child := range n.get("body").parts() {
		if child.is("use_declaration") { // of traits
			for trait := range child.parts() {
				c.Parents = append(c.Parents, Parent{p.nameExpr(trait, a), "embeds"})
			}
		}
	}
	p.visitAll(n.get("body"), around{scope: a.scope.inner(), from: name, prefix: name + ".", class: name, self: &Expr{Op: Self, Name: name}})
}

func (p *phpReader) readFunction(n node, a around) {
	own := n.get("name").string()
	d := declaration{node: n, own: own, sort: symbol.Func, exported: true, test: strings.HasPrefix(own, "test")}
	if a.class != "" {
		d.sort = symbol.Method
		d.exported = n.child("visibility_modifier").string() != "private"
	}
	name := p.declare(a, d)
	if a.class != "" {
		p.class(a.class).method(own, name)
	} else if p.places.Names[own] == nil {
		p.places.Names[own] = declaredExpr(name)
	}
	known := &Function{Most: -1, Bodiless: !n.get("body").ok()}
	if type_ := n.get("return_type"); type_.ok() {
		known.Result = p.typed(type_, a)
	}
	p.places.Funcs[name] = known
	code := around{scope: a.scope.inner(), from: name, prefix: name + ".", function: true, self: a.self, class: a.class}
	p.readParameters(n.get("parameters"), code, n)
	p.visitAll(n.get("body"), code)
}

func (p *phpReader) readParameters(n node, a around, function node) {
	for parameter := range n.parts() {
		name := parameter.get("name").string()
		holds := p.typed(parameter.get("type"), a)
		a.scope.set(name, holds)
		if parameter.is("property_promotion_parameter") && a.class != "" && function.ok() {
			p.class(a.class).field(strings.TrimPrefix(name, "$"), holds)
		}
	}
}

func (p *phpReader) readConstant(n node, a around) {
	for constant := range n.parts() {
		if constant.is("const_element") && n.child("visibility_modifier").string() != "private" {
			p.declare(a, declaration{node: n, own: constant.part(0).string(), sort: symbol.Const, exported: true})
		}
	}
	p.visitAll(n, a)
}

// nameExpr returns the Expr of a name or qualified name of a class or function.
func (p *phpReader) nameExpr(n node, a around) *Expr {
	text := n.string()
	switch strings.ToLower(text) {
	case "self", "static":
		if a.class != "" {
			return declaredExpr(a.class)
		}
	}
	if strings.HasPrefix(text, `\`) {
		space, last := cutLast(dotted(text))
		return importedExpr(space, last)
	}
	if first, rest, found := strings.Cut(text, `\`); found {
		if holds := p.places.Names[first]; holds != nil && holds.Op == Imported {
			space, last := cutLast(dotted(holds.From + `\` + holds.Name + `\` + rest))
			return importedExpr(space, last)
		}
		space, last := cutLast(strings.TrimPrefix(p.places.Space+"."+dotted(text), "."))
		return importedExpr(space, last)
	}
	return &Expr{Op: Name, Name: text}
}

func (p *phpReader) scopeOf(n node, a around) *Expr {
	if n.is("relative_scope") && a.class != "" {
		if n.string() == "parent" {
			return &Expr{Op: Super, Name: a.class}
		}
		return &Expr{Op: Self, Name: a.class}
	}
	if n.is("name", "qualified_name") {
		return p.nameExpr(n, a)
	}
	return unknown
}

func (p *phpReader) compute(n node, a around) *Expr {
	switch n.kind() {
	case "variable_name":
		if n.string() == "$this" {
			if a.self != nil {
				return a.self
			}
			return unknown
		}
		if holds := a.scope.find(n.string()); holds.Op != Name {
			return holds
		}
	case "member_access_expression", "nullsafe_member_access_expression":
		return member(p.expr(n.get("object"), a), n.get("name").string())
	case "member_call_expression", "nullsafe_member_call_expression":
		callee := member(p.expr(n.get("object"), a), n.get("name").string())
		return &Expr{Op: Result, Of: callee}
	case "scoped_call_expression":
		return result(member(p.scopeOf(n.get("scope"), a), n.get("name").string()))
	case "function_call_expression":
		return result(p.nameExpr(n.get("function"), a))
	case "object_creation_expression":
		return valueOf(p.nameExpr(n.child("name", "qualified_name"), a))
	case "parenthesized_expression":
		return p.expr(n.part(0), a)
	}
	return unknown
}

func (p *phpReader) typed(n node, a around) *Expr {
	switch n.kind() {
	case "named_type":
		return valueOf(p.nameExpr(n.part(0), a))
	case "optional_type":
		return p.typed(n.part(0), a)
	}
	return unknown
}
