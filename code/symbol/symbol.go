// Package symbol holds what a reader of source code says: the declarations of a
// file, and the references between declarations. Packages golang, syntax and bind
// make these values, and package code turns them into memories and edges.
package symbol

// File is what one file of a repository declares.
type File struct {
	Path         string // from the repository's root, with slashes
	Language     string // go, typescript, javascript, python, rust, java, c …
	Module       string // what its names are unique in: the folder of a Go package, else the file's path
	Package      string // what people call it: the name of a Go package, else ""
	Doc          string // the comment of a package or file, without the comment's marks
	Generated    bool   // it says so itself; it has no declarations then
	Broken       bool   // it does not parse; the declarations are those that could be read
	Elsewhere    bool   // only builds for other systems or with other tags have it: its names come last in the module
	Surface      string // hash of all that references in other files depend on; "" where any change may matter to them
	Declarations []Declaration
}

// Declaration is a function, method, type, exported constant or variable, or a test.
type Declaration struct {
	Name      string // within its module: Func, Type.Method, Class.method; a second one of a name has ~2
	Title     string // as people write it: db.DB.Write
	Sort      Sort
	Exported  bool
	Test      bool
	Doc       string // its comment, without the comment's marks
	Signature string // as it is written, without its body
	Start     int    // bytes from the start of the file; its comment not included
	End       int
	StartLine int // from 1
	EndLine   int
	Tokens    Tokens
}

// Sort is a sort of declaration.
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

// Key names a declaration, a module or a file within its repository, as its uri does
// behind the repository's name: internal/db#DB.Write, src/a.ts#Class.method,
// internal/db, src/a.ts.
type Key string

// KeyOf returns the key of a declaration.
func KeyOf(module, name string) Key { return Key(module + "#" + name) }

// Reference is a place in a file that refers to a declaration, a module or a file of
// the same repository. A file has one for each From, To, Kind and Rel: the first place.
type Reference struct {
	Path  string // of the file that holds it
	From  Key    // a declaration, the module of the file, or the file
	To    Key
	Kind  string   // calls, imports, implements, refers-to
	Rel   string   // extends, embeds, overrides, uses; "" where the kind says all
	By    Evidence // never only that two names are the same
	Start int      // bytes from the start of the file
	End   int
	Line  int // from 1
}

// Evidence is how a reference is known to mean its target.
type Evidence string

const (
	ByTypes    Evidence = "types"    // a type checker
	ByScip     Evidence = "scip"     // an index that a compiler wrote
	ByFile     Evidence = "file"     // declared in the same file
	ByImport   Evidence = "import"   // imported by name, re-exports followed
	ByReceiver Evidence = "receiver" // this, self or super
	ByDeclared Evidence = "declared" // the declared type of the receiver
)
