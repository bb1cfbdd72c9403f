package syntax

import (
	"cmp"
	"strings"
	"unicode"

	"hence/code/symbol"
	"hence/internal/pattern"
)

// ecmaAssignment reads an assignment, which in JavaScript may declare: module.exports,
// exports.f, Class.prototype.f, or a field of this.
func ecmaAssignment(b *build, n node, a around) {
	left, right := n.get("left"), n.get("right")
	object, property := left.get("object"), left.get("property").string()
	prototype := object
	if object.is("member_expression") && object.get("property").string() == "prototype" {
		prototype = object.get("object")
	}
	switch {
	case left.is("identifier"):
		if own := left.string(); isFunction(right) && a.scope == nil && a.prefix == "" {
			b.places.Names[own] = declaredExpr(ecmaHeld(b, right, a, a, declaration{whole: statementOf(n), node: n, own: own, sort: symbol.Func, exported: isExportedLater(b, own), merge: true}))
			return
		}
		reassign(left.string(), a)
	case !left.is("member_expression"):
	case a.function:
		if object.is("this") && a.class != "" && a.self != nil {
			b.class(a.class).field(property, b.expr(right, a))
		}
	case left.string() == "module.exports":
		ecmaModuleExports(b, n, right, a)
		return
	case object.string() == "exports" || object.string() == "module.exports":
		ecmaExported(b, n, right, property, a)
		return
	case property == "prototype" && right.is("object") && identifiers().MatchString(object.string()):
		ecmaObject(b, right, object.string(), around{scope: a.scope, from: a.from})
		b.class(object.string()).Object = false
		return
	case object.is("identifier", "member_expression") && isFunction(right) && a.prefix == "" && identifiers().MatchString(prototype.string()):
		// Class.prototype.f = function () {} and Class.f = function () {}
		inner := around{scope: a.scope}.within(prototype.string())
		inner.from = ""
		b.class(inner.class).method(property, ecmaHeld(b, right, inner, inner, declaration{whole: statementOf(n), node: n, own: property, sort: symbol.Method, merge: true}))
		return
	}
	b.visitAll(n, a)
}

// reassign makes the value of a local variable unknown, unless it is an instance of a
// known type.
func reassign(name string, a around) {
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

// ecmaModuleExports reads module.exports = x.
func ecmaModuleExports(b *build, n, right node, a around) {
	switch {
	case isFunction(right) || right.is("class"):
		own, name := cmp.Or(right.get("name").string(), "default"), ""
		a.exported = true
		if right.is("class") {
			name = ecmaClass(b, statementOf(n), right, a, own)
		} else {
			name = ecmaFunction(b, statementOf(n), plainValue(right), a, own)
			delete(b.places.Names, own)
		}
		b.places.Exports["="] = declaredExpr(name)
	case right.is("object"):
		for child := range right.parts() {
			switch child.kind() {
			case "shorthand_property_identifier":
				b.places.Exports[child.string()] = &Expr{Op: Name, Name: child.string()}
			case "pair":
				ecmaExported(b, child, child.get("value"), textOf(child.get("key")), a)
			case "method_definition":
				ecmaExported(b, child, child, textOf(child.get("name")), a)
			case "spread_element":
				if from := b.expr(child.part(0), a); from.Op == Imported {
					b.places.Again = append(b.places.Again, importedExpr(from.From, "*"))
				}
				b.visitAll(child, a)
			}
		}
	default:
		holds := b.expr(right, a)
		b.places.Exports["="] = holds
		if holds.Op == Imported && holds.Name == "=" {
			b.places.Again = append(b.places.Again, importedExpr(holds.From, "*"))
		}
		ecmaUnlessName(b, right, a)
	}
}

// ecmaExported reads exports.own = right.
func ecmaExported(b *build, n, right node, own string, a around) {
	value, whole := plainValue(right), statementOf(n)
	holds := (*Expr)(nil)
	switch {
	case isFunction(value) || value.is("method_definition"):
		holds = declaredExpr(ecmaHeld(b, value, a, a, declaration{whole: whole, node: n, own: own, sort: symbol.Func, exported: true, merge: true}))
	case value.is("class"):
		a.exported = true
		holds = declaredExpr(ecmaClass(b, whole, value, a, own))
	case value.is("object") && hasFunctions(value):
		name := b.declare(a, declaration{whole: whole, node: n, body: value, own: own, sort: symbol.Const, exported: true, merge: true})
		ecmaObject(b, value, name, a)
		holds = declaredExpr(name)
	default:
		holds = b.expr(right, a)
		ecmaUnlessName(b, right, a)
	}
	b.places.Exports[own] = holds
}

var identifiers = pattern.Lazy(`^[\pL_$][\pL\pN_$.]*$`)

// testWords are the functions that declare tests and groups of tests; true for groups.
var testWords = map[string]bool{"it": false, "test": false, "describe": true, "context": true, "suite": true, "bench": false}

// ecmaTest reads it("does", () => {}) as a test, and describe("x", () => {}) as a group of
// tests, which take their names from the string.
func ecmaTest(b *build, n node, a around, group bool) {
	arguments := n.get("arguments")
	title, code := arguments.part(0), node{}
	for argument := range arguments.parts() {
		if argument.is("arrow_function", "function_expression") {
			code = argument
		}
	}
	own := slug(textOf(title))
	if !code.ok() || own == "" || !title.is("string", "template_string") {
		ecmaArguments(b, n, n.get("function"), a)
		return
	}
	inner := around{scope: a.scope.inner(), prefix: a.name(own) + ".", from: a.from}
	if !group {
		inner.from = b.declare(a, declaration{whole: statementOf(n), node: n, body: code.get("body"), own: own, sort: symbol.Func, test: true})
		inner.prefix, inner.function = inner.from+".", true
	}
	ecmaParameters(b, code, inner, nil)
	ecmaVisitCode(b, code.get("body"), inner)
}

// slug returns the words of a sentence joined with _, at most about 80 bytes.
func slug(text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool {
		return r != '_' && r != '$' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	size := 0
	for i, word := range words {
		if max(size-1, 0)+len(word) > 80 {
			words = words[:i]
			break
		}
		size += len(word) + len("_")
	}
	return strings.Join(words, "_")
}
