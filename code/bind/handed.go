package bind

import (
	"slices"

	"hence/code/syntax"
	"hence/internal/lists"
)

// parameterOf returns the value of a parameter of a function that is itself an argument of
// a call (syntax.Handed). It follows from the declared type of the called function's
// parameter, or from the built-in method that is called, such as map of a list. Where the
// called function, or its parameter, has several signatures, those that take a function with
// that parameter must agree.
func (b *binder) parameterOf(file *syntax.Places, e *syntax.Expr) value {
	if e.Of.Op == syntax.Member && e.First == 0 {
		of := b.content(b.eval(file, e.Of.Of))
		if of.kind == isMade {
			return b.handedBuiltin(of, e.Of.Name, e.Second)
		}
	}
	called := b.content(b.eval(file, e.Of))
	key := handedKey{called.file, called.name, called.expr, e.First, e.Second}
	found, ok := b.handed[key]
	if !ok {
		found = b.agreed(called, e.First, e.Second)
		if b.fuel > 0 {
			b.handed[key] = found
		}
	}
	return found
}

// agreed returns the value of parameter second of the functions that the signatures of a
// function take as argument first; unknown if they do not agree.
func (b *binder) agreed(called value, first, second int) (found value) {
	for _, outer := range b.signatures(called) {
		argument, _ := b.taken(outer, first)
		for _, inner := range b.signatures(argument) {
			parameter, ok := b.taken(inner, second)
			b.fuel--
			switch parameter = b.content(parameter); {
			case !ok:
			case parameter.kind == isUnknown || found.kind != isUnknown && !parameter.same(found):
				return value{}
			default:
				found = parameter
			}
		}
	}
	return found
}

// handedKey is a parameter of a function that is an argument of a called one.
type handedKey struct {
	file          *syntax.Places
	name          string
	expr          *syntax.Expr
	first, second int
}

// signature holds the declared values of a function's parameters, to evaluate in the file.
type signature struct {
	file  *syntax.Places
	takes []*syntax.Expr
}

// signatures returns the signatures of a function; none if the value is not one.
func (b *binder) signatures(function value) (all []signature) {
	function = b.content(function)
	switch function.kind {
	case isDeclared:
		if f := function.file.Funcs[function.name]; f != nil {
			all = lists.Map(f.Takes, func(takes []*syntax.Expr) signature { return signature{function.file, takes} })
		}
	case isInstance:
		if called := function.file.Classes[function.name]; called != nil {
			return b.signatures(b.eval(function.file, called.Members["(…)"]))
		}
	case isLambda:
		all = []signature{{function.file, function.expr.Args}}
	case isSome:
		all = slices.Concat(lists.Map(function.args, b.signatures)...)
	}
	return all
}

// taken returns the value of a parameter; false if the signature does not have it.
func (b *binder) taken(s signature, place int) (value, bool) {
	if last := len(s.takes) - 1; place > last && last >= 0 && s.takes[last].Name == "rest" {
		place = last
	}
	if place >= len(s.takes) {
		return value{}, false
	}
	return b.eval(s.file, s.takes[place]), true
}
