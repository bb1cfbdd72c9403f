package syntax

import (
	"regexp"
	"strings"
	"sync"
	"unicode"

	"hence/code/symbol"
)

// readAssignment reads an assignment, which in JavaScript may declare: module.exports,
// exports.f, Class.prototype.f, or a field of this.
func (e *ecmaReader) readAssignment(n node, a around) {
	left, right := n.get("left"), n.get("right")
	object, property := left.get("object"), left.get("property").string()
	switch {
	case left.is("identifier"):
		if e.isFunction(right) && a.scope == nil && a.prefix == "" {
			own, whole, value := left.string(), statementOf(n), plainValue(right)
			name := e.declare(a, declaration{whole: whole, node: n, body: value.get("body"), own: own, sort: symbol.Func, exported: e.exportedLater(own), merge: true})
			e.places.Names[own] = declaredExpr(name)
			e.readValueFunction(value, name, a)
			return
		}
		e.reassign(left.string(), a)
	case !left.is("member_expression"):
	case a.function:
		if object.is("this") && a.class != "" && a.self != nil {
			e.class(a.class).field(property, e.expr(right, a))
		}
	case left.string() == "module.exports":
		e.readModuleExports(n, right, a)
		return
	case object.string() == "exports" || object.string() == "module.exports":
		e.readExported(n, right, property, a)
		return
	case property == "prototype" && right.is("object") && identifiers().MatchString(object.string()):
		e.readObject(right, object.string(), around{scope: a.scope, from: a.from})
		e.class(object.string()).Object = false
		return
	case object.is("member_expression") && object.get("property").string() == "prototype":
		if e.readPrototype(n, right, object.get("object").string(), property, a) {
			return
		}
	case object.is("identifier", "member_expression"):
		if e.readPrototype(n, right, object.string(), property, a) {
			return
		}
	}
	e.visitAll(n, a)
}

// reassign makes the value of a local variable unknown, unless it is an instance of a
// known type.
func (e *ecmaReader) reassign(name string, a around) {
	for s := a.scope; s != nil; s = s.up {
		if holds := s.names[name]; holds != nil {
			if holds.Op != Value {
				s.names[name] = unknown
			}
			return
		}
	}
}

func statementOf(n node) node {
	if n.parent().is("expression_statement") {
		return n.parent()
	}
	return n
}

// readModuleExports reads module.exports = x.
func (e *ecmaReader) readModuleExports(n, right node, a around) {
	whole := statementOf(n)
	switch {
	case e.isFunction(right) || right.is("class"):
		own := right.get("name").string()
		if own == "" {
			own = "default"
		}
		var name string
		a.exported = true
		if right.is("class") {
			name = e.readClass(whole, right, a, own)
		} else {
			name = e.readFunction(whole, plainValue(right), a, own)
			delete(e.places.Names, own)
		}
		e.places.Exports["="] = declaredExpr(name)
		return
	case right.is("object"):
		for child := range right.parts() {
			switch child.kind() {
			case "shorthand_property_identifier":
				e.places.Exports[child.string()] = &Expr{Op: Name, Name: child.string()}
			case "pair":
				e.readExported(child, child.get("value"), textOf(child.get("key")), a)
			case "method_definition":
				e.readExported(child, child, textOf(child.get("name")), a)
			case "spread_element":
				if from := e.expr(child.part(0), a); from.Op == Imported {
					e.places.Again = append(e.places.Again, importedExpr(from.From, "*"))
				}
				e.visitAll(child, a)
			}
		}
		return
	}
	holds := e.expr(right, a)
	e.places.Exports["="] = holds
	if holds.Op == Imported && holds.Name == "=" {
		e.places.Again = append(e.places.Again, importedExpr(holds.From, "*"))
	}
	e.visitUnlessName(right, a)
}

// readExported reads exports.own = right.
func (e *ecmaReader) readExported(n, right node, own string, a around) {
	value := plainValue(right)
	if value.is("arrow_function", "function_expression", "generator_function", "method_definition") {
		whole := statementOf(n)
		name := e.declare(a, declaration{whole: whole, node: n, body: value.get("body"), own: own, sort: symbol.Func, exported: true, merge: true})
		e.places.Exports[own] = declaredExpr(name)
		e.readValueFunction(value, name, a)
		return
	}
	if value.is("class") {
		a.exported = true
		e.places.Exports[own] = declaredExpr(e.readClass(statementOf(n), value, a, own))
		return
	}
	if value.is("object") && hasFunctions(value) {
		whole := statementOf(n)
		name := e.declare(a, declaration{whole: whole, node: n, body: value, own: own, sort: symbol.Const, exported: true, merge: true})
		e.places.Exports[own] = declaredExpr(name)
		e.readObject(value, name, a)
		return
	}
	e.places.Exports[own] = e.expr(right, a)
	e.visitUnlessName(right, a)
}

// readPrototype reads Class.prototype.f = function () {} and Class.f = function () {}. It
// reports whether the assignment is one of these.
func (e *ecmaReader) readPrototype(n, right node, class, own string, a around) bool {
	if !e.isFunction(right) || !identifiers().MatchString(class) || a.prefix != "" {
		return false
	}
	whole := statementOf(n)
	value := plainValue(right)
	inner := around{scope: a.scope, prefix: class + ".", class: class, self: &Expr{Op: Self, Name: class}}
	name := e.declare(inner, declaration{whole: whole, node: n, body: value.get("body"), own: own, sort: symbol.Method, merge: true})
	e.class(class).method(own, name)
	e.readValueFunction(value, name, inner)
	return true
}

var identifiers = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\pL_$][\pL\pN_$.]*$`) })

// readTest reads it("does", () => {}) as a test, and describe("x", () => {}) as a group of
// tests, which take their names from the string.
func (e *ecmaReader) readTest(n node, a around) {
	arguments := n.get("arguments")
	title := arguments.part(0)
	code := node{}
	for argument := range arguments.parts() {
		if argument.is("arrow_function", "function_expression") {
			code = argument
		}
	}
	own := slug(textOf(title))
	if !code.ok() || own == "" || !title.is("string", "template_string") {
		e.readArguments(n, n.get("function"), a)
		return
	}
	first, _, _ := strings.Cut(n.get("function").string(), ".")
	group := first == "describe" || first == "suite" || first == "context"
	inner := around{scope: a.scope, prefix: a.name(own) + ".", from: a.from}
	if !group {
		whole := statementOf(n)
		inner.from = e.declare(a, declaration{whole: whole, node: n, body: code.get("body"), own: own, sort: symbol.Func, test: true})
		inner.prefix, inner.function = inner.from+".", true
	}
	inner.scope = inner.scope.inner()
	e.readParameters(code, inner, nil)
	e.visitCode(code.get("body"), inner)
}

// slug returns the words of a sentence joined with _, at most about 80 bytes.
func slug(text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool {
		return r != '_' && r != '$' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	name := ""
	for _, word := range words {
		if len(name)+len(word) > 80 {
			break
		}
		if name != "" {
			name += "_"
		}
		name += word
	}
	return name
}
