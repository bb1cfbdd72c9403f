//go:build languages_all

package syntax

import (
	"regexp"
	"strings"

	"hence/code/symbol"
)

// rubyReader reads Ruby.
type rubyReader struct{ *build }

var rubyTestFile = regexp.MustCompile(`(^|/)(test|spec)/|_(test|spec)\.rb$`)

func readRuby(b *build) {
	r := &rubyReader{build: b}
	b.reader, b.test, b.isDoc = r, rubyTestFile.MatchString(b.file.Path), anyComment
	r.visitAll(b.tree.root(), around{})
}

func (r *rubyReader) visit(n node, a around) {
	switch n.kind() {
	case "class", "module":
		r.readClass(n, a)
	case "method", "singleton_method":
		r.readMethod(n, a)
	case "singleton_class":
		r.visitAll(n.get("body"), a)
	case "assignment":
		r.readAssignment(n, a)
	case "block", "do_block", "lambda":
		inner := a.enter(a.scope.inner())
		r.readParameters(n.get("parameters"), inner)
		r.visitAll(n.get("body"), inner)
	case "call":
		r.readCall(n, a)
	case "identifier":
		// A name that is not a variable is a call of a method.
		if a.function && !n.parent().is("method_parameters", "block_parameters", "call", "optional_parameter", "keyword_parameter", "argument_list", "lambda_parameters") || n.parent().is("argument_list") && a.function {
			if holds := a.scope.find(n.string()); holds.Op == Name {
				r.call(a, a.bare(n.string()), n, 0, false)
			}
		}
	case "comment":
	default:
		r.visitAll(n, a)
	}
}

func (r *rubyReader) readClass(n node, a around) {
	nameNode := n.get("name")
	own := strings.ReplaceAll(nameNode.string(), "::", ".")
	sort := symbol.Class
	if n.is("module") {
		sort = symbol.Type
	}
	name := r.declare(a, declaration{node: n, own: own, sort: sort, exported: true, merge: true})
	if a.class != "" {
		r.class(a.class).Members[own] = declaredExpr(name)
	} else if r.places.Names[own] == nil {
		r.places.Names[own] = declaredExpr(name)
	}
	c := r.class(name)
	if up := n.get("superclass"); up.ok() {
		c.Parents = append(c.Parents, Parent{r.constant(up.part(0), a), "extends"})
	}
	r.visitAll(n.get("body"), around{scope: a.scope.inner(), from: name, prefix: name + ".", class: name, self: &Expr{Op: Self, Name: name}})
}

func (r *rubyReader) readMethod(n node, a around) {
	own := n.get("name").string()
	d := declaration{node: n, own: own, sort: symbol.Func, exported: true, test: strings.HasPrefix(own, "test_")}
	if a.class != "" {
		d.sort = symbol.Method
	}
	name := r.declare(a, d)
	if a.class != "" {
		r.class(a.class).method(own, name)
	} else if r.places.Names[own] == nil {
		r.places.Names[own] = declaredExpr(name)
	}
	r.places.Funcs[name] = &Function{Most: -1}
	code := around{scope: a.scope.inner(), from: name, prefix: name + ".", function: true, self: a.self, class: a.class}
	r.readParameters(n.get("parameters"), code)
	r.visit(n.get("body"), code)
}

func (r *rubyReader) readParameters(n node, a around) {
	for parameter := range n.parts() {
		name := parameter
		if nameNode := parameter.get("name"); nameNode.ok() {
			name = nameNode
			r.visit(parameter.get("value"), a)
		}
		for part := range parameter.parts() {
			if part.is("identifier") {
				a.scope.set(part.string(), unknown)
			}
		}
		a.scope.set(name.string(), unknown)
	}
}

func (r *rubyReader) readAssignment(n node, a around) {
	left, right := n.get("left"), n.get("right")
	r.visit(right, a)
	switch left.kind() {
	case "identifier":
		if a.scope == nil {
			r.places.Names[left.string()] = unknown
		} else if a.scope.names[left.string()] != nil {
			a.scope.names[left.string()] = unknown
		} else {
			a.scope.names[left.string()] = r.expr(right, a)
		}
	case "instance_variable":
		if a.class != "" {
			r.class(a.class).field(left.string(), r.expr(right, a))
		}
	case "constant":
		if !a.function {
			name := r.declare(a, declaration{node: n, own: left.string(), sort: symbol.Const, exported: true, merge: true})
			r.class(name).Holds = r.expr(right, a)
			if a.class != "" {
				r.class(a.class).Members[left.string()] = declaredExpr(name)
			} else {
				r.places.Names[left.string()] = declaredExpr(name)
			}
		}
	case "left_assignment_list":
		for part := range left.parts() {
			if part.is("identifier") && a.scope != nil {
				a.scope.names[part.string()] = unknown
			}
		}
	}
}

// constant returns the Expr of the class that a constant names: a member of a class around,
// else a class of a file.
func (r *rubyReader) constant(n node, a around) *Expr {
	switch n.kind() {
	case "constant":
		all := []*Expr{}
		for class := a.class; class != ""; class, _ = cutLast(class) {
			all = append(all, member(declaredExpr(class), n.string()))
		}
		return &Expr{Op: First, Args: append(all, &Expr{Op: Name, Name: n.string()})}
	case "scope_resolution":
		if !n.get("scope").ok() {
			return &Expr{Op: Name, Name: n.get("name").string()}
		}
		return member(r.constant(n.get("scope"), a), n.get("name").string())
	}
	return unknown
}

func (r *rubyReader) compute(n node, a around) *Expr {
	switch n.kind() {
	case "identifier":
		if holds := a.scope.find(n.string()); holds.Op != Name {
			return holds
		}
		return result(a.bare(n.string())) // a method of the class, or of the file
	case "constant", "scope_resolution":
		return r.constant(n, a)
	case "self":
		if a.self != nil {
			return a.self
		}
	case "instance_variable":
		if a.class != "" {
			return member(&Expr{Op: Self, Name: a.class}, n.string())
		}
	case "call":
		if n.get("method").string() == "new" && n.get("receiver").is("constant", "scope_resolution") {
			return valueOf(r.constant(n.get("receiver"), a))
		}
	case "parenthesized_statements":
		return r.expr(n.part(0), a)
	}
	return unknown
}

func (r *rubyReader) readCall(n node, a around) {
	method, receiver, arguments := n.get("method"), n.get("receiver"), n.get("arguments")
	own := method.string()
	switch {
	case own == "require_relative" && arguments.part(0).is("string"):
		r.imports(arguments.part(0).child("string_content").string(), "", n)
		return
	case (own == "include" || own == "extend" || own == "prepend") && !receiver.ok() && a.class != "" && !a.function:
		for module := range arguments.parts() {
			c := r.class(a.class)
			c.Parents = append(c.Parents, Parent{r.constant(module, a), "extends"})
		}
	case !receiver.ok() && method.is("identifier"):
		if holds := a.scope.find(own); holds.Op == Name {
			r.call(a, a.bare(own), method, countArguments(arguments), false)
		}
	case own == "new" && receiver.is("constant", "scope_resolution"):
		name := receiver
		if nameNode := receiver.get("name"); nameNode.ok() {
			name = nameNode
		}
		r.call(a, r.constant(receiver, a), name, countArguments(arguments), true)
	case method.ok():
		r.call(a, member(r.expr(receiver, a), own), method, countArguments(arguments), false)
	}
	if !receiver.is("identifier") || a.scope.find(receiver.string()).Op == Name {
		r.visit(receiver, a)
	}
	r.visit(arguments, a)
	r.visit(n.get("block"), a)
}
