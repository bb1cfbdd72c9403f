package syntax

import (
	"strconv"
	"strings"
)

// compute returns the Expr of an expression, see build.expr.
func (r *rustReader) compute(n node, a around) *Expr {
	switch n.kind() {
	case "identifier", "scoped_identifier", "self":
		return r.path(n, a)
	case "field_expression":
		return member(r.expr(n.get("value"), a), n.get("field").string())
	case "call_expression":
		function := n.get("function")
		if function.is("generic_function") {
			function = function.get("function")
		}
		return result(r.expr(function, a))
	case "struct_expression":
		return valueOf(r.path(n.get("name"), a))
	case "reference_expression":
		return r.expr(n.get("value"), a)
	case "unary_expression", "parenthesized_expression":
		return r.expr(n.part(0), a)
	case "try_expression":
		return derive(Await, r.expr(n.part(0), a), "try")
	case "await_expression":
		return r.expr(n.part(0), a)
	case "index_expression":
		return element(r.expr(n.part(0), a))
	case "type_cast_expression":
		return r.valueOfType(n.get("type"), a)
	}
	return unknown
}

func (r *rustReader) readCall(n node, a around) {
	function := n.get("function")
	if function.is("generic_function") {
		function = function.get("function")
	}
	name := function
	switch function.kind() {
	case "scoped_identifier":
		name = function.get("name")
	case "field_expression":
		name = function.get("field")
	}
	if function.is("identifier", "scoped_identifier", "field_expression") {
		r.call(a, r.expr(function, a), name, -1, false)
	}
	if function.is("field_expression") {
		r.visit(function.get("value"), a)
	} else if !function.is("identifier", "scoped_identifier") {
		r.visit(function, a)
	}
	place := 0
	for argument := range n.get("arguments").parts() {
		if argument.is("closure_expression") {
			r.readClosure(argument, a, handed(r.expr(function, a), place))
		} else {
			r.visit(argument, a)
		}
		place++
	}
}

func (r *rustReader) readClosure(n node, a around, parameterValues []*Expr) {
	inner := a.enter(a.scope.inner())
	place := 0
	for parameter := range n.get("parameters").parts() {
		if parameter.is("parameter") {
			r.bindPattern(parameter.get("pattern"), r.valueOfType(parameter.get("type"), a), inner)
		} else {
			r.bindPattern(parameter, elementAt(parameterValues, place), inner)
		}
		place++
	}
	r.visit(n.get("body"), inner)
}

// bindPattern binds the names of a pattern to the parts of the value that it matches.
func (r *rustReader) bindPattern(n node, holds *Expr, a around) {
	if a.scope == nil {
		return
	}
	switch n.kind() {
	case "identifier":
		a.scope.names[n.string()] = holds
	case "mut_pattern", "ref_pattern", "reference_pattern":
		r.bindPattern(n.part(0), holds, a)
		if n.part(1).ok() {
			r.bindPattern(n.part(1), holds, a)
		}
	case "tuple_pattern":
		place := 0
		for part := range n.parts() {
			r.bindPattern(part, derive(At, holds, strconv.Itoa(place)), a)
			place++
		}
	case "tuple_struct_pattern":
		inner := unknown
		switch n.get("type").string() {
		case "Some", "Ok":
			inner = derive(Await, holds, "try")
		}
		for part := range n.parts() {
			if part.field() != "type" {
				r.bindPattern(part, inner, a)
			}
		}
	case "struct_pattern":
		class := valueOf(r.path(n.get("type"), a))
		for field := range n.parts() {
			if !field.is("field_pattern") {
				continue
			}
			name := field.get("name")
			if pattern := field.get("pattern"); pattern.ok() {
				r.bindPattern(pattern, member(class, name.string()), a)
			} else {
				a.scope.names[name.string()] = member(class, name.string())
			}
		}
	case "match_pattern", "or_pattern", "captured_pattern", "slice_pattern", "remaining_field_pattern":
		for part := range n.parts() {
			r.bindPattern(part, unknown, a)
		}
	}
}

// readTokens reads the calls in the tokens of a macro's arguments. The grammar does not
// parse them; most macros read them as expressions.
func (r *rustReader) readTokens(n node, a around) {
	var chain *Expr // value of the expression so far
	var last node
	link := "" // . or :: after the chain
	isValue := false
	for child := range n.children() {
		switch {
		case child.is("identifier", "self", "crate", "super"):
			text := child.string()
			if chain != nil && link != "" {
				chain = member(chain, text)
			} else {
				chain = r.path(child, a)
			}
			last, link, isValue = child, "", true
		case child.is(".", "::") && chain != nil:
			link = child.kind()
		case child.is("token_tree"):
			if strings.HasPrefix(child.string(), "(") && chain != nil && link == "" {
				r.call(a, chain, last, -1, false)
				chain, isValue = result(chain), false
			} else {
				r.useChain(chain, isValue, last, a)
				chain = nil
			}
			r.readTokens(child, a)
		default:
			r.useChain(chain, isValue && !child.is(":", "="), last, a) // not the name of a field
			chain, link = nil, ""
		}
	}
}

// useChain adds the value of a chain of names that is not called.
func (r *rustReader) useChain(chain *Expr, isValue bool, last node, a around) {
	if chain != nil && isValue {
		r.use(a.from, chain, last)
	}
}

// lastOfPath returns the last name of a path.
func lastOfPath(n node) node {
	if n.is("scoped_identifier") {
		return n.get("name")
	}
	return n
}
