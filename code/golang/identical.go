package golang

import (
	"go/types"
	"slices"
	"strconv"
	"strings"
	"unique"
)

// shape is the text of a method's type, see typeWriter. Equal texts are stored once.
type shape = unique.Handle[string]

// shapeOf returns the shape of a method's type; ok is false if it is unknown or too large.
func shapeOf(signature *types.Signature) (s shape, ok bool) {
	w := typeWriter{ok: true, remaining: maxTypes}
	w.signature(signature)
	return unique.Make(w.String()), w.ok
}

// typeWriter writes types so that identical ones (types.Identical) have the same text,
// even if their packages were checked separately. Each type stands between opening and
// closing, and a type parameter is $ and its index.
type typeWriter struct {
	strings.Builder
	ok        bool // no unknown type, and not too large
	remaining int  // how many more types may be written
}

const opening, closing = '\x01', '\x02'

// maxTypes is the largest number of types in the text of a method's type. An interface may
// embed itself in the type of its own method, so that its text would have no end:
// type T interface{ m() interface{ T } }.
const maxTypes = 10_000

func (w *typeWriter) signature(s *types.Signature) {
	w.tuple(s.Params())
	if s.Variadic() {
		w.WriteString("…")
	}
	w.tuple(s.Results())
}

func (w *typeWriter) tuple(t *types.Tuple) {
	w.WriteByte('(')
	for v := range t.Variables() {
		w.typ(v.Type())
		w.WriteByte(',')
	}
	w.WriteByte(')')
}

func (w *typeWriter) typ(t types.Type) {
	if w.remaining--; w.remaining < 0 {
		w.ok = false
		return
	}
	w.WriteByte(opening)
	defer w.WriteByte(closing)
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		if t.Kind() == types.Invalid {
			w.ok = false
		}
		w.WriteString(types.Typ[t.Kind()].Name()) // byte is uint8
	case *types.Named:
		w.writeNamed(t)
	case *types.Pointer:
		w.WriteByte('*')
		w.typ(t.Elem())
	case *types.Slice:
		w.WriteString("[]")
		w.typ(t.Elem())
	case *types.Array:
		w.WriteString("[" + strconv.FormatInt(t.Len(), 10) + "]")
		w.typ(t.Elem())
	case *types.Map:
		w.WriteString("map[")
		w.typ(t.Key())
		w.WriteByte(']')
		w.typ(t.Elem())
	case *types.Chan:
		w.WriteString("chan" + strconv.Itoa(int(t.Dir())) + " ")
		w.typ(t.Elem())
	case *types.Signature:
		w.WriteString("func")
		w.signature(t)
	case *types.Struct:
		w.structure(t)
	case *types.Interface:
		w.contract(t)
	case *types.TypeParam:
		w.WriteString("$" + strconv.Itoa(t.Index()))
	default:
		w.ok = false
	}
}

func (w *typeWriter) writeNamed(t *types.Named) {
	if pkg := t.Obj().Pkg(); pkg != nil {
		w.WriteString(pkg.Path())
	}
	w.WriteString("." + t.Obj().Name())
	if args := t.TypeArgs(); args.Len() > 0 {
		w.WriteByte('[')
		for arg := range args.Types() {
			w.typ(arg)
			w.WriteByte(',')
		}
		w.WriteByte(']')
	}
}

func (w *typeWriter) structure(t *types.Struct) {
	w.WriteString("struct{")
	for i := range t.NumFields() {
		field := t.Field(i)
		if !field.Exported() && field.Pkg() != nil {
			w.WriteString(field.Pkg().Path() + " ")
		}
		if field.Embedded() {
			w.WriteByte('!')
		}
		w.WriteString(field.Name() + " ")
		w.typ(field.Type())
		w.WriteString(" " + strconv.Quote(t.Tag(i)) + ";")
	}
	w.WriteByte('}')
}

func (w *typeWriter) contract(t *types.Interface) {
	if !t.IsMethodSet() {
		w.ok = false
		return
	}
	methods := slices.Collect(t.Methods())
	slices.SortFunc(methods, func(a, b *types.Func) int { return strings.Compare(a.Id(), b.Id()) }) // Ids are unique
	w.WriteString("interface{")
	for _, f := range methods {
		w.WriteString(f.Id())
		w.signature(f.Signature())
		w.WriteByte(';')
	}
	w.WriteByte('}')
}

// fits reports whether a type, or an instance of a generic one, has all methods of an
// interface, or of an instance of a generic one.
func fits(c, it class) bool {
	f := fitting{c: c, it: it, bound: map[term]term{}, fuel: maxTypes}
	for _, wanted := range it.methods {
		m, ok := c.method(wanted.id)
		if !ok {
			return false
		}
		if len(c.parameters)+len(it.parameters) == 0 {
			ok = m.shape == wanted.shape
		} else {
			ok = f.equal(term{m.shape.Value(), false}, term{wanted.shape.Value(), true})
		}
		if !ok {
			return false
		}
	}
	for parameter := range f.bound {
		if !f.satisfies(parameter) {
			return false
		}
	}
	return true
}

