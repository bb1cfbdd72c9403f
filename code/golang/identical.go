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
	generic := len(c.parameters)+len(it.parameters) > 0
	f := fitting{ofClass: map[string]string{}, ofInterface: map[string]string{}}
	for _, wanted := range it.methods {
		m, ok := c.method(wanted.id)
		if !ok || !generic && m.shape != wanted.shape || generic && !f.equal(m.shape.Value(), wanted.shape.Value()) {
			return false
		}
	}
	for parameter, argument := range f.ofClass {
		if !satisfies(argument, limitOf(c, parameter), c) {
			return false
		}
	}
	for parameter, argument := range f.ofInterface {
		if !satisfies(argument, limitOf(it, parameter), c) {
			return false
		}
	}
	return true
}

// fitting holds the arguments for type parameters, of a type and of an interface, with which
// their shapes are equal.
type fitting struct{ ofClass, ofInterface map[string]string }

// equal reports whether two shapes are equal with the arguments, to which it adds. The
// argument of a type's parameter has no parameter in it.
func (f fitting) equal(a, b string) bool {
	for a != "" && b != "" {
		inA, inB := 1, 1
		switch {
		case strings.HasPrefix(b, parameterMark):
			if inA, inB = termEnd(a), termEnd(b); !isArgument(f.ofInterface, b[:inB], a[:inA]) {
				return false
			}
		case strings.HasPrefix(a, parameterMark):
			if inA, inB = termEnd(a), termEnd(b); strings.Contains(b[:inB], parameterMark) || !isArgument(f.ofClass, a[:inA], b[:inB]) {
				return false
			}
		case a[0] != b[0]:
			return false
		}
		a, b = a[inA:], b[inB:]
	}
	return a == b
}

// parameterMark begins the term of a type parameter.
const parameterMark = string(opening) + "$"

// isArgument reports whether a term is the argument of a parameter, or becomes it.
func isArgument(arguments map[string]string, parameter, term string) bool {
	if arguments[parameter] == "" {
		arguments[parameter] = term
	}
	return arguments[parameter] == term
}

// termEnd returns the length of the term that a text begins with.
func termEnd(text string) int {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case opening:
			depth++
		case closing:
			depth--
		}
		if depth == 0 {
			return i + 1
		}
	}
	return len(text)
}

// satisfies reports whether an argument, which may be a parameter of a type, satisfies a
// constraint. It refuses one of which the texts do not tell that.
func satisfies(argument, wanted string, c class) bool {
	switch isParameter := strings.HasPrefix(argument, parameterMark); {
	case wanted == "":
		return true
	case isParameter: // both constraints need a common type
		other := limitOf(c, argument)
		return other == "" || other == wanted || other == comparable || wanted == comparable
	case wanted == comparable:
		return !slices.ContainsFunc([]string{"[]", "map[", "func"}, func(prefix string) bool { return strings.HasPrefix(argument[1:], prefix) })
	}
	return strings.Contains(wanted, "|"+argument+"|")
}

func limitOf(of class, parameter string) string {
	i, err := strconv.Atoi(strings.Trim(parameter, parameterMark+string(closing)))
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
