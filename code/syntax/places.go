package syntax

// Places are the input of package bind for one file. They are the names, calls and imports
// of the file. Local names of functions are resolved already, because that needs the tree;
// bind resolves the names of the file and of other files.
type Places struct {
	Path     string
	Language string               // see symbol.File
	Space    string               // package of the file
	Names    map[string]*Expr     // names of the file's own scope
	Exports  map[string]*Expr     // names that others may import; nil: the same as Names
	Stars    []*Expr              // modules whose names are all imported (import *)
	Again    []*Expr              // modules whose names are all re-exported (export *)
	Imports  []Import             // in the order of the text
	Classes  map[string]*Class    // by the name of the declaration
	Funcs    map[string]*Function // by the name of the declaration
	Calls    []Call               // in the order of the text
	Uses     []Use                // values that may be functions, once for each From and name
	Spots    map[string][]Spot    // places of a declaration's name, by name
	Project  *Project             // of a settings file; nil for source code
}

// Import is a place that names a module.
type Import struct {
	From  string // as it is written: ./x, a.b, crate::x, foo.h
	Name  string // the only imported name; "" if several or all
	Of    *Expr  // its value in languages that import by a path of names; else nil
	Start int
	End   int
	Line  int
}

// Class is a class, interface, struct, trait or enum, an object with functions, a type
// alias, or a variable that is a declaration.
type Class struct {
	Parents []Parent
	Members map[string]*Expr // Declared for a method, the value for a field
	Of      *Expr            // the class that this is a part of, if another file may declare it
	Alias   *Expr            // for a type alias: a value of its type
	Holds   *Expr            // for a variable: its value
	Object  bool             // it is a single object, not a class with instances
	At      Spot             // for a part: place of the class's name
	Order   []string         // names of the methods, in the order of the text
}

// Parent is a class or interface that a class extends or implements.
type Parent struct {
	Type *Expr
	Rel  string // extends; "" for an interface that it implements
}

// Function holds the parameters and the result of a declared function.
type Function struct {
	Result   *Expr     // nil if not known
	Takes    [][]*Expr // values of its parameters, by their declared types; one for each overload
	Property bool      // reading the name calls it
	Least    int       // minimum number of arguments
	Most     int       // maximum number of arguments; -1 for any number
	Local    bool      // C: it is static
	Bodiless bool      // a prototype, or a signature of an interface
}

// Call is a place that calls a function. Its range is that of the last name of the callee,
// because the occurrences of an index of names have that range.
type Call struct {
	From   string // the declaration around, "" for the file
	Callee *Expr  // nil if it is unknown
	Args   int    // number of arguments; -1 if not known
	New    bool   // it makes an instance of a class
	Spot
}

// Use is a place that has a value without a call of it: an argument, a decorator, an alias.
type Use struct {
	From string // the declaration around, or the decorated one; "" for the file
	Of   *Expr
	Spot
}

// Project holds the part of a settings file that decides how modules are named.
type Project struct {
	Name  string              // of the package or crate
	Entry []string            // main files of the package or crate, from the folder of the settings
	Base  string              // baseUrl of tsconfig.json; "" if it has none
	Paths map[string][]string // paths of tsconfig.json

	Extends []string // files that tsconfig.json goes back to, as it names them; the last one wins
}

// Spot is a range of bytes of a file.
type Spot struct {
	Start  int
	End    int
	Line   int // from 1
	Column int // of its start, in UTF-16 code units, from 0
	Width  int // its length in UTF-16 code units
}

// Op is the operation by which an Expr makes its value.
type Op uint8

const (
	Unknown  Op = iota
	Name        // the value of Name in the file's scope
	Declared    // the declaration Name of this file
	Imported    // Name of module From; * for the module itself, = for its export assignment
	Self        // an instance of class Name of this file
	Super       // an instance of class Name with only the members of its parents
	Member      // member Name of Of
	Result      // the result of a call of Of; Args are type arguments or the result of a callback
	Value       // an instance of type Of, with type arguments Args
	Element     // the value that a loop over Of gives; Name "rest": of a parameter and all that follow
	Await       // the result of await Of; Name "enter" for with, "try" for ? of Rust
	At          // element Name of tuple Of; Name is an index, or "each" for any
	Shape       // an object with Fields
	Lambda      // a function with parameters Args and result Of
	Handed      // parameter Second of a function that is argument First of a call of Of
	Any         // a value with the members of all Args
	First       // the first of Args that is known
	Extern      // the function Name, whichever file defines it
	Case        // one of Args, but not known which
)

// Expr is the value of a piece of source code, as far as the file alone tells it. Several
// places may share an Expr, and it may contain itself. A Case with From "assigned" is the
// value of a variable; each assignment that is read later adds to its Args.
type Expr struct {
	Op     Op
	Name   string
	From   string
	Of     *Expr
	Args   []*Expr
	Fields map[string]*Expr
	First  int
	Second int
}

// unknown is the Expr of a value that is not known. A name with this value hides the same
// name of outer scopes.
var unknown = &Expr{}

func member(of *Expr, name string) *Expr { return derive(Member, of, name) }
func result(of *Expr) *Expr              { return derive(Result, of, "") }
func element(of *Expr) *Expr             { return derive(Element, of, "") }

// derive returns an Expr with an operation on another; unknown if that is unknown.
func derive(op Op, of *Expr, name string) *Expr {
	if of == nil || of == unknown {
		return unknown
	}
	return &Expr{Op: op, Of: of, Name: name}
}

func valueOf(class *Expr, args ...*Expr) *Expr {
	if class == nil || class == unknown {
		return unknown
	}
	return &Expr{Op: Value, Of: class, Args: args}
}

// made returns a value of a built-in type.
func made(name string, args ...*Expr) *Expr {
	return &Expr{Op: Value, Of: &Expr{Op: Name, Name: name}, Args: args}
}

// oneOf returns an Expr of one of several values.
func oneOf(all ...*Expr) *Expr {
	if len(all) == 1 {
		return all[0]
	}
	return &Expr{Op: Case, Args: all}
}

func declaredExpr(name string) *Expr { return &Expr{Op: Declared, Name: name} }

func importedExpr(from, name string) *Expr { return &Expr{Op: Imported, From: from, Name: name} }
