package bind

import (
	"slices"

	"hence/code/syntax"
)

// eachMethods are methods of lists that call a function with each element.
var eachMethods = []string{"map", "forEach", "filter", "find", "findIndex", "findLast", "findLastIndex", "some", "every", "flatMap"}

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

// handedBuiltin returns the value of a function's parameter at place, when the function is
// the first argument of the method name of a built-in value.
func (b *binder) handedBuiltin(of value, name string, place int) value {
	switch {
	case slices.Contains(eachMethods, name) && place == 0:
		return b.element(of, "each")
	case (name == "sort" || name == "toSorted") && place < 2, name == "reduce" && place == 1:
		return b.element(of, "each")
	case of.name == "Promise" && name == "then" && place == 0 && len(of.args) > 0:
		return of.args[0]
	case (of.name == "Option" || of.name == "Result") && place == 0 && slices.Contains([]string{"map", "and_then", "is_some_and", "filter", "inspect"}, name):
		return b.triedValue(of)
	}
	return value{}
}
