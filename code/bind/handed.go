package bind

import "hence/code/syntax"

// parameterOf returns the value of a parameter of a function that is itself an argument of
// a call (syntax.Handed). It follows from the declared type of the called function's
// parameter, or from the built-in method that is called, such as map of a list.
func (b *binder) parameterOf(file *syntax.Places, e *syntax.Expr) value {
	if e.Of.Op == syntax.Member && e.First == 0 {
		of := b.content(b.eval(file, e.Of.Of))
		if of.kind == isMade {
			return b.handedBuiltin(of, e.Of.Name, e.Second)
		}
	}
	outer, outerFile := b.parametersOf(b.eval(file, e.Of))
	if e.First >= len(outer) {
		return value{}
	}
	inner, innerFile := b.parametersOf(b.eval(outerFile, outer[e.First]))
	if e.Second >= len(inner) {
		return value{}
	}
	return b.eval(innerFile, inner[e.Second])
}

// parametersOf returns the declared values of a function's parameters, and the file in
// which to evaluate them; nil if the value is not a function.
func (b *binder) parametersOf(function value) ([]*syntax.Expr, *syntax.Places) {
	function = b.content(function)
	switch function.kind {
	case isDeclared:
		if f := function.file.Funcs[function.name]; f != nil {
			return f.Takes, function.file
		}
	case isInstance:
		if called := function.file.Classes[function.name]; called != nil {
			if of := b.eval(function.file, called.Members["(…)"]); of.kind == isLambda {
				return of.expr.Args, of.file
			}
		}
	case isLambda:
		return function.expr.Args, function.file
	}
	return nil, nil
}
