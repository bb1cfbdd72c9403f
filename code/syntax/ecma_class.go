package syntax

import (
	"strings"

	"hence/code/symbol"
)

// readClass reads a class and returns its full name. own is the name of a class that does
// not have one itself; "" for an anonymous class, which is not declared.
func (e *ecmaReader) readClass(whole, n node, a around, own string) string {
	if name := n.get("name"); name.ok() {
		own = name.string()
	}
	if own == "" { // an expression without a name
		e.readMembers(n, "", around{scope: a.scope, from: a.from, function: a.function, prefix: a.prefix})
		return ""
	}
	name := e.declare(a, declaration{whole: whole, node: n, own: own, sort: symbol.Class, exported: a.exported, merge: true})
	if n.is("class_declaration", "abstract_class_declaration") {
		e.putDeclared(a, own, name)
	}
	c := e.class(name)
	c.Object = false
	inner := e.generics(n, a)
	e.readHeritage(n, c, inner)
	e.readDecorators(n, name, a)
	if whole.at != n.at {
		e.readDecorators(whole, name, a)
	}
	e.readMembers(n, name, around{scope: inner.scope, from: name, prefix: name + ".", self: &Expr{Op: Self, Name: name}, class: name, exported: a.exported, function: a.function})
	return name
}

func (e *ecmaReader) readHeritage(n node, c *Class, a around) {
	heritage := n.child("class_heritage")
	for child := range heritage.parts() {
		switch child.kind() {
		case "extends_clause":
			for value := range child.childrenByField("value") {
				c.Parents = append(c.Parents, Parent{e.expr(value, a), "extends"})
				e.visit(value, a)
			}
		case "implements_clause":
			for type_ := range child.parts() {
				c.Parents = append(c.Parents, Parent{Type: e.typeName(type_, a)})
			}
		default: // JavaScript
			c.Parents = append(c.Parents, Parent{e.expr(child, a), "extends"})
			e.visit(child, a)
		}
	}
}

func (e *ecmaReader) readMembers(n node, name string, a around) {
	for child := range n.get("body").parts() {
		switch child.kind() {
		case "method_definition", "method_signature", "abstract_method_signature":
			if name == "" {
				e.readBody(child, around{scope: a.scope, from: a.from}, nil)
				continue
			}
			e.readMethod(child, name, a)
		case "public_field_definition", "field_definition":
			e.readField(child, name, a)
		default:
			e.visit(child, a)
		}
	}
}

// readMethod reads a method of a class, interface or object.
func (e *ecmaReader) readMethod(n node, class string, a around) {
	nameNode := n.get("name")
	own := textOf(nameNode)
	if nameNode.is("computed_property_name") {
		e.visit(nameNode, a)
		own = strings.Trim(own, "[]")
	}
	private := strings.HasPrefix(own, "#") || n.child("accessibility_modifier").string() == "private"
	name := e.declare(a, declaration{node: n, own: own, sort: symbol.Method, exported: a.exported && !private, merge: true})
	e.class(class).method(own, name)
	e.function(n, name, a)
	e.readDecorators(n, name, a)
	e.readCode(n, name, around{scope: a.scope, self: a.self, class: a.class})
}

// readField reads a field of a class. A field that holds a function becomes a method.
func (e *ecmaReader) readField(n node, class string, a around) {
	nameNode := n.get("name")
	if !nameNode.ok() {
		nameNode = n.get("property") // JavaScript
	}
	own, value := textOf(nameNode), n.get("value")
	e.visitAll(n, a, "computed_property_name")
	e.readDecorators(n, class, a)
	if class == "" {
		e.visit(value, a)
		return
	}
	if e.isFunction(value) {
		value = plainValue(value)
		name := e.declare(a, declaration{node: n, body: value.get("body"), own: own, sort: symbol.Method, exported: a.exported, merge: true})
		e.class(class).method(own, name)
		e.readValueFunction(value, name, a)
		return
	}
	e.class(class).field(own, e.declaredType(n, value, a))
	e.visit(value, a)
}

func (e *ecmaReader) readInterface(whole, n node, a around) {
	own := n.get("name").string()
	name := e.declare(a, declaration{whole: whole, node: n, own: own, sort: symbol.Interface, exported: a.exported, merge: true})
	e.putDeclared(a, own, name)
	c := e.class(name)
	inner := e.generics(n, a)
	for type_ := range n.child("extends_type_clause", "extends_clause").parts() {
		c.Parents = append(c.Parents, Parent{e.typeName(type_, inner), "extends"})
	}
	body := around{scope: inner.scope, from: name, prefix: name + ".", self: &Expr{Op: Self, Name: name}, class: name, exported: a.exported}
	e.readSignatures(n.get("body"), name, body)
}

// readSignatures reads the members of an interface or object type.
func (e *ecmaReader) readSignatures(n node, class string, a around) {
	for child := range n.parts() {
		switch child.kind() {
		case "method_signature":
			e.readMethod(child, class, a)
			if known := e.places.Funcs[class+"."+textOf(child.get("name"))]; known != nil {
				known.Bodiless = true
			}
		case "property_signature":
			e.class(class).field(textOf(child.get("name")), e.valueOfType(child.get("type"), a))
		case "call_signature":
			if c := e.class(class); c.Members["()"] == nil {
				c.Members["()"] = e.valueOfType(child.get("return_type"), e.generics(child, a))
				c.Members["(…)"] = &Expr{Op: Case}
			}
			all := e.class(class).Members["(…)"]
			all.Args = append(all.Args, e.lambda(child, a))
		}
	}
}

func (e *ecmaReader) readAlias(whole, n node, a around) {
	own := n.get("name").string()
	value := n.get("value")
	body := node{}
	if len(value.string()) > signatureSize {
		body = value
	}
	name := e.declare(a, declaration{whole: whole, node: n, body: body, own: own, sort: symbol.Type, exported: a.exported, merge: true})
	e.putDeclared(a, own, name)
	c := e.class(name)
	inner := e.generics(n, a)
	if value.is("object_type") {
		e.readSignatures(value, name, around{scope: inner.scope, from: name, prefix: name + ".", self: &Expr{Op: Self, Name: name}, class: name, exported: a.exported})
		return
	}
	if c.Alias == nil {
		c.Alias = e.valueOfType(value, inner)
	}
}
