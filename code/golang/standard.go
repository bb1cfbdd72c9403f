package golang

import (
	_ "embed"
	"go/ast"
	"go/token"
	"go/types"
	"sync"

	"golang.org/x/tools/txtar"
)

//go:generate go run standard_make.go

//go:embed standard.txt
var standardText []byte

// standard is the declarations of the standard library. A package is read when it is
// first imported, and kept: its types are the same in all checks.
var standard = struct {
	sync.Mutex
	texts    func() map[string][]byte
	packages map[string]*types.Package
	set      *token.FileSet
}{
	texts: sync.OnceValue(func() map[string][]byte {
		texts := map[string][]byte{}
		for _, file := range txtar.Parse(standardText).Files {
			texts[file.Name] = file.Data
		}
		return texts
	}),
	packages: map[string]*types.Package{},
	set:      token.NewFileSet(),
}

// importStandard returns a package of the standard library; nil where there is none of
// the path.
func importStandard(of string) *types.Package {
	standard.Lock()
	defer standard.Unlock()
	return loadStandard(of)
}

func loadStandard(of string) *types.Package {
	text, ok := standard.texts()[of]
	if !ok {
		return nil
	}
	if pkg := standard.packages[of]; pkg != nil {
		return pkg
	}
	file, err := parse(standard.set, of, text, 0)
	if err != nil {
		return nil
	}
	pkg := check(standard.set, unit{path: of, name: file.Name.Name}, []*ast.File{file}, importerFunc(loadStandard), nil)
	standard.packages[of] = pkg
	return pkg
}
