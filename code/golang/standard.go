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

// standard holds the declarations of the standard library. A package is parsed at its first
// import and cached, so that its types are the same in all checks.
var standard = struct {
	sync.Mutex
	texts    func() map[string][]byte // by path
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

// importStandard returns a package of the standard library; nil if there is none of the
// path.
func importStandard(importPath string) *types.Package {
	standard.Lock()
	defer standard.Unlock()
	return loadStandard(importPath)
}

// loadStandard is importStandard for a caller that holds the lock.
func loadStandard(importPath string) *types.Package {
	text, ok := standard.texts()[importPath]
	if !ok {
		return nil
	}
	if pkg := standard.packages[importPath]; pkg != nil {
		return pkg
	}
	file, err := parse(standard.set, importPath, text, 0)
	if err != nil {
		return nil
	}
	pkg := check(standard.set, unit{path: importPath, name: file.Name.Name}, []*ast.File{file}, importerFunc(loadStandard), nil)
	standard.packages[importPath] = pkg
	return pkg
}
