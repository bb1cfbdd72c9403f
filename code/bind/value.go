package bind

import (
	"slices"
	"strconv"

	"hence/code/syntax"
	"hence/internal/lists"
)

// value is the result of evaluating an expression. The zero value is unknown.
type value struct {
	kind kind
	file *syntax.Places
	name string       // of a declaration in the file, of a folder, or of a foreign name or type
	args []value      // type arguments; for isSome and isAll the alternatives or parts
	expr *syntax.Expr // of a shape or lambda, to evaluate in the file
}

type kind uint8

const (
	isUnknown  kind = iota
	isDeclared      // a declaration itself: a function, class or variable
	isInstance      // a value of a declared class
	isModule        // a file
	isFolder        // a folder of modules; name is its path
	isForeign       // a name outside the repository
	isMade          // a value of a foreign or built-in type
	isShape         // an object with known fields
	isLambda        // a function without a declaration
	isSome          // one of args, but not known which
	isAll           // a value with the members of all args
)

func (v value) same(w value) bool {
	return v.kind == w.kind && v.file == w.file && v.name == w.name && v.expr == w.expr
}

// eval returns the value of an expression of a file. It is unknown if the fuel is spent or
// the recursion is too deep.
func (b *binder) eval(file *syntax.Places, e *syntax.Expr) value {
	if e == nil || b.fuel <= 0 || b.depth > 60 {
		return value{}
	}
	key := memoKey{file.Path, e}
	if known, ok := b.memo[key]; ok {
		return known
	}
	b.fuel--
	b.depth++
	b.memo[key] = value{} // an expression that contains itself is unknown
	v := b.compute(file, e)
	b.depth--
	if b.fuel > 0 && b.depth < 30 {
		b.memo[key] = v
	} else {
		delete(b.memo, key)
	}
	return v
}

func (b *binder) compute(file *syntax.Places, e *syntax.Expr) value {
	switch e.Op {
	case syntax.Name:
		if holds := file.Names[e.Name]; holds != nil {
			return b.eval(file, holds)
		}
		return b.outside(file, e.Name)
	case syntax.Declared:
		return value{kind: isDeclared, file: file, name: e.Name}
	case syntax.Imported:
		return b.importOf(file, e.From, e.Name)
	case syntax.Self:
		return value{kind: isInstance, file: file, name: e.Name}
	case syntax.Super:
		return b.parents(file, e.Name)
	case syntax.Member:
		return b.member(b.eval(file, e.Of), e.Name)
	case syntax.Result:
		return b.result(file, e)
	case syntax.Value:
		return b.instance(b.eval(file, e.Of), b.evalAll(file, e.Args))
	case syntax.Element:
		return b.element(b.content(b.eval(file, e.Of)), e.Name)
	case syntax.Await:
		return b.awaited(b.content(b.eval(file, e.Of)), e.Name)
	case syntax.At:
		return b.partAt(b.content(b.eval(file, e.Of)), e.Name)
	case syntax.Shape:
		return value{kind: isShape, file: file, expr: e}
	case syntax.Lambda:
		return value{kind: isLambda, file: file, expr: e}
	case syntax.First:
		return b.firstKnown(file, e.Args)
	case syntax.Extern:
		return b.extern(file, e.Name)
	case syntax.Handed:
		return b.parameterOf(file, e)
	case syntax.Any:
		return value{kind: isAll, args: b.evalAll(file, e.Args)}
	case syntax.Case:
		return b.oneOf(b.evalAll(file, e.Args))
	}
	return value{}
}

func (b *binder) evalAll(file *syntax.Places, all []*syntax.Expr) []value {
	return lists.Map(all, func(e *syntax.Expr) value { return b.eval(file, e) })
}

// firstKnown returns the first value that is neither unknown nor foreign, else the last.
func (b *binder) firstKnown(file *syntax.Places, all []*syntax.Expr) value {
	last := value{}
	for _, e := range all {
		last = b.eval(file, e)
		if last.kind != isUnknown && last.kind != isForeign {
			return last
		}
	}
	return last
}

// oneOf returns a value that may be any of several: the value itself if all are the same,
// else one of kind isSome.
func (b *binder) oneOf(values []value) value {
	if len(values) == 0 {
		return value{}
	}
	values = lists.Map(values, b.content)
	for _, v := range values[1:] {
		if !v.same(values[0]) {
			return value{kind: isSome, args: values}
		}
	}
	return values[0]
}

// content returns the value that a variable holds, and any other value unchanged.
func (b *binder) content(v value) value {
	for range 10 {
		if v.kind != isDeclared || v.file.Funcs[v.name] != nil {
			return v
		}
		class := v.file.Classes[v.name]
		switch {
		case class == nil:
			return v
		case class.Holds != nil:
			v = b.eval(v.file, class.Holds)
		case class.Object:
			return value{kind: isInstance, file: v.file, name: v.name}
		default:
			return v
		}
	}
	return value{}
}

// instance returns a value of a type with type arguments.
func (b *binder) instance(of value, args []value) value {
	switch of.kind {
	case isDeclared:
		class := of.file.Classes[of.name]
		if class == nil {
			return value{}
		}
		if class.Alias != nil {
			return b.eval(of.file, class.Alias)
		}
		if class.Holds != nil && len(class.Members) == 0 {
			if held := b.content(of); held.kind == isDeclared && !held.same(of) {
				return b.instance(held, args)
			}
		}
		return value{kind: isInstance, file: of.file, name: of.name, args: args}
	case isForeign:
		return value{kind: isMade, name: of.name, args: args}
	case isInstance, isModule: // already a value, as with this or typeof
		return of
	}
	return value{}
}

