package bind

import (
	"hence/code/symbol"
	"hence/code/syntax"
)

// binder binds the names of one file.
type binder struct {
	*repository
	file       *syntax.Places
	memo       map[memoKey]value   // cache of eval
	handed     map[handedKey]value // cache of parameterOf
	fuel       int                 // evaluation steps left for the current place
	work       int                 // steps of the places before
	limit      int                 // of work
	depth      int                 // of the recursion of eval
	references []symbol.Reference
	added      map[symbol.Reference]bool // references without evidence and place
}

type memoKey struct {
	file string
	expr *syntax.Expr
}

// refer adds a reference, once for each From, To, Kind and Rel.
func (b *binder) refer(from, to value, kind, rel string, evidence symbol.Evidence, at syntax.Spot) {
	r := symbol.Reference{Path: b.file.Path, From: keyOf(from), To: keyOf(to), Kind: kind, Rel: rel}
	if b.added[r] || r.From == r.To {
		return
	}
	b.added[r] = true
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

// here returns a declaration of the binder's file, or the file itself for "".
func (b *binder) here(name string) value { return value{file: b.file, name: name} }

// bindCalls adds the references of all calls. A call of a class also refers to its
// constructor.
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

// bindUses adds the references to functions that are used as values.
func (b *binder) bindUses() {
	for _, use := range b.file.Uses {
		target := b.evaluate(b.file, use.Of)
		if target.kind != isDeclared || target.file.Funcs[target.name] == nil {
			continue
		}
		if overloads(target.file.Language) && target.file.Funcs[target.name+"~2"] != nil {
			continue // which one depends on its arguments
		}
		b.refer(b.here(use.From), target, "refers-to", "uses", b.evidence(use.Of, target), use.Spot)
	}
}

// referCall adds a reference from a call to its target. If the target is a class, it adds
// one to the constructor too.
func (b *binder) referCall(call syntax.Call, target value, evidence symbol.Evidence) {
	b.refer(b.here(call.From), target, "calls", "", evidence, call.Spot)
	if target.file.Classes[target.name] == nil || target.file.Funcs[target.name] != nil {
		return
	}
	name := constructors[target.file.Language]
	if overloads(target.file.Language) {
		name = symbol.OwnName(target.name)
	}
	if name == "" {
		return
	}
	b.refill()
	constructor := b.lookup(value{kind: isInstance, file: target.file, name: target.name}, name)
	if constructor.kind != isDeclared || constructor.file.Funcs[constructor.name] == nil {
		return
	}
	if constructor = b.overload(constructor, call); constructor.kind == isDeclared {
		b.refer(b.here(call.From), constructor, "calls", "", evidence, call.Spot)
	}
}

// fuel is the largest number of steps for the evaluation of a place, so that no code makes
// it take too long. A place that needs more binds to nothing.
const fuel = 2000

// evaluate is eval with full fuel, so that the cost of one place does not affect another.
func (b *binder) evaluate(file *syntax.Places, e *syntax.Expr) value {
	b.refill()
	return b.eval(file, e)
}

// A file that takes more than leastWork steps, and workOfPlace more for each place, is left
// without references. Code that people write takes a tenth of that. It is no time, so that
// the same files always have the same references.
const leastWork, workOfPlace = 10_000, 100

// refill sets the fuel for the next place; none if the file takes too much work.
func (b *binder) refill() {
	b.work += fuel - b.fuel
	if b.fuel, b.depth = fuel, 0; b.work > b.limit {
		b.fuel = 0
	}
}

// isCallable reports whether a declaration can be the target of a call: a function, or a
// class that the call makes an instance of.
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

// callsClasses reports whether a call of a class, without new, makes an instance.
func callsClasses(language string) bool { return language == "python" || language == "rust" }

// constructors are the names of constructors, by language.
var constructors = map[string]string{"typescript": "constructor", "javascript": "constructor", "python": "__init__"}

// evidence returns the evidence for the target of a callee.
func (b *binder) evidence(callee *syntax.Expr, target value) symbol.Evidence {
	fileEvidence := b.fileEvidence(target)
	if callee.Op == syntax.First && len(callee.Args) > 1 { // may be a member of a class around
		if last := b.evaluate(b.file, callee.Args[len(callee.Args)-1]); fileEvidence == symbol.ByImport && !last.same(target) {
			return symbol.ByReceiver
		}
	}
	if callee.Op != syntax.Member {
		return fileEvidence
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
			return fileEvidence
		}
	}
	return symbol.ByDeclared
}

// bindParents adds references from classes to their parents, and from methods to those
// that they override or implement. The parents of a part of a class, such as an impl of
// Rust, are parents of the class.
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
				b.refer(from, up, "implements", parent.Rel, b.fileEvidence(up), at)
				b.bindOverrides(name, class, up, parent.Rel)
			}
		}
	}
}

// bindOverrides adds references from the methods of a class to the methods of a parent with
// the same names. Their rel is overrides, or "" if the parent is an interface (rel "").
func (b *binder) bindOverrides(name string, class *syntax.Class, up value, rel string) {
	if rel != "" {
		rel = "overrides"
	}
	for _, own := range class.Order {
		method := class.Members[own]
		isConstructor := own == constructors[b.file.Language] || own == "<new>" || own == symbol.OwnName(name)
		if method == nil || method.Op != syntax.Declared || isConstructor {
			continue
		}
		b.refill()
		overridden := b.lookup(up, own)
		if overridden.kind != isDeclared || overridden.file.Funcs[overridden.name] == nil {
			continue
		}
		if at, ok := b.spot(method.Name); ok {
			b.refer(b.here(method.Name), overridden, "implements", rel, b.fileEvidence(overridden), at)
		}
	}
}

// fileEvidence returns ByFile for a declaration of the binder's file, else ByImport.
func (b *binder) fileEvidence(v value) symbol.Evidence {
	if v.file == b.file {
		return symbol.ByFile
	}
	return symbol.ByImport
}
