// Package symbol defines the results of reading source code: the declarations of a file,
// and the references between declarations. Packages golang, syntax and bind make these
// values, and package code turns them into memories and edges.
package symbol

import (
	"strings"

	"hence/projection/tokens"
)

// File is what one file of a repository declares.
type File struct {
	Path         string // from the repository's root, with slashes
	Language     string // go, typescript, javascript, python, rust, java, c …
	Module       string // scope of unique names: the folder of a Go package, else the file's path
	Package      string // the name of a Go package, else ""
	Doc          string // the comment of the package or file, without comment marks
	Generated    bool   // a comment says that it is generated; Declarations is empty then
	Broken       bool   // it does not parse; the declarations are those that could be read
	Elsewhere    bool   // only builds for other systems or tags include it; its names are numbered last in the module
	Surface      string // hash of everything that references in other files depend on; "": any change may matter to them
	Declarations []Declaration
}

// Declaration is a function, method, type, exported constant or variable, or a test.
type Declaration struct {
	Name      string // within its module: Func, Type.Method, Class.method; the second of a name ends with ~2
	Title     string // as people write it: db.DB.Write
	Sort      Sort
	Exported  bool
	Test      bool
	Doc       string // its comment, without comment marks
	Signature string // its text without its body
	Start     int    // bytes from the start of the file; after its comment
	End       int    // exclusive
	StartLine int    // from 1
	EndLine   int
	Tokens    tokens.Sum
}

// Sort is the sort of a declaration.
type Sort string

const (
	Func      Sort = "func"
	Method    Sort = "method"
	Type      Sort = "type"
	Interface Sort = "interface"
	Class     Sort = "class"
	Const     Sort = "const"
	Var       Sort = "var"
)

// Key names a declaration, a module or a file within its repository. It is the part of the
// uri after the repository's name: internal/db#DB.Write, src/a.ts#Class.method,
// internal/db, src/a.ts.
type Key string

// KeyOf returns the key of a declaration.
func KeyOf(module, name string) Key { return Key(module + "#" + name) }

// Plain returns the name of a declaration without its number (~2).
func Plain(name string) string {
	name, _, _ = strings.Cut(name, "~")
	return name
}

// OwnName returns the last part of the name of a declaration, without its number.
func OwnName(name string) string {
	name = Plain(name)
	return name[strings.LastIndexByte(name, '.')+1:]
}

// Reference is a place in a file that refers to a declaration, a module or a file of
// the same repository. A file has one for each From, To, Kind and Rel: the first place.
type Reference struct {
	Path  string // of the file that holds it
	From  Key    // a declaration, the module of the file, or the file
	To    Key
	Kind  string   // calls, imports, implements, refers-to
	Rel   string   // extends, embeds, overrides, uses; "" if the kind is enough
	By    Evidence // equal names alone are not evidence
	Start int      // bytes from the start of the file
	End   int      // exclusive
	Line  int      // from 1
}

// Evidence is the reason why a reference is bound to its target.
type Evidence string

const (
	ByTypes    Evidence = "types"    // a type checker
	ByScip     Evidence = "scip"     // an index that a compiler wrote
	ByFile     Evidence = "file"     // declared in the same file
	ByImport   Evidence = "import"   // imported by name, also through re-exports
	ByReceiver Evidence = "receiver" // this, self or super
	ByDeclared Evidence = "declared" // the declared type of the receiver
)
