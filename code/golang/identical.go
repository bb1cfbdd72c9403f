package golang

import (
	"go/types"
	"hash/maphash"
	"slices"
	"strconv"
	"strings"
)

var methodSeed = maphash.MakeSeed()

// methodID returns a hash of a method's name and type, the same for identical methods; ok
// is false if the type is unknown or too large.
func methodID(f *types.Func, signature *types.Signature) (id uint64, ok bool) {
	w := typeWriter{ok: true, remaining: maxTypes}
	w.method(f, signature)
	return maphash.String(methodSeed, w.String()), w.ok
}

// typeWriter writes types so that identical ones (types.Identical) have the same text,
// even if their packages were checked separately.
type typeWriter struct {
	strings.Builder
	ok        bool // no unknown type, and not too large
	remaining int  // how many more types may be written
}

// maxTypes is the largest number of types in the text of a method's type. An interface may
// embed itself in the type of its own method, so that its text would have no end:
// type T interface{ m() interface{ T } }.
const maxTypes = 10_000

func (w *typeWriter) method(f *types.Func, signature *types.Signature) {
	if !f.Exported() && f.Pkg() != nil {
		w.WriteString(f.Pkg().Path() + " ")
	}
	w.WriteString(f.Name())
	w.signature(signature)
}

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
		w.method(f, f.Signature())
		w.WriteByte(';')
	}
	w.WriteByte('}')
}