// term is a part of a shape: of a type's, or (ofInterface) of an interface's.
type term struct {
	text        string
	ofInterface bool
}

func (t term) isParameter() bool { return strings.HasPrefix(t.text, string(opening)+"$") }

// fitting finds the arguments for type parameters with which shapes are equal.
type fitting struct {
	c, it class
	bound map[term]term
	fuel  int
}

func (f *fitting) resolve(t term) term {
	for {
		next, ok := f.bound[t]
		if !ok {
			return t
		}
		t = next
	}
}

// equal binds type parameters so that two terms are equal. It reports false if that cannot
// be, or takes too many steps.
func (f *fitting) equal(x, y term) bool {
	x, y = f.resolve(x), f.resolve(y)
	f.fuel -= 1 + (len(x.text)+len(y.text))/100
	switch {
	case f.fuel < 0:
		return false
	case x == y:
		return true
	case x.isParameter():
		return f.bind(x, y)
	case y.isParameter():
		return f.bind(y, x)
	}
	a, b := x.text, y.text
	for first := true; a != "" && b != ""; first = false {
		if !first && a[0] == opening && b[0] == opening {
			inA, inB := termEnd(a), termEnd(b)
			if !f.equal(term{a[:inA], x.ofInterface}, term{b[:inB], y.ofInterface}) {
				return false
			}
			a, b = a[inA:], b[inB:]
		} else if a[0] != b[0] {
			return false
		} else {
			a, b = a[1:], b[1:]
		}
	}
	return a == b
}

// termEnd returns the length of the term that a text begins with.
func termEnd(text string) int {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case opening:
			depth++
		case closing:
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(text)
}

// bind binds a parameter to a term, unless the term contains the parameter.
func (f *fitting) bind(parameter, t term) bool {
	if f.contains(t, parameter) {
		return false
	}
	f.bound[parameter] = t
	return true
}

func (f *fitting) contains(t, parameter term) bool {
	if f.fuel--; f.fuel < 0 {
		return true
	}
	for rest := t.text; ; {
		at := strings.Index(rest, string(opening)+"$")
		if at < 0 {
			return false
		}
		rest = rest[at:]
		end := termEnd(rest)
		inner := term{rest[:end], t.ofInterface}
		if resolved := f.resolve(inner); resolved == parameter || resolved != inner && f.contains(resolved, parameter) {
			return true
		}
		rest = rest[end:]
	}
}

// satisfies reports whether the argument of a parameter satisfies its constraint. It refuses
// an argument of which the texts do not tell that.
func (f *fitting) satisfies(parameter term) bool {
	t, constraint := f.resolve(parameter), f.constraint(parameter)
	switch {
	case constraint == "":
		return true
	case t.isParameter(): // not bound; both constraints need a common type
		other := f.constraint(t)
		return other == "" || other == constraint || other == comparable || constraint == comparable
	case constraint == comparable:
		return !slices.ContainsFunc([]string{"[]", "map[", "func"}, func(prefix string) bool { return strings.HasPrefix(t.text[1:], prefix) })
	}
	return strings.Contains(constraint, "|"+t.text+"|")
}

func (f *fitting) constraint(parameter term) string {
	of := f.c
	if parameter.ofInterface {
		of = f.it
	}
	i, err := strconv.Atoi(strings.Trim(parameter.text, string(opening)+"$"+string(closing)))
	if err != nil || i >= len(of.parameters) {
		return ""
	}
	return of.parameters[i]
}

const comparable = "comparable"

// constraintOf returns the constraint of a type parameter as a text: "" for any,
// comparable, |the types of a union|, or for methods the name of the constraint.
func constraintOf(p *types.TypeParam) string {
	it, ok := p.Constraint().Underlying().(*types.Interface)
	if !ok {
		return "unknown"
	}
	union, ok := unionOf(it)
	switch {
	case !ok || it.NumMethods() > 0:
		return "methods of " + p.Constraint().String()
	case union != "":
		return "|" + union
	case it.IsComparable():
		return comparable
	}
	return ""
}

// unionOf returns the types that an interface lists, each with | after it; ok is false for
// an intersection of lists, and for a list that is too large.
func unionOf(it *types.Interface) (union string, ok bool) {
	for t := range it.EmbeddedTypes() {
		one := ""
		switch u := types.Unalias(t).(type) {
		case *types.Union:
			for member := range u.Terms() {
				text, ok := listed(member.Type())
				if !ok {
					return "", false
				}
				one += text
			}
		default:
			if one, ok = listed(t); !ok {
				return "", false
			}
		}
		if union != "" && one != "" {
			return "", false
		}
		union += one
	}
	return union, len(union) < maxTypes
}

func listed(t types.Type) (string, bool) {
	if it, ok := t.Underlying().(*types.Interface); ok {
		return unionOf(it)
	}
	w := typeWriter{ok: true, remaining: maxTypes}
	w.typ(t)
	return w.String() + "|", w.ok
}
