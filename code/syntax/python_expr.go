package syntax

// compute returns the Expr of an expression, see build.expr.
func (p *pythonReader) compute(n node, a around) *Expr {
	switch n.kind() {
	case "identifier":
		return a.scope.find(n.string())
	case "attribute", "member_type":
		object, name := n.get("object"), n.get("attribute").string()
		of := p.expr(object, a)
		if name == "__class__" && of.Op == Self {
			return declaredExpr(of.Name)
		}
		return member(of, name)
	case "call":
		return p.callResult(n, a)
	case "await":
		return derive(Await, p.expr(n.part(0), a), "")
	case "parenthesized_expression", "expression_statement":
		return p.expr(n.part(0), a)
	case "named_expression":
		return p.expr(n.get("value"), a)
	case "subscript":
		if n.get("subscript").is("slice") {
			return p.expr(n.get("value"), a)
		}
		return derive(At, p.expr(n.get("value"), a), "each")
	case "boolean_operator":
		if n.get("operator").is("or") {
			return p.either(n.get("left"), n.get("right"), a, isNone)
		}
		return p.expr(n.get("right"), a)
	case "conditional_expression":
		return p.either(n.part(0), n.part(2), a, isNone)
	case "list", "tuple", "set":
		name := "list"
		if n.is("tuple") {
			name = "[]"
		}
		args := []*Expr{}
		for part := range n.parts() {
			if len(args) == 20 {
				break
			}
			args = append(args, p.expr(part, a))
		}
		if name == "list" && len(args) > 0 {
			args = []*Expr{{Op: Case, Args: args}}
		}
		return valueOf(&Expr{Op: Name, Name: name}, args...)
	case "list_comprehension", "set_comprehension", "generator_expression":
		p.lambdas++
		defer func() { p.lambdas-- }()
		if p.lambdas > maxNested {
			return unknown
		}
		inner := p.comprehend(n, a.enter(a.scope.inner()))
		return valueOf(&Expr{Op: Name, Name: "list"}, p.expr(n.get("body"), inner))
	case "string", "concatenated_string":
		return valueOf(&Expr{Op: Name, Name: "str"})
	}
	return unknown
}

// callResult returns the Expr of a call's result.
func (p *pythonReader) callResult(n node, a around) *Expr {
	function, arguments := n.get("function"), n.get("arguments")
	switch text := function.string(); {
	case text == "super" && a.class != "":
		return &Expr{Op: Super, Name: a.class}
	case text == "type" && arguments.part(0).ok() && !arguments.part(1).ok():
		if of := p.expr(arguments.part(0), a); of.Op == Self {
			return declaredExpr(of.Name)
		}
		return unknown
	case text == "cast" || text == "typing.cast" || text == "t.cast":
		return p.valueOfType(arguments.part(0), a)
	case text == "list" || text == "sorted" || text == "reversed" || text == "set" || text == "tuple" || text == "iter":
		if arguments.part(0).ok() && a.scope.find(text).Op == Name {
			return valueOf(&Expr{Op: Name, Name: "list"}, element(p.expr(arguments.part(0), a)))
		}
	case text == "next":
		return element(p.expr(arguments.part(0), a))
	case text == "enumerate":
		return valueOf(&Expr{Op: Name, Name: "list"}, valueOf(&Expr{Op: Name, Name: "[]"}, unknown, element(p.expr(arguments.part(0), a))))
	}
	return result(p.expr(function, a))
}

func (p *pythonReader) readCall(n node, a around) {
	function, arguments := n.get("function"), n.get("arguments")
	count := countArguments(arguments)
	switch function.kind() {
	case "identifier":
		if function.string() != "super" {
			p.call(a, a.scope.find(function.string()), function, count, false)
		}
	case "attribute":
		p.call(a, p.expr(function, a), function.get("attribute"), count, false)
	}
	if function.is("attribute") {
		p.visitObject(function, a)
	} else if !function.is("identifier") {
		p.visit(function, a)
	}
	for argument := range arguments.children() {
		if argument.is("keyword_argument") {
			p.visit(argument.get("value"), a)
			continue
		}
		p.visit(argument, a)
	}
}

// visitObject visits the object that a chain of attributes begins with.
func (p *pythonReader) visitObject(n node, a around) {
	for n.is("attribute") {
		n = n.get("object")
	}
	p.visit(n, a)
}