// classOf returns an instance of a declared class, through which its members are looked
// up, and any other value unchanged.
func (b *binder) classOf(v value) value {
	if v.kind == isDeclared {
		v = b.instance(v, nil)
	}
	return v
}

// parents returns the value of super in a class: an instance of all classes that it
// extends.
func (b *binder) parents(file *syntax.Places, name string) value {
	class := file.Classes[name]
	if class == nil {
		return value{}
	}
	all := []value{}
	for _, parent := range class.Parents {
		if parent.Rel != "" || file.Language == "python" {
			all = append(all, b.classOf(b.eval(file, parent.Type)))
		}
	}
	return value{kind: isAll, args: all}
}

// member returns the value of a member. For a property it is the result of its function.
func (b *binder) member(of value, name string) value {
	target := b.lookup(of, name)
	for range 10 {
		if target.kind != isDeclared {
			return target
		}
		function := target.file.Funcs[target.name]
		if function == nil || !function.Property {
			return target
		}
		target = b.eval(target.file, function.Result)
	}
	return value{}
}

// lookup finds a member by its name in a value, its class and the parents of that.
func (b *binder) lookup(of value, name string) value {
	if b.fuel <= 0 {
		return value{}
	}
	b.fuel--
	switch of.kind {
	case isModule, isFolder:
		return b.exportOf(of, name)
	case isDeclared:
		if held := b.content(of); !held.same(of) {
			return b.lookup(held, name)
		}
		return b.lookupInClass(of.file, of.name, name, map[string]bool{})
	case isInstance:
		return b.lookupInClass(of.file, of.name, name, map[string]bool{})
	case isShape:
		return b.eval(of.file, of.expr.Fields[name])
	case isAll:
		for _, v := range of.args {
			if target := b.lookup(b.content(v), name); target.kind != isUnknown {
				return target
			}
		}
	case isSome:
		return b.lookupInSome(of.args, name)
	}
	return value{}
}

// lookupInSome finds a member that is the same in all values, else unknown.
func (b *binder) lookupInSome(values []value, name string) value {
	first := value{}
	for i, v := range values {
		target := b.lookup(v, name)
		if target.kind == isUnknown || i > 0 && !target.same(first) {
			return value{}
		}
		first = target
	}
	return first
}

// lookupInClass finds a member of a class or of its parents, in the order of the text.
// visited holds the classes that were searched already.
func (b *binder) lookupInClass(file *syntax.Places, class, name string, visited map[string]bool) value {
	key := file.Path + "#" + class
	if visited[key] || b.fuel <= 0 {
		return value{}
	}
	visited[key] = true
	b.fuel--
	for _, part := range b.partsOf(file, class) {
		c := part.file.Classes[part.name]
		if c == nil {
			continue
		}
		if holds := c.Members[name]; holds != nil {
			return b.eval(part.file, holds)
		}
		for _, parent := range c.Parents {
			up := b.classOf(b.content(b.eval(part.file, parent.Type)))
			if up.kind == isInstance {
				if target := b.lookupInClass(up.file, up.name, name, visited); target.kind != isUnknown {
					return target
				}
			} else if target := b.lookup(up, name); target.kind != isUnknown {
				return target
			}
		}
	}
	return value{}
}

// result returns the result of a call expression.
func (b *binder) result(file *syntax.Places, e *syntax.Expr) value {
	if e.Of != nil && e.Of.Op == syntax.Member {
		if of := b.content(b.eval(file, e.Of.Of)); of.kind == isMade || of.kind == isForeign {
			return b.builtin(of, e.Of.Name, b.evalAll(file, e.Args))
		}
	}
	return b.resultOf(b.eval(file, e.Of))
}

// resultOf returns the result of calling a value.
func (b *binder) resultOf(of value) value {
	of = b.content(of)
	switch of.kind {
	case isDeclared:
		if function := of.file.Funcs[of.name]; function != nil {
			return b.eval(of.file, function.Result)
		}
		if callsClasses(of.file.Language) {
			return b.instance(of, nil)
		}
	case isLambda:
		return b.eval(of.file, of.expr.Of)
	case isInstance:
		if called := of.file.Classes[of.name]; called != nil && called.Members["()"] != nil {
			return b.eval(of.file, called.Members["()"])
		}
	case isForeign:
		return value{kind: isMade, name: of.name}
	}
	return value{}
}

// partAt returns the element of a tuple or list at a place.
func (b *binder) partAt(of value, place string) value {
	if of.kind != isMade {
		return value{}
	}
	if n, err := strconv.Atoi(place); err == nil && of.name == "[]" {
		if n < len(of.args) {
			return of.args[n]
		}
		return value{}
	}
	return b.element(of, place)
}

// awaited returns the result of await: the value inside a promise, and any other value unchanged. With how
// "enter" it is the value that a with statement assigns, with "try" the value inside an Option or Result.
func (b *binder) awaited(of value, how string) value {
	hasParts := of.kind == isMade && len(of.args) > 0
	switch {
	case how == "enter":
		return b.enteredValue(of)
	case how == "try" && hasParts && slices.Contains(options, of.name):
		return b.content(of.args[0])
	case how == "try":
		return value{}
	case hasParts && slices.Contains(promises, of.name):
		return b.content(of.args[len(of.args)-1])
	}
	return of
}
