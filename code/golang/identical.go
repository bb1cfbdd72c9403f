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
// closing, and a type parameter that may be any type is $ and its index.
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
		if it, ok := t.Constraint().Underlying().(*types.Interface); !ok || it.NumMethods()+it.NumEmbeddeds() > 0 {
			w.WriteString("constrained " + strconv.Itoa(int(t.Obj().Pos()))) // the same as no other
		}
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
// interface, or of an instance of a generic one. Parameters with a constraint other than
// comparable have no arguments, because the texts do not tell what satisfies it.
func fits(c, it class) bool {
	isGeneric := c.isGeneric || it.isGeneric
	arguments := map[string]string{}
	for _, wanted := range it.methods {
		m, ok := c.method(wanted.id)
		if !ok || !isGeneric && m.shape != wanted.shape || isGeneric && !equal(m.shape.Value(), wanted.shape.Value(), arguments) {
			return false
		}
	}
	return true
}

// equal reports whether two shapes, of a type and of an interface, are equal with arguments
// in place of their type parameters. It adds the arguments that this takes. The argument of
// a type's parameter has no parameter in it.
func equal(a, b string, arguments map[string]string) bool {
	for a != "" && b != "" {
		inA, inB := termEnd(a), termEnd(b)
		parameter, argument := "", ""
		switch {
		case strings.HasPrefix(b, parameterMark):
			parameter, argument = "interface "+b[:inB], a[:inA]
		case strings.HasPrefix(a, parameterMark) && !strings.Contains(b[:inB], parameterMark):
			parameter, argument = a[:inA], b[:inB]
		default:
			parameter, argument, inA, inB = a[:1], b[:1], 1, 1
			arguments[parameter] = parameter
		}
		if arguments[parameter] == "" {
			arguments[parameter] = argument
		}
		if arguments[parameter] != argument {
			return false
		}
		a, b = a[inA:], b[inB:]
	}
	return a == b
}

// parameterMark begins the term of a type parameter.
const parameterMark = string(opening) + "$"

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
