package syntax

// Places are what package bind needs of a file to know which declarations its calls
// mean. Names in functions are resolved here, where the tree is; names of the file and
// of other files are left to bind.
type Places struct {
	Path     string
	Language string           // as of symbol.File
	Space    string           // the package or namespace that the file says it is in
	Names    map[string]*Expr // of the file's own scope
	Exports  map[string]*Expr // what others may import; nil where that is Names
	Stars    []*Expr          // modules all of whose names are names of this file (Import with Name *)
	Again    []*Expr          // modules all of whose names others may import from this file
	Imports  []Import         // in the order of the text
	Classes  map[string]*Class
	Funcs    map[string]*Function // by the name of the declaration
	Calls    []Call               // in the order of the text
	Spots    map[string][]Spot    // where declarations have their names
	Project  *Project             // of package.json, tsconfig.json, Cargo.toml
}

// Import is a place that names a module.
type Import struct {
	From  string // as it is written: ./x, a.b, crate::x, foo.h
	Name  string // the one name that is taken out of it; "" if several or all
	Of    *Expr  // what it stands for, where a path of names says it
	Start int
	End   int
	Line  int
}

// Class is a class, interface, struct, trait or enum, or an object with functions.
type Class struct {
	Parents []Parent
	Members map[string]*Expr // Declared for methods, what a field holds for fields
	Of      *Expr            // the class that this is a part of, where another file may declare it
	Alias   *Expr            // of a type alias: a value of what it stands for
	Holds   *Expr            // of a variable: what it holds
	Object  bool             // it is one value and not a class of values
	At      Spot             // where a part of a class names it
	Order   []string         // the names of the methods, in the order of the text
}

// Parent is a class or interface that a class is made from.
type Parent struct {
	Type *Expr
	Rel  string // extends, "" for an interface that it implements
}

// Function is what a declared function says of its callers and results.
type Function struct {
	Result   *Expr   // nil if it says nothing
	Takes    []*Expr // what its parameters are said to hold
	Property bool    // reading it calls it
	Least    int     // arguments that it must be given
	Most     int     // and those it may be given; -1 for any number
	Local    bool    // C: it is static
	Bodiless bool    // a prototype, or a signature of an interface
}

// Call is a place that calls something. Its range is that of the last name of the
// callee, which is where an index of names has its occurrence.
type Call struct {
	From   string // the declaration around, "" for the file
	Callee *Expr  // nil if nothing can be told of it
	Args   int    // -1 if that cannot be told
	New    bool
	Spot
}

// Project is what a settings file says of how modules are named.
type Project struct {
	Name  string              // of the package or crate
	Entry []string            // files that stand for it, from the folder of the settings
	Base  string              // baseUrl of tsconfig.json; "" if it has none
	Paths map[string][]string // paths of tsconfig.json
}

// Spot is a range of bytes of a file.
type Spot struct {
	Start  int
	End    int
	Line   int // from 1
	Column int // of its start, in units of UTF-16, from 0
	Wide   int // its length in units of UTF-16
}

// Op says how an Expr makes its value.
type Op uint8

const (
	Unknown  Op = iota
	Name        // what Name means in the file's scope
	Declared    // the declaration Name of this file
	Imported    // Name of module From; * for the module itself
	Self        // a value of class Name of this file
	Super       // the same, as its parents see it
	Member      // Name of Of
	Result      // what a call of Of gives; Args are those of a generic type
	Value       // a value of type Of, with type arguments Args
	Element     // what a loop over Of gives
	Await       // what waiting for Of gives
	At          // Args[Name] of a tuple Of
	Shape       // an object with Fields
	Lambda      // a function that takes Args and gives Of
	Handed      // what Of hands to parameter Second of a function that is its argument First
	Any         // a value of one of the types Args
	First       // the first of Args that is known
	Extern      // the function Name, defined in whatever file does
	Case        // a value of any type of Args, and it is not known of which
)

// Expr says what a piece of source code stands for, as far as it can be told from the
// file alone. An Expr is shared and may be part of itself. A Case whose From is
// assigned is of a variable, that more may be assigned to further down.
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

// unknown stands for what cannot be told. A name that stands for it is not looked up
// further out.
var unknown = &Expr{}

func member(of *Expr, name string) *Expr { return derive(Member, of, name) }
func result(of *Expr) *Expr              { return derive(Result, of, "") }
func element(of *Expr) *Expr             { return derive(Element, of, "") }

// derive returns an Expr of another; of an unknown one nothing can be told.
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

func declaredExpr(name string) *Expr { return &Expr{Op: Declared, Name: name} }

func importedExpr(from, name string) *Expr { return &Expr{Op: Imported, From: from, Name: name} }
