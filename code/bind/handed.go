package bind

import (
	"slices"

	"hence/code/syntax"
)

var eachMethods = []string{"map", "forEach", "filter", "find", "findIndex", "findLast", "findLastIndex", "some", "every", "flatMap"}

// parameterOf returns what a function is handed by the one that it is an argument of: as
// that one declares its parameter, or as methods of lists do.
func (b *binder) parameterOf(file *syntax.Places, e *syntax.Expr) value {
	if e.Of.Op == syntax.Member && e.First == 0 {
		of := b.content(b.eval(file, e.Of.Of))
		if of.kind == isMade {
			return b.handedBuiltin(of, e.Of.Name, e.Second)
		}
	}
	takes, at := b.takes(b.eval(file, e.Of))
	if e.First >= len(takes) {
		return value{}
	}
	inner, where := b.takes(b.eval(at, takes[e.First]))
	if e.Second >= len(inner) {
		return value{}
	}
	return b.eval(where, inner[e.Second])
}

// takes returns what the parameters of a function hold, and the file that says it.
func (b *binder) takes(of value) ([]*syntax.Expr, *syntax.Places) {
	of = b.content(of)
	switch of.kind {
	case isDeclared:
		if function := of.file.Funcs[of.name]; function != nil {
			return function.Takes, of.file
		}
	case isLambda:
		return of.expr.Args, of.file
	}
	return nil, nil
}

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
