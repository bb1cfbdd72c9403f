package bind

import (
	"fmt"
	"strings"

	"github.com/scip-code/scip/bindings/go/scip"
	"google.golang.org/protobuf/proto"

	"hence/code/symbol"
	"hence/code/syntax"
)

// Index is an index of a repository that a compiler wrote in the SCIP format. It holds the
// definition of each name, but does not tell calls from other uses.
type Index struct {
	documents map[string]map[occurrence][]string // by path: the symbols at a place
	defined   map[string][]definition            // by symbol; the path precedes a local symbol
	packages  map[string]bool                    // packages with a definition in the index
}

// occurrence is the place of a symbol that is used.
type occurrence struct{ from, to position }

type definition struct {
	path string
	at   position
}

// position is a line and a character in it, both from 0, in the units of the index.
type position struct{ line, character int32 }

// ReadIndex parses the bytes of index.scip.
func ReadIndex(text []byte) (*Index, error) {
	read := &scip.Index{}
	if err := proto.Unmarshal(text, read); err != nil {
		return nil, fmt.Errorf("index.scip is not in the SCIP format: %w", err)
	}
	x := &Index{documents: map[string]map[occurrence][]string{}, defined: map[string][]definition{}, packages: map[string]bool{}}
	for _, document := range read.Documents {
		x.add(document)
	}
	return x, nil
}

func (x *Index) add(document *scip.Document) {
	all := map[occurrence][]string{}
	for _, o := range document.Occurrences {
		r, ok := o.SourceRange()
		if !ok || o.Symbol == "" {
			continue
		}
		at := occurrence{position{r.Start.Line, r.Start.Character}, position{r.End.Line, r.End.Character}}
		name := o.Symbol
		if strings.HasPrefix(name, "local ") {
			name = document.RelativePath + " " + name
		}
		if o.SymbolRoles&int32(scip.SymbolRole_Definition) != 0 {
			x.defined[name] = append(x.defined[name], definition{document.RelativePath, at.from})
			x.packages[packageOf(name)] = true
		} else {
			all[at] = append(all[at], name)
		}
	}
	x.documents[document.RelativePath] = all
}

// bindExactly binds a call by the index. It reports whether the index knows the target: a
// declaration, for which it adds a reference, or a symbol outside the repository. A
// variable of the repository does not count, because the index does not hold its value.
func (b *binder) bindExactly(call syntax.Call) bool {
	if b.index == nil || b.index.documents[b.file.Path] == nil {
		return false
	}
	from := position{int32(call.Line - 1), int32(call.Column)}
	symbols := b.index.documents[b.file.Path][occurrence{from, position{from.line, from.character + int32(call.Width)}}]
	isForeign := false
	for _, name := range symbols {
		for _, defined := range b.index.defined[name] {
			target, ok := b.declaredAt(defined)
			if !ok {
				continue
			}
			b.referCall(call, target, symbol.ByScip)
			return true
		}
		isForeign = isForeign || len(b.index.defined[name]) == 0 && !b.index.packages[packageOf(name)]
	}
	return isForeign
}

// packageOf returns the part of a symbol that names its package: scheme, manager, name
// and version.
func packageOf(name string) string {
	end := 0
	for range 4 {
		space := strings.IndexByte(name[end:], ' ')
		if space < 0 {
			return name
		}
		end += space + 1
	}
	return name[:end]
}

// declaredAt returns the declaration whose name is at the place of a definition; false if
// there is none.
func (b *binder) declaredAt(d definition) (value, bool) {
	file := b.files[d.path]
	if file == nil {
		return value{}, false
	}
	if b.spots[d.path] == nil {
		all := map[position]string{}
		for name, spots := range file.Spots {
			for _, spot := range spots {
				all[position{int32(spot.Line - 1), int32(spot.Column)}] = name
			}
		}
		b.spots[d.path] = all
	}
	name, ok := b.spots[d.path][d.at]
	return value{kind: isDeclared, file: file, name: name}, ok
}
