package bind

import (
	"hence/code/symbol"
	"hence/code/syntax"
)

// binder binds one file.
type binder struct {
	*Repository
	file       *syntax.Places
	memo       map[memoKey]value
	fuel       int // steps left for the place at hand
	depth      int
	references []symbol.Reference
	once       map[symbol.Reference]bool
}

type memoKey struct {
	file string
	expr *syntax.Expr
}

// refer adds a reference, once for each From, To, Kind and Rel.
func (b *binder) refer(from, to value, kind, rel string, evidence symbol.Evidence, at syntax.Spot) {
	r := symbol.Reference{Path: b.file.Path, From: keyOf(from), To: keyOf(to), Kind: kind, Rel: rel}
	if b.once[r] || r.From == r.To {
		return
	}
	b.once[r] = true
	r.By, r.Start, r.End, r.Line = evidence, at.Start, at.End, at.Line
	b.references = append(b.references, r)
}

// keyOf returns the key of a declaration, or of its file for a value without a name.
func keyOf(v value) symbol.Key {
	if v.name == "" {
		return symbol.Key(v.file.Path)
	}
	return symbol.KeyOf(v.file.Path, v.name)
}

// here returns a declaration of the file that is bound, or the file.
func (b *binder) here(name string) value { return value{file: b.file, name: name} }

// bindCalls binds each call, and a class that is called to its constructor too.
func (b *binder) bindCalls() {
	for _, call := range b.file.Calls {
		if b.bindExactly(call) {
			continue
		}
		target := b.evaluate(b.file, call.Callee)
		if target.kind != isDeclared {
			continue
		}
		target = b.overload(target, call)
		if target.kind != isDeclared || !b.isCallable(target, call) {
			continue
		}
		evidence := b.evidence(call.Callee, target)
		b.referCall(call, target, evidence)
	}
}

// referCall adds what a call means: a class and the function that makes its values are
// both called.
func (b *binder) referCall(call syntax.Call, target value, evidence symbol.Evidence) {
	b.refer(b.here(call.From), target, "calls", "", evidence, call.Spot)
	if target.file.Classes[target.name] == nil || target.file.Funcs[target.name] != nil {
		return
	}
	name := constructors[target.file.Language]
	if target.file.Language == "java" || target.file.Language == "csharp" || target.file.Language == "cpp" {
		name = lastName(target.name)
	}
	if name == "" {
		return
	}
	b.fuel, b.depth = fuel, 0
	made := b.lookup(value{kind: isInstance, file: target.file, name: target.name}, name)
	if made.kind != isDeclared || made.file.Funcs[made.name] == nil {
		return
	}
	if made = b.overload(made, call); made.kind == isDeclared {
		b.refer(b.here(call.From), made, "calls", "", evidence, call.Spot)
	}
}

// fuel is how many steps the evaluation of a place may take. A place that is made to
// take more binds to nothing.
const fuel = 2000

// evaluate gives each place the same number of steps, so that what one place costs
// changes nothing for another.
func (b *binder) evaluate(file *syntax.Places, e *syntax.Expr) value {
	b.fuel, b.depth = fuel, 0
	return b.eval(file, e)
}

// isCallable reports whether a declaration can be what a call means: a function, or a
// class that the call makes a value of.
func (b *binder) isCallable(v value, call syntax.Call) bool {
	if v.file.Funcs[v.name] != nil {
		return true
	}
	class := v.file.Classes[v.name]
	if class == nil {
		return false
	}
	if class.Holds != nil {
		return !call.New || len(class.Members) == 0
	}
	return call.New || !class.Object && callsClasses(v.file.Language)
}

// callsClasses reports whether a class is made a value of by a call of its name.
func callsClasses(language string) bool { return language == "python" || language == "rust" }

// constructors are the names that languages give to what makes a value.
var constructors = map[string]string{"typescript": "constructor", "javascript": "constructor", "python": "__init__", "php": "__construct", "ruby": "initialize"}

// evidence says how a callee was bound.
func (b *binder) evidence(callee *syntax.Expr, target value) symbol.Evidence {
	same := b.sameFile(target)
	if callee.Op == syntax.First && len(callee.Args) > 1 { // of a class around
		if last := b.evaluate(b.file, callee.Args[len(callee.Args)-1]); same == symbol.ByImport && !last.same(target) {
			return symbol.ByReceiver
		}
	}
	if callee.Op != syntax.Member {
		return same
	}
	switch callee.Of.Op {
	case syntax.Self, syntax.Super:
		return symbol.ByReceiver
	}
	switch of := b.evaluate(b.file, callee.Of); of.kind {
	case isModule:
		return symbol.ByImport
	case isDeclared:
		if class := of.file.Classes[of.name]; class != nil && class.Holds == nil {
			return same
		}
	}
	return symbol.ByDeclared
}

// bindParents binds what classes are made from, and methods to those that they stand
// in for. A part of a class says it of the class.
func (b *binder) bindParents() {
	for _, name := range sortedClasses(b.file) {
		class, from := b.file.Classes[name], b.here(name)
		at, declared := b.spot(name)
		if !declared && class.Of != nil {
			from, at = b.evaluate(b.file, class.Of), class.At
		}
		if !declared && from.kind != isDeclared {
			continue
		}
		for _, parent := range class.Parents {
			up := b.classOf(b.evaluate(b.file, parent.Type))
			if up.kind == isInstance {
				b.refer(from, up, "implements", parent.Rel, b.sameFile(up), at)
				b.bindOverrides(name, class, up, parent.Rel)
			}
		}
	}
}

// bindOverrides binds the methods of a class to those of a parent that they stand in
// for: overrides, or nothing more to say for those of an interface.
func (b *binder) bindOverrides(name string, class *syntax.Class, up value, rel string) {
	if rel != "" {
		rel = "overrides"
	}
	for _, own := range class.Order {
		method := class.Members[own]
		isMaker := own == constructors[b.file.Language] || own == "<new>" || own == lastName(name)
		if method == nil || method.Op != syntax.Declared || isMaker {
			continue
		}
		b.fuel, b.depth = fuel, 0
		over := b.lookup(up, own)
		if over.kind != isDeclared || over.file.Funcs[over.name] == nil {
			continue
		}
		if at, ok := b.spot(method.Name); ok {
			b.refer(b.here(method.Name), over, "implements", rel, b.sameFile(over), at)
		}
	}
}

// sameFile is the evidence for what the file declares, or another that it imports.
func (b *binder) sameFile(v value) symbol.Evidence {
	if v.file == b.file {
		return symbol.ByFile
	}
	return symbol.ByImport
}
