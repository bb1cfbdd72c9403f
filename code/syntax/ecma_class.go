package syntax

import (
	"cmp"
	"slices"
	"strings"

	"hence/code/symbol"
)

// ecmaClass reads a class and returns its full name. own is the name of a class that does
// not have one itself; "" for an anonymous class, which is not declared.
func ecmaClass(b *build, whole, n node, a around, own string) string {
	if own = cmp.Or(n.get("name").string(), own); own == "" { // an expression without a name
		ecmaMembers(b, n, "", around{scope: a.scope, from: a.from, function: a.function, prefix: a.prefix})
		return ""
	}
	name := b.declare(a, declaration{whole: whole, node: n, own: own, sort: symbol.Class, exported: a.exported, merge: true})
	if n.is("class_declaration", "abstract_class_declaration") {
		ecmaPutDeclared(b, a, own, name)
	}
	c := b.class(name)
	c.Object = false
	inner := b.generics(n, a)
	ecmaHeritage(b, n, c, inner)
	ecmaDecorators(b, n, name, a)
	if whole.at != n.at {
		ecmaDecorators(b, whole, name, a)
	}
	body := inner.within(name)
	body.exported, body.function = a.exported, a.function
	ecmaMembers(b, n, name, body)
	return name
}

func ecmaHeritage(b *build, n node, c *Class, a around) {
	extend := func(value node) {
		c.Parents = append(c.Parents, Parent{b.expr(value, a), "extends"})
		b.visit(value, a)
	}
	for child := range n.child("class_heritage").parts() {
		switch child.kind() {
		case "extends_clause":
			for value := range child.childrenByField("value") {
				extend(value)
			}
		case "implements_clause":
			for type_ := range child.parts() {
				c.Parents = append(c.Parents, Parent{Type: ecmaTypeName(b, type_, a)})
			}
		default: // JavaScript
			extend(child)
		}
	}
}

func ecmaMembers(b *build, n node, name string, a around) {
	for child := range n.get("body").parts() {
		switch child.kind() {
		case "method_definition", "method_signature", "abstract_method_signature":
			if name == "" {
				ecmaBody(b, child, around{scope: a.scope, from: a.from}, nil)
				continue
			}
			ecmaMethod(b, child, name, a)
		case "public_field_definition", "field_definition":
			ecmaField(b, child, name, a)
		default:
			b.visit(child, a)
		}
	}
}

// ecmaMethod reads a method of a class, interface or object.
func ecmaMethod(b *build, n node, class string, a around) {
	nameNode := n.get("name")
	own := textOf(nameNode)
	if nameNode.is("computed_property_name") {
		b.visit(nameNode, a)
		own = strings.Trim(own, "[]")
	}
	private := strings.HasPrefix(own, "#") || n.child("accessibility_modifier").string() == "private"
	name := b.declare(a, declaration{node: n, own: own, sort: symbol.Method, exported: a.exported && !private, merge: true})
	b.class(class).method(own, name)
	ecmaDecorators(b, n, name, a)
	ecmaHeldCode(b, n, name, a)
}

// ecmaField reads a field of a class. A field that holds a function becomes a method.
func ecmaField(b *build, n node, class string, a around) {
	nameNode, value := n.get("name"), n.get("value")
	if !nameNode.ok() {
		nameNode = n.get("property") // JavaScript
	}
	own := textOf(nameNode)
	b.visitAll(n.child("computed_property_name"), a)
	ecmaDecorators(b, n, class, a)
	switch {
	case class != "" && isFunction(value):
		name := ecmaHeld(b, value, a, a, declaration{node: n, own: own, sort: symbol.Method, exported: a.exported, merge: true})
		b.class(class).method(own, name)
		return
	case class != "":
		b.class(class).field(own, b.declaredType(n, value, a))
	}
	b.visit(value, a)
}

// ecmaDecorators reads the decorators of a declaration, which uses them. Those of a method
// stand before it.
func ecmaDecorators(b *build, n node, from string, a around) {
	all := slices.Collect(n.children())
	for before := n.previous(); before.is("decorator") || isComment(before); before = before.previous() {
		all = append(all, before)
	}
	for _, child := range all {
		if child.is("decorator") {
			b.visitDecorator(plainExpr(child.part(0)), from, a)
		}
	}
}

func ecmaInterface(b *build, whole, n node, a around) {
	name := ecmaMerged(b, whole, n, a, declaration{own: n.get("name").string(), sort: symbol.Interface})
	c, inner := b.class(name), b.generics(n, a)
	for type_ := range n.child("extends_type_clause", "extends_clause").parts() {
		c.Parents = append(c.Parents, Parent{ecmaTypeName(b, type_, inner), "extends"})
	}
	ecmaSignatures(b, n.get("body"), name, inner)
}

// ecmaSignatures reads the members of an interface or object type.
func ecmaSignatures(b *build, n node, class string, outer around) {
	a := outer.within(class)
	a.exported = outer.exported
	for child := range n.parts() {
		name := textOf(child.get("name"))
		switch child.kind() {
		case "method_signature":
			ecmaMethod(b, child, class, a)
			if known := b.places.Funcs[class+"."+name]; known != nil {
				known.Bodiless = true
			}
		case "property_signature":
			b.class(class).field(name, b.typed(child.get("type"), a))
		case "call_signature":
			members := b.class(class).Members
			if members["()"] == nil {
				members["()"], members["(…)"] = b.typed(child.get("return_type"), b.generics(child, a)), &Expr{Op: Case}
			}
			members["(…)"].Args = append(members["(…)"].Args, ecmaLambda(b, child, a))
		}
	}
}

func ecmaAlias(b *build, whole, n node, a around) {
	value := n.get("value")
	name := ecmaMerged(b, whole, n, a, declaration{own: n.get("name").string(), sort: symbol.Type, value: value})
	c, inner := b.class(name), b.generics(n, a)
	if value.is("object_type") {
		ecmaSignatures(b, value, name, inner)
	} else if c.Alias == nil {
		c.Alias = b.typed(value, inner)
	}
}
